//! A single neuron learns AND from four examples.

use rungrad::part1_cpu::Tensor;
use rungrad::part1_cpu::nn::Linear;
use rungrad::part1_cpu::optim::Sgd;
use rungrad::rng::Random;

// ANCHOR: part1-neuron
fn main() {
    let x = Tensor::new(&[4, 2], &[0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0]);
    let right = Tensor::new(&[4, 1], &[0.0, 0.0, 0.0, 1.0]);
    let mut neuron = Linear::new(2, 1, &mut Random::new(1));
    let mut sgd = Sgd::new(5.0, 0.0);

    for step in 0..1000 {
        let said = neuron.forward(&x).sigmoid();
        let loss = (said - &right).pow(2.0).mean();
        if step % 200 == 0 {
            println!("step {step:>3}  loss {:.4}", loss.to_vec()[0]);
        }
        loss.backward();
        sgd.step(neuron.parameters());
    }

    println!("\na  b  a AND b  output");
    let said = neuron.forward(&x).sigmoid();
    for row in 0..4 {
        let at = |t: &Tensor, column| t.data()[[row, column]];
        let (a, b, right) = (at(&x, 0), at(&x, 1), at(&right, 0));
        println!("{a}  {b}  {right:>7}  {:.2}", at(&said, 0));
    }
    let (weight, bias) = (neuron.weight.to_vec(), neuron.bias.to_vec());
    let [a, b, threshold] = [weight[0], weight[1], -bias[0]];
    println!("\nsigmoid({a:.1} a + {b:.1} b - {threshold:.1})");
}
// ANCHOR_END: part1-neuron
