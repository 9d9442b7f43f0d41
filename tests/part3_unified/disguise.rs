//! The same numbers, laid out in memory otherwise: turned, backwards, in steps
//! inside a larger array, repeated by a stride of 0. An operation must not
//! notice.

use rungrad::part3_unified::{DType, Device, Span, Tensor};

use testkit::random::Random;

/// A tensor with these elements that is a view of a leaf, and the leaf. The
/// elements may change where some are to be repeated, and then say so.
pub(crate) fn disguise(
    random: &mut Random,
    shape: &[usize],
    values: &mut Vec<f32>,
    device: Device,
) -> (Tensor, Tensor) {
    disguise_as(random, shape, values, (device, DType::F32))
}

/// A device, and the type of numbers there.
pub(crate) type Place = (Device, DType);

/// A tensor of these numbers, rounded where they do not fit.
pub(crate) fn tensor(shape: &[usize], values: &[f32], place: Place) -> Tensor {
    let tensor = Tensor::new(shape, values, place.0).unwrap();
    tensor.to_dtype(place.1).unwrap()
}

/// The same for numbers of any type, into which the elements fit.
pub(crate) fn disguise_as(
    random: &mut Random,
    shape: &[usize],
    values: &mut Vec<f32>,
    place: Place,
) -> (Tensor, Tensor) {
    let rank = shape.len();
    let axis = |random: &mut Random| random.below(rank);
    match random.below(6) {
        // The axes in another order.
        1 if rank > 1 => {
            let mut order: Vec<usize> = (0..rank).collect();
            random.shuffle(&mut order);
            let mut back = vec![0; rank];
            order.iter().enumerate().for_each(|(to, &from)| back[from] = to);
            let leaf = laid(place, shape, values, |t| t.permute(&order));
            (leaf.permute(&back), leaf)
        }
        2 if rank > 0 => {
            let axes = [axis(random)];
            let leaf = laid(place, shape, values, |t| t.flip(&axes));
            (leaf.flip(&axes), leaf)
        }
        // A part of something larger, now and then every second or third
        // element of it. What lies around must never be read.
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
        // One element in the place of all along an axis.
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
        // Two of these, one on the other.
        5 if rank > 1 => {
            let axes = [axis(random)];
            let mut order: Vec<usize> = (0..rank).collect();
            order.reverse();
            let leaf =
                laid(place, shape, values, |t| t.flip(&axes).permute(&order));
            (leaf.permute(&order).flip(&axes), leaf)
        }
        _ => {
            let leaf = laid(place, shape, values, Tensor::clone);
            (leaf.clone(), leaf)
        }
    }
}

/// A leaf with what `turn` makes of the elements, one after another.
fn laid(
    place: Place,
    shape: &[usize],
    values: &[f32],
    turn: impl FnOnce(&Tensor) -> Tensor,
) -> Tensor {
    let turned = turn(&tensor(shape, values, place));
    let dense = turned.array().compact().unwrap();
    Tensor::from(dense).requires_grad()
}
