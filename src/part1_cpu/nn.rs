//! A layer, and a network made of layers. "Train the digits" builds them.
//!
//! A parameter is an ordinary leaf: nothing in here knows how it is trained.

use super::Tensor;
use crate::error::{or_raise, room, zeros};
use crate::rng::Random;
use crate::shape::checked_size;

/// The name of a parameter, and the place in the network where it stands, so
/// that an optimizer can put a better one there.
pub type Parameter<'a> = (String, &'a mut Tensor);

/// Each output is a weighted sum of all inputs, and a bias.
pub struct Linear {
    /// Shape (inputs, outputs).
    pub weight: Tensor,
    /// Shape (outputs), which stretches over the rows.
    pub bias: Tensor,
}

// ANCHOR: linear
impl Linear {
    /// Makes a layer. The weights are drawn around 0 with a standard deviation
    /// of `sqrt(2 / inputs)`: relu cuts half of a signal away, and so what is
    /// left keeps its size from layer to layer. All equal, they would get
    /// equal gradients and stay equal. The biases are 0.
    #[track_caller]
    pub fn new(inputs: usize, outputs: usize, random: &mut Random) -> Linear {
        let deviation = (2.0 / inputs as f32).sqrt();
        let count = or_raise(checked_size(&[inputs, outputs]));
        let mut weight = or_raise(room(count));
        weight.extend((0..count).map(|_| deviation * random.normal()));
        Linear {
            weight: Tensor::new(&[inputs, outputs], &weight),
            bias: Tensor::new(&[outputs], &or_raise(zeros(outputs))),
        }
    }

    /// Computes (rows, inputs) -> (rows, outputs).
    #[track_caller]
    pub fn forward(&self, x: &Tensor) -> Tensor {
        x.matmul(&self.weight).add(&self.bias)
    }

    /// Lists what can be learned.
    pub fn parameters(&mut self) -> Vec<Parameter<'_>> {
        vec![
            ("weight".to_string(), &mut self.weight),
            ("bias".to_string(), &mut self.bias),
        ]
    }
}
// ANCHOR_END: linear

/// Layers one after the other, and between them an operation that is not
/// linear: without it, two layers could do no more than one.
pub struct Mlp {
    /// From the input to the output.
    pub layers: Vec<Linear>,
    /// What stands between two layers.
    pub activation: fn(&Tensor) -> Tensor,
}

impl Mlp {
    /// Makes a network: `Mlp::new(&[64, 32, 10], Tensor::relu, random)` has 64
    /// inputs, a hidden layer of 32 and 10 outputs.
    pub fn new(
        sizes: &[usize],
        activation: fn(&Tensor) -> Tensor,
        random: &mut Random,
    ) -> Mlp {
        let pairs = sizes.windows(2);
        let layers = pairs.map(|pair| Linear::new(pair[0], pair[1], random));
        Mlp { layers: layers.collect(), activation }
    }

    /// Computes (rows, inputs) -> (rows, outputs).
    #[track_caller]
    pub fn forward(&self, x: &Tensor) -> Tensor {
        let mut x = x.clone();
        for (at, layer) in self.layers.iter().enumerate() {
            if at > 0 {
                x = (self.activation)(&x);
            }
            x = layer.forward(&x);
        }
        x
    }

    /// Lists what can be learned: `layers.0.weight` and so on.
    pub fn parameters(&mut self) -> Vec<Parameter<'_>> {
        let layers = self.layers.iter_mut().enumerate();
        let of_layer = layers.flat_map(|(at, layer)| {
            let parameters = layer.parameters().into_iter();
            parameters.map(move |(name, p)| (format!("layers.{at}.{name}"), p))
        });
        of_layer.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layer_weighs_its_inputs_and_adds_a_bias() {
        let mut layer = Linear::new(2, 3, &mut Random::new(1));
        assert_eq!(layer.bias.to_vec(), [0.0; 3]);
        layer.weight = Tensor::new(&[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        layer.bias = Tensor::new(&[3], &[0.5, 0.0, -0.5]);
        let x = Tensor::new(&[2, 2], &[1.0, 10.0, 2.0, 0.0]);
        let out = layer.forward(&x).to_vec();
        assert_eq!(out, [41.5, 52.0, 62.5, 2.5, 4.0, 5.5]);
    }

    #[test]
    fn a_signal_keeps_its_size_through_relu_layers() {
        let mut random = Random::new(2);
        let network = Mlp::new(&[64; 9], Tensor::relu, &mut random);
        let x: Vec<f32> = (0..64 * 64).map(|_| random.normal()).collect();
        let out = network.forward(&Tensor::new(&[64, 64], &x));
        let size = out.mul(&out).mean().to_vec()[0];
        // The last layer has no relu behind it, so 2 is what is expected. A
        // deviation of sqrt(1 / inputs) would leave 2 / 2^8 of it.
        assert!((0.7..6.0).contains(&size), "mean square {size}");
    }

    #[test]
    fn every_parameter_has_a_name_and_gets_a_gradient() {
        let mut random = Random::new(3);
        let mut network = Mlp::new(&[2, 3, 2], Tensor::tanh, &mut random);
        let x = Tensor::new(&[1, 2], &[0.5, -0.5]);
        network.forward(&x).cross_entropy(&[1]).backward();
        let parameters = network.parameters();
        let shapes: Vec<(&str, &[usize])> =
            parameters.iter().map(|(n, p)| (n.as_str(), p.shape())).collect();
        let expected: [(&str, &[usize]); 4] = [
            ("layers.0.weight", &[2, 3]),
            ("layers.0.bias", &[3]),
            ("layers.1.weight", &[3, 2]),
            ("layers.1.bias", &[2]),
        ];
        assert_eq!(shapes, expected);
        for (name, parameter) in &parameters {
            let grad = parameter.grad().expect(name);
            assert!(grad.iter().any(|g| *g != 0.0), "{name}");
        }
    }
}
