//! The results of the attention and normalization kernels.

use rungrad::opencl::Scalar;

use super::{HostArgument, Mirror, Writes};
use testkit::launches::part3::heads;

pub(super) fn attention(how: &str, it: &Mirror) -> Writes {
    let at = if how == "grads" { 4 } else { 2 };
    let sizes = [at, at + 1, at + 2].map(|at| it.size(at));
    let above = (how == "grads").then(|| &it.floats(2)[it.size(3)..]);
    heads::attention(&it.floats(0)[it.size(1)..], above, sizes, it.size(at + 4))
}

pub(super) fn norm(how: &str, it: &Mirror) -> Writes {
    if how == "sums" {
        return norm_of_weight(it);
    }
    let HostArgument::Number(Scalar::F32(epsilon)) = it.given[7] else {
        panic!("argument 7 is a number")
    };
    let is_grads = how != "rows";
    let (columns, n) = (it.size(6), it.size(if is_grads { 10 } else { 9 }));
    let all = columns * n;
    let second = if is_grads { all } else { columns };
    let from = |at: usize, n| match n {
        0 => &[],
        n => &it.floats(at)[it.size(at + 1)..][..n],
    };
    let columns_if_any = if all == 0 { 0 } else { columns };
    let second = if all == 0 { 0 } else { second };
    let of = [from(0, all), from(2, second), from(4, columns_if_any)];
    let right = heads::norm(is_grads, of, columns, epsilon);
    right.into_iter().enumerate().collect()
}

/// Computes the gradient of the weight from the saved statistics of the rows.
fn norm_of_weight(it: &Mirror) -> Writes {
    let (columns, part, n) = (it.size(5), it.size(6), it.size(9));
    let (a, grads) = (it.floats(0), it.floats(2));
    let (of_a, of_grads, measured) = (it.size(1), it.size(3), it.floats(4));
    let beside = it.global[0].min(columns);
    let sum = |at: usize| {
        let (from, i) = (at / columns * part, at % columns);
        let rows = from..n.min(from + part);
        let products = rows.map(|row| {
            let place = row * columns + i;
            let gap = a[of_a + place] - measured[2 * row];
            grads[of_grads + place] * gap * measured[2 * row + 1]
        });
        products.sum()
    };
    let all = 0..n.div_ceil(part) * columns;
    let written = all.filter(|at| at % columns < beside);
    written.map(|at| (at, sum(at))).collect()
}
