//! What depends on how a process begins: each test runs itself again as a
//! child, with an environment of its own and a limit on its time.

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
use testkit::device::{gpu_or_skip, skip, two_of_pocl};
use testkit::place::scratch;

/// A program of this crate starts where there is no OpenCL, and finds a
/// driver that is installed later. `ldd` asks the dynamic linker; so do we,
/// without the script.
#[cfg(target_os = "linux")]
#[test]
fn no_program_of_this_crate_needs_an_opencl_library() {
    let this = env::current_exe().expect("a path");
    let needed = succeed(
        Command::new(this).arg("--list").env("LD_TRACE_LOADED_OBJECTS", "1"),
    );
    assert!(needed.contains("libc"), "the linker lists nothing: {needed}");
    assert!(!needed.contains("OpenCL"), "{needed}");
}

/// An empty folder for this test alone.
pub(super) fn folder(name: &str) -> PathBuf {
    let path = scratch().join(name);
    // The first run finds none to remove.
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

/// PoCL 3.1 tells the second thread that asks for its devices that it is
/// ready before it is. The first process also starts with an empty cache of
/// compiled kernels, so that the threads meet in the compiler.
#[test]
fn eight_threads_make_first_contact_without_a_failure() {
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
            child(
                "processes::eight_threads_make_first_contact_without_a_failure",
            )
            .env("POCL_CACHE_DIR", &cache),
        );
    }
}

/// Promise: Without an OpenCL driver, every thread gets the same error at once.
#[test]
fn without_a_driver_every_thread_gets_the_same_sentence() {
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
        child(
            "processes::without_a_driver_every_thread_gets_the_same_sentence",
        )
        .env("OCL_ICD_VENDORS", folder("no-drivers"))
        .env("OCL_ICD_FILENAMES", ""),
    );
    assert!(text.contains("No OpenCL driver was found ("), "{text}");
    assert!(text.contains("`cargo learn setup`."), "{text}");
}

#[cfg(all(unix, not(target_os = "macos")))]
#[test]
fn a_library_that_does_not_open_is_named_with_its_variable() {
    if is_child() {
        println!("{}", devices().expect_err("no library is to be found"));
        return;
    }
    let text = succeed(
        child("processes::a_library_that_does_not_open_is_named_with_its_variable")
            .env("RUNGRAD_OPENCL_LIBRARY", "/no/such/library.so"),
    );
    let expected = "RUNGRAD_OPENCL_LIBRARY names /no/such/library.so";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn a_wrong_device_variable_is_answered_with_one_sentence() {
    const NAME: &str =
        "processes::a_wrong_device_variable_is_answered_with_one_sentence";
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
fn a_device_variable_without_a_number_names_the_first() {
    if is_child() {
        println!("it is gpu:{}", Gpu::first().unwrap().info().index);
        return;
    }
    if gpu_or_skip().is_none() {
        return;
    }
    let name = "processes::a_device_variable_without_a_number_names_the_first";
    for first in ["gpu", "gpu:0", ""] {
        let text = succeed(child(name).env("RUNGRAD_DEVICE", first));
        assert!(text.contains("it is gpu:0"), "{first:?}: {text}");
    }
}

/// PoCL shows its processor twice when asked to, which stands for a second
/// device where there is none.
#[test]
fn two_devices_keep_their_buffers_apart() {
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
    let Some(two) = two_of_pocl() else {
        return skip("no PoCL", "this test asks PoCL for two devices");
    };
    succeed(
        child("processes::two_devices_keep_their_buffers_apart")
            .env("POCL_DEVICES", two)
            .env("RUNGRAD_DEVICE", "gpu:1"),
    );
}

/// Where it does not, a number of this process and one of a child are of two
/// devices, and no test should take them for a fault of a kernel.
///
/// Promise: A child process finds the same devices as its parent.
#[test]
fn a_process_that_is_started_finds_the_same_devices() {
    let devices = devices().map_or(&[][..], |found| found);
    let all = devices.iter().map(|it| format!("found {it}\n"));
    let all = all.collect::<String>() + "and no more";
    if is_child() {
        println!("{all}");
    } else if gpu_or_skip().is_some() {
        let name = "a_process_that_is_started_finds_the_same_devices";
        let told = succeed(&mut child(&format!("processes::{name}")));
        assert!(told.contains(&all), "here:\n{all}\nin a child:\n{told}");
    }
}

/// PoCL lists no device if it cannot write to its cache folder, or if
/// `POCL_DEVICES` names none that it has.
///
/// Promise: An error about PoCL that finds no device names the environment
/// variable to change.
#[test]
fn why_pocl_has_no_device_is_named_with_its_variable() {
    const NAME: &str =
        "processes::why_pocl_has_no_device_is_named_with_its_variable";
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
    // Not even root can create a folder below a file.
    let cache = concat!(file!(), "/x");
    let text = succeed(child(NAME).env("POCL_CACHE_DIR", cache));
    assert!(text.contains("Set POCL_CACHE_DIR to a folder"), "{text}");
    assert!(!text.contains("apt-get"), "{text}");
    let text = succeed(child(NAME).env("POCL_DEVICES", "nonsense"));
    assert!(text.contains("POCL_DEVICES=nonsense names no device"), "{text}");
    assert!(!text.contains("cache"), "{text}");
}

/// PoCL's threads stay with the parent: the child would wait for ever.
///
/// Promise: A forked process is told that OpenCL drivers do not survive a fork.
#[cfg(unix)]
#[test]
fn a_forked_process_is_told_that_drivers_do_not_survive_it() {
    unsafe extern "C" {
        fn fork() -> i32;
        fn alarm(seconds: u32) -> u32;
        fn atexit(leave: extern "C" fn()) -> i32;
        fn exit(status: i32) -> !;
        fn _exit(status: i32) -> !;
        fn waitpid(process: i32, status: *mut i32, options: i32) -> i32;
    }
    const NAME: &str =
        "processes::a_forked_process_is_told_that_drivers_do_not_survive_it";
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
        // SAFETY: the child calls what any process may call, and ends itself.
        unsafe { fork() }
    });
    // What was launched before has times that only the parent can ask for.
    let (forked, times) = match recorded {
        Ok((forked, _)) => (forked, Ok(())),
        Err(error) => (0, Err(error)),
    };
    if forked == 0 {
        // SAFETY: a number of seconds is all that it is given.
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
        // Nor does it compile anything before it is told.
        let launch = || {
            let exp = gpu.launch(&kernels::EW_EXP).input(&buffer).output(&out);
            exp.scalar(1_u32).global(1).local(1).run()
        };
        let (launched, counts) = ledger::measure(launch);
        let told = told && launched.is_err() && counts.builds == 0;
        extern "C" fn leave() {
            // SAFETY: a number is all that it is given.
            unsafe { _exit(0) }
        }
        if told {
            // What drivers do at the end of a process, the child leaves.
            // SAFETY: what is called there takes nothing.
            unsafe { atexit(leave) };
        }
        // What the thread drops at its end, it drops here too.
        // SAFETY: a number is all that it is given.
        unsafe { exit(1) }
    }
    let mut status = -1;
    // SAFETY: the place for the status lives until the call returns.
    unsafe { waitpid(forked, &mut status, 0) };
    assert_eq!(status, 0, "the child was not told, or waited");
    assert_eq!(buffer.read().unwrap(), [1.0], "the parent goes on");
}

/// The count belongs to the device, so a process without other tests takes
/// it.
#[test]
fn the_memory_count_knows_now_and_peak() {
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
        succeed(&mut child("processes::the_memory_count_knows_now_and_peak"));
    }
}

/// A driver that is taken down at work takes the process with it: PoCL does,
/// while its thread compiles.
#[test]
fn a_program_may_end_while_a_device_works() {
    if is_child() {
        let x = Tensor::ones(&[100], Device::Gpu(0)).expect("a tensor");
        let _not_read = x.erf().tanh().exp();
        std::process::exit(0);
    }
    if gpu_or_skip().is_none() {
        return;
    }
    let name = "processes::a_program_may_end_while_a_device_works";
    for _ in 0..4 {
        // What is compiled already takes no time.
        let cache = folder("an_end_at_work");
        succeed(child(name).env("POCL_CACHE_DIR", cache));
    }
}
