//! Files as wholes: read to the end, or replaced at once.

use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, Result, room};

/// Reads all bytes of a file. It must be one with an end: a device or a pipe
/// could go on for ever.
pub(super) fn read(path: &Path) -> Result<Vec<u8>> {
    let cannot = |error| refused(path, "cannot be read", error);
    let about = fs::metadata(path).map_err(cannot)?;
    if !about.is_file() {
        return Err(cannot(io::Error::other("it is no regular file")));
    }
    let size = usize::try_from(about.len()).unwrap_or(usize::MAX);
    let mut bytes = room(size)?;
    let file = File::open(path).map_err(cannot)?;
    // No more than there is room for, should it have grown meanwhile.
    file.take(about.len()).read_to_end(&mut bytes).map_err(cannot)?;
    Ok(bytes)
}

// ANCHOR: replace
/// Writes beside the file, waits until the disk has it, and gives it the
/// file's name. Whoever is killed on the way leaves the old file or the new
/// one.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    // Who has a link to a file wants the file replaced, not the link.
    let path = &fs::canonicalize(path).unwrap_or(path.to_path_buf());
    let beside = beside(path);
    let written = write(&beside, bytes).and_then(|()| {
        if let Ok(about) = fs::metadata(path) {
            fs::set_permissions(&beside, about.permissions())?;
        }
        fs::rename(&beside, path)
    });
    if let Err(error) = written {
        let _ = fs::remove_file(&beside);
        return Err(refused(path, "cannot be written", error));
    }
    // The new name is safe when the folder is. Not every system can be asked.
    if let Ok(folder) = File::open(folder(path)) {
        let _ = folder.sync_all();
    }
    Ok(())
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::create_new(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}
// ANCHOR_END: replace

/// Makes up a name that no other writer has, in the same folder: no rename
/// leads to another disk.
fn beside(path: &Path) -> PathBuf {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let (writer, number) =
        (process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    folder(path).join(format!(".new-{writer}-{number}"))
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
