//! The launch of a kernel, checked on the host before the device sees it.

use std::fmt::{self, Display};

use ocl::core::{self, ArgVal, KernelArgAddressQualifier as Address, Mem};
use ocl::prm::Int8;

use super::buffer::{Buffer, Element};
use super::device::Bytes;
use super::event::Event;
use super::gpu::Gpu;
use super::program::{Code, Parameter, Signature};
use super::status::refusal;
use crate::{Error, ledger};

/// A launch in the making: its arguments, in the kernel's order, and its
/// sizes. Nothing happens before [`run`](Launch::run).
#[must_use = "a launch does nothing until it is run"]
pub struct Launch<'a> {
    gpu: Gpu,
    code: Code<'a>,
    arguments: Vec<Argument<'a>>,
    global: Option<Extent>,
    local: Option<Extent>,
}

/// What a launch hands to one parameter.
enum Argument<'a> {
    Buffer {
        mem: &'a Mem,
        gpu: &'a Gpu,
        len: usize,
        at_least: usize,
        type_name: &'static str,
        written: bool,
    },
    Scalar(Scalar),
}

/// A number for a parameter that is no buffer.
#[derive(Clone, Copy, Debug)]
pub enum Scalar {
    /// `float`.
    F32(f32),
    /// `uint`.
    U32(u32),
    /// `int`.
    I32(i32),
    /// `int8`: eight sizes or strides at once. There is no `uint8`, because
    /// `ocl` 0.19 gives its elements one byte each.
    I32x8([i32; 8]),
}

/// A size in one, two or three dimensions: `n`, `[columns, rows]`.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    sizes: [usize; 3],
    dimensions: usize,
}

impl<'a> Launch<'a> {
    pub(super) fn new(gpu: &Gpu, code: Code<'a>) -> Launch<'a> {
        let gpu = gpu.clone();
        Launch { gpu, code, arguments: vec![], global: None, local: None }
    }

    /// The next argument: a buffer of which the kernel reads the first
    /// `at_least` values.
    pub fn input<T: Element>(
        self,
        buffer: &'a Buffer<T>,
        at_least: usize,
    ) -> Launch<'a> {
        self.buffer(buffer, at_least, false)
    }

    /// The next argument: a buffer of which the kernel writes the first
    /// `at_least` values. It may be one of the inputs as well.
    pub fn output<T: Element>(
        self,
        buffer: &'a Buffer<T>,
        at_least: usize,
    ) -> Launch<'a> {
        self.buffer(buffer, at_least, true)
    }

    fn buffer<T: Element>(
        mut self,
        buffer: &'a Buffer<T>,
        at_least: usize,
        written: bool,
    ) -> Launch<'a> {
        self.arguments.push(Argument::Buffer {
            mem: &buffer.mem,
            gpu: buffer.gpu(),
            len: buffer.len(),
            at_least,
            type_name: T::C_NAME,
            written,
        });
        self
    }

    /// The next argument: a number.
    pub fn scalar(mut self, value: impl Into<Scalar>) -> Launch<'a> {
        self.arguments.push(Argument::Scalar(value.into()));
        self
    }

    /// How many work-items there are to be. It is rounded up to whole groups,
    /// so the kernel must guard against the spare items of the last.
    pub fn global(mut self, size: impl Into<Extent>) -> Launch<'a> {
        self.global = Some(size.into());
        self
    }

    /// How many work-items make a group.
    pub fn local(mut self, size: impl Into<Extent>) -> Launch<'a> {
        self.local = Some(size.into());
        self
    }

    /// Checks the launch and sends it to the device. It returns at once: the
    /// next read of a buffer waits for the result.
    pub fn run(self) -> Result<Event, Error> {
        let open = self.gpu.0;
        let (kernel, signature) = open.kernel(self.code)?;
        self.check_arguments(&signature)?;
        let (global, local) = self.check_sizes(&signature)?;

        let launching =
            |error| refusal(&format!("Launching `{}`", self.code.name), error);
        for (index, argument) in (0..).zip(&self.arguments) {
            let wide;
            let value = match argument {
                Argument::Buffer { mem, .. } => ArgVal::mem(mem),
                Argument::Scalar(Scalar::F32(value)) => ArgVal::scalar(value),
                Argument::Scalar(Scalar::U32(value)) => ArgVal::scalar(value),
                Argument::Scalar(Scalar::I32(value)) => ArgVal::scalar(value),
                Argument::Scalar(Scalar::I32x8(values)) => {
                    wide = Int8::from(*values);
                    ArgVal::vector(&wide)
                }
            };
            core::set_kernel_arg(&kernel, index, value).map_err(launching)?;
        }
        let mut event = core::Event::null();
        // SAFETY: the arguments fit the kernel's parameters and the sizes fit
        // the device, as was just checked. That the kernel then keeps to its
        // buffers is what `kernels` argues for those of this crate, and what
        // the caller of `launch_source` promised for any other. Buffers that
        // are dropped meanwhile live on until the launch has ended.
        unsafe {
            core::enqueue_kernel(
                &open.queue,
                &kernel,
                global.dimensions as u32,
                None,
                &global.sizes,
                Some(local.sizes),
                None::<core::Event>,
                Some(&mut event),
            )
        }
        .map_err(launching)?;
        ledger::count(|counts| counts.launches += 1);
        Ok(Event::new(event))
    }

    /// An error about this kernel.
    fn mistake(&self, words: impl Display) -> Error {
        Error::Mistake(format!("Kernel `{}` {words}.", self.code.name))
    }

    fn check_arguments(&self, signature: &Signature) -> Result<(), Error> {
        let wanted = signature.parameters.len();
        let given = self.arguments.len();
        if wanted != given {
            let names: Vec<&str> = signature
                .parameters
                .iter()
                .map(|known| known.as_ref().map_or("?", |p| p.name.as_str()))
                .collect();
            return Err(self.mistake(format!(
                "takes {wanted} arguments ({}) and was given {given}",
                names.join(", ")
            )));
        }
        for (index, argument) in self.arguments.iter().enumerate() {
            let known = signature.parameters[index].as_ref();
            let place = match known {
                Some(parameter) => {
                    format!("argument {} (`{}`)", index + 1, parameter.name)
                }
                None => format!("argument {}", index + 1),
            };
            argument
                .check(&self.gpu)
                .and_then(|()| known.map_or(Ok(()), |p| argument.fits(p)))
                .map_err(|words| {
                    self.mistake(format!("cannot take {place}: {words}"))
                })?;
        }
        Ok(())
    }

    /// The global size, rounded up to whole groups, and the local size.
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
        // Kernels count in `uint`, and beyond 31 bits some drivers run work-
        // items twice or not at all.
        if rounded.items() > i32::MAX as usize {
            return Err(self.mistake(format!(
                "was given a global size of {rounded}: more work-items than \
                 31 bits count, which drivers do not run reliably; split the \
                 work"
            )));
        }
        Ok((rounded, local))
    }

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
        // The kernel's own limit is the device's, or lower when it takes many
        // registers.
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
        // PoCL would end the process instead of refusing the launch.
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
}

impl Argument<'_> {
    /// What can be said without knowing the parameter.
    fn check(&self, device: &Gpu) -> Result<(), String> {
        let Argument::Buffer { gpu, len, at_least, .. } = self else {
            return Ok(());
        };
        if *gpu != device {
            return Err(format!(
                "the buffer is on {gpu:?} and the launch on {device:?}; copy \
                 it by `read` and `upload`"
            ));
        }
        if len < at_least {
            return Err(format!(
                "the buffer holds {len} values and the kernel needs {at_least}"
            ));
        }
        Ok(())
    }

    fn fits(&self, parameter: &Parameter) -> Result<(), String> {
        let declared = &parameter.type_name;
        match self {
            Argument::Buffer { type_name, written, .. } => {
                let in_buffer = matches!(
                    parameter.address,
                    Address::Global | Address::Constant
                );
                if !in_buffer || element(declared) != Some(type_name) {
                    return Err(format!(
                        "it is declared {declared} and was given a buffer of \
                         {type_name}"
                    ));
                }
                let constant = parameter.constant
                    || parameter.address == Address::Constant;
                if *written && constant {
                    return Err("it is const, so it can be no output".into());
                }
            }
            Argument::Scalar(value) => {
                if parameter.address != Address::Private
                    || declared != value.type_name()
                {
                    return Err(format!(
                        "it is declared {declared} and was given a {}",
                        value.type_name()
                    ));
                }
            }
        }
        Ok(())
    }
}

/// The `float` of `float*`, and of `float4*`: a wide load reads the same
/// buffer.
fn element(declared: &str) -> Option<&str> {
    let pointee = declared.strip_suffix('*')?.trim_end();
    Some(pointee.trim_end_matches(|c: char| c.is_ascii_digit()))
}

impl Scalar {
    fn type_name(self) -> &'static str {
        match self {
            Scalar::F32(_) => f32::C_NAME,
            Scalar::U32(_) => u32::C_NAME,
            Scalar::I32(_) => i32::C_NAME,
            Scalar::I32x8(_) => "int8",
        }
    }
}

impl From<f32> for Scalar {
    fn from(value: f32) -> Scalar {
        Scalar::F32(value)
    }
}

impl From<u32> for Scalar {
    fn from(value: u32) -> Scalar {
        Scalar::U32(value)
    }
}

impl From<i32> for Scalar {
    fn from(value: i32) -> Scalar {
        Scalar::I32(value)
    }
}

impl From<[i32; 8]> for Scalar {
    fn from(values: [i32; 8]) -> Scalar {
        Scalar::I32x8(values)
    }
}

impl Extent {
    fn items(self) -> usize {
        self.sizes.iter().fold(1, |all, size| all.saturating_mul(*size))
    }

    fn is_empty(self) -> bool {
        self.sizes.contains(&0)
    }
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sizes = &self.sizes[..self.dimensions];
        let sizes: Vec<String> = sizes.iter().map(usize::to_string).collect();
        f.write_str(&sizes.join("x"))
    }
}

impl From<usize> for Extent {
    fn from(size: usize) -> Extent {
        [size].into()
    }
}

impl<const N: usize> From<[usize; N]> for Extent {
    fn from(given: [usize; N]) -> Extent {
        const { assert!(1 <= N && N <= 3, "one, two or three dimensions") };
        let mut sizes = [1; 3];
        sizes[..N].copy_from_slice(&given);
        Extent { sizes, dimensions: N }
    }
}
