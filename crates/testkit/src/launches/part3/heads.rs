//! The kernels of a transformer, compared with loops on the host.

use rungrad::engine::kernels::{ATTENTION_LONG_KEYS, ATTENTION_LONG_QUERIES};
use rungrad::opencl::{Buffer, Kernel, Launch};

use super::{Bench, Both, written};

/// Computes causal self-attention on the host, or its gradient if there is an
/// upstream gradient. Returns pairs of an index in the output and its value.
pub fn attention(
    a: &[f32],
    above: Option<&[f32]>,
    [places, heads, width]: [usize; 3],
    n: usize,
) -> Vec<(usize, f32)> {
    let row = heads * width;
    let scale = 1.0 / (width as f64).sqrt();
    let mut all = vec![];
    for one in 0..n {
        let (text, head) = (one / heads, one % heads);
        let at = |place: usize, part: usize| {
            (text * places + place) * 3 * row + part * row + head * width
        };
        let value = |place, part, c| f64::from(a[at(place, part) + c]);
        let dot = |f: &dyn Fn(usize) -> f64| (0..width).map(f).sum::<f64>();
        let mut back = vec![0.0; places * 3 * width];
        for i in 0..places {
            let score = |j| scale * dot(&|c| value(i, 0, c) * value(j, 1, c));
            let scores: Vec<f64> = (0..=i).map(score).collect();
            let most = scores.iter().copied().fold(f64::MIN, f64::max);
            let shares = scores.iter().map(|x| (x - most).exp());
            let shares: Vec<f64> = shares.collect();
            let total: f64 = shares.iter().sum();
            let share = |j: usize| shares[j] / total;
            let to = (text * places + i) * row + head * width;
            let Some(above) = above else {
                for c in 0..width {
                    let sum: f64 =
                        (0..=i).map(|j| share(j) * value(j, 2, c)).sum();
                    all.push((to + c, sum as f32));
                }
                continue;
            };
            let g = |c: usize| f64::from(above[to + c]);
            let came = |j: usize| dot(&|c| g(c) * value(j, 2, c));
            let mean: f64 = (0..=i).map(|j| share(j) * came(j)).sum();
            for j in 0..=i {
                let slope = scale * share(j) * (came(j) - mean);
                for c in 0..width {
                    back[3 * i * width + c] += slope * value(j, 1, c);
                    back[(3 * j + 1) * width + c] += slope * value(i, 0, c);
                    back[(3 * j + 2) * width + c] += share(j) * g(c);
                }
            }
        }
        for (i, x) in back.iter().enumerate().filter(|_| above.is_some()) {
            let (place, part) = (i / width / 3, i / width % 3);
            all.push((at(place, part) + i % width, *x as f32));
        }
    }
    all
}

/// Computes layer normalization on the host: the normalized rows with a weight
/// and a bias, or their gradients from an upstream gradient and a weight.
pub fn norm(
    is_grads: bool,
    [a, second, third]: [&[f32]; 3],
    columns: usize,
    epsilon: f32,
) -> Vec<f32> {
    let wide = |x: &[f32]| x.iter().map(|&x| x.into()).collect::<Vec<f64>>();
    let [a, second, third] = [a, second, third].map(wide);
    let mut out = vec![];
    let count = columns as f64;
    for (row, x) in a.chunks(columns.max(1)).enumerate() {
        let mean = x.iter().sum::<f64>() / count;
        let variance = x.iter().map(|x| (x - mean).powi(2)).sum::<f64>();
        let deviation = (variance / count + f64::from(epsilon)).sqrt();
        let h: Vec<f64> = x.iter().map(|x| (x - mean) / deviation).collect();
        if !is_grads {
            out.extend((0..columns).map(|i| h[i] * second[i] + third[i]));
            continue;
        }
        let above = &second[row * columns..][..columns];
        let g: Vec<f64> = (0..columns).map(|i| above[i] * third[i]).collect();
        let direct = g.iter().sum::<f64>() / count;
        let along = (0..columns).map(|i| g[i] * h[i]).sum::<f64>() / count;
        let slope = |i: usize| (g[i] - direct - h[i] * along) / deviation;
        out.extend((0..columns).map(slope));
    }
    out.into_iter().map(|x| x as f32).collect()
}

/// Returns small values whose neighbors differ.
fn numbers(n: usize, period: usize) -> Vec<f32> {
    (0..n).map(|i| (i % period) as f32 / 4.0 - 0.5).collect()
}

#[track_caller]
fn near(yours: &[f32], right: &[f32]) -> Both {
    assert_eq!(yours.len(), right.len());
    for (yours, right) in yours.iter().zip(right) {
        let gap = (yours - right).abs();
        assert!(gap < 2e-6 + 2e-6 * right.abs(), "{yours}, not {right}");
    }
    (vec![], vec![])
}

impl Bench<'_> {
    /// Two texts of five positions, and two heads of width up to seven.
    pub(super) fn attention(&self) -> Both {
        let sizes = [5, 2, 1 + self.n % 7];
        let [places, heads, width] = sizes;
        let one = 2 * places * heads * width;
        let (a, grad) = (numbers(3 * one, 7), numbers(one, 5));
        let is_grads = self.kernel.name().ends_with("grads");
        let [x, g] = [&a, &grad].map(|it| self.gpu.upload(it).unwrap());
        let out = self.out(if is_grads { 3 * one } else { one });
        let mut launch = self.gpu.launch(self.kernel).input(&x).scalar(0_u32);
        if is_grads {
            launch = launch.input(&g).scalar(0_u32);
        }
        for size in sizes {
            launch = launch.scalar(size as u32);
        }
        let launch = launch.output(&out).scalar(2 * heads as u32);
        let yours = written(launch.global(2 * 32).local(32), &out);
        let above = is_grads.then_some(&grad[..]);
        let mut right = vec![f32::NAN; yours.len()];
        for (at, x) in attention(&a, above, sizes, 2 * heads) {
            right[at] = x;
        }
        near(&yours, &right)
    }

    /// Two texts of 37 positions or, to fill the tiles, 64, and two heads of
    /// width up to 24. For `n` = 1, which the simulator uses, one text of 33
    /// positions and one head. The gradients need both kernels.
    pub(super) fn long_attention(&self) -> Both {
        let [texts, places, heads] = match self.n {
            1 => [1, 33, 1],
            n => [2, [37, 64][n % 2], 2],
        };
        let width = 4 + self.n % 6 * 4;
        let sizes = [places, heads, width];
        let (one, n) = (texts * places * heads * width, texts * heads);
        let (a, grad) = (numbers(3 * one, 7), numbers(one, 5));
        let is_grads = !self.kernel.name().ends_with("rows");
        let [x, g] = [&a, &grad].map(|it| self.gpu.upload(it).unwrap());
        let out = self.out(if is_grads { 3 * one } else { one });
        let host = |above: Option<&[f32]>| {
            let times = if above.is_some() { 3 } else { 1 };
            let mut all = vec![f32::NAN; times * one];
            for (at, x) in attention(&a, above, sizes, n) {
                all[at] = x;
            }
            all
        };
        let seen = host(None);
        let sent = self.gpu.upload(&seen).unwrap();
        let n = n as u32;
        if !is_grads {
            let launch =
                self.begin(self.kernel, &[&x], sizes).output(&out).scalar(n);
            return near(&written(launch, &out), &seen);
        }
        let measured = self.out(2 * places * n as usize);
        let inputs = [&x, &sent, &g];
        let first = self.begin(&ATTENTION_LONG_QUERIES, &inputs, sizes);
        first.output(&measured).output(&out).scalar(n).run().unwrap();
        // Uploaded again, because Oclgrind 21 reports what the first kernel
        // wrote as uninitialized, although the values are right.
        let measured = self.gpu.upload(&measured.read().unwrap()).unwrap();
        let second = self.begin(&ATTENTION_LONG_KEYS, &[&x, &g], sizes);
        let second = second.input(&measured);
        let yours = written(second.output(&out).scalar(n), &out);
        near(&yours, &host(Some(&grad)))
    }

    /// Begins a launch with fewer work-groups than tiles.
    fn begin<'a>(
        &'a self,
        kernel: &'a Kernel,
        inputs: &[&'a Buffer<f32>],
        sizes: [usize; 3],
    ) -> Launch<'a> {
        let launch = self.gpu.launch(kernel);
        let launch =
            inputs.iter().fold(launch, |all, it| all.input(it).scalar(0_u32));
        let launch =
            sizes.iter().fold(launch, |all, size| all.scalar(*size as u32));
        launch.global(3 * 64).local(64)
    }

    /// Three rows of at most n elements, in work-groups of two rows.
    pub(super) fn norm(&self) -> Both {
        let columns = self.n.clamp(1, 300);
        let is_grads = !self.kernel.name().ends_with("rows");
        let keeps_rows = self.kernel.name().ends_with("grads");
        let rows = |period| numbers(3 * columns, period);
        let inputs = match is_grads {
            true => [rows(7), rows(5), numbers(columns, 4)],
            false => [rows(7), numbers(columns, 5), numbers(columns, 4)],
        };
        let buffers = inputs.each_ref().map(|it| self.gpu.upload(it).unwrap());
        let saved = if keeps_rows { 6 } else { 3 * columns };
        let [saved, out] = [saved, 3 * columns].map(|len| self.out(len));
        let mut launch = self.gpu.launch(self.kernel);
        for it in &buffers {
            launch = launch.input(it).scalar(0_u32);
        }
        let mut launch = launch.scalar(columns as u32).scalar(0.125_f32);
        if is_grads {
            launch = launch.output(&saved);
        }
        let launch = launch.output(&out).scalar(3_u32);
        let mut yours = written(launch.global([32, 2]).local([32, 2]), &out);
        let [a, second, third] = inputs.each_ref().map(|it| &it[..]);
        let mut right = norm(is_grads, [a, second, third], columns, 0.125);
        if is_grads && !keeps_rows {
            // The normalized rows are those with weight 1 and bias 0.
            yours.extend(saved.read().unwrap());
            let [one, zero] = [1.0, 0.0].map(|it| vec![it; columns]);
            let normal = norm(false, [a, &one, &zero], columns, 0.125);
            let pairs = normal.iter().zip(second);
            right.extend(pairs.map(|(h, above)| h * above));
        }
        near(&yours, &right)
    }

    /// The sums of three rows, in parts of two rows, with four items for each
    /// column.
    pub(super) fn norm_sums(&self) -> Both {
        let columns = self.n.clamp(1, 300);
        let [a, grads] = [7, 5].map(|period| numbers(3 * columns, period));
        let measured = [0.25, 2.0, -0.5, 1.0, 0.0, 0.5];
        let buffers = [&a, &grads, &measured.to_vec()];
        let buffers = buffers.map(|it| self.gpu.upload(it).unwrap());
        let [bias, weight] = [(); 2].map(|()| self.out(2 * columns));
        let launch = self
            .gpu
            .launch(self.kernel)
            .input(&buffers[0])
            .scalar(0_u32)
            .input(&buffers[1])
            .scalar(0_u32)
            .input(&buffers[2])
            .scalar(columns as u32)
            .scalar(2_u32)
            .output(&bias)
            .output(&weight)
            .scalar(3_u32)
            .global([columns, 8])
            .local([32, 4]);
        let mut yours = written(launch, &bias);
        yours.extend(weight.read().unwrap());
        let normal = |at: usize| {
            let [mean, inverse] =
                [0, 1].map(|i| measured[at / columns * 2 + i]);
            grads[at] * (a[at] - mean) * inverse
        };
        let sums = |value: &dyn Fn(usize) -> f32| -> Vec<f32> {
            let two = (0..columns).map(|i| value(i) + value(columns + i));
            two.chain((0..columns).map(|i| value(2 * columns + i))).collect()
        };
        let right = [sums(&|at| grads[at]), sums(&normal)].concat();
        near(&yours, &right)
    }
}
