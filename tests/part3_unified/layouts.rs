//! The same elements in different memory layouts: transposed, reversed,
//! strided inside a larger array, or repeated by a stride of 0. The layout
//! must not affect an operation.

use rungrad::part3_unified::{DType, Device, Span, Tensor};

use testkit::random::Random;

/// Returns a tensor with these elements that is a view of a leaf, and the
/// leaf. If the layout repeats elements, `values` is changed accordingly.
pub(crate) fn random_layout(
    random: &mut Random,
    shape: &[usize],
    values: &mut Vec<f32>,
    device: Device,
) -> (Tensor, Tensor) {
    random_layout_as(random, shape, values, (device, DType::F32))
}

/// A device and the type of the elements.
pub(crate) type DeviceAndType = (Device, DType);

/// Returns a tensor with these elements, rounded to the element type.
pub(crate) fn tensor(
    shape: &[usize],
    values: &[f32],
    place: DeviceAndType,
) -> Tensor {
    let tensor = Tensor::new(shape, values, place.0).unwrap();
    tensor.to_dtype(place.1).unwrap()
}

/// Does the work of `random_layout` for any element type that can represent
/// the elements.
pub(crate) fn random_layout_as(
    random: &mut Random,
    shape: &[usize],
    values: &mut Vec<f32>,
    place: DeviceAndType,
) -> (Tensor, Tensor) {
    let rank = shape.len();
    let axis = |random: &mut Random| random.below(rank);
    match random.below(6) {
        // Permuted axes.
        1 if rank > 1 => {
            let mut order: Vec<usize> = (0..rank).collect();
            random.shuffle(&mut order);
            let mut back = vec![0; rank];
            order.iter().enumerate().for_each(|(to, &from)| back[from] = to);
            let leaf = dense_leaf(place, shape, values, |t| t.permute(&order));
            (leaf.permute(&back), leaf)
        }
        2 if rank > 0 => {
            let axes = [axis(random)];
            let leaf = dense_leaf(place, shape, values, |t| t.flip(&axes));
            (leaf.flip(&axes), leaf)
        }
        // A slice of a larger array, sometimes with a step of 2 or 3. The
        // elements around the slice must never be read.
        3 if rank > 0 => {
            let part = |n: &usize| {
                let (from, step) = (random.below(3), 1 + random.below(3));
                Span::from(from..from + n * step).step(step)
            };
            let spans: Vec<Span> = shape.iter().map(part).collect();
            let end = |span: &Span| span.end.expect("it was said");
            let large: Vec<usize> =
                spans.iter().map(|span| end(span) + 1).collect();
            let n = large.iter().product();
            let around = tensor(&large, &vec![1e30; n], place);
            let mut array = around.array().clone();
            let inner = tensor(shape, values, place);
            array.set(&spans, inner.array()).unwrap();
            let leaf = Tensor::from(array).requires_grad();
            (leaf.slice(&spans), leaf)
        }
        // One element repeated along an axis.
        4 if rank > 0 && !values.is_empty() => {
            let axis = axis(random);
            let mut one = shape.to_vec();
            one[axis] = 1;
            let whole: Vec<_> = one.iter().map(|&n| 0..n).collect();
            let first = Tensor::new(shape, values, place.0).unwrap();
            let first = first.slice(&whole).to_vec().unwrap();
            *values = tensor(&one, &first, (place.0, DType::F32))
                .expand(shape)
                .to_vec()
                .unwrap();
            let leaf = tensor(&one, &first, place).requires_grad();
            (leaf.expand(shape), leaf)
        }
        // Two of these layouts combined.
        5 if rank > 1 => {
            let axes = [axis(random)];
            let mut order: Vec<usize> = (0..rank).collect();
            order.reverse();
            let leaf = dense_leaf(place, shape, values, |t| {
                t.flip(&axes).permute(&order)
            });
            (leaf.permute(&order).flip(&axes), leaf)
        }
        _ => {
            let leaf = dense_leaf(place, shape, values, Tensor::clone);
            (leaf.clone(), leaf)
        }
    }
}

/// Returns a dense leaf with the elements that `transform` produces.
fn dense_leaf(
    place: DeviceAndType,
    shape: &[usize],
    values: &[f32],
    transform: impl FnOnce(&Tensor) -> Tensor,
) -> Tensor {
    let transformed = transform(&tensor(shape, values, place));
    let dense = transformed.array().compact().unwrap();
    Tensor::from(dense).requires_grad()
}
