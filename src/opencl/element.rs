//! The types that have the same representation on the host and on a device.

use crate::half::F16;

/// A type that has the same representation on the host and in a kernel: `f32`
/// is `float`, `u32` is `uint`, `i32` is `int`.
///
/// `f32` is the only floating-point type among them, so a literal without a
/// type is always `f32`, and an `f64` does not compile:
///
/// ```compile_fail,E0277
/// # fn seed(gpu: &rungrad::opencl::Gpu) {
/// let seed = gpu.upload(&[1.0_f64]);
/// # }
/// ```
pub trait Element: Stored {}

/// A type that a buffer's memory may hold. Part 3 also stores types of other
/// sizes. Only this crate can implement it, because, for example, `bool` has
/// no defined size in OpenCL C.
pub trait Stored: ocl::OclPrm + Default {
    /// The type's name in OpenCL C.
    const C_NAME: &'static str;
    /// The type's name in Rust.
    const NAME: &'static str;
}

macro_rules! stored {
    ($($rust:ident is $c:ident;)*) => {$(
        impl Stored for $rust {
            const C_NAME: &'static str = stringify!($c);
            const NAME: &'static str = stringify!($rust);
        }
    )*};
}

macro_rules! elements {
    ($($rust:ident is $c:ident;)*) => {$(
        stored! { $rust is $c; }
        impl Element for $rust {}
    )*};
}

// Additional types that a buffer of Part 3 may hold.
stored! {
    f64 is double;
    F16 is half;
}

// SAFETY: it is two bytes, like OpenCL's `half`, and every bit pattern is a
// value.
unsafe impl ocl::OclPrm for F16 {}

// ANCHOR: elements
elements! {
    f32 is float;
    u32 is uint;
    i32 is int;
}
// ANCHOR_END: elements
