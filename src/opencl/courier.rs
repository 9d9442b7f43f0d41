//! A thread that hands launches to the driver, while the one that asked for
//! them goes on.
//!
//! A driver takes some microseconds for a launch, and what happens between two
//! launches about half as much. So where the device has units of its own, they
//! happen at the same time. What is asked for in the meantime meets the courier
//! first: everything is done in the order in which it was asked for.

use std::env;
use std::ffi::OsString;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{hint, thread};

use ocl::core;

use super::argument::Value;
use super::device::{DeviceInfo, Kind};
use super::extent::Extent;
use super::program::Known;
use super::queue::Queue;
use super::status::refusal;
use crate::Error;

/// The variable that says `on` or `off` of it for all devices.
const VARIABLE: &str = "RUNGRAD_COURIER";

/// So many launches wait at most; who asks for more waits, too.
const WAITING: usize = 1024;
/// So long a thread looks for its mail before it sleeps.
const PATIENCE: Duration = Duration::from_micros(100);

/// A launch that was checked: the arguments fit the kernel, the sizes fit the
/// device, and the kernel keeps to its buffers and comes to an end.
pub(super) struct Order {
    known: Arc<Known>,
    values: Vec<Value>,
    global: Extent,
    local: Extent,
}

impl Order {
    /// Keeps what a launch needs.
    ///
    /// # Safety
    ///
    /// All of it was checked, and the kernel, started so, touches no memory
    /// outside its buffers, and all its work-items come to an end.
    pub(super) unsafe fn new(
        known: Arc<Known>,
        values: Vec<Value>,
        [global, local]: [Extent; 2],
    ) -> Order {
        Order { known, values, global, local }
    }

    /// Sends it to the device, with an event where somebody wants times.
    pub(super) fn start(
        &self,
        queue: &mut Queue,
        times: bool,
    ) -> Result<core::Event, Error> {
        let launching =
            |error| refusal(&format!("Launching `{}`", self.known.name), error);
        let kernel = self.known.object();
        for (index, value) in (0..).zip(&self.values) {
            value.set(&kernel, index).map_err(launching)?;
        }
        let mut event = core::Event::null();
        queue.keep_times(times)?;
        // SAFETY: the promise of `new`. Buffers that are dropped meanwhile live
        // on until it has ended.
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
}

type Work = Box<dyn FnOnce(&mut Queue) -> Result<(), Error> + Send>;

/// What the thread is given.
pub(super) enum Post {
    Launch(Order),
    /// Something else for the queue.
    Work(Work),
    Meet(SyncSender<()>),
}

/// The way to the thread.
pub(super) struct Courier(SyncSender<Post>);

impl Courier {
    /// Starts the thread of a device, where one pays and can be had.
    pub(super) fn new(
        info: &DeviceInfo,
        queue: &'static Mutex<Queue>,
    ) -> Option<Courier> {
        pays(env::var_os(VARIABLE), info.kind).then(|| start(queue))?
    }

    /// Takes a launch or other work. What goes wrong with it, the next who waits
    /// is told.
    pub(super) fn take(&self, post: Post) {
        self.0.send(post).expect("the thread never ends");
    }

    /// Waits until all is with the driver that was taken before.
    pub(super) fn meet(&self) {
        let (here, there) = sync_channel(1);
        self.take(Post::Meet(here));
        receive(&there).expect("the thread never ends");
    }
}

/// Receives what is sent soon without going to sleep: to wake a thread takes as
/// long as some launches.
fn receive<T>(mail: &Receiver<T>) -> Option<T> {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        match mail.try_recv() {
            Err(TryRecvError::Empty) => hint::spin_loop(),
            received => return received.ok(),
        }
    }
    mail.recv().ok()
}

/// Tells whether launches go by another thread: a processor has its own units
/// to do.
fn pays(word: Option<OsString>, kind: Kind) -> bool {
    match word {
        Some(word) if word == "on" => true,
        Some(word) if word == "off" => false,
        _ => kind == Kind::Gpu,
    }
}

fn start(queue: &'static Mutex<Queue>) -> Option<Courier> {
    let (post, mail) = sync_channel(WAITING);
    let thread = thread::Builder::new().name("courier".into());
    thread.spawn(move || deliver(mail, queue)).ok()?;
    Some(Courier(post))
}

fn deliver(mail: Receiver<Post>, queue: &'static Mutex<Queue>) {
    while let Some(post) = receive(&mail) {
        if let Post::Meet(there) = post {
            // Who asked has gone where nobody answers.
            let _ = there.send(());
            continue;
        }
        let mut queue = queue.lock().unwrap_or_else(PoisonError::into_inner);
        if queue.failed.is_none() {
            let done = match post {
                Post::Launch(order) => order.start(&mut queue, false).map(drop),
                Post::Work(work) => work(&mut queue),
                Post::Meet(_) => Ok(()),
            };
            queue.failed = done.err();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Gpu, Source};
    use super::*;

    const SET: &str = "kernel void set(global float *x, float y)
        { x[get_global_id(0)] = y; }";

    #[test]
    fn what_goes_wrong_is_told_and_nothing_follows_before() {
        let gpu = match Gpu::first() {
            Ok(gpu) => gpu,
            Err(error) => {
                let may_skip = env::var_os("RUNGRAD_REQUIRE_GPU").is_none();
                assert!(may_skip, "{error}");
                eprintln!("SKIPPED what_goes_wrong_is_told: {error}");
                return;
            }
        };
        let queue = Queue::new(&gpu.0.context, gpu.info()).unwrap();
        let queue: &_ = Box::leak(Box::new(Mutex::new(queue)));
        let courier = start(queue).unwrap();
        let x = gpu.upload(&[1.0_f32]).unwrap();
        gpu.finish().unwrap();
        let source = Source::new("set.cl", SET, "set");
        let known = gpu.0.kernel(source.code()).unwrap();
        let take = |y: Option<f32>| {
            let x = Value::Memory(x.mem.clone());
            let values = y.map(|y| vec![x, Value::Number(y.into())]);
            let sizes = [Extent::from(1), Extent::from(1)];
            let values = values.unwrap_or_default();
            // SAFETY: one item writes the one value, or, where an argument was
            // never given, the driver refuses.
            let order = unsafe { Order::new(known.clone(), values, sizes) };
            courier.take(Post::Launch(order));
            courier.meet();
        };
        take(None);
        take(Some(2.0));
        courier.take(Post::Work(Box::new(|_| unreachable!("it is behind"))));
        courier.meet();
        let failed = queue.lock().unwrap().failed.take();
        let words = failed.expect("no argument was given").to_string();
        assert!(words.starts_with("Launching `set`"), "{words}");
        queue.lock().unwrap().finish().unwrap();
        assert_eq!(x.read().unwrap(), [1.0]);
        take(Some(3.0));
        queue.lock().unwrap().finish().unwrap();
        assert!(queue.lock().unwrap().failed.is_none());
        assert_eq!(x.read().unwrap(), [3.0]);
        let fails = |_: &mut Queue| Err(Error::Device("no".into()));
        courier.take(Post::Work(Box::new(fails)));
        take(Some(4.0));
        assert!(queue.lock().unwrap().failed.take().is_some());
        assert_eq!(x.read().unwrap(), [3.0]);
    }

    #[test]
    fn a_card_has_a_courier_and_a_processor_none() {
        let says = |word: &str, kind| pays(Some(word.into()), kind);
        assert!(pays(None, Kind::Gpu) && !pays(None, Kind::Cpu));
        assert!(says("on", Kind::Cpu) && !says("off", Kind::Gpu));
        assert!(says("", Kind::Gpu) && !says("ON", Kind::Cpu));
    }
}
