// Neighbors are taken for one axis.

/// A part of an index: `(i / divide % rest) * stride`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    pub divide: usize,
    pub rest: usize,
    pub stride: isize,
}

/// Finds the terms of a view's index; the offset comes on top of them.
pub fn terms(shape: &[usize], strides: &[isize]) -> Vec<Term> {
    let mut terms: Vec<Term> = Vec::new();
    // So many elements a step along the axis is.
    let mut divide = 1;
    for (&size, &stride) in shape.iter().zip(strides).rev() {
        match terms.last_mut() {
            _ if size == 1 || stride == 0 => {}
            Some(inner) if inner.divide * inner.rest == divide => {
                inner.rest *= size;
            }
            _ => terms.push(Term { divide, rest: size, stride }),
        }
        divide *= size;
    }
    terms
}
