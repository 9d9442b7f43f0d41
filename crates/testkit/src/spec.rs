//! The specification: what every engine does, on every device. Numbers
//! computed by hand come first, then properties of graphs, then errors.

use std::thread;

use rungrad::ledger;
use rungrad::reference::{self, Array};
use rungrad::tape::Record;

use super::calls::Call;
use super::engine::Engine;
use super::random::Random;
use super::verdict::assert_rules_are_right;

/// Defines one test for each function that it lists. `$open` returns an
/// engine, or `None` after printing a skip.
#[macro_export]
macro_rules! specification {
    ($open:path) => {
        $crate::specification!(@ $open:
            a_product_multiplies_element_by_element,
            a_product_remembers_its_two_operands,
            sixty_squares_are_listed_once_each,
            one_product_has_the_gradients_3_and_2,
            two_products_have_the_gradients_9_16_and_12_24,
            a_graph_is_listed_parents_first,
            parents_are_in_operand_order_with_repeats,
            an_operand_used_twice_gets_both_gradients,
            a_diamond_adds_its_two_paths,
            thirty_diamonds_take_one_short_walk,
            a_second_backward_adds_the_same_gradient_again,
            every_backward_adds_exactly_the_same_bits,
            the_first_gradient_is_stored_unchanged,
            zero_grad_clears_the_gradient,
            a_root_that_is_a_leaf_keeps_its_own_gradient,
            only_leaves_keep_a_gradient,
            a_leaf_outside_the_graph_gets_no_gradient,
            a_root_with_many_elements_takes_an_upstream_gradient,
            a_root_with_many_elements_is_rejected_as_a_loss,
            a_gradient_with_a_different_shape_is_rejected,
            shapes_that_differ_are_rejected,
            an_addition_passes_its_gradient_to_both_operands,
            a_sum_has_no_axes,
            empty_and_scalar_tensors_work,
            a_sum_of_any_length_is_right,
            every_rule_agrees_with_the_reference,
            no_node_is_left_after_a_step,
        );
    };
    (@ $open:path: $($sentence:ident,)*) => {
        $(
            #[test]
            fn $sentence() {
                let _clean = $crate::clean();
                if let Some(engine) = $open() {
                    $crate::spec::$sentence(&engine);
                }
            }
        )*
    };
}

pub fn a_product_multiplies_element_by_element<E: Engine>(e: &E) {
    let left = [1.0, -2.0, 3.0, 0.5, 4.0, -1.0];
    let a = e.leaf(&[2, 3], &left);
    let b = e.leaf(&[2, 3], &[2.0, 3.0, -1.0, 4.0, 0.25, -5.0]);
    let c = e.mul(&a, &b);
    assert_eq!(e.shape(&c), [2, 3]);
    assert_eq!(e.values(&c), [2.0, -6.0, -3.0, 2.0, 1.0, 5.0]);
    assert_eq!(e.values(&a), left);
}

pub fn a_product_remembers_its_two_operands<E: Engine>(e: &E) {
    let (a, b) = (e.leaf(&[1], &[2.0]), e.leaf(&[1], &[3.0]));
    let tape = e.record(|| e.mul(&a, &b));
    // If they shared one id, the tape would have a single record.
    assert_eq!(tape.ops(), ["leaf", "leaf", "mul"]);
    let [a, b, c] = &tape.records[..] else { panic!("three records") };
    assert_eq!(c.parents, [a.id, b.id]);
    assert_eq!([a.parents.len(), b.parents.len()], [0, 0]);
}

/// There are two paths from each square to the one below, so a walk along all
/// paths would never end.
pub fn sixty_squares_are_listed_once_each<E: Engine>(e: &E) {
    let x = e.leaf(&[1], &[1.0]);
    let tape = e.record(|| {
        let mut y = e.mul(&x, &x);
        for _ in 1..60 {
            y = e.mul(&y, &y);
        }
        y
    });
    assert_eq!(tape.records.len(), 61);
}

pub fn one_product_has_the_gradients_3_and_2<E: Engine>(e: &E) {
    let (a, b) = (e.leaf(&[1], &[2.0]), e.leaf(&[1], &[3.0]));
    let c = e.mul(&a, &b);
    assert_eq!(e.values(&c), [6.0]);
    e.backward(&c);
    assert_eq!(e.grad(&a).unwrap(), [3.0]);
    assert_eq!(e.grad(&b).unwrap(), [2.0]);
}

/// Promise: Every engine, including a device defined in a test, computes the
/// gradients of the original notebook.
pub fn two_products_have_the_gradients_9_16_and_12_24<E: Engine>(e: &E) {
    let (a, b, loss) = two_products(e);
    e.backward(&loss);
    assert_eq!(e.grad(&a).unwrap(), [9.0, 16.0]);
    assert_eq!(e.grad(&b).unwrap(), [12.0, 24.0]);
}

fn two_products<E: Engine>(e: &E) -> (E::Tensor, E::Tensor, E::Tensor) {
    let (a, b) = (e.leaf(&[2], &[2.0, 3.0]), e.leaf(&[2], &[3.0, 4.0]));
    let d = e.mul(&e.mul(&a, &b), &b);
    let loss = e.sum(&d);
    (a, b, loss)
}

/// Promise: The topological order of the graphs in the original notebook is the
/// order printed there.
pub fn a_graph_is_listed_parents_first<E: Engine>(e: &E) {
    let order = |build: &dyn Fn(E::Tensor, E::Tensor) -> E::Tensor| {
        let (a, b) = (e.leaf(&[1], &[2.0]), e.leaf(&[1], &[3.0]));
        let tape = e.record(|| build(a, b));
        let values = tape.records.into_iter().map(|r| r.values.unwrap()[0]);
        values.collect::<Vec<_>>()
    };
    assert_eq!(order(&|a, b| e.mul(&a, &b)), [2.0, 3.0, 6.0]);
    let longer = order(&|a, b| {
        let c = e.mul(&a, &b);
        e.mul(&e.mul(&c, &b), &c)
    });
    assert_eq!(longer, [2.0, 3.0, 6.0, 18.0, 108.0]);
}

pub fn parents_are_in_operand_order_with_repeats<E: Engine>(e: &E) {
    let (a, b) = (e.leaf(&[1], &[2.0]), e.leaf(&[1], &[3.0]));
    let tape = e.record(|| {
        let c = e.mul(&e.mul(&b, &a), &b);
        e.mul(&c, &c)
    });
    let id = |value: f32| {
        let is = |r: &&Record| r.values == Some(vec![value]);
        tape.records.iter().find(is).expect("a record").id
    };
    let [a, b, ba, c] = [2.0, 3.0, 6.0, 18.0].map(id);
    let parents = tape.records.iter().map(|r| r.parents.clone());
    let right = [vec![], vec![], vec![b, a], vec![ba, b], vec![c, c]];
    assert_eq!(parents.collect::<Vec<_>>(), right);
}

/// Promise: An operand that is used twice receives the sum of both partial
/// gradients.
pub fn an_operand_used_twice_gets_both_gradients<E: Engine>(e: &E) {
    let x = e.leaf(&[2], &[3.0, -5.0]);
    e.backward(&e.sum(&e.mul(&x, &x)));
    assert_eq!(e.grad(&x).unwrap(), [6.0, -10.0]);
}

/// Promise: The gradients of two paths that meet again are added.
pub fn a_diamond_adds_its_two_paths<E: Engine>(e: &E) {
    // A walk that is not in topological order visits y too early. With the
    // operands in one of the two orders, the result may be right by luck.
    for short_way_first in [true, false] {
        let (x, w) = (e.leaf(&[1], &[3.0]), e.leaf(&[1], &[2.0]));
        let y = e.mul(&x, &w);
        let long = e.mul(&y, &w);
        let z = match short_way_first {
            true => e.mul(&y, &long),
            false => e.mul(&long, &y),
        };
        e.backward(&z);
        // z = x^2 w^3, so the derivatives are 2 x w^3 and 3 x^2 w^2.
        assert_eq!(e.grad(&x).unwrap(), [48.0]);
        assert_eq!(e.grad(&w).unwrap(), [108.0]);
    }
}

/// There are two paths from each square to the one below, so there are 2^30
/// paths from the last to the first. A walk along all of them would never end.
///
/// Promise: Backward visits each tensor once, even if exponentially many paths
/// lead to it.
pub fn thirty_diamonds_take_one_short_walk<E: Engine>(e: &E) {
    let x = e.leaf(&[1], &[1.0]);
    let mut y = e.mul(&x, &x);
    for _ in 1..30 {
        y = e.mul(&y, &y);
    }
    e.backward(&y);
    assert_eq!(e.grad(&x).unwrap(), [(1u32 << 30) as f32]);
}

/// Promise: A second backward pass adds the same gradient again.
pub fn a_second_backward_adds_the_same_gradient_again<E: Engine>(e: &E) {
    // First from a root with two elements, as in the notebook, then from their
    // sum.
    let (a, b) = (e.leaf(&[2], &[2.0, 3.0]), e.leaf(&[2], &[3.0, 4.0]));
    let d = e.mul(&e.mul(&a, &b), &b);
    e.backward_with(&d, &[2], &[1.0; 2]);
    e.backward_with(&d, &[2], &[1.0; 2]);
    assert_eq!(e.grad(&a).unwrap(), [18.0, 32.0]);
    assert_eq!(e.grad(&b).unwrap(), [24.0, 48.0]);

    let (a, b, loss) = two_products(e);
    e.backward(&loss);
    e.backward(&loss);
    assert_eq!(e.grad(&a).unwrap(), [18.0, 32.0]);
    assert_eq!(e.grad(&b).unwrap(), [24.0, 48.0]);
}

/// The gradients of one pass are added first, and the leaf adds the sum to its
/// gradient. If they were added to the leaf one by one, the second pass would
/// round differently.
///
/// Promise: Every backward pass adds exactly the same bits.
pub fn every_backward_adds_exactly_the_same_bits<E: Engine>(e: &E) {
    let mut random = Random(4);
    let x = e.leaf(&[100], &random.values(100));
    let y = e.mul(&x, &e.leaf(&[100], &random.values(100)));
    let loss = e.sum(&e.mul(&e.mul(&y, &x), &y));
    e.backward(&loss);
    let once = e.grad(&x).unwrap();
    let mut sum = once.clone();
    for _ in 0..3 {
        e.backward(&loss);
        sum.iter_mut().zip(&once).for_each(|(sum, g)| *sum += g);
        assert_eq!(e.grad(&x).unwrap(), sum);
    }
}

/// Adding it to zeros would cost an array and an addition, and would turn -0
/// into 0.
///
/// Promise: The first gradient of a leaf is moved into place instead of being
/// added to zeros.
pub fn the_first_gradient_is_stored_unchanged<E: Engine>(e: &E) {
    let (x, one) = (e.leaf(&[1], &[2.0]), e.leaf(&[1], &[1.0]));
    e.backward_with(&e.mul(&x, &one), &[1], &[-0.0]);
    let grad = e.grad(&x).unwrap()[0];
    assert!(
        grad == 0.0 && grad.is_sign_negative(),
        "the gradient of x is {grad:?}, not -0, so it was added to a 0: to a \
         gradient that began as zeros, or as the only term of a sum over \
         broadcast axes"
    );
}

pub fn zero_grad_clears_the_gradient<E: Engine>(e: &E) {
    let (a, _, loss) = two_products(e);
    e.backward(&loss);
    e.zero_grad(&a);
    assert_eq!(e.grad(&a), None);
    e.backward(&loss);
    assert_eq!(e.grad(&a).unwrap(), [9.0, 16.0]);
}

pub fn a_root_that_is_a_leaf_keeps_its_own_gradient<E: Engine>(e: &E) {
    let x = e.leaf(&[1], &[5.0]);
    e.backward(&x);
    assert_eq!(e.grad(&x).unwrap(), [1.0]);
    e.backward(&x);
    assert_eq!(e.grad(&x).unwrap(), [2.0]);
}

/// Promise: Only leaves keep a gradient after the backward pass.
pub fn only_leaves_keep_a_gradient<E: Engine>(e: &E) {
    let (a, b) = (e.leaf(&[1], &[2.0]), e.leaf(&[1], &[3.0]));
    let c = e.mul(&a, &b);
    let loss = e.sum(&c);
    e.backward(&loss);
    assert_eq!(e.grad(&c), None);
    assert_eq!(e.grad(&loss), None);
}

pub fn a_leaf_outside_the_graph_gets_no_gradient<E: Engine>(e: &E) {
    let (a, b) = (e.leaf(&[1], &[2.0]), e.leaf(&[1], &[3.0]));
    e.mul(&a, &b);
    e.backward(&e.mul(&a, &a));
    assert_eq!(e.grad(&a).unwrap(), [4.0]);
    assert_eq!(e.grad(&b), None);
}

pub fn a_root_with_many_elements_takes_an_upstream_gradient<E: Engine>(e: &E) {
    let (a, b) = (e.leaf(&[2], &[2.0, 3.0]), e.leaf(&[2], &[5.0, 7.0]));
    let c = e.mul(&a, &b);
    e.backward_with(&c, &[2], &[10.0, 100.0]);
    assert_eq!(e.grad(&a).unwrap(), [50.0, 700.0]);
    assert_eq!(e.grad(&b).unwrap(), [20.0, 300.0]);
}

/// Promise: `backward()` rejects a tensor with more than one element and never
/// sums implicitly.
pub fn a_root_with_many_elements_is_rejected_as_a_loss<E: Engine>(e: &E) {
    let x = e.leaf(&[2, 3], &[1.0; 6]);
    e.says(
        &e.refusal("the call", || e.backward(&e.mul(&x, &x))),
        "backward: this tensor has shape [2, 3], not one element; sum it \
         first, or hand backward_with a gradient of that shape",
    );
    assert_eq!(e.grad(&x), None, "a rejected backward leaves no gradient");
}

pub fn a_gradient_with_a_different_shape_is_rejected<E: Engine>(e: &E) {
    let x = e.leaf(&[2], &[1.0; 2]);
    let sentence =
        e.refusal("the call", || e.backward_with(&x, &[3], &[1.0; 3]));
    e.begins(&sentence, "backward_with: ");
    e.names(&sentence, &["[3]", "[2]"]);
}

pub fn shapes_that_differ_are_rejected<E: Engine>(e: &E) {
    let (a, b) = (e.leaf(&[2], &[1.0; 2]), e.leaf(&[3], &[1.0; 3]));
    let sentence = e.refusal("the call", || e.mul(&a, &b));
    e.begins(&sentence, "mul: the shapes [2] and [3] d");
}

pub fn an_addition_passes_its_gradient_to_both_operands<E: Engine>(e: &E) {
    let (a, b) = (e.leaf(&[2], &[2.0, 3.0]), e.leaf(&[2], &[-5.0, 7.0]));
    let c = e.call(&Call::Add, &[&a, &b]).expect("an addition");
    assert_eq!(e.values(&c), [-3.0, 10.0]);
    e.backward_with(&c, &[2], &[10.0, 100.0]);
    assert_eq!(e.grad(&a).unwrap(), [10.0, 100.0]);
    assert_eq!(e.grad(&b).unwrap(), [10.0, 100.0]);
}

pub fn a_sum_has_no_axes<E: Engine>(e: &E) {
    let x = e.leaf(&[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let total = e.sum(&x);
    assert_eq!(e.shape(&total), [0; 0]);
    assert_eq!(e.values(&total), [21.0]);
    e.backward(&total);
    assert_eq!(e.grad(&x).unwrap(), [1.0; 6]);
}

/// Promise: Tensors with zero elements and with zero axes work.
pub fn empty_and_scalar_tensors_work<E: Engine>(e: &E) {
    let none = e.leaf(&[0, 3], &[]);
    let loss = e.sum(&e.mul(&none, &none));
    assert_eq!(e.values(&loss), [0.0]);
    e.backward(&loss);
    assert_eq!(e.grad(&none).unwrap(), [0.0; 0]);

    let scalar = e.leaf(&[], &[4.0]);
    let square = e.mul(&scalar, &scalar);
    assert_eq!(e.shape(&square), [0; 0]);
    e.backward(&square);
    assert_eq!(e.grad(&scalar).unwrap(), [8.0]);
}

/// Lengths of one work-group, one element more, several passes, and
/// non-multiples.
pub fn a_sum_of_any_length_is_right<E: Engine>(e: &E) {
    let mut random = Random(1);
    for n in [1, 2, 255, 256, 257, 1000, 65_536, 70_001] {
        let values = random.values(n);
        let x = e.leaf(&[n], &values);
        let total = e.sum(&x);
        let right = reference::sum(&Array::new(&[n], &values), &[]).values[0];
        let size: f64 = values.iter().map(|v| f64::from(v.abs())).sum();
        let error = (f64::from(e.values(&total)[0]) - right).abs();
        // Each addition rounds the partial sum by at most a factor of 2^-24. A
        // plain loop makes n additions, and in the worst case all errors have
        // the same sign.
        assert!(error <= 1e-5 * size, "n = {n}: off by {error}");
        e.backward(&total);
        assert_eq!(e.grad(&x).unwrap(), vec![1.0; n]);
    }
}

/// Promise: Every operation and its gradient agree with the f64 reference in
/// `src/judge/reference.rs`, on every engine and on the lazy devices.
pub fn every_rule_agrees_with_the_reference<E: Engine>(e: &E) {
    every_rule_agrees_on(e, 20);
}

/// Like [`every_rule_agrees_with_the_reference`], with a number of graphs.
pub fn every_rule_agrees_on<E: Engine>(e: &E, cases: u64) {
    let mut random = Random(2);
    for _ in 0..cases {
        let shape = random.shape();
        let n = shape.iter().product();
        let (a, b) = (random.values(n), random.values(n));
        let tape = e.record(|| {
            let (a, b) = (e.leaf(&shape, &a), e.leaf(&shape, &b));
            let c = e.mul(&e.mul(&a, &b), &b);
            e.mul(&e.sum(&e.mul(&c, &a)), &e.sum(&b))
        });
        assert_rules_are_right(
            &tape,
            &format!("{}, shape {shape:?}", e.name()),
        );
    }
}

/// Promise: A graph is freed when its last handle is dropped.
pub fn no_node_is_left_after_a_step<E: Engine>(e: &E) {
    let ((), counts) = ledger::measure(|| {
        let (a, _, loss) = two_products(e);
        e.backward(&loss);
        e.backward(&loss);
        assert!(e.grad(&a).is_some());
    });
    assert!(counts.nodes >= 5, "five tensors make five nodes");
    assert_eq!(counts.live_nodes(), 0, "nodes that are not freed");
}

/// Builds a chain of operations, runs backward, and frees it.
pub fn a_chain_runs_forward_and_backward<E: Engine>(e: &E, links: u32) {
    let (x, one) = (e.leaf(&[1], &[1.0]), e.leaf(&[1], &[1.0]));
    let mut y = x.clone();
    for _ in 0..links {
        y = e.mul(&y, &one);
    }
    e.backward(&y);
    assert_eq!(e.grad(&x).unwrap(), [1.0]);
    assert_eq!(e.grad(&one).unwrap(), [links as f32]);
}

/// Promise: A chain of one million operations runs forward, backward and `Drop`
/// in 2 MB of stack.
pub fn a_million_links_fit_a_stack_of_2_mb<E: Engine + Sync>(e: &E) {
    links_fit_a_stack(e, 1_000_000, 2 << 20);
}

/// Two bytes for each operation are too small for a stack frame, so recursion
/// would overflow.
pub fn links_fit_a_stack<E: Engine + Sync>(e: &E, links: u32, bytes: usize) {
    thread::scope(|scope| {
        let small = thread::Builder::new().stack_size(bytes);
        let work = || a_chain_runs_forward_and_backward(e, links);
        let small = small.spawn_scoped(scope, work).expect("a thread");
        if let Err(failure) = small.join() {
            std::panic::resume_unwind(failure);
        }
    });
}
