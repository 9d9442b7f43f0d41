//! Finds the plugin of Oclgrind, or compiles it when it is first needed.

use std::ffi::OsStr;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{self, Command};
use std::sync::Mutex;
use std::{env, fs};

const TEXT: &str = include_str!("../plugin.cpp");

/// How to install what is missing.
const REMEDY: &str = "`cargo learn setup` installs it";

/// The compiled plugin.
#[derive(Clone, Debug)]
pub struct Plugin {
    library: PathBuf,
}

/// Returns whether there is a C++ compiler, with the headers of Oclgrind and
/// the OpenCL headers that they include.
pub fn can_build() -> bool {
    compiler().is_some() && headers().is_some()
}

/// Returns the folder of the tools that the course builds for itself: `tools`
/// in the target folder that contains this program.
pub fn tools() -> PathBuf {
    let program = env::current_exe().unwrap_or_default();
    // Cargo writes this file into its target folder.
    let is_built = |it: &&Path| it.join(".rustc_info.json").is_file();
    let target = program.ancestors().find(is_built);
    target.unwrap_or(Path::new("target")).join("tools")
}

impl Plugin {
    /// Returns the plugin that was compiled from this version of the source,
    /// or compiles it, which takes some seconds. An error names what is
    /// missing.
    pub fn find(tools: &Path) -> Result<Plugin, String> {
        if program("oclgrind").is_none() {
            return Err(format!("there is no Oclgrind here; {REMEDY}"));
        }
        let mut hasher = DefaultHasher::new();
        TEXT.hash(&mut hasher);
        let name = format!("oclgrind-profile-{:016x}.so", hasher.finish());
        let library = tools.join(name);
        // Two threads of a process would write the same file.
        static COMPILING: Mutex<()> = Mutex::new(());
        let alone = COMPILING.lock();
        if !library.is_file() {
            compile(&library)?;
        }
        drop(alone);
        Ok(Plugin { library })
    }

    /// Returns the path of the library.
    pub fn library(&self) -> &Path {
        &self.library
    }

    /// Adds the arguments that make Oclgrind count for warps of `warp` items
    /// and write to `log`.
    pub fn attach(&self, oclgrind: &mut Command, warp: usize, log: &Path) {
        oclgrind.arg("--plugins").arg(&self.library);
        oclgrind.env("RUNGRAD_PROFILE_LOG", log);
        oclgrind.env("RUNGRAD_PROFILE_WARP", warp.to_string());
    }
}

/// Compiles the plugin under a temporary name and renames it, so that other
/// processes find either a complete library or none.
fn compile(library: &Path) -> Result<(), String> {
    let Some(compiler) = compiler() else {
        return Err(format!(
            "there is no C++ compiler here (c++) for the plugin of Oclgrind; \
             {REMEDY}"
        ));
    };
    let Some(headers) = headers() else {
        return Err(format!(
            "the headers of Oclgrind and OpenCL are not here \
             (oclgrind/Plugin.h, CL/cl.h); {REMEDY}"
        ));
    };
    let wrong = |error: &dyn std::fmt::Display| {
        format!("cannot write {}: {error}", library.display())
    };
    let folder = library.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|error| wrong(&error))?;
    let draft = library.with_extension(format!("{}.cpp", process::id()));
    let made = draft.with_extension("so");
    fs::write(&draft, TEXT).map_err(|error| wrong(&error))?;
    let mut command = Command::new(compiler);
    // Oclgrind is compiled without run-time type information.
    command.args(["-std=c++17", "-O2", "-shared", "-fPIC", "-fno-rtti"]);
    if cfg!(target_os = "macos") {
        command.args(["-undefined", "dynamic_lookup"]);
    }
    command.arg("-I").arg(headers).arg("-o").arg(&made).arg(&draft);
    let output = command.output();
    let _ = fs::remove_file(&draft);
    let output = output.map_err(|error| wrong(&error))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let line = said.lines().find(|line| line.contains("error"));
        return Err(format!(
            "crates/profile/plugin.cpp does not compile with the Oclgrind of this \
             system, and it was written for 21.10: {}",
            line.unwrap_or("the compiler does not say why").trim()
        ));
    }
    fs::rename(&made, library).map_err(|error| wrong(&error))
}

fn compiler() -> Option<PathBuf> {
    let named = env::var_os("CXX").filter(|name| !name.is_empty());
    let usual = ["c++", "g++", "clang++"].map(|name| Some(name.into()));
    let names = [named].into_iter().chain(usual);
    names.flatten().find_map(program)
}

/// Returns the folder that contains all headers.
fn headers() -> Option<PathBuf> {
    // The compiler searches these folders, too.
    let named = env::var_os("CPLUS_INCLUDE_PATH").unwrap_or_default();
    let named: Vec<PathBuf> = env::split_paths(&named).collect();
    let usual = ["/usr/include", "/usr/local/include", "/opt/homebrew/include"];
    let has_all = |folder: &PathBuf| {
        ["oclgrind/Plugin.h", "CL/cl.h"]
            .iter()
            .all(|file| folder.join(file).is_file())
    };
    named.into_iter().chain(usual.map(PathBuf::from)).find(has_all)
}

fn program(name: impl AsRef<OsStr>) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let mut files =
        env::split_paths(&path).map(|folder| folder.join(name.as_ref()));
    files.find(|file| file.is_file())
}
