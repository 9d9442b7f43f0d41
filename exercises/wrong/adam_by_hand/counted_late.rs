// The step is counted after it was taken.

use rungrad::part3_unified::{Tensor, no_grad};

/// What a step needs, and what it remembers of one parameter.
pub struct Adam {
    pub rate: f64,
    /// How much is kept of the mean, and of the mean square.
    pub betas: [f64; 2],
    /// What is added to the corrected root.
    pub epsilon: f64,
    /// The share that the parameter loses, times the rate.
    pub decay: f64,
    /// The running mean of the gradients, 0 at first.
    pub mean: Tensor,
    /// The running mean of their squares, 0 at first.
    pub square: Tensor,
    /// The steps that were taken.
    pub steps: i32,
}

impl Adam {
    /// Returns the parameter after a step. It has a gradient before.
    pub fn step(&mut self, parameter: &Tensor) -> Tensor {
        let grad = parameter.grad().expect("backward was called");
        let [keep, keep_square] = self.betas;
        let whole = self.betas.map(|beta| 1.0 - beta.powi(self.steps));
        let better = no_grad(|| {
            self.mean = &self.mean * keep + &grad * (1.0 - keep);
            let squared = &grad * &grad;
            self.square =
                &self.square * keep_square + squared * (1.0 - keep_square);
            let mean = &self.mean / whole[0];
            let root = (&self.square / whole[1]).sqrt();
            let stays = parameter * (1.0 - self.rate * self.decay);
            stays - mean / (root + self.epsilon) * self.rate
        });
        self.steps += 1;
        better.requires_grad()
    }
}
