//! Arrays and their views, on every device.

use std::thread;

use ndarray::array;
use rungrad::ConvOptions;
use rungrad::opencl::Gpu;
use rungrad::part3_unified::{Array, Device, Span, Tensor, Window};
use rungrad::rng::Random;
use rungrad::{Error, attempt, ledger};

use super::devices;
use testkit::child::{child, is_child, succeed};
use testkit::clean;
use testkit::device::gpu_or_skip;

fn mistake<T: std::fmt::Debug>(result: Result<T, Error>) -> String {
    match result {
        Err(error) if error.exit_code() == 2 => error.to_string(),
        other => panic!("{other:?}"),
    }
}

/// Promise: A read that has started returns the elements of that moment, with and
/// without a submission thread. It can be finished in a different thread, or
/// dropped.
#[test]
fn a_started_read_has_the_elements_of_its_moment() {
    if !is_child() {
        let name = "arrays::a_started_read_has_the_elements_of_its_moment";
        for word in ["on", "off"] {
            succeed(child(name).env("RUNGRAD_SUBMISSION_THREAD", word));
        }
        return;
    }
    let before = ledger::totals();
    let mut live = 0;
    for device in devices() {
        let mut reads = Vec::new();
        for i in 0..24 {
            // The largest ones are uploaded through staging memory.
            let len = [0, 2, 1000, 40_000][i % 4];
            let values: Vec<f32> = (0..len).map(|k| (i + k) as f32).collect();
            let x = Tensor::new(&[len], &values, device).unwrap();
            // The next storages must not reuse memory that is still read.
            let half = (&x * 0.5).slice(&[len / 2..len]);
            drop(x.array().start_read().unwrap());
            reads.push((x.array().start_read().unwrap(), values.clone()));
            let right = values[len / 2..].iter().map(|value| value * 0.5);
            reads.push((half.array().start_read().unwrap(), right.collect()));
        }
        let finish = move || {
            for (read, right) in reads {
                let mut values = vec![-1.0];
                read.append_to(&mut values).unwrap();
                assert!(values[0] == -1.0 && values[1..] == right, "{device}");
            }
            // Each thread counts the storages that it frees.
            ledger::totals().live_storages()
        };
        live += thread::spawn(finish).join().unwrap();
    }
    live += (ledger::totals() - before).live_storages();
    assert_eq!(live, 0, "storages stay behind");
}

#[test]
fn views_print_as_in_the_lecture() {
    let _clean = clean();
    for device in devices() {
        let x = Array::new(&[4], &[1.0, 2.0, 3.0, 4.0], device).unwrap();
        let y = x.as_strided(&[2, 2], &[2, 1], 0).unwrap();
        assert_eq!(y.to_string(), format!("[[1, 2], [3, 4]] on {device}"));
        let z = x.as_strided(&[2, 1], &[2, 1], 1).unwrap();
        assert_eq!(z.to_string(), format!("[[2], [4]] on {device}"));
        assert!(
            x.shares_storage(&y) && y.shares_storage(&z),
            "the views share the storage"
        );
        let sum = Tensor::from(x.clone()).shift(1.0);
        assert_eq!(sum.to_vec().unwrap(), [2.0, 3.0, 4.0, 5.0]);
    }
}

#[test]
fn views_share_their_storage_and_copies_do_not() {
    let _clean = clean();
    for device in devices() {
        let a = Array::new(&[2, 3], &[0., 1., 2., 3., 4., 5.], device).unwrap();
        let window = Window::new([2, 2]);
        let views = [
            a.permute(&[1, 0]),
            a.expand(&[4, 2, 3]),
            a.slice(&[0..2, 1..2]),
            a.flip(&[0, 1]),
            a.reshape(&[3, 2]),
            a.windows(&window),
            a.slice(&[0..2, 1..2]).unwrap().reshape(&[2]),
            a.compact(),
        ];
        for view in views {
            assert!(view.unwrap().shares_storage(&a));
        }
        let transposed = a.permute(&[1, 0]).unwrap();
        for copy in [transposed.compact(), transposed.reshape(&[6])] {
            let copy = copy.unwrap();
            assert!(!copy.shares_storage(&a) && copy.is_dense());
            assert_eq!(copy.to_vec().unwrap(), [0., 3., 1., 4., 2., 5.]);
        }
    }
}

/// A row of a huge matrix is read without the other rows.
///
/// Promise: Reading a view copies only its own elements to the host.
#[test]
fn reading_a_view_copies_only_its_elements() {
    let _clean = clean();
    for device in devices() {
        let values: Vec<f32> = (0..12).map(|i| i as f32).collect();
        let a = Array::new(&[4, 3], &values, device).unwrap();
        let (row, none) = (a.slice(&[2..3, 0..3]), a.slice(&[4..4, 0..3]));
        let (row, none) = (row.unwrap(), none.unwrap());
        assert!(row.is_dense() && none.is_dense() && row.shares_storage(&a));
        for (view, launches) in [(&a, 0), (&row, 1), (&none, 0)] {
            let (first, last) = (view.offset(), view.offset() + view.len());
            let (read, cost) = ledger::measure(|| view.to_vec().unwrap());
            assert_eq!(read, values[first..last], "{device}");
            if let Device::Gpu(_) = device {
                assert_eq!(cost.bytes_to_host, 4 * view.len() as u64);
                assert_eq!(cost.launches, launches, "{device}");
            }
        }
    }
}

/// Promise: Setting elements changes one array and no other array that shares
/// its storage.
#[test]
fn set_does_not_change_arrays_that_share_the_storage() {
    let _clean = clean();
    for device in devices() {
        let new = |shape: &[usize], values: &[f32]| {
            Array::new(shape, values, device).unwrap()
        };
        let mut a = new(&[2, 2], &[1.0, 2.0, 3.0, 4.0]);
        let (before, shared) = (a.storage().len(), a.flip(&[1]).unwrap());
        // A second array shares the storage, so `set` copies it.
        a.set(&[0..2, 1..2], &new(&[2, 1], &[20.0, 40.0])).unwrap();
        assert_eq!(a.to_vec().unwrap(), [1.0, 20.0, 3.0, 40.0]);
        assert_eq!(shared.to_vec().unwrap(), [2.0, 1.0, 4.0, 3.0]);
        assert!(!a.shares_storage(&shared) && before == 4);
        // No other array shares the storage now, so it is changed in place.
        let place = std::sync::Arc::as_ptr(a.storage());
        a.set(&[1..2], &new(&[1, 2], &[5.0, 6.0])).unwrap();
        assert!(std::ptr::addr_eq(place, std::sync::Arc::as_ptr(a.storage())));
        assert_eq!(a.to_vec().unwrap(), [1.0, 20.0, 5.0, 6.0]);
        a.set(&[0..0], &new(&[0, 2], &[])).unwrap();
        a.set((1.., 1..), &new(&[1, 1], &[7.0])).unwrap();
        assert_eq!(a.to_vec().unwrap(), [1.0, 20.0, 5.0, 7.0]);
        let mut five = new(&[5], &[0.0; 5]);
        five.set(Span::from(..).step(2), &new(&[3], &[1.0; 3])).unwrap();
        assert_eq!(five.to_vec().unwrap(), [1.0, 0.0, 1.0, 0.0, 1.0]);
        let mut row = new(&[1], &[7.0]).expand(&[3]).unwrap();
        row.set(&[1..2], &new(&[1], &[8.0])).unwrap();
        assert_eq!(row.to_vec().unwrap(), [7.0, 8.0, 7.0]);
        assert_eq!(
            mistake(a.set(&[0..1], &new(&[2], &[1.0, 2.0]))),
            format!(
                "set: the place has shape [1, 2] on {device}, the values [2] \
                 on {device}; give both the same"
            )
        );
    }
}

/// Promise: A view that would reach outside its storage is rejected.
#[test]
fn views_outside_the_storage_are_rejected() {
    let _clean = clean();
    let a = Array::new(&[2, 3], &[0.0; 6], Device::Cpu).unwrap();
    assert_eq!(
        mistake(a.as_strided(&[2, 2], &[4, 1], 2)),
        "view: shape [2, 2] with strides [4, 1] from offset 2 reaches from \
         element 2 to 7, and the memory holds the elements 0 to 5; keep \
         inside"
    );
    assert_eq!(
        mistake(a.slice(&[0..2, 2..4])),
        "slice: 2..4 does not lie in axis 1 of shape [2, 3], which has the \
         elements 0 to 2"
    );
    assert_eq!(
        mistake(a.permute(&[0, 0])),
        "permute: [0, 0] does not name each of the 2 axes once"
    );
    assert_eq!(
        mistake(a.flip(&[2])),
        "flip: there is no axis 2; shape [2, 3] has the axes [0, 1]"
    );
    assert_eq!(
        mistake(Array::cat(&[&a, &a], 2)),
        "cat: there is no axis 2; shape [2, 3] has the axes [0, 1]"
    );
    let window = Window::new([3, 1]);
    let sentence = mistake(a.windows(&window));
    assert!(sentence.starts_with("windows: a window of [3, 1] does not fit"));
    let sentence = mistake(Array::cat(&[&a, &a.reshape(&[6]).unwrap()], 0));
    assert!(sentence.starts_with("cat: the shapes [2, 3] and [6] differ"));
    assert_eq!(
        mistake(a.index_select(0, &[2])),
        "index_select: there is no element 2 along axis 0 of shape [2, 3], \
         which has the elements 0 to 1"
    );
    let padded = a.view().windows(&Window::new([1, 1]).padding([0, 1]));
    assert_eq!(
        mistake(padded),
        "windows: a view has no zeros to show around an image, and the \
         window is [1, 1] padding [0, 1]; pad the array"
    );
}

/// Tests every pair of sources in the document's `_move_data`, and reading
/// back.
///
/// Promise: Tensors can be made from lists, arrays and buffers on every
/// device.
#[test]
fn tensors_are_made_from_lists_arrays_and_buffers() {
    let _clean = clean();
    for device in devices() {
        let right = [1.0, 2.0, 3.0, 4.0];
        let transposed = array![[1.0_f32, 3.0], [2.0, 4.0]];
        let from = |data: rungrad::Data| {
            Tensor::from_data(&[2, 2], data, device).unwrap()
        };
        let mut all = vec![
            from(right.into()),
            from(right.to_vec().into()),
            from(right[..].into()),
            Tensor::from_ndarray(&transposed.t(), device).unwrap(),
        ];
        for i in 0..gpu_or_skip().map_or(0, |_| Device::count()) {
            let buffer = Gpu::open(i).unwrap().upload(&right).unwrap();
            all.push(from(buffer.into()));
            let buffer = Gpu::open(i).unwrap().upload(&right).unwrap();
            let there = Device::Gpu(i);
            let refused = Tensor::from_data(&[3], buffer, there);
            assert!(mistake(refused).contains("shape [3] holds 3 elements"));
        }
        for tensor in all {
            assert_eq!(tensor.device(), device);
            assert_eq!(tensor.to_vec().unwrap(), right);
            assert_eq!(tensor.to_ndarray().unwrap(), transposed.t().into_dyn());
            assert_eq!(tensor.shift(1.0).to_vec().unwrap()[3], 5.0);
        }
        assert_eq!(
            mistake(Tensor::from_data(&[3], right, device)),
            "shape [3] holds 3 elements, but 4 values were given; make the \
             two agree"
        );
    }
}

#[test]
fn rand_gives_the_same_values_on_every_device() {
    let _clean = clean();
    let on = |device| {
        let tensor = Tensor::rand(&[5, 103], 1 << 40 | 3, device).unwrap();
        tensor.to_vec().unwrap()
    };
    let right = on(Device::Cpu);
    assert!(right.iter().all(|x| (0.0..1.0).contains(x)));
    for device in devices() {
        assert_eq!(on(device), right, "{device}");
    }
}

#[test]
fn randn_gives_the_same_values_on_every_device() {
    let _clean = clean();
    let mut random = Random::new(9);
    let right: Vec<f32> = (0..6).map(|_| random.normal()).collect();
    for device in devices() {
        let made = Tensor::randn(&[2, 3], 9, device).unwrap();
        assert_eq!(made.to_vec().unwrap(), right, "{device}");
    }
}

/// Promise: Convolutions and pools have the values of plain loops.
#[test]
fn convolutions_and_pools_agree_with_loops() {
    let _clean = clean();
    for device in devices() {
        let values = |n: usize, by: usize| -> Vec<f32> {
            (0..n).map(|i| ((i * by) % 11) as f32 - 5.0).collect()
        };
        let (x, w) = (values(2 * 3 * 5 * 4, 7), values(2 * 3 * 3 * 2, 5));
        let image = Tensor::new(&[2, 3, 5, 4], &x, device).unwrap();
        let filters = Tensor::new(&[2, 3, 3, 2], &w, device).unwrap();
        let options = ConvOptions::new().stride([2, 1]).padding([1, 0]);
        let out = image.conv2d(&filters, None, &options);
        let at = |n: usize, c: usize, y: usize, x_at: usize| {
            let y = y.checked_sub(1).filter(|&y| y < 5);
            y.map_or(0.0, |y| x[((n * 3 + c) * 5 + y) * 4 + x_at])
        };
        let mut right = Vec::new();
        for (n, f, row, column) in indices([2, 2, 3, 3]) {
            let sum: f32 = indices([1, 3, 3, 2])
                .map(|(_, c, v, u)| {
                    let weight = w[((f * 3 + c) * 3 + v) * 2 + u];
                    at(n, c, row * 2 + v, column + u) * weight
                })
                .sum();
            right.push(sum);
        }
        assert_eq!(out.shape(), [2, 2, 3, 3]);
        assert_eq!(out.to_vec().unwrap(), right, "{device}");

        let image = Tensor::new(
            &[1, 1, 2, 4],
            &[1.0, 5.0, 2.0, 2.0, 3.0, 0.0, 2.0, 1.0],
            device,
        );
        let image = image.unwrap().requires_grad();
        let pool = Window::new([2, 2]).stride([2, 2]);
        let largest = image.max_pool2d(&pool);
        assert_eq!(largest.to_vec().unwrap(), [5.0, 2.0]);
        // Ties share the gradient: a third of 6 for each 2.
        largest.sum().scale(6.0).backward();
        let grad = image.grad().unwrap().to_vec().unwrap();
        assert_eq!(grad, [0.0, 6.0, 2.0, 2.0, 0.0, 0.0, 2.0, 0.0]);
        let mean = image.avg_pool2d(&pool).to_vec().unwrap();
        assert_eq!(mean, [2.25, 1.75]);
    }
    let flat = Tensor::new(&[4], &[0.0; 4], Device::Cpu).unwrap();
    let refused = attempt(|| flat.conv2d(&flat, None, &ConvOptions::new()));
    assert_eq!(
        mistake(refused),
        "conv2d: shape [4] is not (number, channels, height, width); reshape \
         it to four axes"
    );
}

/// Convolution and mean are linear in each operand, so a step of 1 changes the
/// loss by the derivative, which is exact for integers. The image is a
/// transposed view.
///
/// Promise: The gradients of convolutions and means agree with finite
/// differences.
#[test]
fn gradients_of_convolutions_and_means_are_differences() {
    let _clean = clean();
    for device in devices() {
        let values = |n: usize, by: usize| -> Vec<f32> {
            (0..n).map(|i| ((i * by) % 7) as f32 - 3.0).collect()
        };
        let (x, w) = (values(2 * 2 * 3 * 4, 5), values(3 * 2 * 2 * 2, 3));
        let weights = Tensor::new(&[2, 3, 2, 4], &values(48, 4), device);
        let weights = weights.unwrap();
        let window = Window::new([2, 2]);
        let options = ConvOptions::new().stride([2, 1]).padding([0, 1]);
        let loss = |x: &Tensor, w: &Tensor| {
            let transposed = x.transpose();
            let out = transposed.conv2d(w, None, &options) * &weights;
            out.sum() + transposed.avg_pool2d(&window).scale(4.0).sum()
        };
        let new = |x: &[f32], w: &[f32]| {
            let x = Tensor::new(&[2, 2, 3, 4], x, device).unwrap();
            let w = Tensor::new(&[3, 2, 2, 2], w, device).unwrap();
            [x, w].map(Tensor::requires_grad)
        };
        let [image, filters] = new(&x, &w);
        let here = loss(&image, &filters);
        here.backward();
        let here = here.to_vec().unwrap()[0];
        let there = |x: &[f32], w: &[f32]| {
            let [x, w] = new(x, w);
            loss(&x, &w).to_vec().unwrap()[0] - here
        };
        let stepped = |values: &[f32], i: usize| {
            let mut values = values.to_vec();
            values[i] += 1.0;
            values
        };
        let grad = |t: &Tensor| t.grad().unwrap().to_vec().unwrap();
        for (i, slope) in grad(&image).into_iter().enumerate() {
            assert_eq!(slope, there(&stepped(&x, i), &w), "{device}, x {i}");
        }
        for (i, slope) in grad(&filters).into_iter().enumerate() {
            assert_eq!(slope, there(&x, &stepped(&w, i)), "{device}, w {i}");
        }
    }
}

#[test]
fn one_hot_rows_have_a_one_at_the_label() {
    let _clean = clean();
    for device in devices() {
        let rows = Tensor::one_hot(&[2, 0], 3, device).unwrap();
        assert_eq!(rows.shape(), [2, 3]);
        assert_eq!(rows.to_vec().unwrap(), [0., 0., 1., 1., 0., 0.]);
    }
}

fn indices(
    shape: [usize; 4],
) -> impl Iterator<Item = (usize, usize, usize, usize)> {
    let [a, b, c, d] = shape;
    (0..a * b * c * d)
        .map(move |i| (i / (b * c * d), i / (c * d) % b, i / d % c, i % d))
}
