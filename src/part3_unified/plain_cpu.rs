//! The device `plain:cpu`: the required primitives as loops on the
//! processor, on `f32` elements, with nothing added for speed. The optional ones
//! are composed in `defaults.rs`.
//!
//! This is the smallest complete [`Backend`], and the reference for the other
//! devices. It has no threads, no cache and no special case for dense arrays.
//! Each method that computes first collects the elements of its operands in
//! row-major order, whatever their strides, and then loops over them. The
//! operation on one element or row, such as `x * y`, is `Binary::apply`,
//! `Unary::apply` or `Reduce::apply` in `backend.rs`.

use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{
    Array, Backend, Binary, DType, Reduce, Shared, Storage, Unary, View, Window,
};
use crate::error::{Result, room, zeros};
use crate::ledger::{self, Memory};
use crate::rng;

/// The backend of [`Device::PlainCpu`](super::Device::PlainCpu).
pub(super) struct PlainCpu;

// ANCHOR: values
/// The elements of a storage.
#[derive(Debug)]
struct Values(Vec<f32>);

impl Storage for Values {
    fn len(&self) -> usize {
        self.0.len()
    }
}

/// Moves the elements into a new storage.
fn stored(values: Vec<f32>) -> Result<Shared> {
    let mut memory = memory();
    memory.now += size_of_val(&values[..]) as u64;
    memory.peak = memory.peak.max(memory.now);
    ledger::count(|counts| counts.storages += 1);
    Ok(Arc::new(Values(values)))
}

/// Returns all elements of a storage, which this backend has created.
fn values(storage: &dyn Storage) -> &[f32] {
    let storage: &dyn Any = storage;
    &storage.downcast_ref::<Values>().expect("a storage of plain:cpu").0
}

/// Returns the elements of an array in row-major order.
fn elements(a: &Array) -> Result<Vec<f32>> {
    let all = values(&**a.storage());
    let mut elements = room(a.len())?;
    elements.extend(a.view().offsets().map(|offset| all[offset]));
    Ok(elements)
}
// ANCHOR_END: values

/// Locks the number of bytes in live storages.
fn memory() -> MutexGuard<'static, Memory> {
    static MEMORY: Mutex<Memory> =
        Mutex::new(Memory { now: 0, peak: 0, cached: 0 });
    MEMORY.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for Values {
    fn drop(&mut self) {
        memory().now -= size_of_val(&self.0[..]) as u64;
        ledger::count(|counts| counts.storages_freed += 1);
    }
}

impl Backend for PlainCpu {
    fn name(&self) -> String {
        "the processor (plain loops)".to_string()
    }

    fn memory(&self) -> Memory {
        *memory()
    }

    fn synchronize(&self) -> Result<()> {
        Ok(())
    }

    fn upload(&self, values: &[f32], _: DType) -> Result<Shared> {
        stored(values.to_vec())
    }

    fn download(&self, storage: &dyn Storage) -> Result<Vec<f32>> {
        Ok(values(storage).to_vec())
    }

    fn uniform(&self, seed: u64, n: usize, _: DType) -> Result<Shared> {
        let mut out = room(n)?;
        out.extend((0..n as u64).map(|k| rng::unit(rng::bits(seed, k))));
        stored(out)
    }

    fn copy(&self, a: &Array) -> Result<Shared> {
        stored(elements(a)?)
    }

    fn paste(
        &self,
        storage: &mut dyn Storage,
        view: &View,
        a: &Array,
    ) -> Result<()> {
        let storage: &mut dyn Any = storage;
        let target = storage.downcast_mut::<Values>();
        let target = &mut target.expect("a storage of plain:cpu").0;
        for (offset, value) in view.offsets().zip(elements(a)?) {
            target[offset] = value;
        }
        Ok(())
    }

    // ANCHOR: elementwise
    fn unary(&self, op: Unary, a: &Array) -> Result<Shared> {
        stored(elements(a)?.into_iter().map(|x| op.apply(x)).collect())
    }

    fn binary(&self, op: Binary, a: &Array, b: &Array) -> Result<Shared> {
        let pairs = elements(a)?.into_iter().zip(elements(b)?);
        stored(pairs.map(|(x, y)| op.apply(x, y)).collect())
    }

    fn where_cond(&self, mask: &Array, a: &Array, b: &Array) -> Result<Shared> {
        let pairs = elements(a)?.into_iter().zip(elements(b)?);
        let choices = elements(mask)?.into_iter().zip(pairs);
        let select = |(m, (x, y))| if m != 0.0 { x } else { y };
        stored(choices.map(select).collect())
    }
    // ANCHOR_END: elementwise

    fn reduce(
        &self,
        op: Reduce,
        a: &Array,
        rows: usize,
        columns: usize,
    ) -> Result<Shared> {
        let all = elements(a)?;
        let row = |i: usize| &all[i * columns..][..columns];
        stored((0..rows).map(|i| op.apply(row(i))).collect())
    }

    // ANCHOR: matmul
    fn matmul(&self, a: &Array, b: &Array) -> Result<Shared> {
        let (x, y) = (elements(a)?, elements(b)?);
        let [batches, m, k] = [0, 1, 2].map(|axis| a.shape()[axis]);
        let n = b.shape()[2];
        let mut out = room(batches * m * n)?;
        for batch in 0..batches {
            let (x, y) = (&x[batch * m * k..], &y[batch * k * n..]);
            for row in 0..m {
                for column in 0..n {
                    let mut sum = 0.0;
                    for i in 0..k {
                        sum += x[row * k + i] * y[i * n + column];
                    }
                    out.push(sum);
                }
            }
        }
        stored(out)
    }
    // ANCHOR_END: matmul

    fn index_select(&self, a: &Array, indices: &[usize]) -> Result<Shared> {
        let (all, width) = (elements(a)?, a.shape()[1]);
        let mut out = room(indices.len() * width)?;
        for index in indices {
            out.extend_from_slice(&all[index * width..][..width]);
        }
        stored(out)
    }

    fn index_add(
        &self,
        a: &Array,
        indices: &[usize],
        rows: usize,
    ) -> Result<Shared> {
        let (all, width) = (elements(a)?, a.shape()[1]);
        let mut out: Vec<f32> = zeros(rows * width)?;
        for (row, index) in indices.iter().enumerate() {
            for column in 0..width {
                out[index * width + column] += all[row * width + column];
            }
        }
        stored(out)
    }

    fn fold(
        &self,
        a: &Array,
        window: &Window,
        count: usize,
        image: [usize; 2],
    ) -> Result<Shared> {
        let images = View::dense(&[count, image[0], image[1]]);
        let windows = images.windows(window)?;
        let mut out: Vec<f32> = zeros(images.len())?;
        // Overlapping windows have elements at the same offset; they add up.
        for (offset, value) in windows.offsets().zip(elements(a)?) {
            out[offset] += value;
        }
        stored(out)
    }
}
