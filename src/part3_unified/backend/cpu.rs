//! The processor: plain loops over slices.

use super::{Array, Backend, Binary, Storage, Unary};
use crate::error::Error;
use crate::shape::offsets;

/// The host's processor.
pub(in super::super) struct Cpu;

impl Backend for Cpu {
    fn upload(&self, values: &[f32]) -> Result<Storage, Error> {
        Ok(Storage::Cpu(values.to_vec()))
    }

    fn download(&self, storage: &Storage) -> Result<Vec<f32>, Error> {
        Ok(numbers(storage).to_vec())
    }

    fn copy(&self, a: &Array) -> Result<Storage, Error> {
        let all = numbers(a.storage());
        let at = offsets(a.shape(), a.strides(), a.offset());
        Ok(Storage::Cpu(at.map(|at| all[at]).collect()))
    }

    fn unary(&self, op: Unary, a: &Array) -> Result<Storage, Error> {
        let f = match op {
            Unary::Exp => f32::exp,
        };
        let a = a.compact()?;
        Ok(Storage::Cpu(dense(&a).iter().map(|&x| f(x)).collect()))
    }

    fn binary(
        &self,
        op: Binary,
        a: &Array,
        b: &Array,
    ) -> Result<Storage, Error> {
        let (a, b) = (a.compact()?, b.compact()?);
        let pairs = dense(&a).iter().zip(dense(&b));
        Ok(Storage::Cpu(match op {
            Binary::Add => pairs.map(|(x, y)| x + y).collect(),
            Binary::Mul => pairs.map(|(x, y)| x * y).collect(),
        }))
    }

    fn sum_rows(
        &self,
        a: &Array,
        rows: usize,
        columns: usize,
    ) -> Result<Storage, Error> {
        let row = |row: usize| dense(a)[row * columns..][..columns].iter();
        Ok(Storage::Cpu((0..rows).map(|r| row(r).sum()).collect()))
    }
}

fn numbers(storage: &Storage) -> &[f32] {
    match storage {
        Storage::Cpu(values) => values,
        Storage::Gpu(_) => unreachable!("an array knows its device"),
    }
}

/// The elements of a dense array.
fn dense(a: &Array) -> &[f32] {
    &numbers(a.storage())[a.offset()..][..a.len()]
}
