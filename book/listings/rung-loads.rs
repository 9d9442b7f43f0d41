/// Counts the numbers that are loaded for one element of the result, `k`
/// long sums: from global memory, and from local memory.
///
/// What a group loads from global memory serves a row or a column of its
/// tile; what an item loads from local memory serves a row or a column of
/// the elements that it computes.
pub fn loads(&self, k: usize) -> [f64; 2] {
    let k = k as f64;
    if !self.shares {
        return [2.0 * k, 0.0];
    }
    let [rows, columns] = self.block.map(|side| side as f64);
    [2.0 * k / self.tile as f64, k / rows + k / columns]
}
