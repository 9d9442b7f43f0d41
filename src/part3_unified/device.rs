//! Where numbers live, built in chapter 21. The device is data, not a type:
//! one tensor type serves them all.

use std::fmt;
use std::str::FromStr;

use super::Backend;
use super::backend::{cpu, gpu};
use crate::error::Error;
use crate::opencl;

/// A place that holds numbers and computes with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Device {
    /// The host's processor and memory.
    Cpu,
    /// The i-th OpenCL device, as `cargo learn doctor` lists them: GPUs
    /// first, drivers for processors last.
    Gpu(usize),
}

impl Device {
    /// The device that the variable `RUNGRAD_DEVICE` names; without it, the
    /// processor.
    pub fn from_env() -> Result<Device, Error> {
        match std::env::var("RUNGRAD_DEVICE") {
            Ok(name) => name.parse(),
            Err(_) => Ok(Device::Cpu),
        }
    }

    /// Every device of this machine, the processor first.
    pub fn all() -> Vec<Device> {
        let found = opencl::devices().map_or(0, |devices| devices.len());
        let gpus = (0..found).map(Device::Gpu);
        std::iter::once(Device::Cpu).chain(gpus).collect()
    }

    /// What the device calls itself.
    pub fn name(self) -> Result<String, Error> {
        match self {
            Device::Cpu => Ok("the processor".to_string()),
            Device::Gpu(i) => Ok(opencl::Gpu::open(i)?.name().to_string()),
        }
    }

    /// Waits until all work sent to the device is done.
    pub fn synchronize(self) -> Result<(), Error> {
        match self {
            Device::Cpu => Ok(()),
            Device::Gpu(i) => opencl::Gpu::open(i)?.finish(),
        }
    }

    pub(super) fn backend(self) -> Result<Box<dyn Backend>, Error> {
        Ok(match self {
            Device::Cpu => Box::new(cpu::Cpu),
            Device::Gpu(i) => Box::new(gpu::OpenCl::open(i)?),
        })
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Device::Cpu => f.write_str("cpu"),
            Device::Gpu(i) => write!(f, "gpu:{i}"),
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
