// whose_map: what is wrong with the attention behind this map?
//
// WHAT   You get the unscaled scores of n positions, `scores[i * n + j]` for
//        the query of position i and the key of position j, and an attention
//        map that was computed from them. Name what is wrong with the map:
//        `NotScaled`, `NotMasked`, `MaskedAfter` or `Columns`, if exactly one
//        of these explains every element; `Right` if nothing is wrong;
//        otherwise `Unknown`.
// WHY    A network with one of these bugs still trains, with a slightly worse
//        loss. A map shows the bug at a glance if you know what to look for.
// MIND   `MaskedAfter`: the softmax was computed over all positions, and later
//        positions were then set to 0. `Columns`: the softmax of the masked
//        scores was computed over columns instead of rows.
// READ   Attention
// CHECK  cargo learn check whose_map

use super::Fault;

/// Names what is wrong with an attention map, up to 1e-4. `width` is the width
/// of the queries and keys.
pub fn name(map: &[f64], scores: &[f64], width: usize) -> Fault {
    // HOLE
    //| // Fault has Right, NotScaled, NotMasked, MaskedAfter, Columns, Unknown.
    //| todo!("TODO(whose_map): compute the map of each bug, and compare")
    let n = map.len().isqrt();
    let root = (width as f64).sqrt();
    let made = |fault: Fault| {
        let divisor = if fault == Fault::NotScaled { 1.0 } else { root };
        let weight = |i: usize, j: usize| (scores[i * n + j] / divisor).exp();
        let sees = |i: usize, j: usize| fault == Fault::NotMasked || j <= i;
        let counts = |i, j| fault == Fault::MaskedAfter || sees(i, j);
        let total = |i: usize, j: usize| -> f64 {
            let all = 0..n;
            match fault {
                Fault::Columns => {
                    all.filter(|&k| counts(k, j)).map(|k| weight(k, j)).sum()
                }
                _ => all.filter(|&k| counts(i, k)).map(|k| weight(i, k)).sum(),
            }
        };
        (0..n * n).all(|at| {
            let (i, j) = (at / n, at % n);
            let right =
                if sees(i, j) { weight(i, j) / total(i, j) } else { 0.0 };
            (map[at] - right).abs() <= 1e-4
        })
    };
    if made(Fault::Right) {
        return Fault::Right;
    }
    let names = [
        Fault::NotScaled,
        Fault::NotMasked,
        Fault::MaskedAfter,
        Fault::Columns,
    ];
    let mut fitting = names.into_iter().filter(|&fault| made(fault));
    match (fitting.next(), fitting.next()) {
        (Some(only), None) => only,
        _ => Fault::Unknown,
    }
    // END HOLE
}
