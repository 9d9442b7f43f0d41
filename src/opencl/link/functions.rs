//! Every OpenCL function that `ocl` 0.19 and `ocl-core` 0.11 call, in the
//! order of the standard. The compiler compares the types with the
//! declarations in `cl-sys`.

use std::sync::OnceLock;

use ocl::ffi::*;

use super::function;

type Callback<T> = Option<extern "C" fn(T, *mut c_void)>;
type EventCallback = Option<extern "C" fn(cl_event, cl_int, *mut c_void)>;
type ContextCallback =
    Option<extern "C" fn(*const c_char, *const c_void, size_t, *mut c_void)>;

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
        clRetainContext(cl_context);
        clGetContextInfo(
            cl_context, cl_context_info, size_t, *mut c_void, *mut size_t
        );
        clRetainCommandQueue(cl_command_queue);
        clGetCommandQueueInfo(
            cl_command_queue, cl_command_queue_info, size_t, *mut c_void,
            *mut size_t
        );
        clRetainMemObject(cl_mem);
        clGetSupportedImageFormats(
            cl_context, cl_mem_flags, cl_mem_object_type, cl_uint,
            *mut cl_image_format, *mut cl_uint
        );
        clGetMemObjectInfo(
            cl_mem, cl_mem_info, size_t, *mut c_void, *mut size_t
        );
        clGetImageInfo(cl_mem, cl_image_info, size_t, *mut c_void, *mut size_t);
        clRetainSampler(cl_sampler);
        clGetSamplerInfo(
            cl_sampler, cl_sampler_info, size_t, *mut c_void, *mut size_t
        );
        clRetainProgram(cl_program);
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

forward_releases! {
    clReleaseDevice(cl_device_id);
    clReleaseContext(cl_context);
    clReleaseCommandQueue(cl_command_queue);
    clReleaseMemObject(cl_mem);
    clReleaseSampler(cl_sampler);
    clReleaseProgram(cl_program);
    clReleaseKernel(cl_kernel);
    clReleaseEvent(cl_event);
}
