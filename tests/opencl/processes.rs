//! Behavior that depends on the environment of a process: each test runs
//! itself again as a child with its own environment and a time limit.

use std::path::PathBuf;
#[cfg(target_os = "linux")]
use std::process::Command;
use std::sync::Barrier;
use std::{env, fs, thread};

use rungrad::opencl::{Gpu, devices, record};
use rungrad::part2_gpu::kernels;
use rungrad::part3_unified::{Device, Tensor};
use rungrad::{Error, ledger};

use testkit::child::{child, is_child, succeed};
use testkit::device::{gpu_or_skip, skip, two_pocl_devices};
use testkit::place::scratch;

/// Programs of this crate start without an OpenCL library, and find a driver
/// that is installed later. As `ldd` does, the test asks the dynamic linker
/// for the loaded libraries.
#[cfg(target_os = "linux")]
#[test]
fn programs_do_not_link_an_opencl_library() {
    let this = env::current_exe().expect("a path");
    let needed = succeed(
        Command::new(this).arg("--list").env("LD_TRACE_LOADED_OBJECTS", "1"),
    );
    assert!(needed.contains("libc"), "the linker lists nothing: {needed}");
    assert!(!needed.contains("OpenCL"), "{needed}");
}

/// Creates an empty folder for one test.
pub(super) fn folder(name: &str) -> PathBuf {
    let path = scratch().join(name);
    // On the first run, there is nothing to remove.
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("the target folder can be written");
    path
}

/// Fills `n` values with `value` and reads them back.
pub(super) fn filled(
    gpu: &Gpu,
    value: f32,
    n: usize,
) -> Result<Vec<f32>, Error> {
    let out = gpu.allocate(n)?;
    gpu.launch(&kernels::EW_FILL)
        .output(&out)
        .scalar(value)
        .scalar(n as u32)
        .global(n)
        .local(256)
        .run()?;
    out.read()
}

/// PoCL 3.1 reports readiness too early to the second thread that asks for its
/// devices. The first process also starts with an empty kernel cache, so that
/// the threads compile at the same time.
#[test]
fn eight_threads_can_open_a_device_at_once() {
    if is_child() {
        let together = Barrier::new(8);
        thread::scope(|scope| {
            for id in 0..8 {
                let together = &together;
                scope.spawn(move || {
                    together.wait();
                    let gpu = Gpu::first().expect("a device");
                    let values = filled(&gpu, id as f32, 100 + id);
                    assert_eq!(values.unwrap(), vec![id as f32; 100 + id]);
                });
            }
        });
        return;
    }
    if gpu_or_skip().is_none() {
        return;
    }
    let cache = folder("first-contact");
    for _ in 0..20 {
        succeed(
            child("processes::eight_threads_can_open_a_device_at_once")
                .env("POCL_CACHE_DIR", &cache),
        );
    }
}

/// Promise: Without an OpenCL driver, every thread gets the same error at once.
#[test]
fn without_a_driver_every_thread_gets_the_same_error() {
    if is_child() {
        let ask = || devices().expect_err("no driver is to be found");
        let other = thread::spawn(ask).join().expect("the thread ends");
        assert_eq!(ask(), other);
        assert_eq!(Gpu::first().unwrap_err(), other);
        assert!(matches!(other, Error::NoOpenCl(_)), "{other:?}");
        assert_eq!(other.exit_code(), 1);
        println!("{other}");
        return;
    }
    let text = succeed(
        child("processes::without_a_driver_every_thread_gets_the_same_error")
            .env("OCL_ICD_VENDORS", folder("no-drivers"))
            .env("OCL_ICD_FILENAMES", ""),
    );
    assert!(text.contains("No OpenCL driver was found ("), "{text}");
    assert!(text.contains("`cargo learn setup`."), "{text}");
}

#[cfg(all(unix, not(target_os = "macos")))]
#[test]
fn a_missing_library_error_names_its_variable() {
    if is_child() {
        println!("{}", devices().expect_err("no library is to be found"));
        return;
    }
    let text = succeed(
        child("processes::a_missing_library_error_names_its_variable")
            .env("RUNGRAD_OPENCL_LIBRARY", "/no/such/library.so"),
    );
    let expected = "RUNGRAD_OPENCL_LIBRARY names /no/such/library.so";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn a_wrong_device_variable_gives_one_sentence() {
    const NAME: &str = "processes::a_wrong_device_variable_gives_one_sentence";
    if is_child() {
        println!("{}", Gpu::first().expect_err("there is no such device"));
        return;
    }
    let answer =
        |device: &str| succeed(child(NAME).env("RUNGRAD_DEVICE", device));
    for wrong in ["tpu", "gpu:", "gpu:x", "gpu:-1", "gpu 1", "GPU"] {
        let text = answer(wrong);
        let expected = format!("RUNGRAD_DEVICE={wrong} names no device");
        assert!(text.contains(&expected), "{text}");
    }
    let text = answer("cpu");
    assert!(text.contains("RUNGRAD_DEVICE=cpu asks for no OpenCL"), "{text}");
    if gpu_or_skip().is_some() {
        let text = answer("gpu:99");
        let expected = "There is no device gpu:99; this system has gpu:0 (";
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn gpu_without_a_number_is_the_first_device() {
    if is_child() {
        println!("it is gpu:{}", Gpu::first().unwrap().info().index);
        return;
    }
    if gpu_or_skip().is_none() {
        return;
    }
    let name = "processes::gpu_without_a_number_is_the_first_device";
    for first in ["gpu", "gpu:0", ""] {
        let text = succeed(child(name).env("RUNGRAD_DEVICE", first));
        assert!(text.contains("it is gpu:0"), "{first:?}: {text}");
    }
}

/// PoCL can list its processor twice, which serves as a second device on
/// machines with one.
#[test]
fn two_devices_have_separate_buffers() {
    if is_child() {
        let found = devices().unwrap();
        assert!(found.windows(2).all(|pair| pair[0].kind <= pair[1].kind));
        assert!(found.iter().enumerate().all(|(i, d)| d.index == i));
        assert!(found.len() >= 2, "{found:?}");

        let [one, two] = [0, 1].map(|index| Gpu::open(index).unwrap());
        assert!(one != two);
        assert!(two == Gpu::first().unwrap(), "RUNGRAD_DEVICE names it");
        assert_eq!(filled(&one, 1.0, 3).unwrap(), [1.0; 3]);
        assert_eq!(filled(&two, 2.0, 3).unwrap(), [2.0; 3]);

        let a = one.upload(&[1.0_f32]).unwrap();
        let stray = two
            .launch(&kernels::EW_FILL)
            .output(&a)
            .scalar(1.0_f32)
            .scalar(1_u32)
            .global(1)
            .local(1);
        let sentence = stray.run().unwrap_err().to_string();
        assert!(sentence.contains("the buffer is on gpu:0 ("), "{sentence}");
        assert!(sentence.contains("the launch on gpu:1 ("), "{sentence}");
        return;
    }
    if gpu_or_skip().is_none() {
        return;
    }
    let Some(two) = two_pocl_devices() else {
        return skip("no PoCL", "this test asks PoCL for two devices");
    };
    succeed(
        child("processes::two_devices_have_separate_buffers")
            .env("POCL_DEVICES", two)
            .env("RUNGRAD_DEVICE", "gpu:1"),
    );
}

/// Otherwise, values of this process and of a child would come from different
/// devices, and tests would report the difference as a bug in a kernel.
///
/// Promise: A child process finds the same devices as its parent.
#[test]
fn a_child_process_finds_the_same_devices() {
    let devices = devices().map_or(&[][..], |found| found);
    let all = devices.iter().map(|it| format!("found {it}\n"));
    let all = all.collect::<String>() + "and no more";
    if is_child() {
        println!("{all}");
    } else if gpu_or_skip().is_some() {
        let name = "a_child_process_finds_the_same_devices";
        let told = succeed(&mut child(&format!("processes::{name}")));
        assert!(told.contains(&all), "here:\n{all}\nin a child:\n{told}");
    }
}

/// PoCL lists no device if it cannot write to its cache folder, or if
/// `POCL_DEVICES` names no device that it has.
///
/// Promise: An error about PoCL that finds no device names the environment
/// variable to change.
/// variable to change.
#[test]
fn a_missing_pocl_device_error_names_the_variable() {
    const NAME: &str =
        "processes::a_missing_pocl_device_error_names_the_variable";
    if is_child() {
        println!("{}", Gpu::first().expect_err("no device is to be found"));
        return;
    }
    if gpu_or_skip().is_none() {
        return;
    }
    let found = devices().unwrap();
    if !found.iter().all(|it| it.platform.contains("Portable Computing")) {
        return skip("PoCL alone", "another driver has a device all the same");
    }
    // Not even root can create a folder inside a file.
    let cache = concat!(file!(), "/x");
    let text = succeed(child(NAME).env("POCL_CACHE_DIR", cache));
    assert!(text.contains("Set POCL_CACHE_DIR to a folder"), "{text}");
    assert!(!text.contains("apt-get"), "{text}");
    let text = succeed(child(NAME).env("POCL_DEVICES", "nonsense"));
    assert!(text.contains("POCL_DEVICES=nonsense names no device"), "{text}");
    assert!(!text.contains("cache"), "{text}");
}

/// PoCL's threads exist only in the parent, so a child would wait forever.
///
/// Promise: A forked process is told that OpenCL drivers do not survive a
/// fork.
#[cfg(unix)]
#[test]
fn a_forked_process_gets_an_error_about_the_fork() {
    unsafe extern "C" {
        fn fork() -> i32;
        fn alarm(seconds: u32) -> u32;
        fn atexit(leave: extern "C" fn()) -> i32;
        fn exit(status: i32) -> !;
        fn _exit(status: i32) -> !;
        fn waitpid(process: i32, status: *mut i32, options: i32) -> i32;
    }
    const NAME: &str =
        "processes::a_forked_process_gets_an_error_about_the_fork";
    if !is_child() {
        for word in ["off", "on"] {
            if gpu_or_skip().is_some() {
                succeed(child(NAME).env("RUNGRAD_SUBMISSION_THREAD", word));
            }
        }
        return;
    }
    let gpu = Gpu::first().unwrap();
    let buffer = gpu.upload(&[1.0_f32]).unwrap();
    let filled = || filled(&gpu, 1.0, 3).map(drop);
    filled().unwrap();
    let out = gpu.allocate::<f32>(3).unwrap();
    let recorded = record(|| {
        let fill = gpu.launch(&kernels::EW_FILL).output(&out);
        let fill = fill.scalar(1.0_f32).scalar(3_u32).global(3).local(1);
        fill.run().unwrap();
        // SAFETY: the child makes only calls that any process may make, and
        // exits by itself.
        unsafe { fork() }
    });
    // Only the parent can read the times of earlier launches.
    let (forked, times) = match recorded {
        Ok((forked, _)) => (forked, Ok(())),
        Err(error) => (0, Err(error)),
    };
    if forked == 0 {
        // SAFETY: `alarm` takes only a number of seconds.
        unsafe { alarm(60) };
        let asked = [
            Gpu::first().map(drop),
            gpu.upload(&[1.0_f32]).map(drop),
            buffer.read().map(drop),
            buffer.write(&[2.0]),
            gpu.finish(),
            filled(),
            times,
        ];
        let told = asked.iter().all(|it| match it {
            Ok(()) => false,
            Err(error) => error.to_string().contains("was forked from"),
        });
        // The child compiles nothing before it gets the error either.
        let launch = || {
            let exp = gpu.launch(&kernels::EW_EXP).input(&buffer).output(&out);
            exp.scalar(1_u32).global(1).local(1).run()
        };
        let (launched, counts) = ledger::measure(launch);
        let told = told && launched.is_err() && counts.builds == 0;
        extern "C" fn leave() {
            // SAFETY: `_exit` takes only a number.
            unsafe { _exit(0) }
        }
        if told {
            // Skips the driver's exit handlers in the child.
            // SAFETY: the function that is called takes no arguments.
            unsafe { atexit(leave) };
        }
        // `exit` also runs the destructors of this thread.
        // SAFETY: `exit` takes only a number.
        unsafe { exit(1) }
    }
    let mut status = -1;
    // SAFETY: `status` lives until the call returns.
    unsafe { waitpid(forked, &mut status, 0) };
    assert_eq!(status, 0, "the child was not told, or waited");
    assert_eq!(buffer.read().unwrap(), [1.0], "the parent goes on");
}

/// The count belongs to the device, so it is taken in a process without other
/// tests.
#[test]
fn memory_counts_current_and_peak_bytes() {
    if is_child() {
        let gpu = Gpu::first().unwrap();
        let counts = || (gpu.memory().now, gpu.memory().peak);
        assert_eq!(counts(), (0, 0));
        let a = gpu.allocate::<f32>(100).unwrap();
        let b = gpu.upload(&[1_u32; 50]).unwrap();
        assert_eq!(counts(), (600, 600));
        drop(a);
        assert_eq!(counts(), (200, 600));
        let c = gpu.allocate::<i32>(10).unwrap();
        assert_eq!(counts(), (240, 600));
        assert!(gpu.allocate::<f32>(0).is_err());
        drop((b, c));
        assert_eq!(counts(), (0, 600));
        return;
    }
    if gpu_or_skip().is_some() {
        succeed(&mut child("processes::memory_counts_current_and_peak_bytes"));
    }
}

/// A driver that is unloaded while it works can crash the process; PoCL does
/// so while its thread compiles.
#[test]
fn a_program_can_exit_while_a_device_is_busy() {
    if is_child() {
        let x = Tensor::ones(&[100], Device::Gpu(0)).expect("a tensor");
        let _not_read = x.erf().tanh().exp();
        std::process::exit(0);
    }
    if gpu_or_skip().is_none() {
        return;
    }
    let name = "processes::a_program_can_exit_while_a_device_is_busy";
    for _ in 0..4 {
        // With a filled cache, the compilation would take no time.
        let cache = folder("an_end_at_work");
        succeed(child(name).env("POCL_CACHE_DIR", cache));
    }
}
