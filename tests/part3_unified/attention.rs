//! Self-attention as one operation, compared with the definition of each head,
//! on eager and lazy devices.

use rungrad::engine::kernels::HEAD;
use rungrad::ledger;
use rungrad::part3_unified::{Device, Tensor, grad};

use super::transformer::{all, near};
use testkit::child::rerun_without_optimizer;
use testkit::clean;
use testkit::device::gpu_or_skip;

/// A leaf with normally distributed elements.
fn random_leaf(shape: &[usize], seed: u64, device: Device) -> Tensor {
    Tensor::randn(shape, seed, device).unwrap().requires_grad()
}

/// Computes [`Tensor::self_attention`] by its definition.
fn by_heads(x: &Tensor, heads: usize) -> Tensor {
    let [n, positions, all] = *x.shape() else { panic!("three axes") };
    let d = all / 3 / heads;
    let part = |i: usize, head: usize| {
        let from = (i * heads + head) * d;
        x.slice((.., .., from..from + d))
    };
    let one = |head| {
        let scores = part(0, head).matmul(&part(1, head).transpose());
        let scores = scores * (1.0 / (d as f32).sqrt());
        let seen = Tensor::ones(&[positions, positions], x.device()).unwrap();
        let seen = seen.tril(0).expand(&[n, positions, positions]);
        let never = seen.full_like(-1e30);
        seen.where_cond(&scores, &never).softmax().matmul(&part(2, head))
    };
    let heads: Vec<Tensor> = (0..heads).map(one).collect();
    Tensor::cat(&heads.iter().collect::<Vec<_>>(), 2)
}

#[test]
fn self_attention_agrees_with_its_definition() {
    let _clean = clean();
    if rerun_without_optimizer(
        "attention::self_attention_agrees_with_its_definition",
    ) {
        return;
    }
    for device in all() {
        for (seed, (n, positions, heads, d)) in [
            (2, 5, 3, 4),
            (1, 1, 1, 1),
            (3, 16, 4, 8),
            (1, 40, 2, 3),
            // Three tiles, of which the last is partial.
            (2, 70, 2, 20),
            (1, 33, 1, 64),
            (1, 34, 1, 68),
        ]
        .into_iter()
        .enumerate()
        {
            let shape = [n, positions, 3 * heads * d];
            let what = format!("{shape:?} in {heads} heads on {device}");
            let x = random_leaf(&shape, seed as u64, device);
            let y = random_leaf(&shape, seed as u64, Device::Cpu);
            let above =
                random_leaf(&[n, positions, heads * d], 9, device).detach();
            let here = above.to(Device::Cpu).unwrap();
            let (yours, right) = (x.self_attention(heads), by_heads(&y, heads));
            yours.backward_with(&above);
            right.backward_with(&here);
            let pairs =
                [(yours, right), (x.grad().unwrap(), y.grad().unwrap())];
            for (yours, right) in pairs {
                let right = right.to_vec().unwrap();
                let right: Vec<f64> =
                    right.into_iter().map(f64::from).collect();
                near(&yours.to_vec().unwrap(), &right, 1e-4, &what);
            }
        }
    }
}

#[test]
fn gradients_of_gradients_flow_through_attention() {
    let _clean = clean();
    for device in [Device::Cpu, Device::FusedCpu] {
        let second = |of: fn(&Tensor) -> Tensor| {
            let x = random_leaf(&[2, 3, 12], 4, device);
            let y = of(&x);
            let first = grad(&[&y.mul(&y).sum()], &[&x], true).remove(0);
            let second = grad(&[&first.mul(&first).sum()], &[&x], false);
            second[0].to_vec().unwrap()
        };
        let yours = second(|x| x.self_attention(2));
        let right = second(|x| by_heads(x, 2));
        let right: Vec<f64> = right.into_iter().map(f64::from).collect();
        near(&yours, &right, 1e-3, &format!("second order on {device}"));
    }
}

/// Attention must not use matmuls, which need the score matrix in memory.
#[test]
fn long_attention_takes_one_launch_and_two_backward() {
    let _clean = clean();
    let Some(gpu) = gpu_or_skip() else { return };
    let device = Device::Gpu(gpu.info().index);
    let above = random_leaf(&[2, 70, 20], 9, device).detach();
    let x = random_leaf(&[2, 70, 60], 1, device);
    let (y, counts) = ledger::measure(|| x.self_attention(1));
    assert_eq!(counts.launches, 1);
    let (_, counts) = ledger::measure(|| y.backward_with(&above));
    assert_eq!(counts.launches, 2);
    // A single group can hold a head with 32 positions, but not with 33.
    for (positions, launches) in [(32, 1), (33, 2)] {
        let x = random_leaf(&[1, positions, 96], 1, device);
        let y = x.self_attention(1);
        let above = random_leaf(&[1, positions, 32], 9, device).detach();
        let (_, counts) = ledger::measure(|| y.backward_with(&above));
        assert_eq!(
            counts.launches, launches,
            "back from {positions} positions"
        );
    }
    // The largest number of heads that a kernel supports, for a short and a
    // long sequence.
    for [positions, width] in [[2, 1], [33, 4]] {
        let x = random_leaf(&[1, positions, 3 * HEAD * width], 1, device);
        let (_, counts) = ledger::measure(|| x.self_attention(HEAD));
        assert_eq!(counts.launches, 1, "{positions} positions");
    }
}
