//! The basics of the public API: creating tensors, printing them, and their
//! operators.

use rungrad::part3_unified::{Device, Keep, Tensor, no_grad};
use rungrad::{Error, attempt};

use super::{constant, leaf, third};
use testkit::clean;
use testkit::refusal::{mistake, refusal, refusal_of};

/// Promise: A negative axis counts from the end in every operation that takes
/// an axis.
#[test]
fn a_negative_axis_counts_from_the_end() {
    let _clean = clean();
    let x = Tensor::new(&[2, 3], &[1., 2., 3., 4., 5., 6.], Device::Cpu);
    let x = &x.unwrap();
    let one = &x.unsqueeze(2);
    for [from_end, from_start] in [
        [x.sum_over(&[-1], Keep::No), x.sum_over(&[1], Keep::No)],
        [x.mean_over(&[-1], Keep::No), x.mean_over(&[1], Keep::No)],
        [x.max_over(&[-1], Keep::Yes), x.max_over(&[1], Keep::Yes)],
        [x.min_over(&[-2, 1], Keep::No), x.min_over(&[0, 1], Keep::No)],
        [x.prod_over(&[-1], Keep::No), x.prod_over(&[1], Keep::No)],
        [x.var_over(&[-1], Keep::No), x.var_over(&[1], Keep::No)],
        [x.std_over(&[-1], Keep::No), x.std_over(&[1], Keep::No)],
        [x.norm_over(&[-1], Keep::No), x.norm_over(&[1], Keep::No)],
        [x.logsumexp_over(&[-1], Keep::No), x.logsumexp_over(&[1], Keep::No)],
        [x.cumsum(-1), x.cumsum(1)],
        [x.softmax_over(-2), x.softmax_over(0)],
        [x.log_softmax_over(-2), x.log_softmax_over(0)],
        [x.permute(&[-1, 0]), x.permute(&[1, 0])],
        [x.flip(&[-1]), x.flip(&[1])],
        [x.unsqueeze(-1), x.unsqueeze(2)],
        [one.squeeze(-1), one.squeeze(2)],
        [x.index_select(-1, &[2]), x.index_select(1, &[2])],
        [x.index_add(-1, &[0, 1, 1], x), x.index_add(1, &[0, 1, 1], x)],
        [x.gather(-1, &[2, 1], &[2, 0]), x.gather(1, &[2, 1], &[2, 0])],
        [x.scatter_add(-1, &[0; 6], x), x.scatter_add(1, &[0; 6], x)],
        [Tensor::cat(&[x, x], -1), Tensor::cat(&[x, x], 1)],
        [Tensor::stack(&[x, x], -1), Tensor::stack(&[x, x], 2)],
    ] {
        assert_eq!(from_end.shape(), from_start.shape());
        assert_eq!(from_end.to_vec().unwrap(), from_start.to_vec().unwrap());
    }
    assert_eq!(x.argmax_over(-1).unwrap(), x.argmax_over(1).unwrap());
    assert_eq!(
        refusal(|| x.cumsum(-3)),
        "cumsum: there is no axis -3; shape [2, 3] has the axes [0, 1], which \
         are also [-2, -1]"
    );
    assert_eq!(
        refusal(|| x.flip(&[1, -1])),
        "flip: axis 1 appears twice in [1, -1]; name each axis once"
    );
    let error = attempt(|| x.sum_over(&[2_usize], Keep::No)).unwrap_err();
    let Error::AxisOutOfRange { op, axis, shape } = error else {
        panic!("{error}");
    };
    assert_eq!((op.as_str(), axis, shape), ("sum", 2, vec![2, 3]));
}

#[test]
fn arange_excludes_the_end() {
    let _clean = clean();
    let arange = |start, end, step| {
        Tensor::arange(start, end, step, Device::Cpu).unwrap().to_vec()
    };
    let tenths: Vec<f32> =
        (0..10).map(|i| (0.1 * f64::from(i)) as f32).collect();
    assert_eq!(arange(0.0, 1.0, 0.1).unwrap(), tenths);
    // The fourth element would round to the end.
    assert_eq!(arange(0.0, 0.3, 0.1).unwrap(), [0.0, 0.1, 0.2]);
    let rounded = Tensor::arange(0.0f32, 0.3f32, 0.1f32, Device::Cpu);
    assert_eq!(rounded.unwrap().to_vec().unwrap(), [0.0, 0.1, 0.2]);
    assert_eq!(arange(0.3, 0.0, -0.1).unwrap().len(), 3);
    assert_eq!(arange(1.0, 1.3, 0.1).unwrap(), [1.0, 1.1, 1.2]);
    assert_eq!(arange(0.0, 0.0, 1.0).unwrap(), [0.0; 0]);
    assert_eq!(arange(2.0, -1.0, -1.5).unwrap(), [2.0, 0.5]);
    for (start, end, step) in [
        (0.0, 1.0, 0.0),
        (0.0, 1.0, -1.0),
        (0.0, f32::NAN, 1.0),
        (0.0, f32::INFINITY, 1.0),
        (0.0, 1.0, f32::INFINITY),
    ] {
        let refused = Tensor::arange(start, end, step, Device::Cpu);
        assert_eq!(
            mistake(&format!("{start} to {end} by {step}"), refused),
            format!(
                "arange: no steps of {step} lead from {start} to {end}; give \
                 finite numbers, and a step in that direction"
            )
        );
    }
    let linspace = |start, end, count| {
        Tensor::linspace(start, end, count, Device::Cpu).unwrap().to_vec()
    };
    let third = 1.0f64 / 3.0;
    let thirds = [0.0, third as f32, (2.0 * third) as f32, 1.0];
    assert_eq!(linspace(0.0, 1.0, 4).unwrap(), thirds);
    assert_eq!(linspace(3.0, 3.0, 2).unwrap(), [3.0, 3.0]);
    assert_eq!(linspace(3.0, 9.0, 1).unwrap(), [3.0]);
    assert_eq!(linspace(3.0, 9.0, 0).unwrap(), [0.0; 0]);
    let ends = linspace(-3e38, 3e38, 3).unwrap();
    assert_eq!(ends, [-3e38, 0.0, 3e38]);
    assert_eq!(Tensor::eye(0, Device::Cpu).unwrap().shape(), [0, 0]);
    let eye = Tensor::eye(3, Device::Cpu).unwrap().to_vec().unwrap();
    assert_eq!(eye, [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
}

#[test]
fn item_requires_exactly_one_element() {
    let _clean = clean();
    assert_eq!(constant(&[4.0]).reshape(&[1, 1]).item(), Ok(4.0));
    for values in [&[][..], &[1.0, 2.0]] {
        assert_eq!(
            mistake(&format!("item of {values:?}"), constant(values).item()),
            format!(
                "item: shape [{}] holds not one element; reduce it first, or \
                 read all of them with .to_vec()",
                values.len()
            )
        );
    }
}

#[test]
fn a_tensor_prints_its_rows_and_its_device() {
    let _clean = clean();
    let plain = Tensor::new(&[2, 2], &[1.0, 2.0, 3.0, 4.5], Device::Cpu);
    let plain = plain.unwrap();
    assert_eq!(
        plain.to_string(),
        "<Tensor with data: [[1, 2], [3, 4.5]], grad: none, shape: [2, 2], \
         on cpu>"
    );
    let x = leaf(&[2.0, 3.0]);
    x.mul(&x).sum().backward();
    assert_eq!(
        x.to_string(),
        "<Tensor with data: [2, 3], grad: [4, 6], shape: [2], on cpu, records>"
    );
    assert_eq!(
        no_grad(|| x.mul(&x)).to_string(),
        "<Tensor with data: [4, 9], grad: none, shape: [2], on cpu>"
    );
}

/// This holds even if the device cannot return values.
///
/// Promise: `Debug` of a Part 3 tensor does not read from its device.
#[test]
fn debug_of_a_tensor_does_not_read_the_device() {
    let _clean = clean();
    let x = Tensor::zeros(&[2, 3], third::device()).unwrap().requires_grad();
    let y = x.exp().transpose();
    let words = |t: &Tensor| third::with_room_for(0, || format!("{t:?}"));
    assert_eq!(
        words(&y),
        "Tensor { shape: [3, 2], strides: [1, 3], device: Custom(third), \
         dtype: F32, op: \
         Permute([1, 0]) }"
    );
    assert!(words(&x).ends_with("op: Leaf }"), "{}", words(&x));
    assert!(words(&x.detach()).ends_with("op: Constant }"));
}

#[test]
fn assigning_operators_leave_clones_unchanged() {
    let _clean = clean();
    let x = leaf(&[2.0, 4.0]);
    let mut y = x.clone();
    y += &x;
    y *= x.clone();
    y -= 1.0;
    y /= 2;
    assert_eq!(y.to_vec().unwrap(), [3.5, 15.5]);
    assert_eq!(x.to_vec().unwrap(), [2.0, 4.0]);
    y.sum().backward();
    assert_eq!(x.grad().unwrap().to_vec().unwrap(), [4.0, 8.0]);
    let refused = refusal(|| {
        let mut z = x.clone();
        z += &constant(&[1.0; 3]);
    });
    assert!(refused.starts_with("add: the shapes [2] and [3]"), "{refused}");
}

#[test]
fn integers_can_be_scalar_operands() {
    let _clean = clean();
    let x = constant(&[2.0, -4.0]);
    for (yours, right) in [
        (&x + 2, [4.0, -2.0]),
        (2 + &x, [4.0, -2.0]),
        (&x - 1, [1.0, -5.0]),
        (1 - &x, [-1.0, 5.0]),
        (x.clone() * 3, [6.0, -12.0]),
        (3 * x.clone(), [6.0, -12.0]),
        (&x / 2, [1.0, -2.0]),
        (2 / &x, [1.0, -0.5]),
    ] {
        assert_eq!(yours.to_vec().unwrap(), right);
    }
}

#[test]
fn tensors_can_be_summed_as_an_iterator() {
    let _clean = clean();
    let all = [leaf(&[1.0, 2.0]), constant(&[10.0]), leaf(&[3.0, 4.0])];
    let sum: Tensor = all.iter().sum();
    assert_eq!(sum.to_vec().unwrap(), [14.0, 16.0]);
    sum.sum().backward();
    assert_eq!(all[2].grad().unwrap().to_vec().unwrap(), [1.0, 1.0]);
    let owned: Tensor = all.into_iter().map(|t| t * 2).sum();
    assert_eq!(owned.to_vec().unwrap(), [28.0, 32.0]);
    let none: Tensor = std::iter::empty::<Tensor>().sum();
    assert_eq!((none.rank(), none.item()), (0, Ok(0.0)));
}

#[test]
fn errors_of_derived_operations_use_their_own_name() {
    let _clean = clean();
    let (x, y, none) =
        (constant(&[1.0; 2]), constant(&[1.0; 3]), constant(&[]));
    for (name, words) in [
        ("minimum", refusal(|| x.minimum(&y))),
        ("maximum", refusal(|| x.maximum(&y))),
        ("pow_tensor", refusal(|| x.pow_tensor(&y))),
    ] {
        let right = format!("{name}: the shapes [2] and [3] do not broadcast");
        assert!(words.starts_with(&right), "{words}");
    }
    for (name, words) in [
        ("min", refusal(|| none.min())),
        ("logsumexp", refusal(|| none.logsumexp())),
        ("argmax", mistake("argmax", none.argmax())),
        ("argmax_over", mistake("argmax_over", none.argmax_over(0))),
    ] {
        assert_eq!(
            words,
            format!(
                "{name}: shape [0] has no element along [0], and of none \
                 there is no {name}; look at the shape first"
            )
        );
    }
    for (name, words) in [
        ("min", refusal(|| x.min_over(&[1], Keep::No))),
        ("prod", refusal(|| x.prod_over(&[1], Keep::No))),
        ("var", refusal(|| x.var_over(&[1], Keep::No))),
        ("std", refusal(|| x.std_over(&[1], Keep::No))),
        ("norm", refusal(|| x.norm_over(&[1], Keep::No))),
        ("logsumexp", refusal(|| x.logsumexp_over(&[1], Keep::No))),
        ("cumsum", refusal(|| x.cumsum(1))),
        ("softmax_over", refusal(|| x.softmax_over(1))),
        ("log_softmax_over", refusal(|| x.log_softmax_over(1))),
        ("argmax_over", mistake("argmax_over", x.argmax_over(1))),
    ] {
        let right = format!("{name}: there is no axis 1; shape [2] has");
        assert!(words.starts_with(&right), "{words}");
    }
    for (low, high) in [(1.0, -1.0), (f32::NAN, 1.0), (0.0, f32::NAN)] {
        assert_eq!(
            refusal_of(&format!("{low} to {high}"), || x.clamp(low, high)),
            format!(
                "clamp: nothing lies between {low} and {high}; give the lower \
                 end first, and numbers for both"
            )
        );
    }
}
