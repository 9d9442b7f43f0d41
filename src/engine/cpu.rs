//! The CPU backend: loops over slices, run in parallel where that pays.
//!
//! Reading order: [`Cpu`], the implementation of [`Backend`]; `parallel`, the
//! parallel loop, and `strided`, iteration over views; `elementwise` and
//! `elementary`; `host`, the memory; then one file for each tuned subject.

mod adam;
mod attention;
pub(super) mod blocks;
mod elementary;
mod elementwise;
mod gelu;
mod host;
mod indexing;
mod matmul;
mod max_backward;
mod norm;
mod parallel;
mod reduce;
mod softmax;
mod strided;
mod types;

use self::host::{Host, blank, copied};
use self::reduce::{max, sum};
use self::types::{HostElement, Narrow};
use crate::error::{Result, room, zeros};
use crate::half::F16;
use crate::ledger::Memory;
use crate::part3_unified::defaults;
use crate::part3_unified::{
    AdamStep, Array, Backend, Binary, DType, Reduce, Shared, Storage, Unary,
    View, Window, downcast,
};
use crate::part3_unified::{converted, with_type};
use crate::rng;
use std::borrow::Cow;

/// Runs `$work` with `$T` bound to the element type of the arrays. `f16`
/// arrays are converted to `f32` first, and the result is rounded back to
/// `f16`.
macro_rules! by_type {
    ([$first:ident $(, $other:ident)*], $T:ident => $work:expr) => {
        match $first.dtype() {
            DType::F32 => {
                type $T = f32;
                $work
            }
            DType::F64 => {
                type $T = f64;
                $work
            }
            DType::F16 => {
                type $T = f32;
                let $first = &types::widen($first)?;
                $(let $other = &types::widen($other)?;)*
                $work?.narrow()
            }
        }
    };
}

/// The host's processor.
pub(crate) struct Cpu;

impl Backend for Cpu {
    fn name(&self) -> String {
        "the processor".to_string()
    }

    fn memory(&self) -> Memory {
        host::memory()
    }

    fn synchronize(&self) -> Result<()> {
        Ok(())
    }

    fn upload(&self, values: &[f32], dtype: DType) -> Result<Shared> {
        if dtype == DType::F32 {
            let mut copy = blank(values.len())?;
            copy.copy_from_slice(values);
            return Ok(Host::<f32>::shared(copy));
        }
        with_type!(dtype, T => types::stored_as::<f32, T>(values))
    }

    fn download(&self, storage: &dyn Storage) -> Result<Vec<f32>> {
        match storage.dtype() {
            DType::F32 => copied(elements::<f32>(storage)),
            DType::F64 => converted(elements::<f64>(storage)),
            DType::F16 => converted(elements::<F16>(storage)),
        }
    }

    fn upload_f64(&self, values: &[f64]) -> Result<Shared> {
        types::stored_as::<f64, f64>(values)
    }

    fn download_f64(&self, storage: &dyn Storage) -> Result<Vec<f64>> {
        copied(elements::<f64>(storage))
    }

    fn cast(&self, a: &Array, dtype: DType) -> Result<Shared> {
        types::cast(a, dtype)
    }

    fn uniform(&self, seed: u64, n: usize, dtype: DType) -> Result<Shared> {
        let bits = |k| rng::bits(seed, k);
        // An f16 has 11 significant bits. With more random bits, values close
        // to 1 would round to 1.
        let number = |k| match dtype {
            DType::F16 => (bits(k) >> 53) as f32 / 2048.0,
            _ => rng::unit(bits(k)),
        };
        let mut values = room(n)?;
        values.extend((0..n as u64).map(number));
        match dtype {
            DType::F32 => Ok(Host::<f32>::shared(values)),
            other => self.upload(&values, other),
        }
    }

    fn copy(&self, a: &Array) -> Result<Shared> {
        with_type!(a.dtype(), T => elementwise::copy::<T>(a))
    }

    fn paste(
        &self,
        storage: &mut dyn Storage,
        view: &View,
        a: &Array,
    ) -> Result<()> {
        with_type!(a.dtype(), T => elementwise::paste::<T>(storage, view, a))
    }

    fn unary(&self, op: Unary, a: &Array) -> Result<Shared> {
        let cost = elementwise::cost(op);
        by_type!([a], T => {
            elementwise::unary::<T, _>(op, (&*compact(a)?, cost))
        })
    }

    fn binary(&self, op: Binary, a: &Array, b: &Array) -> Result<Shared> {
        by_type!([a, b], T => {
            let (a, b) = (near_contiguous(a)?, near_contiguous(b)?);
            elementwise::binary::<T, _>(op, [&*a, &*b])
        })
    }

    fn where_cond(&self, mask: &Array, a: &Array, b: &Array) -> Result<Shared> {
        with_type!(a.dtype(), T => elementwise::where_cond::<T>(mask, a, b))
    }

    fn reduce(
        &self,
        op: Reduce,
        a: &Array,
        rows: usize,
        columns: usize,
    ) -> Result<Shared> {
        if a.is_empty() {
            return self.upload(&zeros(rows)?, a.dtype());
        }
        by_type!([a], T => reduce::reduce::<T>(op, a, rows, columns))
    }

    fn max_backward(
        &self,
        a: &Array,
        max: &Array,
        grads: &Array,
        axes: &[usize],
    ) -> Result<Shared> {
        by_type!([a, max, grads], T => {
            max_backward::max_backward::<T>(a, max, grads, axes)
        })
    }

    fn adam_step(
        &self,
        step: &AdamStep,
        parameters: &[[&Array; 4]],
    ) -> Result<Vec<[Array; 3]>> {
        let update = |arrays: &[&Array; 4]| {
            let updated = match arrays[0].dtype() {
                DType::F32 => adam::step::<f32>(step, *arrays)?,
                DType::F64 => adam::step::<f64>(step, *arrays)?,
                DType::F16 => return defaults::adam_step(step, *arrays),
            };
            Ok(updated.map(|storage| arrays[0].dense_like(storage)))
        };
        parameters.iter().map(update).collect()
    }

    fn matmul(&self, a: &Array, b: &Array) -> Result<Shared> {
        self.contract(a, &b.permute(&[0, 2, 1])?, 1, 1)
    }

    fn contract(
        &self,
        a: &Array,
        b: &Array,
        batch: usize,
        inner: usize,
    ) -> Result<Shared> {
        by_type!([a, b], T => matmul::contract::<T>(a, b, batch, inner))
    }

    fn softmax(&self, a: &Array) -> Result<Shared> {
        by_type!([a], T => softmax::softmax::<T>(a))
    }

    fn log_softmax(&self, a: &Array) -> Result<Shared> {
        by_type!([a], T => softmax::log_softmax::<T>(a))
    }

    fn self_attention(&self, a: &Array, heads: usize) -> Result<Shared> {
        match (attention::fits_cache(a), a.dtype()) {
            (true, DType::F32) => attention::rows(a, heads),
            (true, DType::F16) => {
                let a = types::widen(a)?;
                attention::rows(&a, heads)?.narrow()
            }
            _ => defaults::self_attention(a, heads),
        }
    }

    fn self_attention_grads(
        &self,
        [a, _, grad_out]: [&Array; 3],
        heads: usize,
    ) -> Result<Shared> {
        match (attention::fits_cache(a), a.dtype()) {
            (true, DType::F32) => attention::grads(a, grad_out, heads),
            (true, DType::F16) => {
                let a = types::widen(a)?;
                let grad_out = types::widen(grad_out)?;
                attention::grads(&a, &grad_out, heads)?.narrow()
            }
            _ => defaults::self_attention_grads(a, grad_out, heads),
        }
    }

    fn layer_norm(
        &self,
        [a, weight, bias]: [&Array; 3],
        epsilon: f64,
    ) -> Result<Shared> {
        by_type!([a, weight, bias], T => {
            norm::rows::<T>([a, weight, bias], epsilon)
        })
    }

    fn layer_norm_grads(
        &self,
        [a, grad_out, weight]: [&Array; 3],
        epsilon: f64,
    ) -> Result<[Shared; 3]> {
        let [grads, weight_terms] = by_type!([a, grad_out, weight], T => {
            norm::grads::<T>([a, grad_out, weight], epsilon)
        })?;
        let columns = weight.len();
        let rows = a.len() / columns;
        let sum_columns = |terms: &Array| {
            let terms = terms.reshape(&[rows, columns])?.permute(&[1, 0])?;
            self.reduce(Reduce::Sum, &terms, columns, rows)
        };
        let weight_terms = a.dense_like(weight_terms);
        Ok([grads, sum_columns(&weight_terms)?, sum_columns(grad_out)?])
    }

    fn index_select(&self, a: &Array, indices: &[usize]) -> Result<Shared> {
        with_type!(a.dtype(), T => indexing::index_select::<T>(a, indices))
    }

    fn index_add(
        &self,
        a: &Array,
        indices: &[usize],
        rows: usize,
    ) -> Result<Shared> {
        by_type!([a], T => indexing::index_add::<T>(a, indices, rows))
    }

    fn fold(
        &self,
        a: &Array,
        window: &Window,
        count: usize,
        image: [usize; 2],
    ) -> Result<Shared> {
        by_type!([a], T => indexing::fold::<T>(a, window, count, image))
    }
}

/// Returns all elements of a storage.
fn elements<T: HostElement>(storage: &dyn Storage) -> &[T] {
    &downcast::<Host<T>>(storage).0
}

/// Returns all elements of the storage that an array is a view of.
fn storage_elements<T: HostElement>(a: &Array) -> &[T] {
    elements(&**a.storage())
}

/// Returns the elements of a dense array.
fn dense<T: HostElement>(a: &Array) -> &[T] {
    &storage_elements(a)[a.offset()..][..a.len()]
}

/// Returns the array in row-major order. Copies only if it is not dense.
fn compact(a: &Array) -> Result<Cow<'_, Array>> {
    Ok(if a.is_dense() { Cow::Borrowed(a) } else { Cow::Owned(a.compact()?) })
}

/// Returns the array if the stride of its innermost axis is at most 4, so that
/// a loop along it stays in few cache lines; otherwise a copy in row-major
/// order.
fn near_contiguous(a: &Array) -> Result<Cow<'_, Array>> {
    let innermost = a.shape().iter().rposition(|&size| size != 1);
    match innermost.map(|axis| a.strides()[axis]) {
        None | Some(0..=4) => Ok(Cow::Borrowed(a)),
        Some(_) => compact(a),
    }
}
