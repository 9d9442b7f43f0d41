//! The OpenCL backend: it launches one or a few kernels for each primitive.
//!
//! Reading order: [`OpenCl`] and its [`Backend`] implementation; `pooled`, the
//! storage; `axes`, copies of views; `cuts`, the launch shapes; then one file
//! for each group of primitives.

mod adam;
mod axes;
mod cuts;
mod few;
mod indexing;
mod numbers;
mod operands;
mod packing;
mod pool;
mod pooled;
mod products;
mod stages;
mod sums;
mod transformer;
mod written;

use std::sync::{Arc, OnceLock};

use self::axes::{tiled, walk};
use self::few::ShortRows;
use self::indexing::IndexCache;
use self::numbers::{ArrayArgs, fetched};
use self::pool::Pool;
pub(super) use self::pooled::DeviceIndices;
use self::pooled::Pooled;
pub(super) use self::sums::ColumnSums;
use super::kernels::{self, Types};
use crate::error::Result;
use crate::half::F16;
use crate::ledger::Memory;
use crate::opencl::{self, Buffer, Gpu, Kernel, Launch};
use crate::part3_unified::converted;
use crate::part3_unified::defaults;
use crate::part3_unified::{
    AdamStep, Array, Backend, Binary, DType, Reduce, Shared, Storage, Unary,
    View, Window, downcast,
};

/// Bytes per element of the pool's buffers, whatever type they hold.
const WORD: usize = size_of::<f32>();

/// Work-items per work-group: enough to fill the compute units of any device.
const GROUP: usize = 256;

/// One OpenCL device and its pools of unused buffers.
pub(crate) struct OpenCl {
    gpu: Gpu,
    pool: Pool<f32>,
    /// Index buffers are pooled because releasing one can block the host:
    /// NVIDIA's driver waits for the launches before it; see
    /// docs/benchmarks.md.
    indices: Arc<Pool<u32>>,
    index_cache: IndexCache,
    /// Whether the driver compiles the warpgroup kernel.
    warpgroups: OnceLock<bool>,
}

impl OpenCl {
    /// Opens a device. Later calls return the same backend.
    pub(crate) fn open(index: usize) -> Result<&'static OpenCl> {
        static OPENED: OnceLock<Vec<OnceLock<OpenCl>>> = OnceLock::new();
        let opened = OPENED.get().and_then(|all| all.get(index)?.get());
        if let Some(open) = opened {
            return Ok(open);
        }
        let gpu = Gpu::open(index)?;
        let count = opencl::devices()?.len();
        let all = OPENED
            .get_or_init(|| (0..count).map(|_| OnceLock::new()).collect());
        Ok(all[index].get_or_init(|| {
            let limit = gpu.info().max_allocation;
            let (pool, indices) = (Pool::new(limit), Pool::new(limit));
            let (indices, index_cache) =
                (Arc::new(indices), IndexCache::default());
            let warpgroups = OnceLock::new();
            OpenCl { gpu, pool, indices, index_cache, warpgroups }
        }))
    }
}

/// Returns the length of a buffer for `n` elements: at least 1, because OpenCL
/// has no empty buffers.
const fn buffer_len(n: usize) -> usize {
    if n == 0 { 1 } else { n }
}

// ANCHOR: fill
impl OpenCl {
    /// Allocates a storage of `n` elements and calls `launch` to fill it.
    /// OpenCL has no buffer of 0 bytes, so an empty array owns one unused
    /// element.
    fn fill(
        &self,
        dtype: DType,
        n: usize,
        launch: impl FnOnce(&Pooled) -> Result<()>,
    ) -> Result<Shared> {
        let out = self.allocate(dtype, n)?;
        if n > 0 {
            launch(&out)?;
        }
        Ok(Arc::new(out))
    }
}
// ANCHOR_END: fill

impl OpenCl {
    /// Prepares a launch with one item per four elements.
    fn fours<'a>(
        &self,
        kernel: &Kernel,
        types: impl Into<Types>,
        n: usize,
    ) -> Launch<'a> {
        self.each(kernel, types, n.div_ceil(4))
    }

    /// Prepares a launch with one item per four elements, or per eight `f16`
    /// elements: 16 bytes either way.
    fn pieces<'a>(
        &self,
        kernel: &Kernel,
        types: impl Into<Types>,
        n: usize,
    ) -> Launch<'a> {
        let types = types.into();
        let each = if types.are_halves() { 8 } else { 4 };
        self.each(kernel, types, n.div_ceil(each))
    }

    /// Prepares a launch with one item per element.
    fn each<'a>(
        &self,
        kernel: &Kernel,
        types: impl Into<Types>,
        n: usize,
    ) -> Launch<'a> {
        self.launch(kernel, types).global(n).local(GROUP)
    }

    /// Prepares a launch of a kernel compiled for some element types.
    fn launch<'a>(
        &self,
        kernel: &Kernel,
        types: impl Into<Types>,
    ) -> Launch<'a> {
        self.gpu.launch(&kernels::typed(kernel, types.into()))
    }
}

impl Backend for OpenCl {
    fn adopt(&self, buffer: Buffer<f32>) -> Result<Shared> {
        let index = self.gpu.info().index;
        if buffer.gpu().info().index != index {
            return self.upload(&buffer.read()?, DType::F32);
        }
        self.pool.adopt(&buffer);
        let len = buffer.len();
        let backend = OpenCl::open(index)?;
        Ok(Arc::new(Pooled::new(backend, buffer, DType::F32, len)))
    }

    fn name(&self) -> String {
        self.gpu.name().to_string()
    }

    fn memory(&self) -> Memory {
        let Memory { now, peak, cached } = self.pool.memory();
        Memory { now, peak, cached: cached + self.indices.memory().cached }
    }

    fn synchronize(&self) -> Result<()> {
        self.gpu.finish()
    }

    fn check(&self, arrays: &[&Array]) -> Result<()> {
        let buffers =
            arrays.iter().map(|a| downcast::<Pooled>(&**a.storage()).buffer());
        self.gpu.check(buffers)
    }

    fn upload(&self, values: &[f32], dtype: DType) -> Result<Shared> {
        match dtype {
            DType::F32 => self.send(values),
            DType::F64 => self.send(&converted::<_, f64>(values)?),
            DType::F16 => self.send(&converted::<_, F16>(values)?),
        }
    }

    fn download(&self, storage: &dyn Storage) -> Result<Vec<f32>> {
        match storage.dtype() {
            DType::F32 => fetched(storage),
            DType::F64 => converted(&fetched::<f64>(storage)?),
            DType::F16 => converted(&fetched::<F16>(storage)?),
        }
    }

    fn upload_f64(&self, values: &[f64]) -> Result<Shared> {
        self.send(values)
    }

    fn download_f64(&self, storage: &dyn Storage) -> Result<Vec<f64>> {
        fetched(storage)
    }

    fn cast(&self, a: &Array, to: DType) -> Result<Shared> {
        // Multiply by 1 and store the result as the other type.
        self.unary_to(Unary::Scale(1.0), a, to)
    }

    fn uniform(&self, seed: u64, n: usize, dtype: DType) -> Result<Shared> {
        self.fill(dtype, n, |out| {
            self.each(&kernels::FILL_UNIFORM, dtype, n)
                .writes(out)
                .scalar(seed as u32)
                .scalar((seed >> 32) as u32)
                .scalar(n as u32)
                .run()
        })
    }

    fn copy(&self, a: &Array) -> Result<Shared> {
        let Some([shape, steps]) = walk([a.view()]) else {
            return self.copy_by_offsets(a);
        };
        let n = a.len();
        if let Some(tiles) = tiled(shape, steps) {
            return self.copy_by_tiles(a, n, tiles);
        }
        self.fill(a.dtype(), n, |out| {
            self.each(&kernels::COPY_STRIDED, a.dtype(), n)
                .reads(a)
                .scalar(a.offset() as u32)
                .scalar(shape)
                .scalar(steps)
                .writes(out)
                .scalar(n as u32)
                .run()
        })
    }

    fn paste(
        &self,
        storage: &mut dyn Storage,
        view: &View,
        a: &Array,
    ) -> Result<()> {
        let (n, a) = (a.len(), a.compact()?);
        let Some([shape, steps]) = walk([view]) else {
            return self.paste_by_offsets(storage, view, &a);
        };
        self.each(&kernels::COPY_TO_STRIDED, a.dtype(), n)
            .reads(&a)
            .scalar(a.offset() as u32)
            .writes(downcast::<Pooled>(storage))
            .scalar(view.offset() as u32)
            .scalar(shape)
            .scalar(steps)
            .scalar(n as u32)
            .run()
    }

    fn unary(&self, op: Unary, a: &Array) -> Result<Shared> {
        self.unary_to(op, a, a.dtype())
    }

    // ANCHOR: binary
    fn binary(&self, op: Binary, a: &Array, b: &Array) -> Result<Shared> {
        let [dense, strided] = kernels::binary(op);
        let n = a.len();
        if a.is_dense() && b.is_dense() {
            return self.fill(a.dtype(), n, |out| {
                self.pieces(&dense, a.dtype(), n)
                    .reads(a)
                    .scalar(a.offset() as u32)
                    .reads(b)
                    .scalar(b.offset() as u32)
                    .writes(out)
                    .scalar(n as u32)
                    .run()
            });
        }
        // ANCHOR_END: binary
        let Some([shape, of_a, of_b]) = walk([a.view(), b.view()]) else {
            return self.binary(op, &a.compact()?, &b.compact()?);
        };
        // Transposed operands are copied first, tile by tile.
        if tiled(shape, of_a).is_some() {
            return self.binary(op, &a.compact()?, b);
        }
        if tiled(shape, of_b).is_some() {
            return self.binary(op, a, &b.compact()?);
        }
        self.fill(a.dtype(), n, |out| {
            self.pieces(&strided, a.dtype(), n)
                .reads(a)
                .scalar(a.offset() as u32)
                .scalar(of_a)
                .reads(b)
                .scalar(b.offset() as u32)
                .scalar(of_b)
                .scalar(shape)
                .writes(out)
                .scalar(n as u32)
                .run()
        })
    }

    fn where_cond(&self, mask: &Array, a: &Array, b: &Array) -> Result<Shared> {
        let (mask, n) = (mask.compact()?, a.len());
        let (a, b) = (a.compact()?, b.compact()?);
        self.fill(a.dtype(), n, |out| {
            self.each(&kernels::WHERE_COND, a.dtype(), n)
                .reads(&mask)
                .scalar(mask.offset() as u32)
                .reads(&a)
                .scalar(a.offset() as u32)
                .reads(&b)
                .scalar(b.offset() as u32)
                .writes(out)
                .scalar(n as u32)
                .run()
        })
    }

    fn reduce(
        &self,
        op: Reduce,
        a: &Array,
        rows: usize,
        columns: usize,
    ) -> Result<Shared> {
        self.reduce_to(a.dtype(), op, a, rows, columns)
    }

    fn max_share(
        &self,
        a: &Array,
        most: &Array,
        grads: &Array,
        axes: &[usize],
    ) -> Result<Shared> {
        match ShortRows::along(a, axes) {
            Some(few) if !a.is_empty() => self.split_max_grads(
                a,
                &most.compact()?,
                &grads.compact()?,
                &few,
            ),
            _ => defaults::max_share(a, most, grads, axes),
        }
    }

    fn adam_step(
        &self,
        step: &AdamStep,
        parameters: &[[&Array; 4]],
    ) -> Result<Vec<[Array; 3]>> {
        self.adam(step, parameters)
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

    fn softmax(&self, a: &Array) -> Result<Shared> {
        self.softmax_rows(a, 0)
    }

    fn log_softmax(&self, a: &Array) -> Result<Shared> {
        self.softmax_rows(a, 1)
    }

    fn log_softmax_grads(&self, y: &Array, grad_out: &Array) -> Result<Shared> {
        self.log_softmax_back(y, grad_out)
    }

    fn gelu_grads(&self, a: &Array, grad_out: &Array) -> Result<Shared> {
        self.gelu_back(a, grad_out)
    }

    fn self_attention(&self, a: &Array, heads: usize) -> Result<Shared> {
        self.attend(a, heads)
    }

    fn self_attention_grads(
        &self,
        arrays: [&Array; 3],
        heads: usize,
    ) -> Result<Shared> {
        self.attend_back(arrays, heads)
    }

    fn layer_norm(
        &self,
        operands: [&Array; 3],
        epsilon: f64,
    ) -> Result<Shared> {
        self.norm(operands, epsilon)
    }

    fn layer_norm_grads(
        &self,
        operands: [&Array; 3],
        epsilon: f64,
    ) -> Result<[Shared; 3]> {
        self.norm_back(operands, epsilon)
    }

    fn index_select(&self, a: &Array, indices: &[usize]) -> Result<Shared> {
        self.rows_at(a, indices)
    }

    fn index_add(
        &self,
        a: &Array,
        indices: &[usize],
        rows: usize,
    ) -> Result<Shared> {
        self.rows_added(a, indices, rows)
    }

    fn fold(
        &self,
        a: &Array,
        window: &Window,
        count: usize,
        image: [usize; 2],
    ) -> Result<Shared> {
        self.folded(a, window, count, image)
    }
}
