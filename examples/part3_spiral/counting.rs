//! A custom device: plain loops that count how often each primitive is called.

use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rungrad::ledger::Memory;
use rungrad::part3_unified::{
    Array, Backend, Binary, DType, Reduce, Shared, Storage, Unary, View, Window,
};
use rungrad::{Result, rng};

/// Counts from the start of the program.
pub(crate) static COUNTING: Counting =
    Counting([const { AtomicU64::new(0) }; 5]);

const KINDS: [&str; 5] =
    ["copies", "maps of one", "maps of two", "sums", "products"];

pub(crate) struct Counting([AtomicU64; 5]);

impl Counting {
    fn count(&self, kind: usize) {
        self.0[kind].fetch_add(1, Ordering::Relaxed);
    }
}

/// The number of calls so far.
pub(crate) struct Asked;

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = KINDS.iter().zip(&COUNTING.0);
        let words = counts.map(|(kind, count)| {
            format!("{} {kind}", count.load(Ordering::Relaxed))
        });
        f.write_str(&words.collect::<Vec<_>>().join(", "))
    }
}

#[derive(Debug)]
struct Numbers(Vec<f32>);

impl Storage for Numbers {
    fn len(&self) -> usize {
        self.0.len()
    }
}

fn shared(numbers: impl IntoIterator<Item = f32>) -> Result<Shared> {
    Ok(Arc::new(Numbers(numbers.into_iter().collect())))
}

fn numbers(storage: &dyn Storage) -> &[f32] {
    let storage: &dyn Any = storage;
    &storage.downcast_ref::<Numbers>().expect("a storage of this device").0
}

/// Returns the elements of any view, in row-major order.
fn elements(a: &Array) -> Vec<f32> {
    let all = numbers(&**a.storage());
    a.view().offsets().map(|at| all[at]).collect()
}

impl Backend for Counting {
    fn name(&self) -> String {
        "counting".to_string()
    }

    fn memory(&self) -> Memory {
        Memory::default()
    }

    fn synchronize(&self) -> Result<()> {
        Ok(())
    }

    fn upload(&self, values: &[f32], _: DType) -> Result<Shared> {
        self.count(0);
        shared(values.iter().copied())
    }

    fn download(&self, storage: &dyn Storage) -> Result<Vec<f32>> {
        self.count(0);
        Ok(numbers(storage).to_vec())
    }

    fn uniform(&self, seed: u64, n: usize, _: DType) -> Result<Shared> {
        shared((0..n as u64).map(|k| rng::unit(rng::bits(seed, k))))
    }

    fn copy(&self, a: &Array) -> Result<Shared> {
        self.count(0);
        shared(elements(a))
    }

    fn paste(
        &self,
        storage: &mut dyn Storage,
        view: &View,
        a: &Array,
    ) -> Result<()> {
        self.count(0);
        let storage: &mut dyn Any = storage;
        let all = storage.downcast_mut::<Numbers>().expect("of this device");
        for (at, value) in view.offsets().zip(elements(a)) {
            all.0[at] = value;
        }
        Ok(())
    }

    fn unary(&self, op: Unary, a: &Array) -> Result<Shared> {
        self.count(1);
        shared(elements(a).into_iter().map(|x| op.apply(x)))
    }

    fn binary(&self, op: Binary, a: &Array, b: &Array) -> Result<Shared> {
        self.count(2);
        let pairs = elements(a).into_iter().zip(elements(b));
        shared(pairs.map(|(x, y)| op.apply(x, y)))
    }

    fn where_cond(&self, mask: &Array, a: &Array, b: &Array) -> Result<Shared> {
        self.count(2);
        let pairs = elements(a).into_iter().zip(elements(b));
        let choices = elements(mask).into_iter().zip(pairs);
        shared(choices.map(|(m, (x, y))| if m != 0.0 { x } else { y }))
    }

    fn reduce(
        &self,
        op: Reduce,
        a: &Array,
        rows: usize,
        columns: usize,
    ) -> Result<Shared> {
        self.count(3);
        let all = elements(a);
        let row = |row: usize| &all[row * columns..][..columns];
        shared((0..rows).map(|i| op.apply(row(i))))
    }

    fn matmul(&self, a: &Array, b: &Array) -> Result<Shared> {
        self.count(4);
        let (x, y) = (elements(a), elements(b));
        let [batch, m, k] = [0, 1, 2].map(|axis| a.shape()[axis]);
        let n = b.shape()[2];
        shared((0..batch * m * n).map(|at| {
            let (row, column) = (at / n * k, at / (m * n) * k * n + at % n);
            (0..k).map(|l| x[row + l] * y[column + l * n]).sum()
        }))
    }

    fn index_select(&self, a: &Array, indices: &[usize]) -> Result<Shared> {
        self.count(0);
        let (all, width) = (elements(a), a.shape()[1]);
        let row = |&place: &usize| all[place * width..][..width].to_vec();
        shared(indices.iter().flat_map(row))
    }

    fn index_add(
        &self,
        a: &Array,
        indices: &[usize],
        rows: usize,
    ) -> Result<Shared> {
        self.count(3);
        let (all, width) = (elements(a), a.shape()[1]);
        let mut out = vec![0.0; rows * width];
        for (i, value) in all.into_iter().enumerate() {
            out[indices[i / width] * width + i % width] += value;
        }
        shared(out)
    }

    fn fold(
        &self,
        a: &Array,
        window: &Window,
        count: usize,
        image: [usize; 2],
    ) -> Result<Shared> {
        self.count(3);
        let shape = [count, image[0], image[1]];
        let mut out = vec![0.0; shape.iter().product()];
        let windows = View::dense(&shape).windows(window)?;
        for (at, value) in windows.offsets().zip(elements(a)) {
            out[at] += value;
        }
        shared(out)
    }
}
