//! Part 1 against the specification, and its own rules.

#[macro_use]
mod common;

use std::thread;

use common::engine::Part1;
use ndarray::arr1;
use rungrad::part1_cpu::Tensor;
use rungrad::{Error, attempt, ledger};

fn open() -> Option<Part1> {
    Some(Part1)
}

specification!(open);
operations!(open);
edges!(open);
refusals!(open);

#[test]
fn a_million_links_fit_a_stack_of_2_mb() {
    let small = thread::Builder::new().stack_size(2 << 20);
    let work = small.spawn(|| {
        let ((), counts) = ledger::measure(|| {
            let x = Tensor::new(&[1], &[1.0]);
            let one = Tensor::new(&[1], &[1.0]);
            let mut y = x.clone();
            for _ in 0..1_000_000 {
                y = y.mul(&one);
            }
            y.backward();
            assert_eq!(x.grad().unwrap()[0], 1.0);
            assert_eq!(one.grad().unwrap()[0], 1_000_000.0);
        });
        assert_eq!(counts.nodes, 1_000_002);
        assert_eq!(counts.live_nodes(), 0);
    });
    work.unwrap().join().unwrap();
}

#[test]
fn a_rule_with_too_few_gradients_is_named() {
    let x = Tensor::new(&[1], &[1.0]);
    let y = Tensor::from_op("odd", &[&x, &x], arr1(&[1.0]).into_dyn(), |g| {
        vec![g.clone()]
    });
    assert_eq!(
        attempt(|| y.backward()),
        Err(Error::Mistake(
            "odd: the rule gave 1 gradients for 2 operands; give one for \
             each, in operand order"
                .to_string()
        ))
    );
}

#[test]
fn a_rule_with_a_wrong_shape_is_named() {
    let x = Tensor::new(&[2], &[1.0, 2.0]);
    let y = Tensor::from_op("odd", &[&x], arr1(&[3.0]).into_dyn(), |g| {
        vec![g.clone()]
    });
    assert_eq!(
        attempt(|| y.backward()),
        Err(Error::Mistake(
            "odd: the gradient of operand 0 has shape [1], but the operand \
             has [2]; a gradient has the shape of what it belongs to"
                .to_string()
        ))
    );
}

#[test]
fn data_and_gradient_print_as_in_the_notebook() {
    let a = Tensor::new(&[2], &[2.0, 3.0]);
    let b = Tensor::new(&[2], &[3.0, 4.0]);
    a.mul(&b).mul(&b).sum().backward();
    assert_eq!(
        format!("{a}\n{b:?}"),
        "<Tensor with data: [2, 3], grad: [9, 16]>\n\
         <Tensor with data: [3, 4], grad: [12, 24]>"
    );
}
