//! Prints the call stack from `x + 1.0` down to the kernel, and in backward. A
//! device forwards every call and first inspects the stack for its callers.

use std::backtrace::Backtrace;
use std::cell::RefCell;
use std::process::ExitCode;

use rungrad::Error;
use rungrad::ledger::Memory;
use rungrad::opencl::record;
use rungrad::part3_unified::{
    Array, Backend, Binary, DType, Device, Reduce, Shared, Storage, Tensor,
    Unary, View, Window,
};
use rungrad::timeline::SliceKind;

/// The first OpenCL device, with its calls printed.
struct Overheard;

// ANCHOR: passed-on
/// Defines each primitive: print the callers, then forward to the device.
macro_rules! passed_on {
    ($($name:ident($($given:ident: $kind:ty),*) -> $result:ty;)*) => {$(
        fn $name(&self, $($given: $kind),*) -> $result {
            show_callers(stringify!($name));
            below()?.$name($($given),*)
        }
    )*};
}

fn below() -> Result<&'static dyn Backend, Error> {
    Device::Gpu(0).backend()
}
// ANCHOR_END: passed-on

impl Backend for Overheard {
    fn name(&self) -> String {
        "overheard".to_string()
    }

    fn memory(&self) -> Memory {
        below().map_or(Memory::default(), |device| device.memory())
    }

    passed_on! {
        synchronize() -> Result<(), Error>;
        upload(values: &[f32], dtype: DType) -> Result<Shared, Error>;
        download(storage: &dyn Storage) -> Result<Vec<f32>, Error>;
        uniform(seed: u64, n: usize, dtype: DType) -> Result<Shared, Error>;
        copy(a: &Array) -> Result<Shared, Error>;
        paste(to: &mut dyn Storage, place: &View, a: &Array)
            -> Result<(), Error>;
        unary(op: Unary, a: &Array) -> Result<Shared, Error>;
        binary(op: Binary, a: &Array, b: &Array) -> Result<Shared, Error>;
        where_cond(mask: &Array, a: &Array, b: &Array) -> Result<Shared, Error>;
        reduce(op: Reduce, a: &Array, rows: usize, columns: usize)
            -> Result<Shared, Error>;
        matmul(a: &Array, b: &Array) -> Result<Shared, Error>;
        index_select(a: &Array, indices: &[usize]) -> Result<Shared, Error>;
        index_add(a: &Array, indices: &[usize], rows: usize)
            -> Result<Shared, Error>;
        fold(a: &Array, window: &Window, count: usize, image: [usize; 2])
            -> Result<Shared, Error>;
    }
}

thread_local! {
    /// The callers that were printed last; `None` while tracing is off.
    static SHOWN: RefCell<Option<Vec<(String, String)>>> =
        const { RefCell::new(None) };
}

/// Prints the functions of Part 3 on the call stack, outermost first,
/// beginning with the first that differs from the previous call.
fn show_callers(primitive: &str) {
    let Some(shown) = SHOWN.take() else { return };
    let stack = Backtrace::force_capture().to_string();
    let lines: Vec<&str> = stack.lines().map(str::trim).collect();
    let frames = lines.windows(2).filter_map(|pair| {
        let (_, file) = pair[1].split_once("/part3_unified/")?;
        let (_, name) = pair[0].split_once(": ")?;
        let file = file.split(':').next()?;
        (!name.starts_with('{')).then(|| (short(name), file.to_string()))
    });
    let mut frames: Vec<_> = frames.collect();
    frames.reverse();
    frames.push((primitive.to_string(), "backend.rs".to_string()));
    let pairs = frames.iter().zip(&shown);
    let same = pairs.take_while(|(a, b)| a == b).count();
    for (depth, (name, file)) in frames.iter().enumerate().skip(same) {
        let name = format!("{}{name}", "  ".repeat(depth));
        println!("  {name:<36}{file}");
    }
    SHOWN.set(Some(frames));
}

/// Returns `apply<Shift>` for `function::apply::<rungrad::functions::Shift>`,
/// and the last component of other paths, such as `forward` for `<Shift as
/// Function>::forward`. A closure has no name.
fn short(name: &str) -> String {
    let last = |path: &str| {
        let path = path.trim_end_matches("::");
        path.rsplit("::").next().unwrap_or("").to_string()
    };
    match name.split_once('<') {
        Some((function, kind))
            if name.ends_with('>') && !function.is_empty() =>
        {
            match kind.contains('{') {
                true => last(function),
                false => format!("{}<{}", last(function), last(kind)),
            }
        }
        _ => last(name),
    }
}

/// Runs one expression and prints what reached the queue.
fn traced<T>(what: &str, work: impl FnOnce() -> T) -> Result<T, Error> {
    println!("{what}");
    SHOWN.set(Some(Vec::new()));
    let (value, timeline) = record(work)?;
    SHOWN.set(None);
    let slices = timeline.slices.iter();
    for slice in slices.filter(|slice| slice.kind != SliceKind::Build) {
        println!("  the queue: {} {}", slice.name, slice.amount);
    }
    println!();
    Ok(value)
}

// ANCHOR: part3-trace
fn traces() -> Result<(), Error> {
    let plain = Tensor::new(&[3], &[1.0, 2.0, 3.0], Device::Gpu(0))?;
    let x = plain.to(Device::register(&Overheard))?.requires_grad();

    let y = traced("x + 1.0", || &x + 1.0)?;
    let values = traced("y.to_vec()", || y.to_vec())??;
    println!("{values:?}\n");

    let z = x.sum().sin();
    traced("z.backward()", || z.backward())
}
// ANCHOR_END: part3-trace

fn main() -> ExitCode {
    rungrad::run(traces)
}
