// The first name that fits is said.

use super::Fault;

/// Names what is wrong with a map of queries and keys of some width, to 1e-4.
pub fn name(map: &[f64], scores: &[f64], width: usize) -> Fault {
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
    fitting.next().unwrap_or(Fault::Unknown)
}
