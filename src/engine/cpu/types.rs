//! The element types of the CPU backend: conversion between them, and the
//! functions that have a faster implementation for `f32`.

use std::sync::Mutex;

use super::elementary::{self, Fma};
use super::gelu;
use super::matmul::product_f64;
use super::parallel::{ANY_SPLIT, READ_COST, fill};
use super::{Array, DType, Shared, compact, dense, elements};
use crate::engine::gemm::{Lines, product};
use crate::error::Result;
use crate::half::F16;
use crate::part3_unified::{Element, Real, Unary, with_type};

/// An element type of a storage.
pub(super) trait HostElement: Element {
    /// Returns the freed allocations of this type; see `host`.
    fn free_list() -> &'static Mutex<Vec<Vec<Self>>>;
}

macro_rules! host_elements {
    ($($element:ty),*) => {$(
        impl HostElement for $element {
            fn free_list() -> &'static Mutex<Vec<Vec<$element>>> {
                static FREE: Mutex<Vec<Vec<$element>>> =
                    Mutex::new(Vec::new());
                &FREE
            }
        }
    )*};
}

host_elements!(f32, f64, F16);

/// An element type that arithmetic runs in.
pub(super) trait CpuFloat: HostElement + Real {
    fn fast_exp(fma: Fma, x: Self) -> Self;
    fn fast_ln(fma: Fma, x: Self) -> Self;
    fn fast_tanh(fma: Fma, x: Self) -> Self;
    fn fast_sigmoid(fma: Fma, x: Self) -> Self;
    fn gelu(fma: Fma, x: Self) -> Self;
    fn gelu_slope(fma: Fma, x: Self) -> Self;

    /// Writes the dot products of each line of `a` with all lines of `b` to
    /// the rows of `out`.
    fn product(a: Lines<Self>, b: Lines<Self>, out: &mut [Self]);
}

impl CpuFloat for f32 {
    #[inline(always)]
    fn fast_exp(fma: Fma, x: f32) -> f32 {
        elementary::exp(fma, x)
    }

    #[inline(always)]
    fn fast_ln(fma: Fma, x: f32) -> f32 {
        elementary::log(fma, x)
    }

    #[inline(always)]
    fn fast_tanh(fma: Fma, x: f32) -> f32 {
        elementary::tanh(fma, x)
    }

    #[inline(always)]
    fn fast_sigmoid(fma: Fma, x: f32) -> f32 {
        elementary::sigmoid(fma, x)
    }

    #[inline(always)]
    fn gelu(fma: Fma, x: f32) -> f32 {
        gelu::gelu(fma, x)
    }

    #[inline(always)]
    fn gelu_slope(fma: Fma, x: f32) -> f32 {
        gelu::gelu_slope(fma, x)
    }

    fn product(a: Lines<f32>, b: Lines<f32>, out: &mut [f32]) {
        product(a, b, out);
    }
}

// `f64` uses the library's functions: it is not used where speed matters.
impl CpuFloat for f64 {
    fn fast_exp(_: Fma, x: f64) -> f64 {
        x.exp()
    }

    fn fast_ln(_: Fma, x: f64) -> f64 {
        x.ln()
    }

    fn fast_tanh(_: Fma, x: f64) -> f64 {
        x.tanh()
    }

    fn fast_sigmoid(_: Fma, x: f64) -> f64 {
        Unary::Sigmoid.apply(x)
    }

    fn gelu(_: Fma, x: f64) -> f64 {
        Unary::Gelu.apply(x)
    }

    fn gelu_slope(_: Fma, x: f64) -> f64 {
        Unary::GeluSlope.apply(x)
    }

    fn product(a: Lines<f64>, b: Lines<f64>, out: &mut [f64]) {
        product_f64(a, b, out);
    }
}

/// Stores values as type `B`, each rounded to the nearest value of `B`.
pub(super) fn stored_as<A: Element, B: HostElement>(
    values: &[A],
) -> Result<Shared> {
    fill(values.len(), ANY_SPLIT, READ_COST, &|from, out: &mut [B]| {
        let pairs = out.iter_mut().zip(&values[from..]);
        pairs.for_each(|(out, x)| *out = x.cast());
    })
}

/// Computes [`Backend::cast`](super::Backend::cast).
pub(super) fn cast(a: &Array, dtype: DType) -> Result<Shared> {
    let a = compact(a)?;
    with_type!(a.dtype(), A => {
        let values = dense::<A>(&a);
        with_type!(dtype, B => stored_as::<A, B>(values))
    })
}

/// Converts an array to `f32`. If its view covers the whole storage, or
/// repeats elements, the storage is converted and the view stays the same.
pub(super) fn widen(a: &Array) -> Result<Array> {
    a.to_dtype(DType::F32)
}

/// Implemented for one storage and for two.
pub(super) trait Narrow: Sized {
    /// Rounds `f32` elements to `f16`.
    fn narrow(self) -> Result<Self>;
}

impl Narrow for Shared {
    fn narrow(self) -> Result<Shared> {
        with_type!(DType::F16, B => {
            stored_as::<f32, B>(elements::<f32>(&*self))
        })
    }
}

impl Narrow for [Shared; 2] {
    fn narrow(self) -> Result<[Shared; 2]> {
        let [first, second] = self;
        Ok([first.narrow()?, second.narrow()?])
    }
}
