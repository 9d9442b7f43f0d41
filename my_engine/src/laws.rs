//! The laws that the specification holds by a ledger, which an engine of a
//! reader's does not keep: here the memory itself is counted.

use crate::memory;
use crate::mine::{Mine, forget, in_stages, is_whole};
use testkit::engine::Engine;
use testkit::spec;

/// Fits a tenth of a million links into a tenth of 2 MB, which says the same in
/// a tenth of the time. The million is for the end.
pub(crate) fn a_long_chain_fits_a_small_stack(e: &Mine) {
    in_stages(|| match is_whole() {
        true => spec::a_million_links_fit_a_stack_of_2_mb(e),
        false => spec::links_fit_a_stack(e, 100_000, (2 << 20) / 10),
    });
}

/// Holds a third of the usual cases against the judge: each is a small graph.
pub(crate) fn every_rule_agrees_with_the_judge(e: &Mine) {
    spec::every_rule_agrees_on(e, e.usual().div_ceil(3));
}

/// So many steps warm up whatever grows once, and so many are measured.
const WARM: usize = 100;
const STEPS: usize = 1000;

/// Frees the graph of a step when its last handle goes: the law
/// `no_node_is_left_after_a_step`, by bytes.
pub(crate) fn a_step_leaves_nothing_behind(e: &Mine) {
    let step = || {
        let (a, b) = (e.leaf(&[2], &[2.0, 3.0]), e.leaf(&[2], &[3.0, 4.0]));
        let loss = e.sum(&e.mul(&e.mul(&a, &b), &b));
        e.backward(&loss);
        e.backward(&loss);
        drop(loss);
        drop(forget());
    };
    (0..WARM).for_each(|_| step());
    let before = memory::live();
    (0..STEPS).for_each(|_| step());
    let left = memory::live() - before;
    // A list that doubles once in a thousand steps is no graph.
    assert!(
        left < 8 * STEPS as isize,
        "after {STEPS} steps {left} bytes more are in use, {} for each: the \
         graph of a step is not freed when its last handle goes",
        left / STEPS as isize
    );
}
