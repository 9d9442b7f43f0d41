//! The OpenCL devices of this system.
//!
//! Discovery runs once per process, in the first thread that needs it; later
//! calls from any thread return the same list. This is needed for correctness
//! as well as speed: PoCL 3.1 reports to a second thread that it is ready
//! while the first is still initializing it.

use std::fmt;
use std::process;
use std::ptr;
use std::sync::{Mutex, OnceLock, PoisonError};

use ocl::core::{self, DeviceId, DeviceInfo as Ask, DeviceInfoResult};
use ocl::core::{DeviceFpConfig, DeviceType, OpenclVersion};
use ocl::core::{PlatformId, PlatformInfo, Status};
use ocl::ffi;

use super::missing;
use super::status::{driver_error, meaning};
use crate::Error;

/// The kind of a device, in order of preference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A graphics processor.
    Gpu,
    /// Any other processor, such as a signal processor or an FPGA.
    Accelerator,
    /// This computer's own cores, through a driver such as PoCL.
    Cpu,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Kind::Gpu => "GPU",
            Kind::Accelerator => "accelerator",
            Kind::Cpu => "CPU",
        })
    }
}

/// The properties of a device.
#[derive(Clone, Debug)]
pub struct DeviceInfo {
    /// Its index in [`devices`]: the 1 of `gpu:1`.
    pub index: usize,
    /// Its name.
    pub name: String,
    /// The name of its platform, which is the driver's name for itself.
    pub platform: String,
    /// The kind of processor.
    pub kind: Kind,
    /// The manufacturer.
    pub vendor: String,
    /// The version of its driver.
    pub driver: String,
    /// The version of OpenCL that it supports.
    pub version: String,
    /// The number of compute units, each of which runs at least one work-group
    /// at a time.
    pub compute_units: u32,
    /// The maximum number of work-items in a group.
    pub max_work_group: usize,
    /// The maximum number of work-items in a group, in each dimension.
    pub max_work_item_sizes: Vec<usize>,
    /// Whether its kernels can use `double`.
    pub supports_f64: bool,
    /// The size in bytes of the `__local` memory of a group.
    pub local_memory: u64,
    /// The total size in bytes of the memory for buffers.
    pub global_memory: u64,
    /// The maximum size of a buffer in bytes.
    pub max_allocation: u64,
    /// Whether its compiler has an option for correctly rounded division.
    /// Without it, a quotient may have an error of 2.5 units in the last
    /// place.
    pub exact_division: bool,
    /// Whether its kernels can use NVIDIA's tensor cores (compute capability
    /// 8.0 and higher).
    pub tensor_cores: bool,
    /// Whether its tensor cores also have the instructions for warpgroups of
    /// 128 items, which only compute capability 9.0 has.
    pub warpgroups: bool,
    pub(super) id: DeviceId,
    pub(super) platform_id: PlatformId,
    pub(super) opencl: OpenclVersion,
}

impl fmt::Display for DeviceInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "gpu:{} ({})", self.index, self.name)
    }
}

/// Returns all devices of all platforms: GPUs first, then accelerators, then
/// CPUs; within a kind, in the order of the drivers. The list is cached. After
/// a failure, the next call tries again.
pub fn devices() -> Result<&'static [DeviceInfo], Error> {
    static FOUND: OnceLock<Vec<DeviceInfo>> = OnceLock::new();
    // Some drivers fail if two threads initialize them at once.
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    not_forked()?;
    if let Some(found) = FOUND.get() {
        return Ok(found);
    }
    let lock = ONE_AT_A_TIME.lock();
    let _guard = lock.unwrap_or_else(PoisonError::into_inner);
    match FOUND.get() {
        Some(found) => Ok(found),
        None => {
            let found = discover()?;
            Ok(FOUND.get_or_init(|| found))
        }
    }
}

/// Returns an error in the child process of a fork: it has a copy of the
/// driver's memory without the driver's threads, so its commands would never
/// complete.
pub(super) fn not_forked() -> Result<(), Error> {
    static FIRST: OnceLock<u32> = OnceLock::new();
    let first = *FIRST.get_or_init(process::id);
    if first == process::id() {
        return Ok(());
    }
    Err(Error::Device(format!(
        "This process was forked from process {first}, which had asked for \
         the OpenCL devices already, and drivers do not survive that: use \
         them in one of the two, or start a program of its own."
    )))
}

fn discover() -> Result<Vec<DeviceInfo>, Error> {
    let mut found = Vec::new();
    // A platform that fails does not hide the others, and its error is
    // returned only if no device is found.
    let mut refused = None;
    let platforms = platforms()?;
    for &platform in &platforms {
        match core::get_device_ids(platform, Some(DeviceType::ALL), None) {
            Ok(ids) => {
                for id in ids {
                    match describe(platform, id) {
                        Ok(device) => found.extend(device),
                        Err(error) => refused = Some(error),
                    }
                }
            }
            Err(error) if error.api_status() == Some(NO_DEVICE) => {}
            Err(error) => refused = Some(error),
        }
    }
    let mut found = sort_by_kind(found, |device| device.kind);
    for (index, device) in found.iter_mut().enumerate() {
        device.index = index;
    }
    match refused {
        _ if !found.is_empty() => Ok(found),
        Some(error) => {
            Err(driver_error("Asking for the OpenCL devices", error))
        }
        None => {
            let names: Vec<String> = platforms.iter().map(name).collect();
            Err(missing::no_device(&names))
        }
    }
}

/// Sorts by kind, most preferred first. Devices of a kind keep the order of
/// the drivers.
fn sort_by_kind<T>(mut found: Vec<T>, kind: impl Fn(&T) -> Kind) -> Vec<T> {
    found.sort_by_key(kind);
    found
}

/// The status of a platform that has no device.
const NO_DEVICE: Status = Status::CL_DEVICE_NOT_FOUND;

fn name(platform: &PlatformId) -> String {
    core::get_platform_info(platform, PlatformInfo::Name)
        .map_or_else(|_| "?".into(), |name| name.to_string().trim().to_owned())
}

/// Lists the platforms through the loader itself, because `ocl` waits ten
/// seconds if the loader has no driver.
fn platforms() -> Result<Vec<PlatformId>, Error> {
    let mut count = 0;
    // SAFETY: with a capacity of 0, only the count is written.
    let status =
        unsafe { ffi::clGetPlatformIDs(0, ptr::null_mut(), &mut count) };
    match status {
        ffi::CL_SUCCESS if count > 0 => {}
        ffi::CL_SUCCESS | ffi::CL_PLATFORM_NOT_FOUND_KHR => {
            return Err(missing::no_driver());
        }
        _ => {
            let meaning = meaning(status);
            return Err(Error::Device(format!(
                "Listing the OpenCL platforms: {meaning} (status {status})."
            )));
        }
    }
    core::get_platform_ids()
        .map_err(|error| driver_error("Listing the OpenCL platforms", error))
}

/// Queries one property and unwraps its type.
macro_rules! ask {
    ($device:expr, $what:ident) => {
        match core::get_device_info($device, Ask::$what)? {
            DeviceInfoResult::$what(answer) => answer,
            _ => unreachable!("an answer to another question"),
        }
    };
}

/// Describes the device, or returns `None` if kernels cannot be compiled for
/// it.
fn describe(
    platform: PlatformId,
    id: DeviceId,
) -> Result<Option<DeviceInfo>, core::Error> {
    if !(ask!(id, Available) && ask!(id, CompilerAvailable)) {
        return Ok(None);
    }
    let flags = ask!(id, Type);
    let kind = if flags.contains(DeviceType::GPU) {
        Kind::Gpu
    } else if flags.contains(DeviceType::CPU) {
        Kind::Cpu
    } else {
        Kind::Accelerator
    };
    let version = ask!(id, Version);
    let capability = compute_capability(id, &ask!(id, Extensions));
    Ok(Some(DeviceInfo {
        index: 0,
        name: ask!(id, Name).trim().to_owned(),
        platform: self::name(&platform),
        kind,
        vendor: ask!(id, Vendor).trim().to_owned(),
        driver: ask!(id, DriverVersion).trim().to_owned(),
        version: version.to_string(),
        compute_units: ask!(id, MaxComputeUnits),
        max_work_group: ask!(id, MaxWorkGroupSize),
        max_work_item_sizes: ask!(id, MaxWorkItemSizes),
        supports_f64: supports_f64(id),
        local_memory: ask!(id, LocalMemSize),
        global_memory: ask!(id, GlobalMemSize),
        max_allocation: ask!(id, MaxMemAllocSize),
        exact_division: ask!(id, SingleFpConfig)
            .contains(DeviceFpConfig::CORRECTLY_ROUNDED_DIVIDE_SQRT),
        tensor_cores: capability.is_some_and(|[major, _]| major >= 8),
        warpgroups: capability == Some([9, 0]),
        id,
        platform_id: platform,
        opencl: version,
    }))
}

/// Returns whether the device supports `double`. A device without it may also
/// reject the query.
fn supports_f64(id: DeviceId) -> bool {
    match core::get_device_info(id, Ask::DoubleFpConfig) {
        Ok(DeviceInfoResult::DoubleFpConfig(modes)) => !modes.is_empty(),
        _ => false,
    }
}

/// Returns NVIDIA's compute capability, major and minor. Other devices are not
/// queried, because they do not know this property.
fn compute_capability(id: DeviceId, extensions: &str) -> Option<[u32; 2]> {
    /// The properties that this extension defines.
    const COMPUTE_CAPABILITY_NV: [ffi::cl_device_info; 2] = [0x4000, 0x4001];
    let mut names = extensions.split_whitespace();
    names.find(|&name| name == "cl_nv_device_attribute_query")?;
    let mut numbers = [0, 0];
    for (number, question) in numbers.iter_mut().zip(COMPUTE_CAPABILITY_NV) {
        // SAFETY: the answer is one `u32`, and `number` has room for it.
        let status = unsafe {
            ffi::clGetDeviceInfo(
                id.as_raw(),
                question,
                size_of::<u32>(),
                ptr::from_mut::<u32>(number).cast(),
                ptr::null_mut(),
            )
        };
        (status == ffi::CL_SUCCESS).then_some(())?;
    }
    Some(numbers)
}

/// A size in bytes, displayed with a unit: `2.0 GiB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes(pub u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 < 1024 {
            return f.pad(&format!("{} B", self.0));
        }
        let mut amount = self.0 as f64 / 1024.0;
        let mut units = ["KiB", "MiB", "GiB", "TiB"].iter();
        let mut unit = units.next();
        while amount >= 1024.0 && units.len() > 0 {
            amount /= 1024.0;
            unit = units.next();
        }
        f.pad(&format!("{amount:.1} {}", unit.unwrap_or(&"")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_sorted_gpus_first_cpus_last() {
        use Kind::{Accelerator, Cpu, Gpu};
        let found = vec![(Cpu, 1), (Gpu, 2), (Accelerator, 3), (Gpu, 4)];
        let found = sort_by_kind(found, |&(kind, _)| kind);
        assert_eq!(found, [(Gpu, 2), (Gpu, 4), (Accelerator, 3), (Cpu, 1)]);
    }
}
