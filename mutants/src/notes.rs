//! What a run in a prepared folder has found so far, so that another run goes
//! on where it ended: a machine may be lent for minutes.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::suite::{Fate, Rehearsed};

/// Nothing is kept without a folder.
pub(crate) struct Notes {
    folder: Option<PathBuf>,
    fates: BTreeMap<u32, Fate>,
    rehearsed: BTreeMap<String, Rehearsed>,
}

const FATES: &str = "fates.txt";
const REHEARSED: &str = "rehearsed.txt";

impl Notes {
    pub(crate) fn none() -> Notes {
        let (fates, rehearsed) = (BTreeMap::new(), BTreeMap::new());
        Notes { folder: None, fates, rehearsed }
    }

    /// With what earlier runs have written there.
    pub(crate) fn kept(folder: &Path) -> Result<Notes, String> {
        let mut notes = Notes::none();
        for line in lines(&folder.join(FATES)) {
            if let Some((number, fate)) = line.split_once(' ')
                && let (Ok(number), Some(fate)) =
                    (number.parse(), Fate::parse(fate))
            {
                notes.fates.insert(number, fate);
            }
        }
        for line in lines(&folder.join(REHEARSED)) {
            if let Some((test, found)) = line.split_once('\t')
                && let Some(found) = Rehearsed::parse(found)
            {
                notes.rehearsed.insert(test.to_owned(), found);
            }
        }
        notes.folder = Some(folder.to_path_buf());
        Ok(notes)
    }

    pub(crate) fn fate(&self, number: u32) -> Option<Fate> {
        self.fates.get(&number).cloned()
    }

    pub(crate) fn rehearsed(&self, test: &str) -> Option<Rehearsed> {
        self.rehearsed.get(test).cloned()
    }

    pub(crate) fn keep_fate(
        &self,
        number: u32,
        fate: &Fate,
    ) -> Result<(), String> {
        self.keep(FATES, &format!("{number} {}", fate.line()))
    }

    pub(crate) fn keep_rehearsed(
        &self,
        test: &str,
        found: &Rehearsed,
    ) -> Result<(), String> {
        self.keep(REHEARSED, &format!("{test}\t{}", found.line()))
    }

    fn keep(&self, name: &str, line: &str) -> Result<(), String> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let path = folder.join(name);
        let file = OpenOptions::new().create(true).append(true).open(&path);
        let line = line.to_owned() + "\n";
        file.and_then(|mut file| file.write_all(line.as_bytes()))
            .map_err(|error| format!("{}: {error}", path.display()))
    }
}

/// The whole lines of a file: a run may have ended within the last one.
fn lines(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    text[..whole].lines().map(str::to_owned).collect()
}
