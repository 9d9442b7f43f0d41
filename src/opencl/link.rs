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
pub(super) const LIBRARY_VARIABLE: &str = "RUNGRAD_OPENCL_LIBRARY";

/// Where the functions come from, or why there is no such place. It is
/// decided once: an object of one library means nothing to another.
pub(super) fn library() -> Result<&'static Library, &'static str> {
    static LIBRARY: OnceLock<Result<Library, String>> = OnceLock::new();
    LIBRARY.get_or_init(open).as_ref().map_err(String::as_str)
}

/// A tool that was loaded before us, as Oclgrind is, comes first. Then the
/// library that the variable names, else the system's.
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
    match env::var(LIBRARY_VARIABLE) {
        Ok(name) if !name.is_empty() => load(&name).map_err(|_| {
            format!("{LIBRARY_VARIABLE} names {name}, which cannot be opened")
        }),
        _ => load("libOpenCL.so.1")
            .or_else(|_| load("libOpenCL.so"))
            .map_err(|_| "the loader libOpenCL.so.1 is missing".to_owned()),
    }
}

/// The function `name`, whose type is `F`.
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

type Callback<T> = Option<extern "C" fn(T, *mut c_void)>;
type EventCallback = Option<extern "C" fn(cl_event, cl_int, *mut c_void)>;
type ContextCallback =
    Option<extern "C" fn(*const c_char, *const c_void, size_t, *mut c_void)>;

// What `ocl` 0.19 and `ocl-core` 0.11 call, in the order of the standard.
forward! {
    statuses {
        clGetPlatformInfo(
            cl_platform_id, cl_platform_info, size_t, *mut c_void, *mut size_t
        );
        clGetDeviceIDs(
            cl_platform_id, cl_device_type, cl_uint, *mut cl_device_id,
            *mut cl_uint
        );
        clGetDeviceInfo(
            cl_device_id, cl_device_info, size_t, *mut c_void, *mut size_t
        );
        clRetainDevice(cl_device_id);
        clReleaseDevice(cl_device_id);
        clRetainContext(cl_context);
        clReleaseContext(cl_context);
        clGetContextInfo(
            cl_context, cl_context_info, size_t, *mut c_void, *mut size_t
        );
        clRetainCommandQueue(cl_command_queue);
        clReleaseCommandQueue(cl_command_queue);
        clGetCommandQueueInfo(
            cl_command_queue, cl_command_queue_info, size_t, *mut c_void,
            *mut size_t
        );
        clRetainMemObject(cl_mem);
        clReleaseMemObject(cl_mem);
        clGetSupportedImageFormats(
            cl_context, cl_mem_flags, cl_mem_object_type, cl_uint,
            *mut cl_image_format, *mut cl_uint
        );
        clGetMemObjectInfo(
            cl_mem, cl_mem_info, size_t, *mut c_void, *mut size_t
        );
        clGetImageInfo(cl_mem, cl_image_info, size_t, *mut c_void, *mut size_t);
        clRetainSampler(cl_sampler);
        clReleaseSampler(cl_sampler);
        clGetSamplerInfo(
            cl_sampler, cl_sampler_info, size_t, *mut c_void, *mut size_t
        );
        clRetainProgram(cl_program);
        clReleaseProgram(cl_program);
        clBuildProgram(
            cl_program, cl_uint, *const cl_device_id, *const c_char,
            Callback<cl_program>, *mut c_void
        );
        clCompileProgram(
            cl_program, cl_uint, *const cl_device_id, *const c_char, cl_uint,
            *const cl_program, *const *const c_char, Callback<cl_program>,
            *mut c_void
        );
        clGetProgramInfo(
            cl_program, cl_program_info, size_t, *mut c_void, *mut size_t
        );
        clGetProgramBuildInfo(
            cl_program, cl_device_id, cl_program_build_info, size_t,
            *mut c_void, *mut size_t
        );
        clRetainKernel(cl_kernel);
        clReleaseKernel(cl_kernel);
        clSetKernelArg(cl_kernel, cl_uint, size_t, *const c_void);
        clGetKernelInfo(
            cl_kernel, cl_kernel_info, size_t, *mut c_void, *mut size_t
        );
        clGetKernelArgInfo(
            cl_kernel, cl_uint, cl_kernel_arg_info, size_t, *mut c_void,
            *mut size_t
        );
        clGetKernelWorkGroupInfo(
            cl_kernel, cl_device_id, cl_kernel_work_group_info, size_t,
            *mut c_void, *mut size_t
        );
        clWaitForEvents(cl_uint, *const cl_event);
        clGetEventInfo(
            cl_event, cl_event_info, size_t, *mut c_void, *mut size_t
        );
        clRetainEvent(cl_event);
        clReleaseEvent(cl_event);
        clSetUserEventStatus(cl_event, cl_int);
        clSetEventCallback(cl_event, cl_int, EventCallback, *mut c_void);
        clGetEventProfilingInfo(
            cl_event, cl_profiling_info, size_t, *mut c_void, *mut size_t
        );
        clFlush(cl_command_queue);
        clFinish(cl_command_queue);
        clEnqueueReadBuffer(
            cl_command_queue, cl_mem, cl_bool, size_t, size_t, *mut c_void,
            cl_uint, *const cl_event, *mut cl_event
        );
        clEnqueueReadBufferRect(
            cl_command_queue, cl_mem, cl_bool, *const size_t, *const size_t,
            *const size_t, size_t, size_t, size_t, size_t, *mut c_void, cl_uint,
            *const cl_event, *mut cl_event
        );
        clEnqueueWriteBuffer(
            cl_command_queue, cl_mem, cl_bool, size_t, size_t, *const c_void,
            cl_uint, *const cl_event, *mut cl_event
        );
        clEnqueueWriteBufferRect(
            cl_command_queue, cl_mem, cl_bool, *const size_t, *const size_t,
            *const size_t, size_t, size_t, size_t, size_t, *const c_void,
            cl_uint, *const cl_event, *mut cl_event
        );
        clEnqueueFillBuffer(
            cl_command_queue, cl_mem, *const c_void, size_t, size_t, size_t,
            cl_uint, *const cl_event, *mut cl_event
        );
        clEnqueueCopyBuffer(
            cl_command_queue, cl_mem, cl_mem, size_t, size_t, size_t, cl_uint,
            *const cl_event, *mut cl_event
        );
        clEnqueueCopyBufferRect(
            cl_command_queue, cl_mem, cl_mem, *const size_t, *const size_t,
            *const size_t, size_t, size_t, size_t, size_t, cl_uint,
            *const cl_event, *mut cl_event
        );
        clEnqueueReadImage(
            cl_command_queue, cl_mem, cl_bool, *const size_t, *const size_t,
            size_t, size_t, *mut c_void, cl_uint, *const cl_event, *mut cl_event
        );
        clEnqueueWriteImage(
            cl_command_queue, cl_mem, cl_bool, *const size_t, *const size_t,
            size_t, size_t, *const c_void, cl_uint, *const cl_event,
            *mut cl_event
        );
        clEnqueueFillImage(
            cl_command_queue, cl_mem, *const c_void, *const size_t,
            *const size_t, cl_uint, *const cl_event, *mut cl_event
        );
        clEnqueueCopyImage(
            cl_command_queue, cl_mem, cl_mem, *const size_t, *const size_t,
            *const size_t, cl_uint, *const cl_event, *mut cl_event
        );
        clEnqueueCopyImageToBuffer(
            cl_command_queue, cl_mem, cl_mem, *const size_t, *const size_t,
            size_t, cl_uint, *const cl_event, *mut cl_event
        );
        clEnqueueCopyBufferToImage(
            cl_command_queue, cl_mem, cl_mem, size_t, *const size_t,
            *const size_t, cl_uint, *const cl_event, *mut cl_event
        );
        clEnqueueUnmapMemObject(
            cl_command_queue, cl_mem, *mut c_void, cl_uint, *const cl_event,
            *mut cl_event
        );
        clEnqueueMigrateMemObjects(
            cl_command_queue, cl_uint, *const cl_mem, cl_mem_migration_flags,
            cl_uint, *const cl_event, *mut cl_event
        );
        clEnqueueNDRangeKernel(
            cl_command_queue, cl_kernel, cl_uint, *const size_t, *const size_t,
            *const size_t, cl_uint, *const cl_event, *mut cl_event
        );
        clEnqueueTask(
            cl_command_queue, cl_kernel, cl_uint, *const cl_event, *mut cl_event
        );
        clEnqueueMarkerWithWaitList(
            cl_command_queue, cl_uint, *const cl_event, *mut cl_event
        );
        clEnqueueBarrierWithWaitList(
            cl_command_queue, cl_uint, *const cl_event, *mut cl_event
        );
        clEnqueueAcquireGLObjects(
            cl_command_queue, cl_uint, *const cl_mem, cl_uint, *const cl_event,
            *mut cl_event
        );
        clEnqueueReleaseGLObjects(
            cl_command_queue, cl_uint, *const cl_mem, cl_uint, *const cl_event,
            *mut cl_event
        );
    }
    handles {
        clCreateContext(
            *const cl_context_properties, cl_uint, *const cl_device_id,
            ContextCallback, *mut c_void
        ) -> cl_context;
        clCreateContextFromType(
            *const cl_context_properties, cl_device_type, ContextCallback,
            *mut c_void
        ) -> cl_context;
        clCreateCommandQueue(
            cl_context, cl_device_id, cl_command_queue_properties
        ) -> cl_command_queue;
        clCreateBuffer(cl_context, cl_mem_flags, size_t, *mut c_void) -> cl_mem;
        clCreateSubBuffer(
            cl_mem, cl_mem_flags, cl_buffer_create_type, *const c_void
        ) -> cl_mem;
        clCreateImage(
            cl_context, cl_mem_flags, *const cl_image_format,
            *const cl_image_desc, *mut c_void
        ) -> cl_mem;
        clCreateSampler(
            cl_context, cl_bool, cl_addressing_mode, cl_filter_mode
        ) -> cl_sampler;
        clCreateProgramWithSource(
            cl_context, cl_uint, *const *const c_char, *const size_t
        ) -> cl_program;
        clCreateProgramWithBinary(
            cl_context, cl_uint, *const cl_device_id, *const size_t,
            *const *const c_uchar, *mut cl_int
        ) -> cl_program;
        clLinkProgram(
            cl_context, cl_uint, *const cl_device_id, *const c_char, cl_uint,
            *const cl_program, Callback<cl_program>, *mut c_void
        ) -> cl_program;
        clCreateKernel(cl_program, *const c_char) -> cl_kernel;
        clCreateUserEvent(cl_context) -> cl_event;
        clEnqueueMapBuffer(
            cl_command_queue, cl_mem, cl_bool, cl_map_flags, size_t, size_t,
            cl_uint, *const cl_event, *mut cl_event
        ) -> *mut c_void;
        clEnqueueMapImage(
            cl_command_queue, cl_mem, cl_bool, cl_map_flags, *const size_t,
            *const size_t, *mut size_t, *mut size_t, cl_uint, *const cl_event,
            *mut cl_event
        ) -> *mut c_void;
        clCreateFromGLBuffer(cl_context, cl_mem_flags, cl_GLuint) -> cl_mem;
        clCreateFromGLTexture(
            cl_context, cl_mem_flags, cl_GLenum, cl_GLint, cl_GLuint
        ) -> cl_mem;
        clCreateFromGLRenderbuffer(
            cl_context, cl_mem_flags, cl_GLuint
        ) -> cl_mem;
        clCreateFromGLTexture2D(
            cl_context, cl_mem_flags, cl_GLenum, cl_GLint, cl_GLuint
        ) -> cl_mem;
        clCreateFromGLTexture3D(
            cl_context, cl_mem_flags, cl_GLenum, cl_GLint, cl_GLuint
        ) -> cl_mem;
    }
}

forward! {
    clGetExtensionFunctionAddressForPlatform
    [] [cl_platform_id, *const c_char] []
    -> *mut c_void, else std::ptr::null_mut(); a b
}
