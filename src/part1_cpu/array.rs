//! Arithmetic on plain ndarray arrays, without recording a graph. "Shapes that
//! stretch" builds the broadcasting, "Train the digits" the threads.
//!
//! Invariant: every array of a tensor is in row-major order, so its elements
//! are one slice. Arrays from outside the crate pass through [`row_major`].

use ndarray::{ArrayD, Axis, IxDyn};
use rayon::prelude::*;

use crate::checks;
use crate::engine::gemm::{Lines, Offsets, product};
use crate::engine::threads::threads;
use crate::error::{or_raise, room};
use crate::shape::{broadcast_axes, size};

// ANCHOR: thresholds
/// Loops over at least this many elements run in parallel. On two cores,
/// `exp` gains from far fewer elements, whereas multiplication breaks even
/// between half and eight times this many. Measure it with
/// `cargo bench --bench part1`.
const PARALLEL: usize = 1 << 19;
// ANCHOR_END: thresholds

/// Returns whether a loop over this many elements runs in parallel.
fn is_parallel(elements: usize) -> bool {
    elements >= PARALLEL && threads() > 1
}

/// Returns the elements as a slice, in row-major order.
pub(super) fn slice(a: &ArrayD<f32>) -> &[f32] {
    a.as_slice().expect("every array of a tensor is in row-major order")
}

/// Copies the array into row-major order, unless it already is. ndarray
/// transposes by changing strides, without moving any element.
pub(super) fn row_major(a: ArrayD<f32>) -> ArrayD<f32> {
    if a.is_standard_layout() { a } else { a.as_standard_layout().into_owned() }
}

fn array(shape: &[usize], values: Vec<f32>) -> ArrayD<f32> {
    ArrayD::from_shape_vec(IxDyn(shape), values).expect("one value each")
}

/// Applies `f` to every element.
pub(super) fn map(
    a: &ArrayD<f32>,
    f: impl Fn(f32) -> f32 + Sync,
) -> ArrayD<f32> {
    let x = slice(a);
    let values = match is_parallel(x.len()) {
        false => x.iter().map(|&x| f(x)).collect(),
        true => par_fill([x], &|[x], out| {
            let pairs = x.iter().zip(out);
            pairs.for_each(|(&x, out)| *out = f(x));
        }),
    };
    array(a.shape(), values)
}

/// Applies `f` to each pair of elements, after broadcasting the shapes.
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
    // Two small shapes can broadcast to one that does not fit into memory.
    or_raise(room::<f32>(size(&shape)));
    zip_equal(&expand(a, &shape), &expand(b, &shape), f)
}

// ANCHOR: expand
/// Broadcasts the array to `shape` by copying its elements.
pub(super) fn expand(a: &ArrayD<f32>, shape: &[usize]) -> ArrayD<f32> {
    let view = a.broadcast(IxDyn(shape)).expect("a shape that it stretches to");
    view.as_standard_layout().into_owned()
}
// ANCHOR_END: expand

// ANCHOR: sum-to
/// Reverses [`expand`] for gradients: sums `grad` down to `shape`, so that a
/// repeated element gets the sum of the gradients of all its copies.
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
    let values = match is_parallel(x.len()) {
        false => x.iter().zip(y).map(|(&x, &y)| f(x, y)).collect(),
        true => par_fill([x, y], &|[x, y], out| {
            let pairs = x.iter().zip(y).zip(out);
            pairs.for_each(|((&x, &y), out)| *out = f(x, y));
        }),
    };
    array(a.shape(), values)
}
// ANCHOR_END: zip-equal

/// Fills a chunk of a result from the matching chunks of its operands.
type Fill<'a, const N: usize> = dyn Fn([&[f32]; N], &mut [f32]) + Sync + 'a;

/// Computes an array from operands of equal length, chunk by chunk in
/// parallel. `fill` is a trait object instead of a type parameter because one
/// copy of the parallel loop per operation would noticeably slow down
/// compilation; see docs/benchmarks.md#generated-code.
fn par_fill<const N: usize>(operands: [&[f32]; N], fill: &Fill<N>) -> Vec<f32> {
    const CHUNK: usize = 1 << 14;
    let mut values = vec![0.0; operands[0].len()];
    let chunks = values.par_chunks_mut(CHUNK).enumerate();
    chunks.for_each(|(i, out)| {
        fill(operands.map(|x| &x[i * CHUNK..][..out.len()]), out);
    });
    values
}

/// Sums over `axes` and removes them from the shape.
pub(super) fn sum_axes(a: &ArrayD<f32>, axes: &[usize]) -> ArrayD<f32> {
    if axes.len() == a.ndim() {
        return array(&[], vec![sum(slice(a))]);
    }
    let mut result = a.clone();
    // From the last axis to the first: removing an axis renumbers only the
    // axes after it.
    for &axis in sorted(axes).iter().rev() {
        result = sum_axis(&result, axis);
    }
    result
}

fn sum_axis(a: &ArrayD<f32>, axis: usize) -> ArrayD<f32> {
    let mut shape = a.shape().to_vec();
    let (length, inner) = (shape.remove(axis), size(&a.shape()[axis + 1..]));
    let blocks = slice(a).chunks((length * inner).max(1));
    let values = match inner {
        _ if a.is_empty() => vec![0.0; size(&shape)],
        1 => blocks.map(sum).collect(),
        _ => blocks.flat_map(|block| sum_columns(block, inner)).collect(),
    };
    array(&shape, values)
}

/// Sums each column of a matrix with rows of `width` elements. To bound the
/// rounding error, blocks of 32 rows are summed in `f32` and the block sums in
/// `f64`.
fn sum_columns(rows: &[f32], width: usize) -> Vec<f32> {
    const BLOCK_ROWS: usize = 32;
    let mut totals = vec![0.0; width];
    for block in rows.chunks(BLOCK_ROWS * width) {
        let mut sums = block[..width].to_vec();
        for row in block[width..].chunks(width) {
            sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
        }
        let pairs = totals.iter_mut().zip(sums);
        pairs.for_each(|(total, sum)| *total += f64::from(sum));
    }
    totals.into_iter().map(|total| total as f32).collect()
}

/// Computes the maximum over `axes` and removes them from the shape. Each axis
/// must have at least one element. A NaN is the maximum; `f32::max` would
/// ignore it.
pub(super) fn max_axes(a: &ArrayD<f32>, axes: &[usize]) -> ArrayD<f32> {
    let mut result = a.clone();
    for &axis in sorted(axes).iter().rev() {
        result = result.fold_axis(Axis(axis), f32::NEG_INFINITY, |&x, &y| {
            if y > x || y.is_nan() { y } else { x }
        });
    }
    result.as_standard_layout().into_owned()
}

fn sorted(axes: &[usize]) -> Vec<usize> {
    let mut axes = axes.to_vec();
    axes.sort_unstable();
    axes
}

// ANCHOR: chunks
/// Sums a slice in `f64` and rounds once at the end. The chunks have a fixed
/// size and their sums are added in order, so the result has the same bits for
/// any number of threads.
fn sum(values: &[f32]) -> f32 {
    const CHUNK: usize = 4096;
    let sums: Vec<f64> = match is_parallel(values.len()) {
        false => values.chunks(CHUNK).map(sum_chunk).collect(),
        true => values.par_chunks(CHUNK).map(sum_chunk).collect(),
    };
    // Not `Iterator::sum`, which returns -0.0 for an empty slice.
    sums.iter().fold(0.0, |total, chunk| total + chunk) as f32
}
// ANCHOR_END: chunks

/// Sums a chunk with eight independent accumulators, which the compiler turns
/// into vector instructions.
fn sum_chunk(values: &[f32]) -> f64 {
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
/// Multiplies matrices: (m, k) x (k, n) -> (m, n). [`crate::engine::gemm`] adds the
/// terms of an element in the same order for any number of threads, so the
/// result has the same bits.
pub(super) fn matmul(a: &ArrayD<f32>, b: &ArrayD<f32>) -> ArrayD<f32> {
    let (m, k, n) = (a.shape()[0], a.shape()[1], b.shape()[1]);
    let mut out = vec![0.0; m * n];
    if m * k * n > 0 {
        let lines = |a, [lines, inner]: [Offsets<'static>; 2]| Lines {
            values: slice(a),
            start: 0,
            lines,
            inner,
        };
        let even = |count, step: usize| Offsets::even(count, step as isize);
        let rows = lines(a, [even(m, k), even(k, 1)]);
        let columns = lines(b, [even(n, 1), even(k, n)]);
        product(rows, columns, &mut out);
    }
    array(&[m, n], out)
}
// ANCHOR_END: product

/// Reorders the axes.
pub(super) fn permute(a: &ArrayD<f32>, axes: &[usize]) -> ArrayD<f32> {
    let view = a.view().permuted_axes(IxDyn(axes));
    view.as_standard_layout().into_owned()
}

/// Copies the elements into an array of a different shape and equal size.
pub(super) fn reshape(a: &ArrayD<f32>, shape: &[usize]) -> ArrayD<f32> {
    array(shape, slice(a).to_vec())
}

#[cfg(test)]
mod tests {
    use rayon::ThreadPoolBuilder;

    use super::*;
    use crate::engine::gemm::MIN_PARALLEL;
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

    /// Runs `work` on `threads` threads and returns the bits of its result.
    fn run_on_threads(threads: usize, work: Work) -> Vec<u32> {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        bits(&pool.expect("threads").install(work))
    }

    #[test]
    fn sums_over_all_axes_are_rounded_once() {
        let a = array(&[2, 2], vec![1e8, 1.0, -1e8, 0.0]);
        assert_eq!(slice(&sum_axes(&a, &[0, 1])), [1.0]);
    }

    #[test]
    fn the_thread_count_changes_no_bit() {
        // Above the thresholds, with sizes that threads do not divide evenly.
        let size = PARALLEL + 4099;
        let (x, y) = (random(&[size], 1), random(&[size], 2));
        let (m, k, n) = (1001, 131, 67);
        assert!(m * k * n > MIN_PARALLEL);
        let (a, b) = (random(&[m, k], 3), random(&[k, n], 4));
        let works: [(&str, Work); 4] = [
            ("map", &|| map(&x, f32::exp)),
            ("zip", &|| zip("mul", &x, &y, |x, y| x * y)),
            ("sum", &|| sum_axes(&x, &[0])),
            ("matmul", &|| matmul(&a, &b)),
        ];
        for (name, work) in works {
            let expected = run_on_threads(1, work);
            for threads in [2, 3, 7] {
                let actual = run_on_threads(threads, work);
                assert!(actual == expected, "{name}, {threads} threads");
            }
        }
    }
}
