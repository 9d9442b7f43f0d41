/// Starts the reduction of the next bucket.
fn start_next(&mut self) -> Result<()> {
    let range = self.ranges[self.started.len()].clone();
    let len = self.leaves[range.clone()].iter().map(Tensor::len).sum();
    let mut blocks: Vec<Vec<PendingRead>> = Vec::new();
    for sum in &mut self.sums[range] {
        for (k, grad) in mem::take(sum).blocks().enumerate() {
            if k == blocks.len() {
                blocks.push(Vec::new());
            }
            // The device has not computed the gradient yet.
            blocks[k].push(grad.array().start_read()?);
        }
    }
    let read = move |reads: Vec<PendingRead>| {
        let mut values = buffers::take(len);
        for read in reads {
            read.append_to(&mut values)?;
        }
        Ok(values)
    };
    let blocks = move || blocks.into_iter().map(read).collect();
    self.started.push(self.reduce(len, blocks));
    Ok(())
}
