// adam_by_hand: a step for each number.
//
// WHAT   A step of AdamW for one parameter: move both running means on, make
//        up for their beginning at 0, take the decay away, and return the
//        parameter that comes out, a new leaf.
// WHY    Most large models of these years were trained by this step. Each of
//        its parts can be forgotten, and then it trains too, only worse.
// MIND   Write tensors, not loops: then the step runs on every device. The
//        decay belongs to the parameter and not to its gradient.
// READ   What makes training work
// CHECK  cargo learn check adam_by_hand

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
        // Signs work between tensors and numbers: `&a * 0.5 + &b`. What
        // `no_grad(|| ..)` computes is not recorded, and becomes a leaf
        // by `.requires_grad()`.
        todo!("TODO(adam_by_hand): remember, correct, step")
    }
}
