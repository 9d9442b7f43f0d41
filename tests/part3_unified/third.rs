//! A registered device that passes every call on to `plain:cpu`, and that can
//! be told to reject uploads.

use std::cell::Cell;

use rungrad::ledger::Memory;
use rungrad::part3_unified::{
    Array, Backend, Binary, DType, Device, Reduce, Shared, Storage, Unary,
    View, Window,
};
use rungrad::{Error, Result};

pub(crate) fn device() -> Device {
    static THIRD: Third = Third("third");
    Device::register(&THIRD)
}

/// The device and its name.
pub(crate) struct Third(pub(crate) &'static str);

thread_local! {
    static ROOM: Cell<usize> = const { Cell::new(usize::MAX) };
}

/// Runs `work` while the device accepts only this number of uploads.
pub(crate) fn with_room_for<T>(uploads: usize, work: impl FnOnce() -> T) -> T {
    let before = ROOM.replace(uploads);
    let value = work();
    ROOM.set(before);
    value
}

fn plain() -> &'static dyn Backend {
    Device::PlainCpu.backend().unwrap()
}

impl Backend for Third {
    fn name(&self) -> String {
        self.0.to_string()
    }

    fn memory(&self) -> Memory {
        plain().memory()
    }

    fn synchronize(&self) -> Result<()> {
        plain().synchronize()
    }

    fn upload(&self, values: &[f32], dtype: DType) -> Result<Shared> {
        let Some(room) = ROOM.get().checked_sub(1) else {
            return Err(Error::Device("third: there is no room".into()));
        };
        ROOM.set(room);
        plain().upload(values, dtype)
    }

    fn download(&self, storage: &dyn Storage) -> Result<Vec<f32>> {
        plain().download(storage)
    }

    fn uniform(&self, seed: u64, n: usize, dtype: DType) -> Result<Shared> {
        plain().uniform(seed, n, dtype)
    }

    fn copy(&self, a: &Array) -> Result<Shared> {
        plain().copy(a)
    }

    fn paste(
        &self,
        storage: &mut dyn Storage,
        view: &View,
        a: &Array,
    ) -> Result<()> {
        plain().paste(storage, view, a)
    }

    fn unary(&self, op: Unary, a: &Array) -> Result<Shared> {
        plain().unary(op, a)
    }

    fn binary(&self, op: Binary, a: &Array, b: &Array) -> Result<Shared> {
        plain().binary(op, a, b)
    }

    fn where_cond(&self, mask: &Array, a: &Array, b: &Array) -> Result<Shared> {
        plain().where_cond(mask, a, b)
    }

    fn reduce(
        &self,
        op: Reduce,
        a: &Array,
        rows: usize,
        columns: usize,
    ) -> Result<Shared> {
        plain().reduce(op, a, rows, columns)
    }

    fn matmul(&self, a: &Array, b: &Array) -> Result<Shared> {
        plain().matmul(a, b)
    }

    fn index_select(&self, a: &Array, indices: &[usize]) -> Result<Shared> {
        plain().index_select(a, indices)
    }

    fn index_add(
        &self,
        a: &Array,
        indices: &[usize],
        rows: usize,
    ) -> Result<Shared> {
        plain().index_add(a, indices, rows)
    }

    fn fold(
        &self,
        a: &Array,
        window: &Window,
        count: usize,
        image: [usize; 2],
    ) -> Result<Shared> {
        plain().fold(a, window, count, image)
    }
}
