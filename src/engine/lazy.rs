//! A lazy device, built in "Kernels that write themselves". It records
//! operations and computes a value only when it is read, together with the
//! values that it depends on, in a kernel that it generates.
//!
//! Reading order: `Fused`, which operations it defers; `node`, a storage that
//! may not be evaluated yet; `capture`, the pending graph of a storage;
//! `schedule`, the kernels for a graph and their launches; `horizontal_fusion`,
//! column sums that share a launch; `loops`, the kernels on the CPU.

mod capture;
pub mod compiler;
mod horizontal_fusion;
mod loops;
mod node;
mod schedule;

use std::sync::{Arc, Mutex, OnceLock};

use smallvec::SmallVec;

use self::node::{Lazy, LazyNode, LazyOp};
use self::schedule::ScheduleCache;
use super::opencl::OpenCl;
use crate::error::Result;
use crate::ledger::Memory;
use crate::opencl::PerDevice;
use crate::part3_unified::{
    AdamStep, Array, Backend, Binary, DType, Reduce, Shared, Storage, Unary,
    View, Window, downcast,
};
use crate::part3_unified::{Device, PendingRead, defaults};

/// A lazy device on top of an eager one.
pub(crate) struct Fused {
    /// The device that stores and computes the values.
    base: Device,
    schedules: Mutex<ScheduleCache>,
}

impl Fused {
    /// Opens the lazy device on top of an OpenCL device. Later calls return
    /// the same one.
    pub(crate) fn open(index: usize) -> Result<&'static Fused> {
        static OPENED: PerDevice<Fused> = PerDevice::new();
        OPENED.get_or_create(index, || {
            // Return the error of the base device, if it cannot be opened.
            OpenCl::open(index)?;
            Ok(Fused::new(Device::Gpu(index)))
        })
    }

    /// Returns the lazy device on top of the CPU.
    pub(crate) fn on_the_processor() -> &'static Fused {
        static OPENED: OnceLock<Fused> = OnceLock::new();
        OPENED.get_or_init(|| Fused::new(Device::Cpu))
    }

    fn new(base: Device) -> Fused {
        Fused { base, schedules: Mutex::new(ScheduleCache::default()) }
    }

    fn base(&self) -> Result<&'static dyn Backend> {
        self.base.backend()
    }

    /// Returns the base device if it is an OpenCL device.
    fn gpu(&self) -> Result<Option<&'static OpenCl>> {
        match self.base {
            Device::Gpu(index) => OpenCl::open(index).map(Some),
            _ => Ok(None),
        }
    }

    /// Records an operation. If its graph would become too large for a kernel,
    /// evaluates parts of it first.
    fn defer(&self, op: LazyOp, shape: &[usize]) -> Result<Shared> {
        let device = match self.base {
            Device::Gpu(index) => Fused::open(index)?,
            _ => Fused::on_the_processor(),
        };
        let mut node = LazyNode::new(op, shape);
        while let Some(largest) = node.operand_to_evaluate() {
            device.compute(largest.storage())?;
            node = node.with_oldest();
        }
        Ok(Lazy::pending(device, node))
    }

    /// Evaluates an array and returns it as an array of the base device.
    fn ready(&self, a: &Array) -> Result<Array> {
        let storage = self.compute(a.storage())?;
        Ok(a.with_storage(self.base, storage))
    }

    /// Computes an operation on the base device now.
    fn now<const N: usize>(
        &self,
        arrays: [&Array; N],
        compute: impl FnOnce(&dyn Backend, [&Array; N]) -> Result<Shared>,
    ) -> Result<Shared> {
        self.on_base(arrays, compute).map(Lazy::ready)
    }

    /// Evaluates the operands and calls `compute` with the base device.
    fn on_base<const N: usize, T>(
        &self,
        arrays: [&Array; N],
        compute: impl FnOnce(&dyn Backend, [&Array; N]) -> Result<T>,
    ) -> Result<T> {
        let mut ready: SmallVec<[Array; 4]> = SmallVec::new();
        for array in arrays {
            ready.push(self.ready(array)?);
        }
        let operands = std::array::from_fn(|i| &ready[i]);
        compute(self.base()?, operands)
    }
}

/// Returns whether generated kernels can count `n` elements.
fn is_counted(n: usize) -> bool {
    (1..1 << 31).contains(&n)
}

/// Returns whether operations on an array are deferred. `f64` and `f16` arrays
/// are computed by the base device.
fn is_deferred(a: &Array) -> bool {
    is_counted(a.len()) && is_f32(a)
}

fn is_f32(a: &Array) -> bool {
    a.dtype() == DType::F32
}

impl Backend for Fused {
    fn name(&self) -> String {
        match self.base.name() {
            Ok(name) => format!("{name}, lazily"),
            Err(error) => error.to_string(),
        }
    }

    fn memory(&self) -> Memory {
        self.base().map(|base| base.memory()).unwrap_or_default()
    }

    fn synchronize(&self) -> Result<()> {
        self.base()?.synchronize()
    }

    fn realize(&self, a: &Array) -> Result<()> {
        self.compute(a.storage()).map(drop)
    }

    fn check(&self, arrays: &[&Array]) -> Result<()> {
        let ready = arrays.iter().map(|a| self.ready(a));
        let ready = ready.collect::<Result<Vec<_>>>()?;
        self.base()?.check(&ready.iter().collect::<Vec<_>>())
    }

    fn upload(&self, values: &[f32], dtype: DType) -> Result<Shared> {
        match (values, dtype) {
            ([value], DType::F32) => self.defer(LazyOp::Constant(*value), &[]),
            _ => Ok(Lazy::ready(self.base()?.upload(values, dtype)?)),
        }
    }

    fn download(&self, storage: &dyn Storage) -> Result<Vec<f32>> {
        let lazy = downcast::<Lazy>(storage);
        match lazy.constant() {
            Some(number) => Ok(vec![number]),
            None => self.base()?.download(&*lazy.computed()?),
        }
    }

    fn start_download(&self, storage: &dyn Storage) -> Result<PendingRead> {
        let lazy = downcast::<Lazy>(storage);
        match lazy.constant() {
            Some(number) => Ok(PendingRead::ready(vec![number])),
            None => self.base()?.start_download(&*lazy.computed()?),
        }
    }

    fn upload_f64(&self, values: &[f64]) -> Result<Shared> {
        Ok(Lazy::ready(self.base()?.upload_f64(values)?))
    }

    fn download_f64(&self, storage: &dyn Storage) -> Result<Vec<f64>> {
        let storage = downcast::<Lazy>(storage).computed()?;
        self.base()?.download_f64(&*storage)
    }

    fn cast(&self, a: &Array, dtype: DType) -> Result<Shared> {
        self.now([a], |base, [a]| base.cast(a, dtype))
    }

    fn uniform(&self, seed: u64, n: usize, dtype: DType) -> Result<Shared> {
        Ok(Lazy::ready(self.base()?.uniform(seed, n, dtype)?))
    }

    fn copy(&self, a: &Array) -> Result<Shared> {
        if is_deferred(a) {
            self.defer(LazyOp::View(a.clone()), a.shape())
        } else {
            self.now([a], |base, [a]| base.copy(a))
        }
    }

    fn paste(
        &self,
        storage: &mut dyn Storage,
        view: &View,
        a: &Array,
    ) -> Result<()> {
        let a = self.ready(a)?;
        let lazy = downcast::<Lazy>(storage);
        lazy.computed()?;
        lazy.change(|storage| self.base()?.paste(storage, view, &a))
    }

    fn unary(&self, op: Unary, a: &Array) -> Result<Shared> {
        if is_deferred(a) {
            self.defer(LazyOp::Unary(op, a.clone()), a.shape())
        } else {
            self.now([a], |base, [a]| base.unary(op, a))
        }
    }

    // ANCHOR: binary
    fn binary(&self, op: Binary, a: &Array, b: &Array) -> Result<Shared> {
        if is_deferred(a) {
            let pair = [a.clone(), b.clone()];
            self.defer(LazyOp::Binary(op, pair), a.shape())
        } else {
            self.now([a, b], |base, [a, b]| base.binary(op, a, b))
        }
    }
    // ANCHOR_END: binary

    fn where_cond(&self, mask: &Array, a: &Array, b: &Array) -> Result<Shared> {
        let all = [mask, a, b];
        if is_deferred(a) {
            self.defer(LazyOp::Where(all.map(Array::clone)), a.shape())
        } else {
            self.now(all, |base, [m, a, b]| base.where_cond(m, a, b))
        }
    }

    fn reduce(
        &self,
        op: Reduce,
        a: &Array,
        rows: usize,
        columns: usize,
    ) -> Result<Shared> {
        if is_deferred(a) {
            let sizes = [rows, columns];
            let shape = &a.shape()[..leading_axes(a.shape(), rows)];
            self.defer(LazyOp::Reduce(op, a.clone(), sizes), shape)
        } else {
            self.now([a], |base, [a]| base.reduce(op, a, rows, columns))
        }
    }

    fn max_backward(
        &self,
        a: &Array,
        max: &Array,
        grads: &Array,
        axes: &[usize],
    ) -> Result<Shared> {
        if is_f32(a) {
            defaults::max_backward(a, max, grads, axes)
        } else {
            self.now([a, max, grads], |base, [a, max, grads]| {
                base.max_backward(a, max, grads, axes)
            })
        }
    }

    fn softmax(&self, a: &Array) -> Result<Shared> {
        if is_f32(a) {
            defaults::softmax(a)
        } else {
            self.now([a], |base, [a]| base.softmax(a))
        }
    }

    fn log_softmax(&self, a: &Array) -> Result<Shared> {
        if is_f32(a) {
            defaults::log_softmax(a)
        } else {
            self.now([a], |base, [a]| base.log_softmax(a))
        }
    }

    fn adam_step(
        &self,
        step: &AdamStep,
        parameters: &[[&Array; 4]],
    ) -> Result<Vec<[Array; 3]>> {
        let device = parameters.first().map_or(self.base, |[x, ..]| x.device());
        self.compute_sums(parameters.iter().map(|[_, grad, ..]| *grad))?;
        let ready = |a: &&Array| self.ready(a);
        let ready: Vec<Array> =
            parameters.iter().flatten().map(ready).collect::<Result<_>>()?;
        let parameters: Vec<[&Array; 4]> = ready
            .chunks_exact(4)
            .map(|arrays| [0, 1, 2, 3].map(|i| &arrays[i]))
            .collect();
        let results = self.base()?.adam_step(step, &parameters)?;
        let wrap =
            |a: Array| a.with_storage(device, Lazy::ready(a.storage().clone()));
        Ok(results.into_iter().map(|arrays| arrays.map(wrap)).collect())
    }

    fn matmul(&self, a: &Array, b: &Array) -> Result<Shared> {
        self.product(a, &b.permute(&[0, 2, 1])?, 1, 1)
    }

    fn contract(
        &self,
        a: &Array,
        b: &Array,
        batch: usize,
        inner: usize,
    ) -> Result<Shared> {
        self.product(a, b, batch, inner)
    }

    fn self_attention(&self, a: &Array, heads: usize) -> Result<Shared> {
        self.now([a], |base, [a]| base.self_attention(a, heads))
    }

    fn self_attention_grads(
        &self,
        arrays: [&Array; 3],
        heads: usize,
    ) -> Result<Shared> {
        self.now(arrays, |base, arrays| {
            base.self_attention_grads(arrays, heads)
        })
    }

    fn layer_norm(
        &self,
        operands: [&Array; 3],
        epsilon: f64,
    ) -> Result<Shared> {
        self.now(operands, |base, operands| base.layer_norm(operands, epsilon))
    }

    fn layer_norm_grads(
        &self,
        operands: [&Array; 3],
        epsilon: f64,
    ) -> Result<[Shared; 3]> {
        self.norm_grads(operands, epsilon)
    }

    fn index_select(&self, a: &Array, indices: &[usize]) -> Result<Shared> {
        let width = a.shape()[1];
        if is_counted(indices.len() * width) && is_deferred(a) {
            let shape = [indices.len(), width];
            let indices = self.store_indices(indices)?;
            self.defer(LazyOp::IndexSelect(indices, a.clone(), width), &shape)
        } else {
            self.now([a], |base, [a]| base.index_select(a, indices))
        }
    }

    fn index_add(
        &self,
        a: &Array,
        indices: &[usize],
        rows: usize,
    ) -> Result<Shared> {
        match index_add_block(a, indices, rows) {
            Some(block) => {
                let indices = self.store_indices(indices)?;
                self.defer(LazyOp::IndexAdd(indices, a.clone(), block), &[rows])
            }
            None => self.now([a], |base, [a]| base.index_add(a, indices, rows)),
        }
    }

    fn fold(
        &self,
        a: &Array,
        window: &Window,
        count: usize,
        image: [usize; 2],
    ) -> Result<Shared> {
        self.now([a], |base, [a]| base.fold(a, window, count, image))
    }
}

/// Returns how many leading axes have `rows` elements.
fn leading_axes(shape: &[usize], rows: usize) -> usize {
    let is_between =
        |cut: &usize| shape[..*cut].iter().product::<usize>() == rows;
    (0..=shape.len()).rev().find(is_between).unwrap_or(0)
}

/// If `index_add` of one column adds exactly one element to each block of `n`
/// results, returns `n`. A kernel can then compute an element of the result
/// from a single element of `a`.
fn index_add_block(a: &Array, indices: &[usize], rows: usize) -> Option<usize> {
    let n = indices.len();
    if a.shape()[1] != 1
        || !is_f32(a)
        || !is_counted(rows)
        || n == 0
        || !rows.is_multiple_of(n)
    {
        return None;
    }
    let block = rows / n;
    let mut indices = indices.iter().enumerate();
    indices.all(|(i, index)| index / block == i).then_some(block)
}

impl Fused {
    /// Stores indices where the kernels of the base device can read them.
    fn store_indices(&self, indices: &[usize]) -> Result<node::IndexList> {
        Ok(match self.gpu()? {
            Some(gpu) => {
                node::IndexList::Uploaded(gpu.upload_indices(indices)?)
            }
            None => node::IndexList::Host(Arc::from(indices)),
        })
    }
}
