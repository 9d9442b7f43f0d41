//! A launch of every kernel of Part 3 with irregular sizes, for the simulator.
//!
//! [`run`] is the list. A `Bench` holds the common inputs and has a method for
//! each family of kernels with the same arguments.

pub mod groups;
pub mod heads;
mod many;
mod plain;
mod reductions;

use rungrad::engine::kernels::operation;
use rungrad::opencl::{Buffer, Gpu, Kernel, Launch};
use rungrad::part3_unified::{Binary, Unary};
use rungrad::rng;

use super::draft::PRODUCTS;

/// The output of a kernel, and the expected values from the host.
pub type Both = (Vec<f32>, Vec<f32>);

/// Runs `kernel` on `n` values, or returns `None` for a kernel of a different
/// part.
pub fn run(gpu: &Gpu, kernel: &Kernel, n: usize) -> Option<Both> {
    if kernel.file().starts_with("kernels/part2/") {
        return None;
    }
    let bench = Bench::new(gpu, kernel, n);
    if PRODUCTS.contains(&kernel.name()) {
        return Some(bench.product());
    }
    Some(match kernel.name().split_once('_')? {
        ("plain", name) => bench.plain(name),
        ("unary", _) => bench.unary(),
        ("binary", op) => bench.binary(op),
        ("strided", op) => bench.strided(op),
        ("where", "cond") => bench.where_cond(),
        ("copy", "strided") => bench.copy_from_a_view(),
        ("copy", "to_strided") => bench.copy_to_a_view(),
        ("copy", "indexed") => bench.copy_indexed(),
        ("reduce", "rows_sum") => bench.reduce_rows(sum),
        ("reduce", "rows_max") => bench.reduce_rows(max),
        ("reduce", "few_sum") => bench.reduce_few(sum),
        ("reduce", "few_max") => bench.reduce_few(max),
        ("reduce", "few_share") => bench.reduce_few_share(),
        ("reduce", "columns_sum") => bench.reduce_columns(sum),
        ("reduce", "columns_max") => bench.reduce_columns(max),
        ("reduce", "short_sum") => bench.reduce_short(sum),
        ("reduce", "short_max") => bench.reduce_short(max),
        ("reduce", sums) if sums.starts_with("sums_") => {
            bench.reduce_sums(sums["sums_".len()..].parse().ok()?)
        }
        ("copy", "tiled") => bench.copy_by_tiles(),
        ("softmax", "rows" | "fours") => bench.softmax(),
        ("softmax", "grads") => bench.softmax_grads(),
        ("product", "vector" | "vector_fours") => bench.product_vector(),
        ("copy", "lines") => bench.copy_lines(),
        ("index", "select") => bench.index_select(),
        ("index", "add") => bench.index_add(),
        ("index", "add_sorted") => bench.index_add_sorted(),
        ("fold", "windows") => bench.fold(),
        ("fill", "uniform") => bench.fill(),
        ("adam", count) => bench.adam(count.parse().ok()?),
        ("attention", "rows" | "grads") => bench.attention(),
        ("attention", _) => bench.long_attention(),
        ("norm", "sums") => bench.norm_sums(),
        ("norm", _) => bench.norm(),
        _ => panic!("write a launch of {} for this test", kernel.name()),
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
    /// `a` on the device, after [`OFFSET`] values that must not be read.
    x: Buffer<f32>,
    /// `b` on the device.
    y: Buffer<f32>,
}

const OFFSET: usize = 3;

impl<'a> Bench<'a> {
    fn new(gpu: &'a Gpu, kernel: &'a Kernel, n: usize) -> Bench<'a> {
        let a: Vec<f32> = (0..n).map(|i| (i % 7) as f32).collect();
        let b: Vec<f32> = (0..n).map(|i| (i % 5) as f32 - 2.0).collect();
        let x = gpu.upload(&[&[99.0; OFFSET], &a[..]].concat()).unwrap();
        let y = gpu.upload(&b).unwrap();
        Bench { gpu, kernel, n, count: n as u32, a, b, x, y }
    }

    /// Begins a launch with an item for each of `items` elements.
    fn launch(&self, items: usize) -> Launch<'a> {
        self.gpu.launch(self.kernel).global(items).local(256)
    }

    fn out(&self, len: usize) -> Buffer<f32> {
        self.gpu.allocate(len).unwrap()
    }

    fn unary(&self) -> Both {
        let op = operation(self.kernel, 3.0).expect("one of ours");
        let out = self.out(self.n);
        let launch = self
            .launch(self.n)
            .input(&self.x)
            .scalar(OFFSET as u32)
            .scalar(3.0_f32)
            .output(&out)
            .scalar(self.count);
        (written(launch, &out), self.a.iter().map(|a| op.apply(*a)).collect())
    }

    fn binary(&self, op: &str) -> Both {
        let out = self.out(self.n);
        let launch = self
            .launch(self.n)
            .input(&self.x)
            .scalar(OFFSET as u32)
            .input(&self.y)
            .scalar(0_u32)
            .output(&out)
            .scalar(self.count);
        (written(launch, &out), self.pairs(binary_operation(op)))
    }

    fn strided(&self, op: &str) -> Both {
        let out = self.out(self.n);
        let launch = self
            .launch(self.n)
            .input(&self.x)
            .scalar(OFFSET as u32)
            .scalar([1; 8])
            .input(&self.y)
            .scalar(0_u32)
            .scalar([1; 8])
            .scalar(self.row())
            .output(&out)
            .scalar(self.count);
        (written(launch, &out), self.pairs(binary_operation(op)))
    }

    /// Reads the values in reverse, through a view with stride -1.
    fn copy_from_a_view(&self) -> Both {
        let out = self.out(self.n);
        let launch = self
            .launch(self.n)
            .input(&self.x)
            .scalar((OFFSET + self.n - 1) as u32)
            .scalar(self.row())
            .scalar([-1; 8])
            .output(&out)
            .scalar(self.count);
        (written(launch, &out), self.backwards())
    }

    fn copy_to_a_view(&self) -> Both {
        let out = self.out(self.n);
        let launch = self
            .launch(self.n)
            .input(&self.x)
            .scalar(OFFSET as u32)
            .output(&out)
            .scalar(self.count - 1)
            .scalar(self.row())
            .scalar([-1; 8])
            .scalar(self.count);
        (written(launch, &out), self.backwards())
    }

    /// Reads the values in reverse, through a list of indices.
    fn copy_indexed(&self) -> Both {
        let places: Vec<u32> = (0..self.count).rev().collect();
        let places = self.gpu.upload(&places).unwrap();
        let out = self.out(self.n);
        let launch = self
            .launch(self.n)
            .input(&self.x)
            .scalar(OFFSET as u32)
            .scalar(self.count)
            .input(&places)
            .output(&out)
            .scalar(self.count);
        (written(launch, &out), self.backwards())
    }

    /// Selects all rows in reverse. A row has one element.
    fn index_select(&self) -> Both {
        let places: Vec<u32> = (0..self.count).rev().collect();
        let (places, out) =
            (self.gpu.upload(&places).unwrap(), self.out(self.n));
        let launch = self
            .launch(self.n)
            .input(&self.x)
            .scalar(OFFSET as u32)
            .scalar(self.count)
            .scalar(1_u32)
            .input(&places)
            .output(&out)
            .scalar(self.count);
        (written(launch, &out), self.backwards())
    }

    /// Adds the first half of the rows to row 0 and the others to row 2.
    fn index_add_sorted(&self) -> Both {
        let half = self.n / 2;
        let place = |row| if row < half { 0 } else { 2_u32 };
        let places: Vec<u32> = (0..self.n).map(place).collect();
        let places = self.gpu.upload(&places).unwrap();
        let out = self.out(4);
        let launch = self
            .launch(4)
            .input(&self.x)
            .scalar(OFFSET as u32)
            .scalar(self.count)
            .scalar(1_u32)
            .input(&places)
            .output(&out)
            .scalar(4_u32);
        let [first, others] = [&self.a[..half], &self.a[half..]].map(sum);
        (written(launch, &out), vec![first, 0.0, others, 0.0])
    }

    fn index_add(&self) -> Both {
        let order: Vec<u32> = (0..self.count).collect();
        let order = self.gpu.upload(&order).unwrap();
        let starts = self.gpu.upload(&[0, self.count, self.count]).unwrap();
        let out = self.out(2);
        let launch = self
            .launch(2)
            .input(&self.x)
            .scalar(OFFSET as u32)
            .scalar(self.count)
            .scalar(1_u32)
            .input(&starts)
            .input(&order)
            .output(&out)
            .scalar(2_u32);
        (written(launch, &out), vec![sum(&self.a), 0.0])
    }

    /// Windows of 1 x 2 with stride 1 over a row of n + 1 ones. The elements
    /// at the ends are in one window, the others in two.
    fn fold(&self) -> Both {
        let ones = self.gpu.upload(&vec![1.0_f32; 2 * self.n]).unwrap();
        let n = self.n as i32;
        let out = self.out(self.n + 1);
        let launch = self
            .launch(self.n + 1)
            .input(&ones)
            .scalar(0_u32)
            .scalar([2 * n, 2 * n, 2, 2, 1, 0, 0, 0])
            .scalar([1, n + 1, 1, 2, 1, 1, 1, 1])
            .output(&out)
            .scalar(self.count + 1);
        let mut right = vec![2.0; self.n + 1];
        (right[0], right[self.n]) = (1.0, 1.0);
        (written(launch, &out), right)
    }

    /// The seed has bits in both halves.
    fn fill(&self) -> Both {
        let seed = 1 << 40 | 7;
        let out = self.out(self.n);
        let launch = self
            .launch(self.n)
            .output(&out)
            .scalar(seed as u32)
            .scalar((seed >> 32) as u32)
            .scalar(self.count);
        let number = |k| rng::unit(rng::bits(seed, k));
        (written(launch, &out), (0..self.n as u64).map(number).collect())
    }

    /// Returns the shape of a row of n elements, with eight axes.
    fn row(&self) -> [i32; 8] {
        [1, 1, 1, 1, 1, 1, 1, self.n as i32]
    }

    fn pairs(&self, f: impl Fn(f32, f32) -> f32) -> Vec<f32> {
        self.a.iter().zip(&self.b).map(|(a, b)| f(*a, *b)).collect()
    }

    fn backwards(&self) -> Vec<f32> {
        self.a.iter().rev().copied().collect()
    }

    /// Uploads rows after [`OFFSET`] other values.
    fn matrix(&self, rows: &[&Vec<f32>]) -> Buffer<f32> {
        let mut values = vec![99.0; OFFSET];
        values.extend(rows.iter().copied().flatten());
        self.gpu.upload(&values).unwrap()
    }
}

/// Returns the binary operation with this name.
fn binary_operation(name: &str) -> impl Fn(f32, f32) -> f32 {
    let op = Binary::ALL.iter().find(|op| op.name() == name);
    move |x, y| match op {
        Some(op) => op.apply(x, y),
        None => Unary::GeluSlope.apply(x) * y,
    }
}

fn sum(values: &[f32]) -> f32 {
    values.iter().sum()
}

fn max(values: &[f32]) -> f32 {
    values.iter().copied().fold(f32::NEG_INFINITY, f32::max)
}

/// Runs the launch and returns the contents of `out`. The buffers have exactly
/// the required size, so unreached elements mean that the kernel declares too
/// small a range.
pub fn written(launch: Launch, out: &Buffer<f32>) -> Vec<f32> {
    let spare = launch.unreached().unwrap();
    let exact = spare.iter().all(|&values| values == 0);
    assert!(exact, "{} leaves {spare:?} to spare", launch.name());
    launch.run().unwrap();
    out.read().unwrap()
}
