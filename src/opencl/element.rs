//! The types that mean the same on the host and on a device.

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
pub trait Element: ocl::OclPrm + Default + sealed::Sealed {
    /// The type's name in OpenCL C.
    const C_NAME: &'static str;
    /// The type's name in Rust.
    const NAME: &'static str;
}

mod sealed {
    /// Only this crate adds elements: a `bool` has no size in OpenCL C.
    pub trait Sealed {}
}

macro_rules! elements {
    ($($rust:ident is $c:ident;)*) => {$(
        impl sealed::Sealed for $rust {}
        impl Element for $rust {
            const C_NAME: &'static str = stringify!($c);
            const NAME: &'static str = stringify!($rust);
        }
    )*};
}

// ANCHOR: elements
elements! {
    f32 is float;
    u32 is uint;
    i32 is int;
}
// ANCHOR_END: elements
