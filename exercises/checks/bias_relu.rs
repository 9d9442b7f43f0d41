//! Checks `bias_relu`, two operations in one launch.
//!
//! The first launch has no spare work-item, so a kernel without a bounds check
//! does no harm before guard values can detect it.

use std::process::ExitCode;

use exercises::Argument::{Count, In, Out};
use exercises::{
    Kernel, Outcome, Stop, check_kernel_text, drawn, expect, numbers,
    on_tensors, wrong,
};
use rungrad::ledger;
use rungrad::opencl::Gpu;
use rungrad::part2_gpu::Tensor;

exercises::yours!("part2_gpu/bias_relu.rs");

fn main() -> ExitCode {
    check_kernel_text(
        "bias_relu",
        YOURS,
        "bias_relu",
        &[
            ("16 x 16: one group, no spare items", |gpu| {
                launched(gpu, [16, 16])
            }),
            ("7 x 111: four groups, and guard values after the end", guarded),
            ("7 x 111, by your launch", |gpu| launched(gpu, [7, 111])),
            ("a NaN stays NaN", nan),
            ("one launch, and nothing is copied", thrifty),
        ],
    )
}

/// Keeps a NaN. A variant multiplies negative elements instead of replacing
/// them.
fn relu(x: f32) -> f32 {
    if x <= 0.0 { x * drawn("leak").unwrap_or(0.0) } else { x }
}

/// Returns the inputs: a matrix and a bias.
fn given([rows, columns]: [usize; 2]) -> (Vec<f32>, Vec<f32>) {
    (numbers(1, rows * columns), numbers(2, columns))
}

fn tensors(gpu: &Gpu, shape: [usize; 2]) -> Result<[Tensor; 2], Stop> {
    let (x, bias) = given(shape);
    Ok([Tensor::new(gpu, &shape, &x)?, Tensor::new(gpu, &[shape[1]], &bias)?])
}

/// Calls the learner's function.
fn computed(x: &Tensor, bias: &Tensor) -> Result<Tensor, Stop> {
    let launch =
        |name: &str, inputs: &[&Tensor], shape: &[usize], numbers: &[usize]| {
            on_tensors(yours::text(), name, inputs, shape, numbers)
        };
    Ok(yours::bias_relu(x, bias, &launch)?)
}

/// Checks the values of the learner's own launch.
fn launched(gpu: &Gpu, shape: [usize; 2]) -> Outcome {
    let [x, bias] = tensors(gpu, shape)?;
    let yours = computed(&x, &bias)?;
    if yours.shape() != shape {
        return Err(wrong(format!(
            "For a matrix of shape {shape:?} the result has the shape {:?}.",
            yours.shape()
        )));
    }
    judge(&yours.to_vec()?, shape)
}

/// Runs the learner's kernel with guard values around its arrays.
fn guarded(_: &Gpu) -> Outcome {
    let [rows, columns] = [7, 111];
    let (x, bias) = given([rows, columns]);
    let n = rows * columns;
    let arguments = [
        In("x", &x),
        In("bias", &bias),
        Out("out", n),
        Count(n),
        Count(columns),
    ];
    let kernel = Kernel::of_a_text("bias_relu", yours::text());
    // The values are checked by the learner's launch.
    kernel.run(n, &arguments).map(drop)
}

fn judge(yours: &[f32], shape: [usize; 2]) -> Outcome {
    let columns = shape[1];
    let (x, bias) = given(shape);
    let of = |element: &dyn Fn(usize, f32) -> f32| -> Vec<f32> {
        x.iter().enumerate().map(|(i, x)| element(i, *x)).collect()
    };
    let right = of(&|i, x| relu(x + bias[i % columns]));
    if yours == right {
        return Ok(());
    }
    if yours == of(&|i, x| x + bias[i % columns]) {
        return Err(wrong(
            "These are the sums, including negative ones: relu is missing.",
        ));
    }
    if yours == of(&|i, x| relu(x) + bias[i % columns]) {
        return Err(wrong(
            "This is relu(x) + bias: add the bias first, and apply relu to the \
             sum.",
        ));
    }
    let row = |i: usize| bias.get(i / columns);
    if yours == of(&|i, x| row(i).map_or(x, |bias| relu(x + bias))) {
        return Err(wrong(
            "Each row was added to one element of the bias, but each column \
             should be: element i is in column i % columns.",
        ));
    }
    expect("relu(x + bias)", yours, &right)
}

/// A NaN in a result is often the first sign of a bug elsewhere.
fn nan(gpu: &Gpu) -> Outcome {
    let x = Tensor::new(gpu, &[1, 2], &[f32::NAN, 1.0])?;
    let bias = Tensor::new(gpu, &[2], &[0.5, 0.5])?;
    match computed(&x, &bias)?.to_vec()?[0] {
        found if found.is_nan() => Ok(()),
        found => Err(wrong(format!(
            "NaN becomes {found}: a comparison such as `sum > 0.0f` is false \
             for NaN. Choose the comparison so that its false case keeps the \
             sum."
        ))),
    }
}

/// Checks the number of launches and copies.
fn thrifty(gpu: &Gpu) -> Outcome {
    let shape @ [rows, columns] = [64, 96];
    let [x, bias] = tensors(gpu, shape)?;
    let (made, cost) = ledger::measure(|| computed(&x, &bias));
    made?;
    if cost.bytes_to_host > 0 {
        return Err(wrong(format!(
            "The values are right, but were computed on the host: {} bytes \
             were read back. A launch leaves the data on the device.",
            cost.bytes_to_host
        )));
    }
    if cost.launches == 1 {
        return Ok(());
    }
    let least = 4 * (2 * rows * columns + columns);
    Err(wrong(format!(
        "The values are right, but took {} launches; 1 would be enough. For a \
         matrix of {rows} x {columns} the kernels access {} bytes, and {least} \
         would be enough: the second launch reads again what the first one \
         wrote.",
        cost.launches, cost.bytes_reached
    )))
}
