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
        // HOLE
        //| // Arrays can be added and multiplied by numbers: `&a * 0.5 + &b`.
        //| // `Tensor::from(array)` is a new leaf, and `p.data()` the array of
        //| // an old one. `grads.iter().flatten()` goes through all numbers.
        //| todo!("TODO(clipped_step): shorten, remember, step")
        let length = grads.iter().flatten().map(|g| g * g).sum::<f32>().sqrt();
        let share = match length > self.longest {
            true => self.longest / length,
            false => 1.0,
        };
        let pairs = parameters.iter_mut().zip(&mut self.velocity);
        for ((parameter, velocity), grad) in pairs.zip(&grads) {
            *velocity = &*velocity * self.momentum + grad * share;
            let better = &*parameter.data() - &*velocity * self.rate;
            *parameter = Tensor::from(better);
        }
        // END HOLE
    }
}
