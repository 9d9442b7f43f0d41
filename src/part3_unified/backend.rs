//! The few primitives that a device must offer, built in chapter 22. A new
//! device is one file that implements [`Backend`].

pub(super) mod cpu;
pub(super) mod gpu;

use super::{Array, Storage};
use crate::error::Error;

/// One element in, one element out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unary {
    /// The exponential.
    Exp,
}

/// Two elements in, one element out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binary {
    /// The sum.
    Add,
    /// The product.
    Mul,
}

impl Binary {
    /// The name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Binary::Add => "add",
            Binary::Mul => "mul",
        }
    }
}

/// What a device can do. Every result is a new dense storage in row-major
/// order; arrays come in with any strides, unless a line says otherwise.
pub trait Backend {
    /// Copies numbers from the host.
    fn upload(&self, values: &[f32]) -> Result<Storage, Error>;
    /// Copies all numbers to the host.
    fn download(&self, storage: &Storage) -> Result<Vec<f32>, Error>;
    /// The elements of a view, one after another.
    fn copy(&self, a: &Array) -> Result<Storage, Error>;
    /// `op` of each element.
    fn unary(&self, op: Unary, a: &Array) -> Result<Storage, Error>;
    /// `op` of each pair; the shapes are equal.
    fn binary(
        &self,
        op: Binary,
        a: &Array,
        b: &Array,
    ) -> Result<Storage, Error>;
    /// The sum of each row; `a` is dense and has `rows * columns` elements.
    fn sum_rows(
        &self,
        a: &Array,
        rows: usize,
        columns: usize,
    ) -> Result<Storage, Error>;
}
