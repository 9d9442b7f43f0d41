//! A run continues from a checkpoint exactly where it was, and a checkpoint
//! that does not fit changes nothing.

#[path = "../../examples/part3_checkpoint/run.rs"]
mod run;

use std::fs;
use std::path::Path;

use rungrad::Error;
use rungrad::io::{self, Part, State, Value};
use rungrad::nn::{BatchNorm, Dropout, Linear, Module, Parameters};
use rungrad::nn::{Residual, Sequential};
use rungrad::optim::{Adam, Optimizer, Sgd};
use rungrad::part3_unified::{Device, Tensor};
use rungrad::rng::Random as Bits;

use super::devices;
use super::files::{folder, sentence};
pub(super) use run::Run;
use testkit::clean;
use testkit::damage::damaged;
use testkit::random::{Random, cases, first_seed};

/// Hashes the full state of a run.
pub(super) fn digest(run: &mut Run) -> u32 {
    let mut digest = 17_u32;
    let mut add = |bits: u32| digest = digest.wrapping_mul(31) ^ bits;
    for (_, part) in run.parts() {
        for (_, value) in part.state() {
            match value {
                Value::Number(number) => add(number as u32),
                Value::Tensor(tensor) => {
                    let values = tensor.to_vec().unwrap();
                    values.iter().for_each(|x| add(x.to_bits()));
                }
            }
        }
    }
    digest
}

/// A missing part changes the first loss, or the second if it affects only the
/// step.
///
/// Promise: A checkpoint without one part of the state leads to different
/// losses, so a missing part is noticed.
#[test]
fn a_checkpoint_without_a_part_changes_the_losses() {
    let _clean = clean();
    let folder = folder("forgetful");
    let mut run = Run::new(0, Device::Cpu).unwrap();
    for _ in 0..20 {
        run.step().unwrap();
    }
    for missing in 0..5 {
        let path = folder.join(missing.to_string());
        let mut parts: Vec<Part> = run.parts().into();
        parts.remove(missing);
        io::checkpoint(&path, &parts).unwrap();
    }
    let bits = |run: &mut Run| run.step().unwrap().to_bits();
    let right: Vec<u32> = (0..5).map(|_| bits(&mut run)).collect();
    for (missing, first) in
        [Some(0), Some(1), Some(0), Some(0), None].into_iter().enumerate()
    {
        let mut again = Run::new(1, Device::Cpu).unwrap();
        let mut parts: Vec<Part> = again.parts().into();
        let (name, _) = parts.remove(missing);
        let path = folder.join(missing.to_string());
        io::resume(path, &mut parts).unwrap();
        let wrong = right.iter().position(|loss| bits(&mut again) != *loss);
        assert_eq!(wrong, first, "without {name}");
    }
}

/// A running mean and the seeds of dropout are part of a model's state.
///
/// Promise: A checkpoint contains buffers and random generators.
#[test]
fn checkpoints_contain_buffers_and_generators() {
    let _clean = clean();
    let path = folder("buffers").join("run");
    let new = |seed| {
        let mut random = Bits::new(seed);
        let inner = Sequential::new()
            .then(Linear::new(6, 6, &mut random))
            .then(BatchNorm::new(6))
            .then(Dropout::new(0.5, &mut random));
        Residual { inner }
    };
    for device in devices() {
        let x = Tensor::rand(&[8, 6], 4, device).unwrap();
        let [mut model, mut other] = [new(1), new(2)];
        model.to(device).unwrap();
        other.to(device).unwrap();
        (0..3).for_each(|_| drop(model.forward(&x)));
        io::checkpoint(&path, &[("model", &mut model)]).unwrap();
        let _ = other.forward(&x);
        io::resume(&path, &mut [("model", &mut other)]).unwrap();
        for _ in 0..3 {
            let [a, b] = [&model, &other]
                .map(|model| model.forward(&x).to_vec().unwrap());
            assert_eq!(a, b, "on {device}");
        }
        model.eval();
        other.eval();
        let [a, b] =
            [&model, &other].map(|model| model.forward(&x).to_vec().unwrap());
        assert_eq!(a, b, "the running means on {device}");
    }
}

#[test]
fn a_model_can_be_restored_without_the_other_parts() {
    let _clean = clean();
    let path = folder("part").join("run");
    let mut run = Run::new(0, Device::Cpu).unwrap();
    run.step().unwrap();
    io::checkpoint(&path, &run.parts()).unwrap();
    let mut other = Run::new(1, Device::Cpu).unwrap();
    io::resume_part(&path, "model", &mut other.network).unwrap();
    let values = |run: &Run| super::files::values(&run.network);
    assert_eq!(values(&other), values(&run));
    let file = path.display();
    let before = other.network.parameters()[0].1.id();
    let refused = io::resume_part(&path, "encoder", &mut other.network);
    assert_eq!(
        sentence("a part of another name", refused),
        format!(
            "{file}: \"encoder.0.weight\" is missing; load a file of this run"
        )
    );
    assert_eq!(other.network.parameters()[0].1.id(), before);
}

/// A change to the entries of a file.
type Change<'a> = &'a dyn Fn(&mut Vec<(String, Value)>);

/// All parts are checked before the first one is changed.
///
/// Promise: A checkpoint that does not fit changes nothing.
#[test]
fn a_mismatched_checkpoint_changes_nothing() {
    let _clean = clean();
    let path = folder("misfits").join("run");
    let file = path.display();
    let x = Tensor::new(&[2], &[1.0, 2.0], Device::Cpu).unwrap();
    let mut run = Run::new(0, Device::Cpu).unwrap();
    run.step().unwrap();
    let before = digest(&mut run);
    let ids = |run: &Run| -> Vec<_> {
        run.network.parameters().iter().map(|(_, p)| p.id()).collect()
    };
    let old = ids(&run);
    let mut refusal = |change: Change| {
        let mut entries = Vec::new();
        for (part, state) in Run::new(5, Device::Cpu).unwrap().parts() {
            let named = |name: String| match &name[..] {
                "" => part.to_string(),
                _ => format!("{part}.{name}"),
            };
            let state = state.state().into_iter();
            entries.extend(state.map(|(name, value)| (named(name), value)));
        }
        change(&mut entries);
        let mut entries = Entries(entries);
        // A part without a name prefix would be rejected.
        io::checkpoint(&path, &[("x", &mut entries)]).unwrap();
        let bytes = fs::read(&path).unwrap();
        fs::write(&path, without_x(&bytes)).unwrap();
        let refused = io::resume(&path, &mut run.parts());
        let said = sentence("a misfit", refused);
        assert_eq!(digest(&mut run), before, "{said}");
        assert_eq!(ids(&run), old, "{said}");
        said.strip_prefix(&format!("{file}: ")).expect(&said).to_string()
    };
    let number = |name: &str, number| (name.to_string(), Value::Number(number));
    let set = |entries: &mut Vec<(String, Value)>, name: &str, value| {
        entries.iter_mut().find(|(n, _)| n == name).unwrap().1 = value;
    };
    let tensor = Value::Tensor(x.clone());
    for (change, expected) in [
        (
            &(|all: &mut Vec<_>| all.retain(|(n, _)| n != "step")) as Change,
            "\"step\" is missing; load a file of this run",
        ),
        (
            &|all: &mut Vec<_>| all.push(number("adam.fast", 1)),
            "\"adam.fast\" is unexpected: the run has no such value; load a \
             file of this run",
        ),
        (
            &|all: &mut Vec<_>| all.push(number("other", 1)),
            "\"other\" does not belong to a part of this run, which are \
             model, adam, loader, random, step; load a file of this run",
        ),
        (
            &|all| set(all, "step", tensor.clone()),
            "\"step\" is a tensor, but the run has an integer; load a file of \
             this run",
        ),
        (
            &|all| set(all, "model.2.bias", tensor.clone()),
            "\"model.2.bias\" has shape [2], but the run has [10]; load a \
             file of this run",
        ),
        (
            &|all| set(all, "model.2.bias", Value::Number(1)),
            "\"model.2.bias\" is an integer, but the run has a tensor; load a \
             file of this run",
        ),
        (
            &|all| set(all, "loader.size", Value::Number(16)),
            "\"loader.size\" is 16, but the loader has 32; use the data of \
             this run",
        ),
        (
            &|all| set(all, "loader.batch", Value::Number(45)),
            "\"loader.batch\" is 45, but an epoch has 45 batches, counted \
             from 0; load a file of this run",
        ),
        (
            &|all| set(all, "adam.steps", Value::Number(1 << 40)),
            "\"adam.steps\" is 1099511627776; the limit is 4294967295",
        ),
        (
            &|all| all.push(("adam.mean.0".into(), tensor.clone())),
            "\"adam.square\" lists 0 tensors, but \"mean\" lists 1; load a \
             file of this run",
        ),
    ] {
        assert_eq!(refusal(change), expected);
    }
}

/// A state that consists of these entries.
struct Entries(Vec<(String, Value)>);

impl State for Entries {
    fn state(&self) -> Vec<(String, Value)> {
        self.0.clone()
    }

    fn restore(&mut self, _: &mut io::Saved) -> rungrad::Result<()> {
        unreachable!("it is only written")
    }
}

/// Removes the prefix `x.` from the names in a file.
fn without_x(file: &[u8]) -> Vec<u8> {
    let (front, rest) = file.split_first_chunk::<8>().unwrap();
    let (header, data) = rest.split_at(u64::from_le_bytes(*front) as usize);
    let header = String::from_utf8_lossy(header).replace("\"x.", "\"");
    let front = (header.len() as u64).to_le_bytes();
    [&front[..], header.as_bytes(), data].concat()
}

#[test]
fn ambiguous_part_names_are_rejected() {
    let _clean = clean();
    let path = folder("part_names").join("run");
    let [mut a, mut b] = [1_u64, 2];
    for names in [["a", "a"], ["a", "a.b"], ["a", ""]] {
        let parts: [Part; 2] = [(names[0], &mut a), (names[1], &mut b)];
        let refused = sentence("names", io::checkpoint(&path, &parts));
        assert_eq!(
            refused,
            format!(
                "checkpoint: {:?} cannot be the name of a part; give each \
                 part a different name without a dot",
                names[1]
            )
        );
    }
    // One name is a prefix of the other.
    let parts: [Part; 2] = [("a", &mut a), ("ab", &mut b)];
    io::checkpoint(&path, &parts).unwrap();
    let [mut c, mut d] = [0, 0];
    io::resume(&path, &mut [("a", &mut c), ("ab", &mut d)]).unwrap();
    assert_eq!((c, d), (1, 2));
}

/// Each optimizer continues with the saved state, and its earlier state is
/// discarded.
///
/// Promise: A checkpoint contains the state of every optimizer.
#[test]
fn every_optimizer_is_restored() {
    let _clean = clean();
    fn is_restored<O: Optimizer + State>(new: fn() -> O, path: &Path) {
        for device in devices() {
            let mut model = Linear::new(3, 2, &mut Bits::new(1));
            model.to(device).unwrap();
            let x = Tensor::rand(&[4, 3], 1, device).unwrap();
            let step = |model: &mut Linear, optimizer: &mut O| {
                model.forward(&x).pow(2.0).mean().backward();
                optimizer.step(model.parameters_mut());
                super::files::values(model)
            };
            let [mut one, mut two] = [new(), new()];
            (0..3).for_each(|_| drop(step(&mut model, &mut one)));
            let mut parts: [Part; 2] =
                [("model", &mut model), ("optimizer", &mut one)];
            io::checkpoint(path, &parts).unwrap();
            let mut again = Linear::new(3, 2, &mut Bits::new(2));
            again.to(device).unwrap();
            step(&mut again, &mut two);
            parts = [("model", &mut again), ("optimizer", &mut two)];
            io::resume(path, &mut parts).unwrap();
            for _ in 0..3 {
                let right = step(&mut model, &mut one);
                assert_eq!(step(&mut again, &mut two), right, "on {device}");
            }
        }
    }
    let path = folder("optimizers").join("run");
    is_restored(|| Sgd::new(0.1, 0.9), &path);
    is_restored(|| Adam::new(0.1), &path);
}

#[test]
fn a_damaged_checkpoint_is_rejected_or_valid() {
    let _clean = clean();
    let path = folder("damaged_run").join("run");
    let mut random = Bits::new(1);
    let mut model = Linear::new(1, 2, &mut random);
    let (mut adam, mut step) = (Adam::new(0.1), 3_u64);
    model
        .forward(&Tensor::ones(&[1, 1], Device::Cpu).unwrap())
        .sum()
        .backward();
    adam.step(model.parameters_mut());
    let mut parts: [Part; 4] = [
        ("model", &mut model),
        ("adam", &mut adam),
        ("random", &mut random),
        ("step", &mut step),
    ];
    io::checkpoint(&path, &parts).unwrap();
    let whole = fs::read(&path).unwrap();
    let (mut read, mut refused) = (0, 0);
    for seed in first_seed()..first_seed() + cases(1000) {
        fs::write(&path, damaged(&whole, &mut Random(seed))).unwrap();
        match io::resume(&path, &mut parts) {
            Ok(()) => read += 1,
            Err(Error::File(said)) => {
                let start = format!("{}", path.display());
                assert!(said.starts_with(&start), "seed {seed}: {said}");
                assert!(!said.contains('\n'), "seed {seed}: {said}");
                refused += 1;
            }
            Err(other) => panic!("seed {seed}: {other:?}"),
        }
    }
    assert!(cases(1000) < 1000 || read > 10 && refused > 100, "{read} read");
}
