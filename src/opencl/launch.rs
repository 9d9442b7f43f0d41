//! Kernel launches, checked on the host before the device sees them.

use std::cell::Cell;
use std::fmt::Display;
use std::marker::PhantomData;
use std::sync::Arc;

use ocl::core;

use super::argument::{Argument, Scalar, Value, check_no_aliasing};
use super::buffer::{Buffer, Contents};
use super::device::Bytes;
use super::element::{Element, Stored};
use super::event::Event;
use super::extent::Extent;
use super::gpu::Gpu;
use super::program::CompiledKernel;
use super::queue::{Command, Queue};
use super::reach::LaunchArgs;
use super::recorder;
use super::signature::Signature;
use super::source::{Code, GeneratedKernel, Kernel, Source};
use super::status::driver_error;
use crate::timeline::SliceKind;
use crate::{Error, ledger};

/// Capacity for the arguments: the maximum that a kernel of this crate takes.
const ARGUMENT_CAPACITY: usize = 12;

/// A builder for a launch: the arguments, in the kernel's order, and the
/// sizes. Nothing happens before [`run`](Launch::run), which is safe for the
/// kernels of this crate and `unsafe` for a [`Source`].
#[must_use = "a launch does nothing until it is run"]
pub struct Launch<'a, K = Kernel> {
    gpu: Gpu,
    code: Code<'a>,
    // A `Vec`, because each call of the builder would move the contents of a
    // `SmallVec`; see docs/benchmarks.md.
    arguments: Vec<Argument<'a>>,
    global: Option<Extent>,
    local: Option<Extent>,
    kind: PhantomData<K>,
}

// ANCHOR: launches
impl Gpu {
    /// Begins a launch of one of this crate's kernels.
    pub fn launch<'a>(&self, kernel: &Kernel) -> Launch<'a> {
        Launch::new(self, kernel.code())
    }

    /// Begins a launch of a generated kernel.
    pub fn launch_generated<'a>(
        &self,
        kernel: &'a GeneratedKernel,
    ) -> Launch<'a> {
        Launch::new(self, kernel.code())
    }

    /// Begins a launch of any other kernel, whose `run` is `unsafe`.
    pub fn launch_source<'a>(&self, source: &'a Source) -> Launch<'a, Source> {
        Launch::new(self, source.code())
    }
}
// ANCHOR_END: launches

impl<'a, K> Launch<'a, K> {
    fn new(gpu: &Gpu, code: Code<'a>) -> Launch<'a, K> {
        Launch {
            gpu: gpu.clone(),
            code,
            arguments: Vec::with_capacity(ARGUMENT_CAPACITY),
            global: None,
            local: None,
            kind: PhantomData,
        }
    }

    /// Adds a buffer whose memory holds values of type `T`, which may differ
    /// from the buffer's element type.
    fn buffer<T: Stored>(
        mut self,
        buffer: &'a Buffer<impl Element>,
        at_least: usize,
        written: bool,
    ) -> Launch<'a, K> {
        self.arguments.push(Argument::Buffer {
            contents: &buffer.contents,
            device: buffer.gpu().info(),
            len: buffer.bytes() / size_of::<T>(),
            at_least,
            size: size_of::<T>(),
            type_name: T::C_NAME,
            written,
        });
        self
    }

    /// Adds the next argument, a scalar.
    pub fn scalar(mut self, value: impl Into<Scalar>) -> Launch<'a, K> {
        self.arguments.push(Argument::Scalar(value.into()));
        self
    }

    /// Sets the global size, the number of work-items. It is rounded up to
    /// whole groups, so the kernel must guard against the extra items of the
    /// last group.
    pub fn global(mut self, size: impl Into<Extent>) -> Launch<'a, K> {
        self.global = Some(size.into());
        self
    }

    /// Sets the local size, the number of work-items in a group.
    pub fn local(mut self, size: impl Into<Extent>) -> Launch<'a, K> {
        self.local = Some(size.into());
        self
    }
}

// A kernel of this crate declares its reach itself.
impl<'a> Launch<'a> {
    /// Adds the next argument, a buffer that the kernel reads.
    pub fn input<T: Element>(self, buffer: &'a Buffer<T>) -> Launch<'a> {
        self.buffer::<T>(buffer, 0, false)
    }

    /// Adds the next argument, a buffer that the kernel writes. It must not be
    /// passed as any other argument.
    pub fn output<T: Element>(self, buffer: &'a Buffer<T>) -> Launch<'a> {
        self.buffer::<T>(buffer, 0, true)
    }
}

// The buffers of a memory pool are reused for elements of any size, so their
// memory may hold values of a type other than their element type.
impl<'a> Launch<'a> {
    /// Adds the next argument, a buffer that the kernel reads as values of
    /// type `T`.
    pub(crate) fn input_as<T: Stored>(
        self,
        buffer: &'a Buffer<impl Element>,
    ) -> Launch<'a> {
        self.buffer::<T>(buffer, 0, false)
    }

    /// Adds the next argument, a buffer that the kernel writes as values of
    /// type `T`.
    pub(crate) fn output_as<T: Stored>(
        self,
        buffer: &'a Buffer<impl Element>,
    ) -> Launch<'a> {
        self.buffer::<T>(buffer, 0, true)
    }
}

// For any other kernel, the caller declares the reach.
impl<'a> Launch<'a, Source> {
    /// Adds the next argument, a buffer of which the kernel reads the first
    /// `at_least` values.
    pub fn input<T: Element>(
        self,
        buffer: &'a Buffer<T>,
        at_least: usize,
    ) -> Launch<'a, Source> {
        self.buffer::<T>(buffer, at_least, false)
    }

    /// Adds the next argument, a buffer of which the kernel writes the first
    /// `at_least` values. It must not be passed as any other argument.
    pub fn output<T: Element>(
        self,
        buffer: &'a Buffer<T>,
        at_least: usize,
    ) -> Launch<'a, Source> {
        self.buffer::<T>(buffer, at_least, true)
    }
}

impl Launch<'_> {
    /// Checks the launch and sends it to the device. It returns immediately;
    /// the next read of a buffer waits for the result.
    pub fn run(self) -> Result<(), Error> {
        // SAFETY: a kernel of this crate stays within its buffers and
        // terminates, as it promised to `Kernel::new`.
        unsafe { self.start(false).map(drop) }
    }

    /// Like [`Launch::run`], but returns an event from which the times of the
    /// launch can be read. Recording times makes a launch more expensive, so
    /// `run` does not do it.
    pub fn timed(self) -> Result<Event, Error> {
        // SAFETY: as for `run`.
        unsafe { self.start(true) }
    }

    /// Returns, for each buffer, the number of values at its end that the
    /// kernel does not access. A test that passes buffers of exactly the
    /// required length expects zeros; nothing else reveals a kernel that
    /// declares too small a reach.
    pub fn unreached(&self) -> Result<Vec<u64>, Error> {
        let known = self.gpu.0.kernel(self.code)?;
        let (global, local) = self.check_sizes(&known.signature)?;
        let reaches = self.reaches(&known, global, local)?;
        Ok(reaches
            .map(|(length, reach)| length.saturating_sub(reach))
            .collect())
    }
}

// ANCHOR: run-source
impl Launch<'_, Source> {
    /// Checks the launch and sends it to the device. It returns immediately;
    /// the next read of a buffer waits for the result.
    ///
    /// # Safety
    ///
    /// The caller promises that the kernel, launched with these arguments and
    /// sizes, accesses no memory outside the buffers that it was given, and
    /// that all its work-items terminate. The host checks arguments and sizes;
    /// it cannot check what a kernel does with them.
    pub unsafe fn run(self) -> Result<(), Error> {
        // SAFETY: the caller's promise, word for word.
        unsafe { self.start(false).map(drop) }
    }
}
// ANCHOR_END: run-source

impl Launch<'_, Source> {
    /// Like [`run`](Self::run), but returns an event from which the times of
    /// the launch can be read. Recording times makes a launch more expensive,
    /// so `run` does not do it.
    ///
    /// # Safety
    ///
    /// The caller makes the promise of [`run`](Self::run).
    pub unsafe fn timed(self) -> Result<Event, Error> {
        // SAFETY: the caller's promise, word for word.
        unsafe { self.start(true) }
    }
}

impl<K> Launch<'_, K> {
    /// Checks the launch and sends it to the device.
    ///
    /// # Safety
    ///
    /// The kernel, launched with these arguments and sizes, accesses no memory
    /// outside the buffers that it was given, and all its work-items
    /// terminate.
    unsafe fn start(self, timed: bool) -> Result<Event, Error> {
        let mut call = recorder::call();
        let times = timed || call.is_some();
        let open = self.gpu.0;
        let known = open.kernel(self.code)?;
        self.check_arguments(&known.signature)?;
        let (global, local) = self.check_sizes(&known.signature)?;
        let reached = self.check_reach(&known, global, local)?;

        let values = self.arguments.iter().map(Argument::value).collect();
        // SAFETY: the arguments match the kernel's parameters and the sizes
        // fit the device, as was just checked, and a buffer that is written is
        // passed only once. The caller promises that the kernel then stays
        // within its buffers.
        let launch =
            unsafe { CheckedLaunch::new(known, values, [global, local]) };
        let event = if times {
            let mut queue = open.queue()?;
            if let Some(call) = &mut call {
                let generated = self.code.generated;
                call.queues(generated.map_or("", |it| &it.operations));
            }
            launch.enqueue(&mut queue, true)?
        } else {
            open.issue(launch)?;
            core::Event::null()
        };
        ledger::count(|counts| {
            counts.launches += 1;
            counts.bytes_reached += reached;
        });
        let event = Event::new(event);
        if let Some(call) = call {
            let groups = global.items() / local.items();
            let amount = format!("{groups} x {}", local.items());
            let what = (SliceKind::Launch, self.code.name, amount);
            call.returned(self.gpu.0.info, what, 0, Some(event.clone()));
        }
        Ok(event)
    }

    /// Returns the kernel's name.
    pub fn name(&self) -> &str {
        self.code.name
    }

    /// Returns an error about this kernel.
    fn mistake(&self, words: impl Display) -> Error {
        Error::Mistake(format!("Kernel `{}` {words}.", self.code.name))
    }
}

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
    fn enqueue(
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
}

impl Command for CheckedLaunch {
    fn issue(&mut self, queue: &mut Queue) -> Result<(), Error> {
        self.enqueue(queue, false).map(drop)
    }

    fn outputs(&self) -> Vec<&Arc<Contents>> {
        let buffers = self.values.iter().filter_map(Value::contents);
        let outputs = buffers.filter(|(_, written)| *written);
        outputs.map(|(contents, _)| contents).collect()
    }
}

// Checks before a launch: the arguments against the parameters, the sizes
// against the device, and the buffers against the kernel's reach.
impl<K> Launch<'_, K> {
    /// Checks the arguments against the kernel's parameters.
    fn check_arguments(&self, signature: &Signature) -> Result<(), Error> {
        let wanted = signature.parameters.len();
        let given = self.arguments.len();
        if wanted != given {
            return Err(self.mistake(format!(
                "takes {wanted} arguments ({}) and was given {given}",
                signature.names().join(", ")
            )));
        }
        for (index, argument) in self.arguments.iter().enumerate() {
            let known = signature.parameters[index].as_ref();
            let refused = argument
                .check(self.gpu.info())
                .and_then(|()| known.map_or(Ok(()), |p| argument.fits(p)));
            let Err(words) = refused else { continue };
            let name =
                known.map_or(String::new(), |p| format!(" (`{}`)", p.name));
            let place = format!("argument {}{name}", index + 1);
            return Err(self.mistake(format!("cannot take {place}: {words}")));
        }
        check_no_aliasing(&self.arguments).map_err(|words| self.mistake(words))
    }

    /// Checks the sizes and returns the global size, rounded up to whole
    /// groups, and the local size.
    fn check_sizes(
        &self,
        signature: &Signature,
    ) -> Result<(Extent, Extent), Error> {
        let (Some(global), Some(local)) = (self.global, self.local) else {
            return Err(self.mistake(
                "was given no size: a launch needs `.global(..)`, the number \
                 of work-items, and `.local(..)`, those of one group",
            ));
        };
        if global.dimensions != local.dimensions {
            return Err(self.mistake(format!(
                "was given {} dimensions of global size and {} of local size",
                global.dimensions, local.dimensions
            )));
        }
        if global.is_empty() || local.is_empty() {
            return Err(self.mistake(format!(
                "was given a size of 0: global {global}, local {local}"
            )));
        }
        self.check_group(local, signature)?;

        let mut rounded = global;
        for (size, group) in rounded.sizes.iter_mut().zip(local.sizes) {
            *size = size.div_ceil(group).saturating_mul(group);
        }
        // Kernels index with `uint`, and beyond 31 bits some drivers run
        // work-items twice or not at all.
        if rounded.items() > i32::MAX as usize {
            return Err(self.mistake(format!(
                "was given a global size of {rounded}: more work-items than \
                 31 bits count, which drivers do not run reliably; split the \
                 work"
            )));
        }
        Ok((rounded, local))
    }

    /// Checks the group size against the limits of the kernel and the device.
    fn check_group(
        &self,
        local: Extent,
        signature: &Signature,
    ) -> Result<(), Error> {
        let info = self.gpu.info();
        let required = signature.required_local;
        if required != [0; 3] && required != local.sizes {
            let required = Extent { sizes: required, ..local };
            return Err(self.mistake(format!(
                "requires groups of {required} and was given {local}"
            )));
        }
        // The kernel's own limit equals the device's, or is lower if it uses
        // many registers.
        let most = signature.max_work_group.min(info.max_work_group);
        if local.items() > most {
            return Err(self.mistake(format!(
                "was given groups of {local} = {} work-items, and on {} it \
                 can have at most {most}",
                local.items(),
                info.name
            )));
        }
        let limits = &info.max_work_item_sizes;
        if local.sizes.iter().zip(limits).any(|(size, most)| size > most) {
            return Err(self.mistake(format!(
                "was given groups of {local}, and {} has limits of {limits:?}",
                info.name
            )));
        }
        // PoCL would abort the process instead of rejecting the launch.
        if signature.local_memory > info.local_memory {
            return Err(self.mistake(format!(
                "takes {} of local memory for a group, and {} has {}",
                Bytes(signature.local_memory),
                info.name,
                Bytes(info.local_memory)
            )));
        }
        Ok(())
    }

    /// Checks the buffers against the reach that a kernel of this crate
    /// declares, and returns the number of bytes that it accesses.
    fn check_reach(
        &self,
        known: &CompiledKernel,
        global: Extent,
        local: Extent,
    ) -> Result<u64, Error> {
        let reaches = self.reaches(known, global, local)?;
        let is_buffer = |it: &&Argument| matches!(it, Argument::Buffer { .. });
        let buffers = self.arguments.iter().filter(is_buffer);
        let mut bytes = 0;
        for (place, ((length, reach), buffer)) in
            reaches.zip(buffers).enumerate()
        {
            bytes += buffer.bytes(reach);
            if length < reach {
                return Err(self.mistake(format!(
                    "would reach {reach} values of its buffer number {}, \
                     which holds {length}",
                    place + 1
                )));
            }
        }
        Ok(bytes)
    }

    /// Returns, for each buffer, its length and how many values a kernel of
    /// this crate accesses.
    fn reaches<'b>(
        &'b self,
        known: &'b CompiledKernel,
        global: Extent,
        local: Extent,
    ) -> Result<impl Iterator<Item = (u64, u64)>, Error> {
        let groups = [0, 1, 2].map(|d| global.sizes[d] / local.sizes[d]);
        let (items, names) = (local.sizes, &known.names[..]);
        let arguments = &self.arguments[..];
        let unknown = Cell::new(None);
        let args = LaunchArgs { arguments, names, groups, items, unknown };
        args.reaches(self.code.reach).ok_or_else(|| match args.unknown.take() {
            Some(name) => self.mistake(format!(
                "has no parameter `{name}`, from which its reach is computed; \
                 it has {}",
                names.join(", ")
            )),
            None => {
                self.mistake("was given sizes or offsets that it cannot take")
            }
        })
    }
}
