//! Checks `write_a_chain`, which generates one kernel for many operations. The
//! kernel is compiled and run, and compared with the operations one by one.

use std::process::ExitCode;

use exercises::Argument::{Count, In, Out};
use exercises::{
    Kernel, Outcome, Stop, check_kernel_text, drawn, numbers, wrong,
};
use rungrad::opencl::Gpu;
use rungrad::rng::Random;
use rungrad::shape::list;
use yours::Line::{self, Add, Load, Mul, Relu, Scale, Sub};

exercises::yours!("part3_unified/write_a_chain.rs");

fn main() -> ExitCode {
    check_kernel_text(
        "write_a_chain",
        YOURS,
        "chain",
        &[
            ("a sum of two inputs", sum),
            ("a difference, of the first and the second", difference),
            ("numbers in the source: -0.5, 0.1 and 3", scaled),
            ("a bias and a relu", biased),
            ("relu of a NaN is NaN", nan),
            ("a line that is used twice", twice),
            ("a last line that is not the newest load", last),
            ("random chains", chance),
        ],
    )
}

fn sum(_: &Gpu) -> Outcome {
    judge(&[Load(0), Load(1), Add(0, 1)])
}

fn difference(_: &Gpu) -> Outcome {
    judge(&[Load(0), Load(1), Sub(0, 1)])?;
    judge(&[Load(0), Load(1), Sub(1, 0)])
}

fn scaled(_: &Gpu) -> Outcome {
    judge(&[Load(0), Scale(0, -0.5)])?;
    judge(&[Load(0), Scale(0, 3.0)])?;
    judge(&[Load(0), Scale(0, 0.1)])
}

fn biased(_: &Gpu) -> Outcome {
    judge(&[Load(0), Load(1), Add(0, 1), Relu(2)])
}

/// A NaN in a result is often the first sign of a bug elsewhere.
fn nan(_: &Gpu) -> Outcome {
    let text = yours::text(1, &[Load(0), Relu(0)]);
    let kernel = Kernel::of_a_text("chain", &text);
    let arguments = [In("in0", &[f32::NAN, 1.0]), Out("out", 2), Count(2)];
    match kernel.run(2, &arguments)?.remove(0)[0] {
        found if found.is_nan() => Ok(()),
        found => Err(wrong(format!(
            "NaN becomes {found}: a comparison such as `v0 > 0.0f` is false \
             for NaN. Choose the comparison so that its false case keeps the \
             value.\n\nYou wrote:\n\n{text}"
        ))),
    }
}

fn twice(_: &Gpu) -> Outcome {
    judge(&[Load(0), Load(1), Sub(0, 1), Mul(2, 2), Add(3, 0)])
}

fn last(_: &Gpu) -> Outcome {
    judge(&[Load(0), Relu(0), Load(1), Mul(1, 2), Load(2), Sub(3, 4)])
}

fn chance(_: &Gpu) -> Outcome {
    let mut random = Random::new(1);
    for _ in 0..4 {
        let mut lines = vec![Load(0), Load(1), Load(2)];
        while lines.len() < 9 {
            let [a, b] = [(); 2].map(|()| random.below(lines.len()));
            lines.push(match random.below(5) {
                0 => Add(a, b),
                1 => Sub(a, b),
                // Keep values small enough for a float to represent quarters.
                2 => Mul(random.below(3), random.below(3)),
                3 => Scale(a, [-1.0, 0.5, 2.0][random.below(3)]),
                _ => Relu(a),
            });
        }
        judge(&lines)?;
    }
    Ok(())
}

/// Number of elements; not a multiple of the group size.
const N: usize = 300;

fn judge(lines: &[Line]) -> Outcome {
    let inputs = lines.iter().map(|line| match line {
        Load(input) => input + 1,
        _ => 0,
    });
    let inputs = inputs.max().unwrap_or(0);
    let text = yours::text(inputs, lines);
    let names = ["in0", "in1", "in2"];
    let values: Vec<Vec<f32>> =
        (0..inputs as u64).map(|seed| numbers(seed, N)).collect();
    let mut arguments: Vec<_> = names
        .iter()
        .zip(&values)
        .map(|(name, values)| In(name, values))
        .collect();
    arguments.extend([Out("out", N), Count(N)]);
    let kernel = Kernel::of_a_text("chain", &text);
    let told = |why: &str| {
        wrong(format!("For {lines:?} {why}\n\nYou wrote:\n\n{text}"))
    };
    let out = kernel.run(N, &arguments).map_err(|stop| match stop {
        Stop::Wrong { words, .. } => {
            told(&format!("the kernel is wrong. {words}"))
        }
        other => other,
    })?;
    let right = run(lines, &values);
    let Some(at) = (0..N).find(|&i| out[0][i] != right[i]) else {
        return Ok(());
    };
    let why = diagnosis(lines, &values, &out[0]).unwrap_or("");
    Err(told(&format!(
        "out[{at}] is {}, but line by line it is {}. {why}",
        list(&out[0][at..=at]),
        list(&right[at..=at])
    )))
}

/// Names the mistake that explains every value.
fn diagnosis(
    lines: &[Line],
    values: &[Vec<f32>],
    out: &[f32],
) -> Option<&'static str> {
    let before = &lines[..lines.len() - 1];
    if run(before, values) == out {
        return Some(
            "That is the value of the line before the last one: store the last \
             one.",
        );
    }
    let turned: Vec<Line> = lines
        .iter()
        .map(|line| match *line {
            Sub(a, b) => Sub(b, a),
            other => other,
        })
        .collect();
    if run(&turned, values) == out {
        return Some("Sub(a, b) is a minus b, but you compute b minus a.");
    }
    let double: Vec<f32> = match lines[..] {
        [Load(input), Scale(0, number)] => {
            // The `f64` with the same decimal digits.
            let number: f64 = format!("{number:?}").parse().unwrap_or(0.0);
            let all = values[input].iter();
            all.map(|x| (f64::from(*x) * number) as f32).collect()
        }
        _ => vec![],
    };
    if double == out {
        return Some(
            "The number has no f at its end, so it is a double: the product is \
             computed in double precision and rounded differently.",
        );
    }
    None
}

/// Computes the operations one by one, as separate kernels would.
fn run(lines: &[Line], values: &[Vec<f32>]) -> Vec<f32> {
    // A variant also limits the values of a relu.
    let most = drawn("most").map_or(f64::INFINITY, f64::from);
    let element = |i: usize| {
        let mut v: Vec<f32> = vec![];
        for line in lines {
            // In `f64`, the sum, difference and product of two floats are
            // exact, or so close that rounding to `f32` gives the same result.
            let exact = match *line {
                Load(input) => f64::from(values[input][i]),
                Add(a, b) => f64::from(v[a]) + f64::from(v[b]),
                Sub(a, b) => f64::from(v[a]) - f64::from(v[b]),
                Mul(a, b) => f64::from(v[a]) * f64::from(v[b]),
                Scale(a, number) => f64::from(v[a]) * f64::from(number),
                Relu(a) => f64::from(v[a]).clamp(0.0, most),
            };
            v.push(exact as f32);
        }
        *v.last().expect("a chain has a line")
    };
    (0..values[0].len()).map(element).collect()
}
