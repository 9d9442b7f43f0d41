// my_device: a device of your own.
//
// WHAT   Write a device on which Part 3 trains a network, in eight levels.
//        Functions named in `delegate!` are left to the processor: your data
//        is copied there and back. Remove a name and write the function of
//        `Backend` to make it yours, with plain loops or with your own
//        kernels. The check tells you which level is next.
// WHY    A framework supports new hardware with about a dozen functions.
// READ   A device of your own
// CHECK  cargo learn check my_device

// LEVELS 1-
use std::any::Any;
use std::sync::Arc;
// LEVELS 8-
use std::sync::atomic::{AtomicU64, Ordering};
// LEVELS 1-

// END LEVELS
use my_engine::delegate;
use rungrad::Result;
// LEVELS 8-
use rungrad::ledger::Memory;
// END LEVELS
use rungrad::part3_unified::{
    Array, Backend, Binary, DType, Reduce, Shared, Storage, Unary, View, Window,
};
// LEVELS 8-
use rungrad::rng;
// END LEVELS

/// The device. It may have fields.
pub struct Mine;

/// The check registers this device.
pub static MINE: Mine = Mine;

// LEVELS 8-
/// The bytes in live storages, and the maximum so far.
static NOW: AtomicU64 = AtomicU64::new(0);
static PEAK: AtomicU64 = AtomicU64::new(0);

// LEVELS 1-
#[derive(Debug)]
struct Numbers(Vec<f32>);

impl Storage for Numbers {
    fn len(&self) -> usize {
        self.0.len()
    }
}

// LEVELS 8-
impl Numbers {
    fn bytes(&self) -> u64 {
        4 * self.0.len() as u64
    }
}

impl Drop for Numbers {
    fn drop(&mut self) {
        NOW.fetch_sub(self.bytes(), Ordering::Relaxed);
    }
}

// LEVELS 1-7
fn shared(numbers: impl IntoIterator<Item = f32>) -> Result<Shared> {
    Ok(Arc::new(Numbers(numbers.into_iter().collect())))
}

// LEVELS 8-
fn shared(numbers: impl IntoIterator<Item = f32>) -> Result<Shared> {
    let numbers = Numbers(numbers.into_iter().collect());
    let now = NOW.fetch_add(numbers.bytes(), Ordering::Relaxed);
    PEAK.fetch_max(now + numbers.bytes(), Ordering::Relaxed);
    Ok(Arc::new(numbers))
}

// LEVELS 1-
fn numbers(storage: &dyn Storage) -> &[f32] {
    let storage: &dyn Any = storage;
    &storage.downcast_ref::<Numbers>().expect("a storage of mine").0
}

// LEVELS 2-3
/// Returns the elements of a contiguous array.
fn elements(a: &Array) -> &[f32] {
    &numbers(&**a.storage())[a.offset()..][..a.len()]
}

// LEVELS 4-
/// Returns the elements of any view, in row-major order.
fn elements(a: &Array) -> Vec<f32> {
    let all = numbers(&**a.storage());
    let mut index = vec![0; a.shape().len()];
    let mut at = a.offset() as isize;
    let mut elements = Vec::with_capacity(a.len());
    for _ in 0..a.len() {
        elements.push(all[at as usize]);
        // The last axis advances first; at its end it restarts at 0.
        for axis in (0..index.len()).rev() {
            index[axis] += 1;
            at += a.strides()[axis];
            if index[axis] < a.shape()[axis] {
                break;
            }
            at -= a.strides()[axis] * a.shape()[axis] as isize;
            index[axis] = 0;
        }
    }
    elements
}

// END LEVELS
impl Backend for Mine {
    fn name(&self) -> String {
        "mine".to_string()
    }

    fn synchronize(&self) -> Result<()> {
        Ok(())
    }

    // LEVELS 1-
    fn upload(&self, values: &[f32], _: DType) -> Result<Shared> {
        shared(values.iter().copied())
    }

    fn download(&self, storage: &dyn Storage) -> Result<Vec<f32>> {
        Ok(numbers(storage).to_vec())
    }

    // LEVELS 2-3
    fn unary(&self, op: Unary, a: &Array) -> Result<Shared> {
        shared(elements(a).iter().map(|x| op.apply(*x)))
    }

    // LEVELS 4-
    fn unary(&self, op: Unary, a: &Array) -> Result<Shared> {
        shared(elements(a).into_iter().map(|x| op.apply(x)))
    }

    // LEVELS 3-3
    fn binary(&self, op: Binary, a: &Array, b: &Array) -> Result<Shared> {
        let pairs = elements(a).iter().zip(elements(b));
        shared(pairs.map(|(x, y)| op.apply(*x, *y)))
    }

    fn where_cond(&self, mask: &Array, a: &Array, b: &Array) -> Result<Shared> {
        let pairs = elements(a).iter().zip(elements(b));
        let choices = elements(mask).iter().zip(pairs);
        shared(choices.map(|(m, (x, y))| if *m != 0.0 { *x } else { *y }))
    }

    // LEVELS 4-
    fn binary(&self, op: Binary, a: &Array, b: &Array) -> Result<Shared> {
        let pairs = elements(a).into_iter().zip(elements(b));
        shared(pairs.map(|(x, y)| op.apply(x, y)))
    }

    fn where_cond(&self, mask: &Array, a: &Array, b: &Array) -> Result<Shared> {
        let pairs = elements(a).into_iter().zip(elements(b));
        let choices = elements(mask).into_iter().zip(pairs);
        shared(choices.map(|(m, (x, y))| if m != 0.0 { x } else { y }))
    }

    fn copy(&self, a: &Array) -> Result<Shared> {
        shared(elements(a))
    }

    fn paste(
        &self,
        storage: &mut dyn Storage,
        view: &View,
        a: &Array,
    ) -> Result<()> {
        let storage: &mut dyn Any = storage;
        let all = storage.downcast_mut::<Numbers>().expect("a storage of mine");
        for (at, value) in view.offsets().zip(elements(a)) {
            all.0[at] = value;
        }
        Ok(())
    }

    // LEVELS 5-
    fn reduce(
        &self,
        op: Reduce,
        a: &Array,
        rows: usize,
        columns: usize,
    ) -> Result<Shared> {
        let all = elements(a);
        let row = |row: usize| &all[row * columns..][..columns];
        shared((0..rows).map(|i| match op {
            Reduce::Sum => sum(row(i).iter().copied()),
            Reduce::Max => row(i).iter().fold(f32::NEG_INFINITY, |most, &x| {
                if x > most || x.is_nan() { x } else { most }
            }),
        }))
    }

    // LEVELS 6-
    fn matmul(&self, a: &Array, b: &Array) -> Result<Shared> {
        let (x, y) = (elements(a), elements(b));
        let [batch, m, k] = [0, 1, 2].map(|axis| a.shape()[axis]);
        let n = b.shape()[2];
        let mut out = Vec::with_capacity(batch * m * n);
        for i in 0..batch {
            for row in 0..m {
                for column in 0..n {
                    let left = &x[(i * m + row) * k..][..k];
                    let right = y[i * k * n..].iter().skip(column).step_by(n);
                    out.push(sum(left.iter().zip(right).map(|(x, y)| x * y)));
                }
            }
        }
        shared(out)
    }

    // LEVELS 7-
    fn index_select(&self, a: &Array, indices: &[usize]) -> Result<Shared> {
        let (all, width) = (elements(a), a.shape()[1]);
        let row = |&place: &usize| &all[place * width..][..width];
        shared(indices.iter().flat_map(row).copied())
    }

    fn index_add(
        &self,
        a: &Array,
        indices: &[usize],
        rows: usize,
    ) -> Result<Shared> {
        let (all, width) = (elements(a), a.shape()[1]);
        let mut sums = vec![0.0_f64; rows * width];
        for (i, value) in all.into_iter().enumerate() {
            sums[indices[i / width] * width + i % width] += f64::from(value);
        }
        shared(sums.into_iter().map(|sum| sum as f32))
    }

    fn fold(
        &self,
        a: &Array,
        window: &Window,
        count: usize,
        image: [usize; 2],
    ) -> Result<Shared> {
        let shape = [count, image[0], image[1]];
        let mut sums = vec![0.0_f64; shape.iter().product()];
        let windows = View::dense(&shape).windows(window)?;
        for (at, value) in windows.offsets().zip(elements(a)) {
            sums[at] += f64::from(value);
        }
        shared(sums.into_iter().map(|sum| sum as f32))
    }

    // LEVELS 8-
    fn uniform(&self, seed: u64, n: usize, _: DType) -> Result<Shared> {
        shared((0..n as u64).map(|k| rng::unit(rng::bits(seed, k))))
    }

    fn memory(&self) -> Memory {
        let [now, peak] = [&NOW, &PEAK].map(|it| it.load(Ordering::Relaxed));
        Memory { now, peak, ..Memory::default() }
    }

    // LEVELS -7
    delegate! {
        // LEVELS -0
        upload, download,
        // LEVELS -1
        unary,
        // LEVELS -2
        binary, where_cond,
        // LEVELS -3
        copy, paste,
        // LEVELS -4
        reduce,
        // LEVELS -5
        matmul,
        // LEVELS -6
        index_select, index_add, fold,
        // LEVELS -7
        uniform, memory,
    }
    // END LEVELS
}
// LEVELS 5-

/// Adds in `f64`, so that long sums are accurate, and starts from 0, because
/// an empty `sum()` is -0.
fn sum(numbers: impl Iterator<Item = f32>) -> f32 {
    numbers.fold(0.0, |sum, x| sum + f64::from(x)) as f32
}
// END LEVELS
