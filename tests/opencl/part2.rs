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
    let each =
        |f: fn(f32) -> f32| -> Vec<f32> { a.iter().map(|a| f(*a)).collect() };
    let out = &gpu.allocate(n).unwrap();
    Some(match kernel.name() {
        "ew_mul" | "ew_mul4" | "ew_add" => {
            let launch = launch().input(&x, n).input(&y, n);
            let right = match kernel.name() {
                "ew_add" => pairs(|a, b| a + b),
                _ => pairs(|a, b| a * b),
            };
            written(launch.output(out, n).scalar(count), out, right)
        }
        "relu_backward" => {
            let launch = launch().input(&x, n).input(&y, n);
            let right = pairs(|g, x| if x > 0.0 { g } else { 0.0 });
            written(launch.output(out, n).scalar(count), out, right)
        }
        "ew_copy4" => {
            let launch = launch().input(&y, n).output(out, n);
            written(launch.scalar(count), out, b)
        }
        "ew_exp" => {
            let launch = launch().input(&x, n).output(out, n);
            written(launch.scalar(count), out, each(f32::exp))
        }
        "ew_relu" => {
            let launch = launch().input(&y, n).output(out, n);
            let right = b.iter().map(|b| b.max(0.0)).collect();
            written(launch.scalar(count), out, right)
        }
        // A column (n, 1) and a row (3).
        "broadcast_mul" | "broadcast_add" => {
            let row = gpu.upload(&[1.0_f32, 2.0, 3.0]).unwrap();
            let join: fn(f32, f32) -> f32 = match kernel.name() {
                "broadcast_mul" => |a, b| a * b,
                _ => |a, b| a + b,
            };
            let three = |a: &f32| [1.0, 2.0, 3.0].map(|b| join(*a, b));
            let right = a.iter().flat_map(three).collect();
            let out = &gpu.allocate(3 * n).unwrap();
            let launch = gpu.launch(kernel).local(256).global(3 * n);
            let launch = launch.input(&x, n).scalar([0, 0, 0, 0, 0, 0, 1, 0]);
            let launch = launch.input(&row, 3).scalar([0, 0, 0, 0, 0, 0, 0, 1]);
            let shape = [1, 1, 1, 1, 1, 1, n as i32, 3];
            let launch = launch.output(out, 3 * n).scalar(shape);
            written(launch.scalar(3 * count), out, right)
        }
        "ew_fill" => {
            let launch = launch().output(out, n).scalar(7.0_f32);
            written(launch.scalar(count), out, vec![7.0; n])
        }
        "ew_scale" => {
            let launch = launch().input(&x, n).output(out, n).scalar(3.0_f32);
            written(launch.scalar(count), out, each(|a| 3.0 * a))
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
        // Two matrices (3, n).
        "transpose_tiled" => {
            let matrices = [&a, &b, &a, &b, &b, &b].map(|row| &row[..]);
            let matrices = gpu.upload(&matrices.concat()).unwrap();
            let columns = |rows: [&[f32]; 3]| -> Vec<f32> {
                (0..n).flat_map(|i| rows.map(|row| row[i])).collect()
            };
            let right = [columns([&a, &b, &a]), columns([&b; 3])].concat();
            let out = &gpu.allocate(6 * n).unwrap();
            let launch = gpu.launch(kernel).local([16, 16, 1]);
            let launch = launch.global([n, 3, 2]).input(&matrices, 6 * n);
            let launch = launch.output(out, 6 * n).scalar(3_u32);
            written(launch.scalar(count), out, right)
        }
        // Three rows of n.
        "softmax_log" => {
            let rows = gpu.upload(&[&a[..], &b, &a].concat()).unwrap();
            let logs = |row: &[f32]| -> Vec<f32> {
                let total: f64 = row.iter().map(|x| f64::from(*x).exp()).sum();
                row.iter().map(|x| x - total.ln() as f32).collect()
            };
            let right = [logs(&a), logs(&b), logs(&a)].concat();
            let out = &gpu.allocate(3 * n).unwrap();
            let launch = gpu.launch(kernel).local(64).global(3 * 64);
            let launch = launch.input(&rows, 3 * n).output(out, 3 * n);
            written(launch.scalar(count), out, right)
        }
        // A column (n, 1), and the label 0 everywhere.
        "pick_labels" => {
            let labels = gpu.upload(&vec![0_u32; n]).unwrap();
            let launch = launch().input(&x, n).input(&labels, n);
            let launch = launch.output(out, n).scalar(1_u32);
            written(launch.scalar(count), out, a.clone())
        }
        // Three rows of n, of which each but the last has picked one.
        "pick_backward" => {
            let labels = gpu.upload(&[count - 1, 0, count]).unwrap();
            let grads = gpu.upload(&[5.0_f32, 7.0, 9.0]).unwrap();
            let mut right = vec![0.0; 3 * n];
            (right[n - 1], right[n]) = (5.0, 7.0);
            let out = &gpu.allocate(3 * n).unwrap();
            let launch = gpu.launch(kernel).local(256).global(3 * n);
            let launch = launch.input(&grads, 3).input(&labels, 3);
            let launch = launch.output(out, 3 * n).scalar(count);
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
