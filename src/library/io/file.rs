//! Reading whole files, and replacing files atomically.

use std::ffi::OsStr;
use std::fs::{self, File, Metadata, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, ErrorKind, Read, Write};
#[cfg(unix)]
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, fchown};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::{CHECK_PATH, Error, Result, room};

/// Temporary files are named `.rungrad-`, 16 hexadecimal digits, and `.new`.
const PREFIX: &str = ".rungrad-";
const SUFFIX: &str = ".new";
const DIGITS: usize = 16;

/// A temporary file is abandoned if it has not been written to for this long.
const ABANDONED_AFTER: Duration = Duration::from_secs(3600);

/// Reads a regular file. Devices and pipes are rejected, because they may be
/// endless.
pub(super) fn read(path: &Path) -> Result<Vec<u8>> {
    let cannot = |error| Error::io(path, "cannot be read", CHECK_PATH)(error);
    let about = fs::metadata(path).map_err(cannot)?;
    if !about.is_file() {
        return Err(cannot(io::Error::other(NOT_REGULAR)));
    }
    let size = usize::try_from(about.len()).unwrap_or(usize::MAX);
    let mut bytes = room(size)?;
    let file = File::open(path).map_err(cannot)?;
    // If the file has grown in the meantime, read only what fits.
    file.take(about.len()).read_to_end(&mut bytes).map_err(cannot)?;
    Ok(bytes)
}

// ANCHOR: replace
/// Replaces a file atomically: writes a temporary file in the same folder,
/// syncs it to disk, and renames it. If the process is killed, either the old
/// or the new file exists.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let cannot = |error| cannot_write(path, error);
    let old = fs::metadata(path).ok();
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        return Err(cannot(io::Error::other(NOT_REGULAR)));
    }
    // Replace the target of a symbolic link, not the link itself.
    let path = &follow_links(path).map_err(cannot)?;
    remove_abandoned(folder(path));
    let names = std::iter::repeat_with(random_name);
    let (temporary, file) =
        create(folder(path), names, old.is_some()).map_err(cannot)?;
    let written = write(file, bytes, old.as_ref());
    let renamed = written.and_then(|()| fs::rename(&temporary, path));
    if let Err(error) = renamed {
        let _ = fs::remove_file(&temporary);
        return Err(cannot(error));
    }
    // The rename is durable only after the folder is synced. Some systems
    // cannot open a folder; ignore that.
    if let Ok(folder) = File::open(folder(path)) {
        let _ = folder.sync_all();
    }
    Ok(())
}

fn write(
    mut file: File,
    bytes: &[u8],
    old: Option<&Metadata>,
) -> io::Result<()> {
    // Other processes do not remove a locked file. On a system without locks,
    // they do not remove any file.
    let _ = file.try_lock();
    file.write_all(bytes)?;
    if let Some(old) = old {
        keep_owner(&file, old);
        file.set_permissions(old.permissions())?;
    }
    file.sync_all()
}
// ANCHOR_END: replace

const NOT_REGULAR: &str = "it is not a regular file";

/// Follows symbolic links to the file that will be replaced or created.
fn follow_links(path: &Path) -> io::Result<PathBuf> {
    /// The limit of Linux.
    const MAX_LINKS: usize = 40;
    let mut path = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&path) {
            Ok(target) => path = folder(&path).join(target),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("its links lead in a circle"))
}

/// Returns a random name for a temporary file. Process ids would collide
/// between containers.
fn random_name() -> String {
    let number = RandomState::new().hash_one(());
    format!("{PREFIX}{number:0DIGITS$x}{SUFFIX}")
}

fn is_temporary(name: &OsStr) -> bool {
    let name = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
    let digits = name.and_then(|name| name.strip_suffix(SUFFIX));
    digits.is_some_and(|digits| {
        digits.len() == DIGITS && digits.bytes().all(|b| b.is_ascii_hexdigit())
    })
}

/// Creates a file with the first name that is not taken. If it will replace
/// another file, only its owner may access it until the permissions are
/// copied.
fn create(
    folder: &Path,
    names: impl Iterator<Item = String>,
    is_private: bool,
) -> io::Result<(PathBuf, File)> {
    /// Avoids an endless loop on a file system that claims every file exists.
    const MAX_TRIES: usize = 100;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if is_private {
        options.mode(0o600);
    }
    #[cfg(not(unix))]
    let _ = is_private;
    for name in names.take(MAX_TRIES) {
        let path = folder.join(name);
        match options.open(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            file => return Ok((path, file?)),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}

/// Copies the owner and group of the old file to the new one, or only the
/// group, because an unprivileged process cannot change the owner.
fn keep_owner(file: &File, old: &Metadata) {
    #[cfg(unix)]
    if fchown(file, Some(old.uid()), Some(old.gid())).is_err() {
        let _ = fchown(file, None, Some(old.gid()));
    }
    #[cfg(not(unix))]
    let _ = (file, old);
}

/// Removes temporary files left in a folder by killed processes. Errors are
/// ignored, because the next save tries again.
fn remove_abandoned(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if is_temporary(&entry.file_name()) && is_abandoned(&path) {
            let _ = fs::remove_file(path);
        }
    }
}

/// Returns `true` if a temporary file is old and no process holds its lock.
/// Both are checked, because one may be unreliable on a network file system:
/// clocks differ, or locks are not shared.
fn is_abandoned(path: &Path) -> bool {
    let is_old = fs::symlink_metadata(path).is_ok_and(|about| {
        let age = about.modified().map(|written| written.elapsed());
        let age = age.ok().and_then(|age| age.ok());
        about.is_file() && age.is_some_and(|age| age > ABANDONED_AFTER)
    });
    let file = is_old.then(|| OpenOptions::new().write(true).open(path).ok());
    file.flatten().is_some_and(|file| file.try_lock().is_ok())
}

fn folder(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

pub(super) fn cannot_write(path: &Path, error: io::Error) -> Error {
    Error::io(path, "cannot be written", CHECK_PATH)(error)
}

pub(super) fn damaged(path: &Path, how: &str) -> Error {
    Error::File(format!(
        "{} is damaged: {}; save it again, or fetch it again",
        display_path(path),
        shorten(how)
    ))
}

/// Formats a path for an error message.
pub(super) fn display_path(path: &Path) -> String {
    path.display().to_string()
}

/// Quotes a name from a file for an error message.
pub(super) fn quote(name: &str) -> String {
    format!("\"{}\"", shorten(name))
}

/// Shortens and escapes text from a file, which may be long or contain control
/// characters.
fn shorten(text: &str) -> String {
    const MAX_CHARS: usize = 160;
    let mut signs = text.chars();
    let start: String = signs.by_ref().take(MAX_CHARS).collect();
    let start = start.escape_debug().to_string().replace("\\'", "'");
    let start = start.replace("\\\"", "\"");
    match signs.next() {
        None => start,
        Some(_) => format!("{start}..."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_temporary_file_gets_the_first_free_name() {
        let folder = std::env::temp_dir().join(random_name());
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("a"), "of another process").unwrap();
        let names = || ["a", "a", "b"].map(String::from).into_iter();
        let (path, _) = create(&folder, names(), true).unwrap();
        assert_eq!(path, folder.join("b"));
        let taken = create(&folder, names(), true).unwrap_err();
        assert_eq!(taken.kind(), ErrorKind::AlreadyExists);
        let kept = fs::read(folder.join("a")).unwrap();
        assert_eq!(kept, b"of another process");
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn temporary_file_names_are_unique_and_recognized() {
        let [a, b] = [random_name(), random_name()];
        assert_ne!(a, b);
        assert!(is_temporary(OsStr::new(&a)), "{a}");
        for other in [
            ".rungrad-0123456789abcdef",
            ".rungrad-0123456789abcde.new",
            ".rungrad-0123456789abcdeg.new",
            "rungrad-0123456789abcdef.new",
            ".new-1-0",
        ] {
            assert!(!is_temporary(OsStr::new(other)), "{other}");
        }
    }
}
