/// Multiplies. If the base device splits `k`, the sum of the parts is
/// deferred.
pub(super) fn product(
    &self,
    a: &Array,
    b: &Array,
    batch: usize,
    inner: usize,
) -> Result<Shared> {
    let Some(gpu) = self.gpu_for_sums(a)? else {
        return self
            .now([a, b], |base, [a, b]| base.contract(a, b, batch, inner));
    };
    let (out, parts) = self.on_base([a, b], |_, [a, b]| {
        gpu.product_in_parts(a, b, batch, inner)
    })?;
    let out = Lazy::ready(out);
    if parts == 1 {
        return Ok(out);
    }
    let n = out.len() / parts;
    self.column_sums(&Array::dense(a.device(), out, &[parts, n]), n)
}
