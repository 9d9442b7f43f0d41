//! The laws of a device, one function at a time: what the tests of Part 3
//! require of ours, on arrays chosen to reveal every mistake. Expected values
//! come from the processor or are written in the law.

mod many;

use exercises::numbers;
use rungrad::Result;
use rungrad::part3_unified::{
    Array, Binary, DType, Device, Span, Tensor, Unary, Window,
};

pub(super) use self::many::*;
use testkit::engine::Part3;

/// Unwraps a result, or panics with its error at the line of the law.
#[track_caller]
fn got<T>(result: Result<T>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => panic!("{error}"),
    }
}

#[track_caller]
fn on_device(e: &Part3, shape: &[usize], values: &[f32]) -> Array {
    got(Array::new(shape, values, e.0))
}

fn on_cpu(shape: &[usize], values: &[f32]) -> Array {
    got(Array::new(shape, values, Device::Cpu))
}

#[track_caller]
fn read(array: &Array) -> Vec<f32> {
    got(array.to_vec())
}

/// Compares values up to rounding. NaN matches NaN.
#[track_caller]
fn near(what: &str, yours: &[f32], right: &[f32]) {
    assert_eq!(yours.len(), right.len(), "{what}: the number of elements");
    for (at, (y, r)) in yours.iter().zip(right).enumerate() {
        let same = y == r || (y.is_nan() && r.is_nan());
        let is_near = (y - r).abs() <= 1e-5 * r.abs().max(1.0);
        assert!(same || is_near, "{what}: element {at} is {y}, not {r}");
    }
}

/// Returns the bits of the values, because NaN is not equal to itself.
fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

pub(super) fn a_download_returns_what_was_uploaded(e: &Part3) {
    for n in [0, 1, 2, 7, 1000] {
        let values = numbers(n as u64, n);
        assert_eq!(read(&on_device(e, &[n], &values)), values);
    }
    let odd = [0.0, -0.0, f32::INFINITY, f32::MIN_POSITIVE / 2.0, 1e-30];
    assert_eq!(bits(&read(&on_device(e, &[5], &odd))), bits(&odd));
    assert!(read(&on_device(e, &[1], &[f32::NAN]))[0].is_nan());
}

pub(super) fn a_storage_knows_its_length(e: &Part3) {
    let backend = got(e.0.backend());
    for n in [0, 1, 5] {
        let memory = got(backend.upload(&numbers(1, n), DType::F32));
        assert_eq!(memory.len(), n);
        assert_eq!(memory.is_empty(), n == 0);
    }
}

pub(super) fn every_upload_creates_a_new_storage(e: &Part3) {
    let (a, b) =
        (on_device(e, &[2], &[1.0, 2.0]), on_device(e, &[2], &[3.0, 4.0]));
    assert!(!a.shares_storage(&b));
    assert_eq!(read(&a), [1.0, 2.0]);
    assert_eq!(read(&b), [3.0, 4.0]);
    assert_eq!(read(&a), [1.0, 2.0], "read a second time");
}

pub(super) fn a_tensor_moves_to_the_device_and_back(e: &Part3) {
    let values = numbers(3, 6);
    let x = got(Tensor::new(&[2, 3], &values, Device::Cpu)).requires_grad();
    let away = got(x.to(e.0));
    assert_eq!(away.device(), e.0);
    let back = got(away.to(Device::Cpu));
    assert_eq!(back.shape(), [2, 3]);
    assert_eq!(got(back.to_vec()), values);
}

/// Every unary operation.
fn all_maps() -> impl Iterator<Item = Unary> {
    Unary::ALL.iter().map(|op| op.with_constant(3.0))
}

#[track_caller]
fn maps(e: &Part3, values: &[f32]) {
    for op in all_maps() {
        let right: Vec<f32> = values.iter().map(|x| op.apply(*x)).collect();
        let yours = got(on_device(e, &[values.len()], values).unary(op));
        near(&format!("{op:?} of {values:?}"), &read(&yours), &right);
    }
}

pub(super) fn every_map_computes_the_right_values(e: &Part3) {
    maps(e, &[-2.5, -1.5, -0.5, 0.0, 0.5, 1.5, 2.5, 3.25]);
    maps(e, &numbers(1, 257));
}

pub(super) fn a_map_of_no_elements_is_empty(e: &Part3) {
    for op in [Unary::Exp, Unary::Shift(1.0)] {
        let none = got(on_device(e, &[0, 3], &[]).unary(op));
        assert_eq!((read(&none).len(), none.shape()), (0, &[0, 3][..]));
    }
}

pub(super) fn a_map_does_not_change_its_operand(e: &Part3) {
    let a = on_device(e, &[3], &[1.0, -2.0, 3.0]);
    let out = got(a.unary(Unary::Scale(-1.0)));
    assert_eq!(read(&out), [-1.0, 2.0, -3.0]);
    assert_eq!(read(&a), [1.0, -2.0, 3.0]);
}

pub(super) fn a_map_passes_nan_through(e: &Part3) {
    let maps = all_maps().filter(|op| *op != Unary::Sign);
    for op in maps {
        let yours = read(&got(on_device(e, &[1], &[f32::NAN]).unary(op)))[0];
        assert!(yours.is_nan(), "{op:?} of NaN is {yours}, not NaN");
    }
}

pub(super) fn a_map_of_large_values_is_finite(e: &Part3) {
    let far = [-1000.0, -90.0, 90.0, 1000.0];
    for op in [Unary::Sigmoid, Unary::Tanh, Unary::Erf, Unary::Relu] {
        let right = far.map(|x| op.apply(x));
        let yours = read(&got(on_device(e, &[4], &far).unary(op)));
        near(&format!("{op:?} of {far:?}"), &yours, &right);
    }
}

pub(super) fn every_zip_computes_the_right_values(e: &Part3) {
    let (mut x, mut y) = (numbers(1, 64), numbers(2, 64));
    (x[5], y[5]) = (1.25, 1.25);
    (x[6], y[6]) = (f32::NAN, f32::NAN);
    (x[7], y[7]) = (0.0, -0.0);
    for &op in Binary::ALL {
        let pairs = x.iter().zip(&y);
        let right: Vec<f32> = pairs.map(|(x, y)| op.apply(*x, *y)).collect();
        let (a, b) = (on_device(e, &[64], &x), on_device(e, &[64], &y));
        let yours = read(&got(a.binary(op, &b)));
        near(op.name(), &yours, &right);
    }
}

pub(super) fn a_zip_keeps_the_order_of_its_operands(e: &Part3) {
    let (a, b) =
        (on_device(e, &[2], &[6.0, 2.0]), on_device(e, &[2], &[2.0, 3.0]));
    let of = |op| read(&got(a.binary(op, &b)));
    assert_eq!(of(Binary::Div)[0], 3.0);
    assert_eq!(of(Binary::Lt), [0.0, 1.0]);
    assert_eq!(of(Binary::Pow), [36.0, 8.0]);
}

pub(super) fn a_mask_selects_the_first_array_where_it_is_not_0(e: &Part3) {
    let mask = on_device(e, &[5], &[1.0, 0.0, -1.0, -0.0, 0.25]);
    let a = on_device(e, &[5], &[1.0, 2.0, 3.0, f32::NAN, 5.0]);
    let b = on_device(e, &[5], &[10.0, 20.0, f32::NAN, 40.0, 50.0]);
    let chosen = got(mask.where_cond(&a, &b));
    assert_eq!(read(&chosen), [1.0, 20.0, 3.0, 40.0, 5.0]);
}

pub(super) fn a_zip_of_no_elements_is_empty(e: &Part3) {
    let none = on_device(e, &[0], &[]);
    assert_eq!(read(&got(none.binary(Binary::Add, &none))), [0.0; 0]);
    assert_eq!(read(&got(none.where_cond(&none, &none))), [0.0; 0]);
}

pub(super) fn the_views_of_the_chapter_are_read(e: &Part3) {
    let x = on_device(e, &[4], &[1.0, 2.0, 3.0, 4.0]);
    let y = got(x.as_strided(&[2, 2], &[2, 1], 0));
    assert_eq!(read(&y), [1.0, 2.0, 3.0, 4.0]);
    let z = got(x.as_strided(&[2, 1], &[2, 1], 1));
    assert_eq!(read(&z), [2.0, 4.0]);
}

/// Returns views of 24 elements that together use every feature of a view.
fn views(a: &Array) -> Vec<(&'static str, Array)> {
    vec![
        ("permute", got(a.permute(&[2, 0, 1]))),
        ("flip", got(a.flip(&[0, 2]))),
        ("slice", got(a.slice(&[1..2, 1..3, 0..3]))),
        (
            "a slice of a permute",
            got(got(a.permute(&[1, 2, 0])).slice(&[1..3, 2..4])),
        ),
        ("every other", got(a.slice((.., .., Span::from(..).step(2))))),
        ("expand", got(got(a.slice(&[0..1, 0..3, 1..2])).expand(&[2, 3, 4]))),
        (
            "flip of an expand",
            got(got(got(a.slice(&[1..2])).expand(&[2, 3, 4])).flip(&[1])),
        ),
        ("windows", got(a.windows(&Window::new([2, 2])))),
        ("nothing", got(a.slice(&[1..1]))),
    ]
}

/// Returns the same views of the same values on the device and on the
/// processor.
fn both(e: &Part3, seed: u64) -> Vec<(&'static str, Array, Array)> {
    let values = numbers(seed, 24);
    let pairs = views(&on_device(e, &[2, 3, 4], &values))
        .into_iter()
        .zip(views(&on_cpu(&[2, 3, 4], &values)));
    pairs.map(|((name, yours), (_, ours))| (name, yours, ours)).collect()
}

pub(super) fn any_view_is_copied_in_row_major_order(e: &Part3) {
    for (name, yours, ours) in both(e, 1) {
        let copy = got(yours.compact());
        assert_eq!(read(&copy), read(&ours), "{name} of 24 elements");
    }
}

pub(super) fn a_map_and_a_zip_read_any_view(e: &Part3) {
    let all = both(e, 1).into_iter().zip(both(e, 2));
    for ((name, a, ours), (_, b, theirs)) in all {
        let map = |a: &Array| read(&got(a.unary(Unary::Square)));
        assert_eq!(map(&a), map(&ours), "square of {name}");
        // Make the other operand contiguous.
        let b = got(b.compact());
        let zip = |a: &Array, b: &Array| read(&got(a.binary(Binary::Add, b)));
        assert_eq!(
            zip(&a, &b),
            zip(&ours, &theirs),
            "{name} + a contiguous array"
        );
        assert_eq!(
            zip(&b, &a),
            zip(&theirs, &ours),
            "a contiguous array + {name}"
        );
        let mask =
            |a: &Array| got(a.binary(Binary::Lt, &got(a.unary(Unary::Square))));
        let choose =
            |a: &Array, b: &Array| read(&got(mask(a).where_cond(b, a)));
        assert_eq!(
            choose(&a, &b),
            choose(&ours, &theirs),
            "where_cond of {name}"
        );
    }
}

pub(super) fn a_paste_writes_where_the_view_points(e: &Part3) {
    let values = numbers(4, 24);
    let set = |mut a: Array, of: &Array| {
        got(a.set((1.., ..2, Span::from(1..).step(2)), of));
        read(&a)
    };
    let (row, column) = (numbers(5, 4), numbers(6, 2));
    for device in [e.0, Device::Cpu] {
        // Broadcast the second operand; transpose and flip the third.
        let new = |shape: &[usize], values: &[f32]| {
            got(Array::new(shape, values, device))
        };
        let plain = new(&[1, 2, 2], &row);
        let across = got(new(&[2, 1], &column).expand(&[1, 2, 2]));
        let turned =
            got(got(new(&[2, 2, 1], &row).permute(&[2, 1, 0])).flip(&[1]));
        let of = [plain, across, turned]
            .map(|it| set(new(&[2, 3, 4], &values), &it));
        let mut right = [(); 3].map(|()| values.clone());
        for (k, at) in [13, 15, 17, 19].into_iter().enumerate() {
            right[0][at] = row[k];
            right[1][at] = column[k / 2];
            right[2][at] = row[[1, 3, 0, 2][k]];
        }
        assert_eq!(of, right, "on {device}");
    }
}

pub(super) fn a_set_changes_only_its_own_array(e: &Part3) {
    let mut a = on_device(e, &[4], &[1.0, 2.0, 3.0, 4.0]);
    let turned = got(a.flip(&[0]));
    got(a.set(&[1..3], &on_device(e, &[2], &[20.0, 30.0])));
    assert_eq!(read(&a), [1.0, 20.0, 30.0, 4.0]);
    assert_eq!(read(&turned), [4.0, 3.0, 2.0, 1.0]);
}
