//! Launches and buffers that are rejected, each with one clear sentence.

use rungrad::engine::kernels as part3;
use rungrad::opencl::{Bytes, Launch, Source};
use rungrad::part2_gpu::kernels;
use rungrad::{Error, ledger};

use super::source;
use testkit::device::{gpu_or_skip, skip_by_name};

/// Returns the error of a launch that must be rejected.
fn refusal(launch: Launch) -> String {
    sentence(launch.run())
}

fn sentence(ran: Result<(), Error>) -> String {
    ran.expect_err("the launch ran").to_string()
}

/// Promise: A syntax error is quoted with file and line, and the failed build
/// is not cached.
#[test]
fn syntax_errors_are_quoted_with_file_and_line() {
    let Some(gpu) = gpu_or_skip() else { return };
    let source = source(
        "// A comment.\nkernel void k(global float *a) {\n    a[0] = b;\n}",
    );
    let a = gpu.allocate::<f32>(1).unwrap();
    let launch = || gpu.launch_source(&source).output(&a, 1);
    // SAFETY: a kernel that does not compile does nothing.
    let run = || unsafe { launch().global(1).local(1).run() };
    let (failed, counts) = ledger::measure(|| [run(), run()]);
    assert_eq!(counts.builds, 2, "a failure is not remembered");
    for error in failed.map(Result::unwrap_err) {
        assert_eq!(error.exit_code(), 1);
        let Error::Build { sentence, log } = error else {
            panic!("not a build error: {error:?}");
        };
        assert!(sentence.starts_with("my.cl:3: "), "{sentence}");
        assert!(sentence.contains("undeclared identifier"), "{sentence}");
        assert!(!sentence.contains('\n'), "{sentence}");
        assert!(log.contains("undeclared identifier"), "{log}");
    }
}

#[test]
fn an_unknown_build_option_is_named() {
    let Some(gpu) = gpu_or_skip() else { return };
    let text = "kernel void k(global float *a) { a[0] = 1.0f; }";
    let source = source(text).options("-no-such-option");
    let launch = gpu.launch_source(&source).global(1).local(1);
    // SAFETY: the kernel has no buffer to write to.
    let sentence = sentence(unsafe { launch.run() });
    assert!(sentence.contains("option"), "{sentence}");
}

#[test]
fn a_missing_kernel_error_lists_the_known_kernels() {
    let Some(gpu) = gpu_or_skip() else { return };
    let source =
        Source::new("my.cl", "kernel void scale(global float *a) {}", "sclae");
    let launch = gpu.launch_source(&source).global(1).local(1);
    // SAFETY: the kernel does nothing.
    let sentence = sentence(unsafe { launch.run() });
    let expected = "my.cl has no kernel `sclae`; it has scale.";
    assert!(sentence.starts_with(expected), "{sentence}");
}

#[test]
fn a_buffer_of_0_elements_is_rejected() {
    let Some(gpu) = gpu_or_skip() else { return };
    for error in [
        gpu.allocate::<f32>(0).unwrap_err(),
        gpu.upload::<u32>(&[]).unwrap_err(),
    ] {
        let sentence = error.to_string();
        assert!(sentence.starts_with("A buffer of 0 elements"), "{sentence}");
        assert_eq!(error.exit_code(), 2);
    }
}

#[test]
fn an_oversized_allocation_names_both_sizes() {
    let Some(gpu) = gpu_or_skip() else { return };
    let limit = gpu.info().max_allocation;
    let len = limit as usize / 4 + 1;
    let error = gpu.allocate::<f32>(len).unwrap_err();
    let sentence = error.to_string();
    assert!(sentence.contains(&format!("of {len} f32")), "{sentence}");
    let allowed = format!("allows {} in one", Bytes(limit));
    assert!(sentence.contains(&allowed), "{sentence}");
    assert_eq!(error.exit_code(), 1);
}

#[test]
fn a_copy_of_the_wrong_length_is_rejected() {
    let Some(gpu) = gpu_or_skip() else { return };
    let buffer = gpu.upload(&[1.0_f32, 2.0, 3.0]).unwrap();
    let sentence = buffer.write(&[1.0]).unwrap_err().to_string();
    assert!(sentence.contains("holds 3 values and the slice 1"), "{sentence}");
    let sentence = buffer.read_into(&mut [0.0; 4]).unwrap_err().to_string();
    assert!(sentence.contains("holds 3 values and the slice 4"), "{sentence}");
}

#[test]
fn a_missing_argument_error_lists_the_parameters() {
    let Some(gpu) = gpu_or_skip() else { return };
    let a = gpu.upload(&[1.0_f32]).unwrap();
    let launch = gpu.launch(&kernels::EW_MUL).input(&a).output(&a);
    assert_eq!(
        refusal(launch.global(1).local(1)),
        "Kernel `ew_mul` takes 4 arguments (a, b, out, n) and was given 2."
    );
}

/// Promise: A launch rejects an argument whose type differs from the kernel's
/// parameter.
#[test]
fn an_argument_of_the_wrong_type_is_rejected() {
    let Some(gpu) = gpu_or_skip() else { return };
    let (float, int) =
        (gpu.upload(&[1.0_f32]).unwrap(), gpu.upload(&[1_i32]).unwrap());
    let fill = || gpu.launch(&kernels::EW_FILL);
    for (launch, expected) in [
        (
            fill().output(&int).scalar(1.0_f32).scalar(1_u32),
            "argument 1 (`out`): it is declared `global float* out` and was \
             given a buffer of int",
        ),
        (
            fill().output(&float).scalar(1.0_f32).scalar(1_i32),
            "argument 3 (`n`): it is declared `uint n` and was given one int",
        ),
        (
            fill().output(&float).input(&float).scalar(1_u32),
            "argument 2 (`value`): it is declared `float value` and was given \
             a buffer of float",
        ),
        (
            fill().scalar(1.0_f32).scalar(1.0_f32).scalar(1_u32),
            "argument 1 (`out`): it is declared `global float* out` and was \
             given one float",
        ),
    ] {
        let sentence = refusal(launch.global(1).local(1));
        assert!(sentence.contains(expected), "{sentence}");
    }
}

/// Promise: A launch rejects an output that the kernel declares as read-only.
#[test]
fn a_read_only_output_is_rejected() {
    let Some(gpu) = gpu_or_skip() else { return };
    let a = gpu.upload(&[1.0_f32]).unwrap();
    let launch = gpu
        .launch(&kernels::EW_MUL)
        .output(&a)
        .input(&a)
        .input(&a)
        .scalar(1_u32);
    let sentence = refusal(launch.global(1).local(1));
    let expected = "`global const float* a` and was given as an output";
    assert!(sentence.contains(expected), "{sentence}");
}

/// Promise: A launch rejects a buffer that is shorter than the stated length.
#[test]
fn a_buffer_shorter_than_stated_is_rejected() {
    let Some(gpu) = gpu_or_skip() else { return };
    let a = gpu.upload(&[1.0_f32, 2.0]).unwrap();
    let text = "kernel void k(global float *out) { out[0] = 1.0f; }";
    let source = source(text);
    let launch = gpu.launch_source(&source).output(&a, 3);
    // SAFETY: the launch is rejected, and the kernel would write one element.
    let refused = unsafe { launch.global(2).local(2).run() };
    let sentence = refused.expect_err("a short buffer").to_string();
    let expected = "the buffer holds 2 of the 3 values that the kernel needs";
    assert!(sentence.contains(expected), "{sentence}");
}

/// A safe launch stays safe even if the caller passes wrong lengths.
#[test]
fn wrong_lengths_cannot_exceed_the_buffers() {
    let Some(gpu) = gpu_or_skip() else { return };
    let a = gpu.upload(&[1.0_f32, 2.0]).unwrap();
    let out = gpu.upload(&[0.0_f32; 2]).unwrap();
    let words = gpu.upload(&[0_u32; 2]).unwrap();
    let (identity, mut zero) = ([1; 8], [1; 8]);
    zero[7] = 0;
    let copy = |offset: u32, shape: [i32; 8], strides: [i32; 8], n: u32| {
        gpu.launch(&part3::COPY_STRIDED)
            .input(&a)
            .scalar(offset)
            .scalar(shape)
            .scalar(strides)
            .output(&out)
            .scalar(n)
    };
    let pair = [1, 1, 1, 1, 1, 1, 1, 2];
    let rows = |offset: u32, columns: u32, segment: u32| {
        gpu.launch(&part3::REDUCE_ROWS_SUM)
            .input(&a)
            .scalar(offset)
            .scalar(1_u32)
            .scalar(columns)
            .scalar(segment)
            .output(&out)
            .scalar(1_u32)
    };
    let columns = |width: u32, height: u32, segment: u32| {
        gpu.launch(&part3::REDUCE_COLUMNS_SUM)
            .input(&a)
            .scalar(1_u32)
            .scalar(width)
            .scalar(1_u32)
            .scalar(width)
            .scalar(0_u32)
            .scalar(width)
            .scalar(height)
            .scalar(segment)
            .output(&out)
    };
    let fold = |sizes: [i32; 8], n: u32| {
        gpu.launch(&part3::FOLD_WINDOWS)
            .input(&a)
            .scalar(0_u32)
            .scalar([1_i32; 8])
            .scalar(sizes)
            .output(&out)
            .scalar(n)
    };
    let index_select = |width: u32, n: u32| {
        gpu.launch(&part3::INDEX_SELECT)
            .input(&a)
            .scalar(0_u32)
            .scalar(1_u32)
            .scalar(width)
            .input(&words)
            .output(&out)
            .scalar(n)
    };
    let index_add = |width: u32, n: u32| {
        gpu.launch(&part3::INDEX_ADD)
            .input(&a)
            .scalar(0_u32)
            .scalar(1_u32)
            .scalar(width)
            .input(&words)
            .input(&words)
            .output(&out)
            .scalar(n)
    };
    for launch in [
        index_select(0, 1),
        index_select(1, 3),
        index_add(0, 1),
        index_add(1, 2),
        gpu.launch(&kernels::EW_FILL)
            .output(&out)
            .scalar(1.0_f32)
            .scalar(3_u32),
        rows(2, 1, 1),
        rows(0, 1, 0),
        rows(0, 0, 1),
        rows(0, 3, 3),
        columns(1, 2, 1),
        columns(3, 1, 1),
        columns(1, 1, 0),
        columns(u32::MAX, u32::MAX, u32::MAX),
        fold([1, 2, 1, 2, 1, 1, 1, 1], 3),
        fold([1, 1, 2, 2, 1, 1, 1, 1], 1),
        fold([0; 8], 1),
        fold([i32::MAX; 8], u32::MAX),
        copy(2, identity, [0; 8], 1),
        copy(0, identity, [0; 8], 3),
        copy(0, zero, [0; 8], 1),
        copy(1, pair, [1; 8], 2),
        copy(0, pair, [-1; 8], 2),
        copy(0, [i32::MAX; 8], [i32::MAX; 8], 2),
    ] {
        let sentence = refusal(launch.global(256).local(256));
        let expected = ["values of its buffer", "that it cannot take"];
        let named = expected.iter().any(|words| sentence.contains(words));
        assert!(named, "{sentence}");
    }
    copy(1, pair, [-1; 8], 2).global(2).local(2).run().unwrap();
}

/// Transposing in place gave the wrong value for half of the elements of a 256
/// x 256 matrix.
///
/// Promise: A launch rejects an output buffer that is also another argument.
#[test]
fn an_output_that_aliases_an_argument_is_rejected() {
    let Some(gpu) = gpu_or_skip() else { return };
    let a = gpu.upload(&[1.0_f32, 2.0]).unwrap();
    let launch = gpu
        .launch(&kernels::TRANSPOSE_TILED)
        .input(&a)
        .output(&a)
        .scalar(2_u32)
        .scalar(1_u32);
    assert_eq!(
        refusal(launch.global([1, 2, 1]).local([16, 16, 1])),
        "Kernel `transpose_tiled` cannot write argument 2, which is its \
         argument 1 as well: give it a buffer of its own to write to."
    );

    let text = "kernel void k(global float *x, global float *y) {
        x[0] = 1.0f;
        y[0] = 2.0f;
    }";
    let source = source(text);
    let launch = gpu.launch_source(&source).output(&a, 1).output(&a, 1);
    // SAFETY: the kernel writes one float to each buffer, and each has two.
    let sentence = sentence(unsafe { launch.global(1).local(1).run() });
    assert!(
        sentence.contains("write argument 1, which is its argument 2"),
        "{sentence}"
    );
    assert_eq!(a.read().unwrap(), [1.0, 2.0]);
}

/// Promise: A compile error names a function that is not defined.
#[test]
fn an_undefined_function_is_named() {
    let Some(gpu) = gpu_or_skip() else { return };
    let body = "kernel void k(global float *a) { a[0] = half_of(a[0]); }";
    let a = gpu.upload(&[1.0_f32]).unwrap();
    for head in ["", "float half_of(float x);"] {
        let source = source(&format!("{head}\n{body}"));
        let launch = gpu.launch_source(&source).output(&a, 1);
        // SAFETY: a kernel that does not compile does nothing.
        let ran = unsafe { launch.global(1).local(1).run() };
        let sentence = sentence(ran);
        assert!(sentence.contains("my.cl"), "{sentence}");
        assert!(sentence.contains("half_of"), "{sentence}");
    }
}

#[test]
fn missing_zero_and_oversized_launch_sizes_are_rejected() {
    let Some(gpu) = gpu_or_skip() else { return };
    let a = gpu.upload(&[1.0_f32]).unwrap();
    let fill = || {
        let launch = gpu.launch(&kernels::EW_FILL).output(&a);
        launch.scalar(1.0_f32).scalar(1_u32)
    };
    let sentence = refusal(fill().global(1));
    assert!(sentence.contains("was given no size"), "{sentence}");
    let sentence = refusal(fill().global(0).local(1));
    assert!(sentence.contains("a size of 0"), "{sentence}");
    let sentence = refusal(fill().global([1, 1]).local(1));
    assert!(sentence.contains("2 dimensions of global size"), "{sentence}");

    let most = gpu.info().max_work_group;
    let sentence = refusal(fill().global(1).local(most + 1));
    assert!(sentence.contains("it can have at most"), "{sentence}");

    let sentence = refusal(fill().global([1 << 20, 1 << 11]).local([1, 1]));
    assert!(sentence.contains("31 bits"), "{sentence}");
}

#[test]
fn a_group_size_other_than_the_required_one_is_rejected() {
    let Some(gpu) = gpu_or_skip() else { return };
    let a = gpu.upload(&[1.0_f32; 64]).unwrap();
    let out = gpu.allocate::<f32>(1).unwrap();
    let launch =
        gpu.launch(&kernels::REDUCE_SUM).input(&a).output(&out).scalar(64_u32);
    assert_eq!(
        refusal(launch.global(64).local(64)),
        "Kernel `reduce_sum` requires groups of 256 and was given 64."
    );
}

/// PoCL ends the process where other drivers return a status. PoCL 5.0 reports
/// no local memory use for any kernel, and runs this one.
#[test]
fn local_memory_above_the_device_limit_is_rejected() {
    let Some(gpu) = gpu_or_skip() else { return };
    let source = source(
        "kernel void k(global float *a) {
            local float t[CELLS];
            t[get_local_id(0)] = a[0];
            barrier(CLK_LOCAL_MEM_FENCE);
            a[0] = t[CELLS - 1];
        }",
    );
    let cells = gpu.info().local_memory / 4 + 1;
    let source = source.options(&format!("-D CELLS={cells}"));
    let a = gpu.allocate::<f32>(1).unwrap();
    let launch = gpu.launch_source(&source).output(&a, 1);
    // SAFETY: the kernel accesses one float, and `a` has one.
    let ran = unsafe { launch.global(1).local(1).run() };
    if ran.is_ok() && gpu.info().platform.contains("Portable Computing") {
        return skip_by_name("word of this PoCL about a kernel's local memory");
    }
    let sentence = sentence(ran);
    assert!(sentence.contains("of local memory for a group"), "{sentence}");
}
