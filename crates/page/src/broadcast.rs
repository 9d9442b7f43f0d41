//! The broadcast figure of "Shapes that stretch": the product of two shapes,
//! the position of each element's copies, their gradients, and the sum.

use ndarray::{ArrayD, IxDyn};
use rungrad::Error;
use rungrad::part1_cpu::Tensor;
use rungrad::shape::{broadcast_axes, checked_size};
use serde_json::{Value, json};

use crate::numbers;

/// The maximum number of elements and of axes that fit on a page.
const MAX_ELEMENTS: usize = 36;
const MAX_AXES: usize = 3;

/// Answers two shapes such as `2,1` and `1,3`: the product of 1, 2, .. and 10,
/// 20, .., with the upstream gradient 1, 2, ...
pub(crate) fn answer(words: &[&str]) -> Result<Value, Error> {
    // A scalar's shape is an empty line, which is dropped at the end.
    let (a, b) = match words {
        [] => ("", ""),
        [a] => (*a, ""),
        [a, b, ..] => (*a, *b),
    };
    let (a, b) = (counted(&shape(a)?, 1.0), counted(&shape(b)?, 10.0));
    let c = &a * &b;
    let (like, count) = (c.shape(), c.data().len());
    if count > MAX_ELEMENTS {
        return Err(Error::Usage(format!(
            "the product of {:?} and {:?} has {count} elements, and the page \
             has room for {MAX_ELEMENTS}; write smaller shapes",
            a.shape(),
            b.shape()
        )));
    }
    let back = counted(like, 1.0);
    c.backward_with(&back.data());
    let side = |own: &Tensor, other: &Tensor| {
        // The index of an element, broadcast, shows the positions of its
        // copies.
        let own_numbers = counted(own.shape(), 1.0).mul(&ones(like));
        let places =
            own_numbers.to_vec().iter().map(|n| n - 1.0).collect::<Vec<_>>();
        let grad = own.grad().expect("a leaf keeps its gradient");
        json!({
            "shape": own.shape(),
            "values": numbers(&own.to_vec()),
            "grad": numbers(&grad.into_iter().collect::<Vec<_>>()),
            "axes": broadcast_axes(own.shape(), like),
            "places": numbers(&places),
            "parts": numbers(&back.mul(other).to_vec()),
        })
    };
    Ok(json!({
        "shape": like,
        "values": numbers(&c.to_vec()),
        "back": numbers(&back.to_vec()),
        "a": side(&a, &b),
        "b": side(&b, &a),
    }))
}

/// Parses `2,3`. An empty string is the shape of a scalar.
fn shape(word: &str) -> Result<Vec<usize>, Error> {
    let sizes = word.split(',').filter(|size| !size.trim().is_empty());
    let shape: Option<Vec<usize>> =
        sizes.map(|size| size.trim().parse().ok()).collect();
    let fits = |shape: &Vec<usize>| {
        shape.len() <= MAX_AXES
            && checked_size(shape).is_ok_and(|n| n <= MAX_ELEMENTS)
    };
    shape.filter(fits).ok_or_else(|| {
        Error::Usage(format!(
            "`{word}` is no shape of up to {MAX_AXES} axes and {MAX_ELEMENTS} elements; \
             write whole numbers with commas between them, such as 2,3"
        ))
    })
}

/// Creates a tensor of `step`, twice `step` and so on.
fn counted(shape: &[usize], step: f32) -> Tensor {
    let count = shape.iter().product();
    let values: Vec<f32> =
        (1..=count).map(|i: usize| step * i as f32).collect();
    Tensor::new(shape, &values)
}

fn ones(shape: &[usize]) -> Tensor {
    Tensor::from(ArrayD::ones(IxDyn(shape)))
}
