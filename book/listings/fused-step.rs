/// Takes a step of gradient descent and returns the loss before it.
pub(crate) fn step(&mut self, rate: f32) -> Tensor {
    let [w1, b1, w2, b2] = &self.parameters[..] else { unreachable!() };
    let hidden = self.x.matmul(w1).add(b1).relu();
    let loss = hidden.matmul(w2).add(b2).cross_entropy(&self.labels);
    loss.backward();
    for parameter in &mut self.parameters {
        let grad = parameter.grad().expect("backward was there");
        let better = no_grad(|| parameter.add(&grad.scale(-rate)));
        *parameter = better.requires_grad();
    }
    loss.detach()
}
