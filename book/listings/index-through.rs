/// Applies a view: turns an index into the view's elements, in row-major
/// order, into an index into the memory that it views.
pub(super) fn through(
    &mut self,
    index: &Index,
    (shape, strides, offset): (&[usize], &[isize], usize),
) -> Index {
    let mut behind = Index::constant(offset as i64);
    let mut outer = index.clone();
    for (axis, (&size, &stride)) in
        shape.iter().zip(strides).enumerate().rev()
    {
        // The first axis needs no remainder, because the index is
        // within the view.
        let at = match axis {
            0 => outer.clone(),
            _ => self.rest(&outer, size),
        };
        outer = self.quotient(&outer, size);
        behind.add(&at, stride as i64);
    }
    self.joined(behind)
}
