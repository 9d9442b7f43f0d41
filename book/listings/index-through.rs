/// Follows a view: an index into what it shows, in row-major order, becomes
/// one into what lies behind.
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
        // Nothing is outside of the first axis.
        let at = match axis {
            0 => outer.clone(),
            _ => self.rest(&outer, size),
        };
        outer = self.quotient(&outer, size);
        behind.add(&at, stride as i64);
    }
    self.joined(behind)
}
