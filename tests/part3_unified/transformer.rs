//! A small GPT agrees with PyTorch on every device, eager and lazy.
//! `tests/vectors/make_gpt.py` wrote the expected values.

// The other functions are used by the example only.
#[allow(dead_code)]
#[path = "../../examples/part3_names/training.rs"]
mod names;

use rayon::ThreadPoolBuilder;
use rungrad::attempt;
use rungrad::data::TokenBatch;
use rungrad::io;
use rungrad::nn::{
    Gpt, GptSizes, KeysValues, Memory, MultiHeadAttention, Parameters,
};
use rungrad::optim::{AdamW, Optimizer};
use rungrad::part3_unified::{Device, Tensor, no_grad};
use rungrad::rng::Random;
use serde_json::Value;

use super::devices;
use names::loss;
use testkit::clean;
use testkit::device::gpu_or_skip;

const VECTORS: &str = include_str!("../vectors/gpt.json");
const SIZES: GptSizes = GptSizes {
    vocabulary: 27,
    context: 16,
    layers: 2,
    heads: 4,
    width: 32,
    dropout: 0.0,
};

/// Returns all devices, including the lazy ones.
pub(crate) fn all() -> Vec<Device> {
    let mut all = devices();
    if cfg!(feature = "lazy") {
        all.push(Device::FusedCpu);
        all.extend(gpu_or_skip().map(|_| Device::Fused(0)));
    }
    all
}

/// Returns the network with PyTorch's weights.
fn gpt(device: Device) -> Gpt {
    let mut gpt = Gpt::new(SIZES, &mut Random::new(0));
    let file =
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/vectors/gpt.safetensors");
    io::load(file, &mut gpt).unwrap();
    gpt.to(device).unwrap();
    gpt
}

/// Draws the same integers as `make_gpt.py`.
fn numbers(count: usize, most: u64, seed: u64) -> Vec<usize> {
    let mut state = seed;
    let mut next = || {
        state = (state * 1_103_515_245 + 12345) % (1 << 31);
        ((state >> 8) % most) as usize
    };
    (0..count).map(|_| next()).collect()
}

/// Returns the batch of a step, as in the script.
fn batch(step: u64) -> TokenBatch {
    let (rows, columns) = (8, SIZES.context);
    let inputs = numbers(rows * columns, 27, 2 * step + 1);
    let noise = numbers(rows * columns, 4, 2 * step + 2);
    let next = |(token, other): (&usize, usize)| match other {
        0 => *token,
        _ => (token + 1) % 27,
    };
    let targets = inputs.iter().zip(noise).map(next).collect();
    let ends = numbers(rows, 15, 3 * step + 5);
    let counts = |at: usize| f32::from(at % columns <= ends[at / columns]);
    let weights = (0..rows * columns).map(counts).collect();
    TokenBatch { inputs, columns, targets, weights }
}

fn floats(list: &Value) -> Vec<f64> {
    let list = list.as_array().expect("numbers").iter();
    list.map(|x| x.as_f64().expect("a number")).collect()
}

#[track_caller]
pub(crate) fn near(yours: &[f32], right: &[f64], allowed: f64, what: &str) {
    assert_eq!(yours.len(), right.len(), "{what}");
    for (i, (yours, right)) in yours.iter().zip(right).enumerate() {
        let gap = (f64::from(*yours) - right).abs();
        assert!(gap <= allowed, "{what}: {yours}, not {right}, at {i}");
    }
}

#[test]
fn gpt_scores_and_gradients_agree_with_pytorch() {
    let _clean = clean();
    let right: Value = serde_json::from_str(VECTORS).expect("JSON");
    let batch = batch(0);
    for device in all() {
        let gpt = gpt(device);
        let scores = gpt.scores(&batch.inputs, batch.columns);
        let values = scores.to_vec().unwrap();
        let what = format!("scores on {device}");
        near(&values[..81], &floats(&right["scores"]), 2e-5, &what);
        let last = &values[values.len() - 27..];
        near(last, &floats(&right["last"]), 2e-5, &what);
        let loss =
            scores.weighted_cross_entropy(&batch.targets, &batch.weights);
        near(
            &[loss.item().unwrap()],
            &[right["loss"].as_f64().unwrap()],
            1e-5,
            &format!("loss on {device}"),
        );
        loss.backward();
        let grads = right["grads"].as_object().unwrap();
        assert_eq!(gpt.parameters().len(), grads.len());
        for (name, parameter) in gpt.parameters() {
            let what = format!("gradient of {name} on {device}");
            let grad = parameter.grad().expect(&what);
            let length = grads[&name]["length"].as_f64().unwrap();
            let first = floats(&grads[&name]["first"]);
            let values = grad.to_vec().unwrap();
            near(&values[..first.len()], &first, 1e-5, &what);
            let found = grad.norm().item().unwrap();
            near(&[found], &[length], 1e-5 + 1e-4 * length, &what);
        }
    }
}

/// Trains like PyTorch, and returns the loss before each step.
fn losses(device: Device, steps: usize) -> Vec<f32> {
    let rate = |step| {
        let up = ((step + 1) as f32 / 10.0).min(1.0);
        6e-3 * up * (100 - step) as f32 / 100.0
    };
    let mut gpt = gpt(device);
    let mut adam = AdamW::new(6e-3, 0.01);
    adam.adam.betas = [0.9, 0.99];
    let step = |step| {
        let loss = loss(&gpt, &batch(step as u64));
        loss.backward();
        adam.set_learning_rate(rate(step));
        adam.step(gpt.parameters_mut());
        loss.item().unwrap()
    };
    (0..steps).map(step).collect()
}

#[test]
fn a_hundred_gpt_losses_agree_with_pytorch() {
    let _clean = clean();
    let right: Value = serde_json::from_str(VECTORS).expect("JSON");
    let right = floats(&right["losses"]);
    assert_eq!(right.len(), 100);
    assert!(right[99] < 0.25 * right[0], "it has learned");
    near(&losses(Device::Cpu, 100), &right, 1e-3, "losses on cpu");
    for device in all() {
        let what = format!("losses on {device}");
        near(&losses(device, 5), &right[..5], 1e-3, &what);
    }
}

#[test]
fn attention_is_causal() {
    let _clean = clean();
    let gpt = gpt(Device::Cpu);
    let text = numbers(16, 27, 8);
    let mut other = text.clone();
    other[9] = (other[9] + 1) % 27;
    let [a, b] = [text, other].map(|it| gpt.scores(&it, 16).to_vec().unwrap());
    assert_eq!(a[..9 * 27], b[..9 * 27]);
    for place in 9..16 {
        let row = place * 27..(place + 1) * 27;
        assert_ne!(
            a[row.clone()],
            b[row],
            "place {place} depends on position 9"
        );
    }
}

/// Enough sequences that matmuls, attention, norms and GELU are split among
/// threads.
#[test]
fn the_thread_count_changes_no_bits_of_a_gpt_step() {
    let _clean = clean();
    let [tokens, targets] = [5, 6].map(|seed| numbers(64 * 16, 27, seed));
    let step = || {
        let gpt = gpt(Device::Cpu);
        let loss = gpt.scores(&tokens, 16).cross_entropy(&targets);
        loss.backward();
        let grads = gpt.parameters().into_iter().map(|(_, weight)| {
            weight.grad().expect("backward was there").to_vec().unwrap()
        });
        grads.flatten().map(f32::to_bits).collect::<Vec<u32>>()
    };
    let right = step();
    for threads in [1, 3] {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        let found = pool.unwrap().install(step);
        assert!(found == right, "{threads} threads");
    }
}

#[test]
fn scores_with_a_kv_cache_equal_full_scores() {
    let _clean = clean();
    for device in all() {
        let gpt = gpt(device);
        let text = numbers(2 * 16, 27, 3);
        let right = gpt.scores(&text, 16).to_vec().unwrap();
        // A lazy OpenCL device generates and compiles kernels for each length.
        let all = [&[16][..], &[5, 11], &[1; 16]];
        let count = if device == Device::Fused(0) { 2 } else { 3 };
        for &pieces in &all[..count] {
            let (mut memory, mut at) = (Memory::new(), 0);
            for &piece in pieces {
                let some = text.chunks(16).flat_map(|it| &it[at..at + piece]);
                let some: Vec<usize> = some.copied().collect();
                let read = || gpt.scores_after(&some, piece, &mut memory);
                let yours = no_grad(read).to_vec().unwrap();
                for row in 0..2 {
                    let of = |from: usize| from * 27..(from + piece) * 27;
                    let right = right[of(row * 16 + at)].iter();
                    let right: Vec<f64> = right.map(|&x| x.into()).collect();
                    let what = format!("place {at} of {pieces:?} on {device}");
                    near(&yours[of(row * piece)], &right, 2e-5, &what);
                }
                at += piece;
                assert_eq!(memory.places(), at);
            }
        }
    }
}

#[test]
fn generation_depends_only_on_the_seed() {
    let _clean = clean();
    let gpt = gpt(Device::Cpu);
    let write = |seed, temperature| {
        let random = &mut Random::new(seed);
        gpt.generate(&[3, 4], 30, None, temperature, random).unwrap()
    };
    assert_eq!(write(1, 1.0), write(1, 1.0));
    assert_ne!(write(1, 1.0), write(2, 1.0));
    // Much longer than the context of 16.
    assert_eq!(write(1, 1.0).len(), 30);
    assert_eq!(write(1, 0.0), write(2, 0.0));
    // Greedy decoding, computed from the start for each token.
    let mut text = vec![3, 4];
    for _ in 0..14 {
        let scores = gpt.scores(&text, text.len()).to_vec().unwrap();
        let last = &scores[scores.len() - 27..];
        let best = rungrad::metrics::predictions(last, 27)[0];
        text.push(best);
    }
    assert_eq!(write(1, 0.0)[..14], text[2..]);
}

#[test]
fn a_low_temperature_prefers_likely_tokens() {
    let _clean = clean();
    let gpt = gpt(Device::Cpu);
    let likeliest = |temperature| {
        let mut random = Random::new(5);
        let mut draw =
            |t| gpt.generate(&[7], 1, None, t, &mut random).unwrap()[0];
        let best = draw(0.0);
        (0..60).filter(|_| draw(temperature) == best).count()
    };
    let [cold, warm, hot] = [0.05, 1.0, 100.0].map(likeliest);
    assert!(cold > warm && warm > hot, "{cold}, {warm}, {hot}");
    assert!(hot < 12, "of 27 tokens, each as likely: {hot} of 60");
}

#[test]
fn generation_stops_before_the_end_token() {
    let _clean = clean();
    let gpt = gpt(Device::Cpu);
    let write = |end| {
        let random = &mut Random::new(1);
        gpt.generate(&[0], 12, end, 1.0, random).unwrap()
    };
    let all = write(None);
    let first = all.iter().position(|&token| token == all[7]).unwrap();
    assert_eq!(write(Some(all[7])), all[..first]);
}

#[test]
fn sequences_that_do_not_fit_are_rejected() {
    let _clean = clean();
    let gpt = gpt(Device::Cpu);
    let random = &mut Random::new(0);
    let refused = |work: &mut dyn FnMut()| match attempt(work) {
        Err(error) if error.exit_code() == 2 => error.to_string(),
        other => panic!("{other:?}"),
    };
    for (sentence, part) in [
        (refused(&mut || drop(gpt.scores(&[1; 17], 17))), "context of 16"),
        (refused(&mut || drop(gpt.scores(&[1; 5], 2))), "texts of 2 places"),
        (refused(&mut || drop(gpt.scores(&[], 0))), "texts of 0 places"),
        (refused(&mut || drop(gpt.scores(&[27], 1))), "27"),
        (
            refused(&mut || drop(gpt.generate(&[], 1, None, 1.0, random))),
            "at least one",
        ),
        (
            refused(&mut || drop(gpt.generate(&[1], 1, None, -1.0, random))),
            "0 or more",
        ),
        (
            refused(&mut || drop(MultiHeadAttention::new(10, 4, random))),
            "multiple",
        ),
        (
            refused(&mut || {
                let x = Tensor::zeros(&[2, 10], Device::Cpu).unwrap();
                let _ = x.self_attention(2);
            }),
            "(n, places, 3 * width)",
        ),
        (
            refused(&mut || {
                let x = Tensor::zeros(&[3, 2], Device::Cpu).unwrap();
                let _ = x.causal_attention(&x.slice(&[0..2]), &x);
            }),
            "3 queries and 2 keys",
        ),
        (
            refused(&mut || {
                let x = Tensor::zeros(&[2, 3], Device::Cpu).unwrap();
                let _ = x.weighted_cross_entropy(&[0, 1], &[0.0, 0.0]);
            }),
            "some above 0",
        ),
        (
            refused(&mut || {
                let x = Tensor::zeros(&[2, 3], Device::Cpu).unwrap();
                let _ = x.weighted_cross_entropy(&[0, 1], &[1.0, 1.0, 1.0]);
            }),
            "3 weights with the sum 3 for 2 rows",
        ),
        (
            refused(&mut || {
                let x = Tensor::zeros(&[2, 3], Device::Cpu).unwrap();
                let _ = x.weighted_cross_entropy(&[0, 1], &[1.0, f32::NAN]);
            }),
            "2 weights with the sum NaN for 2 rows",
        ),
    ] {
        assert!(sentence.contains(part), "{sentence}");
    }
    let after = |layer: &MultiHeadAttention| {
        let mut past = KeysValues::default();
        let x = Tensor::zeros(&[1, 2, 8], Device::Cpu).unwrap();
        let _ = layer.forward_after(&x, &mut past);
        past.places()
    };
    assert_eq!(after(&MultiHeadAttention::new(8, 2, random)), 2);
}

#[test]
fn the_names_models_have_known_parameter_counts() {
    let _clean = clean();
    for (layers, width, count) in [(4, 64, 204_544), (2, 32, 27_712)] {
        let sizes = GptSizes { layers, width, ..SIZES };
        assert_eq!(Gpt::new(sizes, &mut Random::new(1)).count(), count);
    }
}
