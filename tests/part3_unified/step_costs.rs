//! The cost of a warm training step on a device, as counted by the ledger. The
//! counts are the same in every run.

use rungrad::ConvOptions;
use rungrad::ledger::{self, Counts};
use rungrad::nn::{Gpt, GptSizes, Parameters};
use rungrad::optim::{AdamW, Optimizer};
use rungrad::part3_unified::{Device, Tensor, Window, no_grad};
use rungrad::rng::Random;

use testkit::child::{is_child, succeed, untuned};
use testkit::clean;
use testkit::device::gpu_or_skip;

/// The counters that cost time or memory, with their names.
fn costs(counts: Counts) -> [(&'static str, u64); 8] {
    [
        ("launches", counts.launches),
        ("builds", counts.builds),
        ("waits", counts.waits),
        ("allocations", counts.allocations),
        ("bytes to the device", counts.bytes_to_device),
        ("bytes to the host", counts.bytes_to_host),
        ("storages", counts.storages),
        ("nodes", counts.nodes),
    ]
}

fn parameters<const N: usize>(
    device: Device,
    shapes: [&[usize]; N],
) -> [Tensor; N] {
    shapes.map(|shape| {
        let small = Tensor::rand(shape, shape[0] as u64, device).unwrap();
        no_grad(|| small.shift(-0.5).scale(0.1)).requires_grad()
    })
}

/// Runs backward and takes a gradient descent step.
fn improve(loss: &Tensor, parameters: &mut [Tensor]) {
    loss.backward();
    for parameter in parameters {
        let grad = parameter.grad().unwrap();
        let better = no_grad(|| parameter.add(&grad.scale(-0.01)));
        *parameter = better.requires_grad();
    }
}

fn labels(batch: usize) -> Vec<usize> {
    (0..batch).map(|place| place % 10).collect()
}

/// A hidden layer with ReLU, 32x64-32-10, as in `cargo learn bench`.
fn mlp(device: Device) -> impl FnMut() {
    let x = Tensor::rand(&[32, 64], 1, device).unwrap();
    let (shapes, labels) =
        ([&[64, 32][..], &[32], &[32, 10], &[10]], labels(32));
    let mut p = parameters(device, shapes);
    move || {
        let h = x.matmul(&p[0]).add(&p[1]).relu();
        let loss = h.matmul(&p[2]).add(&p[3]).cross_entropy(&labels);
        improve(&loss, &mut p);
    }
}

/// Two convolutions with ReLU and a pool, and ten classes: the network of
/// `cargo learn bench` on fewer and smaller images. The sums of its matmuls are
/// short, so that no device splits them, which would add a launch.
fn cnn(device: Device) -> impl FnMut() {
    let x = Tensor::rand(&[2, 1, 12, 12], 1, device).unwrap();
    let (filters, labels) = ([&[16, 8, 3, 3][..], &[16]], labels(2));
    let [second, bias] = filters;
    let shapes = [&[8, 1, 3, 3][..], &[8], second, bias, &[144, 10], &[10]];
    let mut p = parameters(device, shapes);
    let options = ConvOptions::new().padding([1, 1]);
    let pool = Window::new([2, 2]).stride([2, 2]);
    move || {
        let h = x.conv2d(&p[0], Some(&p[1]), &options).relu();
        let h = h.max_pool2d(&pool);
        let h = h.conv2d(&p[2], Some(&p[3]), &options).relu();
        let h = h.max_pool2d(&pool).reshape(&[2, 144]);
        let loss = h.matmul(&p[4]).add(&p[5]).cross_entropy(&labels);
        improve(&loss, &mut p);
    }
}

/// A small GPT with 2 layers, with an AdamW step.
fn gpt(device: Device) -> impl FnMut() {
    let sizes = GptSizes {
        vocabulary: 27,
        context: 16,
        layers: 2,
        heads: 4,
        width: 32,
        dropout: 0.0,
    };
    let mut gpt = Gpt::new(sizes, &mut Random::new(1));
    gpt.to(device).unwrap();
    let mut adam = AdamW::new(1e-3, 0.01);
    let tokens: Vec<usize> = (0..32).map(|at| at % 27).collect();
    let weights = [1.0; 32];
    move || {
        let scores = gpt.scores(&tokens, 16);
        scores.weighted_cross_entropy(&tokens, &weights).backward();
        adam.step(gpt.parameters_mut());
    }
}

/// Returns the cost of a warm step, after checking that three steps cost the
/// same.
fn warm(mut step: impl FnMut()) -> Counts {
    // The first step compiles the kernels, and the second allocates the
    // buffers that later steps reuse.
    step();
    step();
    let found = [(); 3].map(|()| ledger::measure(&mut step).1);
    for counts in found {
        assert_eq!(counts.live_nodes(), 0);
        assert_eq!(costs(counts), costs(found[0]), "steps differ");
    }
    found[0]
}

/// Promise: A warm training step of an MLP, a CNN and a GPT, eager and lazy,
/// costs at most its known number of launches, waits, allocations and bytes.
#[test]
fn a_warm_step_stays_within_its_known_costs() {
    let _clean = clean();
    let Some(gpu) = gpu_or_skip() else { return };
    // The pool belongs to the device, so no other test may use it meanwhile.
    if !is_child() {
        // Tuned tiles may need one launch more than the default tiles.
        let test = "step_costs::a_warm_step_stays_within_its_known_costs";
        succeed(&mut untuned(test));
        return;
    }
    let device = Device::Gpu(gpu.info().index);
    let lazy = Device::Fused(gpu.info().index);
    let rows = [
        (
            "the MLP",
            warm(mlp(device)),
            Counts {
                launches: 31,
                bytes_to_device: 12,
                storages: 34,
                nodes: 17,
                ..Counts::default()
            },
        ),
        (
            "the CNN",
            warm(cnn(device)),
            Counts {
                launches: 61,
                bytes_to_device: 40,
                storages: 66,
                nodes: 30,
                ..Counts::default()
            },
        ),
        (
            "the GPT",
            warm(gpt(device)),
            Counts {
                launches: 89,
                bytes_to_device: 132,
                storages: 134,
                nodes: 95,
                ..Counts::default()
            },
        ),
        (
            "the GPT on a lazy device",
            warm(gpt(lazy)),
            Counts {
                launches: 63,
                bytes_to_device: 128,
                storages: 138,
                nodes: 95,
                ..Counts::default()
            },
        ),
    ];
    for (network, found, most) in rows {
        let pairs = costs(found).into_iter().zip(costs(most));
        for ((counter, found), (_, most)) in pairs {
            assert!(
                found <= most,
                "a warm step of {network} costs {found} {counter}, expected at \
                 most {most}. Find the change that costs more. If the cost is \
                 intended, compare `cargo learn bench mlp cnn --device gpu` \
                 before and after, and raise the number here."
            );
            let is_counted = found > 0 || most == 0;
            assert!(is_counted, "{network}: nothing counts {counter}");
        }
    }
}

type Work<'a> = &'a dyn Fn() -> Tensor;

/// "How fast, and why" predicts from these counts: each buffer of a launch
/// once, and each multiplication of a matmul.
///
/// Promise: The ledger counts the bytes and products that the shapes imply.
#[test]
fn counted_bytes_and_products_follow_from_the_shapes() {
    let _clean = clean();
    let Some(gpu) = gpu_or_skip() else { return };
    let device = Device::Gpu(gpu.info().index);
    for device in [Device::Cpu, device] {
        let new = |shape: &[usize]| Tensor::rand(shape, 1, device).unwrap();
        let (x, row) = (new(&[8, 20]), new(&[20]));
        let (images, filters) = (new(&[2, 3, 6, 6]), new(&[4, 3, 3, 3]));
        let works: [(&str, Work, [u64; 2]); 5] = [
            ("x * x", &|| x.mul(&x), [3 * 160, 0]),
            ("x + row", &|| x.add(&row), [2 * 160 + 20, 0]),
            ("x * 2", &|| x.scale(2.0), [2 * 160, 0]),
            (
                "x by its transpose",
                &|| x.matmul(&x.transpose()),
                [2 * 160 + 64, 8 * 20 * 8],
            ),
            (
                "a convolution",
                &|| images.conv2d(&filters, None, &ConvOptions::new()),
                [2 * 108 + 108 + 128, 128 * 27],
            ),
        ];
        for (name, work, [numbers, products]) in works {
            let _ = work();
            let (_, counts) = ledger::measure(work);
            assert_eq!(counts.products, products, "{name} on {device}");
            let bytes = if device == Device::Cpu { 0 } else { 4 * numbers };
            assert_eq!(counts.bytes_reached, bytes, "{name} on {device}");
        }
    }
}
