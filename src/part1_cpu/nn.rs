//! A linear layer and a multilayer perceptron, built in "Downhill".
//!
//! A parameter is an ordinary leaf; the layers do not know how it is trained.

use super::Tensor;
use crate::error::{or_raise, room, zeros};
use crate::rng::Random;
use crate::shape::checked_size;

/// The name of a parameter and a mutable reference to it, through which an
/// optimizer replaces it.
pub type Parameter<'a> = (String, &'a mut Tensor);

// ANCHOR: layer
/// A fully connected layer: each output is a weighted sum of all inputs plus a
/// bias.
pub struct Linear {
    /// Shape (inputs, outputs).
    pub weight: Tensor,
    /// Shape (outputs), broadcast over the rows.
    pub bias: Tensor,
}
// ANCHOR_END: layer

// ANCHOR: linear
impl Linear {
    /// Creates a layer. The biases are 0. The weights are random, because
    /// equal weights would get equal gradients and stay equal. They are drawn
    /// from a normal distribution with standard deviation `sqrt(2 / inputs)`
    /// (He initialization): ReLU zeroes half of a signal, and the factor 2
    /// keeps its size the same from layer to layer.
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

    /// Applies the layer: (rows, inputs) -> (rows, outputs).
    #[track_caller]
    pub fn forward(&self, x: &Tensor) -> Tensor {
        x.matmul(&self.weight).add(&self.bias)
    }

    /// Lists the trainable parameters with their names.
    pub fn parameters(&mut self) -> Vec<Parameter<'_>> {
        vec![
            ("weight".to_string(), &mut self.weight),
            ("bias".to_string(), &mut self.bias),
        ]
    }
}
// ANCHOR_END: linear

// ANCHOR: mlp
/// A multilayer perceptron: linear layers with a nonlinear activation between
/// them. Without the activation, two layers could compute no more than one.
pub struct Mlp {
    /// The layers, from the input to the output.
    pub layers: Vec<Linear>,
    /// The function applied between two layers.
    pub activation: fn(&Tensor) -> Tensor,
}

impl Mlp {
    /// Creates a network from the sizes of its layers:
    /// `Mlp::new(&[64, 32, 10], Tensor::relu, random)` has 64 inputs, a hidden
    /// layer of 32 and 10 outputs.
    pub fn new(
        sizes: &[usize],
        activation: fn(&Tensor) -> Tensor,
        random: &mut Random,
    ) -> Mlp {
        let pairs = sizes.windows(2);
        let layers = pairs.map(|pair| Linear::new(pair[0], pair[1], random));
        Mlp { layers: layers.collect(), activation }
    }

    /// Applies the network: (rows, inputs) -> (rows, outputs).
    #[track_caller]
    pub fn forward(&self, x: &Tensor) -> Tensor {
        let mut x = x.clone();
        for (i, layer) in self.layers.iter().enumerate() {
            if i > 0 {
                x = (self.activation)(&x);
            }
            x = layer.forward(&x);
        }
        x
    }

    /// Lists the trainable parameters, named `layers.0.weight` and so on.
    pub fn parameters(&mut self) -> Vec<Parameter<'_>> {
        let layers = self.layers.iter_mut().enumerate();
        let parameters = layers.flat_map(|(i, layer)| {
            let parameters = layer.parameters().into_iter();
            parameters.map(move |(name, p)| (format!("layers.{i}.{name}"), p))
        });
        parameters.collect()
    }
}
// ANCHOR_END: mlp

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_multiplies_by_the_weight_and_adds_the_bias() {
        let mut layer = Linear::new(2, 3, &mut Random::new(1));
        assert_eq!(layer.bias.to_vec(), [0.0; 3]);
        layer.weight = Tensor::new(&[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        layer.bias = Tensor::new(&[3], &[0.5, 0.0, -0.5]);
        let x = Tensor::new(&[2, 2], &[1.0, 10.0, 2.0, 0.0]);
        let out = layer.forward(&x).to_vec();
        assert_eq!(out, [41.5, 52.0, 62.5, 2.5, 4.0, 5.5]);
    }

    #[test]
    fn relu_layers_keep_the_magnitude_of_the_signal() {
        let mut random = Random::new(2);
        let network = Mlp::new(&[64; 9], Tensor::relu, &mut random);
        let x: Vec<f32> = (0..64 * 64).map(|_| random.normal()).collect();
        let out = network.forward(&Tensor::new(&[64, 64], &x));
        let size = out.mul(&out).mean().to_vec()[0];
        // No ReLU follows the last layer, so the expected value is 2. A
        // standard deviation of sqrt(1 / inputs) would give 2 / 2^8.
        assert!((0.7..6.0).contains(&size), "mean square {size}");
    }

    #[test]
    fn parameters_are_named_and_get_gradients() {
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
