//! Sums in a fixed order.
//!
//! The sum of floating-point numbers depends on the order of the additions. To
//! get the same bits for any number of ranks, a batch is divided into a fixed
//! number of **shards**, and the gradients of the shards are added in a binary
//! tree:
//!
//! ```text
//!              0..8
//!        0..4        4..8
//!     0..2  2..4  4..6  6..8
//!     0  1  2  3  4  5  6  7
//! ```
//!
//! A rank that has some neighboring shards adds what it can without changing
//! the tree. With two ranks, each of them adds half of the tree. With three
//! ranks, the second one has the shards 2, 3 and 4, and ends with the blocks
//! `2..4` and `4`.

use std::ops::Range;

/// A sum over shards in the order of a binary tree. Values are pushed from the
/// first shard to the last, and two neighboring blocks of equal size are added
/// as soon as both are complete.
///
/// ```
/// use cluster::TreeSum;
///
/// let add = |a: String, b: String| format!("({a}+{b})");
/// let mut sum = TreeSum::new();
/// for shard in 0..6 {
///     sum.push(shard..shard + 1, shard.to_string(), add);
/// }
/// assert_eq!(sum.finish(add).unwrap(), "(((0+1)+(2+3))+(4+5))");
/// ```
#[derive(Clone, Debug)]
pub struct TreeSum<T> {
    /// Ranges of shards with their sums, from the first shard to the last.
    blocks: Vec<(Range<usize>, T)>,
}

impl<T> TreeSum<T> {
    /// Creates a sum of no shards.
    pub fn new() -> TreeSum<T> {
        TreeSum { blocks: Vec::new() }
    }

    /// Adds the value of the next shard, or the sum of the next shards if
    /// they are a block of the tree.
    pub fn push(
        &mut self,
        shards: Range<usize>,
        value: T,
        add: impl Fn(T, T) -> T,
    ) {
        // ANCHOR: push
        let (mut shards, mut value) = (shards, value);
        // A block begins at a multiple of its size.
        while let Some((left, _)) = self.blocks.last()
            && left.len() == shards.len()
            && left.start % (2 * left.len()) == 0
        {
            let (left, sum) = self.blocks.pop().expect("it was checked");
            shards = left.start..shards.end;
            value = add(sum, value);
        }
        self.blocks.push((shards, value));
        // ANCHOR_END: push
    }

    /// Returns the sums that cannot be added without the shards of a different
    /// rank, from the first shard to the last.
    pub fn blocks(&self) -> impl Iterator<Item = &T> {
        self.blocks.iter().map(|(_, sum)| sum)
    }

    /// Returns the sum of all shards, or `None` if there are none. The last
    /// blocks of a number of shards that is not a power of two are added from
    /// the left.
    pub fn finish(self, add: impl Fn(T, T) -> T) -> Option<T> {
        self.blocks.into_iter().map(|(_, sum)| sum).reduce(add)
    }
}

impl<T> Default for TreeSum<T> {
    fn default() -> TreeSum<T> {
        TreeSum::new()
    }
}

/// Returns the blocks that remain on a rank that has these shards.
///
/// ```
/// assert_eq!(cluster::tree::blocks(2..5), [2..4, 4..5]);
/// ```
pub fn blocks(shards: Range<usize>) -> Vec<Range<usize>> {
    let mut sum = TreeSum::new();
    for shard in shards {
        sum.push(shard..shard + 1, (), |(), ()| ());
    }
    sum.blocks.into_iter().map(|(range, ())| range).collect()
}
