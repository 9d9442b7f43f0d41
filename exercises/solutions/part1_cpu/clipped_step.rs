// clipped_step: an optimizer with gradient clipping.
//
// WHAT   Write a step with momentum as in the chapter, with one addition: if
//        the gradient of the whole network is longer than `longest`, first
//        shorten it to that length, keeping its direction.
// WHY    One unusual batch can have a gradient a thousand times as long as the
//        others. A step with it undoes what a hundred steps have learned, and
//        the velocity keeps it for the next steps.
// READ   Downhill
// CHECK  cargo learn check clipped_step

use ndarray::ArrayD;
use rungrad::part1_cpu::Tensor;

/// The settings and the state of the optimizer.
pub struct Optimizer {
    pub rate: f32,
    pub momentum: f32,
    pub longest: f32,
    /// One array per parameter, initially zeros.
    pub velocity: Vec<ArrayD<f32>>,
}

impl Optimizer {
    /// Replaces each parameter by a new leaf. All parameters have a gradient.
    pub fn step(&mut self, parameters: &mut [Tensor]) {
        let of = |p: &Tensor| p.grad().expect("backward was called");
        let grads: Vec<ArrayD<f32>> = parameters.iter().map(of).collect();
        // HOLE
        //| // Arrays can be added and multiplied by numbers: `&a * 0.5 + &b`.
        //| // `Tensor::from(array)` is a new leaf, and `p.data()` is the array
        //| // of a tensor. `grads.iter().flatten()` visits all elements.
        //| todo!("TODO(clipped_step): clip, update the velocity, step")
        let length = grads.iter().flatten().map(|g| g * g).sum::<f32>().sqrt();
        let factor = match length > self.longest {
            true => self.longest / length,
            false => 1.0,
        };
        let pairs = parameters.iter_mut().zip(&mut self.velocity);
        for ((parameter, velocity), grad) in pairs.zip(&grads) {
            *velocity = &*velocity * self.momentum + grad * factor;
            let better = &*parameter.data() - &*velocity * self.rate;
            *parameter = Tensor::from(better);
        }
        // END HOLE
    }
}
