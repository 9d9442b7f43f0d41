//! The launches that the host rejects, each with a one-sentence error.

use std::process::ExitCode;

use rungrad::opencl::{Gpu, Launch};
use rungrad::part2_gpu::kernels;

// ANCHOR: part2-host-checks
fn main() -> ExitCode {
    rungrad::run(|| {
        let gpu = Gpu::first()?;
        let a = gpu.upload(&[1.0_f32, 2.0, 3.0])?;
        let counts = gpu.upload(&[1_u32, 2, 3])?;
        let out = gpu.allocate::<f32>(3)?;
        let mul = || {
            let launch = gpu.launch(&kernels::EW_MUL).global(3).local(256);
            launch.input(&a)
        };
        refused(mul().output(&out));
        refused(mul().input(&counts).output(&out).scalar(3_u32));
        refused(mul().input(&a).output(&out).scalar(4_u32));
        refused(mul().input(&a).output(&out).scalar(3_u32).global(0));
        refused(mul().input(&a).output(&a).scalar(3_u32));
        Ok(())
    })
}

/// Prints the error of a launch.
fn refused(launch: Launch<'_>) {
    let error = launch.run().expect_err("this is refused");
    println!("{}", error.to_string().replace(": ", ":\n    "));
}
// ANCHOR_END: part2-host-checks
