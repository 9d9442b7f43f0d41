//! The types that mean the same on the host and on a device.

use crate::half::F16;

/// A type that means the same on the host and in a kernel: `f32` is `float`,
/// `u32` is `uint`, `i32` is `int`.
///
/// `f32` is the only one with a fraction, so a literal without a type can be
/// nothing else, and a number of eight bytes does not compile:
///
/// ```compile_fail,E0277
/// # fn seed(gpu: &rungrad::opencl::Gpu) {
/// let seed = gpu.upload(&[1.0_f64]);
/// # }
/// ```
pub trait Element: Stored {}

/// What a buffer's memory may hold. Part 3 keeps numbers of other sizes there,
/// too; and only this crate adds types: a `bool` has no size in OpenCL C.
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

// ANCHOR: stored
// Those that a buffer of Part 3 may hold beside them.
stored! {
    f64 is double;
    F16 is half;
}
// ANCHOR_END: stored

// SAFETY: it is two bytes, as a half of OpenCL is, and any bits are a number.
unsafe impl ocl::OclPrm for F16 {}

// ANCHOR: elements
elements! {
    f32 is float;
    u32 is uint;
    i32 is int;
}
// ANCHOR_END: elements
