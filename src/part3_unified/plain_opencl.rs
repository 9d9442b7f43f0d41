//! The devices `plain:0`, `plain:1` and so on: every primitive as one simple
//! OpenCL kernel, in `f32`, with nothing added for speed.
//!
//! This is the smallest complete [`Backend`] on OpenCL. It allocates a buffer
//! for each result and never reuses one. Only the kernel of [`Backend::copy`]
//! knows strides: each method first calls `dense` to get its operands in
//! row-major order, and then launches its kernel with one work-item per element
//! of the result.
//!
//! Reading order: `PlainOpenCl`, `Values`, `filled` and `dense`, then one method
//! per primitive; [`kernels`] lists the kernels and how far each one reaches.

pub mod kernels;

use std::any::Any;
use std::sync::{Arc, Mutex, PoisonError};

use super::{
    Array, Backend, Binary, DType, Reduce, Shared, Storage, Unary, View, Window,
};
use crate::error::Result;
use crate::ledger::{self, Memory};
use crate::opencl::{Buffer, Gpu, Kernel, Launch};

/// Work-items per work-group.
const GROUP: usize = 64;

/// Work-items per work-group of a matrix, along columns and rows.
const TILE: [usize; 2] = [16, 4];

/// The backend of [`Device::Plain`](super::Device::Plain).
pub(super) struct PlainOpenCl {
    gpu: Gpu,
}

impl PlainOpenCl {
    /// Opens a device. Later calls return the same backend.
    pub(super) fn open(index: usize) -> Result<&'static PlainOpenCl> {
        static OPENED: Mutex<Vec<&PlainOpenCl>> = Mutex::new(Vec::new());
        let gpu = Gpu::open(index)?;
        let mut opened = OPENED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = opened.iter().find(|known| known.gpu == gpu) {
            return Ok(known);
        }
        let backend = Box::leak(Box::new(PlainOpenCl { gpu }));
        opened.push(backend);
        Ok(backend)
    }
}

/// The elements of a storage. OpenCL has no empty buffers, so an empty storage
/// has a buffer with one unused element.
#[derive(Debug)]
struct Values {
    buffer: Buffer<f32>,
    len: usize,
}

impl Storage for Values {
    fn len(&self) -> usize {
        self.len
    }
}

impl Drop for Values {
    fn drop(&mut self) {
        ledger::count(|counts| counts.storages_freed += 1);
    }
}

/// Returns the buffer of a storage, which this backend has created.
fn buffer(storage: &dyn Storage) -> &Buffer<f32> {
    let storage: &dyn Any = storage;
    &storage.downcast_ref::<Values>().expect("a storage of plain:0").buffer
}

impl PlainOpenCl {
    // ANCHOR: filled
    /// Allocates a storage of `n` elements and lets `launch` fill it.
    fn filled(
        &self,
        n: usize,
        launch: impl FnOnce(&Buffer<f32>) -> Result<()>,
    ) -> Result<Shared> {
        let out = self.gpu.allocate(n.max(1))?;
        if n > 0 {
            launch(&out)?;
        }
        ledger::count(|counts| counts.storages += 1);
        Ok(Arc::new(Values { buffer: out, len: n }))
    }

    /// Prepares a launch with one work-item per element of the result.
    fn each<'a>(&self, kernel: &Kernel, n: usize) -> Launch<'a> {
        self.gpu.launch(kernel).global(n).local(GROUP)
    }

    /// Returns a storage that begins with the elements of `a` in row-major
    /// order: its own storage if the elements are there already, or else a
    /// copy.
    fn dense(&self, a: &Array) -> Result<Shared> {
        match a.is_dense() && a.offset() == 0 {
            true => Ok(a.storage().clone()),
            false => self.copy(a),
        }
    }
    // ANCHOR_END: filled

    /// Copies the elements of one view to the offsets of another view of the
    /// same shape, which is not empty.
    fn copy_view(
        &self,
        (a, from): (&Buffer<f32>, &View),
        (out, to): (&Buffer<f32>, &View),
    ) -> Result<()> {
        let Some(shape) = eight(1, from.shape().iter().map(|&n| n as i32))
        else {
            return copy_on_host((a, from), (out, to));
        };
        let strides = |view: &View| {
            eight(0, view.strides().iter().map(|&stride| stride as i32))
                .expect("one stride for each axis")
        };
        self.each(&kernels::COPY, from.len())
            .scalar(shape)
            .scalar(from.len() as u32)
            .input(a)
            .scalar(from.offset() as u32)
            .scalar(strides(from))
            .output(out)
            .scalar(to.offset() as u32)
            .scalar(strides(to))
            .run()
    }

    /// Copies row indices to the device.
    fn upload_indices(&self, indices: &[usize]) -> Result<Buffer<u32>> {
        let mut indices: Vec<u32> = indices.iter().map(|&i| i as u32).collect();
        // OpenCL has no empty buffers.
        indices.resize(indices.len().max(1), 0);
        self.gpu.upload(&indices)
    }
}

/// Pads a list to eight with leading values, as an argument for a kernel.
/// `None` if the list is longer.
fn eight(
    padding: i32,
    values: impl ExactSizeIterator<Item = i32>,
) -> Option<[i32; 8]> {
    let mut eight = [padding; 8];
    let first = eight.len().checked_sub(values.len())?;
    for (slot, value) in eight[first..].iter_mut().zip(values) {
        *slot = value;
    }
    Some(eight)
}

/// Copies views of more than eight axes, which the kernel does not take.
fn copy_on_host(
    (a, from): (&Buffer<f32>, &View),
    (out, to): (&Buffer<f32>, &View),
) -> Result<()> {
    let (source, mut target) = (a.read()?, out.read()?);
    for (from, to) in from.offsets().zip(to.offsets()) {
        target[to] = source[from];
    }
    out.write(&target)
}

impl Backend for PlainOpenCl {
    fn name(&self) -> String {
        self.gpu.name().to_string()
    }

    fn memory(&self) -> Memory {
        self.gpu.memory()
    }

    fn synchronize(&self) -> Result<()> {
        self.gpu.finish()
    }

    fn check(&self, arrays: &[&Array]) -> Result<()> {
        self.gpu.check(arrays.iter().map(|a| buffer(&**a.storage())))
    }

    fn upload(&self, values: &[f32], _: DType) -> Result<Shared> {
        self.filled(values.len(), |out| out.write(values))
    }

    fn download(&self, storage: &dyn Storage) -> Result<Vec<f32>> {
        let mut values = buffer(storage).read()?;
        values.truncate(storage.len());
        Ok(values)
    }

    fn uniform(&self, seed: u64, n: usize, _: DType) -> Result<Shared> {
        self.filled(n, |out| {
            self.each(&kernels::UNIFORM, n)
                .output(out)
                .scalar(seed as u32)
                .scalar((seed >> 32) as u32)
                .scalar(n as u32)
                .run()
        })
    }

    fn copy(&self, a: &Array) -> Result<Shared> {
        let dense = View::dense(a.shape());
        self.filled(a.len(), |out| {
            let source = (buffer(&**a.storage()), a.view());
            self.copy_view(source, (out, &dense))
        })
    }

    fn paste(
        &self,
        storage: &mut dyn Storage,
        view: &View,
        a: &Array,
    ) -> Result<()> {
        let source = (buffer(&**a.storage()), a.view());
        self.copy_view(source, (buffer(storage), view))
    }

    fn unary(&self, op: Unary, a: &Array) -> Result<Shared> {
        let kernel = kernels::unary(op);
        let constant = op.constant().unwrap_or_default();
        let (a, n) = (self.dense(a)?, a.len());
        self.filled(n, |out| {
            self.each(&kernel, n)
                .input(buffer(&*a))
                .scalar(constant as f32)
                .output(out)
                .scalar(n as u32)
                .run()
        })
    }

    // ANCHOR: binary
    fn binary(&self, op: Binary, a: &Array, b: &Array) -> Result<Shared> {
        let (a, b, n) = (self.dense(a)?, self.dense(b)?, a.len());
        self.filled(n, |out| {
            self.each(&kernels::binary(op), n)
                .input(buffer(&*a))
                .input(buffer(&*b))
                .output(out)
                .scalar(n as u32)
                .run()
        })
    }
    // ANCHOR_END: binary

    fn where_cond(&self, mask: &Array, a: &Array, b: &Array) -> Result<Shared> {
        let (mask, n) = (self.dense(mask)?, mask.len());
        let (a, b) = (self.dense(a)?, self.dense(b)?);
        self.filled(n, |out| {
            self.each(&kernels::WHERE_COND, n)
                .input(buffer(&*mask))
                .input(buffer(&*a))
                .input(buffer(&*b))
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
        let a = self.dense(a)?;
        self.filled(rows, |out| {
            self.each(&kernels::reduce(op), rows)
                .input(buffer(&*a))
                .scalar(columns as u32)
                .output(out)
                .scalar(rows as u32)
                .run()
        })
    }

    fn matmul(&self, a: &Array, b: &Array) -> Result<Shared> {
        let [batches, m, k] = [0, 1, 2].map(|axis| a.shape()[axis]);
        let n = b.shape()[2];
        let (a, b) = (self.dense(a)?, self.dense(b)?);
        self.filled(batches * m * n, |out| {
            self.gpu
                .launch(&kernels::MATMUL)
                .input(buffer(&*a))
                .input(buffer(&*b))
                .output(out)
                .scalar(batches as u32)
                .scalar(m as u32)
                .scalar(k as u32)
                .scalar(n as u32)
                .global([n, m, batches])
                .local([TILE[0], TILE[1], 1])
                .run()
        })
    }

    fn index_select(&self, a: &Array, indices: &[usize]) -> Result<Shared> {
        let [rows, width] = [0, 1].map(|axis| a.shape()[axis]);
        let (a, count) = (self.dense(a)?, indices.len());
        self.filled(count * width, |out| {
            self.gpu
                .launch(&kernels::INDEX_SELECT)
                .input(buffer(&*a))
                .scalar(rows as u32)
                .scalar(width as u32)
                .input(&self.upload_indices(indices)?)
                .scalar(count as u32)
                .output(out)
                .global([width, count])
                .local(TILE)
                .run()
        })
    }

    fn index_add(
        &self,
        a: &Array,
        indices: &[usize],
        rows: usize,
    ) -> Result<Shared> {
        let (a, width) = (self.dense(a)?, a.shape()[1]);
        self.filled(rows * width, |out| {
            self.gpu
                .launch(&kernels::INDEX_ADD)
                .input(buffer(&*a))
                .scalar(indices.len() as u32)
                .scalar(width as u32)
                .input(&self.upload_indices(indices)?)
                .scalar(rows as u32)
                .output(out)
                .global([width, rows])
                .local(TILE)
                .run()
        })
    }

    fn fold(
        &self,
        a: &Array,
        window: &Window,
        count: usize,
        [height, width]: [usize; 2],
    ) -> Result<Shared> {
        let (a, n) = (self.dense(a)?, count * height * width);
        let [size, stride, dilation] =
            [window.size, window.stride, window.dilation];
        let pairs = [[height, width], size, stride, dilation];
        // A stride or dilation beyond the image is never taken.
        let sizes = pairs.as_flattened().iter();
        let sizes = sizes.map(|&size| size.min(i32::MAX as usize) as i32);
        let sizes = eight(1, sizes).expect("four pairs");
        self.filled(n, |out| {
            self.each(&kernels::FOLD, n)
                .input(buffer(&*a))
                .scalar(sizes)
                .output(out)
                .scalar(n as u32)
                .run()
        })
    }
}
