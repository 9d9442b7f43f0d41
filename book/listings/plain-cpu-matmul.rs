fn matmul(&self, a: &Array, b: &Array) -> Result<Shared> {
    let (x, y) = (elements(a)?, elements(b)?);
    let [batches, m, k] = [0, 1, 2].map(|axis| a.shape()[axis]);
    let n = b.shape()[2];
    let mut out = room(batches * m * n)?;
    for batch in 0..batches {
        let (x, y) = (&x[batch * m * k..], &y[batch * k * n..]);
        for row in 0..m {
            for column in 0..n {
                let mut sum = 0.0;
                for i in 0..k {
                    sum += x[row * k + i] * y[i * n + column];
                }
                out.push(sum);
            }
        }
    }
    stored(out)
}
