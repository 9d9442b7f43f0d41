//! Buffers and launches that succeed, and their counts.

use rungrad::opencl::{Buffer, Bytes, Event, Gpu};
use rungrad::part2_gpu::kernels;
use rungrad::{Error, ledger};

use super::source;
use testkit::child::{child, is_child, succeed};
use testkit::device::gpu_or_skip;

fn multiply(gpu: &Gpu, a: &[f32], b: &[f32]) -> Result<Vec<f32>, Error> {
    let n = a.len();
    let (a, b) = (gpu.upload(a)?, gpu.upload(b)?);
    let out = gpu.allocate(n)?;
    gpu.launch(&kernels::EW_MUL)
        .input(&a)
        .input(&b)
        .output(&out)
        .scalar(n as u32)
        .global(n)
        .local(256)
        .run()?;
    out.read()
}

#[test]
fn uploaded_values_are_read_back() {
    let Some(gpu) = gpu_or_skip() else { return };
    let floats = [0.0_f32, -1.5, f32::MAX, f32::MIN_POSITIVE];
    assert_eq!(gpu.upload(&floats).unwrap().read().unwrap(), floats);
    let words = [0_u32, 1, u32::MAX];
    assert_eq!(gpu.upload(&words).unwrap().read().unwrap(), words);
    let numbers = [0_i32, i32::MIN, i32::MAX];
    assert_eq!(gpu.upload(&numbers).unwrap().read().unwrap(), numbers);
}

#[test]
fn write_replaces_the_values_of_a_buffer() {
    let Some(gpu) = gpu_or_skip() else { return };
    let buffer = gpu.upload(&[1.0_f32, 2.0]).unwrap();
    buffer.write(&[3.0, 4.0]).unwrap();
    let mut values = [0.0; 2];
    buffer.read_into(&mut values).unwrap();
    assert_eq!(values, [3.0, 4.0]);
}

#[test]
fn a_kernel_multiplies_two_buffers() {
    let Some(gpu) = gpu_or_skip() else { return };
    let product = multiply(&gpu, &[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]);
    assert_eq!(product.unwrap(), [4.0, 10.0, 18.0]);
}

#[test]
fn a_buffer_can_be_bound_to_two_inputs() {
    let Some(gpu) = gpu_or_skip() else { return };
    let a = gpu.upload(&[3.0_f32, 4.0]).unwrap();
    let out = gpu.allocate::<f32>(2).unwrap();
    gpu.launch(&kernels::EW_MUL)
        .input(&a)
        .input(&a)
        .output(&out)
        .scalar(2_u32)
        .global(2)
        .local(256)
        .run()
        .unwrap();
    assert_eq!(out.read().unwrap(), [9.0, 16.0]);
}

#[test]
fn global_sizes_are_rounded_up_per_dimension() {
    let Some(gpu) = gpu_or_skip() else { return };
    let text = "kernel void k(global uint *seen, uint columns, uint rows) {
        uint column = get_global_id(0), row = get_global_id(1);
        if (column < columns && row < rows)
            seen[row * columns + column] = get_global_size(0)
                                           + 1000 * get_global_size(1);
    }";
    let (source, seen) = (source(text), gpu.upload(&[0_u32; 15]).unwrap());
    let launch = gpu
        .launch_source(&source)
        .output(&seen, 15)
        .scalar(5_u32)
        .scalar(3_u32)
        .global([5, 3])
        .local([4, 2]);
    // SAFETY: the guard admits 3 rows of 5, which are all elements of `seen`.
    unsafe { launch.run() }.unwrap();
    assert_eq!(seen.read().unwrap(), [4008; 15]);
}

#[test]
fn scalars_of_every_type_reach_the_kernel() {
    let Some(gpu) = gpu_or_skip() else { return };
    let text = "kernel void k(global int *out, float f, uint u, int i, int8 v)
    {
        out[0] = (int)(f * 2.0f);
        out[1] = u == 4000000000u;
        out[2] = i;
        vstore8(v, 0, out + 3);
    }";
    let (source, out) = (source(text), gpu.upload(&[0_i32; 11]).unwrap());
    let launch = gpu
        .launch_source(&source)
        .output(&out, 11)
        .scalar(1.5_f32)
        .scalar(4_000_000_000_u32)
        .scalar(-7)
        .scalar([1, -2, 3, -4, 5, -6, 7, i32::MIN])
        .global(1)
        .local(1);
    // SAFETY: the kernel writes the first 11 elements, and `out` has 11.
    unsafe { launch.run() }.unwrap();
    let expected = [3, 1, -7, 1, -2, 3, -4, 5, -6, 7, i32::MIN];
    assert_eq!(out.read().unwrap(), expected);
}

#[test]
fn event_times_are_in_order() {
    let Some(gpu) = gpu_or_skip() else { return };
    let out = gpu.allocate::<f32>(1000).unwrap();
    let event: Event = gpu
        .launch(&kernels::EW_FILL)
        .output(&out)
        .scalar(2.5_f32)
        .scalar(1000_u32)
        .global(1000)
        .local(256)
        .timed()
        .unwrap();
    let times = event.times().unwrap();
    assert!(times.queued <= times.submitted, "{times:?}");
    assert!(times.submitted <= times.started, "{times:?}");
    assert!(times.started <= times.ended, "{times:?}");
    assert_eq!(out.read().unwrap(), [2.5; 1000]);
}

/// Promise: The ledger counts every copied byte, launch and kernel build, and a
/// source is built once.
#[test]
fn the_ledger_counts_bytes_launches_and_builds() {
    let Some(gpu) = gpu_or_skip() else { return };
    let text = "kernel void k(global float *a) { a[0] += 1.0f; }";
    let source = source(text);
    let run = || {
        let a = gpu.upload(&[1.0_f32, 2.0]).unwrap();
        for _ in 0..3 {
            let launch = gpu.launch_source(&source).output(&a, 1);
            // SAFETY: the kernel changes one float, and `a` has two.
            unsafe { launch.global(1).local(1).run() }?;
        }
        a.read()
    };
    let (values, first) = ledger::measure(run);
    assert_eq!(values.unwrap(), [4.0, 2.0]);
    assert_eq!(first.launches, 3);
    assert_eq!(first.bytes_reached, 12, "one float in each launch");
    assert_eq!(first.builds, 1);
    assert_eq!(first.allocations, 1);
    assert_eq!(first.bytes_to_device, 8);
    assert_eq!(first.bytes_to_host, 8);
    let (_, second) = ledger::measure(run);
    assert_eq!(second.builds, 0, "a program is compiled once");
}

/// Promise: A kernel source is compiled once per set of options.
#[test]
fn options_select_different_programs() {
    let Some(gpu) = gpu_or_skip() else { return };
    let text = "kernel void k(global int *out) { out[0] = VALUE; }";
    let out = gpu.allocate::<i32>(1).unwrap();
    for value in [5, 6] {
        let source = source(text).options(&format!("-D VALUE={value}"));
        let launch = gpu.launch_source(&source).output(&out, 1);
        // SAFETY: the kernel writes one element, and `out` has one.
        unsafe { launch.global(1).local(1).run() }.unwrap();
        assert_eq!(out.read().unwrap(), [value]);
    }
}

#[test]
fn a_vector_pointer_accepts_a_buffer_of_its_elements() {
    let Some(gpu) = gpu_or_skip() else { return };
    let text = "kernel void k(global float4 *a) { a[0] += 1.0f; }";
    let (source, a) = (source(text), gpu.upload(&[0.0_f32; 4]).unwrap());
    let launch = gpu.launch_source(&source).output(&a, 4);
    // SAFETY: the kernel changes one `float4`, and `a` has one.
    unsafe { launch.global(1).local(1).run() }.unwrap();
    assert_eq!(a.read().unwrap(), [1.0; 4]);
}

#[test]
fn a_dropped_buffer_outlives_its_launches() {
    let Some(gpu) = gpu_or_skip() else { return };
    let n = 1 << 16;
    let out = gpu.allocate::<f32>(n).unwrap();
    let value = gpu.upload(&[3.0_f32]).unwrap();
    gpu.launch(&kernels::EW_REPEAT)
        .input(&value)
        .output(&out)
        .scalar(n as u32)
        .scalar(1_u32)
        .scalar(n as u32)
        .global(n)
        .local(256)
        .run()
        .unwrap();
    drop(value);
    gpu.finish().unwrap();
    assert!(out.read().unwrap().iter().all(|v| *v == 3.0));
}

#[test]
fn threads_share_a_device_and_its_buffers() {
    fn shared<T: Send + Sync>() {}
    shared::<Gpu>();
    shared::<Buffer<f32>>();
    shared::<Event>();

    let Some(gpu) = gpu_or_skip() else { return };
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let gpu = &gpu;
            scope.spawn(move || {
                for turn in 0..20 {
                    let (a, b) = (thread as f32, turn as f32);
                    let product = multiply(gpu, &[a; 300], &[b; 300]);
                    assert_eq!(product.unwrap(), [a * b; 300]);
                }
            });
        }
    });
}

#[test]
fn byte_counts_are_printed_with_units() {
    for (bytes, expected) in [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1.0 KiB"),
        (1_572_864, "1.5 MiB"),
        (5 << 30, "5.0 GiB"),
        (u64::MAX, "16777216.0 TiB"),
    ] {
        assert_eq!(Bytes(bytes).to_string(), expected);
    }
}

/// A device without `f64` has no such kernel and returns an error.
#[test]
fn f64_kernels_run_exactly_where_f64_is_supported() {
    let Some(gpu) = gpu_or_skip() else { return };
    let a = gpu.upload(&[3.0_f32]).unwrap();
    let out = gpu.allocate::<f32>(1).unwrap();
    let launch = gpu.launch(&kernels::CHAIN_F64).input(&a).output(&out);
    let ran = launch.scalar(1_u32).scalar(0_u32).global(1).local(256).run();
    assert_eq!(ran.is_ok(), gpu.info().supports_f64, "{ran:?}");
    if ran.is_ok() {
        assert_eq!(out.read().unwrap(), [6.0]);
    }
}

#[test]
fn uploads_wait_only_above_the_copy_limit() {
    let Some(gpu) = gpu_or_skip() else { return };
    // A wait in a different test would free the copies, so this test runs in
    // its own process.
    if !is_child() {
        let name = "launches::uploads_wait_only_above_the_copy_limit";
        succeed(&mut child(name));
        return;
    }
    let (buffers, uploads) = ledger::measure(|| -> Vec<_> {
        let upload = |i: u32| gpu.upload(&vec![i; 1000]).unwrap();
        (0..100).map(upload).collect()
    });
    assert_eq!(uploads.waits, 0, "an upload of 4000 bytes waited");
    let (all, reads) = ledger::measure(|| -> Vec<_> {
        buffers.iter().map(|buffer| buffer.read().unwrap()).collect()
    });
    assert_eq!(reads.waits, 100);
    for (i, values) in (0..).zip(all) {
        assert_eq!(values, [i; 1000]);
    }

    // One upload of more than 1 MiB, then 20 uploads of 1 MiB, of which 16 fit
    // in the limit.
    let values = vec![7_u32; (1 << 18) + 1];
    let (large, one) = ledger::measure(|| gpu.upload(&values).unwrap());
    let (small, many) = ledger::measure(|| -> Vec<_> {
        let upload = |_| gpu.upload(&values[1..]).unwrap();
        (0..20).map(upload).collect()
    });
    assert_eq!((one.waits, many.waits), (1, 1));
    assert!(large.read().unwrap() == values, "another number than 7");
    for small in small {
        let read = small.read().unwrap();
        assert!(read == values[1..], "another number than 7");
    }
}

#[test]
fn timed_and_untimed_launches_keep_their_order() {
    let Some(gpu) = gpu_or_skip() else { return };
    let text = "kernel void k(global uint *out, uint x) {
        for (uint i = 0; i < 1000; i++) out[0] = out[0] * 3 + x;
    }";
    let (source, out) = (source(text), gpu.upload(&[1_u32]).unwrap());
    let mut expected = 1_u32;
    for x in 0..40 {
        let launch = gpu.launch_source(&source).output(&out, 1).scalar(x);
        let launch = launch.global(1).local(1);
        // Every third launch has an event, on the profiling queue.
        if x % 3 == 0 {
            // SAFETY: the kernel accesses one element, and `out` has one.
            drop(unsafe { launch.timed() }.unwrap());
        } else {
            // SAFETY: as above.
            unsafe { launch.run() }.unwrap();
        }
        for _ in 0..1000 {
            expected = expected.wrapping_mul(3).wrapping_add(x);
        }
    }
    assert_eq!(out.read().unwrap(), [expected]);
}

#[test]
fn threads_do_not_mix_up_kernel_arguments() {
    let Some(gpu) = gpu_or_skip() else { return };
    let fill = |value: f32| {
        let out = gpu.allocate::<f32>(8).unwrap();
        for _ in 0..200 {
            let launch = gpu.launch(&kernels::EW_FILL).output(&out);
            let launch = launch.scalar(value).scalar(8_u32);
            launch.global(8).local(8).run().unwrap();
        }
        assert_eq!(out.read().unwrap(), [value; 8]);
    };
    std::thread::scope(|scope| {
        for thread in 0..8_u8 {
            scope.spawn(move || fill(f32::from(thread)));
        }
    });
}

#[test]
fn an_upload_after_a_timed_launch_is_complete() {
    let Some(gpu) = gpu_or_skip() else { return };
    let (out, values) = (gpu.allocate::<f32>(8).unwrap(), vec![5_u32; 1 << 18]);
    for _ in 0..20 {
        let launch = gpu.launch(&kernels::EW_FILL).output(&out);
        let launch = launch.scalar(1.0_f32).scalar(8_u32);
        launch.global(8).local(8).timed().unwrap();
        let there = gpu.upload(&values).unwrap().read().unwrap();
        assert!(there == values, "another number than 5");
    }
}
