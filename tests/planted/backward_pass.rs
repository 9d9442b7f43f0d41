//! Bugs in the backward pass, each caught by a test about graphs.

use super::miniature::{Bug, Miniature};
use super::{failure, says};
use testkit::spec;

/// Returns the message with which the test fails if the bug is present. The
/// same engine without the bug passes.
fn caught(bug: Bug, property: fn(&Miniature)) -> String {
    property(&Miniature(Bug::None));
    failure(|| property(&Miniature(bug)))
}

#[test]
fn an_overwritten_gradient_is_caught() {
    let bug = Bug::Overwrite;
    let said = caught(bug, spec::an_operand_used_twice_gets_both_gradients);
    says(&said, &["left: [3.0, -5.0]", "right: [6.0, -10.0]"]);
    let said = caught(bug, spec::every_rule_agrees_with_the_reference);
    says(&said, &["only one of several gradients is here: add them"]);
}

#[test]
fn a_missing_seed_is_caught() {
    let said = caught(Bug::NoSeed, spec::one_product_has_the_gradients_3_and_2);
    says(&said, &["left: [0.0]", "right: [3.0]"]);
}

#[test]
fn a_wrong_topological_order_is_caught() {
    // z = x^2 w^3 at x = 3 and w = 2: the gradient that arrives late is lost.
    let said = caught(Bug::BreadthFirst, spec::a_diamond_adds_its_two_paths);
    says(&said, &["left: [24.0]", "right: [48.0]"]);
    let said = caught(Bug::DepthFirst, spec::a_diamond_adds_its_two_paths);
    says(&said, &["left: [36.0]", "right: [108.0]"]);
}

#[test]
fn a_set_of_parents_is_caught() {
    let bug = Bug::ASetOfParents;
    let said = caught(bug, spec::an_operand_used_twice_gets_both_gradients);
    says(&said, &["left: [3.0, -5.0]", "right: [6.0, -10.0]"]);
    caught(bug, spec::parents_are_in_operand_order_with_repeats);
}

/// Promise: The specification catches gradients that remain on intermediate
/// nodes and names the cause.
#[test]
fn intermediate_gradients_that_remain_are_caught() {
    // The notebook has this bug.
    let said = caught(
        Bug::KeepsIntermediate,
        spec::a_second_backward_adds_the_same_gradient_again,
    );
    says(&said, &["left: [27.0, 48.0]", "right: [18.0, 32.0]"]);
}

#[test]
fn a_leaf_that_loses_its_first_gradient_is_caught() {
    let said = caught(
        Bug::ForgetsTheFirst,
        spec::a_second_backward_adds_the_same_gradient_again,
    );
    says(&said, &["left: [9.0, 16.0]", "right: [18.0, 32.0]"]);
}

#[test]
fn an_intermediate_gradient_that_is_kept_is_caught() {
    let said = caught(Bug::EveryTensorKeeps, spec::only_leaves_keep_a_gradient);
    says(&said, &["left: Some([1.0])", "right: None"]);
}

#[test]
fn an_implicit_sum_is_caught() {
    let said = caught(
        Bug::ImplicitSum,
        spec::a_root_with_many_elements_is_rejected_as_a_loss,
    );
    says(&said, &["the call was not refused"]);
}

#[test]
fn a_first_gradient_added_to_zeros_is_caught() {
    let said =
        caught(Bug::AddsToZeros, spec::the_first_gradient_is_stored_unchanged);
    says(&said, &["0.0, not -0"]);
}
