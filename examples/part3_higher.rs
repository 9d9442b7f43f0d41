//! Higher derivatives and a use for them.

use std::process::ExitCode;

use rungrad::ledger;
use rungrad::part3_unified::{Device, Tensor, grad, no_grad};

fn main() -> ExitCode {
    rungrad::run(|| {
        derivatives()?;
        println!();
        newton()
    })
}

// ANCHOR: derivatives
/// x³ and its derivatives, each from the graph of the previous one.
fn derivatives() -> Result<(), rungrad::Error> {
    let x = Tensor::new(&[1], &[2.0], Device::Cpu)?.requires_grad();
    let ((), cost) = ledger::measure(|| {
        let mut y = x.mul(&x).mul(&x);
        println!("x³ at 2 is {}", y.array());
        for order in 1..=3 {
            y = grad(&[&y], &[&x], true).remove(0);
            println!("derivative {order} is {}", y.array());
        }
    });
    println!("{} nodes, {} of them left", cost.nodes, cost.live_nodes());
    Ok(())
}
// ANCHOR_END: derivatives

// ANCHOR: newton
/// Finds the minimum of e^x - 2x, which is at ln 2: by gradient descent, and
/// by Newton's method, whose step size comes from the second derivative.
fn newton() -> Result<(), rungrad::Error> {
    let start = Tensor::new(&[1], &[0.0], Device::Cpu)?;
    let mut down = start.clone().requires_grad();
    let mut jump = start.requires_grad();
    println!("step  gradient descent  Newton's method");
    for step in 1..=5 {
        let curve = |x: &Tensor| x.exp().sub(&x.scale(2.0));
        let slope = grad(&[&curve(&down)], &[&down], false).remove(0);
        down = no_grad(|| down.sub(&slope.scale(0.1))).requires_grad();

        let first = grad(&[&curve(&jump)], &[&jump], true).remove(0);
        let second = grad(&[&first], &[&jump], false).remove(0);
        jump = no_grad(|| jump.sub(&first.div(&second))).requires_grad();
        let [a, b] = [down.to_vec()?[0], jump.to_vec()?[0]];
        println!("{step:>4}  {a:<16.6}  {b:.6}");
    }
    println!("{:<24}{:.6}", "ln 2", 2f32.ln());
    Ok(())
}
// ANCHOR_END: newton
