// attend: one head, from queries, keys and values.
//
// WHAT   Let each query look at the values. Its shares are the softmax of its
//        products with the keys, divided by the root of their width, over the
//        places that it may see: the queries are those of the *last* places,
//        and none sees what comes behind its own.
// WHY    It is the whole of attention, in four lines. Each of them has a
//        fault that trains on and is only a little worse, so nobody finds it
//        by looking at a loss.
// MIND   While a text is written, keys and values of what was read are kept:
//        then there are fewer queries than keys.
// READ   Attention
// CHECK  cargo learn check attend

use rungrad::part3_unified::Tensor;

/// Computes what each query takes in: queries (rows, d), keys (places, d) and
/// values (places, e) -> (rows, e).
pub fn attend(queries: &Tensor, keys: &Tensor, values: &Tensor) -> Tensor {
    // `t.triu(k)` keeps what stands `k` columns right of the diagonal, and
    // all beyond it, and puts 0 elsewhere.
    todo!("TODO(attend): scores, what is hidden, shares, values")
}
