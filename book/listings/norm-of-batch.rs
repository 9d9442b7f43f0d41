/// Returns the mean and variance of each channel of the batch, and updates
/// the running means.
#[track_caller]
fn batch_statistics(&self, x: &Tensor, axes: &[usize]) -> [Tensor; 2] {
    let count: usize = axes.iter().map(|&axis| x.shape()[axis]).product();
    if count < 2 {
        mistake(format!(
            "BatchNorm: a batch of shape {:?} has {count} numbers for each \
             channel, and trains with two or more; call .eval() if nothing \
             is to be trained",
            x.shape()
        ));
    }
    let mean = x.mean_over(axes, Keep::Yes);
    let gap = x.sub(&mean);
    let var = gap.mul(&gap).mean_over(axes, Keep::Yes);
    no_grad(|| {
        let unbiased = var.scale(count as f32 / (count - 1) as f32);
        let new_mean = self.running_average(&self.running_mean, &mean);
        let new_var = self.running_average(&self.running_var, &unbiased);
        // Update both or neither: a failed computation must not corrupt
        // the running means.
        let both = [&new_mean, &new_var].map(Tensor::array);
        or_raise(Array::check_all(both));
        self.running_mean.set(new_mean);
        self.running_var.set(new_var);
    });
    [mean, var]
}

#[track_caller]
fn running_average(&self, running: &Buffer, new: &Tensor) -> Tensor {
    let before = running.get();
    let new = new.reshape(before.shape()).scale(self.momentum);
    before.scale(1.0 - self.momentum).add(&new)
}
