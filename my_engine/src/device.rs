//! The reader's device for Part 3. Their file implements `Backend`; the
//! functions listed in [`delegate!`](crate::delegate) are left to the
//! processor.
//!
//! The laws call the device through a wrapper, which counts and times the
//! calls, records which functions are left to the processor, and checks the
//! length of every result.

mod laws;
pub mod left;
mod run;
mod watched;

use std::process::ExitCode;

use exercises::{Answer, Outcome, says, shown, wrong};
use rungrad::part3_unified::{Backend, Device};

use crate::ladder::{Ladder, Level, Need, laws};
use crate::{reader_file, run_levels};
use testkit::engine::Part3;
use testkit::{edges, network, spec};
use watched::Watched;

/// Each operation, compared with the reference on seeded operands.
mod judged {
    use crate::ladder::judged;

    judged! {
        super::Part3, |_| 20;
        exp_agrees_with_the_judge "exp",
        relu_agrees_with_the_judge "relu",
        sigmoid_agrees_with_the_judge "sigmoid",
        gelu_agrees_with_the_judge "gelu",
        mul_agrees_with_the_judge "mul",
        add_agrees_with_the_judge "add",
        sub_agrees_with_the_judge "sub",
        div_agrees_with_the_judge "div",
        transpose_agrees_with_the_judge "transpose",
        sum_agrees_with_the_judge "sum",
        mean_agrees_with_the_judge "mean",
        max_agrees_with_the_judge "max",
        matmul_agrees_with_the_judge "matmul",
        softmax_agrees_with_the_judge "softmax",
        log_softmax_agrees_with_the_judge "log_softmax",
        cross_entropy_agrees_with_the_judge "cross_entropy",
    }
}

pub(crate) const LEVELS: &[Level<Part3>] = &[
    Level {
        name: "memory",
        needs: &[left::UPLOAD, left::DOWNLOAD],
        laws: laws! { Part3;
            laws: what_goes_up_comes_down,
                a_memory_knows_its_length,
                every_upload_has_a_memory_of_its_own,
                a_tensor_travels_there_and_back;
        },
    },
    Level {
        name: "one map",
        needs: &[left::UNARY],
        laws: laws! { Part3;
            laws: every_map_gives_its_values,
                a_map_of_nothing_is_nothing,
                a_map_leaves_its_operand_as_it_was,
                a_map_keeps_what_is_no_number,
                a_map_is_finite_far_out;
        },
    },
    Level {
        name: "a zip",
        needs: &[left::BINARY, left::WHERE_COND],
        laws: laws! { Part3;
            laws: a_zip_keeps_the_order_of_its_operands,
                every_zip_gives_its_values,
                a_choice_takes_the_first_where_the_mask_is_not_0,
                nothing_is_zipped_to_nothing;
        },
    },
    Level {
        name: "strides",
        needs: &[left::COPY, left::PASTE],
        laws: laws! { Part3;
            laws: the_views_of_the_lecture_are_read,
                any_view_is_copied_in_its_order,
                a_map_and_a_zip_walk_any_view,
                what_is_pasted_stands_where_the_view_shows,
                a_set_changes_one_array_and_no_other;
            edges: relu_passes_no_gradient_at_zero,
                relu_lets_a_nan_through,
                a_difference_is_not_turned_around,
                elements_have_the_values_of_pytorch_at_corners;
        },
    },
    Level {
        name: "rows",
        needs: &[left::REDUCE],
        laws: laws! { Part3;
            laws: rows_of_any_view_are_reduced,
                the_largest_of_a_row_may_be_negative,
                a_row_of_nothing_sums_to_0,
                a_million_numbers_are_added_right;
            edges: the_largest_of_a_nan_is_a_nan,
                a_sum_of_nothing_is_zero,
                ties_of_max_share_the_gradient,
                a_row_collects_what_its_copies_got;
            spec: two_products_give_9_16_and_12_24,
                a_diamond_adds_its_two_paths,
                a_second_backward_adds_the_same_again,
                empty_and_scalar_tensors_work,
                a_sum_of_any_length_is_right;
            judged: sum_agrees_with_the_judge,
                mean_agrees_with_the_judge,
                max_agrees_with_the_judge,
                exp_agrees_with_the_judge,
                relu_agrees_with_the_judge,
                sigmoid_agrees_with_the_judge,
                gelu_agrees_with_the_judge,
                mul_agrees_with_the_judge,
                add_agrees_with_the_judge,
                sub_agrees_with_the_judge,
                div_agrees_with_the_judge,
                transpose_agrees_with_the_judge;
        },
    },
    Level {
        name: "products",
        needs: &[left::MATMUL],
        laws: laws! { Part3;
            laws: matrices_of_any_view_are_multiplied,
                every_matrix_meets_its_partner;
            edges: a_product_over_nothing_is_zero,
                an_operand_used_on_both_sides_gets_both_parts;
            judged: matmul_agrees_with_the_judge;
            laws: long_products_are_right;
        },
    },
    Level {
        name: "gather and scatter",
        needs: &[left::INDEX_SELECT, left::INDEX_ADD, left::FOLD],
        laws: laws! { Part3;
            laws: rows_are_taken_at_their_indices,
                rows_that_meet_at_a_place_are_added,
                windows_that_overlap_are_added,
                a_convolution_is_that_of_the_processor;
            judged: softmax_agrees_with_the_judge,
                log_softmax_agrees_with_the_judge,
                cross_entropy_agrees_with_the_judge;
            edges: softmax_of_large_scores_is_exact,
                the_loss_of_equal_scores_is_the_logarithm_of_the_classes;
        },
    },
    Level {
        name: "training",
        needs: &[left::MEMORY, left::UNIFORM],
        laws: laws! { Part3;
            laws: a_seed_draws_the_same_numbers_everywhere,
                the_memory_in_use_is_counted_in_bytes,
                a_step_leaves_no_memory_behind;
            network: a_network_begins_uneven_and_without_bias,
                a_network_is_products_and_biases_and_relu_between,
                a_step_goes_against_the_gradient,
                momentum_keeps_what_was_before,
                three_epochs_read_nine_of_ten_digits;
            laws: nothing_is_left_to_the_processor;
        },
    },
];

/// The `main` function of a program with the reader's device.
pub fn main(backend: &'static dyn Backend, file: Answer) -> ExitCode {
    Watched::over(backend);
    let of = Part3(registered());
    let ladder = Ladder { of, levels: LEVELS, missing, task, watched: 0, end };
    run_levels("my_device", file, &ladder, &[("train", 600, |_| run::run())])
}

/// Returns the device of this program.
fn registered() -> Device {
    Device::register(&Watched)
}

/// Calls each function once and returns those that the processor computed.
fn missing(e: &Part3, _: usize, needs: &'static [Need]) -> Vec<&'static Need> {
    let is_left = |(name, _): &&Need| watched::is_left(e.0, name);
    needs.iter().filter(is_left).collect()
}

fn task(missing: &[&Need]) -> String {
    let mut words = String::new();
    for (_, signature) in missing {
        words += &format!("\n  impl Backend for Mine: {signature}");
    }
    let names: Vec<&str> = missing.iter().map(|(name, _)| *name).collect();
    words += &format!(
        "\n\n`delegate!` in your file still leaves {} to the processor: take \
         the name out there when you write the function.\n",
        names.join(", ")
    );
    words
}

/// Rejects a file that uses the processor's device directly.
fn end(_: &Part3) -> Outcome {
    match says(reader_file(), &["Device::Cpu"]) {
        None => Ok(()),
        Some((line, name)) => Err(wrong(format!(
            "{}:{line} names {name}: here you write a device, and the \
             processor's is ours.",
            shown(reader_file())
        ))),
    }
}
