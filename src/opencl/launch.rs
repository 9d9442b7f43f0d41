//! The launch of a kernel, checked on the host before the device sees it.

mod checks;

use std::fmt::Display;
use std::marker::PhantomData;

use ocl::core;

use super::argument::{Argument, Scalar};
use super::buffer::Buffer;
use super::element::Element;
use super::event::Event;
use super::extent::Extent;
use super::gpu::Gpu;
use super::recorder;
use super::source::{Code, Kernel, Source};
use super::status::refusal;
use crate::timeline::SliceKind;
use crate::{Error, ledger};

/// The kernels of this crate take no more arguments than so many.
const MOST_ARGUMENTS: usize = 12;

/// A launch in the making: its arguments, in the kernel's order, and its
/// sizes. Nothing happens before [`run`](Launch::run), which is safe for the
/// kernels of this crate and `unsafe` for a [`Source`].
#[must_use = "a launch does nothing until it is run"]
pub struct Launch<'a, Of = Kernel> {
    gpu: Gpu,
    code: Code<'a>,
    arguments: Vec<Argument<'a>>,
    global: Option<Extent>,
    local: Option<Extent>,
    of: PhantomData<Of>,
}

// ANCHOR: launches
impl Gpu {
    /// Begins the launch of one of this crate's own kernels.
    pub fn launch<'a>(&self, kernel: &'a Kernel) -> Launch<'a> {
        Launch::new(self, kernel.code())
    }

    /// Begins the launch of any other kernel, whose `run` is `unsafe`.
    pub fn launch_source<'a>(&self, source: &'a Source) -> Launch<'a, Source> {
        Launch::new(self, source.code())
    }
}
// ANCHOR_END: launches

impl<'a, Of> Launch<'a, Of> {
    fn new(gpu: &Gpu, code: Code<'a>) -> Launch<'a, Of> {
        Launch {
            gpu: gpu.clone(),
            code,
            arguments: Vec::with_capacity(MOST_ARGUMENTS),
            global: None,
            local: None,
            of: PhantomData,
        }
    }

    fn buffer<T: Element>(
        mut self,
        buffer: &'a Buffer<T>,
        at_least: usize,
        written: bool,
    ) -> Launch<'a, Of> {
        self.arguments.push(Argument::Buffer {
            mem: &buffer.mem,
            device: buffer.gpu().info(),
            len: buffer.len(),
            at_least,
            type_name: T::C_NAME,
            written,
        });
        self
    }

    /// The next argument: a number.
    pub fn scalar(mut self, value: impl Into<Scalar>) -> Launch<'a, Of> {
        self.arguments.push(Argument::Scalar(value.into()));
        self
    }

    /// How many work-items there are to be. It is rounded up to whole groups,
    /// so the kernel must guard against the spare items of the last.
    pub fn global(mut self, size: impl Into<Extent>) -> Launch<'a, Of> {
        self.global = Some(size.into());
        self
    }

    /// How many work-items make a group.
    pub fn local(mut self, size: impl Into<Extent>) -> Launch<'a, Of> {
        self.local = Some(size.into());
        self
    }
}

// How far one of this crate's kernels reaches, it says itself.
impl<'a> Launch<'a> {
    /// The next argument: a buffer that the kernel reads.
    pub fn input<T: Element>(self, buffer: &'a Buffer<T>) -> Launch<'a> {
        self.buffer(buffer, 0, false)
    }

    /// The next argument: a buffer that the kernel writes. What is written
    /// has one name: the buffer is none of the other arguments.
    pub fn output<T: Element>(self, buffer: &'a Buffer<T>) -> Launch<'a> {
        self.buffer(buffer, 0, true)
    }
}

// Of any other kernel the caller says it.
impl<'a> Launch<'a, Source> {
    /// The next argument: a buffer of which the kernel reads the first
    /// `at_least` values.
    pub fn input<T: Element>(
        self,
        buffer: &'a Buffer<T>,
        at_least: usize,
    ) -> Launch<'a, Source> {
        self.buffer(buffer, at_least, false)
    }

    /// The next argument: a buffer of which the kernel writes the first
    /// `at_least` values. What is written has one name: the buffer is none
    /// of the other arguments.
    pub fn output<T: Element>(
        self,
        buffer: &'a Buffer<T>,
        at_least: usize,
    ) -> Launch<'a, Source> {
        self.buffer(buffer, at_least, true)
    }
}

impl Launch<'_> {
    /// Checks the launch and sends it to the device. It returns at once: the
    /// next read of a buffer waits for the result.
    pub fn run(self) -> Result<(), Error> {
        // SAFETY: a kernel of this crate keeps to its buffers and comes to an
        // end, as it promised to `Kernel::new`.
        unsafe { self.start(false).map(drop) }
    }

    /// The same with an event, which tells when the device did it. That makes
    /// a launch dearer, so nobody is given one who does not ask.
    pub fn timed(self) -> Result<Event, Error> {
        // SAFETY: as for `run`.
        unsafe { self.start(true) }
    }

    /// How many values at the end of each buffer the kernel does not reach.
    /// Who gives it buffers that just suffice expects zeros: a kernel that
    /// says too little of its reach shows itself by nothing else.
    pub fn unreached(&self) -> Result<Vec<u64>, Error> {
        let known = self.gpu.0.kernel(self.code)?;
        let (global, local) = self.check_sizes(&known.signature)?;
        let reaches = self.reaches(global, local)?;
        Ok(reaches
            .map(|(length, reach)| length.saturating_sub(reach))
            .collect())
    }
}

// ANCHOR: run-source
impl Launch<'_, Source> {
    /// Checks the launch and sends it to the device. It returns at once: the
    /// next read of a buffer waits for the result.
    ///
    /// # Safety
    ///
    /// The caller promises that the kernel, started with these arguments and
    /// sizes, touches no memory outside the buffers it was given, and that
    /// all its work-items come to an end. The host checks arguments and
    /// sizes; it cannot check what a kernel does with them.
    pub unsafe fn run(self) -> Result<(), Error> {
        // SAFETY: it is the caller's promise, word for word.
        unsafe { self.start(false).map(drop) }
    }
}
// ANCHOR_END: run-source

impl Launch<'_, Source> {
    /// The same with an event, which tells when the device did it. That makes
    /// a launch dearer, so nobody is given one who does not ask.
    ///
    /// # Safety
    ///
    /// The caller promises what [`run`](Self::run) asks for.
    pub unsafe fn timed(self) -> Result<Event, Error> {
        // SAFETY: it is the caller's promise, word for word.
        unsafe { self.start(true) }
    }
}

impl<Of> Launch<'_, Of> {
    /// Checks the launch and sends it to the device.
    ///
    /// # Safety
    ///
    /// The kernel, started with these arguments and sizes, touches no memory
    /// outside the buffers that it was given, and all its work-items come to
    /// an end.
    unsafe fn start(self, timed: bool) -> Result<Event, Error> {
        let mut call = recorder::call();
        let times = timed || call.is_some();
        let open = self.gpu.0;
        let known = open.kernel(self.code)?;
        self.check_arguments(&known.signature)?;
        let (global, local) = self.check_sizes(&known.signature)?;
        self.check_reach(global, local)?;

        let launching =
            |error| refusal(&format!("Launching `{}`", self.code.name), error);
        let kernel = known.object();
        for (index, argument) in (0..).zip(&self.arguments) {
            argument.set(&kernel, index).map_err(launching)?;
        }
        let mut event = core::Event::null();
        let mut queue = open.queue()?;
        queue.keep_times(times)?;
        if let Some(call) = &mut call {
            call.queues();
        }
        // SAFETY: the arguments fit the kernel's parameters and the sizes fit
        // the device, as was just checked, and what is written is given once.
        // That the kernel then keeps to its buffers, the caller promises.
        // Buffers that are dropped meanwhile live on until it has ended.
        unsafe {
            core::enqueue_kernel(
                queue.current(),
                &kernel,
                global.dimensions as u32,
                None,
                &global.sizes,
                Some(local.sizes),
                None::<core::Event>,
                times.then_some(&mut event),
            )
        }
        .map_err(launching)?;
        ledger::count(|counts| counts.launches += 1);
        let event = Event::new(event);
        if let Some(call) = call {
            let groups = global.items() / local.items();
            let amount = format!("{groups} x {}", local.items());
            let what = (SliceKind::Launch, self.code.name, amount);
            call.returned(self.gpu.0.info, what, 0, Some(event.clone()));
        }
        Ok(event)
    }

    /// The kernel's name.
    pub fn name(&self) -> &str {
        self.code.name
    }

    /// An error about this kernel.
    fn mistake(&self, words: impl Display) -> Error {
        Error::Mistake(format!("Kernel `{}` {words}.", self.code.name))
    }
}
