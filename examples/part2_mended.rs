//! The bugs of the raw programs again, with memory that knows its element type
//! and length.

use std::process::ExitCode;

use rungrad::ledger;
use rungrad::opencl::{Gpu, Launch};
use rungrad::part2_gpu::kernels;

// ANCHOR: part2-mended
fn main() -> ExitCode {
    rungrad::run(|| {
        let gpu = Gpu::first()?;
        let (a, whole) = (gpu.upload(&[2.0, 3.0])?, gpu.upload(&[1, 1])?);
        println!("{a:?}\n{whole:?}");
        let (out, room) = (gpu.allocate::<f32>(2)?, gpu.allocate::<f32>(1)?);
        let mul = || {
            let launch = gpu.launch(&kernels::EW_MUL).global(2).local(256);
            launch.input(&a)
        };
        let product = || mul().input(&a).output(&out).scalar(2_u32).run();
        let twenty = || (0..20).try_for_each(|_| product().map(drop));
        let (done, counts) = ledger::measure(twenty);
        done?;
        println!("{} products, {} build", counts.launches, counts.builds);

        refused(mul().input(&whole).output(&out).scalar(2_u32));
        refused(mul().input(&a).output(&room).scalar(2_u32));
        refused(mul().output(&a).output(&out).scalar(2_u32));
        Ok(())
    })
}

/// Prints the error of a launch.
fn refused(launch: Launch<'_>) {
    let error = launch.run().expect_err("this is refused");
    println!("{}", error.to_string().replace(": ", ":\n    "));
}
// ANCHOR_END: part2-mended
