//! Runs a learner's kernel on tensors of Part 2 when the learner's code
//! launches it.

use rungrad::Error;
use rungrad::opencl::Source;
use rungrad::part2_gpu::Tensor;

use crate::kernel::GROUP;
use crate::oclgrind::TEXT;

/// Launches the kernel `name` of a learner's source, one item per element of
/// its result, rounded up to whole groups. Its arguments are the data of
/// `inputs`, the memory of the result, and `numbers`. The result has the given
/// shape and is on the device of the first input.
pub fn on_tensors(
    text: &str,
    name: &str,
    inputs: &[&Tensor],
    shape: &[usize],
    numbers: &[usize],
) -> Result<Tensor, Error> {
    let gpu = inputs[0].gpu();
    let n = shape.iter().product();
    let out = gpu.allocate(n)?;
    let source = Source::new(TEXT, text, name);
    let mut launch = gpu.launch_source(&source);
    for input in inputs {
        launch = launch.input(input.buffer(), input.len());
    }
    launch = launch.output(&out, n);
    for number in numbers {
        launch = launch.scalar(*number as u32);
    }
    let launch = launch.global(n).local(GROUP);
    // SAFETY: a learner's kernel is not verified. This process exists only to
    // run it, and has a time limit.
    unsafe { launch.run() }?;
    Ok(Tensor::from_buffer(shape, out))
}
