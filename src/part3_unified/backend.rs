//! The few primitives that a device must offer, built in chapter 22. A new
//! device is one file that implements [`Backend`].

pub(super) mod cpu;
pub(super) mod gpu;
mod pool;

use std::any::Any;

use super::storage::Shared;
use super::{Array, Storage, View, Window};
use crate::error::Error;
use crate::opencl::Memory;

/// One element in, one element out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Unary {
    /// Times a number.
    Scale(f32),
    /// Plus a number.
    Shift(f32),
    /// Divided by a number.
    Over(f32),
    /// A number, divided by it.
    Under(f32),
    /// To the power of a number.
    Pow(f32),
    /// The exponential.
    Exp,
    /// The natural logarithm.
    Log,
    /// The positive part; a NaN passes.
    Relu,
    /// The hyperbolic tangent.
    Tanh,
    /// The logistic function.
    Sigmoid,
    /// The sine.
    Sin,
    /// The cosine.
    Cos,
}

// ANCHOR: binary-enum
/// Two elements in, one element out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// The sum.
    Add,
    /// The product.
    Mul,
    /// The quotient.
    Div,
    /// 1 where the first is less, else 0.
    Less,
    /// 1 where the first is not greater, else 0; no NaN is.
    AtMost,
    /// 1 where both are equal, else 0; no NaN is.
    Equal,
}
// ANCHOR_END: binary-enum

impl Binary {
    /// The name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Binary::Add => "add",
            Binary::Mul => "mul",
            Binary::Div => "div",
            Binary::Less => "less",
            Binary::AtMost => "at_most",
            Binary::Equal => "equal",
        }
    }
}

/// Many elements in, one element out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduce {
    /// The sum, 0 of none.
    Sum,
    /// The largest; a NaN is never hidden.
    Max,
}

impl Reduce {
    /// The name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Reduce::Sum => "sum",
            Reduce::Max => "max",
        }
    }
}

/// What a device can do. Every result is a new storage in row-major order,
/// which the backend allocates: nobody else knows how. Arrays come in with
/// any strides, unless a line says otherwise; their sizes and devices have
/// been checked.
pub trait Backend: Send + Sync {
    /// What the device calls itself.
    fn name(&self) -> String;
    /// Bytes in living storages, now and at the peak.
    fn memory(&self) -> Memory;
    /// Waits until all work is done.
    fn synchronize(&self) -> Result<(), Error>;

    /// Copies numbers from the host.
    fn upload(&self, values: &[f32]) -> Result<Shared, Error>;
    /// Copies all numbers to the host.
    fn download(&self, storage: &dyn Storage) -> Result<Vec<f32>, Error>;
    /// The first numbers of the sequence that a seed begins, each from 0 to
    /// below 1: those of [`crate::rng`].
    fn uniform(&self, seed: u64, n: usize) -> Result<Shared, Error>;

    /// The elements of a view, one after another.
    fn copy(&self, a: &Array) -> Result<Shared, Error>;
    /// Writes the elements of `a` to the places of a view, which is not
    /// empty and shows no place twice.
    fn paste(
        &self,
        storage: &mut dyn Storage,
        view: &View,
        a: &Array,
    ) -> Result<(), Error>;

    /// `op` of each element.
    fn unary(&self, op: Unary, a: &Array) -> Result<Shared, Error>;
    /// `op` of each pair; the shapes are equal.
    fn binary(&self, op: Binary, a: &Array, b: &Array)
    -> Result<Shared, Error>;
    /// Where `mask` is not 0 the element of `a`, else that of `b`; the
    /// shapes are equal.
    fn choose(
        &self,
        mask: &Array,
        a: &Array,
        b: &Array,
    ) -> Result<Shared, Error>;
    /// `op` of each row; in row-major order `a` is (rows, columns).
    fn reduce(
        &self,
        op: Reduce,
        a: &Array,
        rows: usize,
        columns: usize,
    ) -> Result<Shared, Error>;
    /// (batch, m, k) x (batch, k, n) -> (batch, m, n).
    fn matmul(&self, a: &Array, b: &Array) -> Result<Shared, Error>;

    /// The rows of a dense matrix at some places, which are inside it.
    fn gather(&self, a: &Array, places: &[usize]) -> Result<Shared, Error>;
    /// Each row of a dense matrix added to its place among `rows` rows.
    fn scatter(
        &self,
        a: &Array,
        places: &[usize],
        rows: usize,
    ) -> Result<Shared, Error>;
    /// Dense windows, added up to `count` images of a height and a width.
    fn fold(
        &self,
        a: &Array,
        window: &Window,
        count: usize,
        image: [usize; 2],
    ) -> Result<Shared, Error>;
}

/// A storage as what its own backend knows it to be.
fn own<T: Storage>(storage: &dyn Storage) -> &T {
    let storage: &dyn Any = storage;
    storage.downcast_ref().expect("an array knows its device")
}
