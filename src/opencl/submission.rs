//! An optional thread that submits commands to the driver while the host
//! prepares the next ones. Without it, `Open::issue` issues each command at
//! once.
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
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{hint, thread};

use super::device::{DeviceInfo, Kind};
use super::queue::{Command, Queue};

/// The variable that turns the thread `on` or `off` for all devices.
const VARIABLE: &str = "RUNGRAD_SUBMISSION_THREAD";

/// Maximum number of pending commands; beyond it the host waits to issue
/// another.
const MAX_PENDING: usize = 1024;
/// How long the thread polls for a command before it sleeps.
const POLLING: Duration = Duration::from_micros(100);

/// A message to the thread.
enum Message {
    Command(Box<dyn Command>),
    /// Replies when all commands before it have been submitted.
    Flush(SyncSender<()>),
}

/// The sending end of the channel to the thread.
pub(super) struct SubmissionThread(SyncSender<Message>);

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
    pub(super) fn submit(&self, command: impl Command) {
        self.send(Message::Command(Box::new(command)));
    }

    /// Waits until the driver has every command that was submitted before.
    pub(super) fn flush(&self) {
        let (reply, replies) = sync_channel(1);
        self.send(Message::Flush(reply));
        receive(&replies).expect("the thread never ends");
    }

    fn send(&self, message: Message) {
        self.0.send(message).expect("the thread never ends");
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

fn submit_all(channel: Receiver<Message>, queue: &Mutex<Queue>) {
    while let Some(message) = receive(&channel) {
        match message {
            Message::Command(mut command) => {
                let mut queue =
                    queue.lock().unwrap_or_else(PoisonError::into_inner);
                if let Err(error) = command.issue(&mut queue) {
                    queue.lose(command.outputs(), error);
                }
            }
            Message::Flush(reply) => {
                // Fails only if the caller's thread has ended; ignore that.
                let _ = reply.send(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::argument::Value;
    use super::super::buffer::Contents;
    use super::super::extent::Extent;
    use super::super::launch::CheckedLaunch;
    use super::super::{Buffer, Gpu, Source};
    use super::*;
    use crate::Error;

    const ADD: &str = "kernel void add(global const float *x, global float *y)
        { y[get_global_id(0)] = x[get_global_id(0)] + 1.0f; }";

    /// Overwrites a buffer, or fails.
    struct Rewrite(Arc<Contents>, Result<(), Error>);

    impl Command for Rewrite {
        fn issue(&mut self, queue: &mut Queue) -> Result<(), Error> {
            self.1.clone().map(|()| queue.restore(&self.0))
        }

        fn outputs(&self) -> Vec<&Arc<Contents>> {
            vec![&self.0]
        }
    }

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
            thread.submit(launch);
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
            thread.submit(Rewrite(to.contents.clone(), result));
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
