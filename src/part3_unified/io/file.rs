//! Files as wholes: read to the end, or replaced at once.

use std::ffi::OsStr;
use std::fmt::Display;
use std::fs::{self, File, Metadata, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, ErrorKind, Read, Write};
#[cfg(unix)]
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, fchown};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::{Error, Result, room};

/// Temporary files are called `.rungrad-`, 16 hexadecimal digits and `.new`.
const PREFIX: &str = ".rungrad-";
const SUFFIX: &str = ".new";
const DIGITS: usize = 16;

/// A temporary file that has not been written to for this long is abandoned.
const ABANDONED: Duration = Duration::from_secs(3600);

/// Reads all bytes of a regular file. A device or a pipe might have no end.
pub(super) fn read(path: &Path) -> Result<Vec<u8>> {
    let cannot = |error| refused(path, "cannot be read", error);
    let about = fs::metadata(path).map_err(cannot)?;
    if !about.is_file() {
        return Err(cannot(io::Error::other(NOT_REGULAR)));
    }
    let size = usize::try_from(about.len()).unwrap_or(usize::MAX);
    let mut bytes = room(size)?;
    let file = File::open(path).map_err(cannot)?;
    // No more than there is room for, should it have grown meanwhile.
    file.take(about.len()).read_to_end(&mut bytes).map_err(cannot)?;
    Ok(bytes)
}

// ANCHOR: replace
/// Writes a temporary file in the same folder, waits until the disk has it, and
/// renames it. A process that is killed leaves the old file or the new one.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let cannot = |error| refused(path, "cannot be written", error);
    let old = fs::metadata(path).ok();
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        return Err(cannot(io::Error::other(NOT_REGULAR)));
    }
    // A link stays a link: the file that it leads to is replaced.
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
    // The rename is safe when the folder is on the disk. Some systems cannot
    // open a folder.
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
    // Other processes do not remove a file that is locked. Where the system
    // has no locks, they do not remove any.
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

/// Follows links to the file that is to be replaced or created.
fn follow_links(path: &Path) -> io::Result<PathBuf> {
    /// As many as Linux follows.
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

/// Makes up a name for a temporary file. Process ids would not do: in
/// containers they are equal.
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

/// Creates a file under the first name that is free. If it replaces another
/// one, only its owner may read it until it has the other one's rights.
fn create(
    folder: &Path,
    names: impl Iterator<Item = String>,
    is_private: bool,
) -> io::Result<(PathBuf, File)> {
    /// A file system that always says that a file exists would be asked for
    /// ever.
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

/// Copies the owner and group of the replaced file to the new one, or at least
/// the group: only a privileged process may give a file to another user.
fn keep_owner(file: &File, old: &Metadata) {
    #[cfg(unix)]
    if fchown(file, Some(old.uid()), Some(old.gid())).is_err() {
        let _ = fchown(file, None, Some(old.gid()));
    }
    #[cfg(not(unix))]
    let _ = (file, old);
}

/// Removes the temporary files that killed processes have left in a folder.
/// Failures do not matter: the next save tries again.
fn remove_abandoned(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if is_temporary(&entry.file_name()) && is_abandoned(&path) {
            let _ = fs::remove_file(path);
        }
    }
}

/// Returns whether a temporary file has been left alone for a long time and no
/// process holds its lock. On a network file system one of the two may be
/// unknown: clocks differ, or locks are not shared.
fn is_abandoned(path: &Path) -> bool {
    let is_old = fs::symlink_metadata(path).is_ok_and(|about| {
        let age = about.modified().map(|written| written.elapsed());
        let age = age.ok().and_then(|age| age.ok());
        about.is_file() && age.is_some_and(|age| age > ABANDONED)
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

/// Writes a sentence about a file.
pub(super) fn refused(path: &Path, what: &str, why: impl Display) -> Error {
    let (path, why) = (shown(path), shortened(&why.to_string()));
    let remedy = match what {
        "is damaged" => "save it again, or fetch it again",
        _ => "check the path and the rights",
    };
    Error::File(format!("{path} {what}: {why}; {remedy}"))
}

/// Writes a path for a sentence.
pub(super) fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// Writes a name out of a file for a sentence.
pub(super) fn quoted(name: &str) -> String {
    format!("\"{}\"", shortened(name))
}

/// Shortens what came out of a file: it may be long and hold signs that move a
/// cursor.
fn shortened(text: &str) -> String {
    const MOST: usize = 160;
    let mut signs = text.chars();
    let start: String = signs.by_ref().take(MOST).collect();
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
    fn a_temporary_file_gets_the_first_name_that_is_free() {
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
    fn names_of_temporary_files_differ_and_are_recognized() {
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
