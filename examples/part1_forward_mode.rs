//! Forward mode and reverse mode: how many multiplications each takes.

use std::cell::Cell;

thread_local!(static COUNT: Cell<usize> = const { Cell::new(0) });

fn times(a: f64, b: f64) -> f64 {
    COUNT.set(COUNT.get() + 1);
    a * b
}

// ANCHOR: forward
/// Values are numbered: the inputs, which are all 2, and then the products.
/// Each product has the numbers of its two operands.
struct Function {
    inputs: usize,
    products: Vec<[usize; 2]>,
    outputs: Vec<usize>,
}

/// A value, and its derivative with respect to one input.
#[derive(Clone, Copy)]
struct Dual(f64, f64);

/// The derivative of every output with respect to one input.
fn forward_mode(f: &Function, input: usize) -> Vec<f64> {
    let dual = |i| Dual(2.0, f64::from(i == input));
    let mut duals: Vec<Dual> = (0..f.inputs).map(dual).collect();
    for &[a, b] in &f.products {
        let (Dual(a, slope_a), Dual(b, slope_b)) = (duals[a], duals[b]);
        let slope = times(slope_a, b) + times(a, slope_b);
        duals.push(Dual(times(a, b), slope));
    }
    f.outputs.iter().map(|&k| duals[k].1).collect()
}
// ANCHOR_END: forward

// ANCHOR: reverse
fn values(f: &Function) -> Vec<f64> {
    let mut values = vec![2.0; f.inputs];
    for &[a, b] in &f.products {
        values.push(times(values[a], values[b]));
    }
    values
}

/// The derivative of one output with respect to every input.
fn reverse_mode(f: &Function, values: &[f64], output: usize) -> Vec<f64> {
    let mut grads = vec![0.0; values.len()];
    grads[output] = 1.0;
    for k in (f.inputs..=output).rev() {
        let [a, b] = f.products[k - f.inputs];
        grads[a] += times(grads[k], values[b]);
        grads[b] += times(grads[k], values[a]);
    }
    grads[..f.inputs].to_vec()
}
// ANCHOR_END: reverse

fn show(
    words: &str,
    inputs: usize,
    products: Vec<[usize; 2]>,
    outputs: Vec<usize>,
) {
    let (outs, f) = (outputs.len(), Function { inputs, products, outputs });
    let forward: Vec<_> = (0..inputs).map(|i| forward_mode(&f, i)).collect();
    println!("{words:<17}  forward  {inputs:6}  {:15}", COUNT.take());
    let values = values(&f);
    let back = f.outputs.iter().map(|&k| reverse_mode(&f, &values, k));
    let back: Vec<_> = back.collect();
    let (count, kept) = (COUNT.take(), values.len());
    println!("{:17}  reverse  {outs:6}  {count:15}  {kept:11}", "");
    let agree = |i: usize, k: usize| forward[i][k] == back[k][i];
    assert!((0..inputs).all(|i| (0..outs).all(|k| agree(i, k))));
}

fn main() {
    println!("{:17}  mode     passes  multiplications  values kept", "");
    let cube = |x| [[x, x], [x + 1, x]];
    show("x³", 1, cube(0).to_vec(), vec![2]);
    let all = (1..100).map(|k| [if k == 1 { 0 } else { 98 + k }, k]);
    show("(x₁ x₂ .. x₁₀₀)³", 100, all.chain(cube(198)).collect(), vec![200]);
    let powers = (0..100).map(|k| [k, 0]).collect();
    show("x², x³, .., x¹⁰¹", 1, powers, (1..101).collect());
}
