//! The arguments of a launch, and whether they match the kernel's parameters.

use std::sync::Arc;

use ocl::core::KernelArgAddressQualifier as Address;
use ocl::core::{self, ArgVal};
use ocl::prm::Int8;

use super::buffer::Contents;
use super::device::DeviceInfo;
use super::element::Stored;
use super::signature::Parameter;

/// An argument that has not been compared with its parameter yet.
pub(super) enum Argument<'a> {
    Buffer {
        contents: &'a Arc<Contents>,
        device: &'static DeviceInfo,
        len: usize,
        at_least: usize,
        /// The size of a value in bytes.
        size: usize,
        type_name: &'static str,
        written: bool,
    },
    Scalar(Scalar),
}

/// A scalar argument of a kernel.
#[derive(Clone, Copy, Debug)]
pub enum Scalar {
    /// `float`.
    F32(f32),
    /// `double`. It has no `From` conversion, so that a literal without a type
    /// is always `float`.
    F64(f64),
    /// `uint`.
    U32(u32),
    /// `int`.
    I32(i32),
    /// `int8`: eight sizes or strides at once. `uint8` is not supported,
    /// because `ocl` 0.19 gives its elements one byte each.
    I32x8([i32; 8]),
}

macro_rules! scalars {
    ($($variant:ident is $rust:ty, $c:expr;)*) => {
        impl Scalar {
            fn type_name(self) -> &'static str {
                match self {
                    Scalar::F64(_) => f64::C_NAME,
                    $(Scalar::$variant(_) => $c,)*
                }
            }
        }

        $(impl From<$rust> for Scalar {
            fn from(value: $rust) -> Scalar {
                Scalar::$variant(value)
            }
        })*
    };
}

scalars! {
    F32 is f32, f32::C_NAME;
    U32 is u32, u32::C_NAME;
    I32 is i32, i32::C_NAME;
    I32x8 is [i32; 8], "int8";
}

/// The part of an argument that the driver needs.
pub(super) enum Value {
    Memory { contents: Arc<Contents>, written: bool },
    Number(Scalar),
}

impl Value {
    /// Sets this as the argument `index` of `kernel`.
    pub(super) fn set(
        &self,
        kernel: &core::Kernel,
        index: u32,
    ) -> Result<(), core::Error> {
        let set = |value| core::set_kernel_arg(kernel, index, value);
        match self {
            Value::Memory { contents, .. } => set(ArgVal::mem(contents)),
            Value::Number(scalar) => match *scalar {
                Scalar::F32(value) => set(ArgVal::scalar(&value)),
                Scalar::F64(value) => set(ArgVal::scalar(&value)),
                Scalar::U32(value) => set(ArgVal::scalar(&value)),
                Scalar::I32(value) => set(ArgVal::scalar(&value)),
                Scalar::I32x8(values) => {
                    set(ArgVal::vector(&Int8::from(values)))
                }
            },
        }
    }
}

impl Value {
    /// Returns the contents of a buffer, and whether the kernel writes it.
    pub(super) fn contents(&self) -> Option<(&Arc<Contents>, bool)> {
        match self {
            Value::Memory { contents, written } => Some((contents, *written)),
            Value::Number(_) => None,
        }
    }
}

impl Argument<'_> {
    /// Returns what the driver needs; a buffer's memory is shared.
    pub(super) fn value(&self) -> Value {
        match self {
            Argument::Buffer { contents, written, .. } => Value::Memory {
                contents: Arc::clone(contents),
                written: *written,
            },
            Argument::Scalar(scalar) => Value::Number(*scalar),
        }
    }

    /// Returns the size in bytes of the part of a buffer that the kernel
    /// accesses: `reached` values, or what the caller has declared if that is
    /// more.
    pub(super) fn bytes(&self, reached: u64) -> u64 {
        match self {
            Argument::Buffer { at_least, size, .. } => {
                reached.max(*at_least as u64) * *size as u64
            }
            Argument::Scalar(_) => 0,
        }
    }

    /// Checks what does not depend on the parameter: the buffer's device and
    /// length.
    pub(super) fn check(&self, here: &DeviceInfo) -> Result<(), String> {
        let Argument::Buffer { device, len, at_least, .. } = self else {
            return Ok(());
        };
        if device.index != here.index {
            return Err(format!(
                "the buffer is on {device} and the launch on {here}; copy it \
                 by `read` and `upload`"
            ));
        }
        if len < at_least {
            return Err(format!(
                "the buffer holds {len} of the {at_least} values that the \
                 kernel needs"
            ));
        }
        Ok(())
    }

    /// Checks that the parameter, as the source declares it, accepts this
    /// argument.
    pub(super) fn fits(&self, parameter: &Parameter) -> Result<(), String> {
        match self {
            Argument::Buffer { type_name, written, .. } => {
                takes_buffer(parameter, type_name, *written)
            }
            Argument::Scalar(scalar) => {
                let given = scalar.type_name();
                if parameter.address == Address::Private
                    && parameter.type_name == given
                {
                    return Ok(());
                }
                let declared = parameter.declaration();
                Err(format!(
                    "it is declared {declared} and was given one {given}"
                ))
            }
        }
    }
}

/// Rejects a buffer that is both written and passed as another argument. The
/// work-items would race: one would read what others may or may not have
/// written yet.
pub(super) fn check_no_aliasing(arguments: &[Argument]) -> Result<(), String> {
    let buffers = || {
        arguments.iter().zip(1..).filter_map(|it| match it {
            (Argument::Buffer { contents, written, .. }, place) => {
                Some((*contents, *written, place))
            }
            (Argument::Scalar(_), _) => None,
        })
    };
    for (contents, _, place) in buffers().filter(|(_, written, _)| *written) {
        let same = |it: &(&Arc<Contents>, bool, usize)| {
            std::ptr::eq(it.0, contents) && it.2 != place
        };
        if let Some((_, _, other)) = buffers().find(same) {
            return Err(format!(
                "cannot write argument {place}, which is its argument {other} \
                 as well: give it a buffer of its own to write to"
            ));
        }
    }
    Ok(())
}

// ANCHOR: takes-buffer
/// Checks that the parameter accepts a buffer of this type, for reading or for
/// writing.
fn takes_buffer(
    parameter: &Parameter,
    given: &str,
    written: bool,
) -> Result<(), String> {
    let refuse = |given: String| {
        let declared = parameter.declaration();
        Err(format!("it is declared {declared} and was given {given}"))
    };
    let takes_buffers =
        matches!(parameter.address, Address::Global | Address::Constant);
    if !takes_buffers || pointee(&parameter.type_name) != Some(given) {
        return refuse(format!("a buffer of {given}"));
    }
    if written && parameter.is_read_only() {
        return refuse("as an output".into());
    }
    Ok(())
}
// ANCHOR_END: takes-buffer

/// Returns the element type of a pointer: `float` for `float*`, and also for
/// `float4*`, because a vector load reads the same buffer.
fn pointee(type_name: &str) -> Option<&str> {
    let pointee = type_name.strip_suffix('*')?.trim_end();
    Some(pointee.trim_end_matches(|c: char| c.is_ascii_digit()))
}
