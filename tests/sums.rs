//! Long sums: on every engine, the error of a sum is at most 1e-5 of the sum
//! of the magnitudes.
//!
//! A simple loop over the elements would do worse, because each rounding error
//! grows with the sum so far.

use rungrad::opencl::{self, Gpu};
use rungrad::ops::Keep;
use rungrad::part3_unified::{Device, Tensor, Window};
use testkit::calls::Call;
use testkit::child::{child, is_child, optimized, succeed};
use testkit::device::gpu_or_skip;
use testkit::engine::{Engine, Part1, Part2, Part3};
use testkit::random::{Random, cases, first_seed};

/// Largest error of a sum, relative to the sum of all magnitudes.
const ALLOWED: f64 = 1e-5;

/// Runs a check on both CPU engines.
macro_rules! on_the_cpu {
    ($check:ident) => {
        $check(&Part1);
        $check(&Part3(Device::Cpu));
    };
}

/// Runs a check on every engine that has OpenCL devices.
macro_rules! on_every_device {
    ($check:ident) => {
        if gpu_or_skip().is_none() {
            return;
        }
        for index in 0..opencl::devices().unwrap().len() {
            $check(&Part2(Gpu::open(index).unwrap()));
            $check(&Part3(Device::Gpu(index)));
        }
    };
}

/// Promise: A sum, mean, `index_add` or `fold` of up to 2^24 elements of one
/// sign has a relative error of at most 1e-5 on the CPU.
#[test]
fn long_sums_are_accurate_on_the_cpu() {
    on_the_cpu!(sums);
}

/// Promise: A sum, mean, `index_add` or `fold` of up to 2^24 elements of one
/// sign has a relative error of at most 1e-5 on every device.
#[test]
fn long_sums_are_accurate_on_every_device() {
    on_every_device!(sums);
}

#[test]
fn the_longest_sums_are_accurate_on_the_cpu() {
    on_the_cpu!(the_longest_sums);
}

/// Promise: A sum of 2^24 elements along any axis has a relative error of at
/// most 1e-5 on every device.
#[test]
fn the_longest_sums_are_accurate_on_every_device() {
    on_every_device!(the_longest_sums);
}

/// Part 1 leaves the order of the additions to ndarray.
///
/// Promise: A matmul with up to 2^20 products per element errs by at most 1e-5
/// of the sum of their magnitudes on Part 3's CPU.
#[test]
fn long_matmuls_are_accurate_on_the_cpu() {
    products(&Part3(Device::Cpu));
}

/// Promise: A matmul with up to 2^20 products per element errs by at most 1e-5
/// of the sum of their magnitudes on every device.
#[test]
#[ignore = "slow: 36 s, products of up to 2^20 terms"]
fn long_matmuls_are_accurate_on_every_device() {
    if is_child() {
        on_every_device!(products);
    } else if gpu_or_skip().is_some() {
        let test = "long_matmuls_are_accurate_on_every_device";
        succeed(optimized(&mut child(test)));
    }
}

#[test]
fn long_softmax_rows_are_accurate_on_the_cpu() {
    on_the_cpu!(long_softmax);
}

#[test]
fn long_softmax_rows_are_accurate_on_every_device() {
    on_every_device!(long_softmax);
}

#[test]
fn infinity_in_a_long_sum_is_kept_on_the_cpu() {
    on_the_cpu!(infinite);
}

#[test]
fn infinity_in_a_long_sum_is_kept_on_every_device() {
    on_every_device!(infinite);
}

/// Inputs whose sums lose accuracy in a simple loop.
#[derive(Clone, Copy, Debug)]
enum Hard {
    /// Every addition rounds the same way.
    Alike,
    /// Uniform in [0, 1).
    Random,
    /// A 1 followed by values that are half of its last digit, so that each
    /// addition is a tie.
    Ties,
}

use Hard::{Alike, Random as Any, Ties};

impl Hard {
    fn value(self, random: &mut Random, is_first: bool) -> f32 {
        match self {
            Alike => 0.1,
            Any => (random.bits() >> 40) as f32 / (1 << 24) as f32,
            Ties if is_first => 1.0,
            Ties => 1.0 / (1 << 24) as f32,
        }
    }
}

#[track_caller]
fn near(what: &str, found: &[f32], right: &[f64], magnitude: &[f64]) {
    assert_eq!(found.len(), right.len(), "{what}");
    for (i, found) in found.iter().enumerate() {
        let error = (f64::from(*found) - right[i]).abs() / magnitude[i];
        assert!(
            error <= ALLOWED,
            "{what}, element {i}: {found} is wrong by {error:.0e}, right is \
             {}",
            right[i]
        );
    }
}

/// Checks the sum and the mean over some axes.
fn sum<E: Engine>(e: &E, hard: Hard, shape: &[usize], axes: &[usize]) {
    let what = format!("{}: {hard:?} {shape:?} over {axes:?}", e.name());
    let mut random = Random(1);
    let (mut values, mut index) = (vec![], vec![0; shape.len()]);
    let is_kept = |axis: &usize| !axes.contains(axis);
    let kept: Vec<usize> = (0..shape.len()).filter(is_kept).collect();
    let mut sums = vec![0.0; kept.iter().map(|&axis| shape[axis]).product()];
    for _ in 0..shape.iter().product() {
        let is_first = axes.iter().all(|&axis| index[axis] == 0);
        let value = hard.value(&mut random, is_first);
        let place = |at, &axis: &usize| at * shape[axis] + index[axis];
        sums[kept.iter().fold(0, place)] += f64::from(value);
        values.push(value);
        for axis in (0..shape.len()).rev() {
            index[axis] = (index[axis] + 1) % shape[axis];
            if index[axis] > 0 {
                break;
            }
        }
    }
    let a = e.leaf(shape, &values);
    let found = e.call(&Call::Sum(axes.to_vec(), Keep::No), &[&a]).unwrap();
    near(&what, &e.values(&found), &sums, &sums);

    let count = (values.len() / sums.len()) as f64;
    let means: Vec<f64> = sums.iter().map(|sum| sum / count).collect();
    let found = e.call(&Call::Mean(axes.to_vec(), Keep::No), &[&a]).unwrap();
    near(&format!("mean, {what}"), &e.values(&found), &means, &means);
}

fn sums<E: Engine>(e: &E) {
    const MANY: usize = 1 << 18;
    for hard in [Alike, Ties] {
        sum(e, hard, &[MANY], &[0]);
        sum(e, hard, &[MANY, 1], &[0]);
        sum(e, hard, &[MANY, 2], &[0]);
        sum(e, hard, &[2, MANY], &[1]);
        sum(e, hard, &[2, MANY / 2, 3], &[1]);
        sum(e, hard, &[MANY / 2, 2, 2], &[0, 2]);
        sum(e, hard, &[16, 32, 32, 16, 2], &[0, 1, 2, 3]);
    }
    for seed in first_seed()..first_seed() + cases(4) {
        let mut random = Random(seed);
        let axes = 1 + random.below(4);
        let mut left = MANY;
        let mut shape: Vec<usize> = (1..axes)
            .map(|_| {
                let most = (1 << random.below(18)).min(left);
                let size = 1 + random.below(most);
                left = left.div_ceil(size);
                size
            })
            .collect();
        shape.push(left);
        random.shuffle(&mut shape);
        let summed = 1 + random.below((1 << axes) - 1);
        let summed: Vec<usize> =
            (0..axes).filter(|axis| summed >> axis & 1 == 1).collect();
        let hard = [Alike, Any, Ties][random.below(3)];
        sum(e, hard, &shape, &summed);
    }
}

fn the_longest_sums<E: Engine>(e: &E) {
    const MANY: usize = 1 << 24;
    let right = MANY as f64 * f64::from(0.1_f32);
    let a = e.leaf(&[MANY], &vec![0.1; MANY]);
    let total = e.sum(&a);
    near(&e.name(), &e.values(&total), &[right], &[right]);
    let mean = e.call(&Call::Mean(vec![0], Keep::No), &[&a]).unwrap();
    let right = f64::from(0.1_f32);
    near(&e.name(), &e.values(&mean), &[right], &[right]);
}

/// `(m, k) x (k, n)` with equal values, random values of both signs, or ties.
fn product<E: Engine>(e: &E, hard: Hard, [m, k, n]: [usize; 3]) {
    let what = format!("{}: {hard:?} {m} x {k} x {n}", e.name());
    let mut random = Random(2);
    let mut value = |is_first: bool| match hard {
        Ties if !is_first => 1.0 / 4096.0,
        Any => hard.value(&mut random, is_first) - 0.5,
        _ => hard.value(&mut random, is_first),
    };
    let a: Vec<f32> = (0..m * k).map(|i| value(i % k == 0)).collect();
    let b: Vec<f32> = (0..k * n).map(|i| value(i < n)).collect();
    let (mut right, mut sizes) = (vec![0.0; m * n], vec![0.0; m * n]);
    for (row, a) in a.chunks(k).enumerate() {
        for (&a, b) in a.iter().zip(b.chunks(n)) {
            for (column, &b) in b.iter().enumerate() {
                let product = f64::from(a) * f64::from(b);
                right[row * n + column] += product;
                sizes[row * n + column] += product.abs();
            }
        }
    }
    let (a, b) = (e.leaf(&[m, k], &a), e.leaf(&[k, n], &b));
    let found = e.call(&Call::Matmul, &[&a, &b]).unwrap();
    near(&what, &e.values(&found), &right, &sizes);
}

fn products<E: Engine>(e: &E) {
    const LONG: usize = 1 << 17;
    product(e, Alike, [1, 8 * LONG, 1]);
    for hard in [Alike, Any, Ties] {
        for shape in [
            [3, LONG, 2],
            [1, LONG + 1, 5],
            [5, LONG - 1, 1],
            [17, 129, 19],
            [9, 4099, 18],
            [129, 333, 130],
        ] {
            product(e, hard, shape);
        }
    }
}

/// The compensation of a sum must not turn an infinity into a NaN; only an
/// infinity of the opposite sign does.
fn infinite<E: Engine>(e: &E) {
    const MANY: usize = 300;
    let inf = f32::INFINITY;
    for (other, right) in [(1.0, inf), (1e30, inf), (-inf, f32::NAN)] {
        let mut values = vec![1.0; MANY];
        (values[5], values[200]) = (inf, other);
        let pair: Vec<f32> = values.iter().flat_map(|&x| [x, x]).collect();
        for (shape, values, axis) in [
            (vec![MANY], &values, 0),
            (vec![MANY, 2], &pair, 0),
            (vec![1, MANY, 1], &values, 1),
            (vec![1, MANY], &values, 1),
        ] {
            let a = e.leaf(&shape, values);
            let found = e.call(&Call::Sum(vec![axis], Keep::No), &[&a]);
            alike(e, &format!("{shape:?}"), &found.unwrap(), right);
        }
        let a = e.leaf(&[1, MANY], &values);
        let b = e.leaf(&[MANY, 1], &[1.0; MANY]);
        let found = e.call(&Call::Matmul, &[&a, &b]).unwrap();
        alike(e, "a product", &found, right);
    }
}

#[track_caller]
fn alike<E: Engine>(e: &E, what: &str, found: &E::Tensor, right: f32) {
    for value in e.values(found) {
        let same = value == right || value.is_nan() && right.is_nan();
        assert!(same, "{}, {what}: {value}, right is {right}", e.name());
    }
}

/// Equal scores have equal probabilities, however long the row is.
fn long_softmax<E: Engine>(e: &E) {
    let n = 1 << 18;
    let a = e.leaf(&[1, n], &vec![0.3; n]);
    let found = e.call(&Call::LogSoftmax, &[&a]).unwrap();
    let right = -(n as f64).ln();
    for value in e.values(&found) {
        assert!((f64::from(value) - right).abs() < 1e-5, "{value}, {right}");
    }
}

/// All devices of Part 3.
fn devices() -> Vec<Device> {
    let mut devices = vec![Device::Cpu];
    if testkit::device::gpu_or_skip().is_some() {
        devices.extend((0..opencl::devices().unwrap().len()).map(Device::Gpu));
    }
    devices
}

/// The gradients of many gathered rows are added into few rows.
///
/// Promise: `index_add` of many rows into one row has a relative error of at
/// most 1e-5.
/// most 1e-5.
#[test]
fn index_add_of_many_rows_is_accurate() {
    const ROWS: usize = 1 << 18;
    for device in devices() {
        for hard in [Alike, Ties] {
            let indices: Vec<usize> =
                (0..ROWS).map(|row| [1, 1, 3, 0][row % 4]).collect();
            let mut random = Random(3);
            let values: Vec<f32> =
                (0..ROWS).map(|row| hard.value(&mut random, row < 4)).collect();
            let mut right = vec![0.0; 5];
            for (&place, &value) in indices.iter().zip(&values) {
                right[place] += f64::from(value);
            }
            let sizes: Vec<f64> = right.iter().map(|x| x.max(1e-9)).collect();

            let rows = Tensor::full(&[5, 1], 1.0, device).unwrap();
            let rows = rows.requires_grad();
            let grad = Tensor::new(&[ROWS, 1], &values, device).unwrap();
            rows.index_select(0, &indices).backward_with(&grad);
            let found = rows.grad().unwrap().to_vec().unwrap();
            near(&format!("{device}, {hard:?}"), &found, &right, &sizes);
        }
    }
}

/// The windows overlap so much that thousands of them contain the element in
/// the middle.
///
/// Promise: `fold` of many windows over one element has a relative error of at
/// most 1e-5.
#[test]
fn fold_of_many_windows_is_accurate() {
    const SIDE: usize = 1024;
    for device in devices() {
        for hard in [Alike, Ties] {
            let mut random = Random(4);
            // The middle is the last element of the first window.
            let values: Vec<f32> = (0..SIDE * SIDE)
                .map(|i| hard.value(&mut random, i == SIDE - 1))
                .collect();
            let mut right = vec![0.0; 2 * SIDE - 1];
            for (i, &value) in values.iter().enumerate() {
                right[i / SIDE + i % SIDE] += f64::from(value);
            }
            let window = Window::new([1, SIDE]);
            let shape = [1, SIDE, 1, SIDE];
            let windows = Tensor::new(&shape, &values, device).unwrap();
            let image = windows.fold(&window, [1, 2 * SIDE - 1]);
            let found = image.to_vec().unwrap();
            near(&format!("{device}, {hard:?}"), &found, &right, &right);
        }
    }
}
