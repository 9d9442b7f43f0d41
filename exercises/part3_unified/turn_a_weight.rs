// turn_a_weight: convert PyTorch's weights to our layout.
//
// WHAT   `placed` gets a weight as PyTorch saved it, and the shape that it has
//        in our model. Currently it looks at the shapes and guesses. Fix it,
//        so that every weight that fits is returned in our order, and a weight
//        that does not fit is rejected.
// WHY    A square matrix fits either way. A model whose square matrices are
//        not transposed loads without an error and computes nonsense.
// MIND   The weight of a linear layer is (outputs, inputs) in PyTorch and
//        (inputs, outputs) here. The table of an embedding, (tokens, width),
//        the filters of a convolution and all biases have the same layout in
//        both.
// READ   Weights that travel
// CHECK  cargo learn check turn_a_weight

/// The layer that a weight belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Linear,
    Embedding,
    Filters,
    Bias,
}

/// A weight of PyTorch, with its elements in row-major order.
#[derive(Clone, Debug)]
pub struct Weight {
    pub kind: Kind,
    pub shape: Vec<usize>,
    pub values: Vec<f32>,
}

/// Returns the elements in our model's order, in which the weight has the
/// shape `wanted`, or `None` if it does not fit.
pub fn placed(theirs: &Weight, wanted: &[usize]) -> Option<Vec<f32>> {
    if theirs.shape == wanted {
        return Some(theirs.values.clone());
    }
    let reversed: Vec<usize> = theirs.shape.iter().rev().copied().collect();
    // The shape fits now. Remove the next line when the elements do too.
    todo!("TODO(turn_a_weight): the kind decides; elements may move");
    (reversed == wanted).then(|| theirs.values.clone())
}
