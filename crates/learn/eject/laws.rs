//! The laws of the engine, one test each, level by level.
//!
//! They are the laws of Rungrad's exercise `my_engine`, rewritten so that they
//! need only the engine and the standard library. A reference in `f64` computes
//! what an operation should return, and finite differences of the reference are
//! the expected gradients.

use std::panic::{self, AssertUnwindSafe};
use std::sync::{Mutex, OnceLock};

// LEVELS 10-
use my_engine::Network;
// END LEVELS
use my_engine::Tensor;
// LEVELS 10-
use my_engine::rng::Random;
// END LEVELS

fn leaf(shape: &[usize], values: &[f32]) -> Tensor {
    Tensor::new(shape, values)
}

fn shape(a: &Tensor) -> Vec<usize> {
    a.shape().to_vec()
}

/// Returns the message and the file of the panic that ends `work`.
fn rejected(work: impl FnOnce()) -> (String, String) {
    static LAST: OnceLock<Mutex<[String; 2]>> = OnceLock::new();
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(|error| error.into_inner());
    let last = LAST.get_or_init(Mutex::default);
    let before = panic::take_hook();
    let here = std::thread::current().id();
    panic::set_hook(Box::new(move |panic| {
        if std::thread::current().id() == here {
            let file = panic.location().map_or("", |it| it.file());
            let words = panic.payload_as_str().unwrap_or("");
            *last.lock().unwrap() = [words.to_string(), file.to_string()];
        }
    }));
    let ended = panic::catch_unwind(AssertUnwindSafe(work));
    panic::set_hook(before);
    assert!(ended.is_err(), "the call returned; it should have panicked");
    let [words, file] = last.lock().unwrap().clone();
    (words, file)
}

/// Asserts that `work` is rejected with a message that contains each of
/// `words`.
fn rejects(work: impl FnOnce(), words: &[&str]) {
    let (message, _) = rejected(work);
    for word in words {
        assert!(message.contains(word), "no {word} in: {message}");
    }
}

// Level 1: a product with parents.

#[test]
fn a_product_is_computed_element_by_element() {
    let left = [1.0, -2.0, 3.0, 0.5, 4.0, -1.0];
    let a = leaf(&[2, 3], &left);
    let b = leaf(&[2, 3], &[2.0, 3.0, -1.0, 4.0, 0.25, -5.0]);
    let c = a.mul(&b);
    assert_eq!(shape(&c), [2, 3]);
    assert_eq!(c.to_vec(), [2.0, -6.0, -3.0, 2.0, 1.0, 5.0]);
    assert_eq!(a.to_vec(), left);
}

#[test]
fn a_product_remembers_its_operands_in_order_also_twice() {
    let (a, b) = (leaf(&[1], &[2.0]), leaf(&[1], &[3.0]));
    let c = b.mul(&a);
    let ids = |of: &Tensor| -> Vec<u64> {
        of.parents().iter().map(|parent| parent.id()).collect()
    };
    assert_eq!(c.op().to_string(), "mul");
    assert_ne!(a.id(), b.id());
    assert_ne!(b.id(), c.id());
    assert_eq!(ids(&c), [b.id(), a.id()]);
    assert_eq!(ids(&c.mul(&c)), [c.id(), c.id()]);
    assert!(ids(&a).is_empty());
}

#[test]
fn shapes_that_do_not_fit_are_rejected() {
    let (a, b) = (leaf(&[2], &[1.0; 2]), leaf(&[3], &[1.0; 3]));
    rejects(|| drop(a.mul(&b)), &["mul", "[2]", "[3]"]);
}
// LEVELS 2-

// Level 2: the order.

fn order(root: &Tensor) -> Vec<f32> {
    root.graph().iter().map(|tensor| tensor.to_vec()[0]).collect()
}

#[test]
fn parents_come_before_their_results() {
    let (a, b) = (leaf(&[1], &[2.0]), leaf(&[1], &[3.0]));
    let c = a.mul(&b);
    assert_eq!(order(&c), [2.0, 3.0, 6.0]);
    assert_eq!(order(&c.mul(&b).mul(&c)), [2.0, 3.0, 6.0, 18.0, 108.0]);
}

/// There are 2^20 paths from the last square to the first.
#[test]
fn each_of_twenty_squares_is_in_the_order_once() {
    let mut y = leaf(&[1], &[1.0]);
    for _ in 0..20 {
        y = y.mul(&y);
    }
    assert_eq!(order(&y).len(), 21);
}
// LEVELS 3-

// Level 3: one backward pass.

fn grad(a: &Tensor) -> Vec<f32> {
    a.grad().expect("a gradient")
}

#[test]
fn the_gradients_of_2_times_3_are_3_and_2() {
    let (a, b) = (leaf(&[1], &[2.0]), leaf(&[1], &[3.0]));
    a.mul(&b).backward();
    assert_eq!((grad(&a), grad(&b)), (vec![3.0], vec![2.0]));
}

#[test]
fn an_upstream_gradient_is_passed_on() {
    let (a, b) = (leaf(&[2], &[2.0, 3.0]), leaf(&[2], &[5.0, 7.0]));
    a.mul(&b).backward_with(&leaf(&[2], &[10.0, 100.0]));
    assert_eq!(grad(&a), [50.0, 700.0]);
    assert_eq!(grad(&b), [20.0, 300.0]);
}

/// Adding the first gradient to zeros would turn -0 into 0.
#[test]
fn the_first_gradient_is_moved_in() {
    let (x, one) = (leaf(&[1], &[2.0]), leaf(&[1], &[1.0]));
    x.mul(&one).backward_with(&leaf(&[1], &[-0.0]));
    assert!(grad(&x)[0].is_sign_negative());
}

#[test]
fn backward_rejects_what_it_cannot_start_from() {
    let x = leaf(&[2, 3], &[1.0; 6]);
    rejects(|| x.mul(&x).backward(), &["backward", "[2, 3]"]);
    assert_eq!(x.grad(), None, "a rejected pass leaves no gradient");
    let (y, other) = (leaf(&[2], &[1.0; 2]), leaf(&[3], &[1.0; 3]));
    rejects(|| y.backward_with(&other), &["backward_with", "[2]", "[3]"]);
}
// LEVELS 4-

// Level 4: adding gradients.

fn two_products() -> (Tensor, Tensor, Tensor) {
    let (a, b) = (leaf(&[2], &[2.0, 3.0]), leaf(&[2], &[3.0, 4.0]));
    let loss = a.mul(&b).mul(&b).sum();
    (a, b, loss)
}

#[test]
fn a_sum_passes_its_gradient_to_every_element() {
    let x = leaf(&[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let total = x.sum();
    assert_eq!((shape(&total), total.to_vec()), (vec![], vec![21.0]));
    total.backward();
    assert_eq!(grad(&x), [1.0; 6]);
    let none = leaf(&[0, 3], &[]);
    none.mul(&none).sum().backward();
    assert!(grad(&none).is_empty());
}

#[test]
fn an_addition_passes_its_gradient_to_both_operands() {
    let (a, b) = (leaf(&[2], &[2.0, 3.0]), leaf(&[2], &[-5.0, 7.0]));
    let c = a.add(&b);
    assert_eq!(c.to_vec(), [-3.0, 10.0]);
    c.backward_with(&leaf(&[2], &[10.0, 100.0]));
    assert_eq!((grad(&a), grad(&b)), (vec![10.0, 100.0], vec![10.0, 100.0]));
}

#[test]
fn gradients_of_all_paths_are_added() {
    let x = leaf(&[2], &[3.0, -5.0]);
    x.mul(&x).sum().backward();
    assert_eq!(grad(&x), [6.0, -10.0]);
    // A walk that is not in topological order visits y too early. For one of
    // the two orders of operands, its result may be right by chance.
    for short_way_first in [true, false] {
        let (x, w) = (leaf(&[1], &[3.0]), leaf(&[1], &[2.0]));
        let y = x.mul(&w);
        let long = y.mul(&w);
        let z = match short_way_first {
            true => y.mul(&long),
            false => long.mul(&y),
        };
        z.backward();
        assert_eq!((grad(&x), grad(&w)), (vec![48.0], vec![108.0]));
    }
}

#[test]
fn backward_visits_each_tensor_once() {
    let x = leaf(&[1], &[1.0]);
    let mut y = x.clone();
    for _ in 0..20 {
        y = y.mul(&y);
    }
    y.backward();
    assert_eq!(grad(&x), [(1u32 << 20) as f32]);
}

#[test]
fn every_backward_adds_the_same_again_until_zero_grad() {
    let (a, b, loss) = two_products();
    loss.backward();
    assert_eq!((grad(&a), grad(&b)), (vec![9.0, 16.0], vec![12.0, 24.0]));
    loss.backward();
    assert_eq!((grad(&a), grad(&b)), (vec![18.0, 32.0], vec![24.0, 48.0]));
    a.zero_grad();
    assert_eq!(a.grad(), None);
    loss.backward();
    assert_eq!(grad(&a), [9.0, 16.0]);
}

#[test]
fn exactly_the_leaves_of_the_graph_keep_a_gradient() {
    let (a, b) = (leaf(&[1], &[2.0]), leaf(&[1], &[3.0]));
    let unused = a.mul(&b);
    let square = a.mul(&a);
    square.backward();
    assert_eq!(grad(&a), [4.0]);
    assert_eq!([b.grad(), unused.grad(), square.grad()], [None, None, None]);
    let x = leaf(&[1], &[5.0]);
    x.backward();
    x.backward();
    assert_eq!(grad(&x), [2.0]);
}

#[test]
fn mul_and_add_agree_with_the_reference() {
    let shapes: [&[usize]; 2] = [&[2, 3], &[2, 3]];
    agrees(&shapes, |of| of[0].mul(&of[1]), |of| zip(of, |x, y| x * y));
    agrees(&shapes, |of| of[0].add(&of[1]), |of| zip(of, |x, y| x + y));
}

/// An array in `f64`, for the reference.
#[derive(Clone)]
struct Array {
    shape: Vec<usize>,
    values: Vec<f64>,
}

/// SplitMix64.
struct Numbers(u64);

impl Numbers {
    /// Returns a number in -2..2.
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 40) as f32 / (1 << 22) as f32 - 2.0
    }

    fn array(&mut self, shape: &[usize]) -> Array {
        let count = shape.iter().product();
        let values = (0..count).map(|_| f64::from(self.next())).collect();
        Array { shape: shape.to_vec(), values }
    }
}

fn tensor(a: &Array) -> Tensor {
    let values: Vec<f32> = a.values.iter().map(|x| *x as f32).collect();
    leaf(&a.shape, &values)
}

fn near(yours: &[f32], right: &[f64]) {
    assert_eq!(yours.len(), right.len());
    let largest = right.iter().fold(1.0, |most: f64, x| most.max(x.abs()));
    for (yours, right) in yours.iter().zip(right) {
        let error = (f64::from(*yours) - right).abs();
        assert!(error <= 1e-4 * largest, "{yours} is not {right}");
    }
}

/// Compares an operation with the reference on random operands: its values,
/// and the gradient of each operand.
fn agrees(
    shapes: &[&[usize]],
    yours: impl Fn(&[Tensor]) -> Tensor,
    right: impl Fn(&[Array]) -> Array,
) {
    for seed in 0..20 {
        let mut numbers = Numbers(seed);
        let mut operands: Vec<Array> =
            shapes.iter().map(|shape| numbers.array(shape)).collect();
        let leaves: Vec<Tensor> = operands.iter().map(tensor).collect();
        let (out, expected) = (yours(&leaves), right(&operands));
        assert_eq!(shape(&out), expected.shape);
        near(&out.to_vec(), &expected.values);
        let upstream = numbers.array(&expected.shape);
        out.backward_with(&tensor(&upstream));
        for (place, leaf) in leaves.iter().enumerate() {
            let mut slopes = Vec::new();
            for at in 0..operands[place].values.len() {
                let mut loss = |nudge: f64| -> f64 {
                    let here = operands[place].values[at];
                    operands[place].values[at] = here + nudge;
                    let out = right(&operands);
                    operands[place].values[at] = here;
                    let pairs = out.values.iter().zip(&upstream.values);
                    pairs.map(|(out, up)| out * up).sum()
                };
                slopes.push((loss(1e-5) - loss(-1e-5)) / 2e-5);
            }
            near(&grad(leaf), &slopes);
        }
    }
}

/// Combines two arrays that broadcast.
fn zip(of: &[Array], f: impl Fn(f64, f64) -> f64) -> Array {
    let rank = of[0].shape.len().max(of[1].shape.len());
    let size = |a: &Array, axis: usize| {
        let own = (axis + a.shape.len()).checked_sub(rank);
        own.map_or(1, |own| a.shape[own])
    };
    let shape: Vec<usize> = (0..rank)
        .map(|axis| match size(&of[0], axis) {
            1 => size(&of[1], axis),
            size => size,
        })
        .collect();
    let element = |a: &Array, mut at: usize| {
        let (mut place, mut stride) = (0, 1);
        for axis in (0..rank).rev() {
            let index = at % shape[axis];
            at /= shape[axis];
            if size(a, axis) > 1 {
                place += index * stride;
            }
            stride *= size(a, axis);
        }
        a.values[place]
    };
    let count = shape.iter().product();
    let values =
        (0..count).map(|at| f(element(&of[0], at), element(&of[1], at)));
    Array { values: values.collect(), shape: shape.clone() }
}
// LEVELS 5-

// Level 5: a million links.

/// The stack has two bytes for each of the 100,000 operations. A stack frame is
/// larger, so recursion would overflow.
#[test]
fn a_long_chain_needs_no_recursion() {
    let work = || {
        let (x, one) = (leaf(&[1], &[1.0]), leaf(&[1], &[1.0]));
        let mut y = x.clone();
        for _ in 0..100_000 {
            y = y.mul(&one);
        }
        y.backward();
        assert_eq!(grad(&x), [1.0]);
        drop(y);
    };
    let small = std::thread::Builder::new().stack_size((2 << 20) / 10);
    small.spawn(work).unwrap().join().unwrap();
}

#[test]
fn a_step_leaves_no_memory_behind() {
    let step = || {
        let (_, _, loss) = two_products();
        loss.backward();
        loss.backward();
    };
    (0..100).for_each(|_| step());
    let before = memory::live();
    (0..1000).for_each(|_| step());
    let left = memory::live() - before;
    assert!(left < 8000, "1000 steps leave {left} bytes in use");
}

/// Counts the bytes that each thread has in use.
mod memory {
    use std::alloc::{GlobalAlloc, Layout, System};
    use std::cell::Cell;

    thread_local! {
        static LIVE: Cell<isize> = const { Cell::new(0) };
    }

    struct Counting;

    #[global_allocator]
    static MEMORY: Counting = Counting;

    // SAFETY: every call is forwarded to the system allocator unchanged.
    unsafe impl GlobalAlloc for Counting {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            count(layout.size() as isize);
            // SAFETY: the caller upholds the contract.
            unsafe { System.alloc(layout) }
        }

        unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
            count(-(layout.size() as isize));
            // SAFETY: the pointer came from the system allocator.
            unsafe { System.dealloc(at, layout) }
        }
    }

    fn count(bytes: isize) {
        let _ = LIVE.try_with(|live| live.set(live.get() + bytes));
    }

    pub(super) fn live() -> isize {
        LIVE.with(Cell::get)
    }
}
// LEVELS 6-

// Level 6: few rules.

fn map(a: &Array, f: impl Fn(f64) -> f64) -> Array {
    let values = a.values.iter().map(|x| f(*x)).collect();
    Array { values, shape: a.shape.clone() }
}

#[test]
fn operations_on_elements_agree_with_the_reference() {
    let shapes: [&[usize]; 1] = [&[2, 3]];
    agrees(&shapes, |of| of[0].neg(), |of| map(&of[0], |x| -x));
    agrees(&shapes, |of| of[0].exp(), |of| map(&of[0], f64::exp));
    agrees(&shapes, |of| of[0].relu(), |of| map(&of[0], |x| x.max(0.0)));
}

#[test]
fn a_difference_keeps_the_order_of_its_operands() {
    let (a, b) = (leaf(&[2], &[5.0, 1.0]), leaf(&[2], &[2.0, 7.0]));
    let c = a.sub(&b);
    assert_eq!(c.to_vec(), [3.0, -6.0]);
    c.backward_with(&leaf(&[2], &[1.0, 10.0]));
    assert_eq!((grad(&a), grad(&b)), (vec![1.0, 10.0], vec![-1.0, -10.0]));
}

/// The rule must select instead of multiply, because 0 times infinity is NaN.
#[test]
fn a_closed_relu_passes_no_gradient() {
    for bad in [1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
        let x = leaf(&[4], &[-1.0, -0.0, 0.0, 2.0]);
        let y = x.relu();
        assert_eq!(y.to_vec(), [0.0, 0.0, 0.0, 2.0]);
        y.backward_with(&leaf(&[4], &[bad; 4]));
        assert_eq!(grad(&x)[..3], [0.0; 3]);
        assert!(grad(&x)[3] == bad || bad.is_nan());
    }
    assert!(leaf(&[1], &[f32::NAN]).relu().to_vec()[0].is_nan());
}
// LEVELS 7-

// Level 7: broadcasting.

#[test]
fn a_row_collects_the_gradients_of_its_copies() {
    let square = leaf(&[2, 2], &[1.0, 2.0, 3.0, 4.0]);
    let row = leaf(&[2], &[10.0, 20.0]);
    let column = leaf(&[2, 1], &[100.0, 200.0]);
    let number = leaf(&[], &[1000.0]);
    let total = row.add(&square).add(&number.add(&column));
    assert_eq!(total.to_vec(), [1111.0, 1122.0, 1213.0, 1224.0]);
    total.backward_with(&leaf(&[2, 2], &[1.0, 2.0, 3.0, 4.0]));
    assert_eq!(grad(&square), [1.0, 2.0, 3.0, 4.0]);
    assert_eq!((grad(&row), grad(&column)), (vec![4.0, 6.0], vec![3.0, 7.0]));
    assert_eq!(grad(&number), [10.0]);
}

#[test]
fn broadcast_operations_agree_with_the_reference() {
    let pairs: [[&[usize]; 2]; 4] = [
        [&[2, 3], &[3]],
        [&[2, 1], &[1, 3]],
        [&[], &[4]],
        [&[2, 1, 2], &[3, 1]],
    ];
    for shapes in pairs {
        agrees(&shapes, |of| of[0].mul(&of[1]), |of| zip(of, |x, y| x * y));
        agrees(&shapes, |of| of[0].add(&of[1]), |of| zip(of, |x, y| x + y));
        agrees(&shapes, |of| of[0].sub(&of[1]), |of| zip(of, |x, y| x - y));
    }
}

/// The panic names a line of the caller instead of one inside the engine.
#[test]
fn a_mistake_is_reported_at_the_callers_line() {
    let (a, b) = (leaf(&[2, 3], &[1.0; 6]), leaf(&[2], &[1.0; 2]));
    let (message, file) = rejected(|| drop(a.add(&b)));
    assert!(message.contains("[2, 3]"), "{message}");
    assert!(file.ends_with("laws.rs"), "the panic names {file}");
}
// LEVELS 8-

// Level 8: matmul.

fn product(of: &[Array]) -> Array {
    let (a, b) = (&of[0], &of[1]);
    let [m, k, n] = [a.shape[0], a.shape[1], b.shape[1]];
    let cell = |at: usize| -> f64 {
        let terms = 0..k;
        terms.map(|l| a.values[at / n * k + l] * b.values[l * n + at % n]).sum()
    };
    Array { shape: vec![m, n], values: (0..m * n).map(cell).collect() }
}

#[test]
fn matmul_agrees_with_the_reference() {
    let sizes: [[&[usize]; 2]; 3] =
        [[&[2, 3], &[3, 4]], [&[1, 5], &[5, 1]], [&[4, 1], &[1, 2]]];
    for shapes in sizes {
        agrees(&shapes, |of| of[0].matmul(&of[1]), product);
    }
    let (a, b) = (leaf(&[2, 0], &[]), leaf(&[0, 3], &[]));
    assert_eq!(a.matmul(&b).to_vec(), [0.0; 6]);
}

#[test]
fn matrices_that_do_not_fit_are_rejected() {
    let (a, b) = (leaf(&[2, 3], &[1.0; 6]), leaf(&[4, 2], &[1.0; 8]));
    rejects(|| drop(a.matmul(&b)), &["matmul", "[2, 3]", "[4, 2]"]);
    let row = leaf(&[3], &[1.0; 3]);
    rejects(|| drop(a.matmul(&row)), &["matmul", "[3]"]);
}
// LEVELS 9-

// Level 9: softmax.

fn log_softmax(a: &Array) -> Array {
    let columns = *a.shape.last().expect("an axis");
    let rows = a.values.chunks(columns);
    let values = rows.flat_map(|row| {
        let total: f64 = row.iter().map(|x| x.exp()).sum();
        row.iter().map(move |x| x - total.ln()).collect::<Vec<_>>()
    });
    Array { values: values.collect(), shape: a.shape.clone() }
}

#[test]
fn softmax_and_its_logarithm_agree_with_the_reference() {
    let sizes: [&[usize]; 3] = [&[3, 4], &[5], &[2, 1]];
    for shape in sizes {
        agrees(&[shape], |of| of[0].log_softmax(), |of| log_softmax(&of[0]));
        let softmax = |of: &[Array]| map(&log_softmax(&of[0]), f64::exp);
        agrees(&[shape], |of| of[0].softmax(), softmax);
    }
}

#[test]
fn cross_entropy_agrees_with_the_reference() {
    let labels = [2, 0, 1];
    let right = |of: &[Array]| {
        let logs = log_softmax(&of[0]).values;
        let picked = labels.iter().enumerate();
        let total: f64 = picked.map(|(row, label)| logs[row * 4 + label]).sum();
        Array { shape: vec![], values: vec![-total / 3.0] }
    };
    agrees(&[&[3, 4]], |of| of[0].cross_entropy(&labels), right);
    let scores = leaf(&[3, 4], &[0.0; 12]);
    rejects(|| drop(scores.cross_entropy(&[0, 1])), &["cross_entropy"]);
    rejects(|| drop(scores.cross_entropy(&[0, 1, 4])), &["4"]);
}

/// `exp(1e4)` is infinite, so the maximum of each row is subtracted first.
#[test]
fn softmax_of_large_scores_does_not_overflow() {
    let rows = leaf(&[2, 2], &[1e4, 1e4, -1e4, -1e4]);
    near(&rows.softmax().to_vec(), &[0.5; 4]);
    near(&rows.log_softmax().to_vec(), &[0.5f64.ln(); 4]);
}
// LEVELS 10-

// Level 10: training.

const GRADIENTS: [&[f32]; 2] =
    [&[2.0, 20.0, 200.0, 3.0, 30.0, 300.0], &[1.0, 10.0, 100.0]];

/// Runs a forward and a backward pass of a network of one layer that produce
/// `GRADIENTS`.
fn forward_backward(network: &Network) {
    let out = network.forward(&leaf(&[1, 2], &[2.0, 3.0]));
    out.backward_with(&leaf(&[1, 3], &[1.0, 10.0, 100.0]));
}

fn values(network: &Network) -> Vec<Vec<f32>> {
    network.parameters().iter().map(|it| it.to_vec()).collect()
}

/// Asserts that after each step the parameters equal the initial ones minus the
/// given multiple of the gradients.
fn moves(momentum: f32, shares: &[f32]) {
    let mut network = Network::new(&[2, 3], &mut Random::new(2));
    let before = values(&network);
    for share in shares {
        forward_backward(&network);
        network.step(0.25, momentum);
        for (at, yours) in values(&network).iter().enumerate() {
            let pairs = before[at].iter().zip(GRADIENTS[at]);
            let right: Vec<f64> =
                pairs.map(|(b, g)| f64::from(b - share * g)).collect();
            near(yours, &right);
        }
    }
}

#[test]
fn a_step_goes_against_the_gradient() {
    moves(0.0, &[0.25, 0.5]);
}

#[test]
fn momentum_keeps_the_previous_velocity() {
    moves(0.5, &[0.25, 0.625, 1.0625]);
}

#[test]
fn a_network_starts_with_uneven_weights_and_no_bias() {
    let network = Network::new(&[64, 32, 10], &mut Random::new(7));
    let parameters = network.parameters();
    let shapes: Vec<_> = parameters.iter().map(shape).collect();
    assert_eq!(shapes, [vec![64, 32], vec![32], vec![32, 10], vec![10]]);
    assert_eq!(parameters[1].to_vec(), [0.0; 32]);
    for (at, inputs) in [(0, 64.0), (2, 32.0)] {
        let weights = parameters[at].to_vec();
        assert_ne!(weights[0], weights[1], "equal weights stay equal");
        let squares: f32 = weights.iter().map(|w| w * w).sum();
        let mean = inputs * squares / weights.len() as f32;
        assert!((0.7..3.0).contains(&mean), "the signal changes by {mean}");
    }
}

#[test]
fn a_network_has_a_relu_between_its_layers_only() {
    let network = Network::new(&[3, 5, 2], &mut Random::new(1));
    let x = leaf(&[2, 3], &[1.0, -2.0, 0.5, 3.0, 0.25, -1.0]);
    let of = network.parameters();
    let hidden = x.matmul(&of[0]).add(&of[1]).relu();
    let right = hidden.matmul(&of[2]).add(&of[3]).to_vec();
    assert!(right.iter().any(|out| *out < 0.0));
    let right: Vec<f64> = right.into_iter().map(f64::from).collect();
    near(&network.forward(&x).to_vec(), &right);
}

/// Backward rules use the weights from the forward pass, even after a step.
#[test]
fn a_step_does_not_change_an_earlier_graph() {
    let mut network = Network::new(&[2, 1], &mut Random::new(3));
    let x = leaf(&[1, 2], &[2.0, 3.0]);
    let out = network.forward(&x);
    out.backward();
    let once = grad(&x);
    network.step(0.5, 0.0);
    x.zero_grad();
    out.backward();
    assert_eq!(grad(&x), once);
}

/// Points inside and outside a circle, which no single layer can separate.
#[test]
fn a_network_learns_a_circle() {
    let mut numbers = Numbers(5);
    let points: Vec<f32> = (0..400).map(|_| numbers.next()).collect();
    let inside = |point: &[f32]| point[0].hypot(point[1]) < 1.4;
    let labels: Vec<usize> =
        points.chunks(2).map(|point| usize::from(inside(point))).collect();
    let x = leaf(&[200, 2], &points);
    let mut network = Network::new(&[2, 16, 2], &mut Random::new(0));
    for _ in 0..200 {
        network.forward(&x).cross_entropy(&labels).backward();
        network.step(0.1, 0.9);
    }
    let scores = network.forward(&x).to_vec();
    let right = scores.chunks(2).zip(&labels);
    let right = right.filter(|(s, label)| usize::from(s[1] > s[0]) == **label);
    let count = right.count();
    assert!(count >= 190, "{count} of 200 points are classified correctly");
}
// END LEVELS
