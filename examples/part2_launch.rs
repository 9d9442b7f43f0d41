//! The notebook's program, without any of its layers.

use std::process::ExitCode;

use rungrad::opencl::Gpu;
use rungrad::part2_gpu::kernels;
use rungrad::shape::list;

fn main() -> ExitCode {
    rungrad::run(multiply)
}

// ANCHOR: part2-launch
fn multiply() -> Result<(), rungrad::Error> {
    let gpu = Gpu::first()?;
    let a = gpu.upload(&[2.0_f32])?;
    let b = gpu.upload(&[3.0_f32])?;
    let c = gpu.allocate::<f32>(1)?;
    gpu.launch(&kernels::EW_MUL)
        .input(&a)
        .input(&b)
        .output(&c)
        .scalar(1_u32)
        .global(1)
        .local(256)
        .run()?;
    println!("{} on {}", list(&c.read()?), gpu.name());
    Ok(())
}
// ANCHOR_END: part2-launch
