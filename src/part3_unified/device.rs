//! The places where tensors live, built in "One tensor, two devices". The
//! device is a value, not a type parameter: one tensor type serves all
//! devices.

mod custom;

use std::fmt;
use std::str::FromStr;

use super::Backend;
use super::plain_cpu::PlainCpu;
use crate::error::{Error, Result, or_raise};
use crate::ledger::Memory;
#[cfg(feature = "opencl")]
use crate::opencl::{self, DeviceInfo};

pub use custom::Custom;

/// A device that stores elements and computes with them.
///
/// [`str::parse`] and the environment variable `RUNGRAD_DEVICE` accept these
/// names, and `Display` prints them:
///
/// | name | device |
/// |---|---|
/// | `cpu` | [`Device::Cpu`] |
/// | `gpu:0`, `gpu:1` and so on; `gpu` is `gpu:0` | [`Device::Gpu`] |
/// | `fused:0`, `fused:1` and so on; `fused` is `fused:0` | [`Device::Fused`] |
/// | `fused:cpu` | [`Device::FusedCpu`] |
/// | `plain:cpu` | [`Device::PlainCpu`] |
/// | `plain:0`, `plain:1` and so on; `plain` is `plain:0` | [`Device::Plain`] |
/// | the name of a registered backend | [`Device::Custom`] |
// ANCHOR: device
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Device {
    /// The CPU and host memory.
    Cpu,
    /// The i-th OpenCL device, in the order of `cargo learn doctor`: GPUs
    /// first, CPU drivers last.
    Gpu(usize),
    /// The i-th OpenCL device with lazy evaluation: operations are collected,
    /// and compiled to one kernel when their values are needed.
    Fused(usize),
    /// The CPU with lazy evaluation.
    FusedCpu,
    /// The CPU with one simple loop per primitive, in `f32` only.
    PlainCpu,
    /// The i-th OpenCL device with one simple kernel per primitive, in `f32`
    /// only.
    Plain(usize),
    /// A user's device, created by [`Device::register`].
    Custom(Custom),
}
// ANCHOR_END: device

// ANCHOR: backend
impl Device {
    /// Returns the backend of this device. Opening an OpenCL device may fail.
    pub fn backend(self) -> Result<&'static dyn Backend> {
        // The engine, if it is compiled in, has fast backends for `cpu`, `gpu`
        // and `fused`. The `match` has the plain ones.
        if let Some(fast) = engine_backend(self) {
            return fast;
        }
        match self {
            Device::Cpu | Device::PlainCpu => Ok(&PlainCpu),
            Device::Gpu(i) | Device::Plain(i) => plain_opencl(i),
            Device::Fused(_) | Device::FusedCpu => Err(Error::NoDevice(
                format!("`{self}` needs the features `lazy` and `opencl`"),
            )),
            Device::Custom(custom) => Ok(custom.backend()),
        }
    }
}
// ANCHOR_END: backend

#[cfg(feature = "engine")]
use crate::engine::backend as engine_backend;

/// Without the engine, a device has its plain backend.
#[cfg(not(feature = "engine"))]
fn engine_backend(_: Device) -> Option<Result<&'static dyn Backend>> {
    None
}

#[cfg(feature = "opencl")]
fn plain_opencl(index: usize) -> Result<&'static dyn Backend> {
    Ok(super::plain_opencl::PlainOpenCl::open(index)?)
}

#[cfg(not(feature = "opencl"))]
fn plain_opencl(_: usize) -> Result<&'static dyn Backend> {
    Err(Error::NoOpenCl(
        "this program was built without OpenCL; build it with the feature \
         `opencl`"
            .to_string(),
    ))
}

impl Device {
    /// Registers a backend and returns its device. From then on,
    /// `RUNGRAD_DEVICE` and [`str::parse`] find it by the backend's name.
    /// Registering the same backend again returns the same device.
    ///
    /// `examples/part3_spiral` trains on such a device.
    ///
    /// # Panics
    ///
    /// If the name is taken, reserved or empty.
    #[track_caller]
    pub fn register<B: Backend>(backend: &'static B) -> Device {
        Device::Custom(or_raise(custom::register(backend)))
    }

    /// Returns the device that the environment variable `RUNGRAD_DEVICE`
    /// names, or the CPU if it is not set.
    pub fn from_env() -> Result<Device> {
        match std::env::var("RUNGRAD_DEVICE") {
            Ok(name) if !name.is_empty() => name.parse(),
            _ => Ok(Device::Cpu),
        }
    }

    /// Returns the number of OpenCL devices: `Gpu(0)` to `Gpu(count - 1)`.
    pub fn count() -> usize {
        #[cfg(feature = "opencl")]
        return opencl::devices().map_or(0, <[DeviceInfo]>::len);
        #[cfg(not(feature = "opencl"))]
        0
    }

    /// Lists the devices of this machine, the CPU first.
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

    /// Returns the device's own name, such as the driver's name for a GPU.
    pub fn name(self) -> Result<String> {
        Ok(self.backend()?.name())
    }

    /// Returns the properties of an OpenCL device, such as version, compute
    /// units and memory, or `None` for devices that do not use OpenCL.
    #[cfg(feature = "opencl")]
    pub fn info(self) -> Result<Option<&'static DeviceInfo>> {
        match self {
            Device::Gpu(i) | Device::Fused(i) | Device::Plain(i) => {
                opencl::Gpu::open(i)?;
                Ok(opencl::devices()?.get(i))
            }
            Device::Cpu
            | Device::FusedCpu
            | Device::PlainCpu
            | Device::Custom(_) => Ok(None),
        }
    }

    /// Returns the bytes allocated on the device, now and at the peak.
    pub fn memory(self) -> Result<Memory> {
        Ok(self.backend()?.memory())
    }

    /// Blocks until all work sent to the device has finished.
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
            Device::PlainCpu => f.write_str("plain:cpu"),
            Device::Plain(i) => write!(f, "plain:{i}"),
            Device::Custom(custom) => f.write_str(custom.name()),
        }
    }
}

impl FromStr for Device {
    type Err = Error;

    fn from_str(name: &str) -> Result<Device> {
        let index = |kind: &str| match name.strip_prefix(kind)? {
            "" => Some(0),
            rest => rest.strip_prefix(':')?.parse().ok(),
        };
        let device = match name {
            "cpu" => Some(Device::Cpu),
            "fused:cpu" => Some(Device::FusedCpu),
            "plain:cpu" => Some(Device::PlainCpu),
            _ => index("gpu")
                .map(Device::Gpu)
                .or_else(|| index("fused").map(Device::Fused))
                .or_else(|| index("plain").map(Device::Plain)),
        };
        let custom = || custom::find(name).map(Device::Custom);
        device.or_else(custom).ok_or_else(|| {
            Error::Usage(format!(
                "`{name}` is not the name of a device here; write {}",
                device_names().join(" or ")
            ))
        })
    }
}

/// Returns the names of all devices.
fn device_names() -> Vec<String> {
    let lazy = (0..Device::count()).map(Device::Fused);
    let plain = (0..Device::count()).map(Device::Plain);
    let custom = custom::all().into_iter().map(Device::Custom);
    let mut all = Device::all();
    all.extend([Device::FusedCpu, Device::PlainCpu]);
    all.extend(lazy.chain(plain).chain(custom));
    all.iter().map(Device::to_string).collect()
}
