//! One training step of four ranks, which add their gradients in several ways.

use std::mem;

use cluster::{DataParallel, Order};
use rungrad::Result;
use rungrad::nn::Parameters;

use super::ranks::{LAYER, ROWS, Rank, run};
use super::{ETHERNET, picture};

// ANCHOR: naive
/// Adds one gradient after the other, after the backward pass.
fn naive(rank: &Rank) -> Result<()> {
    rank.own_loss().backward();
    for (_, leaf) in rank.model.parameters() {
        let grad = leaf.grad().expect("every layer is used");
        let sum = rank.all_reduce(grad.to_vec()?).wait()?;
        rank.store(&[leaf.id().expect("a leaf")], &sum)?;
    }
    Ok(())
}
// ANCHOR_END: naive

// ANCHOR: hook
/// Starts to add each gradient when it is complete, and waits at the end.
fn hook(rank: &Rank) -> Result<()> {
    let mut started = Vec::new();
    rank.own_loss().backward_with_hook(|leaf, grad| {
        let values = grad.to_vec().expect("the CPU can be read");
        started.push((leaf, rank.all_reduce(values)));
    });
    for (leaf, pending) in started {
        rank.store(&[leaf], &pending.wait()?)?;
    }
    Ok(())
}
// ANCHOR_END: hook

// ANCHOR: buckets
/// Collects gradients until a bucket has `len` elements, and starts to add the
/// whole bucket.
fn buckets(rank: &Rank, len: usize) -> Result<()> {
    let (mut leaves, mut values) = (Vec::new(), Vec::new());
    let mut started = Vec::new();
    rank.own_loss().backward_with_hook(|leaf, grad| {
        leaves.push(leaf);
        values.extend(grad.to_vec().expect("the CPU can be read"));
        if values.len() >= len {
            let pending = rank.all_reduce(mem::take(&mut values));
            started.push((mem::take(&mut leaves), pending));
        }
    });
    for (leaves, pending) in started {
        rank.store(&leaves, &pending.wait()?)?;
    }
    Ok(())
}
// ANCHOR_END: buckets

/// Takes the step with the trainer of the crate.
fn trainer(rank: &Rank, order: Order) -> Result<()> {
    let mut parallel = DataParallel::new(&rank.collective, order);
    parallel.bucket_len = LAYER;
    let loss = |rows| rank.loss(rows);
    parallel.backward(&rank.model, &[1.0; ROWS], loss)?.wait().map(drop)
}

/// One way to take the step.
type Step<'a> = dyn Fn(&Rank) -> Result<()> + Sync + 'a;

pub(crate) fn show() -> Result<()> {
    println!("{:<36}{:>8}{:>10}{:>9}", "", "messages", "step, ms", "speedup");
    let step = |size, step: &Step<'_>| {
        run((size, ETHERNET, ROWS), |rank| {
            step(rank)?;
            rank.gradients()
        })
    };
    let (right, alone, _) = step(1, &|rank| {
        rank.own_loss().backward();
        Ok(())
    })?;
    let check = |gradients: Vec<f32>| {
        for (gradient, right) in gradients.iter().zip(&right) {
            let is_near = (gradient - right).abs() < 1e-6;
            assert!(is_near, "a gradient is {gradient}, not {right}");
        }
    };
    let row = |name: &str, messages: usize, time: f64| {
        let (time, speedup) = (time * 1e3, alone / time);
        println!("{name:<36}{messages:>8}{time:>10.2}{speedup:>9.2}");
    };
    row("one rank", 0, alone);
    let ways: [(&str, &Step<'_>); 4] = [
        ("four ranks, naive", &naive),
        ("four ranks, a hook", &hook),
        ("four ranks, a bucket per layer", &|it| buckets(it, LAYER)),
        ("four ranks, one bucket", &|it| buckets(it, 4 * LAYER)),
    ];
    let mut lanes = Vec::new();
    for (name, way) in ways {
        let (gradients, time, events) = step(4, way)?;
        check(gradients);
        let messages = events.iter().filter(|it| it.is_message).count();
        row(name, messages, time);
        lanes.push((name, events));
    }
    for order in [Order::Fastest, Order::Fixed { shards: 8 }] {
        let (gradients, time, _) = step(4, &|it| trainer(it, order))?;
        check(gradients);
        // The last message has the loss.
        row(&format!("DataParallel, {order:?}"), 5, time);
    }
    picture::write("target/overlap.svg", &lanes)
}
