//! Faults of the sweep, each caught by a sentence about graphs.

use super::miniature::{Fault, Miniature};
use super::{failure, says};
use testkit::spec;

/// The message with which the sentence fails when the fault is there. The
/// same engine without it passes.
fn caught(fault: Fault, sentence: fn(&Miniature)) -> String {
    sentence(&Miniature(Fault::None));
    failure(|| sentence(&Miniature(fault)))
}

#[test]
fn overwriting_is_caught_by_an_operand_used_twice() {
    let fault = Fault::Overwrite;
    let said = caught(fault, spec::an_operand_used_twice_gets_both_parts);
    says(&said, &["left: [3.0, -5.0]", "right: [6.0, -10.0]"]);
    let said = caught(fault, spec::every_rule_agrees_with_the_judge);
    says(&said, &["only one of several gradients is here: add them"]);
}

#[test]
fn a_seed_that_is_forgotten_is_caught_by_the_first_product() {
    let said = caught(Fault::NoSeed, spec::one_product_gives_3_and_2);
    says(&said, &["left: [0.0]", "right: [3.0]"]);
}

#[test]
fn a_wrong_order_is_caught_by_the_diamond() {
    // z = x^2 w^3 at x = 3 and w = 2: the half that comes late is lost.
    let said = caught(Fault::BreadthFirst, spec::a_diamond_adds_its_two_paths);
    says(&said, &["left: [24.0]", "right: [48.0]"]);
    let said = caught(Fault::DepthFirst, spec::a_diamond_adds_its_two_paths);
    says(&said, &["left: [36.0]", "right: [108.0]"]);
}

#[test]
fn a_set_of_parents_is_caught_by_an_operand_used_twice() {
    let fault = Fault::ASetOfParents;
    let said = caught(fault, spec::an_operand_used_twice_gets_both_parts);
    says(&said, &["left: [3.0, -5.0]", "right: [6.0, -10.0]"]);
    caught(fault, spec::parents_stand_in_operand_order_also_twice);
}

/// Promise: The specification catches gradients that remain on intermediate
/// nodes and names the cause.
#[test]
fn gradients_left_on_the_way_are_caught_by_the_second_backward() {
    // The notebook's own fault.
    let said =
        caught(Fault::KeepsTheWay, spec::a_second_backward_adds_the_same_again);
    says(&said, &["left: [27.0, 48.0]", "right: [18.0, 32.0]"]);
}

#[test]
fn a_leaf_that_forgets_is_caught_by_the_second_backward() {
    let said = caught(
        Fault::ForgetsTheFirst,
        spec::a_second_backward_adds_the_same_again,
    );
    says(&said, &["left: [9.0, 16.0]", "right: [18.0, 32.0]"]);
}

#[test]
fn a_tensor_in_the_middle_that_keeps_is_caught() {
    let said =
        caught(Fault::EveryTensorKeeps, spec::only_leaves_keep_a_gradient);
    says(&said, &["left: Some([1.0])", "right: None"]);
}

#[test]
fn an_implicit_sum_is_caught_by_a_root_of_many_elements() {
    let said =
        caught(Fault::ImplicitSum, spec::a_root_of_many_elements_is_no_loss);
    says(&said, &["the call was not refused"]);
}

#[test]
fn zeros_under_the_first_gradient_are_caught_by_its_sign() {
    let said = caught(Fault::AddsToZeros, spec::the_first_gradient_is_moved_in);
    says(&said, &["0.0, not -0"]);
}
