// attend: one attention head, from queries, keys and values.
//
// WHAT   For each query, compute a weighted mean of the values. The weights
//        are the softmax of its dot products with the keys, divided by the
//        square root of their width, over the positions that it may see. The
//        queries belong to the *last* positions, and none of them sees a later
//        position.
// WHY    These four lines are all of attention. A mistake in any of them still
//        trains and is only slightly worse, so a loss does not reveal it.
// MIND   While a text is generated, keys and values of earlier positions are
//        cached, so there are fewer queries than keys.
// READ   Attention
// CHECK  cargo learn check attend

use rungrad::part3_unified::Tensor;

/// Computes the output of each query: queries (rows, d), keys (places, d) and
/// values (places, e) -> (rows, e).
pub fn attend(queries: &Tensor, keys: &Tensor, values: &Tensor) -> Tensor {
    // HOLE
    //| // `t.triu(k)` keeps the elements on and above the k-th diagonal and
    //| // replaces the others by 0.
    //| todo!("TODO(attend): scores, mask, softmax, values")
    let (rows, places) = (queries.shape()[0], keys.shape()[0]);
    let width = queries.shape()[1] as f32;
    let scores = queries.matmul(&keys.transpose()) / width.sqrt();
    let behind = (places - rows + 1) as isize;
    let hidden = scores.full_like(-1e30).triu(behind);
    (scores + hidden).softmax().matmul(values)
    // END HOLE
}
