//! What a launch hands to one parameter of a kernel, and whether it fits.

use std::sync::Arc;

use ocl::core::KernelArgAddressQualifier as Address;
use ocl::core::{self, ArgVal};
use ocl::prm::Int8;

use super::buffer::Contents;
use super::device::DeviceInfo;
use super::element::Stored;
use super::signature::Parameter;

/// An argument, not yet compared with its parameter.
pub(super) enum Argument<'a> {
    Buffer {
        contents: &'a Arc<Contents>,
        device: &'static DeviceInfo,
        len: usize,
        at_least: usize,
        /// The bytes of a value.
        size: usize,
        type_name: &'static str,
        written: bool,
    },
    Scalar(Scalar),
}

/// A number for a parameter that is no buffer.
#[derive(Clone, Copy, Debug)]
pub enum Scalar {
    /// `float`.
    F32(f32),
    /// `double`. It is named where it is meant: a literal without a type is
    /// `float`.
    F64(f64),
    /// `uint`.
    U32(u32),
    /// `int`.
    I32(i32),
    /// `int8`: eight sizes or strides at once. There is no `uint8`, because
    /// `ocl` 0.19 gives its elements one byte each.
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

/// What of an argument the driver is given.
pub(super) enum Value {
    Memory { contents: Arc<Contents>, written: bool },
    Number(Scalar),
}

impl Value {
    /// Makes this the argument number `index` of `kernel`.
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
    /// Returns what the driver is given, one more name of the memory.
    pub(super) fn value(&self) -> Value {
        match self {
            Argument::Buffer { contents, written, .. } => Value::Memory {
                contents: Arc::clone(contents),
                written: *written,
            },
            Argument::Scalar(scalar) => Value::Number(*scalar),
        }
    }

    /// Counts the bytes of a buffer of which so many values are reached, or as
    /// many as the caller has said.
    pub(super) fn bytes(&self, reached: u64) -> u64 {
        match self {
            Argument::Buffer { at_least, size, .. } => {
                reached.max(*at_least as u64) * *size as u64
            }
            Argument::Scalar(_) => 0,
        }
    }

    /// Checks what can be said without knowing the parameter.
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

    /// Checks whether the parameter, as the source declares it, takes this.
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

/// Refuses a buffer that is written and is another argument as well: an item
/// would read there what others have written already, or not yet.
pub(super) fn check_apart(arguments: &[Argument]) -> Result<(), String> {
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
/// Checks whether the parameter takes a buffer of this type, to be written or
/// not.
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

/// Finds the `float` of `float*`, and of `float4*`: a wide load reads the same
/// buffer.
fn pointee(type_name: &str) -> Option<&str> {
    let pointee = type_name.strip_suffix('*')?.trim_end();
    Some(pointee.trim_end_matches(|c: char| c.is_ascii_digit()))
}
