//! A wrapper around the reader's device. It records who computed each
//! function, how often and for how long, and checks the length of every
//! result.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use rungrad::ledger::Memory;
use rungrad::part3_unified::{
    AdamStep, Array, Backend, Binary, DType, Device, Reduce, Shared, Storage,
    Unary, View, Window,
};
use rungrad::{Error, Result};

use super::left;

/// The calls of one function.
#[derive(Clone, Copy, Default)]
pub(super) struct CallStats {
    pub(super) times: u32,
    /// How many of the calls were left to the processor.
    pub(super) left: u32,
    pub(super) time: Duration,
}

thread_local! {
    static CALLS: RefCell<BTreeMap<&'static str, CallStats>> = RefCell::default();
}

/// Returns the calls recorded so far and resets the record.
pub(super) fn take_calls() -> BTreeMap<&'static str, CallStats> {
    CALLS.take()
}

/// Returns whether a device leaves a function to the processor. The function
/// is called once, and its result is ignored.
pub(super) fn is_left(device: Device, name: &str) -> bool {
    // If it fails in any other way, the reader has written it.
    let call = || drop(once(device, name));
    drop(take_calls());
    drop(catch_unwind(AssertUnwindSafe(call)));
    take_calls().get(name).is_some_and(|it| it.left > 0)
}

fn once(device: Device, name: &str) -> Result<()> {
    let it = device.backend()?;
    if name == "memory" {
        it.memory();
        return Ok(());
    }
    if name == "uniform" {
        return it.uniform(0, 4, DType::F32).map(drop);
    }
    let mut shared = it.upload(&[1.0, 2.0, 3.0, 4.0], DType::F32)?;
    if name == "upload" || name == "download" {
        return it.download(&*shared).map(drop);
    }
    let a = Array::new(&[2, 2], &[1.0, 2.0, 3.0, 4.0], device)?;
    let cube = a.reshape(&[1, 2, 2])?;
    let window = Window::new([1, 1]);
    let out = match name {
        "unary" => it.unary(Unary::Relu, &a),
        "binary" => it.binary(Binary::Add, &a, &a),
        "where_cond" => it.where_cond(&a, &a, &a),
        "copy" => it.copy(&a),
        "paste" => {
            let alone = std::sync::Arc::get_mut(&mut shared);
            let alone = alone.ok_or_else(|| {
                Error::Mistake("a new storage is shared".to_string())
            })?;
            return it.paste(alone, a.view(), &a);
        }
        "reduce" => it.reduce(Reduce::Sum, &a, 2, 2),
        "matmul" => it.matmul(&cube, &cube),
        "index_select" => it.index_select(&a, &[0]),
        "index_add" => it.index_add(&a, &[0, 0], 1),
        "fold" => {
            let windows = a.reshape(&[1, 2, 2, 1, 1])?;
            it.fold(&windows, &window, 1, [2, 2])
        }
        name => unreachable!("{name} is not a function of a device"),
    };
    out.map(drop)
}

/// Forwards every call of Part 3 to the reader's device and records it.
pub(super) struct Watched;

static INNER: OnceLock<&'static dyn Backend> = OnceLock::new();

impl Watched {
    pub(super) fn over(backend: &'static dyn Backend) {
        assert!(INNER.set(backend).is_ok(), "a program has one device");
    }

    fn inner(&self) -> &'static dyn Backend {
        *INNER.get().expect("a program has a device")
    }

    fn watch<T>(
        &self,
        name: &'static str,
        work: impl FnOnce(&'static dyn Backend) -> T,
    ) -> T {
        left::take_last();
        let start = Instant::now();
        let out = work(self.inner());
        let (time, left) = (start.elapsed(), left::take_last() == Some(name));
        CALLS.with_borrow_mut(|all| {
            let it = all.entry(name).or_default();
            it.times += 1;
            it.left += u32::from(left);
            it.time += time;
        });
        out
    }

    /// Records a call whose result must have `numbers` elements.
    fn checked(
        &self,
        name: &'static str,
        numbers: usize,
        work: impl FnOnce(&'static dyn Backend) -> Result<Shared>,
    ) -> Result<Shared> {
        let out = self.watch(name, work)?;
        match out.len() {
            len if len == numbers => Ok(out),
            len => Err(Error::Mistake(format!(
                "{name}: the result has length {numbers}, but your storage has \
                 length {len}"
            ))),
        }
    }
}

/// Forwards functions and checks the number of elements in their results.
macro_rules! checked {
    ($($name:ident($($argument:ident: $type:ty),*) $elements:expr;)*) => {
        $(fn $name(&self, $($argument: $type),*) -> Result<Shared> {
            let elements = $elements;
            let pass = |it: &dyn Backend| it.$name($($argument),*);
            self.checked(stringify!($name), elements, pass)
        })*
    };
}

impl Backend for Watched {
    fn name(&self) -> String {
        "mine".to_string()
    }

    fn memory(&self) -> Memory {
        self.watch("memory", |it| it.memory())
    }

    fn synchronize(&self) -> Result<()> {
        self.inner().synchronize()
    }

    fn realize(&self, a: &Array) -> Result<()> {
        self.inner().realize(a)
    }

    fn upload(&self, values: &[f32], dtype: DType) -> Result<Shared> {
        self.checked("upload", values.len(), |it| it.upload(values, dtype))
    }

    fn download(&self, storage: &dyn Storage) -> Result<Vec<f32>> {
        self.watch("download", |it| it.download(storage))
    }

    fn paste(
        &self,
        storage: &mut dyn Storage,
        view: &View,
        a: &Array,
    ) -> Result<()> {
        self.watch("paste", |it| it.paste(storage, view, a))
    }

    checked! {
        uniform(seed: u64, n: usize, dtype: DType) n;
        copy(a: &Array) a.len();
        unary(op: Unary, a: &Array) a.len();
        binary(op: Binary, a: &Array, b: &Array) a.len();
        where_cond(mask: &Array, a: &Array, b: &Array) a.len();
        reduce(op: Reduce, a: &Array, rows: usize, columns: usize) rows;
        matmul(a: &Array, b: &Array) a.shape()[0] * a.shape()[1] * b.shape()[2];
        index_select(a: &Array, indices: &[usize]) indices.len() * a.shape()[1];
        index_add(a: &Array, indices: &[usize], rows: usize) rows * a.shape()[1];
        fold(a: &Array, window: &Window, count: usize, image: [usize; 2])
            count * image[0] * image[1];
    }

    // Optional functions are forwarded without a check.

    fn max_backward(
        &self,
        a: &Array,
        most: &Array,
        grads: &Array,
        axes: &[usize],
    ) -> Result<Shared> {
        self.inner().max_backward(a, most, grads, axes)
    }

    /// Recorded as `matmul`: that is its default implementation.
    fn contract(
        &self,
        a: &Array,
        b: &Array,
        batch: usize,
        inner: usize,
    ) -> Result<Shared> {
        self.watch("matmul", |it| it.contract(a, b, batch, inner))
    }

    fn softmax(&self, a: &Array) -> Result<Shared> {
        self.inner().softmax(a)
    }

    fn log_softmax(&self, a: &Array) -> Result<Shared> {
        self.inner().log_softmax(a)
    }

    fn adam_step(
        &self,
        step: &AdamStep,
        of: &[[&Array; 4]],
    ) -> Result<Vec<[Array; 3]>> {
        self.inner().adam_step(step, of)
    }
}
