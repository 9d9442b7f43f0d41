//! An OpenCL device: one kernel for each primitive.

mod axes;
mod cuts;
mod few;
mod indexing;
mod operands;
mod pooled;
mod products;
mod stages;

use std::sync::{Arc, OnceLock};

use self::axes::{tiled, walk};
use self::few::Few;
use self::indexing::Sent;
use self::pooled::Pooled;
use self::stages::Columns;
use super::super::kernels;
use super::super::tuning::Choices;
use super::super::view::joined;
use super::pool::Pool;
use super::{
    Array, Backend, Binary, DType, Memory, Reduce, Shared, Storage, Unary,
    View, Window, downcast, max_share,
};
use crate::error::{Result, zeros};
use crate::opencl::{self, Buffer, Gpu, Kernel, Launch};

/// The items of a work-group, enough for any device to fill its units.
const GROUP: usize = 256;

/// One OpenCL device, and the buffers that wait for their next use.
pub(in super::super) struct OpenCl {
    gpu: Gpu,
    pool: Pool<f32>,
    /// NVIDIA's driver 580 frees a buffer when what was launched before is
    /// done, and the host waits: 6.2 ms of a large step on an H100.
    indices: Arc<Pool<u32>>,
    sent: Sent,
    /// What was timed here, once somebody multiplies.
    tuned: OnceLock<Choices>,
    /// Whether it takes the kernel for warpgroups.
    warpgroups: OnceLock<bool>,
}

impl OpenCl {
    /// Opens a device, once; whoever asks again gets the same.
    pub(in super::super) fn open(index: usize) -> Result<&'static OpenCl> {
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
            let (indices, sent) = (Arc::new(indices), Sent::default());
            let (tuned, warpgroups) = (OnceLock::new(), OnceLock::new());
            OpenCl { gpu, pool, indices, sent, tuned, warpgroups }
        }))
    }

    /// Makes a storage of somebody else's buffer.
    pub(in super::super) fn adopt(
        &'static self,
        buffer: Buffer<f32>,
    ) -> Shared {
        self.pool.adopt(&buffer);
        let len = buffer.len();
        Pooled::shared(self, buffer, len)
    }
}

/// Counts the numbers of a buffer, since there is none of nothing.
const fn room(n: usize) -> usize {
    if n == 0 { 1 } else { n }
}

// ANCHOR: fill
impl OpenCl {
    /// Makes a new storage for `n` numbers, filled by `launch`. OpenCL has no
    /// buffer of 0 bytes, so an empty array owns one unused number.
    fn fill(
        &self,
        n: usize,
        launch: impl FnOnce(&Buffer<f32>) -> Result<()>,
    ) -> Result<Shared> {
        let out = self.pool.take(&self.gpu, room(n))?;
        if n > 0 {
            launch(&out)?;
        }
        self.shared(out, room(n))
    }
}
// ANCHOR_END: fill

impl OpenCl {
    /// Makes a storage of a buffer, which goes back to this device's pool when
    /// nobody uses it any more.
    fn shared(&self, buffer: Buffer<f32>, len: usize) -> Result<Shared> {
        let device = OpenCl::open(self.gpu.info().index)?;
        Ok(Pooled::shared(device, buffer, len))
    }
}

impl OpenCl {
    /// Prepares a kernel with one item for each four of `n` elements.
    fn fours<'a>(&self, kernel: &'a Kernel, n: usize) -> Launch<'a> {
        self.each(kernel, n.div_ceil(4))
    }

    /// Prepares a kernel with one item for each of `n` elements.
    fn each<'a>(&self, kernel: &'a Kernel, n: usize) -> Launch<'a> {
        self.gpu.launch(kernel).global(n).local(GROUP)
    }

    /// Computes the shares of the scores in each row, or their logarithms.
    fn shares(&self, a: &Array, logs: u32) -> Result<Shared> {
        let (rows, columns) = (a.shape()[0], a.shape()[1]);
        if !a.offset().is_multiple_of(4) {
            return self.shares(&a.dense_like(self.copy(a)?), logs);
        }
        let kernel = match self.units().keeps(columns) {
            true => kernels::SOFTMAX_FOURS,
            false => kernels::SOFTMAX_ROWS,
        };
        let [global, local] = self.units().teams(rows, columns);
        self.fill(a.len(), |out| {
            self.gpu
                .launch(&kernel)
                .input(buffer(a))
                .scalar(a.offset() as u32)
                .scalar(columns as u32)
                .scalar(logs)
                .output(out)
                .scalar(rows as u32)
                .global(global)
                .local(local)
                .run()
        })
    }
}

impl Backend for OpenCl {
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

    fn upload(&self, values: &[f32], _: DType) -> Result<Shared> {
        let out = self.pool.take(&self.gpu, room(values.len()))?;
        if !values.is_empty() {
            out.write_first(values)?;
        }
        self.shared(out, room(values.len()))
    }

    fn download(&self, storage: &dyn Storage) -> Result<Vec<f32>> {
        let storage = downcast::<Pooled>(storage);
        storage.buffer().read_first(storage.len())
    }

    fn uniform(&self, seed: u64, n: usize, _: DType) -> Result<Shared> {
        self.fill(n, |out| {
            self.each(&kernels::FILL_UNIFORM, n)
                .output(out)
                .scalar(seed as u32)
                .scalar((seed >> 32) as u32)
                .scalar(n as u32)
                .run()
        })
    }

    fn copy(&self, a: &Array) -> Result<Shared> {
        let Some([shape, steps]) = walk([a.view()]) else {
            return self.copy_by_places(a);
        };
        let n = a.len();
        if let Some(tiles) = tiled(shape, steps) {
            return self.copy_by_tiles(a, n, tiles);
        }
        self.fill(n, |out| {
            self.each(&kernels::COPY_STRIDED, n)
                .input(buffer(a))
                .scalar(a.offset() as u32)
                .scalar(shape)
                .scalar(steps)
                .output(out)
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
            return self.paste_by_places(storage, view, &a);
        };
        self.each(&kernels::COPY_TO_STRIDED, n)
            .input(buffer(&a))
            .scalar(a.offset() as u32)
            .output(downcast::<Pooled>(storage).buffer())
            .scalar(view.offset() as u32)
            .scalar(shape)
            .scalar(steps)
            .scalar(n as u32)
            .run()
    }

    fn unary(&self, op: Unary, a: &Array) -> Result<Shared> {
        let (kernel, number) = kernels::unary(op);
        let (a, n) = (a.compact()?, a.len());
        self.fill(n, |out| {
            self.fours(&kernel, n)
                .input(buffer(&a))
                .scalar(a.offset() as u32)
                .scalar(number)
                .output(out)
                .scalar(n as u32)
                .run()
        })
    }

    fn binary(&self, op: Binary, a: &Array, b: &Array) -> Result<Shared> {
        let [dense, strided] = kernels::binary(op);
        let n = a.len();
        if a.is_dense() && b.is_dense() {
            return self.fill(n, |out| {
                self.fours(&dense, n)
                    .input(buffer(a))
                    .scalar(a.offset() as u32)
                    .input(buffer(b))
                    .scalar(b.offset() as u32)
                    .output(out)
                    .scalar(n as u32)
                    .run()
            });
        }
        let Some([shape, of_a, of_b]) = walk([a.view(), b.view()]) else {
            return self.binary(op, &a.compact()?, &b.compact()?);
        };
        // What goes from far to far in memory is copied by tiles first.
        if tiled(shape, of_a).is_some() {
            return self.binary(op, &a.compact()?, b);
        }
        if tiled(shape, of_b).is_some() {
            return self.binary(op, a, &b.compact()?);
        }
        self.fill(n, |out| {
            self.fours(&strided, n)
                .input(buffer(a))
                .scalar(a.offset() as u32)
                .scalar(of_a)
                .input(buffer(b))
                .scalar(b.offset() as u32)
                .scalar(of_b)
                .scalar(shape)
                .output(out)
                .scalar(n as u32)
                .run()
        })
    }

    fn where_cond(&self, mask: &Array, a: &Array, b: &Array) -> Result<Shared> {
        let (mask, n) = (mask.compact()?, a.len());
        let (a, b) = (a.compact()?, b.compact()?);
        self.fill(n, |out| {
            self.each(&kernels::WHERE_COND, n)
                .input(buffer(&mask))
                .scalar(mask.offset() as u32)
                .input(buffer(&a))
                .scalar(a.offset() as u32)
                .input(buffer(&b))
                .scalar(b.offset() as u32)
                .output(out)
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
        if a.is_empty() {
            return self.upload(&zeros(rows)?, a.dtype());
        }
        if let Some(few) = Few::new(a, rows, columns) {
            return self.reduce_few(op, a, &few);
        }
        if let Some(columns) = Columns::of(a, rows) {
            return self.reduce_down(op, a, columns);
        }
        if let Some(left) = self.reduce_nearest(op, a, rows)? {
            return self.reduce(op, &left, rows, left.len() / rows);
        }
        let flat = a.reshape(&[rows, columns])?;
        match (flat.strides()[0], flat.strides()[1]) {
            (row, 1) if row >= 0 => self.reduce_across(op, &flat),
            _ => self.reduce_across(op, &flat.compact()?),
        }
    }

    fn max_share(
        &self,
        a: &Array,
        most: &Array,
        grads: &Array,
        axes: &[usize],
    ) -> Result<Shared> {
        match Few::along(a, axes) {
            Some(few) if !a.is_empty() => {
                self.share(a, &most.compact()?, &grads.compact()?, &few)
            }
            _ => max_share(a, most, grads, axes),
        }
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
        self.shares(a, 0)
    }

    fn log_softmax(&self, a: &Array) -> Result<Shared> {
        self.shares(a, 1)
    }

    fn index_select(&self, a: &Array, places: &[usize]) -> Result<Shared> {
        self.rows_at(a, places)
    }

    fn index_add(
        &self,
        a: &Array,
        places: &[usize],
        rows: usize,
    ) -> Result<Shared> {
        self.rows_added(a, places, rows)
    }

    fn fold(
        &self,
        a: &Array,
        window: &Window,
        count: usize,
        image: [usize; 2],
    ) -> Result<Shared> {
        let outer = a.shape().len() - 4;
        // Images that lie in no order are laid in a row.
        let lie = joined(&a.shape()[..outer], [&a.strides()[..outer]]);
        let a = if lie.len() > 1 { &a.compact()? } else { a };
        let lie = joined(&a.shape()[..outer], [&a.strides()[..outer]]);
        let mut strides = [0; 8];
        if let [(_, [stride])] = lie[..] {
            strides[0] = stride as i32;
        }
        for (to, stride) in strides[1..].iter_mut().zip(&a.strides()[outer..]) {
            *to = *stride as i32;
        }
        let [h, w] = image;
        let steps = [window.stride, window.dilation];
        let sizes = [[image, window.size], steps].concat().concat();
        // A step that is too long for a kernel is too long to be made.
        let int = |&size: &usize| i32::try_from(size).unwrap_or(i32::MAX);
        let sizes: Vec<i32> = sizes.iter().map(int).collect();
        let sizes: [i32; 8] = sizes.try_into().expect("four pairs");
        let n = count * h * w;
        self.fill(n, |out| {
            self.each(&kernels::FOLD_WINDOWS, n)
                .input(buffer(a))
                .scalar(a.offset() as u32)
                .scalar(strides)
                .scalar(sizes)
                .output(out)
                .scalar(n as u32)
                .run()
        })
    }
}

fn buffer(a: &Array) -> &Buffer<f32> {
    downcast::<Pooled>(&**a.storage()).buffer()
}
