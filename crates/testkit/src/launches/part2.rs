//! A launch of every kernel of Part 2 with irregular sizes, for the simulator.
//! Matmul and matvec kernels have separate launches.
//!
//! [`run`] is the list. A `Bench` holds the common inputs and has a method for
//! each family of kernels with the same arguments.

use rungrad::gradcheck;
use rungrad::opencl::{Buffer, Gpu, Kernel, Launch};
use rungrad::reference::Array;

use super::part3::{Both, written};
use crate::elementwise;

/// Runs `kernel` on `n` values, or returns `None` for a kernel of a different
/// part.
pub fn run(gpu: &Gpu, kernel: &Kernel, n: usize) -> Option<Both> {
    if !kernel.file().starts_with("kernels/part2/") {
        return None;
    }
    let bench = Bench::new(gpu, kernel, n);
    Some(match kernel.name() {
        "ew_mul" | "ew_mul4" => bench.pairs(|a, b| a * b),
        "ew_add" => bench.pairs(|a, b| a + b),
        "ew_div" => bench.pairs(|a, b| a / b),
        "relu_backward" => bench.pairs(|a, b| if b > 0.0 { a } else { 0.0 }),
        "broadcast_mul" => bench.broadcast(|a, b| a * b),
        "broadcast_add" => bench.broadcast(|a, b| a + b),
        "broadcast_div" => bench.broadcast(|a, b| a / b),
        "ew_copy4" => bench.each(|b| b),
        "ew_scale" => bench.scale(),
        "chain_f32" | "chain_f64" => bench.chain(),
        "ew_fill" => bench.fill(),
        "ew_repeat" => bench.repeat(),
        "reduce_sum" | "reduce_interleaved" | "reduce_packed" => {
            bench.sum_of_groups()
        }
        "reduce_coarse" => bench.sum_two_per_item(),
        "reduce_atomic" => bench.sum_atomic(),
        "reduce_last" => bench.sum_in_last_group(),
        "reduce_rows" => bench.sum_of_rows(),
        "reduce_axis" => bench.sum_along_an_axis(),
        "transpose_tiled" => bench.transpose(),
        "softmax_log" => bench.softmax(),
        "pick_labels" => bench.pick(),
        "pick_backward" => bench.pick_backward(),
        other => bench.elementwise(other),
    })
}

/// The kernel and the inputs of a launch, on the device and on the host.
struct Bench<'a> {
    gpu: &'a Gpu,
    kernel: &'a Kernel,
    n: usize,
    /// The size, in the type of a kernel argument.
    count: u32,
    /// Small whole numbers, whose sums are exact.
    a: Vec<f32>,
    b: Vec<f32>,
    /// `a` on the device.
    x: Buffer<f32>,
    /// `b` on the device.
    y: Buffer<f32>,
}

impl<'a> Bench<'a> {
    fn new(gpu: &'a Gpu, kernel: &'a Kernel, n: usize) -> Bench<'a> {
        let a: Vec<f32> = (0..n).map(|i| (i % 7) as f32).collect();
        let b: Vec<f32> = (0..n).map(|i| (i % 5) as f32 - 2.0).collect();
        let [x, y] = [&a, &b].map(|values| gpu.upload(values).unwrap());
        Bench { gpu, kernel, n, count: n as u32, a, b, x, y }
    }

    /// Begins a launch with an item for each of `items` elements.
    fn launch(&self, items: usize) -> Launch<'a> {
        self.gpu.launch(self.kernel).global(items).local(256)
    }

    fn out(&self, len: usize) -> Buffer<f32> {
        self.gpu.allocate(len).unwrap()
    }

    /// Uploads rows one after the other.
    fn rows<const N: usize>(&self, rows: [&[f32]; N]) -> Buffer<f32> {
        self.gpu.upload(&rows.concat()).unwrap()
    }

    fn pairs(&self, f: impl Fn(f32, f32) -> f32) -> Both {
        let out = self.out(self.n);
        let launch = self
            .launch(self.n)
            .input(&self.x)
            .input(&self.y)
            .output(&out)
            .scalar(self.count);
        let right = self.a.iter().zip(&self.b).map(|(a, b)| f(*a, *b));
        (written(launch, &out), right.collect())
    }

    /// A column (n, 1) and a row (3).
    fn broadcast(&self, f: fn(f32, f32) -> f32) -> Both {
        let row = [1.0, 2.0, 3.0];
        let (on_device, out) = (self.rows([&row]), self.out(3 * self.n));
        let launch = self
            .launch(3 * self.n)
            .input(&self.x)
            .scalar([0, 0, 0, 0, 0, 0, 1, 0])
            .input(&on_device)
            .scalar([0, 0, 0, 0, 0, 0, 0, 1])
            .output(&out)
            .scalar([1, 1, 1, 1, 1, 1, self.n as i32, 3])
            .scalar(3 * self.count);
        let right = self.a.iter().flat_map(|a| row.map(|b| f(*a, b)));
        (written(launch, &out), right.collect())
    }

    /// Uses `b`, which contains both signs.
    fn each(&self, f: impl Fn(f32) -> f32) -> Both {
        let out = self.out(self.n);
        let launch =
            self.launch(self.n).input(&self.y).output(&out).scalar(self.count);
        (written(launch, &out), self.b.iter().map(|b| f(*b)).collect())
    }

    /// An elementwise operation such as `ew_exp`, or its derivative with the
    /// suffix `_backward`, with the reference of its row.
    fn elementwise(&self, kernel: &str) -> Both {
        let backward = kernel.strip_suffix("_backward");
        let name = backward.or(kernel.strip_prefix("ew_"));
        let Some(one) = name.and_then(elementwise::find) else {
            panic!("write a launch of {kernel} for this test");
        };
        if backward.is_none() {
            return self.each(|b| one.apply(f64::from(b)) as f32);
        }
        self.pairs(|a, b| {
            let b = Array::new(&[], &[b]);
            let slope =
                gradcheck::slope(&[b], 0, |b| one.apply(b[0].values[0]));
            a * slope.values[0] as f32
        })
    }

    fn scale(&self) -> Both {
        let out = self.out(self.n);
        let launch = self
            .launch(self.n)
            .input(&self.x)
            .output(&out)
            .scalar(3.0_f32)
            .scalar(self.count);
        (written(launch, &out), self.a.iter().map(|a| 3.0 * a).collect())
    }

    /// Three steps of x = x / 2 + a from 0, 1, 2 and 3: an eighth of the
    /// initial values remains, and 7/4 of `a` has been added to each of the
    /// four.
    fn chain(&self) -> Both {
        let out = self.out(self.n);
        let launch = self
            .launch(self.n)
            .input(&self.x)
            .output(&out)
            .scalar(self.count)
            .scalar(3_u32);
        let right = self.a.iter().map(|a| 0.75 + 7.0 * a);
        (written(launch, &out), right.collect())
    }

    fn fill(&self) -> Both {
        let out = self.out(self.n);
        let launch = self.launch(self.n).output(&out);
        let launch = launch.scalar(7.0_f32).scalar(self.count);
        (written(launch, &out), vec![7.0; self.n])
    }

    /// (n, 1) -> (n, 3, 1).
    fn repeat(&self) -> Both {
        let out = self.out(3 * self.n);
        let launch = self
            .launch(3 * self.n)
            .input(&self.x)
            .output(&out)
            .scalar(3_u32)
            .scalar(1_u32)
            .scalar(3 * self.count);
        (written(launch, &out), self.a.iter().flat_map(|a| [*a; 3]).collect())
    }

    fn sum_of_groups(&self) -> Both {
        let groups = self.a.chunks(256).map(|group| group.iter().sum());
        let right: Vec<f32> = groups.collect();
        let out = self.out(right.len());
        let launch =
            self.launch(self.n).input(&self.x).output(&out).scalar(self.count);
        (written(launch, &out), right)
    }

    /// Begins a launch with half as many items as values. Also returns its
    /// number of groups.
    fn launch_with_half_the_items(&self) -> (Launch<'a>, usize) {
        let groups = self.n.div_ceil(512);
        (self.launch(groups * 256), groups)
    }

    /// Each item adds two values whose distance is the number of items.
    fn sum_two_per_item(&self) -> Both {
        let (launch, groups) = self.launch_with_half_the_items();
        let out = self.out(groups);
        let mut right = vec![0.0; groups];
        for (i, value) in self.a.iter().enumerate() {
            right[i / 256 % groups] += value;
        }
        let launch = launch.input(&self.x).output(&out).scalar(self.count);
        (written(launch, &out), right)
    }

    /// The groups add to the initial value of the total.
    fn sum_atomic(&self) -> Both {
        let (launch, _) = self.launch_with_half_the_items();
        let total = self.gpu.upload(&[5.0]).unwrap();
        let launch = launch.input(&self.x).output(&total).scalar(self.count);
        let right = 5.0 + self.a.iter().sum::<f32>();
        (written(launch, &total), vec![right])
    }

    /// Runs twice, because the first launch must reset the count.
    fn sum_in_last_group(&self) -> Both {
        let finished = self.gpu.upload(&[0_u32]).unwrap();
        let (total, groups) =
            (self.out(1), self.launch_with_half_the_items().1);
        let partials = self.gpu.upload(&vec![0.0; groups]).unwrap();
        let totals = [0, 1].map(|_| {
            let (launch, _) = self.launch_with_half_the_items();
            let launch = launch
                .input(&self.x)
                .output(&partials)
                .output(&total)
                .output(&finished)
                .scalar(self.count);
            written(launch, &total)[0]
        });
        (totals.to_vec(), vec![self.a.iter().sum(); 2])
    }

    fn sum_of_rows(&self) -> Both {
        let rows = [&self.a[..], &self.b, &self.a];
        let (on_device, out) = (self.rows(rows), self.out(3));
        let launch = self
            .launch(3 * 256)
            .input(&on_device)
            .output(&out)
            .scalar(self.count);
        (written(launch, &out), rows.map(|row| row.iter().sum()).to_vec())
    }

    /// (2, 3, n) -> (2, n).
    fn sum_along_an_axis(&self) -> Both {
        let (a, b) = (&self.a[..], &self.b[..]);
        let (on_device, out) =
            (self.rows([a, b, a, b, b, b]), self.out(2 * self.n));
        let launch = self
            .launch(2 * self.n)
            .input(&on_device)
            .output(&out)
            .scalar(3_u32)
            .scalar(self.count)
            .scalar(2 * self.count);
        let first = a.iter().zip(b).map(|(a, b)| 2.0 * a + b);
        let right = first.chain(b.iter().map(|b| 3.0 * b));
        (written(launch, &out), right.collect())
    }

    /// Two matrices (3, n).
    fn transpose(&self) -> Both {
        let (a, b) = (&self.a[..], &self.b[..]);
        let (on_device, out) =
            (self.rows([a, b, a, b, b, b]), self.out(6 * self.n));
        let launch = self
            .gpu
            .launch(self.kernel)
            .input(&on_device)
            .output(&out)
            .scalar(3_u32)
            .scalar(self.count)
            .global([self.n, 3, 2])
            .local([16, 16, 1]);
        let columns = |rows: [&[f32]; 3]| -> Vec<f32> {
            (0..self.n).flat_map(|i| rows.map(|row| row[i])).collect()
        };
        let right = [columns([a, b, a]), columns([b; 3])].concat();
        (written(launch, &out), right)
    }

    /// Three rows of n.
    fn softmax(&self) -> Both {
        let rows = [&self.a[..], &self.b, &self.a];
        let (on_device, out) = (self.rows(rows), self.out(3 * self.n));
        let launch = self
            .gpu
            .launch(self.kernel)
            .input(&on_device)
            .output(&out)
            .scalar(self.count)
            .global(3 * 64)
            .local(64);
        let logs = |row: &[f32]| -> Vec<f32> {
            let total: f64 = row.iter().map(|x| f64::from(*x).exp()).sum();
            row.iter().map(|x| x - total.ln() as f32).collect()
        };
        (written(launch, &out), rows.map(logs).concat())
    }

    /// Rows of one element. Every third label is out of range, and nothing is
    /// written for it.
    fn pick(&self) -> Both {
        let labels: Vec<u32> =
            (0..self.count).map(|i| u32::from(i % 3 == 2)).collect();
        let right = self.a.iter().zip(&labels);
        let right = right.map(|(&a, &label)| if label == 0 { a } else { -1.0 });
        let right = right.collect();
        let labels = self.gpu.upload(&labels).unwrap();
        let out = self.gpu.upload(&vec![-1.0; self.n]).unwrap();
        let launch = self
            .launch(self.n)
            .input(&self.x)
            .input(&labels)
            .output(&out)
            .scalar(1_u32)
            .scalar(self.count);
        (written(launch, &out), right)
    }

    /// Three rows of n. The picked elements are the last of the first row, the
    /// first of the second, and none of the third.
    fn pick_backward(&self) -> Both {
        let labels = [self.count - 1, 0, self.count];
        let labels = self.gpu.upload(&labels).unwrap();
        let (grads, out) =
            (self.rows([&[5.0, 7.0, 9.0]]), self.out(3 * self.n));
        let launch = self
            .launch(3 * self.n)
            .input(&grads)
            .input(&labels)
            .output(&out)
            .scalar(self.count)
            .scalar(3 * self.count);
        let mut right = vec![0.0; 3 * self.n];
        (right[self.n - 1], right[self.n]) = (5.0, 7.0);
        (written(launch, &out), right)
    }
}
