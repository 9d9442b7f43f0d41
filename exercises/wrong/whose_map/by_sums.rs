// It looks at sums of rows and at what lies above the diagonal.

use super::Fault;

/// Names what is wrong with a map of queries and keys of some width, to 1e-4.
pub fn name(map: &[f64], _: &[f64], _: usize) -> Fault {
    let n = map.len().isqrt();
    let one = |sum: f64| (sum - 1.0).abs() <= 1e-4;
    let rows = map.chunks(n).all(|row| one(row.iter().sum()));
    let columns = (0..n).all(|j| one((0..n).map(|i| map[i * n + j]).sum()));
    let above = (0..n * n).any(|at| at % n > at / n && map[at] > 1e-4);
    match (rows, columns, above) {
        (true, _, true) => Fault::NotMasked,
        (true, _, false) => Fault::Right,
        (false, true, _) => Fault::Columns,
        (false, false, _) => Fault::MaskedAfter,
    }
}
