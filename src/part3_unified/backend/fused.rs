//! A lazy device, built in "Kernels that write themselves": it computes
//! nothing until somebody asks for numbers, and then all that they are made of
//! in one kernel, which it writes.
//!
//! Reading order: [`Fused`], what it puts off and what it hands on; `lazy`, a
//! storage that is a wish until it is wanted; `found`, what stands behind it; `schedule`,
//! which kernels it takes; `together`, sums of a step that take one launch;
//! `loops`, the same on the processor.

mod found;
mod lazy;
mod loops;
mod schedule;
mod together;

use std::sync::{Arc, Mutex, OnceLock};

use smallvec::SmallVec;

use self::lazy::{Lazy, What, Wish};
use self::schedule::Known;
use super::super::device::Device;
use super::gpu::OpenCl;
use super::{
    AdamStep, Array, Backend, Binary, DType, Memory, Reduce, Shared, Storage,
    Unary, View, Window, downcast, log_softmax, max_share, softmax,
};
use crate::error::Result;
use crate::opencl;

/// A device that puts off what another one can compute.
pub(in super::super) struct Fused {
    /// The device that holds the numbers.
    base: Device,
    known: Mutex<Known>,
}

impl Fused {
    /// Opens the lazy device above an OpenCL device, once.
    pub(in super::super) fn open(index: usize) -> Result<&'static Fused> {
        static OPENED: OnceLock<Vec<OnceLock<Fused>>> = OnceLock::new();
        // It refuses where the device below does.
        OpenCl::open(index)?;
        let count = opencl::devices()?.len();
        let all = OPENED
            .get_or_init(|| (0..count).map(|_| OnceLock::new()).collect());
        Ok(all[index].get_or_init(|| Fused::over(Device::Gpu(index))))
    }

    /// Opens the one above the processor.
    pub(in super::super) fn on_the_processor() -> &'static Fused {
        static OPENED: OnceLock<Fused> = OnceLock::new();
        OPENED.get_or_init(|| Fused::over(Device::Cpu))
    }

    fn over(base: Device) -> Fused {
        Fused { base, known: Mutex::new(Known::default()) }
    }

    fn base(&self) -> Result<&'static dyn Backend> {
        self.base.backend()
    }

    /// Returns the OpenCL device below.
    fn gpu(&self) -> Result<Option<&'static OpenCl>> {
        match self.base {
            Device::Gpu(index) => OpenCl::open(index).map(Some),
            _ => Ok(None),
        }
    }

    /// Wishes for something.
    fn wish(&self, what: What, shape: &[usize]) -> Result<Shared> {
        let device = match self.base {
            Device::Gpu(index) => Fused::open(index)?,
            _ => Fused::on_the_processor(),
        };
        let mut wish = Wish::new(what, shape);
        while let Some(largest) = wish.too_much() {
            device.compute(largest.storage())?;
            wish = wish.measured();
        }
        Ok(Lazy::waiting(device, wish))
    }

    /// Returns an array of the device below, computed if it was not.
    fn ready(&self, a: &Array) -> Result<Array> {
        let storage = self.compute(a.storage())?;
        Ok(Array { device: self.base, storage, view: a.view.clone() })
    }

    /// Hands an operation on to the device below.
    fn now<const N: usize>(
        &self,
        arrays: [&Array; N],
        compute: impl FnOnce(&dyn Backend, [&Array; N]) -> Result<Shared>,
    ) -> Result<Shared> {
        self.handed_on(arrays, compute).map(Lazy::ready)
    }

    fn handed_on<const N: usize, T>(
        &self,
        arrays: [&Array; N],
        compute: impl FnOnce(&dyn Backend, [&Array; N]) -> Result<T>,
    ) -> Result<T> {
        let mut ready: SmallVec<[Array; 4]> = SmallVec::new();
        for array in arrays {
            ready.push(self.ready(array)?);
        }
        let given = std::array::from_fn(|i| &ready[i]);
        compute(self.base()?, given)
    }
}

/// Says whether written kernels can count so many.
fn is_counted(n: usize) -> bool {
    (1..1 << 31).contains(&n)
}

/// Says whether they compute with an array. Numbers of 64 and 16 bits have the
/// kernels of the device below.
fn is_written(a: &Array) -> bool {
    is_counted(a.len()) && is_single(a)
}

fn is_single(a: &Array) -> bool {
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
            ([number], DType::F32) => self.wish(What::Number(*number), &[]),
            _ => Ok(Lazy::ready(self.base()?.upload(values, dtype)?)),
        }
    }

    fn download(&self, storage: &dyn Storage) -> Result<Vec<f32>> {
        let lazy = downcast::<Lazy>(storage);
        match lazy.number() {
            Some(number) => Ok(vec![number]),
            None => self.base()?.download(&*lazy.computed()?),
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
        match is_written(a) {
            true => self.wish(What::View(a.clone()), a.shape()),
            false => self.now([a], |base, [a]| base.copy(a)),
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
        match is_written(a) {
            true => self.wish(What::Unary(op, a.clone()), a.shape()),
            false => self.now([a], |base, [a]| base.unary(op, a)),
        }
    }

    // ANCHOR: binary
    fn binary(&self, op: Binary, a: &Array, b: &Array) -> Result<Shared> {
        match is_written(a) {
            true => {
                let pair = [a.clone(), b.clone()];
                self.wish(What::Binary(op, pair), a.shape())
            }
            false => self.now([a, b], |base, [a, b]| base.binary(op, a, b)),
        }
    }
    // ANCHOR_END: binary

    fn where_cond(&self, mask: &Array, a: &Array, b: &Array) -> Result<Shared> {
        let all = [mask, a, b];
        match is_written(a) {
            true => self.wish(What::Choice(all.map(Array::clone)), a.shape()),
            false => self.now(all, |base, [m, a, b]| base.where_cond(m, a, b)),
        }
    }

    fn reduce(
        &self,
        op: Reduce,
        a: &Array,
        rows: usize,
        columns: usize,
    ) -> Result<Shared> {
        match is_written(a) {
            true => {
                let sizes = [rows, columns];
                let shape = &a.shape()[..kept(a.shape(), rows)];
                self.wish(What::Join(op, a.clone(), sizes), shape)
            }
            false => {
                self.now([a], |base, [a]| base.reduce(op, a, rows, columns))
            }
        }
    }

    fn max_share(
        &self,
        a: &Array,
        most: &Array,
        grads: &Array,
        axes: &[usize],
    ) -> Result<Shared> {
        match is_single(a) {
            true => max_share(a, most, grads, axes),
            false => self.now([a, most, grads], |base, [a, most, grads]| {
                base.max_share(a, most, grads, axes)
            }),
        }
    }

    fn softmax(&self, a: &Array) -> Result<Shared> {
        match is_single(a) {
            true => softmax(a),
            false => self.now([a], |base, [a]| base.softmax(a)),
        }
    }

    fn log_softmax(&self, a: &Array) -> Result<Shared> {
        match is_single(a) {
            true => log_softmax(a),
            false => self.now([a], |base, [a]| base.log_softmax(a)),
        }
    }

    fn adam_step(
        &self,
        step: &AdamStep,
        of: &[[&Array; 4]],
    ) -> Result<Vec<[Array; 3]>> {
        let device = of.first().map_or(self.base, |[x, ..]| x.device());
        self.compute_sums(of.iter().map(|[_, grad, ..]| *grad))?;
        let ready = |a: &&Array| self.ready(a);
        let ready: Vec<Array> =
            of.iter().flatten().map(ready).collect::<Result<_>>()?;
        let of: Vec<[&Array; 4]> = ready
            .chunks_exact(4)
            .map(|of| [0, 1, 2, 3].map(|i| &of[i]))
            .collect();
        let made = self.base()?.adam_step(step, &of)?;
        let here = |a: Array| Array {
            device,
            storage: Lazy::ready(a.storage),
            view: a.view,
        };
        Ok(made.into_iter().map(|of| of.map(here)).collect())
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
        of: [&Array; 3],
        heads: usize,
    ) -> Result<Shared> {
        self.now(of, |base, of| base.self_attention_grads(of, heads))
    }

    fn layer_norm(&self, of: [&Array; 3], epsilon: f64) -> Result<Shared> {
        self.now(of, |base, of| base.layer_norm(of, epsilon))
    }

    fn layer_norm_grads(
        &self,
        of: [&Array; 3],
        epsilon: f64,
    ) -> Result<[Shared; 3]> {
        self.norm_grads(of, epsilon)
    }

    fn index_select(&self, a: &Array, indices: &[usize]) -> Result<Shared> {
        let width = a.shape()[1];
        match is_counted(indices.len() * width) && is_written(a) {
            true => {
                let shape = [indices.len(), width];
                let places = self.places(indices)?;
                self.wish(What::Pick(places, a.clone(), width), &shape)
            }
            false => self.now([a], |base, [a]| base.index_select(a, indices)),
        }
    }

    fn index_add(
        &self,
        a: &Array,
        indices: &[usize],
        rows: usize,
    ) -> Result<Shared> {
        match block(a, indices, rows) {
            Some(block) => {
                let places = self.places(indices)?;
                self.wish(What::Spread(places, a.clone(), block), &[rows])
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

/// Counts the axes in front that make so many rows.
fn kept(shape: &[usize], rows: usize) -> usize {
    let is_between =
        |cut: &usize| shape[..*cut].iter().product::<usize>() == rows;
    (0..=shape.len()).rev().find(is_between).unwrap_or(0)
}

/// Finds the size of blocks of which each gets one number: then it is known
/// where each element comes from.
fn block(a: &Array, indices: &[usize], rows: usize) -> Option<usize> {
    let n = indices.len();
    if a.shape()[1] != 1
        || !is_single(a)
        || !is_counted(rows)
        || n == 0
        || !rows.is_multiple_of(n)
    {
        return None;
    }
    let block = rows / n;
    let own = indices.iter().enumerate();
    own.into_iter().all(|(i, at)| at / block == i).then_some(block)
}

impl Fused {
    /// Keeps integers where a kernel can read them.
    fn places(&self, indices: &[usize]) -> Result<lazy::Integers> {
        Ok(match self.gpu()? {
            Some(gpu) => lazy::Integers::Sent(gpu.upload_indices(indices)?),
            None => lazy::Integers::Here(Arc::from(indices)),
        })
    }
}
