//! Compares every engine on every device with the f64 reference, on random
//! shapes.

use rungrad::opencl::{self, Gpu};
use rungrad::part3_unified::Device;
use rungrad::reference::{self, Array};
use testkit::engine::{Engine, Part1, Part2, Part3};
use testkit::random::Random;

/// Each product is rounded once; sums of at most 729 products add a few more
/// roundings.
const TOLERANCE: f64 = 2e-5;

fn agrees<E: Engine>(e: &E, seed: u64) {
    let mut random = Random(seed);
    for case in 0..50 {
        let shape = random.shape();
        let n = shape.iter().product();
        let (a, b) = (random.values(n), random.values(n));
        let (x, y) = (e.leaf(&shape, &a), e.leaf(&shape, &b));
        let product = e.mul(&x, &y);
        let total = e.sum(&product);
        e.backward(&total);

        let (a, b) = (Array::new(&shape, &a), Array::new(&shape, &b));
        let right = reference::mul(&a, &b);
        let what = format!("{}, case {case}, shape {shape:?}", e.name());
        near(&e.values(&product), &right, &what);
        near(&e.values(&total), &reference::sum(&right, &[]), &what);
        near(&e.grad(&x).unwrap(), &b, &what);
        near(&e.grad(&y).unwrap(), &a, &what);
    }
}

fn near(yours: &[f32], right: &Array, what: &str) {
    assert_eq!(yours.len(), right.values.len(), "{what}");
    for (i, (yours, right)) in yours.iter().zip(&right.values).enumerate() {
        let error = (f64::from(*yours) - right).abs();
        let allowed = TOLERANCE * right.abs().max(100.0);
        assert!(error <= allowed, "{what}, element {i}: {yours}, not {right}");
    }
}

#[test]
fn part_1_agrees_with_the_reference() {
    agrees(&Part1, 11);
}

#[test]
fn part_3_on_the_cpu_agrees_with_the_reference() {
    agrees(&Part3(Device::Cpu), 13);
}

#[test]
fn parts_2_and_3_agree_with_the_reference_on_every_device() {
    if testkit::device::gpu_or_skip().is_none() {
        return;
    }
    for index in 0..opencl::devices().unwrap().len() {
        agrees(&Part2(Gpu::open(index).unwrap()), 12);
        agrees(&Part3(Device::Gpu(index)), 14);
    }
}
