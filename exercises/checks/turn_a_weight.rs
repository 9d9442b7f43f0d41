//! Checks `turn_a_weight`, which converts PyTorch's weights to our layout.

use std::process::ExitCode;

use exercises::{Outcome, check, expect, numbers, wrong};
use rungrad::nn::{Linear, Module};
use rungrad::part3_unified::{Device, Tensor};
use rungrad::rng::Random;
use yours::{Kind, Weight};

exercises::yours!("part3_unified/turn_a_weight.rs");

fn main() -> ExitCode {
    check(
        "turn_a_weight",
        YOURS,
        &[
            ("a layer with 3 inputs and 2 outputs", layer),
            ("a layer with equal numbers of inputs and outputs", square),
            ("a loaded layer computes the same as PyTorch's", says),
            ("a table of signs is unchanged", table),
            ("filters and biases are unchanged", others),
            ("a weight that does not fit is rejected", refused),
        ],
    )
}

fn weight(kind: Kind, shape: &[usize]) -> Weight {
    let values = numbers(3, shape.iter().product());
    Weight { kind, shape: shape.to_vec(), values }
}

/// Transposes (rows, columns) to (columns, rows).
fn turned(values: &[f32], rows: usize, columns: usize) -> Vec<f32> {
    let place = |at: usize| values[at % rows * columns + at / rows];
    (0..values.len()).map(place).collect()
}

fn judge(theirs: &Weight, wanted: &[usize], right: &[f32]) -> Outcome {
    let Weight { kind, shape, values } = theirs;
    let what = format!("A weight of kind {kind:?}, {shape:?} in PyTorch");
    let Some(yours) = yours::placed(theirs, wanted) else {
        return Err(wrong(format!(
            "{what}, is rejected, but it fits: here it has shape {wanted:?}."
        )));
    };
    let is_linear = *kind == Kind::Linear;
    if is_linear && yours == *values && yours != right {
        return Err(wrong(format!(
            "{what}, has its elements in the old order. {}",
            match shape == wanted {
                true =>
                    "It is square, so the shape does not show that it must be \
                     transposed: its kind does.",
                false =>
                    "A different shape with the same elements is a reshape. To \
                     transpose a matrix, its elements must move.",
            }
        )));
    }
    if let [rows, columns] = shape[..]
        && !is_linear
        && yours == turned(values, rows, columns)
    {
        return Err(wrong(format!(
            "{what}, is transposed. Only the weights of linear layers have a \
             different layout."
        )));
    }
    expect(&what, &yours, right)
}

fn layer(_: &()) -> Outcome {
    for [outputs, inputs] in [[2, 3], [5, 1], [4, 7]] {
        let theirs = weight(Kind::Linear, &[outputs, inputs]);
        let right = turned(&theirs.values, outputs, inputs);
        judge(&theirs, &[inputs, outputs], &right)?;
    }
    Ok(())
}

fn square(_: &()) -> Outcome {
    for size in [2, 5] {
        let theirs = weight(Kind::Linear, &[size, size]);
        let right = turned(&theirs.values, size, size);
        judge(&theirs, &[size, size], &right)?;
    }
    Ok(())
}

fn says(_: &()) -> Outcome {
    for [outputs, inputs] in [[4, 3], [3, 3]] {
        let theirs = weight(Kind::Linear, &[outputs, inputs]);
        let x = numbers(4, inputs);
        let row = |output: usize| {
            let row = &theirs.values[output * inputs..][..inputs];
            row.iter().zip(&x).map(|(w, x)| w * x).sum::<f32>()
        };
        let right: Vec<f32> = (0..outputs).map(row).collect();
        let mut ours = Linear::new(inputs, outputs, &mut Random::new(0));
        let shape = [inputs, outputs];
        let values = yours::placed(&theirs, &shape).unwrap_or_default();
        ours.weight = Tensor::new(&shape, &values, Device::Cpu)?;
        let x = Tensor::new(&[1, inputs], &x, Device::Cpu)?;
        let what = format!("The output of a layer with {inputs} inputs");
        expect(&what, &ours.forward(&x).to_vec()?, &right)?;
    }
    Ok(())
}

fn table(_: &()) -> Outcome {
    for shape in [[27, 4], [4, 4]] {
        let theirs = weight(Kind::Embedding, &shape);
        judge(&theirs, &shape, &theirs.values)?;
    }
    Ok(())
}

fn others(_: &()) -> Outcome {
    for (kind, shape) in [
        (Kind::Filters, &[4, 2, 3, 3][..]),
        (Kind::Filters, &[2, 2, 2, 2]),
        (Kind::Bias, &[5]),
    ] {
        let theirs = weight(kind, shape);
        judge(&theirs, shape, &theirs.values)?;
    }
    Ok(())
}

fn refused(_: &()) -> Outcome {
    for (kind, shape, wanted) in [
        (Kind::Linear, &[2, 3][..], &[2, 3][..]),
        (Kind::Linear, &[2, 3], &[3, 3]),
        (Kind::Linear, &[6], &[6]),
        (Kind::Embedding, &[4, 5], &[5, 4]),
        (Kind::Filters, &[1, 2, 3, 4], &[4, 3, 2, 1]),
        (Kind::Bias, &[3], &[4]),
    ] {
        if yours::placed(&weight(kind, shape), wanted).is_some() {
            return Err(wrong(format!(
                "A weight of kind {kind:?} and shape {shape:?} is accepted \
                 where our model has {wanted:?}. It does not fit, because it \
                 belongs to a different model: reject it."
            )));
        }
    }
    Ok(())
}
