//! The sentence for a system on which no kernel can run.

use std::fs;

use crate::Error;

/// Says that there is no loader, or none of its drivers.
pub(super) fn no_driver() -> Error {
    let missing = missing();
    Error::NoOpenCl(format!(
        "No OpenCL driver was found ({missing}). {}",
        remedy()
    ))
}

/// Says that there are drivers, and none of them has a device.
pub(super) fn no_device(drivers: &[String]) -> Error {
    if drivers.iter().any(|name| name == "Portable Computing Language") {
        return Error::NoOpenCl(format!(
            "No OpenCL device was found: PoCL is there and has none, as where \
             it cannot write its cache; let POCL_CACHE_DIR name a folder that \
             can be written. (The drivers: {}.)",
            drivers.join(", ")
        ));
    }
    Error::NoOpenCl(format!(
        "No OpenCL device was found (none of these drivers has one: {}). {}",
        drivers.join(", "),
        remedy()
    ))
}

const ANY_SYSTEM: &str = "Install the driver of your GPU, or PoCL to run on \
    this CPU (`conda install -c conda-forge pocl`); or `cargo learn setup`.";

/// Finds the one line that mends it on this system.
fn remedy() -> String {
    let os_release = fs::read_to_string("/etc/os-release");
    match install(&os_release.unwrap_or_default()) {
        Some(command) => {
            format!("To run on this CPU: {command}; or `cargo learn setup`.")
        }
        None => ANY_SYSTEM.to_owned(),
    }
}

/// Tells what is missing: the loader, or the drivers that it finds.
fn missing() -> String {
    #[cfg(all(unix, not(target_os = "macos")))]
    if let Err(reason) = super::link::library() {
        return reason.to_owned();
    }
    match std::env::var("OCL_ICD_VENDORS") {
        Ok(folder) => format!(
            "the loader is there, but OCL_ICD_VENDORS={folder} names no \
             driver: unset it to use the system's"
        ),
        Err(_) => {
            "the loader is there, but no driver is registered with it".into()
        }
    }
}

/// Finds the install command for the system that `os_release` describes. It
/// names the loader as well, where the driver's package does not bring one.
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
    fn the_install_line_is_this_systems() {
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
