//! Checks whether a driver works: a kernel that exercises it, and the messages
//! that PoCL prints before it aborts because of its cache of compiled kernels.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::{env, process};

use super::{Gpu, Source};
use crate::Error;

/// Compiles a small kernel on a device, runs it and checks its result. Returns
/// the error of the driver if one of these steps fails.
///
/// The driver cannot take this kernel from its cache, because its text
/// contains the process id. A driver that is damaged may end the process
/// instead of returning an error, so call this in a separate process.
pub fn probe(gpu: &Gpu) -> Result<(), Error> {
    let text = format!(
        "// Process {}.\n\
         kernel void probe(global float *out) {{ out[0] = 1.0f; }}",
        process::id()
    );
    let out = gpu.upload(&[0.0_f32])?;
    let source = Source::new("the probe", &text, "probe");
    let launch = gpu.launch_source(&source).output(&out, 1);
    // SAFETY: the only work-item writes the only element.
    unsafe { launch.global(1).local(1).run()? };
    match out.read()?[..] {
        [1.0] => Ok(()),
        ref other => Err(Error::Device(format!(
            "{} ran a kernel that writes 1 and returned {other:?}.",
            gpu.info()
        ))),
    }
}

/// Returns the folder in which PoCL stores compiled kernels: `POCL_CACHE_DIR`,
/// or `pocl/kcache` in the user's cache folder.
pub fn cache_folder() -> PathBuf {
    let named = |name: &str| env::var_os(name).filter(|it| !it.is_empty());
    if let Some(folder) = named("POCL_CACHE_DIR") {
        return folder.into();
    }
    let home = || Some(PathBuf::from(named("HOME")?).join(".cache"));
    let caches = named("XDG_CACHE_HOME").map(PathBuf::from).or_else(home);
    caches.unwrap_or_else(|| "/tmp".into()).join("pocl/kcache")
}

/// Finds, in the standard error of a process, the lines that PoCL prints when
/// it aborts because its cache is damaged or full, and returns what happened
/// and what to do.
///
/// PoCL ends the whole process in these cases, so only the process that
/// started it can explain the failure.
pub fn cache_failure(stderr: &str) -> Option<String> {
    let is_full = |line: &str| {
        line.contains("LLVM ERROR: IO failure")
            || line.contains("No space left on device")
            || line.contains("Disk quota exceeded")
    };
    let damaged = |line: &str| {
        let (file, rest) = line.strip_prefix("dlopen(\"")?.split_once("\")")?;
        rest.contains("failed").then(|| delete(Path::new(file)))
    };
    if stderr.lines().any(is_full) {
        return Some(format!(
            "PoCL, the OpenCL driver, cannot write to its cache of compiled \
             kernels, because the disk is full. Free some space in {}, or set \
             POCL_CACHE_DIR to a folder on another disk.",
            cache_folder().display()
        ));
    }
    stderr.lines().find_map(damaged)
}

/// Looks for a damaged file in PoCL's cache and returns which file it is and
/// what to do. A crash of the machine or a full disk leaves files that are
/// empty or truncated. PoCL does not notice, and crashes in each program that
/// needs them.
pub fn cache_damage() -> Option<String> {
    let mut folders = vec![cache_folder()];
    while let Some(folder) = folders.pop() {
        // Another process may be deleting the folder.
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let path = entry.path();
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(path),
                Ok(_) if is_damaged(&path) => return Some(delete(&path)),
                _ => {}
            }
        }
    }
    None
}

fn delete(file: &Path) -> String {
    format!(
        "PoCL, the OpenCL driver, has a damaged file in its cache of compiled \
         kernels, {}. Delete the folder {}; PoCL creates it again.",
        file.display(),
        cache_folder().display()
    )
}

/// Returns whether a compiled kernel or program is empty or truncated.
fn is_damaged(path: &Path) -> bool {
    let is_library = path.extension().is_some_and(|it| it == "so");
    if !is_library && path.file_name().is_none_or(|it| it != "program.bc") {
        return false;
    }
    let read = || -> io::Result<(u64, Vec<u8>)> {
        let file = File::open(path)?;
        let (length, mut header) = (file.metadata()?.len(), Vec::new());
        file.take(HEADER as u64).read_to_end(&mut header)?;
        Ok((length, header))
    };
    let Ok((length, header)) = read() else { return false };
    length == 0 || (is_library && length < library_size(&header))
}

/// The size in bytes of the header of a 64-bit ELF library.
const HEADER: usize = 64;

/// Returns the minimum size in bytes of such a library, computed from its
/// header: the section table comes last.
fn library_size(header: &[u8]) -> u64 {
    if header.len() < HEADER || !header.starts_with(b"\x7fELF\x02\x01") {
        return 0;
    }
    let number = |at: usize, width: usize| {
        let bytes = header[at..at + width].iter().rev();
        bytes.fold(0, |number, byte| (number << 8) | u64::from(*byte))
    };
    let (offset, size, count) = (number(40, 8), number(58, 2), number(60, 2));
    offset.saturating_add(size * count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cache_failures_are_distinguished_from_crashes() {
        let damaged = "dlopen(\"/c/AB/twice/256-1-1/twice.so\") failed with \
                       '/c/AB/twice/256-1-1/twice.so: file too short'.\n\
                       note: missing symbols in the kernel binary might be \
                       reported as 'file not found' errors.\n";
        let said = cache_failure(damaged).unwrap();
        assert!(said.contains("/c/AB/twice/256-1-1/twice.so"), "{said}");
        let folder = format!("Delete the folder {}", cache_folder().display());
        assert!(said.contains(&folder), "{said}");
        let full = "LLVM ERROR: IO failure on output stream: No space left on \
                    device\n";
        let said = cache_failure(full).unwrap();
        assert!(said.contains("the disk is full"), "{said}");
        assert_eq!(cache_failure("thread 'main' panicked at x.rs:1:1"), None);
    }
}
