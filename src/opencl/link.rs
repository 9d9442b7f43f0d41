//! The OpenCL functions that `ocl` calls, each found when it is first
//! called.
//!
//! A program that links `libOpenCL` does not build where the library is
//! missing, and what was built elsewhere dies before `main`. So nothing here
//! links it: `build.rs` hands the linker an empty archive, and this module
//! defines the functions. Each forwards to the function of the same name in
//! the library that [`library`] opened, and a driver installed tomorrow is
//! found by the program built today.
//!
//! Only Linux and its relatives need this. macOS has its framework; on
//! Windows `cl-sys` links `OpenCL.lib`, which comes with a driver's SDK.

// The functions bear the names that the standard gives them.
#![allow(non_snake_case, clippy::too_many_arguments)]

use std::env;
use std::sync::OnceLock;

use libloading::os::unix::Library;
use ocl::ffi::*;

/// The variable that names another OpenCL library than the system's.
const LIBRARY_VARIABLE: &str = "RUNGRAD_OPENCL_LIBRARY";

/// Finds where the functions come from, or why there is no such place. It is
/// decided once: an object of one library means nothing to another.
pub(super) fn library() -> Result<&'static Library, &'static str> {
    static LIBRARY: OnceLock<Result<Library, String>> = OnceLock::new();
    LIBRARY.get_or_init(open).as_ref().map_err(String::as_str)
}

/// Opens the library. A tool that was loaded before us, as Oclgrind is, comes
/// first. Then the library that the variable names, else the system's.
fn open() -> Result<Library, String> {
    let process = Library::this();
    // SAFETY: the address is compared and never followed.
    let found = unsafe { process.get::<*const c_void>("clGetPlatformIDs") };
    // A program that exports its functions would find our own here.
    let own = clGetPlatformIDs as *mut c_void;
    if found.is_ok_and(|address| address.as_raw_ptr() != own) {
        return Ok(process);
    }
    let load = |name: &str| {
        // SAFETY: an OpenCL library and the drivers that it loads may be
        // opened from any thread; whoever sets the variable promises that it
        // names one. `library` keeps it open for as long as the process runs.
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
    // SAFETY: only whether there is an address is asked.
    match unsafe { library.get::<*const c_void>("clGetPlatformIDs") } {
        Ok(_) => Ok(library),
        Err(_) => Err("the library that was found is not OpenCL's".into()),
    }
}

// ANCHOR: function
/// Finds the function `name`, whose type is `F`.
///
/// # Safety
///
/// `F` must be a pointer to a function with the parameters and the result
/// that the OpenCL standard gives `name`.
unsafe fn function<F: Copy>(name: &str) -> Option<F> {
    let library = library().ok()?;
    // SAFETY: the caller vouches for the type. The address stays good, since
    // the library is never closed.
    unsafe { library.get::<F>(name) }.ok().map(|found| *found)
}
// ANCHOR_END: function

/// How many platforms there are. Neither a missing loader nor a loader
/// without a driver is an error here: `ocl` would wait ten seconds for
/// either to go away.
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
    // SAFETY: the line above compares the type with `cl-sys`'s.
    let answer = match unsafe { function::<Function>("clGetPlatformIDs") } {
        // SAFETY: the caller's arguments are handed on as they came.
        Some(function) => unsafe { function(room, platforms, count) },
        None => CL_PLATFORM_NOT_FOUND_KHR,
    };
    if answer != CL_PLATFORM_NOT_FOUND_KHR {
        return answer;
    }
    if !count.is_null() {
        // SAFETY: the standard lets the caller pass null or a place for the
        // count.
        unsafe { *count = 0 };
    }
    CL_SUCCESS
}

/// Defines the forwarders from the types of their parameters. `statuses`
/// answer with a status. `handles` answer with an object, and take one
/// parameter more: a place for the status.
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
                    // SAFETY: the standard lets the caller pass null or a
                    // place for the status.
                    unsafe { *status = CL_INVALID_OPERATION };
                }
                std::ptr::null_mut()
            };
            a b c d e f g h i j k l m n
        })*
    };
    // A parameter needs a name: the first that has none gets the next letter.
    (
        $name:ident [$($named:tt)*] [$next:ty $(, $rest:ty)*] [$($last:tt)*]
        -> $out:ty, else $refusal:expr; $letter:ident $($letters:ident)*
    ) => {
        forward! {
            $name [$($named)* $letter: $next,] [$($rest),*] [$($last)*]
            -> $out, else $refusal; $($letters)*
        }
    };
    (
        $name:ident [$($arg:ident: $ty:ty,)*] [] [$($place:ident: $int:ty)?]
        -> $out:ty, else $refusal:expr; $($letters:ident)*
    ) => {
        #[unsafe(no_mangle)]
        extern "system" fn $name($($arg: $ty,)* $($place: $int)?) -> $out {
            type Function =
                unsafe extern "system" fn($($ty,)* $($int)?) -> $out;
            const _: Function = ocl::ffi::$name;
            static FOUND: OnceLock<Option<Function>> = OnceLock::new();
            // SAFETY: the constant above compares the type with `cl-sys`'s.
            let find = || unsafe { function::<Function>(stringify!($name)) };
            match FOUND.get_or_init(find) {
                // SAFETY: the caller's arguments are handed on as they came.
                Some(function) => unsafe { function($($arg,)* $($place)?) },
                None => $refusal,
            }
        }
    };
}

/// Defines the forwarders of the functions that release an object. They always
/// report success: `ocl` releases in `drop` and panics if that fails, as it
/// does once a device is lost, and nothing can be done about an object that
/// the driver keeps.
macro_rules! forward_releases {
    ($($name:ident($object:ty);)*) => {$(
        #[unsafe(no_mangle)]
        extern "system" fn $name(object: $object) -> cl_int {
            type Function = unsafe extern "system" fn($object) -> cl_int;
            const _: Function = ocl::ffi::$name;
            static FOUND: OnceLock<Option<Function>> = OnceLock::new();
            // SAFETY: the constant above compares the type with `cl-sys`'s.
            let find = || unsafe { function::<Function>(stringify!($name)) };
            if let Some(release) = FOUND.get_or_init(find) {
                // SAFETY: the caller's argument is handed on as it came.
                unsafe { release(object) };
            }
            CL_SUCCESS
        }
    )*};
}

mod functions;
