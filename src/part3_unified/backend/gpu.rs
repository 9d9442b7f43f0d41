//! An OpenCL device: one kernel for each primitive.

mod axes;
mod stages;

use std::sync::{Arc, OnceLock};

use self::axes::walk;
use super::super::storage::Shared;
use super::pool::{Pool, Pooled};
use super::{
    Array, Backend, Binary, Memory, Reduce, Storage, Unary, View, Window, own,
};
use crate::error::{Error, zeros};
use crate::opencl::{self, Buffer, Gpu, Kernel, Launch, kernels};

/// The items of a work-group, enough for any device to fill its units.
const GROUP: usize = 256;

/// The side of a tile in `kernels/part3/matmul.cl`.
const TILE: usize = 16;

/// One OpenCL device, and the buffers that wait for their next use.
pub(in super::super) struct OpenCl {
    gpu: Gpu,
    pool: Arc<Pool>,
}

impl OpenCl {
    /// A device is opened once; whoever asks again gets the same.
    pub(in super::super) fn open(
        index: usize,
    ) -> Result<&'static OpenCl, Error> {
        static OPENED: OnceLock<Vec<OnceLock<OpenCl>>> = OnceLock::new();
        let gpu = Gpu::open(index)?;
        let count = opencl::devices()?.len();
        let opened = OPENED
            .get_or_init(|| (0..count).map(|_| OnceLock::new()).collect());
        Ok(opened[index].get_or_init(|| {
            let pool = Pool::new(gpu.info().max_allocation);
            OpenCl { gpu, pool }
        }))
    }

    /// A buffer of somebody else's as a storage.
    pub(in super::super) fn adopt(&self, buffer: Buffer<f32>) -> Shared {
        Arc::new(self.pool.adopt(buffer))
    }
}

// ANCHOR: fill
impl OpenCl {
    /// A new storage for `n` numbers, filled by `launch`. OpenCL has no
    /// buffer of 0 bytes, so an empty array owns one unused number.
    fn fill(
        &self,
        n: usize,
        launch: impl FnOnce(&Buffer<f32>) -> Result<(), Error>,
    ) -> Result<Shared, Error> {
        let out = self.pool.take(&self.gpu, n.max(1))?;
        if n > 0 {
            launch(out.buffer())?;
        }
        Ok(Arc::new(out))
    }
}
// ANCHOR_END: fill

impl OpenCl {
    /// A kernel with one item for each of `n` elements.
    fn each<'a>(&self, kernel: &'a Kernel, n: usize) -> Launch<'a> {
        self.gpu.launch(kernel).global(n).local(GROUP)
    }

    fn places(&self, places: &[usize]) -> Result<Buffer<u32>, Error> {
        let numbers = places.iter().map(|&place| place as u32);
        self.gpu.upload(&numbers.chain([0]).collect::<Vec<_>>())
    }
}

impl Backend for OpenCl {
    fn name(&self) -> String {
        self.gpu.name().to_string()
    }

    fn memory(&self) -> Memory {
        self.pool.memory()
    }

    fn synchronize(&self) -> Result<(), Error> {
        self.gpu.finish()
    }

    fn upload(&self, values: &[f32]) -> Result<Shared, Error> {
        let out = self.pool.take(&self.gpu, values.len().max(1))?;
        if !values.is_empty() {
            out.buffer().write(values)?;
        }
        Ok(Arc::new(out))
    }

    fn download(&self, storage: &dyn Storage) -> Result<Vec<f32>, Error> {
        own::<Pooled>(storage).buffer().read()
    }

    fn uniform(&self, seed: u64, n: usize) -> Result<Shared, Error> {
        self.fill(n, |out| {
            self.each(&kernels::FILL_UNIFORM, n)
                .output(out, n)
                .scalar(seed as u32)
                .scalar((seed >> 32) as u32)
                .scalar(n as u32)
                .run()
                .map(drop)
        })
    }

    fn copy(&self, a: &Array) -> Result<Shared, Error> {
        let Some([shape, steps]) = walk([a.view()]) else {
            return self.copy_by_places(a);
        };
        let n = a.len();
        self.fill(n, |out| {
            self.each(&kernels::COPY_STRIDED, n)
                .input(buffer(a), 1)
                .scalar(a.offset() as u32)
                .scalar(shape)
                .scalar(steps)
                .output(out, n)
                .scalar(n as u32)
                .run()
                .map(drop)
        })
    }

    fn paste(
        &self,
        storage: &mut dyn Storage,
        view: &View,
        a: &Array,
    ) -> Result<(), Error> {
        let (n, a) = (a.len(), a.compact()?);
        let Some([shape, steps]) = walk([view]) else {
            return self.paste_by_places(storage, view, &a);
        };
        self.each(&kernels::COPY_PASTE, n)
            .input(buffer(&a), a.offset() + n)
            .scalar(a.offset() as u32)
            .output(own::<Pooled>(storage).buffer(), 1)
            .scalar(view.offset() as u32)
            .scalar(shape)
            .scalar(steps)
            .scalar(n as u32)
            .run()
            .map(drop)
    }

    fn unary(&self, op: Unary, a: &Array) -> Result<Shared, Error> {
        let (kernel, number) = match op {
            Unary::Scale(number) => (kernels::UNARY_SCALE, number),
            Unary::Shift(number) => (kernels::UNARY_SHIFT, number),
            Unary::Over(number) => (kernels::UNARY_OVER, number),
            Unary::Under(number) => (kernels::UNARY_UNDER, number),
            Unary::Pow(-1.0) => (kernels::UNARY_UNDER, 1.0),
            Unary::Pow(0.5) => (kernels::UNARY_SQRT, 0.0),
            Unary::Pow(2.0) => (kernels::UNARY_SQUARE, 0.0),
            Unary::Pow(number) => (kernels::UNARY_POW, number),
            Unary::Exp => (kernels::UNARY_EXP, 0.0),
            Unary::Log => (kernels::UNARY_LOG, 0.0),
            Unary::Relu => (kernels::UNARY_RELU, 0.0),
            Unary::Tanh => (kernels::UNARY_TANH, 0.0),
            Unary::Sigmoid => (kernels::UNARY_SIGMOID, 0.0),
            Unary::Sin => (kernels::UNARY_SIN, 0.0),
            Unary::Cos => (kernels::UNARY_COS, 0.0),
        };
        let (a, n) = (a.compact()?, a.len());
        self.fill(n, |out| {
            self.each(&kernel, n)
                .input(buffer(&a), a.offset() + n)
                .scalar(a.offset() as u32)
                .scalar(number)
                .output(out, n)
                .scalar(n as u32)
                .run()
                .map(drop)
        })
    }

    fn binary(
        &self,
        op: Binary,
        a: &Array,
        b: &Array,
    ) -> Result<Shared, Error> {
        let (dense, strided) = kernels_of(op);
        let n = a.len();
        if a.is_dense() && b.is_dense() {
            return self.fill(n, |out| {
                self.each(&dense, n)
                    .input(buffer(a), a.offset() + n)
                    .scalar(a.offset() as u32)
                    .input(buffer(b), b.offset() + n)
                    .scalar(b.offset() as u32)
                    .output(out, n)
                    .scalar(n as u32)
                    .run()
                    .map(drop)
            });
        }
        let Some([shape, of_a, of_b]) = walk([a.view(), b.view()]) else {
            return self.binary(op, &a.compact()?, &b.compact()?);
        };
        self.fill(n, |out| {
            self.each(&strided, n)
                .input(buffer(a), 1)
                .scalar(a.offset() as u32)
                .scalar(of_a)
                .input(buffer(b), 1)
                .scalar(b.offset() as u32)
                .scalar(of_b)
                .scalar(shape)
                .output(out, n)
                .scalar(n as u32)
                .run()
                .map(drop)
        })
    }

    fn choose(
        &self,
        mask: &Array,
        a: &Array,
        b: &Array,
    ) -> Result<Shared, Error> {
        let (mask, n) = (mask.compact()?, a.len());
        let (a, b) = (a.compact()?, b.compact()?);
        self.fill(n, |out| {
            self.each(&kernels::CHOOSE_ELEMENTS, n)
                .input(buffer(&mask), mask.offset() + n)
                .scalar(mask.offset() as u32)
                .input(buffer(&a), a.offset() + n)
                .scalar(a.offset() as u32)
                .input(buffer(&b), b.offset() + n)
                .scalar(b.offset() as u32)
                .output(out, n)
                .scalar(n as u32)
                .run()
                .map(drop)
        })
    }

    fn reduce(
        &self,
        op: Reduce,
        a: &Array,
        rows: usize,
        columns: usize,
    ) -> Result<Shared, Error> {
        if a.is_empty() {
            return self.upload(&zeros(rows)?);
        }
        let flat = a.reshape(&[rows, columns])?;
        let strides = (flat.strides()[0], flat.strides()[1]);
        match strides {
            (1, column) if columns > 1 && column > 1 => {
                self.reduce_down(op, &flat)
            }
            (row, 1) if row >= 0 => self.reduce_across(op, &flat),
            _ => self.reduce_across(op, &flat.compact()?),
        }
    }

    fn matmul(&self, a: &Array, b: &Array) -> Result<Shared, Error> {
        let [batch, m, k] = [0, 1, 2].map(|axis| a.shape()[axis]);
        let n = b.shape()[2];
        if k == 0 {
            return self.upload(&zeros(batch * m * n)?);
        }
        let strides = |a: &Array, axis: usize| a.strides()[axis] as i32;
        let strides = [
            strides(a, 0),
            strides(a, 1),
            strides(a, 2),
            strides(b, 0),
            strides(b, 1),
            strides(b, 2),
            batch as i32,
            0,
        ];
        // A device runs so many items and no more; beyond them a group has
        // several matrices.
        let tiles = m.div_ceil(TILE) * n.div_ceil(TILE);
        let most = ((1 << 20) / tiles.max(1)).max(1);
        self.fill(batch * m * n, |out| {
            self.gpu
                .launch(&kernels::BATCH_MATMUL)
                .input(buffer(a), 1)
                .scalar(a.offset() as u32)
                .input(buffer(b), 1)
                .scalar(b.offset() as u32)
                .scalar(strides)
                .output(out, batch * m * n)
                .scalar(m as u32)
                .scalar(k as u32)
                .scalar(n as u32)
                .global([n, m, batch.min(most)])
                .local([TILE, TILE, 1])
                .run()
                .map(drop)
        })
    }

    fn gather(&self, a: &Array, places: &[usize]) -> Result<Shared, Error> {
        let (rows, width) = (a.shape()[0], a.shape()[1]);
        let n = places.len() * width;
        let places = self.places(places)?;
        self.fill(n, |out| {
            self.each(&kernels::GATHER_ROWS, n)
                .input(buffer(a), a.offset() + rows * width)
                .scalar(a.offset() as u32)
                .scalar(rows as u32)
                .scalar(width as u32)
                .input(&places, n / width)
                .output(out, n)
                .scalar(n as u32)
                .run()
                .map(drop)
        })
    }

    fn scatter(
        &self,
        a: &Array,
        places: &[usize],
        rows: usize,
    ) -> Result<Shared, Error> {
        let (given, width) = (a.shape()[0], a.shape()[1]);
        let n = rows * width;
        if n == 0 {
            return self.upload(&[]);
        }
        // Which rows go where: those of place `i` stand in `order` from
        // `starts[i]` to `starts[i + 1]`.
        let mut order: Vec<usize> = (0..given).collect();
        order.sort_by_key(|&row| places[row]);
        let starts: Vec<usize> = (0..=rows)
            .map(|i| order.partition_point(|&row| places[row] < i))
            .collect();
        let (starts, order) = (self.places(&starts)?, self.places(&order)?);
        self.fill(n, |out| {
            self.each(&kernels::SCATTER_ROWS, n)
                .input(buffer(a), 1)
                .scalar(a.offset() as u32)
                .scalar(given as u32)
                .scalar(width as u32)
                .input(&starts, rows + 1)
                .input(&order, given)
                .output(out, n)
                .scalar(n as u32)
                .run()
                .map(drop)
        })
    }

    fn fold(
        &self,
        a: &Array,
        window: &Window,
        count: usize,
        image: [usize; 2],
    ) -> Result<Shared, Error> {
        let ([h, w], places) = (image, window.places(&image)?);
        let sizes = [[h, w], places, window.size, window.step].concat();
        // A step that is too long for a kernel is too long to be made.
        let int = |&size: &usize| i32::try_from(size).unwrap_or(i32::MAX);
        let sizes: Vec<i32> = sizes.iter().map(int).collect();
        let sizes: [i32; 8] = sizes.try_into().expect("four pairs");
        let n = count * h * w;
        self.fill(n, |out| {
            self.each(&kernels::FOLD_WINDOWS, n)
                .input(buffer(a), a.offset() + a.len())
                .scalar(a.offset() as u32)
                .scalar(sizes)
                .output(out, n)
                .scalar(n as u32)
                .run()
                .map(drop)
        })
    }
}

// ANCHOR: binary
/// The kernel for dense operands, and the one for operands with any strides.
fn kernels_of(op: Binary) -> (Kernel, Kernel) {
    match op {
        Binary::Add => (kernels::BINARY_ADD, kernels::STRIDED_ADD),
        Binary::Mul => (kernels::BINARY_MUL, kernels::STRIDED_MUL),
        Binary::Div => (kernels::BINARY_DIV, kernels::STRIDED_DIV),
        Binary::Less => (kernels::BINARY_LESS, kernels::STRIDED_LESS),
        Binary::AtMost => (kernels::BINARY_AT_MOST, kernels::STRIDED_AT_MOST),
        Binary::Equal => (kernels::BINARY_EQUAL, kernels::STRIDED_EQUAL),
    }
}
// ANCHOR_END: binary

fn buffer(a: &Array) -> &Buffer<f32> {
    own::<Pooled>(&**a.storage()).buffer()
}
