//! Where numbers live, built in "One tensor, two devices". The device is data,
//! not a type: one tensor type serves them all.

mod custom;

use std::fmt;
use std::str::FromStr;

use super::Backend;
use crate::error::{Error, Result, or_raise};
use crate::ledger::Memory;
use crate::opencl::{self, DeviceInfo};

pub use custom::Custom;

/// A place that holds numbers and computes with them.
///
/// [`str::parse`] and the variable `RUNGRAD_DEVICE` take these names, which are
/// also what a device prints as:
///
/// | name | device |
/// |---|---|
/// | `cpu` | [`Device::Cpu`] |
/// | `gpu:0`, `gpu:1` and so on; `gpu` is `gpu:0` | [`Device::Gpu`] |
/// | `fused:0`, `fused:1` and so on; `fused` is `fused:0` | [`Device::Fused`] |
/// | `fused:cpu` | [`Device::FusedCpu`] |
/// | the name of a registered backend | [`Device::Custom`] |
// ANCHOR: device
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Device {
    /// The host's processor and memory.
    Cpu,
    /// The i-th OpenCL device, as `cargo learn doctor` lists them: GPUs
    /// first, drivers for processors last.
    Gpu(usize),
    /// The i-th OpenCL device again, lazily: what is asked of it becomes one
    /// kernel when somebody wants the numbers.
    Fused(usize),
    /// The processor, lazily.
    FusedCpu,
    /// A reader's own, from [`Device::register`].
    Custom(Custom),
}
// ANCHOR_END: device

impl Device {
    /// Makes a device of a backend of yours. From now on its name is that of
    /// the device: `RUNGRAD_DEVICE` and [`str::parse`] find it. The same
    /// backend gives the same device again.
    ///
    /// `examples/part3_spiral` trains on such a device.
    ///
    /// # Panics
    ///
    /// If the name is that of another device, or no name.
    #[track_caller]
    pub fn register<B: Backend>(backend: &'static B) -> Device {
        Device::Custom(or_raise(custom::register(backend)))
    }

    /// Finds the device that the variable `RUNGRAD_DEVICE` names; without it,
    /// the processor.
    pub fn from_env() -> Result<Device> {
        match std::env::var(opencl::DEVICE_VARIABLE) {
            Ok(name) if !name.is_empty() => name.parse(),
            _ => Ok(Device::Cpu),
        }
    }

    /// Counts the OpenCL devices: `Gpu(0)` to the last.
    pub fn count() -> usize {
        opencl::devices().map_or(0, <[DeviceInfo]>::len)
    }

    /// Lists every device of this machine, the processor first.
    ///
    /// ```
    /// # use rungrad::part3_unified::Device;
    /// for device in Device::all() {
    ///     println!("{device}: {}", device.name()?);
    /// }
    /// assert_eq!(Device::all()[0], Device::Cpu);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    pub fn all() -> Vec<Device> {
        let gpus = (0..Device::count()).map(Device::Gpu);
        std::iter::once(Device::Cpu).chain(gpus).collect()
    }

    /// Returns what the device calls itself.
    pub fn name(self) -> Result<String> {
        Ok(self.backend()?.name())
    }

    /// Describes an OpenCL device: its version, its units, its memory. The
    /// processor is not asked through OpenCL.
    pub fn info(self) -> Result<Option<&'static DeviceInfo>> {
        match self {
            Device::Gpu(i) | Device::Fused(i) => {
                opencl::Gpu::open(i)?;
                Ok(opencl::devices()?.get(i))
            }
            Device::Cpu | Device::FusedCpu | Device::Custom(_) => Ok(None),
        }
    }

    /// Counts the bytes in the device's arrays, now and at the peak.
    pub fn memory(self) -> Result<Memory> {
        Ok(self.backend()?.memory())
    }

    /// Waits until all work sent to the device is done.
    pub fn synchronize(self) -> Result<()> {
        self.backend()?.synchronize()
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Device::Cpu => f.write_str("cpu"),
            Device::Gpu(i) => write!(f, "gpu:{i}"),
            Device::Fused(i) => write!(f, "fused:{i}"),
            Device::FusedCpu => f.write_str("fused:cpu"),
            Device::Custom(custom) => f.write_str(custom.name()),
        }
    }
}

impl FromStr for Device {
    type Err = Error;

    fn from_str(name: &str) -> Result<Device> {
        let lazy = name.strip_prefix("fused:").and_then(|i| i.parse().ok());
        if let Some(index) = lazy {
            return Ok(Device::Fused(index));
        }
        let gpu = match name {
            "cpu" => return Ok(Device::Cpu),
            "fused:cpu" => return Ok(Device::FusedCpu),
            "fused" => return Ok(Device::Fused(0)),
            "gpu" => Some(0),
            _ => name.strip_prefix("gpu:").and_then(|i| i.parse().ok()),
        };
        let custom = || custom::find(name).map(Device::Custom);
        gpu.map(Device::Gpu).or_else(custom).ok_or_else(|| {
            Error::Usage(format!(
                "`{name}` is not the name of a device here; write {}",
                known().join(" or ")
            ))
        })
    }
}

/// Returns the names of all devices.
fn known() -> Vec<String> {
    let lazy = (0..Device::count()).map(Device::Fused);
    let custom = custom::all().into_iter().map(Device::Custom);
    let mut all = Device::all();
    all.push(Device::FusedCpu);
    all.extend(lazy.chain(custom));
    all.iter().map(Device::to_string).collect()
}
