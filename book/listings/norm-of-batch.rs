/// Computes the mean and the variance of each channel, and keeps its share
/// of them.
#[track_caller]
fn of_batch(&self, x: &Tensor, axes: &[usize]) -> [Tensor; 2] {
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
        let whole = var.scale(count as f32 / (count - 1) as f32);
        self.keep(&self.running_mean, &mean);
        self.keep(&self.running_var, &whole);
    });
    [mean, var]
}

#[track_caller]
fn keep(&self, running: &Buffer, new: &Tensor) {
    let before = running.get();
    let new = new.reshape(before.shape()).scale(self.momentum);
    running.set(before.scale(1.0 - self.momentum).add(&new));
}
