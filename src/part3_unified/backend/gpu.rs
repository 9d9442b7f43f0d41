//! An OpenCL device: one kernel for each primitive.

use super::{Array, Backend, Binary, Storage, Unary};
use crate::error::Error;
use crate::opencl::{Buffer, Gpu, kernels};

/// The items of a work-group, enough for any device to fill its units.
const GROUP: usize = 256;

/// The axes that a view may have on the device; see `kernels/part3/copy.cl`.
const AXES: usize = 8;

/// One OpenCL device.
pub(in super::super) struct OpenCl(Gpu);

impl OpenCl {
    pub(in super::super) fn open(index: usize) -> Result<OpenCl, Error> {
        Gpu::open(index).map(OpenCl)
    }

    /// A new buffer for `n` numbers, filled by `launch`. OpenCL has no
    /// buffer of 0 bytes, so an empty array owns one unused number.
    fn fill(
        &self,
        n: usize,
        launch: impl FnOnce(&Buffer<f32>) -> Result<(), Error>,
    ) -> Result<Storage, Error> {
        let out = self.0.allocate(n.max(1))?;
        if n > 0 {
            launch(&out)?;
        }
        Ok(Storage::Gpu(out))
    }
}

impl Backend for OpenCl {
    fn upload(&self, values: &[f32]) -> Result<Storage, Error> {
        let values = if values.is_empty() { &[0.0] } else { values };
        Ok(Storage::Gpu(self.0.upload(values)?))
    }

    fn download(&self, storage: &Storage) -> Result<Vec<f32>, Error> {
        buffer(storage).read()
    }

    fn copy(&self, a: &Array) -> Result<Storage, Error> {
        let (n, axes) = (a.len(), a.shape().len());
        let Some(missing) = AXES.checked_sub(axes) else {
            return Err(Error::Mistake(format!(
                "a view of {axes} axes cannot be copied on an OpenCL \
                 device, which takes {AXES}; reshape it to fewer"
            )));
        };
        let (mut sizes, mut steps) = ([1; AXES], [0; AXES]);
        for (axis, (&size, &step)) in
            a.shape().iter().zip(a.strides()).enumerate()
        {
            sizes[missing + axis] = size as i32;
            steps[missing + axis] = step as i32;
        }
        let all = buffer(a.storage());
        self.fill(n, |out| {
            self.0
                .launch(&kernels::COPY_STRIDED)
                .input(all, all.len())
                .scalar(a.offset() as u32)
                .scalar(sizes)
                .scalar(steps)
                .output(out, n)
                .scalar(n as u32)
                .global(n)
                .local(GROUP)
                .run()
                .map(drop)
        })
    }

    fn unary(&self, op: Unary, a: &Array) -> Result<Storage, Error> {
        let kernel = match op {
            Unary::Exp => kernels::UNARY_EXP,
        };
        let (a, n) = (a.compact()?, a.len());
        self.fill(n, |out| {
            self.0
                .launch(&kernel)
                .input(buffer(a.storage()), a.offset() + n)
                .scalar(a.offset() as u32)
                .output(out, n)
                .scalar(n as u32)
                .global(n)
                .local(GROUP)
                .run()
                .map(drop)
        })
    }

    fn binary(
        &self,
        op: Binary,
        a: &Array,
        b: &Array,
    ) -> Result<Storage, Error> {
        let kernel = match op {
            Binary::Add => kernels::BINARY_ADD,
            Binary::Mul => kernels::BINARY_MUL,
        };
        let (a, b, n) = (a.compact()?, b.compact()?, a.len());
        self.fill(n, |out| {
            self.0
                .launch(&kernel)
                .input(buffer(a.storage()), a.offset() + n)
                .scalar(a.offset() as u32)
                .input(buffer(b.storage()), b.offset() + n)
                .scalar(b.offset() as u32)
                .output(out, n)
                .scalar(n as u32)
                .global(n)
                .local(GROUP)
                .run()
                .map(drop)
        })
    }

    fn sum_rows(
        &self,
        a: &Array,
        rows: usize,
        columns: usize,
    ) -> Result<Storage, Error> {
        self.fill(rows, |out| {
            self.0
                .launch(&kernels::REDUCE_ROWS_SUM)
                .input(buffer(a.storage()), a.offset() + rows * columns)
                .scalar(a.offset() as u32)
                .output(out, rows)
                .scalar(columns as u32)
                .global(rows * GROUP)
                .local(GROUP)
                .run()
                .map(drop)
        })
    }
}

fn buffer(storage: &Storage) -> &Buffer<f32> {
    match storage {
        Storage::Gpu(buffer) => buffer,
        Storage::Cpu(_) => unreachable!("an array knows its device"),
    }
}
