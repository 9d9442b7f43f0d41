//! The functions that the reader's device leaves to the processor. Their
//! operands are copied to the host by the reader's `download`, the processor
//! computes, and `upload` copies the result back.

use std::any::Any;
use std::cell::Cell;
use std::sync::Arc;

use rungrad::Error;
use rungrad::part3_unified::{Backend, Device};

// Re-exported because the macro's signatures name them.
pub use rungrad::Result;
pub use rungrad::ledger::Memory;
pub use rungrad::part3_unified::{
    Array, Binary, DType, Reduce, Shared, Storage, Unary, View, Window,
};

use crate::ladder::Need;

/// Leaves the listed functions of `Backend` to the processor. Use it inside an
/// `impl Backend`.
#[macro_export]
macro_rules! delegate {
    ($($name:ident),* $(,)?) => { $($crate::left!($name);)* };
}

/// Defines one of these functions. Most are computed by the processor; for
/// those, the array arguments are listed in brackets between the others.
#[doc(hidden)]
#[macro_export]
#[rustfmt::skip]
macro_rules! left {
    (upload) => {
        fn upload(&self, values: &[f32], dtype: $crate::left::DType) -> $crate::left::Result<$crate::left::Shared> {
            $crate::left::upload(self, values, dtype)
        }
    };
    (download) => {
        fn download(&self, storage: &dyn $crate::left::Storage) -> $crate::left::Result<Vec<f32>> {
            $crate::left::download(self, storage)
        }
    };
    (paste) => {
        fn paste(&self, storage: &mut dyn $crate::left::Storage, view: &$crate::left::View, a: &$crate::left::Array) -> $crate::left::Result<()> {
            $crate::left::paste(self, storage, view, a)
        }
    };
    (memory) => {
        fn memory(&self) -> $crate::left::Memory {
            $crate::left::memory(self)
        }
    };
    (unary) => { $crate::left!(unary(op: $crate::left::Unary)[a]()); };
    (binary) => { $crate::left!(binary(op: $crate::left::Binary)[a, b]()); };
    (where_cond) => { $crate::left!(where_cond()[mask, a, b]()); };
    (copy) => { $crate::left!(copy()[a]()); };
    (reduce) => { $crate::left!(reduce(op: $crate::left::Reduce)[a](rows: usize, columns: usize)); };
    (matmul) => { $crate::left!(matmul()[a, b]()); };
    (index_select) => { $crate::left!(index_select()[a](indices: &[usize])); };
    (index_add) => { $crate::left!(index_add()[a](indices: &[usize], rows: usize)); };
    (fold) => { $crate::left!(fold()[a](window: &$crate::left::Window, count: usize, image: [usize; 2])); };
    (uniform) => { $crate::left!(uniform(seed: u64, n: usize, dtype: $crate::left::DType)[]()); };
    ($name:ident($($first:ident: $of:ty),*)[$($array:ident),*]($($last:ident: $by:ty),*)) => {
        fn $name(&self $(, $first: $of)* $(, $array: &$crate::left::Array)* $(, $last: $by)*) -> $crate::left::Result<$crate::left::Shared> {
            $crate::left::on_the_processor(stringify!($name), self, [$($array),*], |it, [$($array),*]| {
                it.$name($($first,)* $(&$array,)* $($last),*)
            })
        }
    };
}

macro_rules! needs {
    ($($name:ident $signature:literal;)*) => {
        $(pub(crate) const $name: Need = need($signature);)*
    };
}

/// Extracts the function's name from its signature.
const fn need(signature: &'static str) -> Need {
    let (_, behind) = signature.split_at(3);
    let mut end = 0;
    while behind.as_bytes()[end] != b'(' {
        end += 1;
    }
    (behind.split_at(end).0, signature)
}

needs! {
    UPLOAD "fn upload(&self, values: &[f32], dtype: DType) -> Result<Shared>";
    DOWNLOAD "fn download(&self, storage: &dyn Storage) -> Result<Vec<f32>>";
    UNARY "fn unary(&self, op: Unary, a: &Array) -> Result<Shared>";
    BINARY "fn binary(&self, op: Binary, a: &Array, b: &Array) -> Result<Shared>";
    WHERE_COND "fn where_cond(&self, mask: &Array, a: &Array, b: &Array) -> Result<Shared>";
    COPY "fn copy(&self, a: &Array) -> Result<Shared>";
    PASTE "fn paste(&self, storage: &mut dyn Storage, view: &View, a: &Array) -> Result<()>";
    REDUCE "fn reduce(&self, op: Reduce, a: &Array, rows: usize, columns: usize) -> Result<Shared>";
    MATMUL "fn matmul(&self, a: &Array, b: &Array) -> Result<Shared>";
    INDEX_SELECT "fn index_select(&self, a: &Array, indices: &[usize]) -> Result<Shared>";
    INDEX_ADD "fn index_add(&self, a: &Array, indices: &[usize], rows: usize) -> Result<Shared>";
    FOLD "fn fold(&self, a: &Array, window: &Window, count: usize, image: [usize; 2]) -> Result<Shared>";
    UNIFORM "fn uniform(&self, seed: u64, n: usize, dtype: DType) -> Result<Shared>";
    MEMORY "fn memory(&self) -> Memory";
}

thread_local! {
    static LEFT: Cell<Option<&'static str>> = const { Cell::new(None) };
}

/// Returns the function that was left to the processor last, and resets it.
pub(crate) fn take_last() -> Option<&'static str> {
    LEFT.take()
}

fn left<T>(name: &'static str, out: T) -> T {
    LEFT.set(Some(name));
    out
}

/// The storage of a device that has no memory yet.
#[derive(Debug)]
struct HostStorage(Vec<f32>);

impl Storage for HostStorage {
    fn len(&self) -> usize {
        self.0.len()
    }
}

/// Stores the values on the host.
pub fn upload(_: &dyn Backend, values: &[f32], _: DType) -> Result<Shared> {
    left("upload", Ok(Arc::new(HostStorage(values.to_vec()))))
}

/// Returns the values stored by [`upload`].
pub fn download(_: &dyn Backend, storage: &dyn Storage) -> Result<Vec<f32>> {
    let any: &dyn Any = storage;
    let numbers = any.downcast_ref::<HostStorage>().map(|it| it.0.clone());
    left("download", numbers.ok_or_else(|| opaque_storage("download")))
}

fn opaque_storage(name: &str) -> Error {
    Error::Mistake(format!(
        "{name}: only your code can read your storage; write this function, \
         too"
    ))
}

/// Computes a function of another device's arrays on the processor.
#[doc(hidden)]
pub fn on_the_processor<const N: usize>(
    name: &'static str,
    own: &dyn Backend,
    of: [&Array; N],
    compute: impl FnOnce(&dyn Backend, [Array; N]) -> Result<Shared>,
) -> Result<Shared> {
    let arrays = of.iter().map(|array| to_processor(own, array));
    let arrays = arrays.collect::<Result<Vec<Array>>>()?;
    let arrays = arrays.try_into().expect("as many as there were");
    let processor = Device::Cpu.backend()?;
    let out = processor.download(&*compute(processor, arrays)?)?;
    left(name, own.upload(&out, DType::F32))
}

/// Copies an array to the processor and recreates its view.
fn to_processor(own: &dyn Backend, a: &Array) -> Result<Array> {
    let all = own.download(&**a.storage())?;
    let all = Array::new(&[all.len()], &all, Device::Cpu)?;
    all.as_strided(a.shape(), a.strides(), a.offset())
}

/// Writes into a storage made by [`upload`]; the reader's own is opaque.
pub fn paste(
    _: &dyn Backend,
    storage: &mut dyn Storage,
    view: &View,
    a: &Array,
) -> Result<()> {
    let mut values = a.to_vec()?.into_iter();
    let any: &mut dyn Any = storage;
    let numbers = any.downcast_mut::<HostStorage>();
    let numbers =
        numbers.ok_or_else(|| left("paste", opaque_storage("paste")))?;
    for (at, value) in view.offsets().zip(&mut values) {
        numbers.0[at] = value;
    }
    left("paste", Ok(()))
}

/// Returns zeros, because only the device can count its memory.
pub fn memory(_: &dyn Backend) -> Memory {
    left("memory", Memory::default())
}
