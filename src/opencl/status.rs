//! The meaning of a driver's status codes, in words.
//!
//! OpenCL returns a status from every call. Most errors cannot reach a reader,
//! because the host checks before it calls; these can.
//!
//! `ocl` panics on a status that the standard does not define, so such a
//! status never gets here through `ocl`.

use ocl::core;

use crate::Error;

/// Returns the error for a call that the driver has rejected: what we were
/// `doing`, what the status means, and its name for a search.
pub(super) fn driver_error(doing: &str, error: core::Error) -> Error {
    Error::Device(match error.api_status() {
        Some(status) => {
            let code = status as i32;
            format!(
                "{doing}: {} (OpenCL status {code}, {status}).",
                meaning(code)
            )
        }
        None => format!("{doing}: {}.", error.to_string().trim()),
    })
}

/// Returns what a status means and what to do about it.
pub(super) fn meaning(status: i32) -> &'static str {
    match status {
        -1 => "the platform has no such device",
        -2 => "the device is there but cannot be used now",
        -3 => "the driver has no compiler",
        -4 => "the device has no room for a buffer; free some, or use less",
        -5 => {
            "the device ran out of registers, local memory or room; on an \
             NVIDIA device it can also mean that an earlier kernel wrote out \
             of bounds, so run it under Oclgrind"
        }
        -6 => "the host ran out of memory",
        -7 => "the command has no times, or has not finished",
        -8 => "the source and the target of a copy overlap",
        -11 => "the kernel did not compile",
        -12 => "the buffer could not be mapped into the host's memory",
        -13 => "the sub-buffer does not begin at a multiple of the alignment",
        -14 => "a command that this one waited for failed",
        -15 => "the kernel did not compile",
        -16 => "the driver has no linker",
        -17 => "the kernel did not link",
        -19 => "the driver does not tell the types of a kernel's arguments",
        -30 => "a value is out of its range",
        -31 => "there is no such type of device",
        -32 => "the platform is gone",
        -33 => "the device is gone, or belongs to another platform",
        -34 => "the object belongs to another device's context",
        -35 => "the device has no queue with these properties",
        -36 => {
            "the queue can no longer be used, usually because the device was \
             lost or because an earlier kernel read or wrote out of bounds; \
             restart the program, and run its kernels under Oclgrind"
        }
        -37 => "the host's address does not fit the flags of the buffer",
        -38 => "the buffer is gone",
        -42 => "the compiled program is for another device",
        -43 => "the compiler does not know one of the build options",
        -44 => "the program is gone",
        -45 => "the program was not compiled for this device",
        -46 => {
            "the file has no kernel of this name; a kernel named like a \
             function of the language (exp, max) compiles and then does not \
             exist"
        }
        -47 => "the kernel differs between devices",
        -48 => "the kernel is gone",
        -49 => "the kernel has fewer arguments",
        -50 => "an argument has a value that the kernel cannot take",
        -51 => "an argument has another size than the kernel's",
        -52 => "an argument of the kernel was not set",
        -53 => "a launch has one, two or three dimensions",
        -54 => {
            "the local size does not divide the global size, is larger than \
             the device allows, or differs from the one the kernel requires"
        }
        -55 => "the local size is larger in one dimension than the device's",
        -56 => "the global offset is out of range",
        -57 => "the list of events to wait for is wrong",
        -58 => "the event is gone",
        -59 => "the driver does not offer this",
        -61 => "the buffer has 0 bytes, or more than the device allows",
        -63 => "the global size is 0, or larger than the device allows",
        -64 => "a property is unknown to the driver",
        -66 => "the compiler does not know one of the options",
        -67 => "the linker does not know one of the options",
        -1001 => "there is no OpenCL driver",
        -9999 => {
            "a kernel read or wrote out of bounds; run it under Oclgrind to \
             see its line"
        }
        _ => "the driver's answer has no place in the OpenCL standard",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_and_unknown_statuses_are_explained() {
        assert!(meaning(-4).contains("no room for a buffer"));
        assert!(meaning(-46).contains("no kernel of this name"));
        // A queue also becomes invalid when its device is lost.
        assert!(meaning(-36).contains("the device was lost"));
        assert!(meaning(-123_456).contains("no place in the OpenCL standard"));
    }
}
