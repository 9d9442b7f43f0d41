//! Reports about the parts of a model: their operations, their entries on a
//! tape, and their memory.

use rungrad::ledger::{Counts, measure};
use rungrad::memory::{MemoryOfPart, memory};
use rungrad::nn::{Gpt, GptSizes, Linear, Module, Parameters, Sequential};
use rungrad::optim::{AdamW, Optimizer, Sgd};
use rungrad::part3_unified::{Device, Tensor, trace};
use rungrad::rng::Random;
use rungrad::scope::{Part, Parts, scope, watch};

use super::devices;
use testkit::clean;

/// Two layers and a ReLU for 3 inputs: 3 x 4 + 4 and 4 x 2 + 2 parameters.
fn network(device: Device) -> Sequential {
    let mut random = Random::new(1);
    let mut network = Sequential::new()
        .then(Linear::new(3, 4, &mut random))
        .then(Tensor::relu)
        .then(Linear::new(4, 2, &mut random));
    network.to(device).unwrap();
    network
}

fn batch(device: Device) -> Tensor {
    Tensor::rand(&[5, 3], 2, device).unwrap()
}

fn loss(network: &Sequential, x: &Tensor) -> Tensor {
    let scores = network.forward(x);
    let _scope = scope("loss");
    scores.cross_entropy(&[0, 1, 0, 1, 1])
}

fn part<'a>(parts: &'a Parts, name: &str) -> &'a Part {
    let found = parts.list.iter().find(|part| part.name == name);
    found.unwrap_or_else(|| panic!("no part {name:?} in {parts:?}"))
}

#[test]
fn each_part_counts_its_forward_and_backward_operations() {
    let _clean = clean();
    for device in devices() {
        let (network, x) = (network(device), batch(device));
        let ((), parts) = watch(|| loss(&network, &x).backward());
        let names: Vec<&str> = parts.list.iter().map(|p| &*p.name).collect();
        assert_eq!(names, ["", "0", "1", "2", "loss"]);
        // A matmul, a broadcast bias and an addition; the batch requires no
        // gradient.
        let [first, relu, second] =
            ["0", "1", "2"].map(|name| part(&parts, name));
        assert_eq!(first.forward.operations, 3);
        assert_eq!(relu.forward.operations, 1);
        assert_eq!(second.forward.operations, 3);
        assert_eq!(first.forward.products, 5 * 3 * 4);
        assert_eq!(second.forward.products, 5 * 4 * 2);
        assert_eq!(first.backward.products, 5 * 3 * 4);
        assert_eq!(second.backward.products, 2 * 5 * 4 * 2);
        assert_eq!(relu.backward.products, 0);
        assert!(relu.backward.operations > 0);
        // A lazy device launches only when the values are read.
        let is_device = matches!(device, Device::Gpu(_));
        let lazy = !is_device && device != Device::Cpu;
        for part in [first, relu, second].into_iter().filter(|_| !lazy) {
            assert_eq!(part.forward.launches > 0, is_device, "{device}");
            assert_eq!(part.backward.launches > 0, is_device, "{device}");
            assert_eq!(part.forward.bytes > 0, is_device, "{device}");
        }
    }
}

#[test]
fn the_counts_of_all_parts_add_up() {
    let _clean = clean();
    for device in devices() {
        let (network, x) = (network(device), batch(device));
        loss(&network, &x).backward();
        let step = || loss(&network, &x).backward();
        let (((), parts), counts) = measure(|| watch(step));
        let sum = |of: fn(&Part) -> u64| parts.list.iter().map(of).sum::<u64>();
        let launches = sum(|p| p.forward.launches + p.backward.launches);
        let products = sum(|p| p.forward.products + p.backward.products);
        let bytes = sum(|p| p.forward.bytes + p.backward.bytes);
        assert_eq!(launches, counts.launches, "{device}");
        assert_eq!(products, counts.products, "{device}");
        assert_eq!(bytes, counts.bytes_reached, "{device}");
    }
}

/// Watching changes nothing about the step.
#[test]
fn watching_a_step_adds_no_work() {
    let _clean = clean();
    for device in devices() {
        let (network, x) = (network(device), batch(device));
        let step = || loss(&network, &x).backward();
        step();
        // Other tests return buffers to the device's pool or take them.
        let asked = |counts| Counts { allocations: 0, ..counts };
        let ((), alone) = measure(step);
        let (_, watched) = measure(|| watch(step));
        assert_eq!(asked(watched), asked(alone), "{device}");
    }
}

#[test]
fn a_folded_tape_lists_the_parts_with_their_values() {
    let _clean = clean();
    let (network, x) = (network(Device::Cpu), batch(Device::Cpu));
    let step = || {
        let scores = network.forward(&x);
        let made = scores.to_vec().unwrap();
        let _scope = scope("loss");
        (scores.cross_entropy(&[0, 1, 0, 1, 1]).backward_recorded(), made)
    };
    let ((tape, made), _) = trace(|| watch(step));
    assert!(tape.records.len() > 8, "{tape:?}");
    let folded = tape.folded(1);
    let names: Vec<&str> =
        folded.records.iter().filter_map(|it| it.name.as_deref()).collect();
    assert_eq!(names, ["0", "1", "2", "loss"]);
    let [first, relu, second, loss] = &folded.records[..] else {
        panic!("{folded:?}")
    };
    assert_eq!(second.values, Some(made));
    assert_eq!(relu.parents, [first.id]);
    assert_eq!(second.parents, [relu.id]);
    assert_eq!(loss.parents, [second.id]);
    assert_eq!(loss.grad, Some(vec![1.0]));
    assert_eq!(second.grad.as_ref().map(Vec::len), Some(10));
    // A tape that is recorded outside of `watch` has no parts.
    assert!(
        network.forward(&x).tape().records.iter().all(|r| r.part.is_none())
    );
}

#[test]
fn each_byte_of_a_step_belongs_to_one_part() {
    let _clean = clean();
    for device in devices() {
        let (mut network, x) = (network(device), batch(device));
        let mut sgd = Sgd::new(0.1, 0.9);
        loss(&network, &x).backward();
        sgd.step(network.parameters_mut());
        let (found, _) = watch(|| {
            let loss = loss(&network, &x);
            let before = memory(&network, &sgd, &loss, 1);
            loss.backward();
            (before, memory(&network, &sgd, &loss, 1))
        });
        let (before, after) = found;
        let of = |name: &str| {
            let mut parts = after.list.iter();
            parts.find(|part| part.name == name).unwrap()
        };
        let [first, second] = ["0", "2"].map(of);
        let sizes = |part: &MemoryOfPart| {
            [part.parameters, part.gradients, part.optimizer]
        };
        assert_eq!(sizes(first), [64; 3], "{device}");
        assert_eq!(sizes(second), [40; 3], "{device}");
        // The first layer saves the batch; the weights are counted already.
        assert_eq!(first.kept, 5 * 3 * 4, "{device}");
        assert!(before.list.iter().all(|part| part.gradients == 0));
        let kept: usize = after.list.iter().map(|part| part.kept).sum();
        let relu_and_more = 5 * 3 * 4 + 5 * 4 * 4;
        assert!(kept >= relu_and_more, "{device}: {after:?}");
        let text = after.text();
        let last = text.lines().last().unwrap();
        let words = last.split_whitespace().collect::<Vec<_>>();
        assert_eq!(words[..4], ["all", "104", "104", "104"], "{text}");
    }
}

#[test]
fn gpt_blocks_are_parts() {
    let _clean = clean();
    let sizes = GptSizes {
        vocabulary: 5,
        context: 4,
        layers: 2,
        heads: 2,
        width: 8,
        dropout: 0.0,
    };
    let mut gpt = Gpt::new(sizes, &mut Random::new(0));
    let mut adam = AdamW::new(1e-3, 0.0);
    let loss = |gpt: &Gpt| {
        gpt.scores(&[0, 1, 2, 3, 4, 0, 1, 2], 4)
            .cross_entropy(&[1, 2, 3, 4, 0, 1, 2, 3])
    };
    loss(&gpt).backward();
    adam.step(gpt.parameters_mut());
    let (memory, parts) = watch(|| {
        let loss = loss(&gpt);
        loss.backward();
        memory(&gpt, &adam, &loss, 2)
    });
    let names: Vec<String> =
        parts.joined(2).list.into_iter().map(|part| part.name).collect();
    assert_eq!(names, ["", "tokens", "blocks.0", "blocks.1", "head"]);
    for block in ["blocks.0", "blocks.1"] {
        for inner in ["attention", "thought"] {
            let part = part(&parts, &format!("{block}.{inner}")).clone();
            assert!(part.forward.products > 0 && part.backward.products > 0);
        }
    }
    let all: usize = memory.list.iter().map(|part| part.parameters).sum();
    assert_eq!(all, 4 * gpt.count());
    let adams: usize = memory.list.iter().map(|part| part.optimizer).sum();
    assert_eq!(adams, 2 * all);
}
