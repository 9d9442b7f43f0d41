//! A device gives the same bits for the same shapes in every run: the order of
//! a sum depends neither on the order in which items finish, nor on the memory
//! pool, nor on the process.

use std::hash::{DefaultHasher, Hash, Hasher};

use rungrad::ConvOptions;
use rungrad::ops::Keep;
use rungrad::part3_unified::{Device, Tensor, Window};

use testkit::child::{child, is_child, succeed};
use testkit::clean;
use testkit::device::gpu_or_skip;
use testkit::random::Random;

type Work = fn() -> Vec<Tensor>;

fn new(shape: &[usize], seed: u64) -> Tensor {
    let values = Tensor::rand(shape, seed, Device::Gpu(0)).unwrap();
    values.shift(-0.5).detach()
}

/// Sums along rows, down columns, over a middle axis, over all axes, and of
/// short non-contiguous rows; short enough for one group, and longer.
fn sums() -> Vec<Tensor> {
    let sum = |shape: &[usize], axes: &[usize]| {
        new(shape, 1).sum_over(axes, Keep::No)
    };
    let windows = new(&[2, 3, 21, 21], 2).windows(&Window::new([3, 3]));
    vec![
        sum(&[100, 63], &[1]),
        sum(&[30, 700], &[1]),
        sum(&[3, 50_000], &[1]),
        sum(&[60, 100], &[0]),
        sum(&[5000, 130], &[0]),
        sum(&[7, 40, 30], &[1]),
        sum(&[5, 3000, 6], &[1]),
        sum(&[9, 5, 11, 70], &[1, 3]),
        sum(&[(1 << 20) + 3], &[0]),
        windows.sum_over(&[4, 5], Keep::No),
    ]
}

/// Rows that fit in the registers of a row group, and rows that are read more
/// than once.
fn softmaxes() -> Vec<Tensor> {
    let rows = [[50, 3], [50, 132], [9, 2048], [3, 20_000]];
    let rows = rows.map(|shape| new(&shape, 3).scale(9.0));
    rows.iter().flat_map(|it| [it.softmax(), it.log_softmax()]).collect()
}

/// A few filters, whose windows are read in place, and many, whose windows are
/// copied; with the gradients of images and filters.
fn convolutions() -> Vec<Tensor> {
    let mut found = Vec::new();
    for (channels, filters, side, stride) in
        [(3, 8, 20, 1), (8, 64, 12, 1), (8, 70, 12, 2), (2, 9, 90, 1)]
    {
        let images = new(&[4, channels, side, side], 4).requires_grad();
        let filters = new(&[filters, channels, 3, 3], 5).requires_grad();
        let options = ConvOptions::new().padding([1, 1]);
        let options = options.stride([stride, stride]);
        let sums = images.conv2d(&filters, None, &options);
        sums.backward_with(&new(sums.shape(), 6));
        found.extend([images.grad().unwrap(), filters.grad().unwrap(), sums]);
    }
    found
}

/// Many rows per index, sorted and unsorted. Their magnitudes differ, because
/// compensated sums of similar values would be the same in any order.
fn rows_added() -> Vec<Tensor> {
    let mut random = Random(7);
    let mut indices: Vec<usize> = (0..4000).map(|_| random.below(30)).collect();
    let add = |indices: &[usize]| {
        let far = |seed| new(&[4000, 20], seed).scale(60.0).exp();
        let (onto, rows) = (new(&[30, 20], 8), far(9).sub(&far(10)));
        onto.index_add(0, indices, &rows)
    };
    let mut found = vec![add(&indices)];
    indices.sort_unstable();
    found.push(add(&indices));
    found
}

/// Hashes the bits of each result.
fn bits(work: Work) -> Vec<u64> {
    let hash = |tensor: Tensor| {
        let mut hasher = DefaultHasher::new();
        for number in tensor.to_vec().unwrap() {
            number.to_bits().hash(&mut hasher);
        }
        hasher.finish()
    };
    work().into_iter().map(hash).collect()
}

/// Runs twice in this process, so that the second run gets buffers from the
/// pool, and once in a different process.
///
/// Promise: Sums, softmax, convolutions with their gradients and `index_add`
/// have the same bits in every run on a device.
#[test]
fn results_have_the_same_bits_in_every_run() {
    let _clean = clean();
    let Some(gpu) = gpu_or_skip() else { return };
    // A different device splits its sums differently.
    let here = format!("on {}", gpu.name());
    let works: [(&str, Work); 4] = [
        ("sums", sums),
        ("softmaxes", softmaxes),
        ("convolutions", convolutions),
        ("rows added", rows_added),
    ];
    let found = works.map(|(name, work)| format!("{name}: {:?}", bits(work)));
    for ((name, work), found) in works.into_iter().zip(&found) {
        let again = format!("{name}: {:?}", bits(work));
        assert_eq!(*found, again, "other bits in the same process");
    }
    if is_child() {
        println!("{here}");
        return found.iter().for_each(|line| println!("{line}"));
    }
    let test = "results_have_the_same_bits_in_every_run";
    let text = succeed(&mut child(&format!("reproducibility::{test}")));
    assert!(text.contains(&here), "{here} here, and in a child:\n{text}");
    for line in found {
        assert!(text.contains(&line), "not {line}\n{text}");
    }
}

/// The plan of a matmul, and with it the order of each sum, follows from the
/// shapes.
///
/// Promise: The same matmul has the same bits in every run on a device.
#[test]
fn matmul_has_the_same_bits_in_every_run() {
    let _clean = clean();
    if gpu_or_skip().is_none() {
        return;
    }
    let new = |shape: &[usize], seed| {
        Tensor::rand(shape, seed, Device::Gpu(0)).unwrap()
    };
    for [m, k, n] in [[70, 300, 50], [2, 4096, 2], [100, 100, 1]] {
        let (a, b) = (new(&[m, k], 1), new(&[k, n], 2));
        let first = a.matmul(&b).to_vec().unwrap();
        for _ in 0..3 {
            assert_eq!(a.matmul(&b).to_vec().unwrap(), first, "{m} {k} {n}");
        }
        // The same operands at different addresses give the same bits.
        let again = new(&[m, k], 1).matmul(&new(&[k, n], 2));
        assert_eq!(again.to_vec().unwrap(), first, "{m} {k} {n}");
    }
}
