//! The specification of networks: initial parameters, forward pass, optimizer
//! step, and that training works.

use std::cell::RefCell;

use rungrad::data::{Dataset, SPLIT_SEED, digits};
use rungrad::metrics::{accuracy, predictions};
use rungrad::part1_cpu::{Tensor, nn::Mlp, optim::Sgd};
use rungrad::reference::{self, Array};
use rungrad::rng::Random;

use super::calls::Call;
use super::engine::{Engine, Part1};

#[cfg(feature = "opencl")]
mod on_devices;

/// An engine with multilayer perceptrons: matmul and bias in each layer, and a
/// ReLU between layers.
pub trait Trainable: Engine {
    type Network;

    fn network(&self, sizes: &[usize], random: &mut Random) -> Self::Network;
    fn forward(
        &self,
        network: &Self::Network,
        x: &Self::Tensor,
    ) -> Self::Tensor;
    /// The weight and the bias of each layer, in this order.
    fn parameters(&self, network: &Self::Network) -> Vec<Self::Tensor>;
    fn step(&self, network: &Self::Network, rate: f32, momentum: f32);
}

/// Defines one test for each function that it lists.
#[macro_export]
macro_rules! networks {
    ($open:path) => {
        $crate::networks!(@ $open:
            a_new_network_has_unequal_weights_and_zero_biases,
            a_network_is_linear_layers_with_relu_between,
            a_step_goes_against_the_gradient,
            momentum_accumulates_earlier_gradients,
            a_step_does_not_change_earlier_graphs,
            three_epochs_read_nine_of_ten_digits,
        );
    };
    (@ $open:path: $($sentence:ident,)*) => {
        $(
            #[test]
            fn $sentence() {
                let _clean = $crate::clean();
                if let Some(engine) = $open() {
                    $crate::network::$sentence(&engine);
                }
            }
        )*
    };
}

pub fn a_new_network_has_unequal_weights_and_zero_biases<L: Trainable>(e: &L) {
    let network = e.network(&[64, 32, 10], &mut Random::new(7));
    let parameters = e.parameters(&network);
    let shapes: Vec<_> = parameters.iter().map(|p| e.shape(p)).collect();
    assert_eq!(shapes, [vec![64, 32], vec![32], vec![32, 10], vec![10]]);
    assert_eq!(e.values(&parameters[1]), [0.0; 32]);
    for (at, inputs) in [(0, 64.0), (2, 32.0)] {
        let weights = e.values(&parameters[at]);
        let squares = weights.iter().map(|w| w * w).sum::<f32>();
        let mean = inputs * squares / weights.len() as f32;
        // A signal keeps its size with 2 after a ReLU, and with 1 otherwise.
        assert!(
            (0.7..3.0).contains(&mean),
            "parameter {at}: the mean square of its weights times its {inputs} \
             inputs is {mean}, not 1 to 2, so values grow or shrink from layer \
             to layer"
        );
        assert_ne!(weights[0], weights[1], "equal weights stay equal");
    }
}

pub fn a_network_is_linear_layers_with_relu_between<L: Trainable>(e: &L) {
    let network = e.network(&[3, 5, 2], &mut Random::new(1));
    let rows = [1.0, -2.0, 0.5, 3.0, 0.25, -1.0];
    let out = e.forward(&network, &e.leaf(&[2, 3], &rows));
    let parameters: Vec<Array> = e
        .parameters(&network)
        .iter()
        .map(|p| Array::new(&e.shape(p), &e.values(p)))
        .collect();
    let layer = |x: &Array, at: usize| {
        let product = reference::matmul(x, &parameters[at]);
        reference::add(&product, &parameters[at + 1])
    };
    let mut x = layer(&Array::new(&[2, 3], &rows), 0);
    x.values.iter_mut().for_each(|x| *x = x.max(0.0));
    let right = layer(&x, 2);
    assert_eq!(e.shape(&out), [2, 2]);
    for (yours, right) in e.values(&out).iter().zip(&right.values) {
        assert!(
            (f64::from(*yours) - right).abs() < 1e-4,
            "an output is {yours}, not {right}"
        );
    }
}

/// Creates a one-layer network and runs one backward pass with a different
/// upstream gradient for each output. Also returns its initial parameters.
fn one_layer<L: Trainable>(e: &L) -> (L::Network, Vec<Vec<f32>>) {
    let network = e.network(&[2, 3], &mut Random::new(2));
    let before = e.parameters(&network).iter().map(|p| e.values(p)).collect();
    forward_backward(e, &network);
    (network, before)
}

/// Runs a forward and a backward pass that produce [`GRADIENTS`].
fn forward_backward<L: Trainable>(e: &L, network: &L::Network) {
    let out = e.forward(network, &e.leaf(&[1, 2], &[2.0, 3.0]));
    e.backward_with(&out, &[1, 3], &[1.0, 10.0, 100.0]);
}

const GRADIENTS: [&[f32]; 2] =
    [&[2.0, 20.0, 200.0, 3.0, 30.0, 300.0], &[1.0, 10.0, 100.0]];

/// Asserts that the parameters equal `before` minus `share` times the
/// gradients.
#[track_caller]
fn assert_moved<L: Trainable>(
    e: &L,
    network: &L::Network,
    before: &[Vec<f32>],
    share: f32,
) {
    for (at, parameter) in e.parameters(network).iter().enumerate() {
        let pairs = before[at].iter().zip(GRADIENTS[at]);
        let right: Vec<f32> = pairs.map(|(b, g)| b - share * g).collect();
        for (yours, right) in e.values(parameter).iter().zip(&right) {
            let near = (yours - right).abs() < 1e-4 * right.abs().max(1.0);
            assert!(near, "parameter {at} has {yours}, not {right}");
        }
    }
}

pub fn a_step_goes_against_the_gradient<L: Trainable>(e: &L) {
    let (network, before) = one_layer(e);
    e.step(&network, 0.25, 0.0);
    assert_moved(e, &network, &before, 0.25);
    // The second step must not see the gradients of the first.
    forward_backward(e, &network);
    e.step(&network, 0.25, 0.0);
    assert_moved(e, &network, &before, 0.5);
}

pub fn momentum_accumulates_earlier_gradients<L: Trainable>(e: &L) {
    let (network, before) = one_layer(e);
    e.step(&network, 0.25, 0.5);
    assert_moved(e, &network, &before, 0.25);
    // The velocity is 1, 1.5 and 1.75 times the gradient.
    for share in [0.625, 1.0625] {
        forward_backward(e, &network);
        e.step(&network, 0.25, 0.5);
        assert_moved(e, &network, &before, share);
    }
}

/// Backward rules use the weights from the forward pass, even after a step.
pub fn a_step_does_not_change_earlier_graphs<L: Trainable>(e: &L) {
    let network = e.network(&[2, 1], &mut Random::new(3));
    let x = e.leaf(&[1, 2], &[2.0, 3.0]);
    let out = e.forward(&network, &x);
    e.backward(&out);
    let once = e.grad(&x).unwrap();
    e.step(&network, 0.5, 0.0);
    e.zero_grad(&x);
    e.backward(&out);
    assert_eq!(e.grad(&x).unwrap(), once);
}

/// The result of training for a few epochs.
pub struct Trained {
    /// The mean loss of the training set in the last epoch.
    pub loss: f32,
    /// The fraction of the held-out rows that is classified correctly.
    pub accuracy: f32,
}

/// Trains a network on the digits and calls `tell` after each epoch.
pub fn train<L: Trainable>(
    e: &L,
    sizes: &[usize],
    epochs: usize,
    mut tell: impl FnMut(usize, &Trained),
) -> Trained {
    let (rows, held_out) = digits().split(SPLIT_SEED);
    let mut random = Random::new(0);
    let network = e.network(sizes, &mut random);
    let leaf = |rows: &Dataset| e.leaf(&rows.shape(), &rows.inputs);
    let mut trained = Trained { loss: f32::NAN, accuracy: 0.0 };
    for epoch in 1..=epochs {
        let mut total = 0.0;
        for batch in rows.batches(32, &mut random) {
            let scores = e.forward(&network, &leaf(&batch));
            let labels = Call::CrossEntropy(batch.labels.clone());
            let loss = e.call(&labels, &[&scores]).expect("a loss");
            e.backward(&loss);
            e.step(&network, 0.1, 0.9);
            total += e.values(&loss)[0] * batch.rows() as f32;
        }
        let exam = e.values(&e.forward(&network, &leaf(&held_out)));
        let guesses = predictions(&exam, held_out.classes);
        trained.loss = total / rows.rows() as f32;
        trained.accuracy = accuracy(&held_out.labels, &guesses);
        tell(epoch, &trained);
    }
    trained
}

pub fn three_epochs_read_nine_of_ten_digits<L: Trainable>(e: &L) {
    let Trained { loss, accuracy } = train(e, &[64, 32, 10], 3, |_, _| ());
    let percent = 100.0 * accuracy;
    assert!(
        accuracy >= 0.9,
        "{percent:.1} % of the digits are classified correctly, but 90 % \
         should be; the loss of the last epoch is {loss}"
    );
}

impl Trainable for Part1 {
    type Network = RefCell<(Mlp, Option<Sgd>)>;

    fn network(&self, sizes: &[usize], random: &mut Random) -> Self::Network {
        RefCell::new((Mlp::new(sizes, Tensor::relu, random), None))
    }

    fn forward(&self, network: &Self::Network, x: &Tensor) -> Tensor {
        network.borrow().0.forward(x)
    }

    fn parameters(&self, network: &Self::Network) -> Vec<Tensor> {
        let mut network = network.borrow_mut();
        network.0.parameters().iter().map(|(_, p)| (*p).clone()).collect()
    }

    fn step(&self, network: &Self::Network, rate: f32, momentum: f32) {
        let (network, sgd) = &mut *network.borrow_mut();
        let sgd = sgd.get_or_insert_with(|| Sgd::new(rate, momentum));
        sgd.step(network.parameters());
    }
}
