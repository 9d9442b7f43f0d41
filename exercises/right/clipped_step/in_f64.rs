// Computes the length of the gradient in f64.

use ndarray::ArrayD;
use rungrad::part1_cpu::Tensor;
pub struct Optimizer {
    pub rate: f32,
    pub momentum: f32,
    pub longest: f32,
    pub velocity: Vec<ArrayD<f32>>,
}
impl Optimizer {
    pub fn step(&mut self, parameters: &mut [Tensor]) {
        let grads: Vec<ArrayD<f32>> =
            parameters.iter().map(|p| p.grad().unwrap()).collect();
        let length = grads
            .iter()
            .flatten()
            .map(|&g| f64::from(g) * f64::from(g))
            .sum::<f64>()
            .sqrt();
        let factor = if length > f64::from(self.longest) {
            (f64::from(self.longest) / length) as f32
        } else {
            1.0
        };
        for ((p, g), v) in
            parameters.iter_mut().zip(&grads).zip(&mut self.velocity)
        {
            v.zip_mut_with(g, |v, g| *v = self.momentum * *v + factor * g);
            let new = {
                let d = p.data();
                let mut n: ArrayD<f32> = (*d).clone();
                n.zip_mut_with(v, |p, v| *p -= self.rate * v);
                n
            };
            *p = Tensor::from(new);
        }
    }
}
