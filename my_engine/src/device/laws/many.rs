//! The laws of reductions, matrix multiplication, indexing and training.

use exercises::numbers;
use rungrad::ConvOptions;
use rungrad::data::digits;
use rungrad::nn::{Linear, Module, Parameters};
use rungrad::part3_unified::{
    Array, Device, Keep, Reduce, Tensor, Unary, Window,
};
use rungrad::rng::Random;

use super::super::watched::take_calls;
use super::{both, got, near, on_device, read};
use testkit::engine::Part3;

pub(in super::super) fn rows_of_any_view_are_reduced(e: &Part3) {
    for (name, yours, ours) in both(e, 1) {
        for axes in [&[0][..], &[1], &[0, 2], &[]] {
            for op in [Reduce::Sum, Reduce::Max] {
                if ours.is_empty() && op == Reduce::Max {
                    continue;
                }
                let rows = |a: &Array| read(&got(a.reduce(op, axes, Keep::No)));
                let what = format!("{} of {name} over {axes:?}", op.name());
                near(&what, &rows(&yours), &rows(&ours));
            }
        }
    }
}

pub(in super::super) fn the_maximum_of_a_row_may_be_negative(e: &Part3) {
    let a = on_device(e, &[2, 3], &[-3.0, -1.0, -2.0, -5.0, -6.0, -4.0]);
    let most = got(a.reduce(Reduce::Max, &[1], Keep::No));
    assert_eq!(read(&most), [-1.0, -4.0]);
}

pub(in super::super) fn an_empty_row_sums_to_0(e: &Part3) {
    let none = on_device(e, &[2, 0], &[]);
    let sums = read(&got(none.reduce(Reduce::Sum, &[1], Keep::No)));
    assert!(
        sums.len() == 2 && sums.iter().all(|sum| sum.to_bits() == 0),
        "the sums of two empty rows are {sums:?}, not [0.0, 0.0]; Rust's \
         `sum()` begins with -0.0, so use `fold` and begin with 0.0"
    );
}

pub(in super::super) fn a_sum_of_a_million_elements_is_accurate(e: &Part3) {
    let n = 1 << 20;
    let a = on_device(e, &[2, n / 2], &vec![0.1; n]);
    let sums = read(&got(a.reduce(Reduce::Sum, &[1], Keep::No)));
    let right = f64::from(0.1_f32) * n as f64 / 2.0;
    for sum in sums {
        let off = (f64::from(sum) - right).abs() / right;
        assert!(
            off <= 1e-5,
            "{} times 0.1 is {sum}, not {right}: keep the running sum in f64, \
             or add in blocks",
            n / 2
        );
    }
}

pub(in super::super) fn matrices_of_any_view_are_multiplied(e: &Part3) {
    let ([x, y], product) =
        ([numbers(1, 24), numbers(2, 24)], |a: Array, b: Array| {
            read(&got(a.matmul(&b)))
        });
    for device in [e.0, Device::Cpu] {
        let new =
            |shape: &[usize], of: &[f32]| got(Array::new(shape, of, device));
        let (a, b) = (new(&[4, 6], &x), new(&[4, 6], &y));
        let turned = got(b.permute(&[1, 0]));
        let around = product(got(a.flip(&[1])), got(turned.flip(&[0])));
        assert_eq!(
            around,
            product(a.clone(), turned),
            "both are views, on {device}"
        );
        let flat = product(got(a.permute(&[1, 0])), b);
        assert_eq!(flat.len(), 36);
    }
    let of = |device: Device| {
        let new = |of: &[f32]| got(Array::new(&[4, 6], of, device));
        let (a, b) = (new(&x), new(&y));
        let turn = |a: &Array| got(a.permute(&[1, 0]));
        [product(a.clone(), turn(&b)), product(turn(&a), b.clone())]
    };
    assert_eq!(of(e.0), of(Device::Cpu));
}

pub(in super::super) fn every_matrix_of_a_batch_has_its_own_partner(e: &Part3) {
    let of = |device: Device| {
        let a = got(Array::new(&[3, 2, 4], &numbers(3, 24), device));
        let b = got(Array::new(&[3, 4, 5], &numbers(4, 60), device));
        let same = got(got(b.slice(&[1..2])).expand(&[3, 4, 5]));
        [&b, &same].map(|b| read(&got(a.matmul(b))))
    };
    assert_eq!(of(e.0), of(Device::Cpu));
}

pub(in super::super) fn long_matrix_products_are_accurate(e: &Part3) {
    let n = 1 << 18;
    let (a, b) = (
        on_device(e, &[1, n], &vec![0.1; n]),
        on_device(e, &[n, 1], &vec![0.1; n]),
    );
    let yours = f64::from(read(&got(a.matmul(&b)))[0]);
    let right = f64::from(0.1_f32).powi(2) * n as f64;
    assert!(
        (yours - right).abs() <= 1e-5 * right,
        "{n} times 0.1 * 0.1 is {yours}, not {right}: keep the running sum in \
         f64, or add in blocks"
    );
}

pub(in super::super) fn rows_are_read_at_their_indices(e: &Part3) {
    let a = on_device(e, &[3, 2], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let rows = |at: &[usize]| read(&got(a.index_select(0, at)));
    assert_eq!(rows(&[2, 0, 2]), [5.0, 6.0, 1.0, 2.0, 5.0, 6.0]);
    assert_eq!(rows(&[]), [0.0; 0]);
    let columns = got(a.index_select(1, &[1]));
    assert_eq!(read(&columns), [2.0, 4.0, 6.0]);
}

pub(in super::super) fn rows_with_the_same_index_are_added(e: &Part3) {
    let a = on_device(e, &[3, 2], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let sums = got(a.index_add(0, &[1, 3, 1], 4));
    assert_eq!(read(&sums), [0.0, 0.0, 6.0, 8.0, 0.0, 0.0, 3.0, 4.0]);
    let none = got(on_device(e, &[0, 2], &[]).index_add(0, &[], 2));
    assert_eq!(read(&none), [0.0; 4]);
    let n = 1 << 18;
    let many = on_device(e, &[n, 1], &vec![0.1; n]);
    let sum = read(&got(many.index_add(0, &vec![0; n], 1)))[0];
    let right = f64::from(0.1_f32) * n as f64;
    assert!(
        (f64::from(sum) - right).abs() <= 1e-5 * right,
        "{n} rows of 0.1 at the same index add up to {sum}, not {right}: keep \
         the running sums in f64"
    );
}

pub(in super::super) fn overlapping_windows_are_added(e: &Part3) {
    let windows = [
        (Window::new([2, 2]), [2, 3]),
        (Window::new([2, 1]).stride([1, 2]), [2, 2]),
        (Window::new([2, 2]).dilation([2, 1]), [1, 3]),
    ];
    for (window, [rows, columns]) in windows {
        let [height, width] = window.size;
        let shape = [2, rows, columns, height, width];
        let n = shape.iter().product();
        let fold = |device: Device| {
            let a = got(Array::new(&shape, &numbers(5, n), device));
            // The windows of the second image are flipped.
            let turned = got(a.flip(&[0, 4]));
            [&a, &turned].map(|a| read(&got(a.fold(&window, [3, 4]))))
        };
        assert_eq!(fold(e.0), fold(Device::Cpu), "a window of {window}");
    }
}

pub(in super::super) fn a_convolution_agrees_with_the_processor(e: &Part3) {
    let of = |device: Device| {
        let new = |shape: &[usize], seed| {
            let values = numbers(seed, shape.iter().product());
            got(Tensor::new(shape, &values, device)).requires_grad()
        };
        let (image, filter) = (new(&[2, 2, 4, 5], 1), new(&[3, 2, 2, 2], 2));
        let options = ConvOptions { padding: [1, 0], ..ConvOptions::default() };
        let out = image.conv2d(&filter, None, &options);
        (&out * &out).sum().backward();
        let grad = |x: &Tensor| x.grad().map(|grad| got(grad.to_vec()));
        let grads = [&image, &filter].map(|x| grad(x).unwrap_or_default());
        [vec![got(out.to_vec())], grads.to_vec()].concat()
    };
    for (yours, ours) in of(e.0).iter().zip(of(Device::Cpu)) {
        near("conv2d, or a gradient of it", yours, &ours);
    }
}

pub(in super::super) fn a_seed_gives_the_same_numbers_on_every_device(
    e: &Part3,
) {
    for seed in [0, 1, 77] {
        let of = |device| read(&got(Array::uniform(&[50], seed, device)));
        assert_eq!(of(e.0), of(Device::Cpu), "seed {seed}");
    }
    assert_eq!(read(&got(Array::uniform(&[0], 1, e.0))), [0.0; 0]);
}

pub(in super::super) fn the_memory_in_use_is_counted_in_bytes(e: &Part3) {
    let now = || got(e.0.memory());
    let before = now();
    let a = on_device(e, &[100], &numbers(1, 100));
    let b = got(a.unary(Unary::Exp));
    assert_eq!(now().now, before.now + 800, "two more arrays of 100 elements");
    let view = got(a.slice(&[0..10]));
    assert_eq!(now().now, before.now + 800, "a view takes no memory");
    assert!(now().peak >= before.now + 800, "the peak, {}", now().peak);
    drop((a, b));
    assert_eq!(now().now, before.now + 400, "a view keeps its storage alive");
    drop(view);
    assert_eq!(now().now, before.now, "all arrays were dropped");
    assert!(now().peak >= before.now + 800, "the peak does not fall");
}

/// Trains a small network for one step on 32 digits.
fn step(e: &Part3, layer: &mut Linear) {
    let rows = digits();
    let x = got(Tensor::new(&[32, 64], &rows.inputs[..32 * 64], e.0));
    let scores = layer.forward(&x).relu().log_softmax();
    let loss = scores.exp().mean() - scores.cross_entropy(&rows.labels[..32]);
    loss.backward();
    for (_, parameter) in layer.parameters() {
        parameter.zero_grad();
    }
}

pub(in super::super) fn a_step_leaves_no_memory_in_use(e: &Part3) {
    let mut layer = Linear::new(64, 10, &mut Random::new(1));
    got(layer.to(e.0));
    step(e, &mut layer);
    let before = got(e.0.memory()).now;
    (0..5).for_each(|_| step(e, &mut layer));
    assert_eq!(
        got(e.0.memory()).now,
        before,
        "bytes in use after five more steps"
    );
}

pub(in super::super) fn nothing_is_left_to_the_processor(e: &Part3) {
    drop(take_calls());
    let mut layer = Linear::new(64, 10, &mut Random::new(1));
    got(layer.to(e.0));
    step(e, &mut layer);
    a_convolution_agrees_with_the_processor(e);
    let left = take_calls().into_iter().filter(|(_, it)| it.left > 0);
    let left: Vec<&str> = left.map(|(name, _)| name).collect();
    assert_eq!(left, [""; 0], "left to the processor");
}
