//! Repeated multiplications: compiled for each one, as in the notebook, and
//! compiled once.

// This program calls OpenCL directly, so it needs `unsafe`.
#![allow(unsafe_code)]

use std::cell::Cell;
use std::error::Error;
use std::ffi::CString;
use std::time::{Duration, Instant};

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
    if let Err(why) = two_ways() {
        eprintln!("error: {why}");
        std::process::exit(1);
    }
}

// ANCHOR: raw-two-ways
const PRODUCTS: usize = 20;

fn two_ways() -> Raw<()> {
    let device = Device::open()?;
    let each = median(|| device.multiply(&device.compile()?))?;
    let builds = device.builds.take();
    let ms = each.as_secs_f64() * 1e3;
    println!("{PRODUCTS} products, {builds} builds: {ms:.1} ms per product");

    let mul = device.compile()?;
    let once = median(|| device.multiply(&mul))?;
    let builds = device.builds.take();
    let us = once.as_secs_f64() * 1e6;
    println!("{PRODUCTS} products, {builds} build: {us:.1} µs per product");
    println!("that is {:.0}x", each.as_secs_f64() / once.as_secs_f64());
    Ok(())
}

/// Times each multiplication and returns the median.
fn median(product: impl Fn() -> Raw<()>) -> Raw<Duration> {
    let mut times = Vec::new();
    for _ in 0..PRODUCTS {
        let start = Instant::now();
        product()?;
        times.push(start.elapsed());
    }
    times.sort();
    Ok(times[PRODUCTS / 2])
}
// ANCHOR_END: raw-two-ways

struct Device {
    builds: Cell<usize>,
    id: DeviceId,
    context: Context,
    queue: CommandQueue,
    /// One float each: two factors and their product.
    memory: [Mem; 3],
}

impl Device {
    fn compile(&self) -> Raw<Program> {
        self.builds.update(|builds| builds + 1);
        let (text, no) = ([CString::new(SOURCE)?], CString::default());
        let program = create_program_with_source(&self.context, &text)?;
        build_program(&program, Some(&[self.id]), &no, None, None)?;
        Ok(program)
    }

    /// Launches the kernel and waits for the product.
    fn multiply(&self, program: &Program) -> Raw<()> {
        let mul = create_kernel(program, "mul")?;
        for (index, mem) in (0..).zip(&self.memory) {
            set_kernel_arg(&mul, index, ArgVal::mem(mem))?;
        }
        let (queue, items) = (&self.queue, [1, 1, 1]);
        let (wait, tell) = (None::<Event>, None::<&mut Event>);
        // SAFETY: the only work-item accesses the first float of each memory,
        // and each memory has one.
        unsafe {
            enqueue_kernel(queue, &mul, 1, None, &items, None, wait, tell)
        }?;
        Ok(finish(queue)?)
    }

    fn open() -> Raw<Device> {
        for kind in [DeviceType::GPU, DeviceType::ALL] {
            for platform in get_platform_ids()? {
                let found = get_device_ids(platform, Some(kind), None);
                let [id, ..] = found.unwrap_or_default()[..] else { continue };
                let on = Some(ContextProperties::new().platform(platform));
                let context = create_context(on.as_ref(), &[id], None, None)?;
                let queue = create_command_queue(&context, id, None)?;
                let float = |value: f32| -> Raw<Mem> {
                    let flags = MemFlags::READ_WRITE | MemFlags::COPY_HOST_PTR;
                    let values = Some(&[value][..]);
                    // SAFETY: the flags request a copy, which is made before
                    // this returns.
                    Ok(unsafe { create_buffer(&context, flags, 1, values) }?)
                };
                let memory = [float(2.0)?, float(3.0)?, float(0.0)?];
                return Ok(Device {
                    builds: Cell::default(),
                    id,
                    context,
                    queue,
                    memory,
                });
            }
        }
        Err("there is no OpenCL device; `cargo learn setup` installs one"
            .into())
    }
}
