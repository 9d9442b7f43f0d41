fn matmul(&self, a: &Array, b: &Array) -> Result<Shared> {
    let [batches, m, k] = [0, 1, 2].map(|axis| a.shape()[axis]);
    let n = b.shape()[2];
    let (a, b) = (self.dense(a)?, self.dense(b)?);
    self.filled(batches * m * n, |out| {
        self.gpu
            .launch(&kernels::MATMUL)
            .input(buffer(&*a))
            .input(buffer(&*b))
            .output(out)
            .scalar(batches as u32)
            .scalar(m as u32)
            .scalar(k as u32)
            .scalar(n as u32)
            .global([n, m, batches])
            .local([TILE[0], TILE[1], 1])
            .run()
    })
}
