//! Two shapes that meet in a product: which element stands where, what came
//! back to each of its places, and the sum, as in "Shapes that stretch".

use ndarray::{ArrayD, IxDyn};
use rungrad::Error;
use rungrad::part1_cpu::Tensor;
use rungrad::shape::{broadcast_axes, checked_size};
use serde_json::{Value, json};

use crate::numbers;

/// As many elements as a page has room for, and as many axes.
const MOST: usize = 36;
const AXES: usize = 3;

/// Answers two shapes such as `2,1` and `1,3`: the product of 1, 2, .. and
/// 10, 20, .., to which 1, 2, .. is sent back.
pub(crate) fn answer(words: &[&str]) -> Result<Value, Error> {
    // A shape without axes is an empty line, which at the end is none.
    let (a, b) = match words {
        [] => ("", ""),
        [a] => (*a, ""),
        [a, b, ..] => (*a, *b),
    };
    let (a, b) = (counted(&shape(a)?, 1.0), counted(&shape(b)?, 10.0));
    let c = &a * &b;
    let (like, count) = (c.shape(), c.data().len());
    if count > MOST {
        return Err(Error::Usage(format!(
            "the product of {:?} and {:?} has {count} elements, and the page \
             has room for {MOST}; write smaller shapes",
            a.shape(),
            b.shape()
        )));
    }
    let back = counted(like, 1.0);
    c.backward_with(&back.data());
    let side = |own: &Tensor, other: &Tensor| {
        // Stretched, the number of an element says whose copy is where.
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

/// Reads `2,3`; nothing at all is the shape without axes.
fn shape(word: &str) -> Result<Vec<usize>, Error> {
    let sizes = word.split(',').filter(|size| !size.trim().is_empty());
    let shape: Option<Vec<usize>> =
        sizes.map(|size| size.trim().parse().ok()).collect();
    let fits = |shape: &Vec<usize>| {
        shape.len() <= AXES && checked_size(shape).is_ok_and(|n| n <= MOST)
    };
    shape.filter(fits).ok_or_else(|| {
        Error::Usage(format!(
            "`{word}` is no shape of up to {AXES} axes and {MOST} elements; \
             write whole numbers with commas between them, such as 2,3"
        ))
    })
}

/// Makes a tensor of `step`, twice `step` and so on.
fn counted(shape: &[usize], step: f32) -> Tensor {
    let count = shape.iter().product();
    let values: Vec<f32> =
        (1..=count).map(|i: usize| step * i as f32).collect();
    Tensor::new(shape, &values)
}

fn ones(shape: &[usize]) -> Tensor {
    Tensor::from(ArrayD::ones(IxDyn(shape)))
}
