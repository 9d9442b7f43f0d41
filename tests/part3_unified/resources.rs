//! The costs of a training step, and the memory that it leaves in use, on
//! every device.

use std::thread;

use rungrad::ConvOptions;
use rungrad::ledger;
use rungrad::ops::Keep;
use rungrad::part3_unified::{Device, Tensor, Window, grad};

use super::leaf;
use testkit::child::{child, is_child, succeed};
use testkit::clean;
use testkit::device::gpu_or_skip;
use testkit::random::Random;

/// A step with operations of every kind, forward and backward.
fn step(device: Device) {
    let new = |shape: &[usize], seed: u64| {
        Tensor::rand(shape, seed, device).unwrap().requires_grad()
    };
    let (x, w, b) = (new(&[4, 6], 1), new(&[6, 3], 2), new(&[3], 3));
    let scores = x.matmul(&w).add(&b).relu().tanh().sigmoid();
    scores.cross_entropy(&[0, 1, 2, 0]).backward();
    let image = new(&[1, 2, 5, 5], 4);
    let filters = new(&[3, 2, 2, 2], 5);
    let y = image.conv2d(&filters, None, &ConvOptions::new().padding([1, 1]));
    let first = grad(&[&y.mul(&y).mean()], &[&image], true).remove(0);
    first.exp().log().sum().backward();
}

/// Promise: A training step of Part 3 leaves no node and no storage.
#[test]
fn a_step_frees_all_nodes_and_storages() {
    let _clean = clean();
    let gpus = gpu_or_skip().map_or(0, |_| Device::count());
    let gpus = (0..gpus).map(Device::Gpu);
    for device in std::iter::once(Device::Cpu).chain(gpus) {
        let ((), counts) = ledger::measure(|| step(device));
        assert!(counts.storages > 50, "{counts:?}");
        assert_eq!(counts.live_storages(), 0, "{device}");
        assert_eq!(counts.live_nodes(), 0, "{device}");
    }
}

/// Promise: No training step of Part 3 after the first builds a kernel or
/// allocates memory.
#[test]
fn later_steps_build_and_allocate_nothing() {
    let _clean = clean();
    let Some(gpu) = gpu_or_skip() else { return };
    // The pool belongs to the device, so the test needs its own process.
    if !is_child() {
        let test = "later_steps_build_and_allocate_nothing";
        succeed(&mut child(&format!("resources::{test}")));
        return;
    }
    let device = Device::Gpu(gpu.info().index);
    step(device);
    let ((), counts) = ledger::measure(|| step(device));
    assert_eq!(counts.builds, 0);
    assert!(counts.launches > 50);
    // Freeing a buffer would wait for the launches that use it.
    assert_eq!((counts.allocations, counts.frees), (0, 0));
}

/// The counts belong to the process, so no other test may allocate memory
/// meanwhile.
#[test]
fn cpu_memory_reports_current_and_peak_bytes() {
    let _clean = clean();
    if !is_child() {
        let test = "cpu_memory_reports_current_and_peak_bytes";
        succeed(&mut child(&format!("resources::{test}")));
        return;
    }
    let counts = || {
        let memory = Device::Cpu.memory().unwrap();
        (memory.now, memory.peak)
    };
    let (now, _) = counts();
    let tensor = Tensor::rand(&[1 << 20], 1, Device::Cpu).unwrap();
    let peak = now + (4 << 20);
    assert_eq!(counts(), (peak, peak));
    drop(tensor);
    assert_eq!(counts(), (now, peak));
    drop(Tensor::rand(&[1 << 10], 1, Device::Cpu).unwrap());
    assert_eq!(counts(), (now, peak));
    // A storage holds exactly the elements that it shows.
    let three = Tensor::rand(&[3], 1, Device::Cpu).unwrap();
    assert_eq!(three.array().storage().len(), 3);
}

/// Promise: Labels are uploaded to the device once.
#[test]
fn labels_are_uploaded_once() {
    let _clean = clean();
    let Some(gpu) = gpu_or_skip() else { return };
    // Other tests upload index lists too, and the cache is small.
    if !is_child() {
        let test = "labels_are_uploaded_once";
        succeed(&mut child(&format!("resources::{test}")));
        return;
    }
    let device = Device::Gpu(gpu.info().index);
    let scores = Tensor::rand(&[100, 10], 1, device).unwrap().requires_grad();
    let bytes_uploaded = |labels: &[usize]| {
        let step = || scores.cross_entropy(labels).backward();
        ledger::measure(step).1.bytes_to_device
    };
    // The only other upload of a step is the gradient of its root.
    let labels: Vec<usize> = (0..100).map(|i| i * 7 % 10).collect();
    assert_eq!(bytes_uploaded(&labels), 4 * 100 + 4);
    assert_eq!(bytes_uploaded(&labels), 4);
    for shift in 1..9 {
        let others: Vec<usize> =
            labels.iter().map(|l| (l + shift) % 10).collect();
        assert_eq!(bytes_uploaded(&others), 4 * 100 + 4);
    }
    // Eight other lists were uploaded since.
    assert_eq!(bytes_uploaded(&labels), 4 * 100 + 4);
}

/// The host sorts unsorted indices: it computes where each index begins and
/// which rows belong to it.
///
/// Promise: A second backward pass through an embedding uploads no indices.
#[test]
fn a_second_embedding_backward_uploads_no_indices() {
    let _clean = clean();
    let Some(gpu) = gpu_or_skip() else { return };
    // Other tests upload index lists too, and the cache is small.
    if !is_child() {
        let test = "a_second_embedding_backward_uploads_no_indices";
        succeed(&mut child(&format!("resources::{test}")));
        return;
    }
    let device = Device::Gpu(gpu.info().index);
    let table = Tensor::rand(&[5, 3], 2, device).unwrap().requires_grad();
    let bytes_uploaded = |words: &[usize]| {
        let step = || table.index_select(0, words).sum().backward();
        ledger::measure(step).1.bytes_to_device
    };
    // The only other upload of a step is the gradient of its root.
    assert_eq!(bytes_uploaded(&[4, 0, 4]), 4 * (3 + 6 + 3) + 4);
    assert_eq!(bytes_uploaded(&[4, 0, 4]), 4);
    let grads = table.grad().unwrap().to_vec().unwrap();
    let times = [2.0, 0.0, 0.0, 0.0, 4.0];
    assert_eq!(grads, times.map(|it| [it; 3]).concat());
    // The same counts, but different rows.
    assert_eq!(bytes_uploaded(&[4, 4, 0]), 4 * (3 + 3) + 4);
}

/// Cached buffers may be the memory that is missing, so they are freed before
/// an allocation fails.
#[test]
fn cached_buffers_are_freed_before_an_allocation_fails() {
    let _clean = clean();
    let Some(gpu) = gpu_or_skip() else { return };
    // The pool is the device's, so no other test may take from it.
    if !is_child() {
        let test = "cached_buffers_are_freed_before_an_allocation_fails";
        succeed(&mut child(&format!("resources::{test}")));
        return;
    }
    let device = Device::Gpu(gpu.info().index);
    let memory = device.memory().unwrap();
    assert_eq!((memory.now, memory.peak, memory.cached), (0, 0, 0));
    drop(Tensor::rand(&[1 << 16], 1, device).unwrap());
    let memory = device.memory().unwrap();
    assert_eq!((memory.now, memory.peak), (0, 1 << 18));
    let cached = device.memory().unwrap().cached;
    assert!(cached >= 1 << 18);
    // A buffer that is reused leaves the cache.
    let again = Tensor::rand(&[1 << 16], 1, device).unwrap();
    assert!(device.memory().unwrap().cached <= cached - (1 << 18));
    // Waits until the device is done before the process ends.
    again.to_vec().unwrap();
    drop(again);
    Tensor::rand(&[1 << 48], 1, device).expect_err("no such memory");
    assert_eq!(device.memory().unwrap().cached, 0);
}

/// The detached tensor in the middle has no graph.
///
/// Promise: The backward pass ends at a detached tensor.
#[test]
fn backward_ends_at_a_detached_tensor() {
    let _clean = clean();
    let (x, w) = (leaf(&[2.0]), leaf(&[3.0]));
    let cut = x.mul(&x).detach();
    let y = cut.mul(&w);
    y.backward();
    assert!(cut.id().is_none(), "the context was dropped with the node");
    assert_eq!(w.grad().unwrap().to_vec().unwrap(), [4.0]);
    assert!(x.grad().is_none(), "behind the cut nothing is reached");
    assert_eq!(y.tape().ops(), ["leaf", "mul"]);
}

/// A result owns its graph, so no part of the graph can be freed too early,
/// and a second backward pass needs no option.
///
/// Promise: No part of a graph is freed while its result is alive.
#[test]
fn a_graph_lives_as_long_as_its_result() {
    let _clean = clean();
    let ((), counts) = ledger::measure(|| {
        let x = leaf(&[2.0]);
        let y = {
            let hidden = x.mul(&x);
            hidden.mul(&hidden)
        };
        y.backward();
        y.backward();
        assert_eq!(x.grad().unwrap().to_vec().unwrap(), [64.0]);
        drop(y);
        assert_eq!(x.grad().unwrap().to_vec().unwrap(), [64.0]);
    });
    assert_eq!(counts.live_nodes(), 0);
}

/// Only what the backward pass needs is saved.
#[test]
fn nothing_is_saved_for_operands_without_gradient() {
    let _clean = clean();
    let x = leaf(&[2.0]);
    let data = Tensor::new(&[1], &[5.0], Device::Cpu).unwrap();
    let held = |t: &Tensor| std::sync::Arc::strong_count(t.array().storage());
    let before = [held(&x), held(&data)];
    let y = x.mul(&data);
    assert_eq!([held(&x), held(&data)], [before[0], before[1] + 1]);
    let z = x.add(&data);
    assert_eq!([held(&x), held(&data)], [before[0], before[1] + 1]);
    drop((y, z));
    assert_eq!([held(&x), held(&data)], before);
}

/// Promise: A chain of 100,000 operations on a device fits in 2 MB of stack.
#[test]
fn a_long_chain_on_a_device_fits_a_small_stack() {
    let _clean = clean();
    let Some(gpu) = gpu_or_skip() else { return };
    let device = Device::Gpu(gpu.info().index);
    let small = thread::Builder::new().stack_size(2 << 20);
    let work = small.spawn(move || {
        let ((), counts) = ledger::measure(|| {
            let new = |value| Tensor::new(&[1], &[value], device).unwrap();
            let (x, one) = (new(1.0).requires_grad(), new(1.0));
            let mut y = x.clone();
            for _ in 0..100_000 {
                y = y.mul(&one);
            }
            y.backward();
            assert_eq!(x.grad().unwrap().to_vec().unwrap(), [1.0]);
        });
        assert_eq!(counts.nodes, 100_001);
        assert_eq!((counts.live_nodes(), counts.live_storages()), (0, 0));
    });
    work.unwrap().join().unwrap();
}

/// The matmul is large enough to be split among threads.
///
/// Promise: Threads that share a matmul change none of its bits.
#[test]
fn the_thread_count_changes_no_bits_of_a_matmul() {
    let _clean = clean();
    let a = Tensor::rand(&[2, 300, 256], 1, Device::Cpu).unwrap();
    let b = Tensor::rand(&[2, 256, 200], 2, Device::Cpu).unwrap();
    let product = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        let pool = pool.build().unwrap();
        pool.install(|| a.matmul(&b).to_vec().unwrap())
    };
    let alone = product(1);
    for threads in 2..=4 {
        assert!(product(threads) == alone, "{threads} threads");
    }
    // A single row is too small to be split.
    let row = a.slice(&[1..2, 299..300, 0..256]).matmul(&b.slice(&[
        1..2,
        0..256,
        0..200,
    ]));
    assert_eq!(row.to_vec().unwrap(), alone[2 * 300 * 200 - 200..]);
}

/// The views are not contiguous.
#[test]
fn the_thread_count_changes_no_bits_of_a_sum() {
    let _clean = clean();
    let a = Tensor::rand(&[8, 301, 130], 1, Device::Cpu).unwrap();
    let inside = a.slice((.., 1.., ..));
    let copies = Tensor::rand(&[64, 32, 32, 2, 2], 2, Device::Cpu).unwrap();
    let window = Window::new([2, 2]).stride([2, 2]);
    // The maxima are zeros of both signs, of which the first one counts.
    let down = Tensor::rand(&[1030, 150], 3, Device::Cpu).unwrap();
    let zeros = Tensor::new(&[4, 1], &[0., -0., -1., 0.], Device::Cpu).unwrap();
    let signs = zeros.expand(&[4, 40000]).reshape(&[4000, 40]);
    let works: [&(dyn Fn() -> Tensor + Sync); 6] = [
        &|| inside.sum_over(&[2], Keep::No),
        &|| a.sum_over(&[1], Keep::No),
        &|| down.sum_over(&[0], Keep::No),
        &|| down.slice((1.., 3..)).max_over(&[0], Keep::No),
        &|| 1.0 / signs.max_over(&[0], Keep::No),
        &|| copies.fold(&window, [64, 64]),
    ];
    for (place, work) in works.into_iter().enumerate() {
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            pool.build().unwrap().install(|| work().to_vec().unwrap())
        };
        let alone = on(1);
        for threads in 2..=4 {
            assert!(on(threads) == alone, "work {place}, {threads} threads");
        }
    }
}

/// A network therefore gives the same result for an image alone as in a batch,
/// and threads cannot change a bit.
///
/// Promise: On the CPU, a row of a matmul has the same bits alone as among
/// other rows.
#[test]
fn a_matmul_row_has_the_same_bits_alone() {
    let _clean = clean();
    let mut random = Random(9);
    for case in 0..300 {
        let longest = if case % 4 == 0 { 1100 } else { 40 };
        let [m, k, n] = [70, longest, 70].map(|most| 1 + random.below(most));
        let mut matrix = |rows: usize, columns: usize| {
            let turned = random.below(2) == 1;
            let shape = if turned { [columns, rows] } else { [rows, columns] };
            let values = random.values(rows * columns);
            let matrix = Tensor::new(&shape, &values, Device::Cpu).unwrap();
            if turned { matrix.transpose() } else { matrix }
        };
        let (a, b) = (matrix(m, k), matrix(k, n));
        let all = a.matmul(&b).to_vec().unwrap();
        let from = random.below(m);
        let rows = from..from + 1 + random.below(m - from);
        let some = a.slice(&[rows.clone(), 0..k]).matmul(&b);
        let what = format!("{rows:?} of ({m}, {k}) x ({k}, {n})");
        let part = &all[rows.start * n..rows.end * n];
        assert!(some.to_vec().unwrap() == part, "{what}");
    }
}

/// A matrix that is used once is read in place, several rows at a time and by
/// several threads.
///
/// Promise: A matrix-vector product has the same bits as the product of each
/// row alone.
#[test]
fn a_matrix_vector_product_has_the_bits_of_its_rows() {
    let _clean = clean();
    let rand = |shape: &[usize], seed| {
        Tensor::rand(shape, seed, Device::Cpu).unwrap().shift(-0.5)
    };
    let (rows, tall) = (rand(&[3, 4200], 1), rand(&[4200, 2100], 2));
    let (lines, wide) = (rand(&[4200, 1], 3), rand(&[607, 4200], 4));
    let on = |threads, work: &(dyn Fn() -> Tensor + Sync)| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| work().to_vec().unwrap())
    };
    let all = on(1, &|| rows.matmul(&tall));
    let column = on(1, &|| wide.matmul(&lines));
    for threads in 1..=4 {
        let row = on(threads, &|| rows.slice(&[1..2, 0..4200]).matmul(&tall));
        assert!(row == all[2100..4200], "a row, {threads} threads");
        let again = on(threads, &|| wide.matmul(&lines));
        assert!(again == column, "all lines, {threads} threads");
    }
    for from in [0, 1, 603] {
        let some = wide.slice(&[from..from + 3, 0..4200]).matmul(&lines);
        let found = some.to_vec().unwrap();
        assert!(found == column[from..from + 3], "lines from {from} on");
    }
}

/// Promise: A NaN in one row of a matmul does not spread to other rows.
#[test]
fn a_nan_stays_in_its_row_of_a_matmul() {
    let _clean = clean();
    let (m, k, n) = (37, 21, 19);
    let mut a = vec![1.0; m * k];
    a[5 * k + 3] = f32::INFINITY;
    a[20 * k + 20] = f32::NAN;
    let mut b = vec![0.5; k * n];
    b[3 * n..4 * n].fill(0.0);
    let new = |shape, values| Tensor::new(shape, values, Device::Cpu).unwrap();
    let product = new(&[m, k], &a).matmul(&new(&[k, n], &b));
    for (i, row) in product.to_vec().unwrap().chunks(n).enumerate() {
        match i {
            5 | 20 => assert!(row.iter().all(|x| x.is_nan()), "row {i}"),
            _ => assert_eq!(row, [10.0; 19], "row {i}"),
        }
    }
}
