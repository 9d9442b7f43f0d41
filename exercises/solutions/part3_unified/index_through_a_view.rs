// index_through_a_view: from an element's position in a view to its memory
// slot.
//
// WHAT   A kernel numbers the elements 0, 1, 2, .. in row-major order. Write
//        the memory slot of element i as a sum of terms of the form (i /
//        divide % rest) * stride, with as few terms as possible.
// WHY    A kernel that is generated for a view contains this sum in its
//        source, so strides need not be passed to it. For a contiguous view
//        the sum is just i, and the view costs nothing.
// MIND   A broadcast axis has stride 0. Two axes that are contiguous with each
//        other can be merged into one term.
// READ   Kernels that write themselves
// CHECK  cargo learn check index_through_a_view

/// One term of an index: `(i / divide % rest) * stride`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    pub divide: usize,
    pub rest: usize,
    pub stride: isize,
}

/// Returns the terms of a view's index, without the offset.
pub fn terms(shape: &[usize], strides: &[isize]) -> Vec<Term> {
    // HOLE
    //| todo!("TODO(index_through_a_view): one term per axis that needs one")
    let mut terms: Vec<Term> = Vec::new();
    // The number of elements per step along the current axis.
    let mut divide = 1;
    for (&size, &stride) in shape.iter().zip(strides).rev() {
        match terms.last_mut() {
            _ if size == 1 || stride == 0 => {}
            Some(inner)
                if inner.divide * inner.rest == divide
                    && inner.stride * inner.rest as isize == stride =>
            {
                inner.rest *= size;
            }
            _ => terms.push(Term { divide, rest: size, stride }),
        }
        divide *= size;
    }
    terms
    // END HOLE
}
