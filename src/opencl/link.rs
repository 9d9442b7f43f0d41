//! The OpenCL functions that `ocl` calls, each loaded when it is first called.
//!
//! A program that links `libOpenCL` does not build where the library is
//! missing, and a binary built elsewhere fails there before `main`. So nothing
//! here links it: `build.rs` gives the linker an empty archive, and this
//! module defines the functions. Each forwards to the function of the same
//! name in the library that [`library`] opened. A program that is built today
//! therefore finds a driver that is installed tomorrow.
//!
//! Only Unix systems other than macOS need this. macOS has its framework; on
//! Windows `cl-sys` links `OpenCL.lib`, which comes with a driver's SDK.

// The functions have the names that the standard defines.
#![allow(non_snake_case, clippy::too_many_arguments)]

use std::env;
use std::sync::OnceLock;

use libloading::os::unix::Library;
use ocl::ffi::*;

/// The environment variable that names an OpenCL library to load instead of
/// the system's.
const LIBRARY_VARIABLE: &str = "RUNGRAD_OPENCL_LIBRARY";

/// Returns the library that the functions come from, or why there is none. It
/// is chosen once, because the objects of one library are invalid in another.
pub(super) fn library() -> Result<&'static Library, &'static str> {
    static LIBRARY: OnceLock<Result<Library, String>> = OnceLock::new();
    LIBRARY.get_or_init(open).as_ref().map_err(String::as_str)
}

/// Opens the library. A tool that is already loaded into the process, such as
/// Oclgrind, takes precedence. Next comes the library that the environment
/// variable names, then the system's.
fn open() -> Result<Library, String> {
    let process = Library::this();
    // SAFETY: the address is compared and never dereferenced.
    let found = unsafe { process.get::<*const c_void>("clGetPlatformIDs") };
    // In a program that exports its functions, this finds our own.
    let own = clGetPlatformIDs as *mut c_void;
    if found.is_ok_and(|address| address.as_raw_ptr() != own) {
        return Ok(process);
    }
    let load = |name: &str| {
        // SAFETY: an OpenCL library and the drivers that it loads may be
        // opened from any thread; a user who sets the variable promises that
        // it names such a library. `library` keeps it open for as long as the
        // process runs.
        unsafe { Library::new(name) }
    };
    let library = match env::var(LIBRARY_VARIABLE) {
        Ok(name) if !name.is_empty() => load(&name).map_err(|_| {
            format!(
                "{LIBRARY_VARIABLE} names {name}, which does not open: unset \
                 it to use the system's loader"
            )
        }),
        _ => load("libOpenCL.so.1")
            .or_else(|_| load("libOpenCL.so"))
            .map_err(|_| "the loader libOpenCL.so.1 is missing".to_owned()),
    }?;
    // SAFETY: only the existence of the address is checked.
    match unsafe { library.get::<*const c_void>("clGetPlatformIDs") } {
        Ok(_) => Ok(library),
        Err(_) => Err("the library that was found is not OpenCL's".into()),
    }
}

// ANCHOR: function
/// Looks up the function `name`, whose type is `F`.
///
/// # Safety
///
/// `F` must be a pointer to a function with the parameters and the result that
/// the OpenCL standard defines for `name`.
unsafe fn function<F: Copy>(name: &str) -> Option<F> {
    let library = library().ok()?;
    // SAFETY: the caller guarantees the type. The address stays valid, because
    // the library is never closed.
    unsafe { library.get::<F>(name) }.ok().map(|found| *found)
}
// ANCHOR_END: function

/// Returns the platforms. Neither a missing loader nor a loader without a
/// driver is an error here: `ocl` would wait ten seconds for either to go
/// away.
#[unsafe(no_mangle)]
extern "system" fn clGetPlatformIDs(
    room: cl_uint,
    platforms: *mut cl_platform_id,
    count: *mut cl_uint,
) -> cl_int {
    type Function = unsafe extern "system" fn(
        cl_uint,
        *mut cl_platform_id,
        *mut cl_uint,
    ) -> cl_int;
    const _: Function = ocl::ffi::clGetPlatformIDs;
    // SAFETY: the line above compares the type with the one in `cl-sys`.
    let answer = match unsafe { function::<Function>("clGetPlatformIDs") } {
        // SAFETY: the caller's arguments are forwarded unchanged.
        Some(function) => unsafe { function(room, platforms, count) },
        None => CL_PLATFORM_NOT_FOUND_KHR,
    };
    if answer != CL_PLATFORM_NOT_FOUND_KHR {
        return answer;
    }
    if !count.is_null() {
        // SAFETY: by the standard, `count` is null or valid for a write.
        unsafe { *count = 0 };
    }
    CL_SUCCESS
}

/// Defines the forwarding functions from the types of their parameters.
/// `statuses` return a status. `handles` return an object and take one more
/// parameter, a pointer to the status.
macro_rules! forward {
    (
        statuses { $($status:ident($($given:ty),*);)* }
        handles { $($handle:ident($($taken:ty),*) -> $object:ty;)* }
    ) => {
        $(forward! {
            $status [] [$($given),*] [] -> cl_int, else CL_INVALID_OPERATION;
            a b c d e f g h i j k l m n
        })*
        $(forward! {
            $handle [] [$($taken),*] [status: *mut cl_int] -> $object, else {
                if !status.is_null() {
                    // SAFETY: by the standard, `status` is null or valid for a
                    // write.
                    unsafe { *status = CL_INVALID_OPERATION };
                }
                std::ptr::null_mut()
            };
            a b c d e f g h i j k l m n
        })*
    };
    // Parameters need names: the first unnamed one gets the next letter.
    (
        $name:ident [$($named:tt)*] [$next:ty $(, $rest:ty)*] [$($last:tt)*]
        -> $out:ty, else $fallback:expr; $letter:ident $($letters:ident)*
    ) => {
        forward! {
            $name [$($named)* $letter: $next,] [$($rest),*] [$($last)*]
            -> $out, else $fallback; $($letters)*
        }
    };
    (
        $name:ident [$($arg:ident: $ty:ty,)*] [] [$($place:ident: $int:ty)?]
        -> $out:ty, else $fallback:expr; $($letters:ident)*
    ) => {
        #[unsafe(no_mangle)]
        extern "system" fn $name($($arg: $ty,)* $($place: $int)?) -> $out {
            type Function =
                unsafe extern "system" fn($($ty,)* $($int)?) -> $out;
            const _: Function = ocl::ffi::$name;
            static FOUND: OnceLock<Option<Function>> = OnceLock::new();
            // SAFETY: the constant above compares the type with the one in
            // `cl-sys`.
            let find = || unsafe { function::<Function>(stringify!($name)) };
            match FOUND.get_or_init(find) {
                // SAFETY: the caller's arguments are forwarded unchanged.
                Some(function) => unsafe { function($($arg,)* $($place)?) },
                None => $fallback,
            }
        }
    };
}

/// Defines the forwarding functions that release an object. They always report
/// success: `ocl` releases objects in `drop` and panics if that fails, as
/// happens after a device is lost, and a program cannot do anything about an
/// object that the driver does not release.
macro_rules! forward_releases {
    ($($name:ident($object:ty);)*) => {$(
        #[unsafe(no_mangle)]
        extern "system" fn $name(object: $object) -> cl_int {
            type Function = unsafe extern "system" fn($object) -> cl_int;
            const _: Function = ocl::ffi::$name;
            static FOUND: OnceLock<Option<Function>> = OnceLock::new();
            // SAFETY: the constant above compares the type with the one in
            // `cl-sys`.
            let find = || unsafe { function::<Function>(stringify!($name)) };
            if let Some(release) = FOUND.get_or_init(find) {
                // SAFETY: the caller's argument is forwarded unchanged.
                unsafe { release(object) };
            }
            CL_SUCCESS
        }
    )*};
}

mod functions;
