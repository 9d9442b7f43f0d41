//! The learner's copy of the repository: its folders, and how to call cargo in
//! it.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

use crate::command::Stop;
use crate::terminal::say;

/// The folders of this checkout.
pub struct Checkout {
    /// The root of the repository.
    pub root: PathBuf,
    /// The target folder of cargo, which also holds our logs and tools.
    pub target: PathBuf,
    /// The learner's files, in the folder that cargo's configuration names.
    pub exercises: PathBuf,
}

impl Checkout {
    /// Finds the folder above this package's manifest. Cargo sets the variable
    /// when it runs the companion, so a checkout that was moved is still
    /// found.
    pub fn find() -> Result<Checkout, Stop> {
        let manifest = env::var_os("CARGO_MANIFEST_DIR")
            .map(PathBuf::from)
            .unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")));
        let root = manifest.ancestors().nth(2).map(Path::to_path_buf);
        let root = root
            .filter(|root| root.join("Cargo.toml").is_file())
            .ok_or_else(|| {
                Stop::Failed(format!(
                    "{} is not inside the course's folder: start the \
                         companion there, with `cargo learn`",
                    manifest.display()
                ))
            })?;
        let target = match env::var_os("CARGO_TARGET_DIR") {
            Some(folder) => env::current_dir()
                .map_err(|error| Stop::Failed(error.to_string()))?
                .join(folder),
            None => root.join("target"),
        };
        let exercises = match env::var_os("RUNGRAD_EXERCISES") {
            Some(folder) => root.join(folder),
            None => root.join("exercises"),
        };
        Ok(Checkout { root, target, exercises })
    }

    /// Returns a command that runs cargo in the root of the checkout.
    pub fn cargo(&self, args: &[&str]) -> Command {
        let program = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(program);
        command.args(args).current_dir(&self.root);
        command.env("CARGO_TERM_COLOR", "never");
        // Variables that cargo set for this package do not apply to child
        // processes.
        for (name, _) in env::vars_os() {
            let text = name.to_string_lossy();
            if text.starts_with("CARGO_PKG_")
                || text.starts_with("CARGO_MANIFEST_")
            {
                command.env_remove(&name);
            }
        }
        command
    }

    /// Creates an empty log file, with its folder if necessary, and returns
    /// its path.
    pub fn log(&self, name: &str) -> Result<PathBuf, Stop> {
        let folder = self.target.join("learn-logs");
        let path = folder.join(format!("{name}.log"));
        fs::create_dir_all(&folder)
            .and_then(|()| fs::write(&path, ""))
            .map_err(|error| cannot_write(&path, &error))?;
        Ok(path)
    }

    /// Waits until no other companion holds this lock, and returns the lock,
    /// which is released when it is dropped or when the process ends. `None`
    /// where the file system has no locks, as on some network shares.
    pub fn lock(&self, name: &str) -> Option<File> {
        let folder = self.target.join("learn-logs");
        fs::create_dir_all(&folder).ok()?;
        let file = File::create(folder.join(format!("{name}.lock"))).ok()?;
        if file.try_lock().is_err() {
            say!("  waiting for another `cargo learn` in this folder");
            file.lock().ok()?;
        }
        Some(file)
    }

    /// Returns the folder of the progress and the backups, next to the
    /// learner's files.
    pub(crate) fn state_folder(&self) -> PathBuf {
        self.exercises.parent().unwrap_or(&self.root).join(".learn")
    }

    /// Formats `path` relative to the root.
    pub fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).display().to_string()
    }
}

#[cfg(test)]
impl Checkout {
    pub(crate) fn of_this_repository() -> Checkout {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
        let root = root.unwrap().to_path_buf();
        Checkout {
            target: root.join("target"),
            exercises: root.join("exercises"),
            root,
        }
    }
}

/// Replaces a file atomically: if the process is killed, either the old or the
/// new file remains. The next call overwrites a leftover temporary file.
pub(crate) fn replace(file: &Path, bytes: &[u8]) -> Result<(), Stop> {
    let folder = file.parent().unwrap_or(file);
    let name = file.file_name().unwrap_or_default().display();
    // In the same folder, because a rename cannot cross file systems.
    let new = folder.join(format!(".new-{name}"));
    let written = fs::create_dir_all(folder)
        .and_then(|()| File::create(&new))
        .and_then(|mut new| {
            new.write_all(bytes)?;
            new.sync_all()
        })
        .and_then(|()| fs::rename(&new, file));
    if written.is_err() {
        let _ = fs::remove_file(&new);
    }
    written.map_err(|error| cannot_save(file, &error))
}

/// Returns the error for a file in the target folder that cannot be written.
pub fn cannot_write(path: &Path, error: &io::Error) -> Stop {
    refused(
        path,
        error,
        "make it writable, or set CARGO_TARGET_DIR to a \
                          folder that is",
    )
}

/// Returns the error for a file outside the target folder that cannot be
/// written.
pub(crate) fn cannot_save(path: &Path, error: &io::Error) -> Stop {
    refused(path, error, "make it writable, and try again")
}

fn refused(path: &Path, error: &io::Error, advice: &str) -> Stop {
    let path = path.display();
    let why = match error.kind() {
        io::ErrorKind::PermissionDenied => "no permission to write there",
        io::ErrorKind::ReadOnlyFilesystem => "the file system is read-only",
        io::ErrorKind::StorageFull => "the disk is full",
        io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => {
            "there is a file where a folder is needed"
        }
        _ => return Stop::Failed(format!("{path}: {error}")),
    };
    Stop::Failed(format!("cannot write {path}: {why}; {advice}"))
}
