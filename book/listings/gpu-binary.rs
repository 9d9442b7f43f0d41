fn binary(&self, op: Binary, a: &Array, b: &Array) -> Result<Shared> {
    let [dense, strided] = kernels::binary(op);
    let n = a.len();
    if a.is_dense() && b.is_dense() {
        return self.fill(a.dtype(), n, |out| {
            self.launch_per_16_bytes(&dense, a.dtype(), n)
                .reads(a)
                .scalar(a.offset() as u32)
                .reads(b)
                .scalar(b.offset() as u32)
                .writes(out)
                .scalar(n as u32)
                .run()
        });
    }
