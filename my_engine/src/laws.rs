//! The laws that the specification checks with a ledger. The reader's engine
//! keeps none, so the memory itself is measured here.

use crate::memory;
use crate::mine::{Mine, checks_in_full, in_stages, take_state};
use testkit::engine::Engine;
use testkit::spec;

/// Builds a tenth of a million nodes on a tenth of a 2 MB stack, which shows
/// the same in a tenth of the time. The full million runs at the end.
pub(crate) fn a_long_chain_fits_a_small_stack(e: &Mine) {
    in_stages(|| match checks_in_full() {
        true => spec::a_million_links_fit_a_stack_of_2_mb(e),
        false => spec::links_fit_a_stack(e, 100_000, (2 << 20) / 10),
    });
}

/// A walk without a set of visited nodes does not end, and the reader learns
/// why.
pub(crate) fn sixty_squares_are_listed_once_each(e: &Mine) {
    exercises::stage(
        "whose 61 nodes are connected by 2^60 paths: visit each node only once",
    );
    spec::sixty_squares_are_listed_once_each(e);
}

/// Compares the rules with the reference on a third of the usual cases,
/// because each case is a small graph.
pub(crate) fn every_rule_agrees_with_the_reference(e: &Mine) {
    spec::every_rule_agrees_on(e, e.usual().div_ceil(3));
}

/// Steps before the measurement, so that one-time allocations are not counted.
const WARM: usize = 100;
const STEPS: usize = 1000;

/// The graph of a step is freed when its last handle is dropped: the law
/// `no_node_is_left_after_a_step`, measured in bytes.
pub(crate) fn a_step_leaves_no_graph_in_memory(e: &Mine) {
    let step = || {
        let (a, b) = (e.leaf(&[2], &[2.0, 3.0]), e.leaf(&[2], &[3.0, 4.0]));
        let loss = e.sum(&e.mul(&e.mul(&a, &b), &b));
        e.backward(&loss);
        e.backward(&loss);
        drop(loss);
        drop(take_state());
    };
    (0..WARM).for_each(|_| step());
    let before = memory::live();
    (0..STEPS).for_each(|_| step());
    let left = memory::live() - before;
    // Tolerate a few bytes per step: a growing list, but not a graph.
    assert!(
        left < 8 * STEPS as isize,
        "after {STEPS} steps {left} more bytes are in use, {} per step: the \
         graph of a step is not freed when its last handle is dropped",
        left / STEPS as isize
    );
}
