//! A queue runs commands later: two multiplications wait for an event that the
//! host completes.

// This program calls OpenCL directly, so it needs `unsafe`.
#![allow(unsafe_code)]

use std::error::Error;
use std::ffi::CString;

use ocl::core::*;
// Linked only for OpenCL; see `part2_raw_1_mul.rs`.
use rungrad as _;

type Raw<T> = std::result::Result<T, Box<dyn Error>>;

const SOURCE: &str = "
kernel void mul(global const float *a, global const float *b,
                global float *out)
{
    uint i = get_global_id(0);
    out[i] = a[i] * b[i];
}";

fn main() {
    if let Err(why) = two_products() {
        eprintln!("error: {why}");
        std::process::exit(1);
    }
}

// ANCHOR: raw-gate
fn two_products() -> Raw<()> {
    let (context, queue, device) = open()?;
    let mul = compile(&context, device)?;
    let [a, b] = [memory(&context, 2.0)?, memory(&context, 3.0)?];
    let [c, d] = [memory(&context, 0.0)?, memory(&context, 0.0)?];

    let gate = create_user_event(&context)?;
    launch(&queue, &mul, [&a, &b, &c], Some(&gate))?;
    let last = launch(&queue, &mul, [&c, &b, &d], None)?;
    println!("two launches are in the queue");
    println!("the second one is done: {}", event_is_complete(&last)?);

    set_user_event_status(&gate, CommandExecutionStatus::Complete)?;
    println!("the gate is open, and (a * b) * b is [{}]", read(&queue, &d)?);
    println!("the second one is done: {}", event_is_complete(&last)?);
    Ok(())
}
// ANCHOR_END: raw-gate

/// Enqueues a launch. The returned event reports its progress.
fn launch(
    queue: &CommandQueue,
    mul: &Kernel,
    arguments: [&Mem; 3],
    gate: Option<&Event>,
) -> Raw<Event> {
    for (index, mem) in (0..).zip(arguments) {
        set_kernel_arg(mul, index, ArgVal::mem(mem))?;
    }
    let (items, mut event) = ([1, 1, 1], Event::null());
    let tell = Some(&mut event);
    // SAFETY: the only work-item accesses the first float of each buffer, and
    // each buffer has one. The queue retains the buffers until then.
    unsafe { enqueue_kernel(queue, mul, 1, None, &items, None, gate, tell) }?;
    Ok(event)
}

fn read(queue: &CommandQueue, mem: &Mem) -> Raw<f32> {
    let (mut value, wait, tell) = ([0.0], None::<Event>, None::<&mut Event>);
    // SAFETY: the call returns after `value` has been written.
    unsafe {
        enqueue_read_buffer(queue, mem, true, 0, &mut value, wait, tell)
    }?;
    Ok(value[0])
}

fn memory(context: &Context, value: f32) -> Raw<Mem> {
    let flags = MemFlags::READ_WRITE | MemFlags::COPY_HOST_PTR;
    // SAFETY: the flags request a copy, which is made before this returns.
    Ok(unsafe { create_buffer(context, flags, 1, Some(&[value])) }?)
}

fn compile(context: &Context, device: DeviceId) -> Raw<Kernel> {
    let text = CString::new(SOURCE)?;
    let program = create_program_with_source(context, &[text])?;
    build_program(&program, Some(&[device]), &CString::default(), None, None)?;
    Ok(create_kernel(&program, "mul")?)
}

/// Opens a context and a queue on the first GPU, or else on the first device
/// that continues when a user event completes.
fn open() -> Raw<(Context, CommandQueue, DeviceId)> {
    let mut why = "there is no OpenCL device; `cargo learn setup` installs one";
    for kind in [DeviceType::GPU, DeviceType::ALL] {
        for platform in get_platform_ids()? {
            let found = get_device_ids(platform, Some(kind), None);
            let mut found = found.unwrap_or_default().into_iter();
            if found.clone().any(waits_for_itself) {
                why = "PoCL's device `basic` waits for itself at a gate; unset \
                       POCL_DEVICES, or let it name `pthread`";
            }
            let Some(device) = found.find(|&it| !waits_for_itself(it)) else {
                continue;
            };
            let on = Some(ContextProperties::new().platform(platform));
            let context = create_context(on.as_ref(), &[device], None, None)?;
            let queue = create_command_queue(&context, device, None)?;
            return Ok((context, queue, device));
        }
    }
    Err(why.into())
}

/// Returns whether this is PoCL's single-threaded device. It runs waiting
/// commands while it holds the lock of the event, and running them takes the
/// same lock again, which deadlocks.
fn waits_for_itself(device: DeviceId) -> bool {
    let name = get_device_info(device, DeviceInfo::Name);
    name.is_ok_and(|name| name.to_string().starts_with("basic"))
}
