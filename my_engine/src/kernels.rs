//! The reader's kernels for Part 2. Each replaces one of ours, so that Part 2
//! runs on them and its laws test them. Ours are used for kernels that the
//! reader has not written.
//!
//! The first laws of a level launch each kernel alone, on memory that reveals
//! a stray access, and once more under Oclgrind.

mod laws;

use std::panic::resume_unwind;
use std::process::ExitCode;
use std::sync::OnceLock;

use exercises::{Kernel, Outcome, Stop, check_kernel_levels};
use rungrad::Error;
use rungrad::opencl::{self, Gpu};
use rungrad::part2_gpu::kernels as ours;

use crate::digits::{beside, lines};
use crate::ladder::{Ladder, Level, Need, laws};
use crate::{reader_file, run_or_check};
use testkit::engine::Part2;
use testkit::{edges, network, spec};

/// Each operation, compared with the reference on seeded operands.
mod judged {
    use crate::ladder::judged;

    judged! {
        super::Part2, |_| 15;
        mul_agrees_with_the_reference "mul",
        add_agrees_with_the_reference "add",
        sub_agrees_with_the_reference "sub",
        exp_agrees_with_the_reference "exp",
        sum_agrees_with_the_reference "sum",
        mean_agrees_with_the_reference "mean",
        matmul_agrees_with_the_reference "matmul",
        transpose_agrees_with_the_reference "transpose",
        log_softmax_agrees_with_the_reference "log_softmax",
        cross_entropy_agrees_with_the_reference "cross_entropy",
    }
}

macro_rules! kernel {
    ($name:literal, $parameters:literal) => {
        ($name, concat!("kernel void ", $name, "(", $parameters, ")"))
    };
}

/// How many laws of a level, counted from the first, launch each kernel alone.
const ALONE_LAWS: usize = 1;

pub(crate) const LEVELS: &[Level<Part2>] = &[
    Level {
        name: "pairs",
        needs: &[
            kernel!(
                "ew_mul",
                "global const float *a, global const float *b, global float *out, uint n"
            ),
            kernel!(
                "ew_add",
                "global const float *a, global const float *b, global float *out, uint n"
            ),
        ],
        laws: laws! { Part2;
            laws: pairs_of_elements_are_multiplied_and_added;
            spec: a_product_multiplies_element_by_element,
                one_product_has_the_gradients_3_and_2,
                an_addition_passes_its_gradient_to_both_operands,
                an_operand_used_twice_gets_both_gradients;
        },
    },
    Level {
        name: "stretching",
        needs: &[
            kernel!(
                "broadcast_mul",
                "global const float *a, int8 a_strides, global const float *b, int8 b_strides, global float *out, int8 shape, uint n"
            ),
            kernel!(
                "broadcast_add",
                "global const float *a, int8 a_strides, global const float *b, int8 b_strides, global float *out, int8 shape, uint n"
            ),
        ],
        laws: laws! { Part2;
            laws: broadcast_operands_are_read_without_a_copy;
            edges: a_broadcast_row_gets_the_sum_of_its_gradients;
            judged: mul_agrees_with_the_reference,
                add_agrees_with_the_reference;
        },
    },
    Level {
        name: "maps",
        needs: &[
            kernel!(
                "ew_scale",
                "global const float *a, global float *out, float number, uint n"
            ),
            kernel!(
                "ew_exp",
                "global const float *a, global float *out, uint n"
            ),
            kernel!(
                "ew_relu",
                "global const float *a, global float *out, uint n"
            ),
            kernel!(
                "relu_backward",
                "global const float *grad_out, global const float *a, global float *grad_a, uint n"
            ),
        ],
        laws: laws! { Part2;
            laws: each_element_is_mapped;
            edges: relu_passes_no_gradient_at_zero,
                relu_passes_nan_through,
                relu_stops_a_nan_gradient;
            judged: sub_agrees_with_the_reference,
                exp_agrees_with_the_reference;
        },
    },
    Level {
        name: "sums",
        needs: &[
            kernel!(
                "reduce_sum",
                "global const float *a, global float *partials, uint n"
            ),
            kernel!(
                "reduce_axis",
                "global const float *a, global float *out, uint length, uint inner, uint n"
            ),
            kernel!(
                "ew_repeat",
                "global const float *a, global float *out, uint length, uint inner, uint n"
            ),
        ],
        laws: laws! { Part2;
            laws: every_element_is_added_once,
                long_sums_along_an_axis_are_accurate;
            spec: two_products_have_the_gradients_9_16_and_12_24,
                a_second_backward_adds_the_same_gradient_again,
                empty_and_scalar_tensors_work,
                a_sum_of_any_length_is_right;
            edges: a_sum_of_no_elements_is_zero;
            judged: sum_agrees_with_the_reference,
                mean_agrees_with_the_reference;
        },
    },
    Level {
        name: "matrices",
        needs: &[
            kernel!(
                "matmul",
                "global const float *a, global const float *b, global float *out, uint m, uint k, uint n"
            ),
            kernel!(
                "transpose",
                "global const float *a, global float *out, uint rows, uint columns"
            ),
        ],
        laws: laws! { Part2;
            laws: matrices_are_multiplied_and_transposed,
                long_matrix_products_are_accurate;
            edges: a_matmul_over_an_empty_axis_is_zero,
                an_operand_used_on_both_sides_gets_both_gradients;
            judged: matmul_agrees_with_the_reference,
                transpose_agrees_with_the_reference;
        },
    },
    Level {
        name: "scores",
        needs: &[
            kernel!(
                "softmax_log",
                "global const float *a, global float *out, uint columns"
            ),
            kernel!(
                "pick_labels",
                "global const float *a, global const uint *labels, global float *out, uint classes, uint rows"
            ),
            kernel!(
                "pick_backward",
                "global const float *grad_out, global const uint *labels, global float *grad_a, uint classes, uint n"
            ),
        ],
        laws: laws! { Part2;
            laws: log_probabilities_are_computed_and_selected;
            edges: softmax_of_large_scores_is_exact,
                every_row_of_softmax_sums_to_1,
                the_loss_of_equal_scores_is_the_log_of_the_number_of_classes,
                the_loss_of_a_confident_answer_is_zero_or_its_margin;
            judged: log_softmax_agrees_with_the_reference,
                cross_entropy_agrees_with_the_reference;
            network: three_epochs_read_nine_of_ten_digits;
        },
    },
];

/// Lists our kernels that one of the reader's replaces. The two rungs of the
/// ladder with tiles of 16 have the same launch shape.
fn replaced_kernels(name: &str) -> Vec<opencl::Kernel> {
    match name {
        "matmul" => vec![ours::MATMUL3_TILED, ours::MATMUL_TILED_KAHAN],
        "transpose" => vec![ours::TRANSPOSE_TILED],
        name => {
            let all = ours::ALL.iter();
            all.filter(|kernel| kernel.name() == name).copied().collect()
        }
    }
}

static FILE: OnceLock<Kernel> = OnceLock::new();

/// Returns the reader's kernel of this name, if it exists.
fn reader_kernel(name: &str) -> Option<Kernel> {
    FILE.get().expect("a program has a file of kernels").sibling(name)
}

/// Returns whether the program runs under Oclgrind.
fn is_simulated() -> bool {
    FILE.get().is_some_and(Kernel::is_simulated)
}

/// The `main` function of a program with the reader's kernels.
pub fn main(file: &'static str) -> ExitCode {
    let check = || {
        check_kernel_levels("my_kernels", file, |kernel| {
            let of = Part2(kernel.gpu().clone());
            let _ = FILE.set(kernel);
            let watched = ALONE_LAWS;
            Box::new(Ladder { of, levels: LEVELS, missing, task, watched, end })
        })
    };
    run_or_check(file.into(), &[("train", 600, |_| run())], check)
}

/// Returns the kernels that do not exist yet. If all of them exist, Part 2
/// uses them from now on.
fn missing(_: &Part2, _: usize, needs: &'static [Need]) -> Vec<&'static Need> {
    let missing: Vec<&Need> = needs
        .iter()
        .filter(|(name, _)| reader_kernel(name).is_none())
        .collect();
    if missing.is_empty() {
        for (name, _) in needs {
            if let Err(stop) = replace_ours(name) {
                resume_unwind(Box::new(stop));
            }
        }
    }
    missing
}

fn replace_ours(name: &str) -> Outcome {
    let Some(kernel) = reader_kernel(name) else { return Ok(()) };
    replaced_kernels(name)
        .iter()
        .try_for_each(|ours| kernel.stands_in_for(ours))
}

fn task(missing: &[&Need]) -> String {
    let kernels = missing.iter().map(|(_, it)| format!("\n  {it}"));
    kernels.collect::<String>() + "\n"
}

fn end(_: &Part2) -> Outcome {
    Ok(())
}

/// Trains the digits with the reader's kernels and with ours.
fn run() -> Result<(), Error> {
    let gpu = Gpu::first()?;
    let _ = FILE.set(Kernel::of_a_file(reader_file(), gpu.clone()));
    let e = Part2(gpu);
    let begin = || {
        let names = LEVELS.iter().flat_map(|level| level.needs);
        for (name, _) in names {
            replace_ours(name).map_err(sentence)?;
        }
        Ok(())
    };
    beside(&e, (&e, "ours"), lines(&["kernels/part2"]), begin)?;
    let needs = || LEVELS.iter().flat_map(|level| level.needs);
    let (mine, theirs): (Vec<&str>, Vec<&str>) = needs()
        .map(|(name, _)| *name)
        .partition(|it| reader_kernel(it).is_some());
    let listed = |names: &[&str]| match names {
        [] => "none".to_string(),
        names => names.join(", "),
    };
    println!("\nYour kernels: {}.", listed(&mine));
    println!("Our kernels, because you have none: {}.", listed(&theirs));
    println!("On {}.", e.0.name());
    Ok(())
}

fn sentence(stop: Stop) -> Error {
    Error::Mistake(match stop {
        Stop::Wrong { words, .. } => words,
        Stop::ToDo(words) | Stop::Skipped(words) => words,
    })
}
