//! A launch of every kernel of Part 3 over ragged sizes, for the simulator.

use rungrad::opencl::{Buffer, Gpu, Kernel, Launch};

/// Runs `kernel` over `n` values and gives what it wrote beside what the
/// host makes of it; `None` for a kernel of another part.
pub(crate) fn run(
    gpu: &Gpu,
    kernel: &Kernel,
    n: usize,
) -> Option<(Vec<f32>, Vec<f32>)> {
    let count = n as u32;
    // Small whole numbers, of which every sum is exact.
    let a: Vec<f32> = (0..n).map(|i| (i % 7) as f32).collect();
    let b: Vec<f32> = (0..n).map(|i| (i % 5) as f32 - 2.0).collect();
    let late = [vec![99.0; 3], a.clone()].concat();
    let [x, y, late] = [&a, &b, &late].map(|v| gpu.upload(v).unwrap());
    let launch = || gpu.launch(kernel).local(256).global(n);
    let row = |n: usize| [1, 1, 1, 1, 1, 1, 1, n as i32];

    let name = kernel.name();
    let numbers = |op: fn(f32, f32) -> f32| -> Vec<f32> {
        a.iter().zip(&b).map(|(a, b)| op(*a, *b)).collect()
    };
    let each =
        |op: fn(f32) -> f32| -> Vec<f32> { a.iter().map(|a| op(*a)).collect() };
    if let Some(op) = name.strip_prefix("unary_") {
        let right = each(match op {
            "scale" => |x| x * 3.0,
            "shift" => |x| x + 3.0,
            "reciprocal" => |x| 1.0 / x,
            "sqrt" => f32::sqrt,
            "square" => |x| x * x,
            "pow" => |x| x * x * x,
            "exp" => f32::exp,
            "log" => f32::ln,
            "relu" => |x| x.max(0.0),
            "tanh" => f32::tanh,
            "sigmoid" => |x| 1.0 / (1.0 + (-x).exp()),
            other => panic!("write a launch of unary_{other} for this test"),
        });
        return Some({
            let out = &gpu.allocate(n).unwrap();
            written(
                {
                    let launch = launch().input(&late, n + 3).scalar(3_u32);
                    launch.scalar(3.0_f32).output(out, n).scalar(count)
                },
                out,
                right,
            )
        });
    }
    let pairs = name
        .split_once('_')
        .filter(|(kind, _)| ["binary", "strided"].contains(kind));
    if let Some((kind, op)) = pairs {
        let right = numbers(match op {
            "add" => |x, y| x + y,
            "mul" => |x, y| x * y,
            "less" => |x, y| f32::from(x < y),
            "at_most" => |x, y| f32::from(x <= y),
            "equal" => |x, y| f32::from(x == y),
            other => panic!("write a launch of {kind}_{other} for this test"),
        });
        return Some({
            let out = &gpu.allocate(n).unwrap();
            written(
                match kind {
                    "binary" => {
                        let launch = launch().input(&late, n + 3).scalar(3_u32);
                        let launch = launch.input(&y, n).scalar(0_u32);
                        launch.output(out, n).scalar(count)
                    }
                    _ => {
                        let launch = launch().input(&late, 1).scalar(3_u32);
                        let launch =
                            launch.scalar([1; 8]).input(&y, 1).scalar(0_u32);
                        let launch = launch.scalar([1; 8]).scalar(row(n));
                        launch.output(out, n).scalar(count)
                    }
                },
                out,
                right,
            )
        });
    }
    Some(match name {
        "choose_elements" => {
            let right = numbers(|a, b| if b != 0.0 { a } else { b });
            {
                let out = &gpu.allocate(n).unwrap();
                written(
                    {
                        let launch = launch().input(&y, n).scalar(0_u32);
                        let launch = launch.input(&late, n + 3).scalar(3_u32);
                        let launch = launch.input(&y, n).scalar(0_u32);
                        launch.output(out, n).scalar(count)
                    },
                    out,
                    right,
                )
            }
        }
        // The values backwards, there and back.
        "copy_strided" => {
            let right = a.iter().rev().copied().collect();
            {
                let out = &gpu.allocate(n).unwrap();
                written(
                    {
                        let launch = launch().input(&x, n).scalar(count - 1);
                        let launch = launch.scalar(row(n)).scalar([-1; 8]);
                        launch.output(out, n).scalar(count)
                    },
                    out,
                    right,
                )
            }
        }
        "copy_paste" => {
            let right = a.iter().rev().copied().collect();
            {
                let out = &gpu.allocate(n).unwrap();
                written(
                    {
                        let launch = launch().input(&late, n + 3).scalar(3_u32);
                        let launch = launch.output(out, n).scalar(count - 1);
                        launch.scalar(row(n)).scalar([-1; 8]).scalar(count)
                    },
                    out,
                    right,
                )
            }
        }
        "reduce_rows_sum" | "reduce_rows_max" => rows(gpu, kernel, &a, &b),
        "reduce_columns_sum" | "reduce_columns_max" => {
            columns(gpu, kernel, &a, &b)
        }
        // (2, 3, n) x (2, n, 5) of ones and twos, the second transposed.
        "batch_matmul" => {
            let ones = gpu.upload(&vec![1.0_f32; 6 * n]).unwrap();
            let twos = gpu.upload(&vec![2.0_f32; 10 * n]).unwrap();
            let n = n as i32;
            let strides = [3 * n, n, 1, 5 * n, 1, n, 0, 0];
            {
                let out = &gpu.allocate(30).unwrap();
                written(
                    {
                        let launch =
                            gpu.launch(kernel).input(&ones, 1).scalar(0_u32);
                        let launch = launch.input(&twos, 1).scalar(0_u32);
                        let launch = launch.scalar(strides).output(out, 30);
                        let launch =
                            launch.scalar(3_u32).scalar(count).scalar(5_u32);
                        launch.global([5, 3, 2]).local([16, 16, 1])
                    },
                    out,
                    vec![2.0 * n as f32; 30],
                )
            }
        }
        // All rows backwards, each of one element.
        "gather_rows" => {
            let places: Vec<u32> = (0..count).rev().collect();
            let places = gpu.upload(&places).unwrap();
            let right = a.iter().rev().copied().collect();
            {
                let out = &gpu.allocate(n).unwrap();
                written(
                    {
                        let launch = launch().input(&late, n + 3).scalar(3_u32);
                        let launch = launch.scalar(count).scalar(1_u32);
                        launch.input(&places, n).output(out, n).scalar(count)
                    },
                    out,
                    right,
                )
            }
        }
        // All rows to the first of two, each of one element.
        "scatter_rows" => {
            let starts = gpu.upload(&[0, count, count]).unwrap();
            let order = gpu.upload(&(0..count).collect::<Vec<_>>()).unwrap();
            {
                let out = &gpu.allocate(2).unwrap();
                written(
                    {
                        let launch =
                            gpu.launch(kernel).input(&x, n).scalar(0_u32);
                        let launch = launch.scalar(count).scalar(1_u32);
                        let launch = launch.input(&starts, 3).input(&order, n);
                        launch.output(out, 2).scalar(2_u32).local(256).global(2)
                    },
                    out,
                    vec![a.iter().sum(), 0.0],
                )
            }
        }
        // Windows of 1 x 2, one apart, over a row of n + 1 ones: the ends
        // are in one window, the others in two.
        "fold_windows" => {
            let ones = gpu.upload(&vec![1.0_f32; 2 * n]).unwrap();
            let mut right = vec![2.0; n + 1];
            (right[0], right[n]) = (1.0, 1.0);
            let sizes = [1, n as i32 + 1, 1, n as i32, 1, 2, 1, 1];
            {
                let out = &gpu.allocate(n + 1).unwrap();
                written(
                    {
                        let launch = gpu.launch(kernel).input(&ones, 2 * n);
                        let launch = launch.scalar(0_u32).scalar(sizes);
                        let launch =
                            launch.output(out, n + 1).scalar(count + 1);
                        launch.local(256).global(n + 1)
                    },
                    out,
                    right,
                )
            }
        }
        "fill_uniform" => {
            let right = (0..n as u64).map(|k| {
                rungrad::rng::unit(rungrad::rng::bits(1 << 40 | 7, k))
            });
            {
                let out = &gpu.allocate(n).unwrap();
                written(
                    {
                        launch()
                            .output(out, n)
                            .scalar(7_u32)
                            .scalar(256_u32)
                            .scalar(count)
                    },
                    out,
                    right.collect(),
                )
            }
        }
        _ => return None,
    })
}

fn written(
    launch: Launch,
    out: &Buffer<f32>,
    right: Vec<f32>,
) -> (Vec<f32>, Vec<f32>) {
    launch.run().unwrap();
    (out.read().unwrap(), right)
}

fn joined(kernel: &Kernel, values: &[f32]) -> f32 {
    match kernel.name().ends_with("max") {
        true => values.iter().copied().fold(f32::NEG_INFINITY, f32::max),
        false => values.iter().sum(),
    }
}

/// Three rows of n, after an offset of two, in parts of 100.
fn rows(
    gpu: &Gpu,
    kernel: &Kernel,
    a: &[f32],
    b: &[f32],
) -> (Vec<f32>, Vec<f32>) {
    let n = a.len();
    let values = [&[99.0; 2][..], a, b, a].concat();
    let values = gpu.upload(&values).unwrap();
    let right: Vec<f32> = [a, b, a]
        .into_iter()
        .flat_map(|row| row.chunks(100).map(|part| joined(kernel, part)))
        .collect();
    let parts = right.len();
    {
        let out = &gpu.allocate(parts).unwrap();
        written(
            {
                let launch = gpu.launch(kernel).input(&values, 1).scalar(2_u32);
                let launch = launch.scalar(n as u32).scalar(n as u32);
                let launch = launch.scalar(100_u32).output(out, parts);
                launch.global(parts * 256).local(256)
            },
            out,
            right,
        )
    }
}

/// A matrix of three rows of n, after an offset of two, in parts of two rows.
fn columns(
    gpu: &Gpu,
    kernel: &Kernel,
    a: &[f32],
    b: &[f32],
) -> (Vec<f32>, Vec<f32>) {
    let n = a.len();
    let values = [&[99.0; 2][..], a, b, a].concat();
    let values = gpu.upload(&values).unwrap();
    let pairs = a.iter().zip(b).map(|(a, b)| joined(kernel, &[*a, *b]));
    let right: Vec<f32> = pairs.chain(a.iter().copied()).collect();
    {
        let out = &gpu.allocate(2 * n).unwrap();
        written(
            {
                let launch = gpu.launch(kernel).input(&values, 1).scalar(2_u32);
                let launch =
                    launch.scalar(n as u32).scalar(n as u32).scalar(3_u32);
                let launch = launch.scalar(2_u32).output(out, 2 * n);
                launch.global(2 * n).local(256)
            },
            out,
            right,
        )
    }
}
