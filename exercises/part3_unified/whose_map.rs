// whose_map: what is wrong with an attention that made this map.
//
// WHAT   You get the scores of n places, `scores[i * n + j]` for the query of
//        place i and the key of place j, before anybody divided them, and the
//        map of shares that somebody made of them. Name what is wrong with
//        it: `NotScaled`, `NotMasked`, `MaskedAfter` or `Columns`, if exactly
//        one of these explains every share; `Right` if nothing is wrong, and
//        else `Unknown`.
// WHY    Each of these trains, and its loss is only a little worse. A map
//        shows it at a glance, if one knows what to look for.
// MIND   `MaskedAfter`: the softmax went over all places, and what lies
//        behind was set to 0 then. `Columns`: the softmax went down the
//        columns of the scores that were left, not along the rows.
// READ   Attention
// CHECK  cargo learn check whose_map

use super::Fault;

/// Names what is wrong with a map of queries and keys of some width, to 1e-4.
pub fn name(map: &[f64], scores: &[f64], width: usize) -> Fault {
    // Fault has Right, NotScaled, NotMasked, MaskedAfter, Columns, Unknown.
    todo!("TODO(whose_map): make the map of each fault, and compare")
}
