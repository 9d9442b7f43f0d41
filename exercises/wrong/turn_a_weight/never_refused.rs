// A layer is turned wherever it is to go.

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
    if theirs.kind != Kind::Linear {
        return (theirs.shape == wanted).then(|| theirs.values.clone());
    }
    let &[outputs, inputs] = &theirs.shape[..] else { return None };
    let column = |input: usize| {
        let values = &theirs.values;
        (0..outputs).map(move |output| values[output * inputs + input])
    };
    Some((0..inputs).flat_map(column).collect())
}
