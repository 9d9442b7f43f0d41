//! The notebook's allocation for a product, four bytes, and two elements
//! written to it.

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

// ANCHOR: raw-room
/// Multiplies with the number of work-items in the argument.
fn two_products() -> Raw<()> {
    let device = Device::open()?;
    let a = device.memory(&[2.0, 3.0])?;
    let b = device.memory(&[3.0, 4.0])?;
    let bytes = 4;
    let out = device.room(bytes)?;
    let items = match std::env::args().nth(1) {
        None => bytes / size_of::<f32>(),
        Some(word) => word.parse()?,
    };
    device.multiply(&a, &b, &out, items)?;
    println!("one number: {}", seen(device.read(&out, 1)));
    println!("two numbers: {}", seen(device.read(&out, 2)));
    Ok(())
}
// ANCHOR_END: raw-room

/// Formats the values, or the driver's error.
fn seen(answer: Result<Vec<f32>>) -> String {
    match answer {
        Ok(values) => format!("{values:?}"),
        Err(error) => match error.api_status() {
            Some(status) => format!("{status:?}"),
            None => error.to_string(),
        },
    }
}

struct Device {
    context: Context,
    queue: CommandQueue,
    mul: Kernel,
}

impl Device {
    fn memory(&self, values: &[f32]) -> Raw<Mem> {
        let flags = MemFlags::READ_WRITE | MemFlags::COPY_HOST_PTR;
        let (n, values) = (values.len(), Some(values));
        // SAFETY: the flags request a copy, which is made before this returns.
        Ok(unsafe { create_buffer(&self.context, flags, n, values) }?)
    }

    fn room(&self, bytes: usize) -> Raw<Mem> {
        let (flags, none) = (MemFlags::READ_WRITE, None::<&[u8]>);
        // SAFETY: no flag refers to host memory.
        Ok(unsafe { create_buffer(&self.context, flags, bytes, none) }?)
    }

    fn multiply(&self, a: &Mem, b: &Mem, out: &Mem, items: usize) -> Raw<()> {
        for (index, mem) in (0..).zip([a, b, out]) {
            set_kernel_arg(&self.mul, index, ArgVal::mem(mem))?;
        }
        let (queue, mul, items) = (&self.queue, &self.mul, [items, 1, 1]);
        let (wait, tell) = (None::<Event>, None::<&mut Event>);
        // SAFETY: sound for one work-item only. More of them write out of
        // bounds, and nothing here checks it.
        unsafe {
            enqueue_kernel(queue, mul, 1, None, &items, None, wait, tell)
        }?;
        Ok(())
    }

    fn read(&self, mem: &Mem, n: usize) -> Result<Vec<f32>> {
        let (queue, mut values) = (&self.queue, vec![0.0; n]);
        let (wait, tell) = (None::<Event>, None::<&mut Event>);
        // SAFETY: the call returns after `value` has been written.
        unsafe {
            enqueue_read_buffer(queue, mem, true, 0, &mut values, wait, tell)
        }?;
        Ok(values)
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
