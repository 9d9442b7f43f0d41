//! How drivers react to a kernel that violates a memory flag.

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
    if let Err(why) = four_flags() {
        eprintln!("error: {why}");
        std::process::exit(1);
    }
}

// ANCHOR: raw-flags
fn four_flags() -> Raw<()> {
    let device = Device::open()?;
    let a = device.memory(MemFlags::READ_ONLY, 2.0)?;
    let b = device.memory(MemFlags::READ_ONLY, 3.0)?;

    let c = device.memory(MemFlags::WRITE_ONLY, 0.0)?;
    let d = device.memory(MemFlags::WRITE_ONLY, 0.0)?;
    device.multiply([&a, &b, &c])?;
    device.multiply([&c, &b, &d])?;
    println!("a kernel has read WRITE_ONLY: {}", device.look(&d));

    let c = device.memory(MemFlags::READ_ONLY, 0.0)?;
    device.multiply([&a, &b, &c])?;
    println!("a kernel has written READ_ONLY: {}", device.look(&c));

    let c = device.memory(MemFlags::HOST_NO_ACCESS, 0.0)?;
    device.multiply([&a, &b, &c])?;
    println!("the host has read HOST_NO_ACCESS: {}", device.look(&c));
    Ok(())
}
// ANCHOR_END: raw-flags

struct Device {
    context: Context,
    queue: CommandQueue,
    mul: Kernel,
}

impl Device {
    /// Allocates memory with a copy of the value and one additional flag.
    fn memory(&self, flag: MemFlags, value: f32) -> Raw<Mem> {
        let (flags, values) = (flag | MemFlags::COPY_HOST_PTR, [value]);
        // SAFETY: the flags request a copy, which is made before this returns.
        Ok(unsafe { create_buffer(&self.context, flags, 1, Some(&values)) }?)
    }

    fn multiply(&self, arguments: [&Mem; 3]) -> Raw<()> {
        for (index, mem) in (0..).zip(arguments) {
            set_kernel_arg(&self.mul, index, ArgVal::mem(mem))?;
        }
        let (queue, mul, items) = (&self.queue, &self.mul, [1, 1, 1]);
        let (wait, tell) = (None::<Event>, None::<&mut Event>);
        // SAFETY: the only work-item stays within its memory. It violates the
        // flags on purpose, to show what the driver does.
        unsafe {
            enqueue_kernel(queue, mul, 1, None, &items, None, wait, tell)
        }?;
        Ok(())
    }

    /// Formats the value in the memory, or the driver's error.
    fn look(&self, mem: &Mem) -> String {
        let (queue, mut value) = (&self.queue, [0.0_f32]);
        let (wait, tell) = (None::<Event>, None::<&mut Event>);
        // SAFETY: the call returns after `value` has been written.
        let read = unsafe {
            enqueue_read_buffer(queue, mem, true, 0, &mut value, wait, tell)
        };
        match read.map_err(|error| error.api_status()) {
            Ok(_) => format!("{value:?}"),
            Err(Some(status)) => format!("{status:?}"),
            Err(None) => "no answer".into(),
        }
    }

    fn open() -> Raw<Device> {
        for kind in [DeviceType::GPU, DeviceType::ALL] {
            for platform in get_platform_ids()? {
                let found = get_device_ids(platform, Some(kind), None);
                let [id, ..] = found.unwrap_or_default()[..] else { continue };
                let on = Some(ContextProperties::new().platform(platform));
                let context = create_context(on.as_ref(), &[id], None, None)?;
                let queue = create_command_queue(&context, id, None)?;
                let (text, no) = ([CString::new(SOURCE)?], CString::default());
                let program = create_program_with_source(&context, &text)?;
                build_program(&program, Some(&[id]), &no, None, None)?;
                let mul = create_kernel(&program, "mul")?;
                return Ok(Device { context, queue, mul });
            }
        }
        Err("there is no OpenCL device; `cargo learn setup` installs one"
            .into())
    }
}
