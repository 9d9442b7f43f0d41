//! Arithmetic on plain arrays, which nothing records: the ndarray side of
//! the operations. "Shapes that stretch" builds the broadcasting, "Train the
//! digits" the threads.
//!
//! Every array here is in row-major order, so its elements are one slice;
//! those of a reader's come in through [`row_major`].

use ndarray::{ArrayD, Axis, IxDyn};
use rayon::prelude::*;

use crate::base::share::threads;
use crate::checks;
use crate::error::{or_raise, room};
use crate::product::{Lines, Places, product};
use crate::shape::{broadcast_axes, size};

// ANCHOR: thresholds
/// From this many elements on the threads share them. On two cores an
/// exponential has long gained here, and a product breaks even somewhere
/// between half and eight times as many; `cargo bench --bench part1` measures
/// it.
const PARALLEL: usize = 1 << 19;
// ANCHOR_END: thresholds

/// Says whether threads share a loop over so many elements.
fn is_shared(elements: usize) -> bool {
    elements >= PARALLEL && threads() > 1
}

/// Lists the elements in row-major order.
pub(super) fn slice(a: &ArrayD<f32>) -> &[f32] {
    a.as_slice().expect("every array of a tensor is in row-major order")
}

/// Lays the array out in row-major order. ndarray transposes without moving an
/// element, and only the order in which it walks them changes.
pub(super) fn row_major(a: ArrayD<f32>) -> ArrayD<f32> {
    if a.is_standard_layout() { a } else { a.as_standard_layout().into_owned() }
}

fn array(shape: &[usize], values: Vec<f32>) -> ArrayD<f32> {
    ArrayD::from_shape_vec(IxDyn(shape), values).expect("one value each")
}

/// Applies `f` to each element.
pub(super) fn map(
    a: &ArrayD<f32>,
    f: impl Fn(f32) -> f32 + Sync,
) -> ArrayD<f32> {
    let x = slice(a);
    let values = match is_shared(x.len()) {
        false => x.iter().map(|&x| f(x)).collect(),
        true => shared([x], &|[x], out| {
            let pairs = x.iter().zip(out);
            pairs.for_each(|(&x, out)| *out = f(x));
        }),
    };
    array(a.shape(), values)
}

/// Applies `f` to each pair of elements, the shapes broadcast.
#[track_caller]
pub(super) fn zip(
    op: &str,
    a: &ArrayD<f32>,
    b: &ArrayD<f32>,
    f: impl Fn(f32, f32) -> f32 + Sync,
) -> ArrayD<f32> {
    if a.shape() == b.shape() {
        return zip_equal(a, b, f);
    }
    let shape = or_raise(checks::broadcast(op, a.shape(), b.shape()));
    // Two small shapes may stretch to one that no memory has room for.
    or_raise(room::<f32>(size(&shape)));
    zip_equal(&expand(a, &shape), &expand(b, &shape), f)
}

// ANCHOR: expand
/// Repeats the array to a shape that it stretches to.
pub(super) fn expand(a: &ArrayD<f32>, shape: &[usize]) -> ArrayD<f32> {
    let view = a.broadcast(IxDyn(shape)).expect("a shape that it stretches to");
    view.as_standard_layout().into_owned()
}
// ANCHOR_END: expand

// ANCHOR: sum-to
/// Sums back to the shape that was expanded, the mirror of [`expand`]: each
/// element that was repeated collects the gradients of all its copies.
pub(super) fn sum_to(grad: ArrayD<f32>, shape: &[usize]) -> ArrayD<f32> {
    if grad.shape() == shape {
        return grad;
    }
    let axes = broadcast_axes(shape, grad.shape());
    let summed = sum_axes(&grad, &axes);
    array(shape, slice(&summed).to_vec())
}
// ANCHOR_END: sum-to

// ANCHOR: zip-equal
fn zip_equal(
    a: &ArrayD<f32>,
    b: &ArrayD<f32>,
    f: impl Fn(f32, f32) -> f32 + Sync,
) -> ArrayD<f32> {
    let (x, y) = (slice(a), slice(b));
    let values = match is_shared(x.len()) {
        false => x.iter().zip(y).map(|(&x, &y)| f(x, y)).collect(),
        true => shared([x, y], &|[x, y], out| {
            let pairs = x.iter().zip(y).zip(out);
            pairs.for_each(|((&x, &y), out)| *out = f(x, y));
        }),
    };
    array(a.shape(), values)
}
// ANCHOR_END: zip-equal

/// Fills a piece of a result from the same pieces of some slices.
type Fill<'a, const N: usize> = dyn Fn([&[f32]; N], &mut [f32]) + Sync + 'a;

/// Makes a number for each place of some slices, piece by piece; the threads
/// share the pieces. `fill` is no type parameter: a copy of the sharing for
/// each operation would make up a good part of what the compiler has to do.
fn shared<const N: usize>(slices: [&[f32]; N], fill: &Fill<N>) -> Vec<f32> {
    const PIECE: usize = 1 << 14;
    let mut values = vec![0.0; slices[0].len()];
    let pieces = values.par_chunks_mut(PIECE).enumerate();
    pieces.for_each(|(i, out)| {
        fill(slices.map(|x| &x[i * PIECE..][..out.len()]), out);
    });
    values
}

/// Sums over axes, which go.
pub(super) fn sum_axes(a: &ArrayD<f32>, axes: &[usize]) -> ArrayD<f32> {
    if axes.len() == a.ndim() {
        return array(&[], vec![sum(slice(a))]);
    }
    let mut left = a.clone();
    // The last first, so that the numbers of the others stay right.
    for &axis in sorted(axes).iter().rev() {
        left = sum_axis(&left, axis);
    }
    left
}

fn sum_axis(a: &ArrayD<f32>, axis: usize) -> ArrayD<f32> {
    let mut shape = a.shape().to_vec();
    let (length, inner) = (shape.remove(axis), size(&a.shape()[axis + 1..]));
    let blocks = slice(a).chunks((length * inner).max(1));
    let values = match inner {
        _ if a.is_empty() => vec![0.0; size(&shape)],
        1 => blocks.map(sum).collect(),
        _ => blocks.flat_map(|block| down(block, inner)).collect(),
    };
    array(&shape, values)
}

/// Sums rows, column by column. So that no sum becomes a long chain, 32 rows
/// are added up in `f32`, and their sums in `f64`.
fn down(rows: &[f32], width: usize) -> Vec<f32> {
    const BLOCK: usize = 32;
    let mut totals = vec![0.0; width];
    for block in rows.chunks(BLOCK * width) {
        let mut sums = block[..width].to_vec();
        for row in block[width..].chunks(width) {
            sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
        }
        let pairs = totals.iter_mut().zip(sums);
        pairs.for_each(|(total, sum)| *total += f64::from(sum));
    }
    totals.into_iter().map(|total| total as f32).collect()
}

/// Finds the largest over axes, which go. The axes are not empty. `f32::max`
/// would hide a NaN.
pub(super) fn max_axes(a: &ArrayD<f32>, axes: &[usize]) -> ArrayD<f32> {
    let mut left = a.clone();
    for &axis in sorted(axes).iter().rev() {
        left = left.fold_axis(Axis(axis), f32::NEG_INFINITY, |&x, &y| {
            if y > x || y.is_nan() { y } else { x }
        });
    }
    left.as_standard_layout().into_owned()
}

fn sorted(axes: &[usize]) -> Vec<usize> {
    let mut axes = axes.to_vec();
    axes.sort_unstable();
    axes
}

// ANCHOR: chunks
/// Sums a slice, in chunks that are joined in order: the same bits for any
/// number of threads. It is kept in `f64` and rounded once.
fn sum(values: &[f32]) -> f32 {
    const CHUNK: usize = 4096;
    let sums: Vec<f64> = match is_shared(values.len()) {
        false => values.chunks(CHUNK).map(chunk).collect(),
        true => values.par_chunks(CHUNK).map(chunk).collect(),
    };
    // From 0 on, because Rust's own sum of nothing is -0.
    sums.iter().fold(0.0, |total, chunk| total + chunk) as f32
}
// ANCHOR_END: chunks

/// Sums a chunk in eight sums side by side, to which a processor adds at once.
fn chunk(values: &[f32]) -> f64 {
    let (eights, rest) = values.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for eight in eights {
        let pairs = sums.iter_mut().zip(eight);
        pairs.for_each(|(sum, x)| *sum += f64::from(*x));
    }
    let rest = rest.iter().map(|&x| f64::from(x));
    sums.into_iter().chain(rest).fold(0.0, |total, x| total + x)
}

// ANCHOR: product
/// Multiplies matrices: (m, k) x (k, n) -> (m, n). The arithmetic is that of
/// [`crate::product`]: whatever the threads share, an element is the same sum
/// in the same order, so no thread changes a bit.
pub(super) fn matmul(a: &ArrayD<f32>, b: &ArrayD<f32>) -> ArrayD<f32> {
    let (m, k, n) = (a.shape()[0], a.shape()[1], b.shape()[1]);
    let mut out = vec![0.0; m * n];
    if m * k * n > 0 {
        let lines = |a, [lines, inner]: [Places<'static>; 2]| Lines {
            values: slice(a),
            start: 0,
            lines,
            inner,
        };
        let even = |count, step: usize| Places::even(count, step as isize);
        let rows = lines(a, [even(m, k), even(k, 1)]);
        let columns = lines(b, [even(n, 1), even(k, n)]);
        product(rows, columns, &mut out);
    }
    array(&[m, n], out)
}
// ANCHOR_END: product

/// Puts the axes in another order.
pub(super) fn permute(a: &ArrayD<f32>, axes: &[usize]) -> ArrayD<f32> {
    let view = a.view().permuted_axes(IxDyn(axes));
    view.as_standard_layout().into_owned()
}

/// Gives the elements another shape of the same size.
pub(super) fn reshape(a: &ArrayD<f32>, shape: &[usize]) -> ArrayD<f32> {
    array(shape, slice(a).to_vec())
}

#[cfg(test)]
mod tests {
    use rayon::ThreadPoolBuilder;

    use super::*;
    use crate::product::SHARED;
    use crate::rng::Random;

    fn random(shape: &[usize], seed: u64) -> ArrayD<f32> {
        let mut random = Random::new(seed);
        let values = || 2.0 * random.uniform() - 1.0;
        ArrayD::from_shape_simple_fn(IxDyn(shape), values)
    }

    fn bits(a: &ArrayD<f32>) -> Vec<u32> {
        slice(a).iter().map(|x| x.to_bits()).collect()
    }

    type Work<'a> = &'a (dyn Fn() -> ArrayD<f32> + Sync);

    /// Runs `work` on a number of threads.
    fn on(threads: usize, work: Work) -> Vec<u32> {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        bits(&pool.expect("threads").install(work))
    }

    #[test]
    fn a_sum_over_all_axes_is_rounded_once() {
        let a = array(&[2, 2], vec![1e8, 1.0, -1e8, 0.0]);
        assert_eq!(slice(&sum_axes(&a, &[0, 1])), [1.0]);
    }

    #[test]
    fn no_thread_changes_a_bit() {
        // Above the thresholds, and nothing that threads divide evenly.
        let many = PARALLEL + 4099;
        let (x, y) = (random(&[many], 1), random(&[many], 2));
        let (m, k, n) = (1001, 131, 67);
        assert!(m * k * n > SHARED);
        let (a, b) = (random(&[m, k], 3), random(&[k, n], 4));
        let works: [(&str, Work); 4] = [
            ("map", &|| map(&x, f32::exp)),
            ("zip", &|| zip("mul", &x, &y, |x, y| x * y)),
            ("sum", &|| sum_axes(&x, &[0])),
            ("matmul", &|| matmul(&a, &b)),
        ];
        for (name, work) in works {
            let one = on(1, work);
            for threads in [2, 3, 7] {
                assert!(on(threads, work) == one, "{name}, {threads} threads");
            }
        }
    }
}
