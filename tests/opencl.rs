//! The OpenCL fence: what goes in comes out, what does not fit is refused.

use rungrad::opencl::kernels;

#[path = "common/device.rs"]
mod device;
use device::gpu_or_skip;

#[test]
fn a_product_of_two_buffers_comes_back() {
    let Some(gpu) = gpu_or_skip() else { return };
    let a = gpu.upload(&[1.0_f32, 2.0, 3.0]).unwrap();
    let b = gpu.upload(&[4.0_f32, 5.0, 6.0]).unwrap();
    let out = gpu.allocate::<f32>(3).unwrap();
    gpu.launch(&kernels::EW_MUL)
        .input(&a, 3)
        .input(&b, 3)
        .output(&out, 3)
        .scalar(3_u32)
        .global(3)
        .local(256)
        .run()
        .unwrap();
    assert_eq!(out.read().unwrap(), [4.0, 10.0, 18.0]);
}
