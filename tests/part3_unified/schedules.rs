//! Everything around an optimizer step: weight decay per group, learning rate
//! schedules, gradient clipping, and the Adam step as a primitive.
//! `tests/vectors/make_networks.py` wrote the expected values.

use rungrad::nn::{Parameter, ParameterMut};
use rungrad::optim::{
    Adam, AdamW, Optimizer, Schedule, Sgd, Way, clip_grad_norm,
};
use rungrad::part3_unified::{AdamStep, Array, DType, Device, Tensor};
use rungrad::{attempt, ledger};
use serde_json::Value;

use super::images::{tensor, values};
use super::networks::vectors;
use super::training::eager_and_lazy;
use super::{leaf, third};
use testkit::clean;
use testkit::device::gpu_or_skip;

fn list<'a>(of: &'a Value, name: &str) -> &'a [Value] {
    of[name].as_array().expect(name)
}

fn number(of: &Value, name: &str) -> f32 {
    of[name].as_f64().expect(name) as f32
}

#[track_caller]
fn near(yours: &Tensor, right: &[f32], what: &str) {
    for (yours, right) in yours.to_vec().unwrap().iter().zip(right) {
        let near = (yours - right).abs() <= 2e-6 * right.abs().max(1.0);
        assert!(near, "{what}: {yours}, not {right}");
    }
}

/// Adds the script's next gradient to `x`.
fn add_gradient(x: &Tensor, seed: usize) {
    let value = |i: usize| (((i * 37 + 23 * seed) % 101) as f32 - 50.0) / 8.0;
    let grad: Vec<f32> = (0..x.len()).map(value).collect();
    let grad = Tensor::new(x.shape(), &grad, x.device()).unwrap();
    (x * grad).sum().backward();
}

#[test]
fn each_group_has_its_own_weight_decay() {
    let _clean = clean();
    let all = vectors();
    for device in eager_and_lazy() {
        for case in list(&all, "groups") {
            let decays: Vec<f32> = list(case, "decays")
                .iter()
                .map(|it| it.as_f64().unwrap() as f32)
                .collect();
            let starts = list(case, "starts").iter();
            let mut leaves: Vec<Tensor> =
                starts.map(|it| tensor(it, device).requires_grad()).collect();
            let mut adam = AdamW::new(number(case, "lr"), 7.0)
                .decay_by(move |name, _| decays[usize::from(name == "b")]);
            for (step, places) in list(case, "places").iter().enumerate() {
                for (i, leaf) in leaves.iter().enumerate() {
                    add_gradient(leaf, 3 + 2 * step + i);
                }
                let names = ["a", "b"].map(String::from).into_iter();
                adam.step(names.zip(&mut leaves).collect());
                for (i, leaf) in leaves.iter().enumerate() {
                    let what = format!("{device}, step {step}, group {i}");
                    near(leaf, &values(&places[i]), &what);
                }
            }
        }
    }
}

#[test]
fn gradient_clipping_agrees_with_pytorch() {
    let _clean = clean();
    let all = vectors();
    for device in eager_and_lazy() {
        for case in list(&all, "clips") {
            let given = list(case, "grads").iter();
            let given: Vec<Tensor> =
                given.map(|it| tensor(it, device)).collect();
            let leaves: Vec<Tensor> = given
                .iter()
                .map(|it| it.zeros_like().requires_grad())
                .collect();
            for (leaf, grad) in leaves.iter().zip(&given) {
                leaf.mul(grad).sum().backward();
            }
            let named: Vec<Parameter> =
                leaves.iter().map(|it| (String::new(), it)).collect();
            let most = number(case, "most");
            let (norm, counts) =
                ledger::measure(|| clip_grad_norm(&named, most));
            assert_eq!(counts.bytes_to_host, 0, "{device}");
            assert!(!norm.records());
            let what = format!("{device}, at most {most}");
            near(&norm, &[number(case, "norm")], &what);
            let clipped = list(case, "clipped");
            for (leaf, right) in leaves.iter().zip(clipped) {
                let grad = leaf.grad().unwrap();
                assert!(!grad.records());
                near(&grad, &values(right), &what);
            }
        }
    }
}

#[test]
fn clipping_requires_gradients() {
    let _clean = clean();
    let (x, y) = (leaf(&[1.0]), leaf(&[2.0]));
    (&x * 3.0).backward();
    let both = [("x".to_string(), &x), ("y".to_string(), &y)];
    let refused = attempt(|| clip_grad_norm(&both[1..], 1.0)).unwrap_err();
    let sentence = refused.to_string();
    assert!(sentence.starts_with("clip_grad_norm: no parameter"), "{sentence}");
    assert_eq!(clip_grad_norm(&both, 1.0).item().unwrap(), 3.0);
    assert!(x.grad().unwrap().item().unwrap() < 1.0);
    assert!(y.grad().is_none());
    // A norm of 0 is not used as a divisor.
    x.zero_grad();
    (&x * 0.0).backward();
    let _ = clip_grad_norm(&both[..1], 1.0);
    assert_eq!(x.grad().unwrap().to_vec().unwrap(), [0.0]);
}

#[test]
fn learning_rate_schedules_agree_with_pytorch() {
    let _clean = clean();
    let all = vectors();
    assert_eq!(list(&all, "rates").len(), 5);
    for case in list(&all, "rates") {
        let way = match case["then"].as_str().unwrap() {
            "cosine" => Way::Cosine,
            "linear" => Way::Linear,
            _ => Way::Constant,
        };
        let count = |name: &str| case[name].as_u64().unwrap() as usize;
        let (warm_up, steps) = (count("warm_up"), count("steps"));
        let (peak, floor) = (number(case, "peak"), number(case, "floor"));
        let schedule = Schedule { peak, floor, warm_up, steps, way };
        for (step, right) in list(case, "rates").iter().enumerate() {
            let (yours, right) =
                (schedule.rate(step), right.as_f64().unwrap() as f32);
            let near = (yours - right).abs() <= 1e-7;
            assert!(near, "{schedule:?}, step {step}: {yours}, not {right}");
        }
        let end = if way == Way::Constant { peak } else { floor };
        assert_eq!(schedule.rate(steps), end);
        assert_eq!(schedule.rate(usize::MAX), end);
    }
    assert_eq!(Schedule::linear(1.0, 0).rate(0), 0.0);
    assert_eq!(Schedule::linear(1.0, 1).warm_up(0).rate(0), 1.0);
    let fields = Schedule { warm_up: 9, ..Schedule::linear(1.0, 3) };
    assert_eq!((fields.rate(4), fields.rate(9)), (0.5, 0.0));
    let fields = Schedule { warm_up: usize::MAX, ..fields };
    assert!(fields.rate(4) < 1e-18 && fields.rate(usize::MAX) <= 1.0);
    assert_eq!(Schedule::constant(0.5).rate(1 << 40), 0.5);
}

#[test]
fn a_learning_rate_applies_to_later_steps() {
    let _clean = clean();
    let all: [Box<dyn Optimizer>; 3] = [
        Box::new(Sgd::new(9.0, 0.0)),
        Box::new(Adam::new(9.0)),
        Box::new(AdamW::new(9.0, 0.0)),
    ];
    for mut optimizer in all {
        optimizer.set_learning_rate(0.5);
        let mut x = leaf(&[2.0]);
        (&x * 1.0).backward();
        optimizer.step(vec![("x".into(), &mut x)]);
        assert!((x.to_vec().unwrap()[0] - 1.5).abs() < 1e-6);
    }
}

fn step() -> AdamStep {
    AdamStep {
        betas: [0.9, 0.95],
        one_minus_betas: [0.1, 0.05],
        bias_correction: 0.3,
        epsilon: 1e-3,
        rate: -0.02,
        decay_factor: 0.99,
    }
}

/// The primitive on views and on sizes that are split among threads, compared
/// with the scalar formula.
#[test]
fn an_adam_step_is_the_same_on_every_device() {
    let _clean = clean();
    let step = step();
    for device in eager_and_lazy() {
        for n in [0, 1, 5, 300, 200_000] {
            if n > 300 && device == third::device() {
                continue;
            }
            // All arrays but the first are reversed views.
            let array = |seed: u64| {
                let all = Array::uniform(&[n], seed, device).unwrap();
                if seed == 1 { all } else { all.flip(&[0]).unwrap() }
            };
            let of = [1, 2, 3, 4].map(array);
            let given = of.each_ref().map(|a| a.to_vec().unwrap());
            let [x, grad, mean, square] = &of;
            let made = x.adam_step(grad, [mean, square], &step).unwrap();
            let yours = made.map(|a| a.to_vec().unwrap());
            for i in 0..n {
                let right = step.apply([0, 1, 2, 3].map(|at| given[at][i]));
                for (yours, right) in yours.iter().zip(right) {
                    let near = (yours[i] - right).abs() <= 1e-6;
                    assert!(near, "{device}, {i} of {n}: {}", yours[i]);
                }
            }
        }
    }
}

/// From the second step on, up to 32 parameters share a launch, and each has
/// exactly the bits of a separate step. In the first step the arrays have
/// arbitrary layouts.
///
/// Promise: An optimizer step of many parameters gives the same bits as steps
/// of each parameter alone.
#[test]
fn a_combined_step_has_the_bits_of_separate_steps() {
    let _clean = clean();
    let step = step();
    for device in eager_and_lazy() {
        let sizes = |count: usize| (0..count).map(|at| at * 37 % 300).collect();
        // One array of each list is empty and needs no launch in the first
        // step.
        let lists: [(Vec<usize>, [u64; 3]); 3] = [
            (sizes(0), [0, 0, 0]),
            (sizes(16), [15, 1, 15]),
            (sizes(38), [37, 3, 37]),
        ];
        let types = match device {
            Device::Gpu(_) => &[DType::F32, DType::F64, DType::F16][..],
            _ => &[DType::F32],
        };
        let both = |&dtype| lists.iter().map(move |list| (list, dtype));
        for ((sizes, launches), dtype) in types.iter().flat_map(both) {
            let array = |n: usize, seed: usize| {
                let all = Array::uniform(&[n], seed as u64, device).unwrap();
                all.to_dtype(dtype).unwrap()
            };
            let of = |(at, &n): (usize, &usize)| {
                [0, 1, 2, 3].map(|which| array(n, 4 * at + which))
            };
            let mut given: Vec<_> = sizes.iter().enumerate().map(of).collect();
            let counted = matches!(device, Device::Gpu(_) | Device::Fused(_))
                && dtype != DType::F16;
            for (round, launches) in launches.iter().enumerate() {
                if round == 2 {
                    // The means are elsewhere now, while the mean squares are
                    // still contiguous.
                    for (at, [x, _, mean, _]) in given.iter_mut().enumerate() {
                        *mean = array(x.len(), at);
                    }
                }
                let of: Vec<_> = given.iter().map(|of| of.each_ref()).collect();
                let take = || step.update(&of).unwrap();
                let (made, counts) = ledger::measure(take);
                if counted {
                    let found = counts.launches;
                    assert_eq!(found, *launches, "{sizes:?} on {device}");
                }
                for (made, [x, grad, mean, square]) in made.iter().zip(of) {
                    let moments = [mean, square];
                    let alone = x.adam_step(grad, moments, &step).unwrap();
                    let bits = |a: &Array| -> Vec<u64> {
                        let all = a.to_vec_of::<f64>().unwrap();
                        all.iter().map(|it| it.to_bits()).collect()
                    };
                    for (made, alone) in made.iter().zip(&alone) {
                        let same = bits(made) == bits(alone);
                        assert!(same, "{sizes:?} on {device}");
                    }
                }
                for (given, made) in given.iter_mut().zip(made) {
                    let [x, mean, square] = made;
                    *given = [x, given[1].clone(), mean, square];
                }
            }
        }
    }
}

/// Each decay group has its own launches, and each parameter its own decay.
#[test]
fn parameters_with_the_same_decay_share_launches() {
    let _clean = clean();
    let Some(gpu) = gpu_or_skip() else { return };
    let step = |device: Device| {
        let rank = |at: usize| if at.is_multiple_of(3) { 2 } else { 1 };
        let leaf = |at: usize| {
            let shape = &[1, 5 + at][2 - rank(at)..];
            Tensor::rand(shape, at as u64, device).unwrap().requires_grad()
        };
        let mut all: Vec<Tensor> = (0..9).map(leaf).collect();
        let mut adam = AdamW::new(0.5, 0.0)
            .decay_by(|_, p| if p.rank() > 1 { 0.25 } else { 0.0 });
        let mut launches = 0;
        for _ in 0..2 {
            for x in &all {
                (x * 1.0).sum().backward();
                x.grad().unwrap().realize().unwrap();
            }
            let names = (0..).map(|at: usize| at.to_string());
            let places: Vec<ParameterMut> = names.zip(&mut all).collect();
            let ((), counts) = ledger::measure(|| adam.step(places));
            launches = counts.launches;
        }
        let numbers = |x: &Tensor| x.to_vec().unwrap();
        (all.iter().map(numbers).collect::<Vec<_>>(), launches)
    };
    let (right, _) = step(Device::Cpu);
    let index = gpu.info().index;
    for device in [Device::Gpu(index), Device::Fused(index)] {
        let (yours, launches) = step(device);
        // Three matrices, and six other parameters.
        assert_eq!(launches, 2 + 2, "{device}");
        for (yours, right) in yours.iter().flatten().zip(right.iter().flatten())
        {
            assert!(
                (yours - right).abs() <= 1e-6,
                "{device}: {yours}, {right}"
            );
        }
    }
}

#[test]
fn adam_step_rejects_mixed_shapes_and_devices() {
    let _clean = clean();
    let array = |n: usize, device| Array::full(&[n], 1.0, device).unwrap();
    let [a, b] = [2, 3].map(|n| array(n, Device::Cpu));
    let refused = a.adam_step(&a, [&a, &b], &step()).unwrap_err().to_string();
    assert!(refused.starts_with("adam_step: "), "{refused}");
    let there = array(2, third::device());
    assert!(a.adam_step(&there, [&a, &a], &step()).is_err());
    assert!(step().update(&[[&a; 4], [&there; 4]]).is_err());
}

/// On a lazy device, the step is one launch after those of the gradient.
#[test]
fn a_lazy_adam_step_takes_one_launch() {
    let _clean = clean();
    let Some(gpu) = gpu_or_skip() else { return };
    let device = Device::Fused(gpu.info().index);
    let mut adam = AdamW::new(0.1, 0.1);
    let mut x = Tensor::rand(&[1000], 1, device).unwrap().requires_grad();
    for round in 0..3 {
        add_gradient(&x, round);
        let grad = x.grad().unwrap();
        grad.realize().unwrap();
        let places: Vec<ParameterMut> = vec![("x".into(), &mut x)];
        let ((), counts) = ledger::measure(|| adam.step(places));
        if round > 0 {
            assert_eq!(counts.launches, 1);
        }
    }
}
