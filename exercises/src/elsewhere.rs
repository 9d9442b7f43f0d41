//! Devices that store values and compute nothing. They are enough to test
//! where an array is, what was copied to move it there, and what happens when
//! two devices are mixed. They exist on every machine.

use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use rungrad::Error;
use rungrad::ledger::Memory;
use rungrad::part3_unified::{
    Array, Backend, Binary, DType, Device, Reduce, Shared, Storage, Unary,
    View, Window,
};

/// Returns a device other than the processor.
pub fn elsewhere() -> Device {
    static ELSEWHERE: Holder = Holder("elsewhere");
    Device::register(&ELSEWHERE)
}

/// Returns another such device with the same name.
pub fn namesake() -> Device {
    static NAMESAKE: Holder = Holder("the processor");
    Device::register(&NAMESAKE)
}

/// Returns the numbers of copies to and from these devices so far.
pub fn copies() -> [usize; 2] {
    [&UP, &DOWN].map(|count| count.load(Ordering::Relaxed))
}

static UP: AtomicUsize = AtomicUsize::new(0);
static DOWN: AtomicUsize = AtomicUsize::new(0);

struct Holder(&'static str);

struct Numbers(Vec<f32>);

impl Storage for Numbers {
    fn len(&self) -> usize {
        self.0.len()
    }
}

impl fmt::Debug for Numbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} f32 elsewhere", self.0.len())
    }
}

fn numbers(storage: &dyn Storage) -> &[f32] {
    let storage: &dyn Any = storage;
    &storage.downcast_ref::<Numbers>().expect("a storage of this file").0
}

impl Holder {
    fn refuse<T>(&self, what: &str) -> Result<T, Error> {
        Err(Error::Mistake(format!(
            "{what}: the device \"{}\" of this check stores data but computes \
             nothing; move the tensor to the processor first",
            self.0
        )))
    }
}

impl Backend for Holder {
    fn name(&self) -> String {
        self.0.to_string()
    }

    fn memory(&self) -> Memory {
        Memory::default()
    }

    fn synchronize(&self) -> Result<(), Error> {
        Ok(())
    }

    fn upload(&self, values: &[f32], _: DType) -> Result<Shared, Error> {
        UP.fetch_add(1, Ordering::Relaxed);
        Ok(Arc::new(Numbers(values.to_vec())))
    }

    fn download(&self, storage: &dyn Storage) -> Result<Vec<f32>, Error> {
        DOWN.fetch_add(1, Ordering::Relaxed);
        Ok(numbers(storage).to_vec())
    }

    fn uniform(&self, _: u64, _: usize, _: DType) -> Result<Shared, Error> {
        self.refuse("rand")
    }

    fn copy(&self, a: &Array) -> Result<Shared, Error> {
        let all = numbers(&**a.storage());
        let elements = a.view().offsets().map(|at| all[at]).collect();
        Ok(Arc::new(Numbers(elements)))
    }

    fn paste(
        &self,
        _: &mut dyn Storage,
        _: &View,
        _: &Array,
    ) -> Result<(), Error> {
        self.refuse("set")
    }

    fn unary(&self, _: Unary, _: &Array) -> Result<Shared, Error> {
        self.refuse("an operation of one operand")
    }

    fn binary(
        &self,
        op: Binary,
        _: &Array,
        _: &Array,
    ) -> Result<Shared, Error> {
        self.refuse(op.name())
    }

    fn where_cond(
        &self,
        _: &Array,
        _: &Array,
        _: &Array,
    ) -> Result<Shared, Error> {
        self.refuse("where_cond")
    }

    fn reduce(
        &self,
        op: Reduce,
        _: &Array,
        _: usize,
        _: usize,
    ) -> Result<Shared, Error> {
        self.refuse(op.name())
    }

    fn matmul(&self, _: &Array, _: &Array) -> Result<Shared, Error> {
        self.refuse("matmul")
    }

    fn index_select(&self, _: &Array, _: &[usize]) -> Result<Shared, Error> {
        self.refuse("index_select")
    }

    fn index_add(
        &self,
        _: &Array,
        _: &[usize],
        _: usize,
    ) -> Result<Shared, Error> {
        self.refuse("index_add")
    }

    fn fold(
        &self,
        _: &Array,
        _: &Window,
        _: usize,
        _: [usize; 2],
    ) -> Result<Shared, Error> {
        self.refuse("fold")
    }
}
