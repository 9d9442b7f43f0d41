//! Prints the properties of a device that limit the size of work-groups.
//!
//! ```sh
//! cargo run --example part2_limits
//! RUNGRAD_DEVICE=gpu:1 cargo run --example part2_limits
//! ```

use std::process::ExitCode;

use rungrad::opencl::{Bytes, Gpu};

fn main() -> ExitCode {
    rungrad::run(|| {
        let gpu = Gpu::first()?;
        let device = gpu.info();
        println!("{}", device.name);
        println!("  compute units        {}", device.compute_units);
        println!("  items in a group     {}", device.max_work_group);
        println!("  local memory         {}", Bytes(device.local_memory));
        println!("  global memory        {}", Bytes(device.global_memory));
        println!("  largest buffer       {}", Bytes(device.max_allocation));
        Ok(())
    })
}
