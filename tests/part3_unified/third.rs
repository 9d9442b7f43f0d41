//! A third device in one file: numbers in plain vectors, loops that anyone
//! can read, and nothing else in the crate knows of it. The whole
//! specification runs on it.

use std::any::Any;
use std::cell::Cell;
use std::sync::Arc;

use rungrad::ledger::Memory;
use rungrad::part3_unified::{
    Array, Backend, Binary, DType, Device, Reduce, Shared, Storage, Unary,
    View, Window,
};
use rungrad::{Error, rng};

pub(crate) fn device() -> Device {
    static THIRD: Third = Third("third");
    Device::register(&THIRD)
}

/// The device, and what it calls itself.
pub(crate) struct Third(pub(crate) &'static str);

thread_local! {
    static ROOM: Cell<usize> = const { Cell::new(usize::MAX) };
}

/// Runs `work` while the device takes so many arrays from the host and no
/// more.
pub(crate) fn with_room_for<T>(arrays: usize, work: impl FnOnce() -> T) -> T {
    let before = ROOM.replace(arrays);
    let value = work();
    ROOM.set(before);
    value
}

// ANCHOR: third
#[derive(Debug)]
struct Numbers(Vec<f32>);

impl Storage for Numbers {
    fn len(&self) -> usize {
        self.0.len()
    }
}

fn shared(numbers: impl IntoIterator<Item = f32>) -> Result<Shared, Error> {
    Ok(Arc::new(Numbers(numbers.into_iter().collect())))
}

fn numbers(storage: &dyn Storage) -> &[f32] {
    let storage: &dyn Any = storage;
    &storage.downcast_ref::<Numbers>().expect("my own storage").0
}

/// The elements of any view, in row-major order.
fn elements(a: &Array) -> Vec<f32> {
    let all = numbers(&**a.storage());
    a.view().offsets().map(|at| all[at]).collect()
}
// ANCHOR_END: third

impl Backend for Third {
    fn name(&self) -> String {
        self.0.to_string()
    }

    fn memory(&self) -> Memory {
        Memory::default()
    }

    fn synchronize(&self) -> Result<(), Error> {
        Ok(())
    }

    fn upload(&self, values: &[f32], _: DType) -> Result<Shared, Error> {
        let Some(room) = ROOM.get().checked_sub(1) else {
            return Err(Error::Device("third: there is no room".into()));
        };
        ROOM.set(room);
        shared(values.iter().copied())
    }

    fn download(&self, storage: &dyn Storage) -> Result<Vec<f32>, Error> {
        Ok(numbers(storage).to_vec())
    }

    fn uniform(&self, seed: u64, n: usize, _: DType) -> Result<Shared, Error> {
        shared((0..n as u64).map(|k| rng::unit(rng::bits(seed, k))))
    }

    fn copy(&self, a: &Array) -> Result<Shared, Error> {
        shared(elements(a))
    }

    fn paste(
        &self,
        storage: &mut dyn Storage,
        view: &View,
        a: &Array,
    ) -> Result<(), Error> {
        let storage: &mut dyn Any = storage;
        let all = storage.downcast_mut::<Numbers>().expect("my own storage");
        for (at, value) in view.offsets().zip(elements(a)) {
            all.0[at] = value;
        }
        Ok(())
    }

    fn unary(&self, op: Unary, a: &Array) -> Result<Shared, Error> {
        shared(elements(a).into_iter().map(|x| op.apply(x)))
    }

    fn binary(
        &self,
        op: Binary,
        a: &Array,
        b: &Array,
    ) -> Result<Shared, Error> {
        let pairs = elements(a).into_iter().zip(elements(b));
        shared(pairs.map(|(x, y)| op.apply(x, y)))
    }

    fn where_cond(
        &self,
        mask: &Array,
        a: &Array,
        b: &Array,
    ) -> Result<Shared, Error> {
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
    ) -> Result<Shared, Error> {
        let all = elements(a);
        let row = |row: usize| &all[row * columns..][..columns];
        shared((0..rows).map(|i| op.apply(row(i))))
    }

    fn matmul(&self, a: &Array, b: &Array) -> Result<Shared, Error> {
        let (x, y) = (elements(a), elements(b));
        let [batch, m, k] = [0, 1, 2].map(|axis| a.shape()[axis]);
        let n = b.shape()[2];
        shared((0..batch * m * n).map(|at| {
            let (row, column) = (at / n * k, at / (m * n) * k * n + at % n);
            (0..k).map(|l| x[row + l] * y[column + l * n]).sum()
        }))
    }

    fn index_select(
        &self,
        a: &Array,
        indices: &[usize],
    ) -> Result<Shared, Error> {
        let (all, width) = (elements(a), a.shape()[1]);
        let row = |&place: &usize| all[place * width..][..width].to_vec();
        shared(indices.iter().flat_map(row))
    }

    fn index_add(
        &self,
        a: &Array,
        indices: &[usize],
        rows: usize,
    ) -> Result<Shared, Error> {
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
    ) -> Result<Shared, Error> {
        let shape = [count, image[0], image[1]];
        let mut out = vec![0.0; shape.iter().product()];
        let windows = View::dense(&shape).windows(window)?;
        for (at, value) in windows.offsets().zip(elements(a)) {
            out[at] += value;
        }
        shared(out)
    }
}
