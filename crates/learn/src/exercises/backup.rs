//! A copy of a learner's file, made before the file is replaced.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::PathBuf;

use crate::checkout::{Checkout, cannot_save};
use crate::command::Stop;
use crate::course::Exercise;

/// Copies `text` to `.learn/backups/ID-N.rs` with the first free number and
/// returns the path. A backup never replaces an older one.
pub(crate) fn create(
    checkout: &Checkout,
    exercise: &Exercise,
    text: &[u8],
) -> Result<PathBuf, Stop> {
    let folder = checkout.state_folder().join("backups");
    fs::create_dir_all(&folder).map_err(|it| cannot_save(&folder, &it))?;
    let end = exercise.file.rsplit_once('.').map_or("txt", |it| it.1);
    let mut number = 1;
    loop {
        let file = folder.join(format!("{}-{number}.{end}", exercise.id));
        let written = File::create_new(&file).and_then(|mut copy| {
            copy.write_all(text)?;
            copy.sync_all()
        });
        match written {
            Ok(()) => return Ok(file),
            Err(it) if it.kind() == ErrorKind::AlreadyExists => number += 1,
            Err(error) => {
                // On a full disk, an empty file would look like a backup.
                let _ = fs::remove_file(&file);
                return Err(cannot_save(&file, &error));
            }
        }
    }
}
