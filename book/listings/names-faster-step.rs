/// Takes a training step and returns the loss before it.
fn step(&mut self) -> Result<Tensor> {
    let TokenBatch { inputs, targets, weights, .. } = &self.batch;
    let scores = match self.dtype {
        DType::F32 => self.gpt.scores(inputs, CONTEXT),
        dtype => {
            let mut copy = self.gpt.clone();
            let pairs = self
                .gpt
                .parameters()
                .into_iter()
                .zip(copy.parameters_mut());
            for ((_, weight), (_, copied)) in pairs {
                *copied = weight.to_dtype(dtype)?;
            }
            copy.scores(inputs, CONTEXT).to_dtype(DType::F32)?
        }
    };
    let loss = scores.weighted_cross_entropy(targets, weights);
    // Adam divides by the size of the gradients, so nothing else has to
    // undo the scale of the loss.
    let scale = if self.dtype == DType::F16 { 1024.0 } else { 1.0 };
    (&loss * scale).backward();
    self.adam.step(self.gpt.parameters_mut());
    loss.realize()?;
    Ok(loss.detach())
}
