// turn_a_weight: weights of PyTorch in the places of ours.
//
// WHAT   `placed` gets a weight as PyTorch has saved it, and the shape that it
//        has in our model. It looks at the shapes and guesses. Mend it, so
//        that every weight that fits gets its numbers in our order, and what
//        does not fit is refused.
// WHY    A square layer fits either way. A model with its square layers the
//        wrong way around loads without a word, computes, and says nonsense.
// MIND   A linear layer's weight is (outputs, inputs) there and (inputs,
//        outputs) here. The table of an embedding, (signs, width), the filters
//        of a convolution and every bias lie here as they do there.
// READ   Weights that travel
// CHECK  cargo learn check turn_a_weight

/// What a weight belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Linear,
    Embedding,
    Filters,
    Bias,
}

/// A weight of PyTorch, its numbers in row-major order.
#[derive(Clone, Debug)]
pub struct Weight {
    pub kind: Kind,
    pub shape: Vec<usize>,
    pub values: Vec<f32>,
}

/// Returns the numbers in the order that our model wants, where the weight
/// has the shape `wanted`, or nothing if it does not fit.
pub fn placed(theirs: &Weight, wanted: &[usize]) -> Option<Vec<f32>> {
    if theirs.shape == wanted {
        return Some(theirs.values.clone());
    }
    let reversed: Vec<usize> = theirs.shape.iter().rev().copied().collect();
    // It fits now. When the numbers do as well, take this line away.
    todo!("TODO(turn_a_weight): the kind decides, and numbers move");
    (reversed == wanted).then(|| theirs.values.clone())
}
