//! The repository as data: every text file by its path, so that a test can
//! plant an error.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

/// An error, with its location and its remedy.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    pub(crate) file: String,
    pub(crate) line: usize,
    pub(crate) what: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.what)
    }
}

pub(crate) fn fault(file: &str, line: usize, what: impl Into<String>) -> Fault {
    Fault { file: file.into(), line, what: what.into() }
}

/// Paths are relative to the root of the repository and use `/`. A file that
/// is not text, such as a font, has empty contents here.
#[derive(Clone, Default)]
pub struct Tree {
    files: BTreeMap<String, String>,
}

impl Tree {
    pub(crate) fn root() -> &'static Path {
        testkit::place::root()
    }

    /// Returns this repository without the learner's own files, because the
    /// book must not depend on them.
    pub(crate) fn of_this_repository() -> Tree {
        let mut tree = Tree::default();
        tree.read_folder(PathBuf::new());
        tree.files.retain(|path, _| !is_the_learners(path));
        tree
    }

    fn read_folder(&mut self, folder: PathBuf) {
        let on_disk = Tree::root().join(&folder);
        for entry in fs::read_dir(&on_disk).expect("a folder of ours") {
            let entry = entry.expect("an entry of a folder of ours");
            let name = entry.file_name().into_string().unwrap_or_default();
            let path = folder.join(&name);
            if name.starts_with('.') || name == "target" {
                continue;
            }
            if entry.path().is_dir() {
                self.read_folder(path);
            } else {
                let text = fs::read_to_string(entry.path());
                let path = path.to_string_lossy().replace('\\', "/");
                self.files.insert(path, text.unwrap_or_default());
            }
        }
    }

    pub(crate) fn get(&self, path: &str) -> Option<&str> {
        self.files.get(path).map(String::as_str)
    }

    /// Returns the files below a folder (`"book/src/"`) with an ending
    /// (`".md"`).
    pub(crate) fn list<'a>(
        &'a self,
        folder: &'a str,
        ending: &'a str,
    ) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.files
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str()))
            .filter(move |(path, _)| {
                path.starts_with(folder) && path.ends_with(ending)
            })
    }
}

/// Planting of errors.
#[cfg(test)]
impl Tree {
    pub(crate) fn with(mut self, path: &str, text: &str) -> Tree {
        self.files.insert(path.into(), text.into());
        self
    }

    pub(crate) fn without(mut self, path: &str) -> Tree {
        self.files.remove(path).expect("a file to take away");
        self
    }

    /// Replaces `old` with `new` in one file.
    pub(crate) fn edit(self, path: &str, old: &str, new: &str) -> Tree {
        let text = self.files[path].clone();
        assert!(text.contains(old), "{path} has no {old:?}");
        self.with(path, &text.replace(old, new))
    }
}

pub(crate) fn is_the_learners(path: &str) -> bool {
    ["part", "cluster/", "again/"]
        .iter()
        .any(|it| path.starts_with(&format!("exercises/{it}")))
}

/// Returns the file that `link`, written in `file`, points to.
pub(crate) fn resolve(file: &str, link: &str) -> String {
    let mut path: Vec<&str> = file.split('/').collect();
    path.pop();
    for step in link.split('/') {
        match step {
            "." | "" => {}
            ".." if path.last().is_some_and(|last| *last != "..") => {
                path.pop();
            }
            step => path.push(step),
        }
    }
    path.join("/")
}

/// Returns the part of a path after its last dot.
pub(crate) fn ending(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(_, ending)| ending)
}
