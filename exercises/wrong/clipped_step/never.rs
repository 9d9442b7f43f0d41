// clipped_step: an optimizer for bad days.
//
// WHAT   A step with momentum, as in the chapter, but for one thing: if the
//        gradient of the whole network is longer than `longest`, it is
//        shortened to that length first, and keeps its direction.
// WHY    One odd batch can have a gradient a thousand times as long as the
//        others. A step along it throws away what a hundred steps have
//        learned, and the velocity carries on with it.
// READ   Train the digits
// CHECK  cargo learn check clipped_step

use ndarray::ArrayD;
use rungrad::part1_cpu::Tensor;

/// What a step needs, and what it remembers.
pub struct Optimizer {
    pub rate: f32,
    pub momentum: f32,
    pub longest: f32,
    /// One for each parameter, zeros at first.
    pub velocity: Vec<ArrayD<f32>>,
}

impl Optimizer {
    /// Puts a new leaf in the place of each parameter. All have a gradient.
    pub fn step(&mut self, parameters: &mut [Tensor]) {
        let of = |p: &Tensor| p.grad().expect("backward was called");
        let grads: Vec<ArrayD<f32>> = parameters.iter().map(of).collect();
        let pairs = parameters.iter_mut().zip(&mut self.velocity);
        for ((parameter, velocity), grad) in pairs.zip(&grads) {
            *velocity = &*velocity * self.momentum + grad;
            let better = &*parameter.data() - &*velocity * self.rate;
            *parameter = Tensor::from(better);
        }
    }
}
