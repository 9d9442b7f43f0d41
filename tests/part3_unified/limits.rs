//! Limits: memory, sizes that overflow, the axes that a kernel supports, and
//! the stack. Each is an error with a sentence, or makes no difference.

use std::thread;

use rungrad::library::functions::IndexAdd;
use rungrad::nn::Linear;
use rungrad::part3_unified::{
    Array, Context, Device, Function, Gradients, Op, Span, Tensor, View,
    Window, apply,
};
use rungrad::reference;
use rungrad::rng::Random;
use rungrad::{Error, attempt, ledger, part1_cpu};

use super::{constant, devices, leaf};
use testkit::clean;
use testkit::refusal::refusal;
use testkit::refusals::too_large_shape;

/// A number of elements that fits in `usize` but in no memory.
const TOO_MANY: usize = SIDE * SIDE;

const SIDE: usize = 1 << 24;

#[track_caller]
fn no_room<T>(result: Result<T, Error>) {
    match result {
        Err(Error::Device(sentence)) => assert!(sentence.len() > 40),
        Err(other) => panic!("of another kind: {other:?}"),
        Ok(_) => panic!("there is no such memory"),
    }
}

/// Promise: An allocation that the host or a device cannot satisfy gives a
/// sentence.
#[test]
fn allocations_that_cannot_succeed_give_an_error() {
    let _clean = clean();
    for device in devices() {
        no_room(Tensor::rand(&[TOO_MANY], 1, device));
        let ones = Tensor::full(&[TOO_MANY], 1.0, device).unwrap();
        no_room(ones.to_vec());
        no_room(attempt(|| ones.sum()));
        no_room(attempt(|| ones.exp()));
        no_room(attempt(|| ones.add(&ones)));
        let one = Tensor::full(&[1], 1.0, device).unwrap();
        let side = |shape| one.expand(&[SIDE]).reshape(shape);
        let [column, row] = [side(&[SIDE, 1]), side(&[1, SIDE])];
        no_room(attempt(|| column.mul(&row)));
        no_room(attempt(|| column.matmul(&row)));
        no_room(attempt(|| one.pad(&[[0, TOO_MANY]])));
    }
    let long = part1_cpu::Tensor::new(&[SIDE], &vec![1.0; SIDE]);
    let [column, row] = [[SIDE, 1], [1, SIDE]].map(|s| long.reshape(&s));
    no_room(attempt(|| column.mul(&row)));
    no_room(attempt(|| column.matmul(&row)));
    let mut random = Random::new(1);
    no_room(Tensor::randn(&[TOO_MANY], 1, Device::Cpu));
    no_room(Tensor::one_hot(&[0], TOO_MANY, Device::Cpu));
    no_room(attempt(|| Linear::new(SIDE, SIDE, &mut random)));
    no_room(attempt(|| part1_cpu::nn::Linear::new(SIDE, SIDE, &mut random)));
}

/// Promise: A size that overflows gives a sentence.
#[test]
fn sizes_that_overflow_give_an_error() {
    let _clean = clean();
    let a = constant(&[1.0, 2.0]).reshape(&[1, 2]);
    let most = usize::MAX;
    let padded = refusal(|| a.pad(&[[0, 0], [most, 1]]));
    assert_eq!(padded, too_large_shape(&[1, most]));
    let mistake = |result: Result<Tensor, Error>| match result {
        Err(error) if error.exit_code() == 2 => error.to_string(),
        other => panic!("{other:?}"),
    };
    let classes = 1 << 62;
    let hot = Tensor::one_hot(&[0, 1, 2, 3], classes, Device::Cpu);
    assert_eq!(mistake(hot), too_large_shape(&[4, classes]));
    let random = &mut Random::new(1);
    let huge = 1 << 40;
    assert_eq!(
        refusal(|| Linear::new(huge, huge, random)),
        too_large_shape(&[huge; 2])
    );
    assert_eq!(
        refusal(|| part1_cpu::nn::Linear::new(huge, huge, random)),
        too_large_shape(&[huge; 2])
    );
    let long = Tensor::full(&[1 << 60], 1.0, Device::Cpu).unwrap();
    let joined = refusal(|| Tensor::cat(&[&long; 20], 0));
    assert_eq!(joined, too_large_shape(&[most]));
    let taken = refusal(|| long.unsqueeze(0).index_select(0, &[0; 20]));
    assert_eq!(taken, too_large_shape(&[20, 1 << 60]));
    let spread = a.array().index_add(0, &[0], most).map(Tensor::from);
    assert_eq!(mistake(spread), too_large_shape(&[most, 2]));
    let one = constant(&[1.0]).reshape(&[1; 4]);
    let far = Window::new([1, 1]).stride([huge; 2]);
    assert_eq!(
        refusal(|| one.fold(&far, [huge; 2])),
        too_large_shape(&[huge; 2])
    );
    assert_eq!(refusal(|| one.expand(&[huge; 4])), too_large_shape(&[huge; 4]));
    let view = View::new(&[huge; 2], &[0; 2], 0, 1);
    assert_eq!(view.unwrap_err().to_string(), too_large_shape(&[huge; 2]));
}

/// Promise: A stride that is never used may have any value.
#[test]
fn unused_strides_can_have_any_value() {
    let _clean = clean();
    for device in devices() {
        let a = Array::new(&[3], &[1.0, 2.0, 3.0], device).unwrap();
        for stride in [isize::MIN, isize::MAX, -1] {
            let a = a.as_strided(&[1, 2], &[stride, 1], 1).unwrap();
            let flipped = a.flip(&[0, 1]).unwrap();
            assert_eq!(flipped.to_vec().unwrap(), [3.0, 2.0]);
            assert_eq!(a.slice(&[1..1]).unwrap().len(), 0);
        }
        let image = Tensor::from(a).reshape(&[1, 3]);
        let window = Window::new([1, 2]).stride([1 << 62, 1 << 62]);
        let windows = image.windows(&window);
        assert_eq!(windows.to_vec().unwrap(), [1.0, 2.0]);
        let back = windows.fold(&window, [1, 3]);
        assert_eq!(back.to_vec().unwrap(), [1.0, 2.0, 0.0]);
        let window = Window::new([1, 1]).dilation([1 << 62, 1 << 62]);
        let windows = image.windows(&window);
        assert_eq!(windows.to_vec().unwrap(), [1.0, 2.0, 3.0]);
        let back = windows.fold(&window, [1, 3]);
        assert_eq!(back.to_vec().unwrap(), [1.0, 2.0, 3.0]);
        let first = Span::from(1..).step(usize::MAX);
        assert_eq!(image.slice((.., first)).to_vec().unwrap(), [2.0]);
    }
}

#[test]
fn rows_without_columns_take_no_memory() {
    let _clean = clean();
    for device in devices() {
        let rows = Tensor::new(&[2, 0], &[], device).unwrap();
        let places = vec![1, 1 << 39];
        let to = IndexAdd { axis: 0, indices: places, count: 1 << 40 };
        let spread = apply(to, &[&rows]);
        assert_eq!(spread.shape(), [1 << 40, 0]);
        assert_eq!(spread.to_vec().unwrap(), [0.0; 0]);
    }
}

/// Kernels support eight axes; views with more are handled without an error.
///
/// Promise: Views with any number of axes work on every device in Part 3.
#[test]
fn views_with_any_number_of_axes_work_on_every_device() {
    let _clean = clean();
    let all = devices().into_iter();
    for (device, axes) in all.flat_map(|d| [8, 9, 11, 16].map(|n| (d, n))) {
        let mut shape = vec![2; axes];
        shape[axes / 2] = 3;
        let n: usize = shape.iter().product();
        let values: Vec<f32> = (0..n).map(|i| i as f32).collect();
        let a = reference::Array::new(&shape, &values);
        let x = Tensor::new(&shape, &values, device).unwrap().requires_grad();
        let order: Vec<usize> = (0..axes).rev().collect();
        let right = reference::permute(&a, &order);
        let near = |yours: &Tensor, right: &reference::Array| {
            assert_eq!(yours.shape(), right.shape);
            let yours = yours.to_vec().unwrap().into_iter().map(f64::from);
            assert!(yours.eq(right.values.iter().copied()), "{axes} {device}");
        };

        let reversed = x.permute(&order);
        near(&reversed, &right);
        near(&reversed.scale(1.0), &right);
        near(&reversed.add(&reversed.zeros_like()), &right);
        near(&x.zeros_like().permute(&order).add(&reversed), &right);
        // A slice along each axis, whose gradient is pasted into zeros.
        let part: Vec<_> = shape.iter().rev().map(|n| n - 1..*n).collect();
        let last = reversed.slice(&part[..axes - 1]);
        let loss = last.mul(&last).sum();
        loss.backward();
        let grad = x.grad().unwrap().to_vec().unwrap();
        let half = values.iter().zip(&grad).filter(|(_, g)| **g != 0.0);
        let half: Vec<_> = half.collect();
        assert_eq!(half.len(), last.array().len());
        assert!(half.iter().all(|(x, g)| 2.0 * **x == **g), "{device}");
        // Every other axis is broadcast, combined with the mirrored shape.
        let thin = (0..axes).map(|i| if i % 2 == 0 { 0..1 } else { 0..2 });
        let thin: Vec<_> = thin.collect();
        let wide = x.slice(&thin[..axes / 2]).expand(&shape);
        let twice = wide.sum_to(wide.slice(&thin[..axes / 2]).shape());
        let (n, m) = (wide.array().len(), twice.array().len());
        let thin = x.slice(&thin[..axes / 2]).scale((n / m) as f32);
        assert_eq!(twice.to_vec().unwrap(), thin.to_vec().unwrap());
        // Setting elements through a view with as many axes.
        let mut set = x.array().clone();
        let part: Vec<_> = shape.iter().map(|_| 0..1).collect();
        set.set(
            &part,
            Tensor::full(&vec![1; axes], 7.0, device).unwrap().array(),
        )
        .unwrap();
        assert_eq!(set.to_vec().unwrap()[..2], [7.0, 1.0]);
        let ends: Vec<_> = shape.iter().map(|n| n - 1..*n).collect();
        let padded = x.slice(&ends).pad(&vec![[1, 0]; axes]);
        assert_eq!(padded.to_vec().unwrap()[(1 << axes) - 1], (n - 1) as f32);
    }
}

/// The target of a write can have more than eight axes too.
#[test]
fn padding_nine_axes_works_on_every_device() {
    let _clean = clean();
    let padded = |device| {
        let x = Tensor::rand(&[2; 9], 1, device).unwrap();
        x.pad(&[[1, 0]; 9]).to_vec().unwrap()
    };
    let right = padded(Device::Cpu);
    assert_eq!(right.iter().filter(|x| **x != 0.0).count(), 1 << 9);
    for device in devices() {
        assert!(padded(device) == right, "{device}");
    }
}

/// A user-defined function that holds a tensor and therefore its graph.
struct Holder(Tensor);

impl Function for Holder {
    fn op(&self) -> Op {
        Op::named("holder")
    }

    fn forward(
        &self,
        _ctx: &mut Context,
        _inputs: &[&Array],
    ) -> Result<Array, Error> {
        Ok(self.0.array().clone())
    }

    fn backward(&self, _: &Context, out: &Tensor) -> Gradients {
        vec![Some(out.clone())]
    }
}

/// Promise: A chain of a reader's functions that hold tensors is freed in 2 MB
/// of stack.
#[test]
fn functions_that_hold_tensors_are_freed_in_2_mb_of_stack() {
    let _clean = clean();
    let small = thread::Builder::new().stack_size(2 << 20);
    let work = small.spawn(|| {
        let ((), counts) = ledger::measure(|| {
            let x = leaf(&[1.0]);
            let mut y = x.clone();
            for _ in 0..200_000 {
                y = apply(Holder(y), &[&x]);
            }
            assert_eq!(y.to_vec().unwrap(), [1.0]);
        });
        assert_eq!(counts.live_nodes(), 0);
    });
    work.unwrap().join().expect("a stack of 2 MB is enough");
}
