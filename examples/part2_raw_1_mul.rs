//! The notebook's first OpenCL program, complete: one multiplication, and
//! every layer around it.

// This program calls OpenCL directly, so it needs `unsafe`.
#![allow(unsafe_code)]

use std::error::Error;
use std::ffi::CString;

use ocl::core::*;
// Linked only for the OpenCL functions that it provides, so that this program
// builds and starts on machines without OpenCL.
use rungrad as _;

type Raw<T> = std::result::Result<T, Box<dyn Error>>;

// ANCHOR: raw-kernel
const SOURCE: &str = "
kernel void mul(global const float *a, global const float *b,
                global float *out)
{
    uint i = get_global_id(0);
    out[i] = a[i] * b[i];
}";
// ANCHOR_END: raw-kernel

fn main() {
    if let Err(why) = multiply() {
        eprintln!("error: {why}");
        std::process::exit(1);
    }
}

// ANCHOR: raw-multiply
fn multiply() -> Raw<()> {
    let (platform, device) = find()?;
    let (context, queue) = open(platform, device)?;
    let flags = MemFlags::READ_ONLY | MemFlags::COPY_HOST_PTR;
    let a = memory(&context, flags, Some(&[2.0]))?;
    let b = memory(&context, flags, Some(&[3.0]))?;
    let c = memory(&context, MemFlags::WRITE_ONLY, None)?;
    let mul = compile(&context, device)?;
    launch(&queue, &mul, [&a, &b, &c])?;
    let product = read(&queue, &c)?;
    println!("[{product}] on {}", get_device_info(device, DeviceInfo::Name)?);
    Ok(())
}
// ANCHOR_END: raw-multiply

// ANCHOR: raw-find
/// Returns the first GPU of any platform, or else the first device of any
/// kind.
fn find() -> Raw<(PlatformId, DeviceId)> {
    let platforms = get_platform_ids()?;
    for kind in [DeviceType::GPU, DeviceType::ALL] {
        for &platform in &platforms {
            // A platform without such a device returns an error.
            let found = get_device_ids(platform, Some(kind), None);
            if let [device, ..] = found.unwrap_or_default()[..] {
                return Ok((platform, device));
            }
        }
    }
    Err("there is no OpenCL device; `cargo learn setup` installs one".into())
}
// ANCHOR_END: raw-find

// ANCHOR: raw-open
fn open(
    platform: PlatformId,
    device: DeviceId,
) -> Raw<(Context, CommandQueue)> {
    let properties = ContextProperties::new().platform(platform);
    let context = create_context(Some(&properties), &[device], None, None)?;
    let queue = create_command_queue(&context, device, None)?;
    Ok((context, queue))
}
// ANCHOR_END: raw-open

// ANCHOR: raw-memory
/// Allocates device memory for one float, initialized if there is a value.
fn memory(
    context: &Context,
    flags: MemFlags,
    value: Option<&[f32]>,
) -> Raw<Mem> {
    // SAFETY: the flags request a copy, which is made before this returns.
    Ok(unsafe { create_buffer(context, flags, 1, value) }?)
}
// ANCHOR_END: raw-memory

// ANCHOR: raw-compile
fn compile(context: &Context, device: DeviceId) -> Raw<Kernel> {
    let program =
        create_program_with_source(context, &[CString::new(SOURCE)?])?;
    build_program(&program, Some(&[device]), &CString::default(), None, None)?;
    Ok(create_kernel(&program, "mul")?)
}
// ANCHOR_END: raw-compile

// ANCHOR: raw-launch
/// No event to wait for, and no event to create.
const WAIT: Option<Event> = None;
const TELL: Option<&mut Event> = None;

fn launch(queue: &CommandQueue, mul: &Kernel, arguments: [&Mem; 3]) -> Raw<()> {
    for (index, mem) in (0..).zip(arguments) {
        set_kernel_arg(mul, index, ArgVal::mem(mem))?;
    }
    let items = [1, 1, 1];
    // SAFETY: the only work-item accesses the first float of each buffer, and
    // each buffer has one.
    unsafe { enqueue_kernel(queue, mul, 1, None, &items, None, WAIT, TELL) }?;
    Ok(())
}
// ANCHOR_END: raw-launch

// ANCHOR: raw-read
fn read(queue: &CommandQueue, mem: &Mem) -> Raw<f32> {
    let mut value = [0.0];
    let block = true;
    // SAFETY: the call returns after `value` has been written.
    unsafe {
        enqueue_read_buffer(queue, mem, block, 0, &mut value, WAIT, TELL)
    }?;
    Ok(value[0])
}
// ANCHOR_END: raw-read
