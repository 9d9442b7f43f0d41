//! Optimizers give the parameters of PyTorch's on every device, at a known
//! number of launches. `tests/vectors/make_optim.py` wrote the expected
//! values.

use std::collections::BTreeMap;

use rungrad::nn::ParameterMut;
use rungrad::optim::{Adam, AdamW, Optimizer, Sgd};
use rungrad::part3_unified::{Device, Tensor};
use rungrad::{Error, attempt, ledger};
use serde_json::Value;

use super::training::eager_and_lazy;
use super::{leaf, third};
use testkit::clean;
#[cfg(feature = "engine")]
use testkit::device::gpu_or_skip;

const VECTORS: &str = include_str!("../vectors/optim.json");

struct Vectors {
    start: Vec<f32>,
    grads: Vec<Vec<f32>>,
    /// The parameter after each step.
    places: BTreeMap<String, Vec<Vec<f32>>>,
}

fn vectors() -> Vectors {
    let row = |row: &Value| -> Vec<f32> {
        let numbers = row.as_array().expect("a row").iter();
        numbers.map(|x| x.as_f64().expect("a number") as f32).collect()
    };
    let rows = |rows: &Value| -> Vec<Vec<f32>> {
        rows.as_array().expect("rows").iter().map(row).collect()
    };
    let all: Value = serde_json::from_str(VECTORS).expect("JSON");
    let places = all["places"].as_object().expect("cases").iter();
    Vectors {
        start: row(&all["start"]),
        grads: rows(&all["grads"]),
        places: places.map(|(name, p)| (name.clone(), rows(p))).collect(),
    }
}

/// Returns the optimizer of the script with the same settings.
fn optimizer(case: &str) -> Box<dyn Optimizer> {
    let other = |mut adam: Adam| {
        adam.betas = [0.8, 0.95];
        adam.epsilon = 1e-3;
        adam
    };
    match case {
        "sgd" => Box::new(Sgd::new(0.125, 0.0)),
        "sgd with momentum" => Box::new(Sgd::new(0.125, 0.75)),
        "adam" => Box::new(Adam::new(1e-3)),
        "adam with other betas" => Box::new(other(Adam::new(0.0625))),
        "adamw" => Box::new(AdamW::new(1e-3, 0.01)),
        "adamw with more decay" => Box::new(AdamW::new(0.0625, 0.5)),
        other => panic!("{other} is no case"),
    }
}

fn named(x: &mut Tensor) -> Vec<ParameterMut<'_>> {
    vec![("x".to_string(), x)]
}

/// Adds exactly this gradient to `x`.
fn add_gradient(x: &Tensor, grad: &[f32]) {
    let grad = Tensor::new(x.shape(), grad, x.device()).unwrap();
    (x * grad).sum().backward();
}

/// Steps with the gradients of the vectors. Before step `n`, the parameter
/// moves to `device(n)`.
fn check_steps(case: &str, device: impl Fn(usize) -> Device) {
    let Vectors { start, grads, places } = vectors();
    let mut optimizer = optimizer(case);
    let mut x = Tensor::new(&[2, 3], &start, Device::Cpu).unwrap();
    for (n, (grad, place)) in grads.iter().zip(&places[case]).enumerate() {
        let there = device(n);
        x = x.detach().to(there).unwrap().requires_grad();
        add_gradient(&x, grad);
        optimizer.step(named(&mut x));
        let yours = x.to_vec().unwrap();
        for (yours, right) in yours.iter().zip(place) {
            // A rounding error for every step or two, for values of this
            // magnitude.
            let near = (yours - right).abs() <= 5e-7 * right.abs().max(1.0);
            assert!(near, "{case}, step {n} on {there}: {yours}, not {right}");
        }
    }
}

/// Promise: Every optimizer gives the parameters of PyTorch's, on every device.
#[test]
fn every_optimizer_agrees_with_pytorch() {
    let _clean = clean();
    let cases = vectors().places;
    assert_eq!(cases.len(), 6);
    for device in eager_and_lazy() {
        cases.keys().for_each(|case| check_steps(case, |_| device));
    }
}

/// Promise: The state of an optimizer follows the model to a different device.
#[test]
fn optimizer_state_follows_the_model() {
    let _clean = clean();
    let [here, there] = [Device::Cpu, third::device()];
    for case in vectors().places.keys() {
        check_steps(case, |n| if (4..8).contains(&n) { there } else { here });
    }
}

/// A step of three parameters takes a known number of launches and leaves only
/// the new leaves. Adam updates two of the parameters in one launch.
///
/// Promise: An optimizer step takes a known number of launches.
#[cfg(feature = "engine")]
#[test]
fn an_optimizer_step_takes_a_known_number_of_launches() {
    let _clean = clean();
    let Some(gpu) = gpu_or_skip() else { return };
    let device = Device::Gpu(gpu.info().index);
    // The zeros of the first step are broadcast from one element and copied
    // once. Adam's state is not contiguous yet, so each parameter has its own
    // launch.
    for (case, launches, first, memory) in
        [("sgd", 12, 15, 3), ("adam", 2, 9, 4), ("adamw", 2, 9, 4)]
    {
        let mut optimizer = optimizer(case);
        let new = |n: usize| {
            let zeros = Tensor::new(&[n], &vec![0.5; n], device).unwrap();
            zeros.requires_grad()
        };
        let mut parameters = [new(3), new(1000), new(7)];
        let names = ["a", "b", "c"].map(String::from);
        for step in 0..3 {
            for x in &parameters {
                add_gradient(x, &vec![1.0; x.shape()[0]]);
            }
            let places = names.iter().cloned().zip(&mut parameters).collect();
            let ((), counts) = ledger::measure(|| optimizer.step(places));
            let builds = if step == 0 { counts.builds } else { 0 };
            assert_eq!(counts.builds, builds, "{case}");
            let (launches, memory) = match step {
                0 => (first, memory),
                _ => (launches, 0),
            };
            assert_eq!(counts.launches, launches, "{case}");
            assert_eq!((counts.nodes, counts.nodes_freed), (3, 3), "{case}");
            // The gradients are dropped with the old leaves.
            assert_eq!(counts.live_storages(), memory - 3, "{case} {step}");
            assert_eq!(counts.bytes_to_host, 0, "{case}");
        }
    }
}

#[test]
fn optimizer_steps_record_only_new_leaves() {
    let _clean = clean();
    for case in vectors().places.keys() {
        let mut optimizer = optimizer(case);
        let mut x = leaf(&[10.0]);
        let ((), counts) = ledger::measure(|| {
            for _ in 0..100 {
                (&x * 3.0).backward();
                optimizer.step(named(&mut x));
            }
        });
        assert_eq!((counts.nodes, counts.nodes_freed), (200, 200), "{case}");
        assert_eq!(x.tape().ops(), ["leaf"]);
        assert!(x.grad().is_none());
    }
}

/// A step that fails leaves each parameter, its gradient and the optimizer's
/// state unchanged.
///
/// Promise: An optimizer step updates all parameters or none.
#[test]
fn a_step_updates_all_parameters_or_none() {
    let _clean = clean();
    for case in vectors().places.keys() {
        let mut optimizer = optimizer(case);
        let (mut x, mut y) = (leaf(&[1.0]), leaf(&[2.0]));
        y = y.exp();
        (&x * 3.0).backward();
        let before = x.id();
        let both = vec![("x".to_string(), &mut x), ("y".to_string(), &mut y)];
        let refused = attempt(|| optimizer.step(both)).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "step: y is the result of exp, so it cannot be updated; replace it \
             by a leaf with .detach().requires_grad()"
        );
        assert_eq!((x.id(), x.grad().is_some()), (before, true), "{case}");
        // The rejected step does not count as a step.
        optimizer.step(named(&mut x));
        let mut fresh = leaf(&[1.0]);
        (&fresh * 3.0).backward();
        self::optimizer(case).step(named(&mut fresh));
        assert_eq!(x.to_vec().unwrap(), fresh.to_vec().unwrap(), "{case}");
    }
}

/// The first step skips `y`, because the loss does not depend on it, and the
/// second one, because it is frozen. The third step is the first for `y`.
///
/// Promise: An optimizer's step skips a parameter without a gradient, and
/// counts the steps of each parameter.
#[test]
fn a_parameter_without_a_gradient_is_skipped() {
    let _clean = clean();
    for case in vectors().places.keys() {
        let mut optimizer = optimizer(case);
        let (mut x, mut y) = (leaf(&[1.0]), leaf(&[2.0]));
        let mut step = |x: &mut Tensor, y: &mut Tensor| {
            let y = ("y".to_string(), y);
            optimizer.step(vec![("x".to_string(), x), y]);
        };
        (&x * 3.0).backward();
        step(&mut x, &mut y);
        assert_eq!(y.to_vec().unwrap(), [2.0], "{case}");
        y = y.detach();
        (&x * &y).backward();
        step(&mut x, &mut y);
        assert!(!y.records(), "{case}: it stays frozen");
        y = y.requires_grad();
        (&x * 3.0 + &y * 3.0).backward();
        step(&mut x, &mut y);
        let mut fresh = leaf(&[2.0]);
        (&fresh * 3.0).backward();
        self::optimizer(case).step(named(&mut fresh));
        assert_eq!(y.to_vec().unwrap(), fresh.to_vec().unwrap(), "{case}");
    }
}

#[test]
fn an_optimizer_rejects_parameters_of_another_model() {
    let _clean = clean();
    for case in vectors().places.keys() {
        let mut optimizer = optimizer(case);
        let mut x = leaf(&[1.0]);
        (&x * 3.0).backward();
        optimizer.step(named(&mut x));
        let mut other = leaf(&[1.0, 2.0]);
        (&other * 3.0).sum().backward();
        let refused = attempt(|| optimizer.step(named(&mut other)));
        let sentence = "step: these are not the parameters of the steps \
                        before; make an optimizer for each model";
        assert_eq!(refused, Err(Error::Mistake(sentence.into())), "{case}");
    }
}

#[test]
fn betas_outside_0_to_1_are_rejected() {
    let _clean = clean();
    for betas in [[1.0, 0.9], [0.9, -0.1], [f64::NAN, 0.9]] {
        let mut adam = Adam::new(0.1);
        adam.betas = betas;
        let mut x = leaf(&[1.0]);
        (&x * 3.0).backward();
        let refused = attempt(|| adam.step(named(&mut x))).unwrap_err();
        let sentence = refused.to_string();
        assert!(sentence.starts_with("step: the betas are"), "{sentence}");
    }
}
