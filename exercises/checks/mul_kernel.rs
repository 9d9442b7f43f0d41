//! Checks `mul_kernel`, the gradients of a multiplication on the device.
//!
//! No size is a multiple of 256, so the last group always has spare
//! work-items. Guard values follow the end of each array.

use std::process::ExitCode;

use exercises::Argument::{Count, In, Out};
use exercises::{
    Kernel, Outcome, again, check_kernel, drawn, expect, judge, numbers,
};
use rungrad::gradcheck::dot;
use rungrad::part2_gpu::Tensor;
use rungrad::reference::mul;

const YOURS: &str = exercises::path!("part2_gpu/mul_kernel.cl");

fn main() -> ExitCode {
    check_kernel(
        "mul_kernel",
        YOURS,
        "mul_backward",
        &[
            ("the kernel gives a and b their gradients", gradients),
            (
                "777 elements: four groups, the last one partly filled",
                |kernel| compare(kernel, 777),
            ),
        ],
    )
}

/// Uses the kernel as the backward rule: with the loss `sum(a * b * w)`, its
/// `grad_out` is `w`.
fn gradients(kernel: &Kernel) -> Outcome {
    let n = 3;
    // The judge does not know the results of all variants.
    if again() {
        return compare(kernel, n);
    }
    let leaf = |seed| -> Result<Tensor, exercises::Stop> {
        let tensor = Tensor::new(kernel.gpu(), &[n], &numbers(seed, n))?;
        Ok(tensor.requires_grad())
    };
    let (a, b, w) = (leaf(1)?, leaf(2)?, leaf(3)?);
    let (x, y) = (a.to_vec()?, b.to_vec()?);
    let (p, q) = (a.detach(), b.detach());
    let (yours, gpu) = (kernel.clone(), kernel.gpu().clone());
    let out = Tensor::from_op("mul", &[&a, &b], p.mul(&q), move |grad_out| {
        let g = grad_out.to_vec().expect("the device answers");
        let grads = yours.run_in_a_rule(
            n,
            &[
                In("grad_out", &g),
                In("a", &x),
                In("b", &y),
                Out("grad_a", n),
                Out("grad_b", n),
                Count(n),
            ],
        );
        let tensor = |grad: &Vec<f32>| Tensor::new(&gpu, &[n], grad).ok();
        grads.iter().map(tensor).collect()
    });
    let mut tape = out.mul(&w).sum().backward_recorded();
    for (leaf, name) in [(&a, "a"), (&b, "b"), (&w, "w")] {
        tape.set_name(leaf.id(), name);
    }
    judge("sum(a * b * w)", &tape, &["a", "b", "w"], |leaves| {
        dot(&mul(&leaves[0], &leaves[1]), &leaves[2])
    })
}

/// Compares the gradients of `n` results, a product of powers of a and b.
fn compare(kernel: &Kernel, n: usize) -> Outcome {
    let (g, a, b) = (numbers(4, n), numbers(5, n), numbers(6, n));
    let grads = kernel.run(
        n,
        &[
            In("grad_out", &g),
            In("a", &a),
            In("b", &b),
            Out("grad_a", n),
            Out("grad_b", n),
            Count(n),
        ],
    )?;
    let each = |rule: &dyn Fn(f32, f32, f32) -> f32| -> Vec<f32> {
        (0..n).map(|i| rule(g[i], a[i], b[i])).collect()
    };
    let [p, q] = ["power_a", "power_b"].map(|it| drawn(it).unwrap_or(1.0));
    let of_a = each(&|g, a, b| g * p * a.powf(p - 1.0) * b.powf(q));
    let of_b = each(&|g, a, b| g * q * a.powf(p) * b.powf(q - 1.0));
    expect("grad_a", &grads[0], &of_a)?;
    expect("grad_b", &grads[1], &of_b)
}
