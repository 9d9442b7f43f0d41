//! The kernels of `kernels/part3/attention.cl`, `long_attention.cl` and
//! `norm.cl`.

use smallvec::smallvec;

use super::teams;
use crate::opencl::{self, Given, Kernel, Reached, counted};

/// Lists them.
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

/// So many numbers of a head, and so many scores, a group can have.
pub const HEAD: usize = 1024;

/// Self-attention of short texts: arguments `a, offset, places, heads, width,
/// out, n`.
pub const ATTENTION_ROWS: Kernel =
    kernel!("part3/attention.cl", "attention_rows", |given| {
        let heads = Heads::of(given, 2, 6)?;
        Some(smallvec![given.uint(1)? + heads.reach(3)?, heads.reach(1)?])
    });
/// Its gradient: arguments `a, offset, grad, grad_offset, places, heads,
/// width, out, n`.
pub const ATTENTION_GRADS: Kernel =
    kernel!("part3/attention.cl", "attention_grads", |given| {
        let heads = Heads::of(given, 4, 8)?;
        let [three, one] = [heads.reach(3)?, heads.reach(1)?];
        Some(smallvec![given.uint(1)? + three, given.uint(3)? + one, three])
    });

/// So many numbers of a head of a long text fit a row of a tile.
pub const HEAD_ROW: usize = 64;

/// So many places of a long text are in a tile.
pub const HEAD_TILE: usize = 32;

/// So many items share one.
pub const HEAD_ITEMS: usize = 64;

/// So many bytes of local memory the kernels of long texts take at most.
pub const HEAD_MEMORY: u64 = 44 * 1024;

/// Self-attention of long texts: arguments `a, offset, places, heads, width,
/// out, n`.
pub const ATTENTION_LONG_ROWS: Kernel =
    kernel!("part3/long_attention.cl", "attention_long_rows", |given| {
        let heads = Heads::of_long(given, 2, 6, &[1])?;
        Some(smallvec![given.uint(1)? + heads.reach(3)?, heads.reach(1)?])
    });
/// What comes back to its queries: arguments `a, offset, seen, seen_offset,
/// grad, grad_offset, places, heads, width, measured, out, n`.
pub const ATTENTION_LONG_QUERIES: Kernel =
    kernel!("part3/long_attention.cl", "attention_long_queries", |given| {
        of_long(given, &[1, 3, 5])
    });
/// What comes back to keys and values: arguments `a, offset, grad,
/// grad_offset, places, heads, width, measured, out, n`.
pub const ATTENTION_LONG_KEYS: Kernel =
    kernel!("part3/long_attention.cl", "attention_long_keys", |given| {
        of_long(given, &[1, 3])
    });

/// States the reach of gradients, from arrays with these offsets.
fn of_long(given: &Given, offsets: &[usize]) -> Option<Reached> {
    let sizes = offsets.len() * 2;
    let heads = Heads::of_long(given, sizes, sizes + 5, offsets)?;
    let [three, one] = [heads.reach(3)?, heads.reach(1)?];
    let mut reached = smallvec![given.uint(1)? + three];
    for &offset in &offsets[1..] {
        reached.push(given.uint(offset)? + one);
    }
    reached.extend([2 * heads.n * heads.places, three]);
    Some(reached)
}

/// The heads of some texts.
struct Heads {
    places: u64,
    heads: u64,
    width: u64,
    n: u64,
}

impl Heads {
    /// Takes sizes from one argument on, and the count from another. A group
    /// has one dimension, and keeps a head in its local memory.
    fn of(given: &Given, sizes: usize, n: usize) -> Option<Heads> {
        let [places, heads, width] = [0, 1, 2].map(|i| given.uint(sizes + i));
        let (places, heads, width) = (places?, heads?, width?);
        let fits = |a: u64, b: u64| (1..=HEAD as u64).contains(&(a * b));
        let is_kept = fits(places, width) && fits(places, places);
        let n = given.uint(n)?;
        // A group counts beyond the last head.
        let is_counted = heads > 0 && heads <= HEAD as u64 && n < 1 << 30;
        let is_flat = given.items(1) == 1 && given.items(2) == 1;
        let all = Heads { places, heads, width, n };
        (is_kept && is_counted && is_flat).then_some(all)
    }

    /// Takes those of long texts. Numbers are read by fours, so that each of
    /// the offsets is one; a group has a row of a tile for each eighth item.
    fn of_long(
        given: &Given,
        sizes: usize,
        n: usize,
        offsets: &[usize],
    ) -> Option<Heads> {
        let [places, heads, width] = [0, 1, 2].map(|i| given.uint(sizes + i));
        let (places, heads, width) = (places?, heads?, width?);
        let n = given.uint(n)?;
        let is_four = |it: u64| it.is_multiple_of(4);
        let are_fours =
            offsets.iter().all(|&at| given.uint(at).is_some_and(is_four));
        let is_kept = is_four(width) && (4..=HEAD_ROW as u64).contains(&width);
        let is_counted = places > 0
            && (1..=HEAD as u64).contains(&heads)
            && places.checked_mul(n).is_some_and(|all| all < 1 << 30);
        let is_group = given.items(0) == HEAD_ITEMS as u64;
        let is_flat = given.items(1) == 1 && given.items(2) == 1;
        let all = Heads { places, heads, width, n };
        (are_fours && is_kept && is_counted && is_group && is_flat)
            .then_some(all)
    }

    /// Counts what lies before the end of the last head, where a place has so
    /// many times the numbers of all heads.
    fn reach(&self, times: u64) -> Option<u64> {
        let Some(last) = self.n.checked_sub(1) else { return Some(0) };
        let row = self.heads * self.width;
        let text = self.places * times * row;
        // Its last place, and there the last of its parts.
        let inside = text - row + (last % self.heads + 1) * self.width;
        let all = last / self.heads * text + inside;
        (all < 1 << 31).then_some(all)
    }
}

/// Rows brought to mean 0 and variance 1: arguments `a, a_offset, weight,
/// weight_offset, bias, bias_offset, columns, epsilon, out, n`.
pub const NORM_ROWS: Kernel = kernel!("part3/norm.cl", "norm_rows", |given| {
    let (columns, all) = rows(given, 9)?;
    let of_row = |place| Some(given.uint(place)? + columns);
    let a = given.uint(1)? + all;
    match all {
        0 => Some(smallvec![a, given.uint(3)?, given.uint(5)?, 0]),
        _ => Some(smallvec![a, of_row(3)?, of_row(5)?, all]),
    }
});
/// Their gradients: arguments `a, a_offset, grad, grad_offset, weight,
/// weight_offset, columns, epsilon, measured, out, n`.
pub const NORM_GRADS: Kernel =
    kernel!("part3/norm.cl", "norm_grads", |given| {
        of_rows(given, 2 * given.uint(10)?)
    });
/// The same with what the weight gets of each element: `of_weight` in the place
/// of `measured`.
pub const NORM_SLOPES: Kernel =
    kernel!("part3/norm.cl", "norm_slopes", |given| {
        of_rows(given, rows(given, 10)?.1)
    });
/// Those of the bias and of the weight, of parts of the rows: arguments `a,
/// a_offset, grad, grad_offset, measured, columns, segment, of_bias, of_weight,
/// n`.
pub const NORM_SUMS: Kernel = kernel!("part3/norm.cl", "norm_sums", |given| {
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

/// States the reach for gradients of rows, which keep so many numbers.
fn of_rows(given: &Given, kept: u64) -> Option<Reached> {
    let (columns, all) = rows(given, 10)?;
    let columns = if all == 0 { 0 } else { columns };
    let from = |place, n| Some(given.uint(place)? + n);
    let (a, grad) = (from(1, all)?, from(3, all)?);
    Some(smallvec![a, grad, from(5, columns)?, kept, all])
}

/// Returns the columns and the elements of the rows that teams have.
fn rows(given: &Given, n: usize) -> Option<(u64, u64)> {
    teams(given)?;
    let (columns, n) = (given.uint(6)?, given.uint(n)?);
    // A team counts beyond the end of a row, and a group beyond the last.
    let all = columns.max(1).checked_mul(n).filter(|all| *all < 1 << 30)?;
    Some((columns, if columns == 0 { 0 } else { all }))
}
