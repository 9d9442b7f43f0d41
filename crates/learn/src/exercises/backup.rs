//! A copy of what a learner wrote, made before anything takes its place.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use crate::checkout::{Checkout, cannot_keep};
use crate::command::Stop;
use crate::course::Exercise;

/// Copies `text` to `.learn/backups/ID-YYYYMMDD-HHMMSS.rs` (UTC) and returns
/// the place. A backup never takes the place of another one.
pub(crate) fn keep(
    checkout: &Checkout,
    exercise: &Exercise,
    text: &[u8],
) -> Result<PathBuf, Stop> {
    let folder = checkout.kept().join("backups");
    fs::create_dir_all(&folder).map_err(|it| cannot_keep(&folder, &it))?;
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let name = format!("{}-{}", exercise.id, stamp(now.unwrap_or_default()));
    let end = exercise.file.rsplit_once('.').map_or("txt", |it| it.1);
    let mut count = 1;
    loop {
        let file = folder.join(match count {
            1 => format!("{name}.{end}"),
            _ => format!("{name}-{count}.{end}"),
        });
        let written = File::create_new(&file).and_then(|mut copy| {
            copy.write_all(text)?;
            copy.sync_all()
        });
        match written {
            Ok(()) => return Ok(file),
            Err(it) if it.kind() == ErrorKind::AlreadyExists => count += 1,
            Err(error) => {
                // On a full disk it would stand there empty, like a backup.
                let _ = fs::remove_file(&file);
                return Err(cannot_keep(&file, &error));
            }
        }
    }
}

/// Writes a time after 1970 as `YYYYMMDD-HHMMSS`.
fn stamp(since: Duration) -> String {
    let seconds = since.as_secs();
    let (mut days, second) = (seconds / 86_400, seconds % 86_400);
    let is_leap = |year: u64| {
        year.is_multiple_of(4)
            && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let february = 28 + u64::from(is_leap(year));
    let months = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while days >= months[month] {
        days -= months[month];
        month += 1;
    }
    format!(
        "{year}{:02}{:02}-{:02}{:02}{:02}",
        month + 1,
        days + 1,
        second / 3600,
        second / 60 % 60,
        second % 60
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_is_the_date_and_the_time() {
        let stamp = |seconds| stamp(Duration::from_secs(seconds));
        assert_eq!(stamp(0), "19700101-000000");
        assert_eq!(stamp(951_782_399), "20000228-235959");
        assert_eq!(stamp(951_782_400), "20000229-000000");
        assert_eq!(stamp(1_767_225_599), "20251231-235959");
        assert_eq!(stamp(4_107_542_399), "21000228-235959");
        assert_eq!(stamp(4_107_542_400), "21000301-000000");
    }
}
