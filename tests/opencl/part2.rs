//! A launch of every kernel of Part 2 over ragged sizes, for the simulator.
//! The ladder of matrix products has its own.

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
    let [x, y] = [&a, &b].map(|v| gpu.upload(v).unwrap());
    let launch = || gpu.launch(kernel).local(256).global(n);
    let pairs = |f: fn(f32, f32) -> f32| -> Vec<f32> {
        a.iter().zip(&b).map(|(a, b)| f(*a, *b)).collect()
    };
    let out = &gpu.allocate(n).unwrap();
    Some(match kernel.name() {
        "ew_mul" | "ew_add" => {
            let launch = launch().input(&x, n).input(&y, n);
            let right = match kernel.name() {
                "ew_mul" => pairs(|a, b| a * b),
                _ => pairs(|a, b| a + b),
            };
            written(launch.output(out, n).scalar(count), out, right)
        }
        "ew_fill" => {
            let launch = launch().output(out, n).scalar(7.0_f32);
            written(launch.scalar(count), out, vec![7.0; n])
        }
        "ew_scale" => {
            let launch = launch().input(&x, n).output(out, n).scalar(3.0_f32);
            let right = a.iter().map(|a| 3.0 * a).collect();
            written(launch.scalar(count), out, right)
        }
        "reduce_sum" => {
            let right: Vec<f32> =
                a.chunks(256).map(|c| c.iter().sum()).collect();
            let out = &gpu.allocate(right.len()).unwrap();
            let launch = launch().input(&x, n).output(out, right.len());
            written(launch.scalar(count), out, right)
        }
        // Three rows of n.
        "reduce_rows" => {
            let rows = gpu.upload(&[&a[..], &b, &a].concat()).unwrap();
            let right = [&a, &b, &a].map(|row| row.iter().sum()).to_vec();
            let out = &gpu.allocate(3).unwrap();
            let launch = gpu.launch(kernel).local(256).global(3 * 256);
            let launch = launch.input(&rows, 3 * n).output(out, 3);
            written(launch.scalar(count), out, right)
        }
        // (2, 3, n) -> (2, n).
        "reduce_axis" => {
            let rows = [&a, &b, &a, &b, &b, &b].map(|row| &row[..]);
            let rows = gpu.upload(&rows.concat()).unwrap();
            let mut right = pairs(|a, b| 2.0 * a + b);
            right.extend(b.iter().map(|b| 3.0 * b));
            let out = &gpu.allocate(2 * n).unwrap();
            let launch = gpu.launch(kernel).local(256).global(2 * n);
            let launch = launch.input(&rows, 6 * n).output(out, 2 * n);
            let launch = launch.scalar(3_u32).scalar(count);
            written(launch.scalar(2 * count), out, right)
        }
        // (n, 1) -> (n, 3, 1).
        "ew_repeat" => {
            let right = a.iter().flat_map(|a| [*a; 3]).collect();
            let out = &gpu.allocate(3 * n).unwrap();
            let launch = gpu.launch(kernel).local(256).global(3 * n);
            let launch = launch.input(&x, n).output(out, 3 * n);
            let launch = launch.scalar(3_u32).scalar(1_u32);
            written(launch.scalar(3 * count), out, right)
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
