/// Returns the number of values that are loaded for one element of the
/// result, a sum of `k` products: from global memory, and from local
/// memory.
///
/// A value that a group loads from global memory is used for a row or
/// column of its tile. A value that an item loads from local memory is
/// used for a row or column of its block.
pub fn loads(&self, k: usize) -> [f64; 2] {
    let k = k as f64;
    if !self.shares {
        return [2.0 * k, 0.0];
    }
    let [rows, columns] = self.block.map(|side| side as f64);
    [2.0 * k / self.tile as f64, k / rows + k / columns]
}
