//! The gradient of a maximum, and image pooling.

use rungrad::part3_unified::{Array, Device, Keep, Tensor, Window, grad};
use rungrad::reference;
use rungrad::rng::Random;

use super::{devices, third};
use testkit::clean;

/// Few different values, so that many are equal, and some NaN.
fn values(count: usize, random: &mut Random) -> Vec<f32> {
    let number = |_| match (random.uniform() * 40.0) as u32 {
        0 => f32::NAN,
        i => (i % 3) as f32,
    };
    (0..count).map(number).collect()
}

fn same(yours: &[f32], right: &[f32]) -> bool {
    let pairs = yours.iter().zip(right);
    let equal = |(x, y): (&f32, &f32)| x == y || x.is_nan() && y.is_nan();
    yours.len() == right.len() && pairs.into_iter().all(equal)
}

/// Promise: Elements that tie for the maximum share its gradient in every
/// memory layout.
#[test]
fn ties_of_max_share_the_gradient_in_every_layout() {
    let _clean = clean();
    let shape = [3, 20, 4, 9];
    let orders =
        [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2], [0, 2, 1, 3], [2, 0, 3, 1]];
    let reduced: [&[usize]; 8] =
        [&[], &[0], &[3], &[1, 2], &[0, 3], &[2, 3], &[1], &[0, 1, 2, 3]];
    let mut random = Random::new(3);
    for device in devices() {
        for (order, axes) in
            orders.iter().flat_map(|o| reduced.iter().map(move |a| (o, *a)))
        {
            let numbers = values(shape.iter().product(), &mut random);
            let x = Tensor::new(&shape, &numbers, device).unwrap();
            let x = x.permute(order).requires_grad();
            let most = x.max_over(axes, Keep::Yes);
            let grads = Tensor::rand(most.shape(), 5, device).unwrap();
            most.backward_with(&grads);
            let of = |t: &Tensor| {
                reference::Array::new(t.shape(), &t.to_vec().unwrap())
            };
            let op = rungrad::ops::Op::MaxBackward(axes.to_vec());
            let (a, most, grads) = (of(&x), of(&most), of(&grads));
            let right = reference::forward(&op, &[&a, &most, &grads]).unwrap();
            let yours = of(&x.grad().unwrap());
            for (yours, right) in yours.values.iter().zip(&right.values) {
                assert!(
                    (yours - right).abs() <= 4e-7,
                    "{yours}, not {right}: {order:?} over {axes:?} on {device}"
                );
            }
        }
    }
}

/// Promise: Adjacent windows are pooled like any other windows.
#[test]
fn adjacent_windows_are_pooled_like_others() {
    let _clean = clean();
    let shape = [2, 3, 6, 8];
    let numbers = values(shape.iter().product(), &mut Random::new(4));
    for device in devices() {
        for size in [[2, 2], [3, 4], [6, 1], [1, 1]] {
            let window = Window::new(size).stride(size);
            let of = |pool: &dyn Fn(&Tensor) -> Tensor| {
                let x = Tensor::new(&shape, &numbers, device).unwrap();
                let x = x.requires_grad();
                let out = pool(&x);
                let grads = Tensor::rand(out.shape(), 5, device).unwrap();
                out.backward_with(&grads);
                let grads = x.grad().unwrap().to_vec().unwrap();
                (out.shape().to_vec(), out.to_vec().unwrap(), grads)
            };
            let yours = of(&|x| x.max_pool2d(&window));
            let right = of(&|x| x.windows(&window).max_over(&[4, 5], Keep::No));
            assert_eq!(yours.0, right.0);
            assert!(same(&yours.1, &right.1), "{window} on {device}");
            assert!(same(&yours.2, &right.2), "{window} on {device}");
        }
    }
}

#[test]
fn an_image_without_channels_can_be_pooled() {
    let _clean = clean();
    let window = Window::new([2, 2]).stride([2, 2]);
    let none = Tensor::zeros(&[3, 0, 4, 4], Device::Cpu).unwrap();
    assert_eq!(none.max_pool2d(&window).shape(), [3, 0, 2, 2]);
    assert_eq!(none.avg_pool2d(&window).shape(), [3, 0, 2, 2]);
    let none = none.requires_grad();
    none.max_pool2d(&window).sum().backward();
    assert_eq!(none.grad().unwrap().shape(), [3, 0, 4, 4]);
}

/// Promise: The gradient of `max` can be differentiated again.
#[test]
fn the_gradient_of_max_can_be_differentiated_again() {
    let _clean = clean();
    for device in devices() {
        let x = Tensor::new(&[2, 3], &[1., 5., 5., 7., 2., 0.], device);
        let x = x.unwrap().requires_grad();
        let most = x.max_over(&[1], Keep::No);
        // The squares of the maxima: 25 and 49.
        let [first] = &grad(&[&most.mul(&most).sum()], &[&x], true)[..] else {
            panic!("one gradient for one input")
        };
        assert_eq!(first.to_vec().unwrap(), [0., 5., 5., 14., 0., 0.]);
        let weights = Tensor::new(&[2, 3], &[1., 2., 3., 4., 5., 6.], device);
        let second = first.mul(&weights.unwrap()).sum();
        let [second] = &grad(&[&second], &[&x], false)[..] else {
            panic!("one gradient for one input")
        };
        assert_eq!(second.to_vec().unwrap(), [0., 2.5, 2.5, 8., 0., 0.]);
    }
}

#[test]
fn max_gradients_of_mismatched_shapes_are_rejected() {
    let _clean = clean();
    let array = |shape: &[usize]| Array::full(shape, 1.0, Device::Cpu).unwrap();
    let (a, row) = (array(&[2, 3]), array(&[2, 1]));
    let share = a.max_backward(&row, &row, &[1]).unwrap();
    assert_eq!(share.to_vec().unwrap(), [1.0 / 3.0; 6]);
    for (most, grads, axes) in
        [(&a, &row, 1), (&row, &array(&[2]), 1), (&row, &row, 2)]
    {
        assert!(a.max_backward(most, grads, &[axes]).is_err());
    }
    let refused = |axes: &[usize]| {
        let shape = if axes == [2] { &a } else { &row };
        a.max_backward(shape, shape, axes).unwrap_err().to_string()
    };
    let far = Array::full(&[2, 1], 1.0, third::device()).unwrap();
    let refused_far = |most, grads| a.max_backward(most, grads, &[1]).is_err();
    assert!(refused_far(&far, &row) && refused_far(&row, &far));
    assert!(refused(&[2]).contains("there is no axis 2"));
    assert!(refused(&[1, 1]).contains("axis 1 appears twice"));
}

/// A training step of a network with pools, large enough to be split among
/// threads.
///
/// Promise: The number of threads changes no bit of a pool.
#[test]
fn the_thread_count_changes_no_bits_of_a_pool() {
    let _clean = clean();
    let step = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| {
            let x = Tensor::rand(&[40, 3, 36, 36], 1, Device::Cpu).unwrap();
            let x = x.requires_grad();
            let filters = Tensor::rand(&[8, 3, 3, 3], 2, Device::Cpu).unwrap();
            let filters = filters.requires_grad();
            let out = x.conv2d(&filters, None, &Default::default());
            let side_by_side = Window::new([2, 2]).stride([2, 2]);
            let out = out.max_pool2d(&side_by_side);
            let out = out.max_pool2d(&Window::new([3, 3]).padding([1, 1]));
            let rows = out.reshape(&[40 * 8, 17 * 17]);
            rows.index_select(0, &[3, 1, 3, 319]).sum().backward();
            [&x, &filters].map(|leaf| {
                let grad = leaf.grad().unwrap().to_vec().unwrap();
                grad.into_iter().map(f32::to_bits).collect::<Vec<u32>>()
            })
        })
    };
    let alone = step(1);
    for threads in 2..=4 {
        assert!(alone == step(threads), "{threads} threads: other bits");
    }
}
