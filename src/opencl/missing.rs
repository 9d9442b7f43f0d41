//! The error for a system on which no kernel can run.

use std::{env, fs};

use crate::Error;

/// Returns the error for a missing loader, or a loader without drivers.
pub(super) fn no_driver() -> Error {
    let missing = missing_part();
    Error::NoOpenCl(format!(
        "No OpenCL driver was found ({missing}). {}",
        remedy()
    ))
}

/// Returns the error for a system whose drivers have no device.
pub(super) fn no_device(drivers: &[String]) -> Error {
    if drivers.iter().any(|name| name == "Portable Computing Language") {
        let chosen = env::var("POCL_DEVICES").ok();
        return Error::NoOpenCl(format!(
            "No OpenCL device was found: {} (Installed drivers: {}.)",
            pocl_is_empty(chosen.as_deref()),
            drivers.join(", ")
        ));
    }
    Error::NoOpenCl(format!(
        "No OpenCL device was found (none of these drivers has one: {}). {}",
        drivers.join(", "),
        remedy()
    ))
}

/// Explains why PoCL is installed but lists no device. `chosen` is the value
/// of `POCL_DEVICES`, the variable that restricts PoCL to the named devices.
fn pocl_is_empty(chosen: Option<&str>) -> String {
    // The CPU devices of PoCL, by their names in versions 1 to 6.
    let is_cpu =
        |name: &str| ["basic", "pthread", "cpu", "cpu-minimal"].contains(&name);
    match chosen {
        Some(chosen) if !chosen.split_whitespace().any(is_cpu) => format!(
            "PoCL is installed, but POCL_DEVICES={chosen} names no device that \
             it has. Unset POCL_DEVICES, or set it to `pthread` or `basic`."
        ),
        _ => "PoCL is installed, but lists no device, usually because it \
                 cannot write to its cache folder. Set POCL_CACHE_DIR to a \
                 folder that can be written."
            .to_owned(),
    }
}

const ANY_SYSTEM: &str = "Install the driver of your GPU, or PoCL to run on \
    this CPU (`conda install -c conda-forge pocl`); or `cargo learn setup`.";

/// Returns the command that installs a driver on this system.
fn remedy() -> String {
    let os_release = fs::read_to_string("/etc/os-release");
    match install(&os_release.unwrap_or_default()) {
        Some(command) => {
            format!("To run on this CPU: {command}; or `cargo learn setup`.")
        }
        None => ANY_SYSTEM.to_owned(),
    }
}

/// Returns what is missing: the loader, or its drivers.
fn missing_part() -> String {
    #[cfg(all(unix, not(target_os = "macos")))]
    if let Err(reason) = super::link::library() {
        return reason.to_owned();
    }
    match env::var("OCL_ICD_VENDORS") {
        Ok(folder) => format!(
            "the loader is there, but OCL_ICD_VENDORS={folder} names no \
             driver: unset it to use the system's"
        ),
        Err(_) => {
            "the loader is there, but no driver is registered with it".into()
        }
    }
}

/// Returns the install command for the system that `os_release` describes. It
/// also installs the loader if the driver's package does not depend on one.
fn install(os_release: &str) -> Option<&'static str> {
    let names = os_release.lines().filter_map(|line| {
        line.strip_prefix("ID=").or(line.strip_prefix("ID_LIKE="))
    });
    names.flat_map(|value| value.trim_matches('"').split(' ')).find_map(
        |name| match name {
            "debian" | "ubuntu" => Some("apt-get install pocl-opencl-icd"),
            "fedora" | "rhel" => Some("dnf install pocl ocl-icd"),
            "arch" => Some("pacman -S pocl ocl-icd"),
            "opensuse" | "suse" => Some("zypper install pocl"),
            _ => None,
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_pocl_device_name_is_not_a_cache_error() {
        let said = pocl_is_empty(Some("nonsense"));
        assert!(said.contains("POCL_DEVICES=nonsense"), "{said}");
        assert!(!said.contains("cache"), "{said}");
        for chosen in [None, Some("pthread basic")] {
            let said = pocl_is_empty(chosen);
            assert!(said.contains("POCL_CACHE_DIR"), "{said}");
        }
    }

    #[test]
    fn the_install_command_matches_the_system() {
        let debian = install("PRETTY_NAME=\"Debian\"\nID=debian\n").unwrap();
        assert!(debian.starts_with("apt-get"), "{debian}");
        let mint =
            install("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n").unwrap();
        assert!(mint.starts_with("apt-get"), "{mint}");
        assert!(install("ID=fedora\n").unwrap().starts_with("dnf"));
        assert!(install("ID=arch\n").unwrap().starts_with("pacman"));
        let leap = install("ID=opensuse-leap\nID_LIKE=\"suse opensuse\"\n");
        assert!(leap.unwrap().starts_with("zypper"));
        assert_eq!(install("ID=plan9\n"), None);
    }
}
