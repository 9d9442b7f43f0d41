// The task as it was given, without its mark.

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
    (reversed == wanted).then(|| theirs.values.clone())
}
