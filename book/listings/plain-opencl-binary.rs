fn binary(&self, op: Binary, a: &Array, b: &Array) -> Result<Shared> {
    let (a, b, n) = (self.dense(a)?, self.dense(b)?, a.len());
    self.filled(n, |out| {
        self.each(&kernels::binary(op), n)
            .input(buffer(&*a))
            .input(buffer(&*b))
            .output(out)
            .scalar(n as u32)
            .run()
    })
}
