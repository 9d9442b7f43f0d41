//! The OpenCL backend: it launches one or a few kernels for each primitive.
//!
//! Reading order: [`OpenCl`] and its [`Backend`] implementation; `buffers`, the
//! storages; `copy`, copies of views; `launch_shape`; then one file for each
//! tuned subject.

mod adam;
mod attention;
mod buffers;
mod column_sums;
mod copy;
mod indexing;
mod launch_shape;
mod matmul;
mod max_backward;
mod norm;
mod operands;
mod reduce;
mod short_rows;
mod softmax;

use std::sync::{Arc, OnceLock};

use smallvec::SmallVec;

pub(super) use self::buffers::DeviceIndices;
use self::buffers::{
    ArrayArgs, Pool, PooledStorage, download, scalar_of, start_download,
};
pub(super) use self::column_sums::ColumnSums;
use self::copy::{merged_axes, tiled_axes};
use self::indexing::IndexCache;
use super::kernels::{self, Types};
#[cfg(feature = "lazy")]
use super::lazy::compiler::Written;
use crate::error::Result;
use crate::half::F16;
use crate::ledger::Memory;
use crate::opencl::{Buffer, Gpu, Kernel, Launch, PerDevice};
use crate::part3_unified::converted;
use crate::part3_unified::{
    AdamStep, Array, Backend, Binary, DType, PendingRead, Reduce, Shared,
    Storage, Unary, View, Window, downcast,
};

/// Work-items per work-group: enough to fill the compute units of any device.
const GROUP_SIZE: usize = 256;

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
        static OPENED: PerDevice<OpenCl> = PerDevice::new();
        OPENED.get_or_create(index, || {
            let gpu = Gpu::open(index)?;
            let limit = gpu.info().max_allocation;
            let (pool, indices) = (Pool::new(limit), Pool::new(limit));
            let (indices, index_cache) =
                (Arc::new(indices), IndexCache::default());
            let warpgroups = OnceLock::new();
            Ok(OpenCl { gpu, pool, indices, index_cache, warpgroups })
        })
    }
}

impl OpenCl {
    /// Allocates a storage of `n` elements and calls `launch` to fill it.
    /// OpenCL has no buffer of 0 bytes, so an empty array owns one unused
    /// element.
    fn fill(
        &self,
        dtype: DType,
        n: usize,
        launch: impl FnOnce(&PooledStorage) -> Result<()>,
    ) -> Result<Shared> {
        let out = self.allocate(dtype, n)?;
        if n > 0 {
            launch(&out)?;
        }
        Ok(Arc::new(out))
    }
}

impl OpenCl {
    /// Prepares a launch with one item per four elements.
    fn launch_per_four<'a>(
        &self,
        kernel: &Kernel,
        types: impl Into<Types>,
        n: usize,
    ) -> Launch<'a> {
        self.launch_per_element(kernel, types, n.div_ceil(4))
    }

    /// Prepares a launch with one item per four elements, or per eight `f16`
    /// elements: 16 bytes either way.
    fn launch_per_16_bytes<'a>(
        &self,
        kernel: &Kernel,
        types: impl Into<Types>,
        n: usize,
    ) -> Launch<'a> {
        let types = types.into();
        let per_item = if types.are_halves() { 8 } else { 4 };
        self.launch_per_element(kernel, types, n.div_ceil(per_item))
    }

    /// Prepares a launch with one item per element.
    fn launch_per_element<'a>(
        &self,
        kernel: &Kernel,
        types: impl Into<Types>,
        n: usize,
    ) -> Launch<'a> {
        self.launch(kernel, types).global(n).local(GROUP_SIZE)
    }

    /// Applies `op` to each element and stores the results as type `to`.
    fn unary_to(&self, op: Unary, a: &Array, to: DType) -> Result<Shared> {
        let kernel = kernels::unary(op);
        let constant = scalar_of(a.dtype(), op.constant().unwrap_or_default());
        let (a, n) = (a.compact()?, a.len());
        let types = Types { from: a.dtype(), to };
        self.fill(to, n, |out| {
            self.launch_per_16_bytes(&kernel, types, n)
                .reads(&a)
                .scalar(a.offset() as u32)
                .scalar(constant)
                .writes(out)
                .scalar(n as u32)
                .run()
        })
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
        Ok(Arc::new(PooledStorage::new(backend, buffer, DType::F32, len)))
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
        let buffers = arrays
            .iter()
            .map(|a| downcast::<PooledStorage>(&**a.storage()).buffer());
        self.gpu.check(buffers)
    }

    fn upload(&self, values: &[f32], dtype: DType) -> Result<Shared> {
        match dtype {
            DType::F32 => self.start_upload(values),
            DType::F64 => self.upload_values(&converted::<_, f64>(values)?),
            DType::F16 => self.upload_values(&converted::<_, F16>(values)?),
        }
    }

    fn download(&self, storage: &dyn Storage) -> Result<Vec<f32>> {
        match storage.dtype() {
            DType::F32 => download(storage),
            DType::F64 => converted(&download::<f64>(storage)?),
            DType::F16 => converted(&download::<F16>(storage)?),
        }
    }

    fn start_download(&self, storage: &dyn Storage) -> Result<PendingRead> {
        match start_download(storage)? {
            Some(read) => Ok(read),
            None => Ok(PendingRead::ready(self.download(storage)?)),
        }
    }

    fn upload_f64(&self, values: &[f64]) -> Result<Shared> {
        self.upload_values(values)
    }

    fn download_f64(&self, storage: &dyn Storage) -> Result<Vec<f64>> {
        download(storage)
    }

    fn cast(&self, a: &Array, to: DType) -> Result<Shared> {
        // Multiply by 1 and store the result as the other type.
        self.unary_to(Unary::Scale(1.0), a, to)
    }

    fn uniform(&self, seed: u64, n: usize, dtype: DType) -> Result<Shared> {
        self.fill(dtype, n, |out| {
            self.launch_per_element(&kernels::FILL_UNIFORM, dtype, n)
                .writes(out)
                .scalar(seed as u32)
                .scalar((seed >> 32) as u32)
                .scalar(n as u32)
                .run()
        })
    }

    fn copy(&self, a: &Array) -> Result<Shared> {
        let Some([shape, steps]) = merged_axes([a.view()]) else {
            return self.copy_by_offsets(a);
        };
        let n = a.len();
        if let Some(tiles) = tiled_axes(shape, steps) {
            return self.copy_by_tiles(a, n, tiles);
        }
        self.fill(a.dtype(), n, |out| {
            self.launch_per_element(&kernels::COPY_STRIDED, a.dtype(), n)
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
        let Some([shape, steps]) = merged_axes([view]) else {
            return self.paste_by_offsets(storage, view, &a);
        };
        self.launch_per_element(&kernels::COPY_TO_STRIDED, a.dtype(), n)
            .reads(&a)
            .scalar(a.offset() as u32)
            .writes(downcast::<PooledStorage>(storage))
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
                self.launch_per_16_bytes(&dense, a.dtype(), n)
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
        let Some([shape, of_a, of_b]) = merged_axes([a.view(), b.view()])
        else {
            return self.binary(op, &a.compact()?, &b.compact()?);
        };
        // Transposed operands are copied first, tile by tile.
        if tiled_axes(shape, of_a).is_some() {
            return self.binary(op, &a.compact()?, b);
        }
        if tiled_axes(shape, of_b).is_some() {
            return self.binary(op, a, &b.compact()?);
        }
        self.fill(a.dtype(), n, |out| {
            self.launch_per_16_bytes(&strided, a.dtype(), n)
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
            self.launch_per_element(&kernels::WHERE_COND, a.dtype(), n)
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

    fn max_backward(
        &self,
        a: &Array,
        max: &Array,
        grads: &Array,
        axes: &[usize],
    ) -> Result<Shared> {
        self.split_max_grads(a, max, grads, axes)
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
        self.softmax_rows(a, false)
    }

    fn log_softmax(&self, a: &Array) -> Result<Shared> {
        self.softmax_rows(a, true)
    }

    fn log_softmax_grads(&self, y: &Array, grad_out: &Array) -> Result<Shared> {
        self.log_softmax_backward(y, grad_out)
    }

    fn gelu_grads(&self, a: &Array, grad_out: &Array) -> Result<Shared> {
        let (a, grads) = (a.compact()?, grad_out.compact()?);
        let (n, dtype) = (a.len(), a.dtype());
        self.fill(dtype, n, |out| {
            self.launch_per_16_bytes(&kernels::GELU_GRADS, dtype, n)
                .reads(&a)
                .scalar(a.offset() as u32)
                .reads(&grads)
                .scalar(grads.offset() as u32)
                .writes(out)
                .scalar(n as u32)
                .run()
        })
    }

    fn self_attention(&self, a: &Array, heads: usize) -> Result<Shared> {
        self.attention(a, heads)
    }

    fn self_attention_grads(
        &self,
        arrays: [&Array; 3],
        heads: usize,
    ) -> Result<Shared> {
        self.attention_backward(arrays, heads)
    }

    fn layer_norm(
        &self,
        operands: [&Array; 3],
        epsilon: f64,
    ) -> Result<Shared> {
        self.norm_rows(operands, epsilon)
    }

    fn layer_norm_grads(
        &self,
        operands: [&Array; 3],
        epsilon: f64,
    ) -> Result<[Shared; 3]> {
        self.norm_backward(operands, epsilon)
    }

    fn index_select(&self, a: &Array, indices: &[usize]) -> Result<Shared> {
        self.gather_rows(a, indices)
    }

    fn index_add(
        &self,
        a: &Array,
        indices: &[usize],
        rows: usize,
    ) -> Result<Shared> {
        self.scatter_add_rows(a, indices, rows)
    }

    fn fold(
        &self,
        a: &Array,
        window: &Window,
        count: usize,
        image: [usize; 2],
    ) -> Result<Shared> {
        self.fold_windows(a, window, count, image)
    }
}

#[cfg(feature = "lazy")]
impl OpenCl {
    /// Launches a generated kernel and returns the storages of its results,
    /// which have these lengths.
    pub(crate) fn run_generated<'a>(
        &self,
        written: &Written,
        indices: impl Iterator<Item = &'a DeviceIndices>,
        inputs: &[Shared],
        lengths: impl Iterator<Item = usize>,
        numbers: impl Iterator<Item = f32>,
    ) -> Result<SmallVec<[Shared; 4]>> {
        let mut outputs: SmallVec<[PooledStorage; 4]> = SmallVec::new();
        for length in lengths {
            outputs.push(self.allocate(DType::F32, length)?);
        }
        let mut launch = self.gpu.launch_generated(&written.kernel);
        for list in indices {
            launch = launch.input(list.buffer());
        }
        for input in inputs {
            launch = launch.input(downcast::<PooledStorage>(&**input).buffer());
        }
        for output in &outputs {
            launch = launch.output(output.buffer());
        }
        for number in numbers {
            launch = launch.scalar(number);
        }
        launch.global(written.global).local(written.local).run()?;
        let shared = outputs.into_iter();
        Ok(shared.map(|out| Arc::new(out) as Shared).collect())
    }
}
