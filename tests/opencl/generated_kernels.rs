//! The kernels that the lazy device generates, under Oclgrind: first in the
//! launches of the lazy device, then each alone on buffers of exactly the
//! required size and with more groups than necessary.

use rungrad::opencl::{GeneratedKernel, Gpu};
use rungrad::ops::Keep;
use rungrad::part3_unified::{Device, Span, Tensor};

use super::families::WITHOUT_OPTIMIZER;
use super::oclgrind::{findings, simulator};
use testkit::child::is_child;

/// Promise: A generated kernel stays inside buffers of exactly the required
/// size, for any number of groups.
#[test]
fn generated_kernels_stay_inside_their_buffers() {
    if is_child() {
        let gpu = simulator();
        for shape in [[1, 5], [3, 4], [9, 40]] {
            generate(&shape);
        }
        generate_eight_per_item(&gpu);
        let all = GeneratedKernel::all();
        assert!(all.len() > 20, "{} kernels were written", all.len());
        return all.iter().for_each(|kernel| run_exactly(&gpu, kernel));
    }
    let name = "generated_kernels::generated_kernels_stay_inside_their_buffers";
    if let Some(found) = findings(name, WITHOUT_OPTIMIZER) {
        assert!(found.is_empty(), "{found}");
    }
}

/// Makes the lazy device generate kernels of every kind, and compares their
/// results with the CPU's.
fn generate([rows, columns]: &[usize; 2]) {
    let (rows, columns) = (*rows, *columns);
    let made = |device: Device| -> Vec<Vec<f32>> {
        let new = |seed| {
            let x = Tensor::rand(&[rows, columns], seed, device).unwrap();
            x.realize().unwrap();
            x
        };
        let (x, y) = (new(1), new(2));
        let labels: Vec<usize> = (0..rows).map(|i| i * 3 % columns).collect();
        let places: Vec<usize> = (0..rows).rev().collect();
        let part = [Span::from(..), Span::from(1..).step(2)];
        let row = y.slice(&[0..1]);
        let scores = x.add(&row).requires_grad();
        scores.cross_entropy(&labels).backward();
        let mean = x.mul(&y).mean_over(&[1], Keep::Yes);
        let gap = x.sub(&mean);
        let long = Tensor::rand(&[3, 4500], 3, device).unwrap();
        [
            x.mul(&y).add(&row).relu(),
            x.transpose().add(&y.transpose()).flip(&[0]).tanh(),
            x.slice(&part).mul(&y.slice(&part)).exp(),
            x.mul(&y).softmax(),
            gap.div(&gap.mul(&gap).mean_over(&[1], Keep::Yes).shift(0.1)),
            x.mul(&y).sum_over(&[0], Keep::No).scale(0.5),
            x.add(&y).max_over(&[0], Keep::Yes).expand(&[rows, columns]),
            x.add(&y).index_select(0, &places).sigmoid(),
            long.mul(&long).sum_over(&[1], Keep::No),
            scores.grad().unwrap(),
        ]
        .iter()
        .map(|tensor| tensor.to_vec().unwrap())
        .collect()
    };
    let pairs = made(Device::Fused(0)).into_iter().zip(made(Device::Cpu));
    for (at, (yours, right)) in pairs.enumerate() {
        for (yours, right) in yours.iter().zip(&right) {
            let gap = (yours - right).abs();
            assert!(
                gap <= 1e-4 * right.abs().max(1.0),
                "{at}: {yours} {right}"
            );
        }
    }
}

/// Makes it generate a kernel whose items compute eight elements each, because
/// the elements fill the device.
fn generate_eight_per_item(gpu: &Gpu) {
    let n = 8 * 2048 * gpu.info().compute_units as usize;
    let made = |device: Device| {
        let z = Tensor::randn(&[n], 1, device).unwrap().scale(3.0);
        z.realize().unwrap();
        // A value that lives until the end of a statement would be stored too.
        let bent = z.tanh().exp().mul(&z);
        let all = bent.sub(&z.sigmoid());
        drop(bent);
        let all = all.to_vec().unwrap();
        // A column whose two elements are each broadcast to half of the
        // result.
        let column = Tensor::randn(&[2, 1], 2, device).unwrap();
        column.realize().unwrap();
        let sums = z.reshape(&[2, n / 2]).add(&column);
        [all, sums.to_vec().unwrap()].concat()
    };
    let (yours, right) = (made(Device::Fused(0)), made(Device::Cpu));
    for (yours, right) in yours.iter().zip(&right) {
        let gap = (yours - right).abs();
        assert!(
            gap <= 1e-5 * right.abs().max(1.0),
            "eight at a time: {yours} {right}"
        );
    }
    for sign in ["k < 8;", "uint i = at + k / 4 *"] {
        let is_of_eights =
            |kernel: &GeneratedKernel| kernel.text().contains(sign);
        assert!(GeneratedKernel::all().iter().any(is_of_eights), "no {sign}");
    }
}

/// Launches a kernel on buffers of exactly its reach.
fn run_exactly(gpu: &Gpu, kernel: &GeneratedKernel) {
    let reach = kernel.reach();
    let text = kernel.text();
    let (_, head) = text.split_once("kernel void ").expect("one kernel");
    let kinds: Vec<char> = head
        .lines()
        .skip(1)
        .map_while(|line| match line.trim_start() {
            it if it.starts_with("global const uint") => Some('u'),
            it if it.starts_with("global const float") => Some('i'),
            it if it.starts_with("global float") => Some('o'),
            it if it.starts_with("float p") => Some('p'),
            _ => None,
        })
        .collect();
    let lengths = || reach.iter().map(|&n| n as usize);
    let integers: Vec<_> =
        lengths().map(|n| gpu.upload(&vec![u32::MAX; n]).unwrap()).collect();
    let numbers: Vec<_> =
        lengths().map(|n| gpu.upload(&vec![0.5_f32; n]).unwrap()).collect();
    let local = text.split_once("reqd_work_group_size(").map_or(64, |it| {
        let digits: String =
            it.1.chars().take_while(char::is_ascii_digit).collect();
        digits.parse().expect("a size")
    });
    let most = lengths().max().unwrap_or(1);
    let mut launch =
        gpu.launch_generated(kernel).global(most + 3 * local).local(local);
    for (at, kind) in kinds.iter().enumerate() {
        launch = match kind {
            'u' => launch.input(&integers[at]),
            'i' => launch.input(&numbers[at]),
            'o' => launch.output(&numbers[at]),
            _ => launch.scalar(0.5_f32),
        };
    }
    launch.run().unwrap();
    gpu.finish().unwrap();
}
