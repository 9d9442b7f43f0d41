//! Random graphs on the lazy devices and on their eager counterparts: deferred
//! and fused evaluation gives the values of immediate evaluation.

use rungrad::ops::Keep;
use rungrad::part3_unified::{Device, Span, Tensor, grad, no_grad};

use testkit::clean;
use testkit::device::gpu_or_skip;
use testkit::random::{Random, cases, first_seed};

/// Axis sizes of the graphs.
const SIZES: [usize; 6] = [1, 2, 3, 4, 7, 12];

/// Promise: Random graphs have the same bits on `fused:cpu` as on `cpu`, except
/// for sums.
#[test]
#[ignore = "slow: 15 s, ten thousand graphs"]
fn random_graphs_agree_on_the_lazy_cpu() {
    let _clean = clean();
    agree(Device::Cpu, Device::FusedCpu, cases(10_000));
}

/// Seeds found in a million cases: a gradient that is 0 up to the rounding of
/// values around 70,000, one next to values around 640, and a comparison of
/// sums that differ only by rounding.
#[test]
fn rounding_differences_are_accepted() {
    let _clean = clean();
    for seed in [900_085_429, 901_253_153, 902_258_843] {
        agree_on(seed, Device::Cpu, Device::FusedCpu);
    }
}

// Each graph is a separate kernel, whose compilation takes a tenth of a
// second.
/// Promise: Random graphs have the same bits on `fused:0` as on `gpu:0`, except
/// for sums.
#[test]
#[ignore = "slow: 23 s, a kernel for each graph"]
fn random_graphs_agree_on_a_lazy_opencl_device() {
    let _clean = clean();
    let Some(gpu) = gpu_or_skip() else { return };
    let index = gpu.info().index;
    agree(Device::Gpu(index), Device::Fused(index), cases(4));
}

fn agree(eager: Device, lazy: Device, count: u64) {
    for seed in first_seed()..first_seed() + count {
        agree_on(seed, eager, lazy);
    }
}

fn agree_on(seed: u64, eager: Device, lazy: Device) {
    let sums = seed % 2 == 1;
    let make = |device| {
        let results = Graph::new(seed, device, sums).results();
        let read = |it: &Tensor| (it.shape().to_vec(), it.to_vec().unwrap());
        results.iter().map(read).collect()
    };
    let [right, yours]: [Vec<_>; 2] = [eager, lazy].map(make);
    assert_eq!(right.len(), yours.len());
    let all = right.iter().flat_map(|(_, values)| values);
    let all = all.filter(|x| x.is_finite());
    let most = all.fold(0.0, |most: f32, x| most.max(x.abs()));
    for (at, (right, yours)) in right.iter().zip(&yours).enumerate() {
        let what = format!("seed {seed}, result {at}, {lazy}");
        assert_eq!(right.0, yours.0, "{what}");
        match sums {
            true => near(&right.1, &yours.1, most, &what),
            false => same(&right.1, &yours.1, &what),
        }
    }
}

#[track_caller]
fn same(right: &[f32], yours: &[f32], what: &str) {
    for (right, yours) in right.iter().zip(yours) {
        let is_same = right.to_bits() == yours.to_bits()
            || right.is_nan() && yours.is_nan();
        assert!(is_same, "{what}: {yours:?}, not {right:?}");
    }
}

/// Compares values of a graph whose largest magnitude is `most`: where large
/// values cancel, their rounding errors remain.
#[track_caller]
fn near(right: &[f32], yours: &[f32], most: f32, what: &str) {
    for (right, yours) in right.iter().zip(yours) {
        let gap = (right - yours).abs();
        let allowed = 2e-4 * right.abs().max(1.0) + 8.0 * f32::EPSILON * most;
        assert!(gap <= allowed, "{what}: {yours}, not {right}");
    }
}

/// Tensors that are computed from each other, some of which are dropped.
struct Graph {
    random: Random,
    /// Whether the graph contains sums, whose order differs between devices.
    sums: bool,
    leaves: Vec<Tensor>,
    values: Vec<Tensor>,
}

impl Graph {
    fn new(seed: u64, device: Device, sums: bool) -> Graph {
        let mut random = Random(seed);
        let [rows, columns] =
            [(); 2].map(|()| SIZES[random.below(SIZES.len())]);
        let shape = [rows, columns];
        let leaves: Vec<Tensor> = (0..3)
            .map(|_| {
                let values = random.values(rows * columns);
                let leaf = Tensor::new(&shape, &values, device).unwrap();
                leaf.requires_grad()
            })
            .collect();
        let values = leaves.clone();
        let mut graph = Graph { random, sums, leaves, values };
        for _ in 0..3 + graph.random.below(12) {
            let next = graph.next();
            graph.values.push(next);
            // A value without a handle does not have to be stored.
            if graph.random.below(3) == 0 && graph.values.len() > 3 {
                let at = 3 + graph.random.below(graph.values.len() - 3);
                let _ = graph.values.remove(at);
            }
            // Some values are read early.
            if graph.random.below(9) == 0 {
                let last = graph.values.last().unwrap();
                no_grad(|| last.to_vec().unwrap());
            }
        }
        graph
    }

    fn pick(&mut self) -> Tensor {
        let at = self.random.below(self.values.len());
        self.values[at].clone()
    }

    /// Reshapes or broadcasts a tensor to the shape of another.
    fn like(&mut self, a: &Tensor, other: &Tensor) -> Tensor {
        if a.shape() == other.shape() {
            return a.clone();
        }
        let flat = a.reshape(&[a.array().len()]);
        let n = other.array().len();
        let places: Vec<usize> =
            (0..n).map(|i| i % flat.array().len()).collect();
        match flat.array().len() {
            len if len >= n => flat.slice(&[0..n]).reshape(other.shape()),
            1 => flat.reshape(&[]).expand(other.shape()),
            _ => flat.index_select(0, &places).reshape(other.shape()),
        }
    }

    fn next(&mut self) -> Tensor {
        let a = self.pick();
        let kinds = if self.sums { 15 } else { 11 };
        match self.random.below(kinds) {
            0 => a.scale(0.5 + self.random.below(3) as f32),
            1 => a.shift(self.random.below(3) as f32 - 1.0).tanh(),
            2 => a.relu(),
            3 => a.sigmoid(),
            4 => a.tanh().exp(),
            5 | 6 => {
                let b = self.pick();
                let b = self.like(&b, &a);
                if self.random.below(2) == 0 {
                    a.mul(&b).tanh()
                } else {
                    a.add(&b)
                }
            }
            7 => {
                let b = self.pick();
                let b = self.like(&b, &a);
                // Sums with different rounding could take the other branch.
                let [x, y] = match self.sums {
                    true => [0, 1].map(|at| self.leaves[at].clone()),
                    false => [a.clone(), b.clone()],
                };
                let [x, y] = [x, y].map(|it| self.like(&it, &a));
                x.lt(&y).where_cond(&a, &b.sin())
            }
            8 => {
                let axes: Vec<usize> = (0..a.shape().len()).rev().collect();
                a.permute(&axes)
            }
            9 if a.shape().iter().all(|&n| n > 1) && a.rank() > 0 => {
                let parts: Vec<Span> =
                    a.shape().iter().map(|&n| Span::from(1..n)).collect();
                a.slice(&parts)
            }
            9 | 10 if a.rank() > 0 => a.flip(&[self.random.below(a.rank())]),
            11 if a.rank() > 0 => {
                let axis = self.random.below(a.rank());
                a.sum_over(&[axis], Keep::Yes).expand(a.shape()).tanh()
            }
            12 if a.rank() > 0 => a.softmax(),
            13 if a.rank() > 0 => {
                let axis = self.random.below(a.rank());
                a.mean_over(&[axis], Keep::No).shift(0.25)
            }
            14 if a.rank() == 2 => {
                let classes = a.shape()[1];
                let labels: Vec<usize> = (0..a.shape()[0])
                    .map(|_| self.random.below(classes))
                    .collect();
                a.log_softmax().pick(&labels)
            }
            _ => a.mul(&a).tanh(),
        }
    }

    /// Returns all values, the gradients of the leaves, and second gradients.
    fn results(self) -> Vec<Tensor> {
        let last = self.values.last().unwrap();
        let leaves: Vec<&Tensor> = self.leaves.iter().collect();
        // Makes the loss depend on every leaf.
        let through = self.leaves.iter().fold(last.clone(), |sum, leaf| {
            let part = leaf.reshape(&[leaf.array().len()]).slice(&[0..1]);
            sum.add(&part.mul(&part).reshape(&[]).expand(sum.shape()))
        });
        let loss = match self.sums {
            true => through.sum(),
            false => {
                let flat = through.reshape(&[through.array().len()]);
                flat.slice(&[0..1]).reshape(&[])
            }
        };
        let slopes = grad(&[&loss], &leaves, true);
        let mut results = self.values.clone();
        if self.sums {
            let again = slopes.iter().map(|it| it.mul(it).sum());
            let again = again.reduce(|a, b| a.add(&b)).unwrap();
            results.extend(grad(&[&again], &leaves, false));
        }
        results.extend(slopes);
        results
    }
}
