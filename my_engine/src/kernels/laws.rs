//! The laws of single kernels: their results for sizes that are not multiples
//! of a group, in memory whose surroundings reveal a stray access. Expected
//! values come from the reference.

use std::panic::resume_unwind;

use exercises::Argument::{
    Axes, Count, In, Indices, Number, Out, PerGroup, PerRow,
};
use exercises::{Argument, Kernel, Outcome, expect, numbers};

use rungrad::ops::Keep;
use testkit::calls::Call;
use testkit::engine::Engine;
use testkit::engine::Part2;

/// Panics with a verdict, because a law has no return value.
fn check(outcome: Outcome) {
    if let Err(stop) = outcome {
        resume_unwind(Box::new(stop));
    }
}

fn kernel(name: &str) -> Kernel {
    super::reader_kernel(name).expect("the level has begun")
}

/// Launches a kernel with one item per element and compares its result.
fn check_kernel(name: &str, items: usize, of: &[Argument<'_>], right: &[f32]) {
    let yours = kernel(name).run_in_a_rule(items, of).remove(0);
    check(expect(&format!("The result of {name}"), &yours, right));
}

/// Returns the sizes, or only the last under Oclgrind, which is slow.
fn sizes<T: Copy>(all: &[T]) -> Vec<T> {
    let first = if super::is_simulated() { all.len() - 1 } else { 0 };
    all[first..].to_vec()
}

const GROUP: usize = 256;

pub(super) fn pairs_of_elements_are_multiplied_and_added(_: &Part2) {
    for n in sizes(&[1, 256, 300]) {
        let (a, b) = (numbers(1, n), numbers(2, n));
        let of = [In("a", &a), In("b", &b), Out("out", n), Count(n)];
        let zip = |of: fn(f32, f32) -> f32| -> Vec<f32> {
            a.iter().zip(&b).map(|(a, b)| of(*a, *b)).collect()
        };
        check_kernel("ew_mul", n, &of, &zip(|a, b| a * b));
        check_kernel("ew_add", n, &of, &zip(|a, b| a + b));
    }
}

pub(super) fn broadcast_operands_are_read_without_a_copy(_: &Part2) {
    // (3, 1, 5) and (7, 5), which broadcast to (3, 7, 5).
    let (a, b) = (numbers(1, 15), numbers(2, 35));
    let (n, one) = (105, 1);
    let shape = [one, one, one, one, one, 3, 7, 5];
    let (a_steps, b_steps) =
        ([0, 0, 0, 0, 0, 5, 0, 1], [0, 0, 0, 0, 0, 0, 5, 1]);
    let of = [
        In("a", &a),
        Axes(a_steps),
        In("b", &b),
        Axes(b_steps),
        Out("out", n),
        Axes(shape),
        Count(n),
    ];
    let right = |of: fn(f32, f32) -> f32| -> Vec<f32> {
        let at = |i: usize| (i / 35 * 5 + i % 5, i % 35);
        (0..n).map(|i| of(a[at(i).0], b[at(i).1])).collect()
    };
    check_kernel("broadcast_mul", n, &of, &right(|a, b| a * b));
    check_kernel("broadcast_add", n, &of, &right(|a, b| a + b));
}

pub(super) fn each_element_is_mapped(_: &Part2) {
    for n in sizes(&[1, 300]) {
        let (mut a, g) = (numbers(3, n), numbers(4, n));
        a[n / 2] = 0.0;
        let map = |of: fn(f32) -> f32| -> Vec<f32> {
            a.iter().map(|a| of(*a)).collect()
        };
        let one = [In("a", &a), Out("out", n), Count(n)];
        let scale = [In("a", &a), Out("out", n), Number(-1.5), Count(n)];
        check_kernel("ew_scale", n, &scale, &map(|a| -1.5 * a));
        check_kernel("ew_exp", n, &one, &map(f32::exp));
        check_kernel("ew_relu", n, &one, &map(|a| a.max(0.0)));
        let back =
            [In("grad_out", &g), In("a", &a), Out("grad_a", n), Count(n)];
        let pairs = a.iter().zip(&g);
        let right: Vec<f32> =
            pairs.map(|(a, g)| if *a > 0.0 { *g } else { 0.0 }).collect();
        check_kernel("relu_backward", n, &back, &right);
    }
}

pub(super) fn every_element_is_added_once(_: &Part2) {
    for n in sizes(&[1, 255, 700, 300]) {
        let a = numbers(5, n);
        let groups = n.div_ceil(GROUP);
        let of = [In("a", &a), PerGroup("partials", groups), Count(n)];
        let right: Vec<f32> =
            a.chunks(GROUP).map(|group| group.iter().sum()).collect();
        check_kernel("reduce_sum", n, &of, &right);
    }
    for [outer, length, inner] in sizes(&[[1, 4, 300], [4, 9, 1], [3, 7, 5]]) {
        let (a, n) = (numbers(6, outer * length * inner), outer * inner);
        let sizes = [Count(length), Count(inner), Count(n)];
        let first = |i: usize| i / inner * length * inner + i % inner;
        let sum =
            |i: usize| (0..length).map(|at| a[first(i) + at * inner]).sum();
        let right: Vec<f32> = (0..n).map(sum).collect();
        let of = [&[In("a", &a), Out("out", n)], &sizes[..]].concat();
        check_kernel("reduce_axis", n, &of, &right);
        let (few, all) = (numbers(7, n), outer * length * inner);
        let copy = |i: usize| few[i / (length * inner) * inner + i % inner];
        let right: Vec<f32> = (0..all).map(copy).collect();
        let sizes = [Count(length), Count(inner), Count(all)];
        let of = [&[In("a", &few), Out("out", all)], &sizes[..]].concat();
        check_kernel("ew_repeat", all, &of, &right);
    }
}

/// Compares with the exact sum, up to a relative error of 1e-5.
#[track_caller]
fn near(what: &str, yours: f32, right: f64) {
    assert!(
        (f64::from(yours) - right).abs() <= 1e-5 * right,
        "{what} is {yours}, not {right}: a running sum of floats rounds after \
         every addition; add in blocks of 32 or 64, and carry the rounding \
         error to the next block"
    );
}

pub(super) fn long_sums_along_an_axis_are_accurate(e: &Part2) {
    let n = 100_000;
    let a = e.leaf(&[n, 2], &vec![0.1; 2 * n]);
    let sums = e.call(&Call::Sum(vec![0], Keep::No), &[&a]).expect("a sum");
    let right = f64::from(0.1_f32) * n as f64;
    near(&format!("{n} times 0.1"), e.values(&sums)[0], right);
}

pub(super) fn matrices_are_multiplied_and_transposed(_: &Part2) {
    for [m, k, n] in sizes(&[[1, 1, 1], [5, 33, 40], [17, 18, 3]]) {
        let (a, b) = (numbers(1, m * k), numbers(2, k * n));
        let of = [
            In("a", &a),
            In("b", &b),
            Out("out", m * n),
            Count(m),
            Count(k),
            Count(n),
        ];
        let element = |i: usize| -> f32 {
            let term = |at: usize| a[i / n * k + at] * b[at * n + i % n];
            (0..k).map(term).sum()
        };
        let right: Vec<f32> = (0..m * n).map(element).collect();
        let yours = kernel("matmul").run_grid_in_a_rule([n, m], &of).remove(0);
        check(expect("The result of matmul", &yours, &right));
        let of = [In("a", &a), Out("out", m * k), Count(m), Count(k)];
        let right: Vec<f32> =
            (0..m * k).map(|i| a[i % m * k + i / m]).collect();
        let yours = kernel("transpose").run_grid_in_a_rule([k, m], &of);
        let yours = yours.into_iter().next().expect("an output");
        check(expect("The result of transpose", &yours, &right));
    }
}

pub(super) fn long_matrix_products_are_accurate(e: &Part2) {
    let n = 100_000;
    let a = e.leaf(&[1, n], &vec![0.1; n]);
    let b = e.leaf(&[n, 1], &vec![0.1; n]);
    let product = e.call(&Call::Matmul, &[&a, &b]).expect("a product");
    let right = f64::from(0.1_f32).powi(2) * n as f64;
    near(&format!("{n} times 0.1 * 0.1"), e.values(&product)[0], right);
}

/// Items per group of `softmax_log`.
const ROW_GROUP: usize = 64;

pub(super) fn log_probabilities_are_computed_and_selected(_: &Part2) {
    for [rows, columns] in sizes(&[[1, 1], [3, 10], [2, 150], [2, 70]]) {
        let n = rows * columns;
        let a: Vec<f32> = numbers(1, n).iter().map(|a| 10.0 * a).collect();
        let of = [In("a", &a), PerRow("out", [rows, columns]), Count(columns)];
        let items = rows * ROW_GROUP;
        let yours = kernel("softmax_log").run_in_groups(items, ROW_GROUP, &of);
        let right: Vec<f32> = a.chunks(columns).flat_map(logarithms).collect();
        check(expect("The result of softmax_log", &yours[0], &right));

        let labels: Vec<u32> =
            (0..rows).map(|row| ((7 * row + 2) % columns) as u32).collect();
        let sizes = [Count(columns), Count(rows)];
        let of =
            [&[In("a", &a), Indices(&labels), Out("out", rows)], &sizes[..]];
        let at = |row: usize| row * columns + labels[row] as usize;
        let right: Vec<f32> = (0..rows).map(|row| a[at(row)]).collect();
        check_kernel("pick_labels", rows, &of.concat(), &right);

        let g = numbers(2, rows);
        let sizes = [Count(columns), Count(n)];
        let of = [
            &[In("grad_out", &g), Indices(&labels), Out("grad_a", n)],
            &sizes[..],
        ];
        let mut right = vec![0.0; n];
        (0..rows).for_each(|row| right[at(row)] = g[row]);
        check_kernel("pick_backward", n, &of.concat(), &right);
    }
}

/// Computes the logarithms of the shares in a row, in `f64`.
fn logarithms(row: &[f32]) -> Vec<f32> {
    let most = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let less = row.iter().map(|a| f64::from(*a) - f64::from(most));
    let less: Vec<f64> = less.collect();
    let total = less.iter().map(|a| a.exp()).sum::<f64>().ln();
    less.iter().map(|a| (a - total) as f32).collect()
}
