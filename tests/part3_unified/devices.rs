//! Devices: their names and properties, and transfers between them.

use std::env;
use std::process::Command;

use rungrad::opencl;
use rungrad::ops::Keep;
use rungrad::part3_unified::{Device, Tensor, grad};
use rungrad::{Error, attempt};

use super::leaf;
use super::third::{self, Third};
use testkit::child::{child, is_child, succeed};
use testkit::clean;
use testkit::device::{gpu_or_skip, skip, two_pocl_devices};

#[test]
fn the_device_variable_selects_a_device() {
    let _clean = clean();
    const NAME: &str = "devices::the_device_variable_selects_a_device";
    if is_child() {
        return println!("named {:?}", Device::from_env());
    }
    let named = |name| succeed(child(NAME).env("RUNGRAD_DEVICE", name));
    assert!(succeed(&mut child(NAME)).contains("named Ok(Cpu)"));
    for (name, device) in [("", "Cpu"), ("cpu", "Cpu"), ("gpu:1", "Gpu(1)")] {
        let text = named(name);
        assert!(text.contains(&format!("named Ok({device})")), "{text}");
    }
}

/// Promise: `RUNGRAD_DEVICE` can name a device that the reader registered.
#[test]
fn the_device_variable_can_name_a_registered_device() {
    let _clean = clean();
    const NAME: &str =
        "devices::the_device_variable_can_name_a_registered_device";
    if is_child() {
        third::device();
        let device = Device::from_env().unwrap();
        let x = Tensor::new(&[2], &[1.0, 2.0], device).unwrap();
        return println!("{}", x.mul(&x));
    }
    let text = succeed(child(NAME).env("RUNGRAD_DEVICE", "third"));
    assert!(text.contains("[1, 4]") && text.contains("third"), "{text}");
}

/// Promise: The error for an unknown device name lists the known names.
#[test]
fn an_unknown_device_error_lists_the_known_names() {
    let _clean = clean();
    third::device();
    for name in ["vulkan", "gpu:one", "", "Third", "fused:x"] {
        let Err(Error::Usage(sentence)) = name.parse::<Device>() else {
            panic!("{name} is a device")
        };
        let start =
            format!("`{name}` is not the name of a device here; write cpu or ");
        assert!(sentence.starts_with(&start), "{sentence}");
        let known = sentence[start.len()..].split(" or ");
        let known: Vec<Device> = known.map(|it| it.parse().unwrap()).collect();
        assert!(known.contains(&third::device()), "{sentence}");
        let count = Device::count();
        let lazy = (0..count).map(Device::Fused).chain([Device::FusedCpu]);
        let all = (0..count).map(Device::Gpu).chain(lazy);
        let plain = (0..count).map(Device::Plain).chain([Device::PlainCpu]);
        let all = all.chain(plain);
        assert!(all.into_iter().all(|it| known.contains(&it)), "{sentence}");
    }
}

/// Promise: A second device with a registered name is rejected.
#[test]
fn a_second_device_with_the_same_name_is_rejected() {
    let _clean = clean();
    static SECOND: Third = Third("second");
    static NAMESAKE: Third = Third("second");
    let second = Device::register(&SECOND);
    assert_eq!(Device::register(&SECOND), second);
    assert_ne!(second, third::device());
    let refused = attempt(|| Device::register(&NAMESAKE)).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "cannot register device `second`: the name is taken; return a \
         different name from `Backend::name`"
    );
    assert_eq!("second".parse(), Ok(second));

    static MACHINES: [Third; 5] = [
        Third("cpu"),
        Third("gpu"),
        Third("gpu:7"),
        Third("plain:cpu"),
        Third(""),
    ];
    for machine in &MACHINES {
        let refused = attempt(|| Device::register(machine)).unwrap_err();
        let start = format!("cannot register device `{}`: ", machine.0);
        assert!(refused.to_string().starts_with(&start), "{refused}");
        assert!(matches!(refused, Error::Mistake(_)));
    }
}

/// Runs all tests of OpenCL devices again on the second device of this
/// machine, or in a process to which PoCL shows two devices.
///
/// Promise: The whole specification passes on a second OpenCL device.
#[test]
#[ignore = "slow: 25 s, the specification once more"]
fn the_specification_passes_on_a_second_device() {
    let _clean = clean();
    if gpu_or_skip().is_none() {
        return;
    }
    let mut again = Command::new(env::current_exe().unwrap());
    // There is a device, so a skip in the child would hide tests.
    again.env("RUNGRAD_REQUIRE_GPU", "1").env("RUNGRAD_DEVICE", "gpu:1");
    again.args(["on_an_opencl_device", "--include-ignored"]);
    let devices = opencl::devices().unwrap();
    if devices.len() < 2 {
        let Some(two) = two_pocl_devices() else {
            return skip("no second device", "there is none, and no PoCL");
        };
        again.env("POCL_DEVICES", two);
    }
    let text = succeed(&mut again);
    for name in [
        "on_an_opencl_device::two_products_have_the_gradients_9_16_and_12_24",
        "cases::every_operation_is_right_on_an_opencl_device",
    ] {
        assert!(text.contains(&format!("{name} ... ok")), "{name}: {text}");
    }
}

#[cfg(feature = "engine")]
#[test]
fn a_device_reports_its_name_and_memory() {
    let _clean = clean();
    assert_eq!(Device::Cpu.name().unwrap(), "the processor");
    assert_eq!(Device::Cpu.info().unwrap().map(|info| info.index), None);
    assert_eq!(third::device().to_string(), "third");
    let Some(gpu) = gpu_or_skip() else { return };
    let device = Device::Gpu(gpu.info().index);
    assert_eq!(device.name().unwrap(), gpu.name());
    let info = device.info().unwrap().unwrap();
    assert!(info.compute_units > 0 && info.global_memory > 0);
    assert!(Device::count() > gpu.info().index);
    let kept = Tensor::rand(&[1 << 16], 1, device).unwrap();
    let memory = device.memory().unwrap();
    assert!(memory.now >= 1 << 18 && memory.peak >= memory.now);
    device.synchronize().unwrap();
    drop(kept);
}

#[cfg(all(unix, not(target_os = "macos")))]
#[test]
fn without_opencl_only_the_cpu_is_listed() {
    let _clean = clean();
    if is_child() {
        assert_eq!(Device::count(), 0);
        return assert_eq!(Device::all(), [Device::Cpu]);
    }
    let name = "devices::without_opencl_only_the_cpu_is_listed";
    let nothing = ("RUNGRAD_OPENCL_LIBRARY", "/no/such/library.so");
    succeed(child(name).env(nothing.0, nothing.1));
}

#[test]
fn a_missing_device_is_reported_in_one_sentence() {
    let _clean = clean();
    if gpu_or_skip().is_none() {
        return;
    }
    let far = Device::Gpu(Device::count());
    let Err(Error::NoDevice(sentence)) = Tensor::rand(&[1], 1, far) else {
        panic!("a device too many")
    };
    assert!(sentence.starts_with(&format!("There is no device {far}; this")));
}

#[test]
fn a_gradient_flows_through_every_device() {
    let _clean = clean();
    if gpu_or_skip().is_none() {
        return;
    }
    let x = leaf(&[2.0, 3.0]);
    let mut y = x.clone();
    for device in Device::all().into_iter().chain([third::device()]) {
        y = y.to(device).unwrap().mul(&y.to(device).unwrap());
    }
    let back = y.to(Device::Cpu).unwrap().sum();
    let first = grad(&[&back], &[&x], true).remove(0);
    assert_eq!(first.device(), Device::Cpu);
    // The result is x^(2^k) for k devices.
    let power = 2f32.powi(Device::all().len() as i32 + 1);
    for (slope, x) in first.to_vec().unwrap().iter().zip([2f32, 3.0]) {
        let right = power * x.powf(power - 1.0);
        assert!((slope / right - 1.0).abs() < 1e-5, "{slope}, not {right}");
    }
    let second = grad(&[&first.sum()], &[&x], false).remove(0);
    let right = power * (power - 1.0) * 2f32.powf(power - 2.0);
    let yours = second.to_vec().unwrap()[0];
    assert!((yours / right - 1.0).abs() < 1e-5, "{yours}, not {right}");
}

/// Promise: Outputs on several devices can share one backward pass.
#[test]
fn outputs_on_several_devices_share_a_backward_pass() {
    let _clean = clean();
    let x = leaf(&[3.0]);
    let gpus = gpu_or_skip().map_or(0, |_| Device::count());
    let mut devices = vec![Device::Cpu, third::device()];
    devices.extend((0..gpus).map(Device::Gpu));
    let there = |device: &Device| x.to(*device).unwrap();
    let outputs = devices.iter().map(|d| there(d).mul(&there(d)));
    let outputs: Vec<Tensor> = outputs.collect();
    let outputs: Vec<&Tensor> = outputs.iter().collect();
    let slope = grad(&outputs, &[&x], false).remove(0);
    assert_eq!(slope.device(), Device::Cpu);
    assert_eq!(slope.to_vec().unwrap(), [6.0 * devices.len() as f32]);
}

/// Promise: Every operation rejects operands on two devices.
#[test]
fn every_operation_rejects_operands_on_two_devices() {
    let _clean = clean();
    let here = leaf(&[1.0, 2.0]).reshape(&[1, 2]);
    let there = here.to(third::device()).unwrap();
    let refused: [(&str, &dyn Fn() -> Tensor); 9] = [
        ("add", &|| here.add(&there)),
        ("matmul", &|| here.matmul(&there.transpose())),
        ("where_cond", &|| here.where_cond(&there, &there)),
        ("cat", &|| Tensor::cat(&[&here, &there], 0)),
        ("lt", &|| here.lt(&there)),
        ("div", &|| there.div(&here)),
        // These operations are derived from others and report their own names.
        ("sub", &|| here.sub(&there)),
        ("ge", &|| here.ge(&there)),
        ("maximum", &|| here.maximum(&there)),
    ];
    for (name, work) in refused {
        let Err(error @ Error::DeviceMismatch { .. }) = attempt(work) else {
            panic!("{name} is not refused")
        };
        let sentence = error.to_string();
        let both = sentence.contains("cpu") && sentence.contains("third");
        assert!(both && sentence.ends_with("move one with .to(..)"));
        assert!(sentence.starts_with(&format!("{name}: the operands are on")));
    }
    // Array operations are checked without a tensor in between.
    let (here, there) = (here.array(), there.array());
    for [a, b] in [[here, there], [there, here]] {
        let sentence = here.where_cond(a, b).unwrap_err().to_string();
        assert!(sentence.starts_with("where_cond: the operands are on"));
    }
}

/// One group per row would exceed the work-items that a driver allows.
///
/// Promise: A device reduces more rows than it can launch groups.
#[test]
fn more_rows_than_groups_can_be_reduced() {
    let _clean = clean();
    const ROWS: usize = 9_000_000;
    let Some(gpu) = gpu_or_skip() else { return };
    let device = Device::Gpu(gpu.info().index);
    let row = Tensor::new(&[1, 2], &[1.0, 2.0], device).unwrap();
    let rows = row.expand(&[ROWS, 2]);
    let sums = rows.sum_over(&[1], Keep::No).to_vec().unwrap();
    assert!(sums.len() == ROWS && sums.iter().all(|sum| *sum == 3.0));
    let most = rows.max_over(&[1], Keep::No).to_vec().unwrap();
    assert!(most.len() == ROWS && most.iter().all(|most| *most == 2.0));
}
