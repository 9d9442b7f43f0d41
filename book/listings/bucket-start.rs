/// Starts the reduction of the next bucket.
fn start_next(&mut self) -> Result<()> {
    let range = self.ranges[self.started.len()].clone();
    let len = self.leaves[range.clone()].iter().map(Tensor::len).sum();
    let mut blocks: Vec<Vec<f32>> = Vec::new();
    for sum in &mut self.sums[range] {
        for (k, grad) in mem::take(sum).blocks().enumerate() {
            if k == blocks.len() {
                blocks.push(Vec::with_capacity(len));
            }
            blocks[k].extend(grad.to_vec()?);
        }
    }
    self.started.push(self.reduce(len, blocks));
    Ok(())
}
