//! The notebook's gradients on a device, from a seed of eight bytes (`f64`)
//! and from a seed of four (`f32`).

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
}
kernel void add(global const float *a, global const float *b,
                global float *out)
{
    uint i = get_global_id(0);
    out[i] = a[i] + b[i];
}";

fn main() {
    if let Err(why) = seeds() {
        eprintln!("error: {why}");
        std::process::exit(1);
    }
}

// ANCHOR: raw-seeds
fn seeds() -> Raw<()> {
    let device = Device::open()?;
    backward(&device, &[2.0], &[3.0], &[1.0])?;
    backward(&device, &[2.0], &[3.0], &[1.0_f32])?;
    println!("with two elements:");
    backward(&device, &[2.0, 3.0], &[3.0, 4.0], &[1.0, 1.0])?;
    backward(&device, &[2.0, 3.0], &[3.0, 4.0], &[1.0_f32, 1.0])
}
// ANCHOR_END: raw-seeds

/// Computes the gradients of (a * b) * b, from the seed back to the leaves.
fn backward<T: OclPrm>(
    device: &Device,
    a: &[f32],
    b: &[f32],
    seed: &[T],
) -> Raw<()> {
    let mul = |x: &Mem, y: &Mem| device.launch("mul", [x, y], a.len());
    let add = |x: &Mem, y: &Mem| device.launch("add", [x, y], a.len());
    let [a, b] = [&memory(device, a)?, &memory(device, b)?];
    let seed = &memory(device, seed)?;
    let c = mul(a, b)?;
    let grad_c = mul(b, seed)?;
    let grad_a = mul(b, &grad_c)?;
    let grad_b = add(&mul(&c, seed)?, &mul(a, &grad_c)?)?;
    let [seed, a, b] = [seed, &grad_a, &grad_b].map(|mem| read(device, mem));
    println!("seed {:?}, gradients {:?} and {:?}", seed?, a?, b?);
    Ok(())
}

// ANCHOR: raw-any-type
/// Allocates memory with a copy of the values, whatever their type.
fn memory<T: OclPrm>(device: &Device, values: &[T]) -> Raw<Mem> {
    let flags = MemFlags::READ_WRITE | MemFlags::COPY_HOST_PTR;
    let (n, values) = (values.len(), Some(values));
    // SAFETY: the flags request a copy, which is made before this returns.
    Ok(unsafe { create_buffer(&device.context, flags, n, values) }?)
}
// ANCHOR_END: raw-any-type

/// Reads the whole memory as floats.
fn read(device: &Device, mem: &Mem) -> Raw<Vec<f32>> {
    let size = get_mem_object_info(mem, MemInfo::Size)?;
    let MemInfoResult::Size(bytes) = size else { return Ok(vec![]) };
    let mut values = vec![0.0; bytes / size_of::<f32>()];
    let (wait, tell) = (None::<Event>, None::<&mut Event>);
    // SAFETY: the call returns after `values` has been written.
    unsafe {
        let queue = &device.queue;
        enqueue_read_buffer(queue, mem, true, 0, &mut values, wait, tell)
    }?;
    Ok(values)
}

struct Device {
    context: Context,
    queue: CommandQueue,
    program: Program,
}

impl Device {
    /// Runs a kernel with two operands and returns new memory for `n` floats.
    fn launch(&self, name: &str, from: [&Mem; 2], n: usize) -> Raw<Mem> {
        let out = memory(self, &vec![0.0_f32; n])?;
        let kernel = create_kernel(&self.program, name)?;
        for (index, mem) in (0..).zip([from[0], from[1], &out]) {
            set_kernel_arg(&kernel, index, ArgVal::mem(mem))?;
        }
        let (queue, items) = (&self.queue, [n, 1, 1]);
        let (wait, tell) = (None::<Event>, None::<&mut Event>);
        // SAFETY: each work-item accesses one float of each memory, and none
        // of them is shorter than `n` floats.
        unsafe {
            enqueue_kernel(queue, &kernel, 1, None, &items, None, wait, tell)
        }?;
        Ok(out)
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
                return Ok(Device { context, queue, program });
            }
        }
        Err("there is no OpenCL device; `cargo learn setup` installs one"
            .into())
    }
}
