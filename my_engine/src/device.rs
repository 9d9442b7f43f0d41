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
        exp_agrees_with_the_reference "exp",
        relu_agrees_with_the_reference "relu",
        sigmoid_agrees_with_the_reference "sigmoid",
        gelu_agrees_with_the_reference "gelu",
        mul_agrees_with_the_reference "mul",
        add_agrees_with_the_reference "add",
        sub_agrees_with_the_reference "sub",
        div_agrees_with_the_reference "div",
        transpose_agrees_with_the_reference "transpose",
        sum_agrees_with_the_reference "sum",
        mean_agrees_with_the_reference "mean",
        max_agrees_with_the_reference "max",
        matmul_agrees_with_the_reference "matmul",
        softmax_agrees_with_the_reference "softmax",
        log_softmax_agrees_with_the_reference "log_softmax",
        cross_entropy_agrees_with_the_reference "cross_entropy",
    }
}

pub(crate) const LEVELS: &[Level<Part3>] = &[
    Level {
        name: "memory",
        needs: &[left::UPLOAD, left::DOWNLOAD],
        laws: laws! { Part3;
            laws: a_download_returns_what_was_uploaded,
                a_storage_knows_its_length,
                every_upload_creates_a_new_storage,
                a_tensor_moves_to_the_device_and_back;
        },
    },
    Level {
        name: "one map",
        needs: &[left::UNARY],
        laws: laws! { Part3;
            laws: every_map_computes_the_right_values,
                a_map_of_no_elements_is_empty,
                a_map_does_not_change_its_operand,
                a_map_passes_nan_through,
                a_map_of_large_values_is_finite;
        },
    },
    Level {
        name: "a zip",
        needs: &[left::BINARY, left::WHERE_COND],
        laws: laws! { Part3;
            laws: a_zip_keeps_the_order_of_its_operands,
                every_zip_computes_the_right_values,
                a_mask_selects_the_first_array_where_it_is_not_0,
                a_zip_of_no_elements_is_empty;
        },
    },
    Level {
        name: "strides",
        needs: &[left::COPY, left::PASTE],
        laws: laws! { Part3;
            laws: the_views_of_the_chapter_are_read,
                any_view_is_copied_in_row_major_order,
                a_map_and_a_zip_read_any_view,
                a_paste_writes_where_the_view_points,
                a_set_changes_only_its_own_array;
            edges: relu_passes_no_gradient_at_zero,
                relu_passes_nan_through,
                a_difference_is_not_reversed,
                elementwise_operations_match_pytorch_at_special_values;
        },
    },
    Level {
        name: "rows",
        needs: &[left::REDUCE],
        laws: laws! { Part3;
            laws: rows_of_any_view_are_reduced,
                the_maximum_of_a_row_may_be_negative,
                an_empty_row_sums_to_0,
                a_sum_of_a_million_elements_is_accurate;
            edges: the_maximum_of_elements_with_nan_is_nan,
                a_sum_of_no_elements_is_zero,
                ties_of_max_share_the_gradient,
                a_broadcast_row_gets_the_sum_of_its_gradients;
            spec: two_products_have_the_gradients_9_16_and_12_24,
                a_diamond_adds_its_two_paths,
                a_second_backward_adds_the_same_gradient_again,
                empty_and_scalar_tensors_work,
                a_sum_of_any_length_is_right;
            judged: sum_agrees_with_the_reference,
                mean_agrees_with_the_reference,
                max_agrees_with_the_reference,
                exp_agrees_with_the_reference,
                relu_agrees_with_the_reference,
                sigmoid_agrees_with_the_reference,
                gelu_agrees_with_the_reference,
                mul_agrees_with_the_reference,
                add_agrees_with_the_reference,
                sub_agrees_with_the_reference,
                div_agrees_with_the_reference,
                transpose_agrees_with_the_reference;
        },
    },
    Level {
        name: "products",
        needs: &[left::MATMUL],
        laws: laws! { Part3;
            laws: matrices_of_any_view_are_multiplied,
                every_matrix_of_a_batch_has_its_own_partner;
            edges: a_matmul_over_an_empty_axis_is_zero,
                an_operand_used_on_both_sides_gets_both_gradients;
            judged: matmul_agrees_with_the_reference;
            laws: long_matrix_products_are_accurate;
        },
    },
    Level {
        name: "gather and scatter",
        needs: &[left::INDEX_SELECT, left::INDEX_ADD, left::FOLD],
        laws: laws! { Part3;
            laws: rows_are_read_at_their_indices,
                rows_with_the_same_index_are_added,
                overlapping_windows_are_added,
                a_convolution_agrees_with_the_processor;
            judged: softmax_agrees_with_the_reference,
                log_softmax_agrees_with_the_reference,
                cross_entropy_agrees_with_the_reference;
            edges: softmax_of_large_scores_is_exact,
                the_loss_of_equal_scores_is_the_log_of_the_number_of_classes;
        },
    },
    Level {
        name: "training",
        needs: &[left::MEMORY, left::UNIFORM],
        laws: laws! { Part3;
            laws: a_seed_gives_the_same_numbers_on_every_device,
                the_memory_in_use_is_counted_in_bytes,
                a_step_leaves_no_memory_in_use;
            network: a_new_network_has_unequal_weights_and_zero_biases,
                a_network_is_linear_layers_with_relu_between,
                a_step_goes_against_the_gradient,
                momentum_accumulates_earlier_gradients,
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
        "\n\n`delegate!` in your file still leaves {} to the processor: remove \
         the name there when you write the function.\n",
        names.join(", ")
    );
    words
}

/// Rejects a file that uses the processor's device directly.
fn end(_: &Part3) -> Outcome {
    match says(reader_file(), &["Device::Cpu"]) {
        None => Ok(()),
        Some((line, name)) => Err(wrong(format!(
            "{}:{line} uses {name}: here you write your own device, so do not \
             use the processor's.",
            shown(reader_file())
        ))),
    }
}
