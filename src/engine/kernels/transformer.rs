//! The kernels of `kernels/engine/attention.cl`, `long_attention.cl` and
//! `norm.cl`: self-attention and layer norm.

use smallvec::smallvec;

use super::row_groups;
use crate::opencl::{self, Given, Kernel, Reached, counted};

pub(super) const ALL: &[Kernel] = &[
    ATTENTION_ROWS,
    ATTENTION_GRADS,
    ATTENTION_LONG_ROWS,
    ATTENTION_LONG_QUERIES,
    ATTENTION_LONG_KEYS,
    NORM_ROWS,
    NORM_GRADS,
    NORM_SLOPES,
    NORM_SUMS,
];

/// Maximum number of elements of a head, and of its scores, that a work-group
/// holds in local memory.
pub const HEAD: usize = 1024;

/// Self-attention of short sequences: arguments `a, offset, places, heads,
/// width, out, n`.
pub const ATTENTION_ROWS: Kernel =
    kernel!("engine/attention.cl", "attention_rows", |given| {
        let heads = Heads::short(given, 2, 6)?;
        Some(smallvec![given.uint(1)? + heads.reach(3)?, heads.reach(1)?])
    });
/// The gradient of self-attention of short sequences: arguments `a, offset,
/// grad, grad_offset, places, heads, width, out, n`.
pub const ATTENTION_GRADS: Kernel =
    kernel!("engine/attention.cl", "attention_grads", |given| {
        let heads = Heads::short(given, 4, 8)?;
        let [three, one] = [heads.reach(3)?, heads.reach(1)?];
        Some(smallvec![given.uint(1)? + three, given.uint(3)? + one, three])
    });

/// Maximum width of a head in the kernels for long sequences: the length of a
/// row of a tile.
pub const HEAD_ROW: usize = 64;

/// Positions per tile in the kernels for long sequences.
pub const HEAD_TILE: usize = 32;

/// Work-items that share a tile.
pub const HEAD_ITEMS: usize = 64;

/// Maximum bytes of local memory of the kernels for long sequences.
pub const HEAD_MEMORY: u64 = 44 * 1024;

/// Self-attention of long sequences: arguments `a, offset, places, heads,
/// width, out, n`.
pub const ATTENTION_LONG_ROWS: Kernel =
    kernel!("engine/long_attention.cl", "attention_long_rows", |given| {
        let heads = Heads::long(given, 2, 6, &[1])?;
        Some(smallvec![given.uint(1)? + heads.reach(3)?, heads.reach(1)?])
    });
/// The gradient of the queries of long sequences: arguments `a, offset, seen,
/// seen_offset, grad, grad_offset, places, heads, width, measured, out, n`.
pub const ATTENTION_LONG_QUERIES: Kernel =
    kernel!("engine/long_attention.cl", "attention_long_queries", |given| {
        long_grads(given, &[1, 3, 5])
    });
/// The gradient of the keys and values of long sequences: arguments `a,
/// offset, grad, grad_offset, places, heads, width, measured, out, n`.
pub const ATTENTION_LONG_KEYS: Kernel =
    kernel!("engine/long_attention.cl", "attention_long_keys", |given| {
        long_grads(given, &[1, 3])
    });

/// The reach of the gradient of long sequences. `offsets` are the positions of
/// the arguments with offsets.
fn long_grads(given: &Given, offsets: &[usize]) -> Option<Reached> {
    let sizes = offsets.len() * 2;
    let heads = Heads::long(given, sizes, sizes + 5, offsets)?;
    let [three, one] = [heads.reach(3)?, heads.reach(1)?];
    let mut reached = smallvec![given.uint(1)? + three];
    for &offset in &offsets[1..] {
        reached.push(given.uint(offset)? + one);
    }
    reached.extend([2 * heads.n * heads.positions, three]);
    Some(reached)
}

/// The sizes of a launch of an attention kernel.
struct Heads {
    positions: u64,
    /// Heads of a sequence.
    heads: u64,
    width: u64,
    /// Heads of all sequences.
    n: u64,
}

impl Heads {
    /// Reads the sizes of short sequences from three arguments starting at
    /// `sizes`, and from the argument `n`. Returns `None` if a head does not
    /// fit into local memory, or the work-group has more than one dimension.
    fn short(given: &Given, sizes: usize, n: usize) -> Option<Heads> {
        let [positions, heads, width] =
            [0, 1, 2].map(|i| given.uint(sizes + i));
        let (positions, heads, width) = (positions?, heads?, width?);
        let fits = |a: u64, b: u64| (1..=HEAD as u64).contains(&(a * b));
        let is_kept = fits(positions, width) && fits(positions, positions);
        let n = given.uint(n)?;
        // The loop counter of the kernels can exceed `n` by a stride.
        let is_counted = heads > 0 && heads <= HEAD as u64 && n < 1 << 30;
        let is_flat = given.items(1) == 1 && given.items(2) == 1;
        let all = Heads { positions, heads, width, n };
        (is_kept && is_counted && is_flat).then_some(all)
    }

    /// Reads the sizes of long sequences. The width and the offsets must be
    /// multiples of four, because the kernels use `float4` loads, and a
    /// work-group must have [`HEAD_ITEMS`] items.
    fn long(
        given: &Given,
        sizes: usize,
        n: usize,
        offsets: &[usize],
    ) -> Option<Heads> {
        let [positions, heads, width] =
            [0, 1, 2].map(|i| given.uint(sizes + i));
        let (positions, heads, width) = (positions?, heads?, width?);
        let n = given.uint(n)?;
        let is_four = |n: u64| n.is_multiple_of(4);
        let are_fours =
            offsets.iter().all(|&arg| given.uint(arg).is_some_and(is_four));
        let is_kept = is_four(width) && (4..=HEAD_ROW as u64).contains(&width);
        let is_counted = positions > 0
            && (1..=HEAD as u64).contains(&heads)
            && positions.checked_mul(n).is_some_and(|all| all < 1 << 30);
        let is_group = given.items(0) == HEAD_ITEMS as u64;
        let is_flat = given.items(1) == 1 && given.items(2) == 1;
        let all = Heads { positions, heads, width, n };
        (are_fours && is_kept && is_counted && is_group && is_flat)
            .then_some(all)
    }

    /// Returns the end of the last head in an array that has `parts` values of
    /// each head at each position: 3 for queries, keys and values, otherwise
    /// 1.
    fn reach(&self, parts: u64) -> Option<u64> {
        let Some(last) = self.n.checked_sub(1) else { return Some(0) };
        let row = self.heads * self.width;
        let sequence = self.positions * parts * row;
        // The last part at the last position.
        let inside = sequence - row + (last % self.heads + 1) * self.width;
        let all = last / self.heads * sequence + inside;
        (all < 1 << 31).then_some(all)
    }
}

/// Layer norm: arguments `a, a_offset, weight, weight_offset, bias,
/// bias_offset, columns, epsilon, out, n`.
pub const NORM_ROWS: Kernel = kernel!("engine/norm.cl", "norm_rows", |given| {
    let (columns, all) = rows(given, 9)?;
    let of_row = |place| Some(given.uint(place)? + columns);
    let a = given.uint(1)? + all;
    match all {
        0 => Some(smallvec![a, given.uint(3)?, given.uint(5)?, 0]),
        _ => Some(smallvec![a, of_row(3)?, of_row(5)?, all]),
    }
});
/// The gradient of the rows of a layer norm: arguments `a, a_offset, grad,
/// grad_offset, weight, weight_offset, columns, epsilon, measured, out, n`.
/// Also writes the mean and the reciprocal deviation of each row to
/// `measured`.
pub const NORM_GRADS: Kernel =
    kernel!("engine/norm.cl", "norm_grads", |given| {
        row_grads(given, 2 * given.uint(10)?)
    });
/// The same, but writes the terms of the weight's gradient from each element
/// to `of_weight`, in the position of `measured`.
pub const NORM_SLOPES: Kernel =
    kernel!("engine/norm.cl", "norm_slopes", |given| {
        row_grads(given, rows(given, 10)?.1)
    });
/// The gradients of the bias and the weight from parts of the rows: arguments
/// `a, a_offset, grad, grad_offset, measured, columns, segment, of_bias,
/// of_weight, n`.
pub const NORM_SUMS: Kernel = kernel!("engine/norm.cl", "norm_sums", |given| {
    let sizes = [5, 6, 9].map(|place| counted(given.uint(place)?));
    let [columns, segment, n] = sizes;
    let (columns, n) = (columns?, n?);
    let parts = n.div_ceil(segment?);
    let team = given.items(1);
    let is_group = team.is_power_of_two() && given.items(0) * team <= 256;
    let is_flat = given.groups(1) == parts && given.items(2) == 1;
    (is_group && is_flat).then_some(())?;
    let all = columns.checked_mul(n).filter(|all| *all < 1 << 30)?;
    let from = |place| Some(given.uint(place)? + all);
    let out = parts * columns;
    Some(smallvec![from(1)?, from(3)?, 2 * n, out, out])
});

/// The reach of the gradient of rows, which writes `extra` more elements.
fn row_grads(given: &Given, extra: u64) -> Option<Reached> {
    let (columns, all) = rows(given, 10)?;
    let columns = if all == 0 { 0 } else { columns };
    let from = |place, n| Some(given.uint(place)? + n);
    let (a, grad) = (from(1, all)?, from(3, all)?);
    Some(smallvec![a, grad, from(5, columns)?, extra, all])
}

/// Returns the number of columns and the number of elements of all rows.
fn rows(given: &Given, n: usize) -> Option<(u64, u64)> {
    row_groups(given)?;
    let (columns, n) = (given.uint(6)?, given.uint(n)?);
    // The loop counters of the kernels, `uint`, can exceed the end of a row by
    // a row group, and the last row by a work-group.
    let all = columns.max(1).checked_mul(n).filter(|all| *all < 1 << 30)?;
    Some((columns, if columns == 0 { 0 } else { all }))
}
