//! The kernels of `kernels/engine/attention.cl`, `long_attention.cl` and
//! `norm.cl`: self-attention and layer norm.

use smallvec::smallvec;

use super::row_groups;
use crate::opencl::{self, Kernel, LaunchArgs, Reached, counted};

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

/// Self-attention of short sequences.
pub const ATTENTION_ROWS: Kernel =
    kernel!("engine/attention.cl", "attention_rows", |args| {
        let heads = Heads::short(args)?;
        let a = args.uint("offset")? + heads.reach(3)?;
        Some(smallvec![a, heads.reach(1)?])
    });
/// The gradient of self-attention of short sequences.
pub const ATTENTION_GRADS: Kernel =
    kernel!("engine/attention.cl", "attention_grads", |args| {
        let heads = Heads::short(args)?;
        let [three, one] = [heads.reach(3)?, heads.reach(1)?];
        let [a, grad] = ["offset", "grad_offset"].map(|name| args.uint(name));
        Some(smallvec![a? + three, grad? + one, three])
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

/// Self-attention of long sequences.
pub const ATTENTION_LONG_ROWS: Kernel =
    kernel!("engine/long_attention.cl", "attention_long_rows", |args| {
        let heads = Heads::long(args, &["offset"])?;
        let a = args.uint("offset")? + heads.reach(3)?;
        Some(smallvec![a, heads.reach(1)?])
    });
/// The gradient of the queries of long sequences.
pub const ATTENTION_LONG_QUERIES: Kernel =
    kernel!("engine/long_attention.cl", "attention_long_queries", |args| {
        long_grads(args, &["offset", "seen_offset", "grad_offset"])
    });
/// The gradient of the keys and values of long sequences.
pub const ATTENTION_LONG_KEYS: Kernel =
    kernel!("engine/long_attention.cl", "attention_long_keys", |args| {
        long_grads(args, &["offset", "grad_offset"])
    });

/// The reach of the gradient of long sequences.
fn long_grads(args: &LaunchArgs, offsets: &[&str]) -> Option<Reached> {
    let heads = Heads::long(args, offsets)?;
    let [three, one] = [heads.reach(3)?, heads.reach(1)?];
    let mut reached = smallvec![args.uint(offsets[0])? + three];
    for &offset in &offsets[1..] {
        reached.push(args.uint(offset)? + one);
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
    /// Reads the sizes of a launch.
    fn new(args: &LaunchArgs) -> Option<Heads> {
        Some(Heads {
            positions: args.uint("places")?,
            heads: args.uint("heads")?,
            width: args.uint("width")?,
            n: args.uint("n")?,
        })
    }

    /// Reads the sizes of short sequences. Returns `None` if a head does not
    /// fit into local memory, or the work-group has more than one dimension.
    fn short(args: &LaunchArgs) -> Option<Heads> {
        let all = Heads::new(args)?;
        let Heads { positions, heads, width, n } = all;
        let fits = |a: u64, b: u64| (1..=HEAD as u64).contains(&(a * b));
        let is_kept = fits(positions, width) && fits(positions, positions);
        // The loop counter of the kernels can exceed `n` by a stride.
        let is_counted = heads > 0 && heads <= HEAD as u64 && n < 1 << 30;
        let is_flat = args.items(1) == 1 && args.items(2) == 1;
        (is_kept && is_counted && is_flat).then_some(all)
    }

    /// Reads the sizes of long sequences. The width and the offsets must be
    /// multiples of four, because the kernels use `float4` loads, and a
    /// work-group must have [`HEAD_ITEMS`] items.
    fn long(args: &LaunchArgs, offsets: &[&str]) -> Option<Heads> {
        let all = Heads::new(args)?;
        let Heads { positions, heads, width, n } = all;
        let is_four = |n: u64| n.is_multiple_of(4);
        let are_fours =
            offsets.iter().all(|name| args.uint(name).is_some_and(is_four));
        let is_kept = is_four(width) && (4..=HEAD_ROW as u64).contains(&width);
        let is_counted = positions > 0
            && (1..=HEAD as u64).contains(&heads)
            && positions.checked_mul(n).is_some_and(|all| all < 1 << 30);
        let is_group = args.items(0) == HEAD_ITEMS as u64;
        let is_flat = args.items(1) == 1 && args.items(2) == 1;
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

/// Layer norm.
pub const NORM_ROWS: Kernel = kernel!("engine/norm.cl", "norm_rows", |args| {
    let (columns, all) = rows(args)?;
    let offsets = ["a_offset", "weight_offset", "bias_offset"];
    let [a, weight, bias] = offsets.map(|name| args.uint(name));
    Some(smallvec![a? + all, weight? + columns, bias? + columns, all])
});
/// The gradient of the rows of a layer norm. Also writes the mean and the
/// reciprocal deviation of each row to `measured`.
pub const NORM_GRADS: Kernel =
    kernel!("engine/norm.cl", "norm_grads", |args| {
        row_grads(args, 2 * args.uint("n")?)
    });
/// The same, but writes the terms of the weight's gradient from each element
/// to `of_weight`.
pub const NORM_SLOPES: Kernel =
    kernel!("engine/norm.cl", "norm_slopes", |args| {
        row_grads(args, rows(args)?.1)
    });
/// The gradients of the bias and the weight from parts of the rows.
pub const NORM_SUMS: Kernel = kernel!("engine/norm.cl", "norm_sums", |args| {
    let sizes = ["columns", "segment", "n"];
    let [columns, segment, n] = sizes.map(|name| counted(args.uint(name)?));
    let (columns, n) = (columns?, n?);
    let parts = n.div_ceil(segment?);
    let team = args.items(1);
    let is_group = team.is_power_of_two() && args.items(0) * team <= 256;
    let is_flat = args.groups(1) == parts && args.items(2) == 1;
    (is_group && is_flat).then_some(())?;
    let all = columns.checked_mul(n).filter(|all| *all < 1 << 30)?;
    let [a, grad] = ["a_offset", "grad_offset"].map(|name| args.uint(name));
    let out = parts * columns;
    Some(smallvec![a? + all, grad? + all, 2 * n, out, out])
});

/// The reach of the gradient of rows, which writes `extra` more elements.
fn row_grads(args: &LaunchArgs, extra: u64) -> Option<Reached> {
    let (columns, all) = rows(args)?;
    let offsets = ["a_offset", "grad_offset", "weight_offset"];
    let [a, grad, weight] = offsets.map(|name| args.uint(name));
    Some(smallvec![a? + all, grad? + all, weight? + columns, extra, all])
}

/// Returns how many columns are accessed, and the number of elements of all
/// rows.
fn rows(args: &LaunchArgs) -> Option<(u64, u64)> {
    row_groups(args)?;
    let (columns, n) = (args.uint("columns")?, args.uint("n")?);
    // The loop counters of the kernels, `uint`, can exceed the end of a row by
    // a row group, and the last row by a work-group.
    let all = columns.max(1).checked_mul(n).filter(|all| *all < 1 << 30)?;
    Some(if columns == 0 || n == 0 { (0, 0) } else { (columns, all) })
}
