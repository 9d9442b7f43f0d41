// adam_by_hand: one step size per element.
//
// WHAT   Write a step of AdamW for one parameter: update both running means,
//        correct their bias, apply the weight decay, and return the new
//        parameter, a new leaf.
// WHY    Most large models are trained with this step. If one of its parts is
//        missing, training still works, but not as well.
// MIND   Use tensor operations instead of loops, so that the step runs on
//        every device. The decay applies to the parameter, not to its
//        gradient.
// READ   What makes training work
// CHECK  cargo learn check adam_by_hand

use rungrad::part3_unified::{Tensor, no_grad};

/// The settings, and the state of one parameter.
pub struct Adam {
    pub rate: f64,
    /// Decay rates of the mean and of the mean square.
    pub betas: [f64; 2],
    /// Added to the root after the bias correction.
    pub epsilon: f64,
    /// Fraction that the parameter loses per step, times the learning rate.
    pub decay: f64,
    /// The running mean of the gradients, initially 0.
    pub mean: Tensor,
    /// The running mean of their squares, initially 0.
    pub square: Tensor,
    /// Number of steps taken so far.
    pub steps: i32,
}

impl Adam {
    /// Returns the parameter after a step. The given one has a gradient.
    pub fn step(&mut self, parameter: &Tensor) -> Tensor {
        let grad = parameter.grad().expect("backward was called");
        // HOLE
        //| // Operators work on tensors and numbers: `&a * 0.5 + &b`. The
        //| // results of `no_grad(|| ..)` are not recorded; `.requires_grad()`
        //| // makes them leaves.
        //| todo!("TODO(adam_by_hand): update the means, correct them, step")
        self.steps += 1;
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
        better.requires_grad()
        // END HOLE
    }
}
