//! Where numbers live, built in chapter 21. The device is data, not a type:
//! one tensor type serves them all.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use super::Backend;
use super::backend::{cpu, gpu};
use crate::error::Error;
use crate::opencl::{self, DeviceInfo, Memory};

// ANCHOR: device
/// A place that holds numbers and computes with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Device {
    /// The host's processor and memory.
    Cpu,
    /// The i-th OpenCL device, as `cargo learn doctor` lists them: GPUs
    /// first, drivers for processors last.
    Gpu(usize),
    /// A reader's own.
    Own(Own),
}
// ANCHOR_END: device

impl Device {
    /// The device that the variable `RUNGRAD_DEVICE` names; without it, the
    /// processor.
    pub fn from_env() -> Result<Device, Error> {
        match std::env::var(opencl::DEVICE_VARIABLE) {
            Ok(name) if !name.is_empty() => name.parse(),
            _ => Ok(Device::Cpu),
        }
    }

    /// How many OpenCL devices there are: `Gpu(0)` to the last.
    pub fn count() -> usize {
        opencl::devices().map_or(0, <[DeviceInfo]>::len)
    }

    /// Every device of this machine, the processor first.
    pub fn all() -> Vec<Device> {
        let gpus = (0..Device::count()).map(Device::Gpu);
        std::iter::once(Device::Cpu).chain(gpus).collect()
    }

    /// What the device calls itself.
    pub fn name(self) -> Result<String, Error> {
        Ok(self.backend()?.name())
    }

    /// What an OpenCL device says about itself: its version, its units, its
    /// memory. The processor is not asked through OpenCL.
    pub fn info(self) -> Result<Option<&'static DeviceInfo>, Error> {
        match self {
            Device::Gpu(i) => {
                opencl::Gpu::open(i)?;
                Ok(opencl::devices()?.get(i))
            }
            Device::Cpu | Device::Own(_) => Ok(None),
        }
    }

    /// Bytes in the device's arrays, now and at the peak.
    pub fn memory(self) -> Result<Memory, Error> {
        Ok(self.backend()?.memory())
    }

    /// Waits until all work sent to the device is done.
    pub fn synchronize(self) -> Result<(), Error> {
        self.backend()?.synchronize()
    }
}

// ANCHOR: backend
impl Device {
    /// Who computes there. An OpenCL device may refuse to open.
    pub fn backend(self) -> Result<&'static dyn Backend, Error> {
        Ok(match self {
            Device::Cpu => &cpu::Cpu,
            Device::Gpu(i) => gpu::OpenCl::open(i)?,
            Device::Own(own) => own.0,
        })
    }
}
// ANCHOR_END: backend

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Device::Cpu => f.write_str("cpu"),
            Device::Gpu(i) => write!(f, "gpu:{i}"),
            Device::Own(own) => f.write_str(&own.0.name()),
        }
    }
}

impl FromStr for Device {
    type Err = Error;

    fn from_str(name: &str) -> Result<Device, Error> {
        let gpu = match name {
            "cpu" => return Ok(Device::Cpu),
            "gpu" => Some(0),
            _ => name.strip_prefix("gpu:").and_then(|i| i.parse().ok()),
        };
        gpu.map(Device::Gpu).ok_or_else(|| {
            Error::Usage(format!(
                "`{name}` is no device; write cpu, gpu (the first OpenCL \
                 device) or gpu:1 (the second)"
            ))
        })
    }
}

/// A backend of a reader's own, known by its name:
/// `Device::Own(Own(&MINE))`.
#[derive(Clone, Copy)]
pub struct Own(pub &'static dyn Backend);

impl PartialEq for Own {
    fn eq(&self, other: &Own) -> bool {
        self.0.name() == other.0.name()
    }
}

impl Eq for Own {}

impl Hash for Own {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.name().hash(state);
    }
}

impl fmt::Debug for Own {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.name())
    }
}
