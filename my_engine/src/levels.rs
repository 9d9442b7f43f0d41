//! The levels, in the order of the chapters, and what each requires.

use exercises::{Outcome, says, shown, wrong};
use rungrad::ops::OPERATIONS;
use rungrad::rng::Random;

use crate::broken;
use crate::ladder::{Ladder, Level, Need, laws};
use crate::laws;
use crate::mine::{self, Mine};
use crate::table::{Handle, find, if_written};
use crate::{engine, reader_file};
use testkit::verdict::{agrees, each_agrees, has};
use testkit::{edges, network, refusals, spec};

/// Each operation, compared with the reference on seeded operands.
mod judged {
    use crate::ladder::judged;

    judged! {
        super::Mine, testkit::engine::Engine::usual;
        mul_agrees_with_the_reference "mul",
        add_agrees_with_the_reference "add",
        sub_agrees_with_the_reference "sub",
        matmul_agrees_with_the_reference "matmul",
        softmax_agrees_with_the_reference "softmax",
        log_softmax_agrees_with_the_reference "log_softmax",
        cross_entropy_agrees_with_the_reference "cross_entropy",
    }
}

fn every_elementwise_operation_agrees_with_the_reference(e: &Mine) {
    each_agrees(e);
}

mod elements {
    pub(super) use super::every_elementwise_operation_agrees_with_the_reference;
}

pub(crate) const LEVELS: &[Level<Mine>] = &[
    Level {
        name: "a product with parents",
        needs: &[
            ("new", "pub fn new(shape: &[usize], values: &[f32]) -> Tensor"),
            ("shape", "pub fn shape(&self) -> &[usize]"),
            ("to_vec", "pub fn to_vec(&self) -> Vec<f32>"),
            ("id", "pub fn id(&self) -> u64"),
            ("op", "pub fn op(&self) -> &'static str"),
            ("parents", "pub fn parents(&self) -> &[Tensor]"),
            ("mul", "pub fn mul(&self, other: &Tensor) -> Tensor"),
        ],
        laws: laws! { Mine;
            spec: a_product_multiplies_element_by_element,
                a_product_remembers_its_two_operands,
                parents_are_in_operand_order_with_repeats,
                shapes_that_differ_are_rejected;
        },
    },
    Level {
        name: "the order",
        needs: &[("graph", "pub fn graph(&self) -> Vec<Tensor>")],
        laws: laws! { Mine;
            spec: a_graph_is_listed_parents_first;
            laws: sixty_squares_are_listed_once_each;
        },
    },
    Level {
        name: "one backward pass",
        needs: &[
            ("backward", "pub fn backward(&self)"),
            ("backward_with", "pub fn backward_with(&self, grad: &Tensor)"),
            ("grad", "pub fn grad(&self) -> Option<Vec<f32>>"),
        ],
        laws: laws! { Mine;
            spec: one_product_has_the_gradients_3_and_2,
                a_root_with_many_elements_takes_an_upstream_gradient,
                the_first_gradient_is_stored_unchanged,
                a_root_with_many_elements_is_rejected_as_a_loss,
                a_gradient_with_a_different_shape_is_rejected;
        },
    },
    Level {
        name: "adding gradients",
        needs: &[
            ("add", "pub fn add(&self, other: &Tensor) -> Tensor"),
            ("sum", "pub fn sum(&self) -> Tensor"),
            ("zero_grad", "pub fn zero_grad(&self)"),
        ],
        laws: laws! { Mine;
            spec: an_addition_passes_its_gradient_to_both_operands,
                a_sum_has_no_axes,
                an_operand_used_twice_gets_both_gradients,
                a_root_that_is_a_leaf_keeps_its_own_gradient,
                a_leaf_outside_the_graph_gets_no_gradient,
                a_diamond_adds_its_two_paths,
                thirty_diamonds_take_one_short_walk,
                two_products_have_the_gradients_9_16_and_12_24,
                a_second_backward_adds_the_same_gradient_again,
                every_backward_adds_exactly_the_same_bits,
                zero_grad_clears_the_gradient,
                only_leaves_keep_a_gradient,
                empty_and_scalar_tensors_work,
                a_sum_of_any_length_is_right;
            laws: every_rule_agrees_with_the_reference;
        },
    },
    Level {
        name: "a million links",
        needs: &[],
        laws: laws! { Mine;
            laws: a_long_chain_fits_a_small_stack,
                a_step_leaves_no_graph_in_memory;
        },
    },
    Level {
        name: "few rules",
        needs: &[
            ("neg", "pub fn neg(&self) -> Tensor"),
            ("exp", "pub fn exp(&self) -> Tensor"),
            ("relu", "pub fn relu(&self) -> Tensor"),
            ("sub", "pub fn sub(&self, other: &Tensor) -> Tensor"),
        ],
        laws: laws! { Mine;
            elements: every_elementwise_operation_agrees_with_the_reference;
            edges: relu_passes_no_gradient_at_zero,
                relu_passes_nan_through,
                relu_stops_a_nan_gradient,
                a_difference_is_not_reversed;
        },
    },
    Level {
        name: "broadcasting",
        needs: &[],
        laws: laws! { Mine;
            edges: a_broadcast_row_gets_the_sum_of_its_gradients;
            judged: mul_agrees_with_the_reference,
                add_agrees_with_the_reference,
                sub_agrees_with_the_reference;
            refusals: shapes_that_do_not_broadcast_are_rejected;
        },
    },
    Level {
        name: "matmul",
        needs: &[("matmul", "pub fn matmul(&self, other: &Tensor) -> Tensor")],
        laws: laws! { Mine;
            judged: matmul_agrees_with_the_reference;
            edges: a_matmul_over_an_empty_axis_is_zero,
                an_operand_used_on_both_sides_gets_both_gradients;
            refusals: matrices_that_do_not_fit_are_rejected,
                a_matmul_of_a_vector_is_rejected;
        },
    },
    Level {
        name: "softmax",
        needs: &[
            ("log_softmax", "pub fn log_softmax(&self) -> Tensor"),
            ("softmax", "pub fn softmax(&self) -> Tensor"),
            (
                "cross_entropy",
                "pub fn cross_entropy(&self, labels: &[usize]) -> Tensor",
            ),
        ],
        laws: laws! { Mine;
            judged: log_softmax_agrees_with_the_reference,
                softmax_agrees_with_the_reference;
            edges: softmax_of_large_scores_is_exact,
                every_row_of_softmax_sums_to_1;
            judged: cross_entropy_agrees_with_the_reference;
            edges: the_loss_of_equal_scores_is_the_log_of_the_number_of_classes,
                the_loss_of_a_confident_answer_is_zero_or_its_margin;
            refusals: a_softmax_of_a_scalar_is_rejected,
                labels_that_do_not_fit_the_scores_are_rejected;
        },
    },
    Level {
        name: "training",
        needs: &[
            (
                "Network::new",
                "pub fn new(sizes: &[usize], random: &mut Random) -> Network",
            ),
            ("forward", "pub fn forward(&self, x: &Tensor) -> Tensor"),
            ("parameters", "pub fn parameters(&self) -> Vec<Tensor>"),
            ("step", "pub fn step(&mut self, rate: f32, momentum: f32)"),
        ],
        laws: laws! { Mine;
            network: a_new_network_has_unequal_weights_and_zero_biases,
                a_network_is_linear_layers_with_relu_between,
                a_step_goes_against_the_gradient,
                momentum_accumulates_earlier_gradients,
                a_step_does_not_change_earlier_graphs,
                three_epochs_read_nine_of_ten_digits;
        },
    },
];

/// Returns whether the engine has a function. The function is called once, and
/// its result is ignored.
pub(crate) fn is_written(name: &str) -> bool {
    let table = engine();
    let new = || (table.new)(&[2, 2], &[1.0, 2.0, 3.0, 4.0]);
    let work = || match name {
        "new" => drop(new()),
        "shape" => drop((table.shape)(&new())),
        "to_vec" => drop((table.to_vec)(&new())),
        "id" => drop((table.id)(&new())),
        "op" => drop((table.op)(&new())),
        "parents" => drop((table.parents)(&new())),
        "graph" => drop((table.graph)(&new())),
        "grad" => drop((table.grad)(&new())),
        "zero_grad" => (table.zero_grad)(&new()),
        "backward" => (table.backward)(&(table.new)(&[1], &[1.0])),
        "backward_with" => (table.backward_with)(&new(), &new()),
        "Network::new" => drop(network()),
        "forward" => drop((table.forward)(&network(), &new())),
        "parameters" => drop((table.parameters)(&network())),
        "step" => (table.step)(&network(), 0.1, 0.0),
        "cross_entropy" => {
            let many = find(table.many, name).expect("it is in the table");
            drop(many(&new(), &[0, 1]));
        }
        name => match (find(table.one, name), find(table.two, name)) {
            (Some(one), _) => drop(one(&new())),
            (_, Some(two)) => drop(two(&new(), &new())),
            _ => unreachable!("{name} is in the table"),
        },
    };
    // If it fails in any other way, the function exists.
    std::panic::catch_unwind(|| if_written(work).is_some()).unwrap_or(true)
}

fn network() -> Handle {
    (engine().network)(&[2, 2], &mut Random::new(0))
}

/// The levels of the reader's engine.
pub(crate) const LADDER: Ladder<Mine> =
    Ladder { of: Mine, levels: LEVELS, missing, task, watched: 0, end };

fn missing(
    _: &Mine,
    level: usize,
    needs: &'static [Need],
) -> Vec<&'static Need> {
    mine::set_level(level);
    let has_new = is_written("new");
    let is_lost = |(name, _): &&Need| match *name {
        "new" => !has_new,
        name => !has_new || !is_written(name),
    };
    needs.iter().filter(is_lost).collect()
}

/// Runs all laws in full when the last level passes for the first time. Also
/// tests optional operations: if one exists, it must be correct.
fn end(_: &Mine) -> Outcome {
    if !mine::has_passed(LEVELS.len()) {
        mine::check_in_full();
        // The last level has already trained the network in full.
        for (level, number) in LEVELS[..LEVELS.len() - 1].iter().zip(1..) {
            mine::set_level(number);
            let mut laws = level.laws.iter().copied();
            laws.try_for_each(|law| broken::run_law(&Mine, law))?;
        }
    }
    let parts = ["part1_cpu", "part2_gpu", "part3_unified"];
    if let Some((line, part)) = says(reader_file(), &parts) {
        return Err(wrong(format!(
            "{}:{line} uses {part}: that is an engine of the course, but here \
             you write your own.",
            shown(reader_file())
        )));
    }
    for name in extras() {
        let law: fn(&Mine) = match name {
            "div" => |e| agrees(e, "div"),
            "pow" => |e| agrees(e, "pow"),
            "reshape" => |e| agrees(e, "reshape"),
            "transpose" => |e| agrees(e, "transpose"),
            _ => continue,
        };
        broken::run_law(&Mine, (name, law))?;
    }
    Ok(())
}

/// Explains how to write the functions that a level requires.
fn task(missing: &[&(&'static str, &'static str)]) -> String {
    let mut words = String::new();
    let networks = missing.iter().any(|(name, _)| *name == "Network::new");
    let is_of_network = |name: &str| {
        ["Network::new", "forward", "parameters", "step"].contains(&name)
    };
    for (name, signature) in missing {
        let whose = match is_of_network(name) {
            true => "Network",
            false => "Tensor",
        };
        words += &format!("\n  impl {whose}: {signature}");
    }
    words += "\n";
    if networks {
        words += "\n`Random` is `rungrad::rng::Random`; `random.normal()` \
                  draws a value.\n";
    }
    for (name, _) in missing {
        let plain = name.trim_start_matches("Network::");
        if *name == "Network::new" {
            continue;
        }
        let phrase = format!("fn {plain}(");
        if let Some((line, _)) = says(reader_file(), &[&phrase]) {
            words += &format!(
                "\nThere is a `{plain}` at line {line}, but the check cannot \
                 call it: it must be `pub`, be inside such an `impl`, and have \
                 this signature.\n"
            );
        }
    }
    words
}

/// Returns the operations of the course that the engine has.
pub(crate) fn operations() -> Vec<&'static str> {
    let all = OPERATIONS.iter().copied();
    all.filter(|name| has(&Mine, name)).collect()
}

/// Returns the operations that no level requires.
fn extras() -> Vec<&'static str> {
    let asked = |name: &&str| {
        let needs = LEVELS.iter().flat_map(|level| level.needs);
        needs.into_iter().any(|(known, _)| known == name)
    };
    operations().into_iter().filter(|name| !asked(name)).collect()
}
