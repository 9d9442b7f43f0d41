/// Multiplies. What comes in parts is put off until somebody wants their
/// sum.
pub(super) fn product(
    &self,
    a: &Array,
    b: &Array,
    batch: usize,
    inner: usize,
) -> Result<Shared> {
    let Some(gpu) = self.sums_of(a)? else {
        return self
            .now([a, b], |base, [a, b]| base.contract(a, b, batch, inner));
    };
    let (out, parts) = self.handed_on([a, b], |_, [a, b]| {
        gpu.product_in_parts(a, b, batch, inner)
    })?;
    let out = Lazy::ready(out);
    if parts == 1 {
        return Ok(out);
    }
    let n = out.len() / parts;
    self.sums(&Array::dense(a.device(), out, &[parts, n]), n)
}
