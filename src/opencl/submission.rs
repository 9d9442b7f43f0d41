//! A thread that submits commands to the driver while the host prepares the
//! next ones.
//!
//! A driver takes a few microseconds to accept a launch, and the host needs
//! about half of that between two launches. On a GPU the two overlap. Commands
//! reach the driver in the order in which they were issued: a call that needs
//! the queue itself first waits for the thread to become idle.
//!
//! A command that fails here has no caller to return an error to. The buffers
//! that it was to write are recorded as lost ([`Queue::lose`]), and a command
//! that uses a lost buffer fails in turn. So a failure reaches exactly the
//! values that depend on it, and reading one of them returns the error.

use std::env;
use std::ffi::OsString;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{hint, thread};

use ocl::core;

use super::argument::Value;
use super::buffer::Contents;
use super::device::{DeviceInfo, Kind};
use super::extent::Extent;
use super::program::CompiledKernel;
use super::queue::Queue;
use super::status::driver_error;
use crate::Error;

/// The variable that turns the thread `on` or `off` for all devices.
const VARIABLE: &str = "RUNGRAD_SUBMISSION_THREAD";

/// Maximum number of pending commands; beyond it the host waits to issue
/// another.
const MAX_PENDING: usize = 1024;
/// How long the thread polls for a command before it sleeps.
const POLLING: Duration = Duration::from_micros(100);

/// A launch that was checked: the arguments fit the kernel, the sizes fit the
/// device, and the kernel stays within its buffers and terminates.
pub(super) struct CheckedLaunch {
    known: Arc<CompiledKernel>,
    values: Vec<Value>,
    global: Extent,
    local: Extent,
}

impl CheckedLaunch {
    /// Collects what a launch needs.
    ///
    /// # Safety
    ///
    /// All of it was checked, and the kernel, launched with it, accesses no
    /// memory outside its buffers, and all its work-items terminate.
    pub(super) unsafe fn new(
        known: Arc<CompiledKernel>,
        values: Vec<Value>,
        [global, local]: [Extent; 2],
    ) -> CheckedLaunch {
        CheckedLaunch { known, values, global, local }
    }

    /// Enqueues the launch, with an event if times are recorded. If one of the
    /// buffers is lost, it returns that failure instead.
    pub(super) fn enqueue(
        &self,
        queue: &mut Queue,
        times: bool,
    ) -> Result<core::Event, Error> {
        let mut buffers = self.values.iter().filter_map(Value::contents);
        buffers.try_for_each(|(contents, _)| queue.check(contents))?;
        let launching = |error| {
            driver_error(&format!("Launching `{}`", self.known.name), error)
        };
        let kernel = self.known.object();
        for (index, value) in (0..).zip(&self.values) {
            value.set(&kernel, index).map_err(launching)?;
        }
        let mut event = core::Event::null();
        queue.keep_times(times)?;
        // SAFETY: the promise of `new`. Buffers that are dropped in the
        // meantime are kept alive until the kernel has ended.
        unsafe {
            core::enqueue_kernel(
                queue.current(),
                &kernel,
                self.global.dimensions as u32,
                None,
                &self.global.sizes,
                Some(self.local.sizes),
                None::<core::Event>,
                times.then_some(&mut event),
            )
        }
        .map_err(launching)?;
        Ok(event)
    }

    /// Enqueues the launch without a caller: its outputs are lost if it fails.
    fn run(&self, queue: &mut Queue) {
        if let Err(error) = self.enqueue(queue, false) {
            let buffers = self.values.iter().filter_map(Value::contents);
            let outputs = buffers.filter(|(_, written)| *written);
            queue.lose(outputs.map(|(contents, _)| contents), error);
        }
    }
}

type Work = Box<dyn FnOnce(&mut Queue) -> Result<(), Error> + Send>;

/// What the thread does with the queue.
pub(super) enum Command {
    Launch(CheckedLaunch),
    /// Overwrites a buffer, which counts as valid afterwards.
    Write(Arc<Contents>, Work),
    /// Replies when all commands before it have been submitted.
    Reply(SyncSender<()>),
}

/// The sending end of the channel to the thread.
pub(super) struct SubmissionThread(SyncSender<Command>);

impl SubmissionThread {
    /// Starts the thread of a device, if the device gains from one and the
    /// system allows it.
    pub(super) fn new(
        info: &DeviceInfo,
        queue: &'static Mutex<Queue>,
    ) -> Option<SubmissionThread> {
        is_worthwhile(env::var_os(VARIABLE), info.kind).then(|| start(queue))?
    }

    /// Sends a command to the thread.
    pub(super) fn submit(&self, command: Command) {
        self.0.send(command).expect("the thread never ends");
    }

    /// Waits until the driver has every command that was submitted before.
    pub(super) fn flush(&self) {
        let (reply, replies) = sync_channel(1);
        self.submit(Command::Reply(reply));
        receive(&replies).expect("the thread never ends");
    }
}

/// Polls for a while before it sleeps, because waking a thread takes as long
/// as a few launches.
fn receive<T>(channel: &Receiver<T>) -> Option<T> {
    let start = Instant::now();
    while start.elapsed() < POLLING {
        match channel.try_recv() {
            Err(TryRecvError::Empty) => hint::spin_loop(),
            received => return received.ok(),
        }
    }
    channel.recv().ok()
}

/// Returns whether commands go through a thread. An OpenCL device that is the
/// CPU needs its cores for the kernels.
fn is_worthwhile(word: Option<OsString>, kind: Kind) -> bool {
    match word {
        Some(word) if word == "on" => true,
        Some(word) if word == "off" => false,
        _ => kind == Kind::Gpu,
    }
}

fn start(queue: &'static Mutex<Queue>) -> Option<SubmissionThread> {
    let (commands, channel) = sync_channel(MAX_PENDING);
    let thread = thread::Builder::new().name("submission".into());
    thread.spawn(move || submit_all(channel, queue)).ok()?;
    Some(SubmissionThread(commands))
}

fn submit_all(channel: Receiver<Command>, queue: &'static Mutex<Queue>) {
    let lock = || queue.lock().unwrap_or_else(PoisonError::into_inner);
    while let Some(command) = receive(&channel) {
        match command {
            Command::Launch(launch) => launch.run(&mut lock()),
            Command::Write(target, work) => {
                let mut queue = lock();
                match work(&mut queue) {
                    Ok(()) => queue.restore(&target),
                    Err(error) => queue.lose([&target], error),
                }
            }
            Command::Reply(reply) => {
                // Fails only if the caller's thread has ended; ignore that.
                let _ = reply.send(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Buffer, Gpu, Source};
    use super::*;

    const ADD: &str = "kernel void add(global const float *x, global float *y)
        { y[get_global_id(0)] = x[get_global_id(0)] + 1.0f; }";

    #[test]
    fn a_failure_affects_only_dependent_buffers() {
        let gpu = match Gpu::first() {
            Ok(gpu) => gpu,
            Err(error) => {
                let may_skip = env::var_os("RUNGRAD_REQUIRE_GPU").is_none();
                assert!(may_skip, "{error}");
                eprintln!(
                    "SKIPPED a_failure_affects_only_dependent_buffers: {error}"
                );
                return;
            }
        };
        let queue = Queue::new(&gpu.0.context, gpu.info()).unwrap();
        let queue: &_ = Box::leak(Box::new(Mutex::new(queue)));
        let thread = start(queue).unwrap();
        let [x, y, z, other]: [Buffer<f32>; 4] =
            [1.0_f32, 2.0, 3.0, 4.0].map(|value| gpu.upload(&[value]).unwrap());
        gpu.finish().unwrap();
        let source = Source::new("add.cl", ADD, "add");
        let known = gpu.0.kernel(source.code()).unwrap();
        let value = |buffer: &Buffer<f32>, written| Value::Memory {
            contents: buffer.contents.clone(),
            written,
        };
        let launch = |values: Vec<Value>| {
            let sizes = [Extent::from(1), Extent::from(1)];
            // SAFETY: one item reads one value and writes one; where an
            // argument was never given, the driver refuses the launch.
            let launch =
                unsafe { CheckedLaunch::new(known.clone(), values, sizes) };
            thread.submit(Command::Launch(launch));
            thread.flush();
        };
        let add = |from, to| launch(vec![value(from, false), value(to, true)]);
        let lock = || queue.lock().unwrap();
        let check = |buffer: &Buffer<f32>| lock().report(&buffer.contents);

        // The kernel has never been given an argument, so this one fails; no
        // buffer depends on it.
        launch(vec![]);
        lock().finish_and_report().unwrap();
        launch(vec![value(&y, true)]);
        assert!(lock().finish_and_report().is_err());
        add(&y, &z);
        add(&x, &other);
        let failure = check(&y).unwrap_err();
        assert!(failure.to_string().starts_with("Launching `add`"));
        assert_eq!(check(&z), Err(failure.clone()));
        assert_eq!([check(&x), check(&other)], [Ok(()), Ok(())]);
        // It was reported, so it is not reported again.
        lock().finish_and_report().unwrap();
        assert_eq!(other.read().unwrap(), [2.0]);
        // A launch does not restore a buffer: it may write a part of it.
        add(&x, &y);
        assert_eq!(check(&y), Err(failure));
        let rewrite = |to: &Buffer<f32>, result: Result<(), Error>| {
            let work = Box::new(|_: &mut Queue| result);
            thread.submit(Command::Write(to.contents.clone(), work));
            thread.flush();
        };
        rewrite(&y, Ok(()));
        add(&x, &y);
        assert_eq!(check(&y), Ok(()));
        lock().finish_and_report().unwrap();
        assert_eq!(y.read().unwrap(), [2.0]);
        let refused = Error::Device("refused".into());
        rewrite(&y, Err(refused.clone()));
        assert_eq!(check(&y), Err(refused));
    }

    #[test]
    fn only_gpus_have_a_submission_thread() {
        let with = |word: &str, kind| is_worthwhile(Some(word.into()), kind);
        let without = |kind| is_worthwhile(None, kind);
        assert!(without(Kind::Gpu) && !without(Kind::Cpu));
        assert!(with("on", Kind::Cpu) && !with("off", Kind::Gpu));
        assert!(with("", Kind::Gpu) && !with("ON", Kind::Cpu));
    }
}
