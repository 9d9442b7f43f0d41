//! Compares one operation with the reference: values, gradients, the rules on
//! the tape, and leaks.

use rungrad::gradcheck::{self, Mismatch, within};
use rungrad::ledger;
use rungrad::ops::{OPERATIONS, Op};
use rungrad::reference::{self, Array};
use rungrad::tape::{Blame, Tape};

use super::calls::{each, rounding};
use super::cases::Case;
use super::elementwise;
use super::engine::Engine;
use super::random::{Random, cases, first_seed};

/// Defines one test for each listed operation, one for all elementwise
/// operations, and one that fails if the engine has an operation that is in
/// neither. Without a list, all operations are tested.
#[macro_export]
macro_rules! operations {
    ($open:path) => {
        $crate::operations!($open:
            mul_agrees_with_the_reference,
            add_agrees_with_the_reference,
            sub_agrees_with_the_reference,
            div_agrees_with_the_reference,
            pow_agrees_with_the_reference,
            sum_agrees_with_the_reference,
            mean_agrees_with_the_reference,
            max_agrees_with_the_reference,
            matmul_agrees_with_the_reference,
            reshape_agrees_with_the_reference,
            transpose_agrees_with_the_reference,
            softmax_agrees_with_the_reference,
            log_softmax_agrees_with_the_reference,
            cross_entropy_agrees_with_the_reference,
        );
    };
    ($open:path: $($sentence:ident,)*) => {
        $(
            #[test]
            fn $sentence() {
                let _clean = $crate::clean();
                if let Some(engine) = $open() {
                    let name = $crate::verdict::name(
                        stringify!($sentence),
                    );
                    $crate::verdict::agrees(&engine, name);
                }
            }
        )*

        #[test]
        fn every_elementwise_operation_agrees_with_the_reference() {
            let _clean = $crate::clean();
            if let Some(engine) = $open() {
                $crate::verdict::each_agrees(&engine);
            }
        }

        /// Promise: Every operation of an engine is compared with the
        /// reference.
        #[test]
        fn every_operation_has_a_test() {
            let _clean = $crate::clean();
            if let Some(engine) = $open() {
                let tests = [$(stringify!($sentence)),*];
                let names = tests.map($crate::verdict::name);
                $crate::verdict::every_operation_has_a_test(
                    &engine, &names,
                );
            }
        }
    };
}

/// Returns the operation that a test is about.
pub fn name(sentence: &str) -> &str {
    sentence.strip_suffix("_agrees_with_the_reference").expect("an operation")
}

/// Asserts that the tests of an engine name exactly the operations that it
/// has. A row of [`elementwise::ALL`] counts as a test.
pub fn every_operation_has_a_test<E: Engine>(e: &E, tests: &[&str]) {
    for name in OPERATIONS {
        let is_tested =
            tests.contains(name) || elementwise::find(name).is_some();
        assert!(is_tested || !has(e, name), "{} has {name}", e.name());
    }
    for name in tests {
        assert!(OPERATIONS.contains(name), "{name} is in no list");
        assert!(has(e, name), "{} has no {name}", e.name());
    }
}

/// Calls [`agrees`] for each elementwise operation that the engine has.
pub fn each_agrees<E: Engine>(e: &E) {
    let names = elementwise::ALL.iter().map(|one| one.name);
    let here: Vec<&str> = names.filter(|name| has(e, name)).collect();
    assert!(!here.is_empty(), "{} has none of them", e.name());
    here.iter().for_each(|name| agrees(e, name));
}

/// Returns whether the engine has the operation with this name.
pub fn has<E: Engine>(e: &E, name: &str) -> bool {
    let case = Random(0).case(name);
    call(e, &case, &leaves(e, &case)).is_some()
}

/// Tests an operation on random operands. Its values, and the gradients of its
/// operands for a random upstream gradient, must agree with the reference.
/// Each rule on its tape must be right and known to the reference, and no node
/// may be leaked.
#[track_caller]
pub fn agrees<E: Engine>(e: &E, name: &str) {
    agrees_on(e, name, e.usual());
}

/// Like [`agrees`], with a default number of cases for each operation.
#[track_caller]
pub fn agrees_on<E: Engine>(e: &E, name: &str, usual: u64) {
    let place = OPERATIONS.iter().position(|known| *known == name);
    let place = place.expect("an operation") as u64;
    // The number of requested cases is distributed over all operations.
    let (all, first) = (OPERATIONS.len() as u64, first_seed());
    for seed in first..first + cases(usual * all).div_ceil(all) {
        let mut random = Random(seed * all + place);
        let case = random.case(name);
        let what = format!("seed {seed} on {}: {}", e.name(), case.what());
        let ((), counts) = ledger::measure(|| {
            values_and_gradients(e, &case, &mut random, &what);
            rules(e, &case, &mut random, &what);
        });
        assert_eq!(counts.live_nodes(), 0, "{what} leaves nodes behind");
    }
}

fn leaves<E: Engine>(e: &E, case: &Case) -> Vec<E::Tensor> {
    let operands = case.operands.iter();
    operands.map(|(shape, values)| e.leaf(shape, values)).collect()
}

fn call<E: Engine>(e: &E, case: &Case, of: &[E::Tensor]) -> Option<E::Tensor> {
    e.call(&case.call, &of.iter().collect::<Vec<_>>())
}

#[track_caller]
fn values_and_gradients<E: Engine>(
    e: &E,
    case: &Case,
    random: &mut Random,
    what: &str,
) {
    let (leaves, operands) = (leaves(e, case), case.arrays());
    let out = call(e, case, &leaves);
    let out = out.unwrap_or_else(|| panic!("{what}: there is none"));
    let right = case.call.judge(&operands);
    assert_eq!(e.shape(&out), right.shape, "{what}: the shape of the result");
    near(&e.values(&out), &right, &case.call.allowed(&operands), what);

    let upstream = random.values(right.values.len());
    e.backward_with(&out, &right.shape, &upstream);
    let upstream = Array::new(&right.shape, &upstream);
    for (place, leaf) in leaves.iter().enumerate() {
        let yours = e.grad(leaf).unwrap_or_else(|| {
            panic!("{what}: operand {place} got no gradient")
        });
        let yours = Array::new(&operands[place].shape, &yours);
        let wrong = gradient(case, &operands, place, &upstream, &yours);
        if let Some(mismatch) = wrong {
            panic!("{what}: the gradient of operand {place}\n{mismatch}");
        }
    }
}

/// Compares the gradient of an operand with finite differences of the
/// reference.
pub fn gradient(
    case: &Case,
    operands: &[Array],
    place: usize,
    upstream: &Array,
    yours: &Array,
) -> Option<Mismatch> {
    let right = gradcheck::slope(operands, place, |operands| {
        gradcheck::dot(&case.call.judge(operands), upstream)
    });
    let rounded = case.call.gradient_allowed(operands, place, upstream);
    compare(yours, &right, &rounded)
}

/// Allows a fraction of the largest element, plus the rounding error of each
/// element.
fn compare(yours: &Array, right: &Array, rounded: &Array) -> Option<Mismatch> {
    let largest = right.values.iter().filter(|right| right.is_finite());
    let largest = largest.fold(0.0, |most: f64, right| most.max(right.abs()));
    let share = gradcheck::TOLERANCE * largest + 1e-7;
    within(yours, right, &each(rounded, |rounded| rounded + share), &[])
}

/// Two NaNs count as equal.
#[track_caller]
fn near(yours: &[f32], right: &Array, allowed: &Array, what: &str) {
    let pairs = yours.iter().zip(right.values.iter().zip(&allowed.values));
    for (i, (yours, (right, allowed))) in pairs.enumerate() {
        let error = (f64::from(*yours) - right).abs();
        assert!(
            error <= *allowed || (yours.is_nan() && right.is_nan()),
            "{what}: element {i} is {yours}, not {right}"
        );
    }
}

#[track_caller]
fn rules<E: Engine>(e: &E, case: &Case, random: &mut Random, what: &str) {
    let tape = e.record(|| {
        let out = call(e, case, &leaves(e, case)).expect("it was there");
        let shape = e.shape(&out);
        let weights = random.values(shape.iter().product());
        e.sum(&e.mul(&out, &e.leaf(&shape, &weights)))
    });
    assert_rules_are_right(&tape, what);
    assert_values_are_right(&tape, what);
}

/// Asserts that the recorded values follow from the recorded operations and
/// operands. Where the terms of a sum cancel, their rounding errors are
/// allowed.
#[track_caller]
pub fn assert_values_are_right(tape: &Tape, what: &str) {
    let array = |id: u64| {
        let record = &tape.records[tape.position(id).expect("a record")];
        let values = record.values.as_ref().expect("values");
        Array::new(&record.shape, values)
    };
    for record in tape.records.iter().filter(|r| !r.parents.is_empty()) {
        let operands: Vec<Array> =
            record.parents.iter().map(|&id| array(id)).collect();
        let forward = |operands: &[Array]| {
            let operands: Vec<&Array> = operands.iter().collect();
            let right = reference::forward(&record.op, &operands);
            right.expect("the judge knows it")
        };
        let right = forward(&operands);
        let sizes = operands.iter().map(|a| each(a, f64::abs));
        let terms = match record.op {
            Op::Sum(..) | Op::Matmul | Op::Contract(..) | Op::Conv2d(..) => {
                forward(&sizes.collect::<Vec<_>>())
            }
            _ => each(&right, |_| 0.0),
        };
        let rounded = each(&terms, |size| rounding(&operands) * size);
        let wrong = compare(&array(record.id), &right, &rounded);
        if let Some(mismatch) = wrong {
            panic!("{what}: {:?} on the tape\n{mismatch}", record.op);
        }
    }
}

/// Asserts that every rule on the tape is right and known to the reference.
/// The tape must have gradients, or no rule would be checked.
#[track_caller]
pub fn assert_rules_are_right(tape: &Tape, what: &str) {
    let op = |at: usize| tape.records[at].op.name();
    let result = tape.records.last().expect("a result");
    assert!(result.grad.is_some(), "{what}: no gradient is on the tape");
    match tape.blame() {
        None => {}
        Some(Blame::Rule { at, operand, mismatch }) => panic!(
            "{what}: the rule of {} for operand {operand}\n{mismatch}",
            op(at)
        ),
        Some(Blame::Sum { at, mismatch }) => {
            panic!("{what}: the sum at {}\n{mismatch}", op(at))
        }
    }
    assert_eq!(tape.unchecked(), [""; 0], "{what}: unknown to the judge");
}
