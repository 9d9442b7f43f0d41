//! Lets each call of each OpenCL function fail in turn during a training step.
//! The step must return the right result or an error, never a wrong value and
//! never an unexpected panic. The parameters are those before the step or
//! those after it, and the engine works afterwards.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString, c_char, c_int, c_long};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{env, fs, process, thread};

use libloading::os::unix::Library;
use rungrad::error::raise;
use rungrad::nn::{BatchNorm, Linear, Module, Parameters, parameters};
use rungrad::opencl::Gpu;
use rungrad::optim::{Adam, Optimizer, Sgd};
use rungrad::part3_unified::{Device, Tensor};
use rungrad::rng::Random;
use rungrad::{Error, attempt, part2_gpu};

use testkit::child::{child, is_child, succeed};
use testkit::device::gpu_or_skip;

const LIBRARY: &str = "RUNGRAD_OPENCL_LIBRARY";
/// Environment variables that select the mode and the function of a child.
const MODE: &str = "RUNGRAD_TEST_MODE";
const FUNCTION: &str = "RUNGRAD_TEST_FUNCTION";

/// Out of resources: what a driver returns for many causes.
const OUT_OF_RESOURCES: c_int = -5;
/// NVIDIA's driver returns it for everything once a device is lost.
const LOST: c_int = -9999;

/// Compiles the library into a temporary folder that is deleted on drop.
struct Compiled(PathBuf);

impl Compiled {
    fn new(test: &str) -> Compiled {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("{test}-{}", process::id()));
        fs::create_dir_all(&folder).unwrap();
        let compiled = Compiled(folder);
        let source = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/opencl/failing_calls.c"
        );
        let mut cc = Command::new(env::var("CC").unwrap_or("cc".into()));
        cc.args(["-shared", "-fPIC", "-pthread", "-O1", "-o"]);
        succeed(cc.arg(compiled.library()).args([source, "-ldl"]));
        compiled
    }

    fn library(&self) -> PathBuf {
        self.0.join("failing_calls.so")
    }
}

impl Drop for Compiled {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The library that this process has loaded.
struct Control(Library);

impl Control {
    fn new() -> Control {
        let file = env::var(LIBRARY).unwrap();
        // SAFETY: this is the library compiled from `failing_calls.c`, whose
        // constructors only write its own variables.
        Control(unsafe { Library::new(file) }.unwrap())
    }

    /// Makes the call with this index fail, counted from now on. An empty name
    /// makes no call fail.
    fn fail(&self, function: &str, at: usize, status: c_int, all: bool) {
        type Function =
            unsafe extern "C" fn(*const c_char, c_long, c_int, c_int);
        let name = CString::new(function).unwrap();
        // SAFETY: the C source declares this type.
        let set = unsafe { self.0.get::<Function>("fail_call") }.unwrap();
        // SAFETY: the function copies the name.
        unsafe { set(name.as_ptr(), at as c_long, status, all.into()) };
    }

    fn fail_none(&self) {
        self.fail("", 0, 0, false);
    }

    /// Counts the calls of each function since the last `fail`.
    fn calls(&self) -> BTreeMap<String, usize> {
        type Function =
            unsafe extern "C" fn(c_int, *mut *const c_char) -> c_long;
        // SAFETY: the C source declares this type.
        let ask = unsafe { self.0.get::<Function>("calls_of") }.unwrap();
        let count = |index| {
            let mut name = std::ptr::null();
            // SAFETY: `name` has room for the address of a string.
            let calls = unsafe { ask(index, &mut name) };
            let calls = usize::try_from(calls).ok()?;
            // SAFETY: the name is a constant string of the library.
            let name = unsafe { CStr::from_ptr(name) };
            Some((name.to_str().unwrap().to_string(), calls))
        };
        (0..).map_while(count).collect()
    }
}

/// Values that are compared bit by bit.
type Values = Vec<f32>;

/// A training step whose parameters and running statistics must survive a
/// failure.
trait Subject {
    /// Trains for one step, and returns its loss.
    fn step(&mut self) -> Result<f32, Error>;
    /// Reads the state that a step changes: the parameters, and the running
    /// statistics, which the forward pass updates earlier.
    fn state(&self) -> Result<[Values; 2], Error>;
}

struct Network {
    model: Model,
    optimizer: Box<dyn Optimizer>,
    x: Tensor,
}

struct Model {
    first: Linear,
    norm: BatchNorm,
    second: Linear,
}

impl Module for Model {
    fn forward(&self, x: &Tensor) -> Tensor {
        self.second.forward(&self.norm.forward(&self.first.forward(x)))
    }
}

impl Parameters for Model {
    parameters!(first, norm, second);
}

const LABELS: [usize; 4] = [2, 0, 1, 2];

impl Network {
    fn new(device: Device, optimizer: impl Optimizer + 'static) -> Network {
        let mut random = Random::new(3);
        let first = Linear::new(3, 4, &mut random);
        let second = Linear::new(4, 3, &mut random);
        let mut model = Model { first, norm: BatchNorm::new(4), second };
        or_raise(model.to(device));
        let x = or_raise(Tensor::rand(&[4, 3], 5, device));
        let optimizer = Box::new(optimizer);
        let mut network = Network { model, optimizer, x };
        // Only after the first step, an optimizer has state to lose.
        or_raise(network.step());
        // An error would be of a value that the second thread has lost and not
        // read yet.
        let _ = device.synchronize();
        network
    }
}

impl Subject for Network {
    fn step(&mut self) -> Result<f32, Error> {
        attempt(|| {
            self.model.parameters().iter().for_each(|(_, p)| p.zero_grad());
            let loss = self.model.forward(&self.x).cross_entropy(&LABELS);
            loss.backward();
            self.optimizer.step(self.model.parameters_mut());
            loss.item()
        })?
    }

    fn state(&self) -> Result<[Values; 2], Error> {
        attempt(|| {
            let mut parameters = vec![];
            for (_, parameter) in self.model.parameters() {
                parameters.extend(parameter.to_vec()?);
            }
            let BatchNorm { running_mean, running_var, .. } = &self.model.norm;
            let [mean, var] =
                [running_mean, running_var].map(|it| it.get().to_vec());
            Ok([parameters, [mean?, var?].concat()])
        })?
    }
}

fn or_raise<T>(result: Result<T, Error>) -> T {
    result.unwrap_or_else(|error| raise(error))
}

/// Part 2, which has no state besides the graph.
struct Part2Step(Gpu);

impl Subject for Part2Step {
    fn step(&mut self) -> Result<f32, Error> {
        attempt(|| {
            let new = |values: &[f32]| {
                part2_gpu::Tensor::new(&self.0, &[2, 2], values)
            };
            let a = new(&[1.0, 2.0, 3.0, 4.0])?.requires_grad();
            let b = new(&[5.0, 6.0, 7.0, 8.0])?.requires_grad();
            let y = a.matmul(&b).mul(&a).relu().sum();
            y.backward();
            let grads = [&a, &b].map(|it| it.grad().unwrap().to_vec());
            let [a, b] = grads;
            Ok(y.to_vec()?[0] + a?[1] * 3.0 + b?[2] * 7.0)
        })?
    }

    fn state(&self) -> Result<[Values; 2], Error> {
        Ok([vec![], vec![]])
    }
}

fn subject(name: &str) -> Box<dyn Subject> {
    let device = |name: &str| name.parse::<Device>().unwrap();
    match name {
        "part 2" => Box::new(Part2Step(Gpu::first().unwrap())),
        "gpu:0, Adam" => {
            Box::new(Network::new(device("gpu:0"), Adam::new(0.01)))
        }
        "gpu:0, Sgd" => {
            Box::new(Network::new(device("gpu:0"), Sgd::new(0.01, 0.9)))
        }
        "fused:0, Sgd" => {
            Box::new(Network::new(device("fused:0"), Sgd::new(0.01, 0.9)))
        }
        _ => unreachable!("{name}"),
    }
}

const SUBJECTS: [&str; 4] =
    ["part 2", "gpu:0, Adam", "gpu:0, Sgd", "fused:0, Sgd"];

/// The outcomes of one function's failing calls.
#[derive(Default)]
struct Outcomes {
    positions: usize,
    errors: usize,
    right: usize,
}

/// Lets each call of each function fail during a step of each subject.
fn test_every_call(control: &Control, second_thread: bool) {
    for name in SUBJECTS {
        let mut ordinary = subject(name);
        let before = ordinary.state().unwrap();
        control.fail_none();
        let loss = ordinary.step().unwrap();
        let calls = control.calls();
        let after = ordinary.state().unwrap();
        let changes = before[0] != after[0] && before[1] != after[1];
        assert!(changes || before[0].is_empty(), "{name}");
        let other = SecondThread::new(second_thread);
        for (function, count) in calls {
            if count == 0 || BUILDING.contains(&&*function) {
                continue;
            }
            let mut row = Outcomes::default();
            for at in 0..count {
                let what = format!("{name}, {function}, call {at}");
                let mut it = subject(name);
                control.fail(&function, at, OUT_OF_RESOURCES, false);
                let result = catch_unwind(AssertUnwindSafe(|| it.step()));
                control.fail_none();
                let result =
                    result.unwrap_or_else(|_| panic!("{what}: another panic"));
                let state = it.state();
                match &result {
                    Ok(value) => assert_eq!(*value, loss, "{what}"),
                    Err(error) => check_sentence(&what, error),
                }
                let state = state.unwrap_or_else(|e| panic!("{what}: {e}"));
                if result.is_ok() {
                    assert_eq!(state, after, "{what}: after a good step");
                }
                for ((state, before), after) in
                    state.iter().zip(&before).zip(&after)
                {
                    let is_whole = state == before || state == after;
                    assert!(is_whole, "{what}: a part of a step");
                }
                row.positions += 1;
                match result {
                    Ok(_) => row.right += 1,
                    Err(_) => row.errors += 1,
                }
            }
            let again = subject(name).step();
            assert_eq!(again, Ok(loss), "{name} after {function}");
            let Outcomes { positions, errors, right } = row;
            println!(
                "{name:12} {function:28} {positions:5} {errors:6} {right:6}"
            );
        }
        other.stop();
    }
}

fn check_sentence(what: &str, error: &Error) {
    let words = error.to_string();
    let is_sentence =
        words.len() > 20 && !words.contains("unwrap") && !words.contains("###");
    assert!(is_sentence, "{what}: {words}");
}

/// A second thread that computes on the same device.
struct SecondThread(Option<(&'static AtomicBool, thread::JoinHandle<()>)>);

impl SecondThread {
    fn new(enabled: bool) -> SecondThread {
        if !enabled {
            return SecondThread(None);
        }
        let stop: &AtomicBool = Box::leak(Box::default());
        let x = Tensor::new(&[2], &[1.0, 2.0], Device::Gpu(0)).unwrap();
        let compute = move || {
            let mut rounds = 0_u32;
            while !stop.load(Ordering::Relaxed) {
                let k = (rounds % 7) as f32;
                let result = attempt(|| x.scale(k).shift(1.0).to_vec());
                match result.and_then(|it| it) {
                    Ok(y) => assert_eq!(y, [k + 1.0, 2.0 * k + 1.0]),
                    Err(error) => check_sentence("a second thread", &error),
                }
                rounds += 1;
            }
            assert_eq!(x.to_vec().unwrap(), [1.0, 2.0]);
        };
        SecondThread(Some((stop, thread::spawn(compute))))
    }

    fn stop(self) {
        if let Some((stop, thread)) = self.0 {
            stop.store(true, Ordering::Relaxed);
            thread.join().expect("the second thread had no wrong number");
        }
    }
}

/// Runs each mode of a test in a separate process.
fn test_modes(test: &str, modes: &[[&str; 2]]) {
    let compiled = Compiled::new(test);
    for [mode, thread] in modes {
        let mut child = child(&format!("failing_calls::{test}"));
        child.env(LIBRARY, compiled.library()).env(MODE, mode);
        let variable = match *mode {
            "building" => FUNCTION,
            _ => "RUNGRAD_SUBMISSION_THREAD",
        };
        let text = succeed(child.env(variable, thread));
        println!("{mode}, {thread}:\n{text}");
    }
}

/// Runs the mode that the parent has chosen.
fn test_mode() {
    let control = Control::new();
    match env::var(MODE).unwrap().as_str() {
        "lost" => test_a_lost_device(&control),
        "building" => test_building(&control),
        mode => test_every_call(&control, mode == "two threads"),
    }
}

/// Promise: A failed OpenCL call is an error of each value that depends on it, and
/// never a wrong value.
#[test]
fn a_failed_call_is_never_silent() {
    if is_child() {
        return test_mode();
    }
    if gpu_or_skip().is_some() {
        let building = BUILDING.map(|function| ["building", function]);
        test_modes("a_failed_call_is_never_silent", &building);
        let modes = [["one thread", "on"], ["lost", "off"], ["lost", "on"]];
        test_modes("a_failed_call_is_never_silent", &modes);
    }
}

#[test]
#[ignore = "slow: 40 s, each call of a step without the thread, and beside others"]
fn a_failed_call_is_never_silent_in_every_mode() {
    if is_child() {
        return test_mode();
    }
    if gpu_or_skip().is_some() {
        let modes = [
            ["one thread", "off"],
            ["two threads", "off"],
            ["two threads", "on"],
        ];
        test_modes("a_failed_call_is_never_silent_in_every_mode", &modes);
    }
}

/// The functions that are called once per program or kernel.
const BUILDING: [&str; 8] = [
    "clCreateProgramWithSource",
    "clBuildProgram",
    "clGetProgramBuildInfo",
    "clGetProgramInfo",
    "clCreateKernel",
    "clGetKernelInfo",
    "clGetKernelArgInfo",
    "clGetKernelWorkGroupInfo",
];

/// Builds the programs of a step while calls of a function fail. Programs that
/// were built stay cached, so each step gets further than the one before.
fn test_building(control: &Control) {
    let function = env::var(FUNCTION).unwrap();
    for name in SUBJECTS {
        let mut errors = 0;
        for at in 0..4 {
            let mut last = None;
            loop {
                control.fail(&function, at, OUT_OF_RESOURCES, false);
                let step = || attempt(|| subject(name).step());
                let result = catch_unwind(step).expect("no other panic");
                let calls = control.calls()[&function];
                control.fail_none();
                let error = match result.and_then(|it| it) {
                    Err(error) => error,
                    Ok(_) if calls > at => continue,
                    Ok(_) => break,
                };
                check_sentence(&format!("{name}, {function}"), &error);
                errors += 1;
                if last.replace(error.clone()) == Some(error) {
                    break;
                }
            }
        }
        let loss = subject(name).step().unwrap();
        assert_eq!(subject(name).step(), Ok(loss), "{name}, {function}");
        println!("{name:12} {function:28} building: {errors} errors");
    }
}

/// A lost device fails every call, including releases.
fn test_a_lost_device(control: &Control) {
    for name in SUBJECTS {
        for at in [0, 1, 5, 20, 50, 100, 200] {
            let what = format!("{name}, lost at call {at}");
            let loss = subject(name).step().unwrap();
            let mut it = subject(name);
            control.fail("*", at, LOST, true);
            let result = catch_unwind(AssertUnwindSafe(|| {
                let result = it.step();
                drop(it);
                result
            }));
            control.fail_none();
            let result =
                result.unwrap_or_else(|_| panic!("{what}: another panic"));
            match result {
                Ok(value) => assert_eq!(value, loss, "{what}"),
                Err(error) => check_sentence(&what, &error),
            }
            assert_eq!(subject(name).step(), Ok(loss), "{what}: afterwards");
        }
    }
}

const OPENING: &str = "failing_calls::a_failed_open_can_be_repeated";

/// Each call that a process makes until a device is open fails in a separate
/// process. The first open may fail; the second must succeed.
///
/// Promise: A device that could not be opened is tried again.
#[test]
fn a_failed_open_can_be_repeated() {
    if is_child() {
        let first = catch_unwind(Gpu::first).expect("no other panic");
        if let Err(error) = &first {
            check_sentence("the first open", error);
        }
        println!("first open: {}", if first.is_ok() { "ok" } else { "error" });
        Control::new().fail_none();
        let gpu = Gpu::first().expect("the second open succeeds");
        assert_eq!(Part2Step(gpu).step(), Ok(625.0));
        return;
    }
    if gpu_or_skip().is_none() {
        return;
    }
    let compiled = Compiled::new("failing_open");
    let child = |choice: &str| {
        let mut child = child(OPENING);
        child.env(LIBRARY, compiled.library()).env("FAIL_CALL", choice);
        succeed(&mut child)
    };
    let mut errors = 0;
    for (function, positions) in [
        ("clGetPlatformIDs", 3),
        ("clGetDeviceIDs", 2),
        ("clGetDeviceInfo", 12),
        ("clGetPlatformInfo", 2),
        ("clCreateContext", 1),
        ("clCreateCommandQueue", 1),
    ] {
        for at in 0..positions {
            let text = child(&format!("{function}:{at}:-6"));
            errors += usize::from(text.contains("first open: error"));
        }
    }
    assert!(errors >= 3, "{errors} opens failed");
}
