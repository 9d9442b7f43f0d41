//! What a reader's device leaves to the processor: the numbers come to the
//! host by the reader's `download`, the processor computes, and `upload` brings
//! back what came of it.

use std::any::Any;
use std::cell::Cell;
use std::sync::Arc;

use rungrad::Error;
use rungrad::part3_unified::{Backend, Device};

// What a signature that is written by the macro names.
pub use rungrad::Result;
pub use rungrad::ledger::Memory;
pub use rungrad::part3_unified::{
    Array, Binary, DType, Reduce, Shared, Storage, Unary, View, Window,
};

use crate::ladder::Need;

/// Leaves some functions of `Backend` to the processor, inside of an
/// `impl Backend`.
#[macro_export]
macro_rules! delegate {
    ($($name:ident),* $(,)?) => { $($crate::left!($name);)* };
}

/// Writes one of these functions.
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
    (unary) => {
        fn unary(&self, op: $crate::left::Unary, a: &$crate::left::Array) -> $crate::left::Result<$crate::left::Shared> {
            $crate::left::unary(self, op, a)
        }
    };
    (binary) => {
        fn binary(&self, op: $crate::left::Binary, a: &$crate::left::Array, b: &$crate::left::Array) -> $crate::left::Result<$crate::left::Shared> {
            $crate::left::binary(self, op, a, b)
        }
    };
    (where_cond) => {
        fn where_cond(&self, mask: &$crate::left::Array, a: &$crate::left::Array, b: &$crate::left::Array) -> $crate::left::Result<$crate::left::Shared> {
            $crate::left::where_cond(self, mask, a, b)
        }
    };
    (copy) => {
        fn copy(&self, a: &$crate::left::Array) -> $crate::left::Result<$crate::left::Shared> {
            $crate::left::copy(self, a)
        }
    };
    (paste) => {
        fn paste(&self, storage: &mut dyn $crate::left::Storage, view: &$crate::left::View, a: &$crate::left::Array) -> $crate::left::Result<()> {
            $crate::left::paste(self, storage, view, a)
        }
    };
    (reduce) => {
        fn reduce(&self, op: $crate::left::Reduce, a: &$crate::left::Array, rows: usize, columns: usize) -> $crate::left::Result<$crate::left::Shared> {
            $crate::left::reduce(self, op, a, rows, columns)
        }
    };
    (matmul) => {
        fn matmul(&self, a: &$crate::left::Array, b: &$crate::left::Array) -> $crate::left::Result<$crate::left::Shared> {
            $crate::left::matmul(self, a, b)
        }
    };
    (index_select) => {
        fn index_select(&self, a: &$crate::left::Array, indices: &[usize]) -> $crate::left::Result<$crate::left::Shared> {
            $crate::left::index_select(self, a, indices)
        }
    };
    (index_add) => {
        fn index_add(&self, a: &$crate::left::Array, indices: &[usize], rows: usize) -> $crate::left::Result<$crate::left::Shared> {
            $crate::left::index_add(self, a, indices, rows)
        }
    };
    (fold) => {
        fn fold(&self, a: &$crate::left::Array, window: &$crate::left::Window, count: usize, image: [usize; 2]) -> $crate::left::Result<$crate::left::Shared> {
            $crate::left::fold(self, a, window, count, image)
        }
    };
    (uniform) => {
        fn uniform(&self, seed: u64, n: usize, dtype: $crate::left::DType) -> $crate::left::Result<$crate::left::Shared> {
            $crate::left::uniform(self, seed, n, dtype)
        }
    };
    (memory) => {
        fn memory(&self) -> $crate::left::Memory {
            $crate::left::memory(self)
        }
    };
}

macro_rules! needs {
    ($($name:ident $signature:literal;)*) => {
        $(pub(crate) const $name: Need = need($signature);)*
    };
}

/// Finds the name in a signature.
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

/// Returns the function that was left last, and forgets it.
pub(crate) fn last() -> Option<&'static str> {
    LEFT.take()
}

fn left<T>(name: &'static str, out: T) -> T {
    LEFT.set(Some(name));
    out
}

/// Numbers of a device that has no memory of its own yet.
#[derive(Debug)]
struct Lent(Vec<f32>);

impl Storage for Lent {
    fn len(&self) -> usize {
        self.0.len()
    }
}

/// Keeps the numbers on the host.
pub fn upload(_: &dyn Backend, values: &[f32], _: DType) -> Result<Shared> {
    left("upload", Ok(Arc::new(Lent(values.to_vec()))))
}

/// Gives back what [`upload`] has kept.
pub fn download(_: &dyn Backend, storage: &dyn Storage) -> Result<Vec<f32>> {
    let any: &dyn Any = storage;
    let numbers = any.downcast_ref::<Lent>().map(|it| it.0.clone());
    left("download", numbers.ok_or_else(|| alone("download")))
}

fn alone(name: &str) -> Error {
    Error::Mistake(format!(
        "{name}: the storage is yours, and nobody else can look into it; \
         write this function, too"
    ))
}

/// Has the processor compute something of arrays that are elsewhere.
fn on_the_processor<const N: usize>(
    name: &'static str,
    own: &dyn Backend,
    of: [&Array; N],
    compute: impl FnOnce(&dyn Backend, [Array; N]) -> Result<Shared>,
) -> Result<Shared> {
    let here = of.map(|a| brought(own, a));
    let processor = Device::Cpu.backend()?;
    let mut arrays = Vec::new();
    for array in here {
        arrays.push(array?);
    }
    let arrays = arrays.try_into().expect("as many as there were");
    let out = processor.download(&*compute(processor, arrays)?)?;
    left(name, own.upload(&out, DType::F32))
}

/// Brings an array to the processor, with its view.
fn brought(own: &dyn Backend, a: &Array) -> Result<Array> {
    let all = own.download(&**a.storage())?;
    let all = Array::new(&[all.len()], &all, Device::Cpu)?;
    all.as_strided(a.shape(), a.strides(), a.offset())
}

/// Applies `op` to each element.
pub fn unary(own: &dyn Backend, op: Unary, a: &Array) -> Result<Shared> {
    on_the_processor("unary", own, [a], |it, [a]| it.unary(op, &a))
}

/// Applies `op` to each pair.
pub fn binary(
    own: &dyn Backend,
    op: Binary,
    a: &Array,
    b: &Array,
) -> Result<Shared> {
    on_the_processor("binary", own, [a, b], |it, [a, b]| it.binary(op, &a, &b))
}

/// Takes each element of one array or of another.
pub fn where_cond(
    own: &dyn Backend,
    mask: &Array,
    a: &Array,
    b: &Array,
) -> Result<Shared> {
    on_the_processor("where_cond", own, [mask, a, b], |it, [mask, a, b]| {
        it.where_cond(&mask, &a, &b)
    })
}

/// Copies the elements of a view.
pub fn copy(own: &dyn Backend, a: &Array) -> Result<Shared> {
    on_the_processor("copy", own, [a], |it, [a]| it.copy(&a))
}

/// Cannot write into a storage that is the reader's.
pub fn paste(
    _: &dyn Backend,
    storage: &mut dyn Storage,
    view: &View,
    a: &Array,
) -> Result<()> {
    let mut values = a.to_vec()?.into_iter();
    let any: &mut dyn Any = storage;
    let numbers = any.downcast_mut::<Lent>();
    let numbers = numbers.ok_or_else(|| left("paste", alone("paste")))?;
    for (at, value) in view.offsets().zip(&mut values) {
        numbers.0[at] = value;
    }
    left("paste", Ok(()))
}

/// Reduces each row.
pub fn reduce(
    own: &dyn Backend,
    op: Reduce,
    a: &Array,
    rows: usize,
    columns: usize,
) -> Result<Shared> {
    on_the_processor("reduce", own, [a], |it, [a]| {
        it.reduce(op, &a, rows, columns)
    })
}

/// Multiplies matrices.
pub fn matmul(own: &dyn Backend, a: &Array, b: &Array) -> Result<Shared> {
    on_the_processor("matmul", own, [a, b], |it, [a, b]| it.matmul(&a, &b))
}

/// Returns rows at some indices.
pub fn index_select(
    own: &dyn Backend,
    a: &Array,
    indices: &[usize],
) -> Result<Shared> {
    on_the_processor("index_select", own, [a], |it, [a]| {
        it.index_select(&a, indices)
    })
}

/// Adds rows to their places.
pub fn index_add(
    own: &dyn Backend,
    a: &Array,
    indices: &[usize],
    rows: usize,
) -> Result<Shared> {
    on_the_processor("index_add", own, [a], |it, [a]| {
        it.index_add(&a, indices, rows)
    })
}

/// Adds windows up to images.
pub fn fold(
    own: &dyn Backend,
    a: &Array,
    window: &Window,
    count: usize,
    image: [usize; 2],
) -> Result<Shared> {
    on_the_processor("fold", own, [a], |it, [a]| {
        it.fold(&a, window, count, image)
    })
}

/// Draws numbers.
pub fn uniform(
    own: &dyn Backend,
    seed: u64,
    n: usize,
    dtype: DType,
) -> Result<Shared> {
    on_the_processor("uniform", own, [], |it, []| it.uniform(seed, n, dtype))
}

/// Counts nothing: only the device knows.
pub fn memory(_: &dyn Backend) -> Memory {
    left("memory", Memory::default())
}
