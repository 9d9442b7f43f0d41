//! The software of this machine, found by looking at files. No driver is
//! loaded, so nothing here can hang or crash.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

/// Returns the full path of a program on the search path.
pub fn find_program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(name)).find(|file| {
        let runs = |data: fs::Metadata| {
            data.is_file() && data.permissions().mode() & 0o111 != 0
        };
        fs::metadata(file).is_ok_and(runs)
    })
}

/// Returns the output of a program, or `None` if it does not run or fails.
pub fn command_output(name: &str, args: &[&str]) -> Option<String> {
    let output = Command::new(name).args(args).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_string();
    output.status.success().then_some(text)
}

/// Returns whether the user is root and may use the package manager.
pub(crate) fn is_root() -> bool {
    command_output("id", &["-u"]).as_deref() == Some("0")
}

/// Returns whether libclang is in one of the folders in which the package
/// `clang-sys` looks for it. `LIBCLANG_PATH` replaces these folders.
fn has_libclang() -> bool {
    let named = env::var_os("LIBCLANG_PATH").map(PathBuf::from);
    let folders = match named {
        Some(path) if path.is_file() => return true,
        Some(path) => vec![path],
        None => {
            let arch = env::consts::ARCH;
            let mut folders = vec![
                format!("/usr/lib/{arch}-linux-gnu").into(),
                "/usr/lib64".into(),
                "/usr/lib".into(),
                "/usr/local/lib".into(),
                "/opt/homebrew/opt/llvm/lib".into(),
                "/usr/local/opt/llvm/lib".into(),
                "/Library/Developer/CommandLineTools/usr/lib".into(),
            ];
            // Debian has a folder for each version.
            let versions = fs::read_dir("/usr/lib").into_iter().flatten();
            let versions = versions.flatten().map(|it| it.path().join("lib"));
            folders.extend(versions);
            folders
        }
    };
    let files = folders.iter().filter_map(|it| fs::read_dir(it).ok());
    let mut names = files.flatten().flatten().map(|it| it.file_name());
    names.any(|name| {
        let name = name.to_string_lossy();
        ["libclang.", "libclang-"].iter().any(|it| name.starts_with(it))
            && (name.contains(".so") || name.ends_with(".dylib"))
            && !name.starts_with("libclang-cpp")
    })
}

/// Returns the library that `RUNGRAD_OPENCL_LIBRARY` names in place of the
/// system's loader.
fn library_override() -> Option<PathBuf> {
    let name = env::var_os("RUNGRAD_OPENCL_LIBRARY")?;
    (!name.is_empty()).then(|| name.into())
}

/// Returns the path of the OpenCL loader, the library that programs open and
/// that finds the drivers.
pub(crate) fn loader() -> Option<PathBuf> {
    if let Some(library) = library_override() {
        return Some(library);
    }
    if cfg!(target_os = "macos") {
        let framework = "/System/Library/Frameworks/OpenCL.framework";
        return Some(PathBuf::from(framework)).filter(|path| path.exists());
    }
    let named = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = env::split_paths(&named).collect();
    for folder in ["/usr/local/lib", "/usr/lib64", "/usr/lib", "/lib"] {
        folders.push(folder.into());
        folders
            .push(format!("{folder}/{}-linux-gnu", env::consts::ARCH).into());
    }
    folders.push("/usr/local/cuda/lib64".into());
    let files = folders.iter().map(|folder| folder.join("libOpenCL.so.1"));
    files.into_iter().find(|file| file.is_file()).or_else(cached_loader)
}

/// Finds a loader in a folder that only the system's linker cache knows.
fn cached_loader() -> Option<PathBuf> {
    let list = command_output("ldconfig", &["-p"])
        .or_else(|| command_output("/sbin/ldconfig", &["-p"]))?;
    let line = list.lines().find(|line| line.contains("libOpenCL.so.1 "))?;
    let (_, path) = line.split_once("=> ")?;
    Some(PathBuf::from(path))
}

/// Returns the folder in which the loader looks for the files that name the
/// drivers.
pub(crate) fn vendors() -> PathBuf {
    let named = env::var_os("OCL_ICD_VENDORS").filter(|name| !name.is_empty());
    named.map_or_else(|| "/etc/OpenCL/vendors".into(), PathBuf::from)
}

/// Lists the file names of the drivers, sorted, and the drivers that
/// `OCL_ICD_FILENAMES` names, as in containers without such files.
pub(crate) fn drivers() -> Vec<String> {
    if library_override().is_some() {
        return vec!["those of RUNGRAD_OPENCL_LIBRARY".to_string()];
    }
    if cfg!(target_os = "macos") {
        return vec!["the system's own".to_string()];
    }
    let place = vendors();
    let mut names: Vec<String> = if place.is_file() {
        vec![place.display().to_string()]
    } else {
        let entries = fs::read_dir(&place).into_iter().flatten().flatten();
        entries
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .filter(|name| name.ends_with(".icd"))
            .collect()
    };
    let named = env::var_os("OCL_ICD_FILENAMES").unwrap_or_default();
    let named = env::split_paths(&named).map(|path| path.display().to_string());
    names.extend(named.filter(|name| !name.is_empty()));
    names.sort();
    names
}

/// A package manager that we know how to call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PackageManager {
    Apt,
    Dnf,
    Pacman,
    Brew,
}

impl PackageManager {
    pub(crate) fn find() -> Option<PackageManager> {
        let known = [
            ("apt-get", PackageManager::Apt),
            ("dnf", PackageManager::Dnf),
            ("pacman", PackageManager::Pacman),
            ("brew", PackageManager::Brew),
        ];
        let found = known.iter().find(|(name, _)| find_program(name).is_some());
        found.map(|(_, packages)| *packages)
    }

    /// Returns whether the package manager requires root. Homebrew rejects it;
    /// the others require it.
    pub(crate) fn needs_root(self) -> bool {
        self != PackageManager::Brew
    }

    /// Returns the command to run before anything is installed.
    pub(crate) fn refresh(self) -> Option<&'static str> {
        (self == PackageManager::Apt).then_some("apt-get update")
    }

    pub(crate) fn install(self) -> &'static str {
        match self {
            PackageManager::Apt => {
                "apt-get install --yes --no-install-recommends"
            }
            PackageManager::Dnf => "dnf install --assumeyes",
            PackageManager::Pacman => "pacman --sync --needed --noconfirm",
            PackageManager::Brew => "brew install",
        }
    }
}

/// The Debian packages that compile to WebAssembly, for machines on which
/// rustup cannot download the target.
const DEBIAN_WASM: &str = "rustc-web cargo-web rust-web-src";

/// The Debian packages that compile the plugin of Oclgrind.
const DEBIAN_PLUGIN: &str = "g++ liboclgrind-dev opencl-c-headers";

/// Returns whether the compiler in use has a standard library for WebAssembly.
pub fn has_wasm_target() -> bool {
    command_output("rustc", &["--print", "sysroot"]).is_some_and(|sysroot| {
        let library = "lib/rustlib/wasm32-unknown-unknown/lib";
        PathBuf::from(sysroot).join(library).is_dir()
    })
}

/// Returns the folder of a compiler that comes with the source of the standard
/// library and can therefore compile it for WebAssembly. Debian's compiler
/// does, and it may come after a different one on the search path.
pub fn compiler_with_source() -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).find(|folder| {
        let rustc = folder.join("rustc");
        let both = rustc.is_file() && folder.join("cargo").is_file();
        let source = |sysroot: String| {
            let std = "lib/rustlib/src/rust/library/std";
            PathBuf::from(sysroot).join(std).is_dir()
        };
        let sysroot = ["--print", "sysroot"];
        both && command_output(&rustc.to_string_lossy(), &sysroot)
            .is_some_and(source)
    })
}

/// The people that need a tool. Each audience also needs the tools of the previous ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Audience {
    Learner,
    /// Changes the course.
    Author,
    /// Changes what runs in the pages.
    PageAuthor,
    /// Runs processes that MPI connects. It needs only its own tools.
    Cluster,
}

/// Something that the course can use.
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) purpose: &'static str,
    /// Without it, whole parts of the course cannot run.
    pub(crate) needed: bool,
    pub(crate) audience: Audience,
    pub(crate) is_there: fn() -> bool,
    /// The packages of apt, dnf, pacman and Homebrew; empty if there is none.
    packages: [&'static str; 4],
}

impl Tool {
    pub(crate) fn package(
        &self,
        packages: PackageManager,
    ) -> Option<&'static str> {
        let name = self.packages[packages as usize];
        (!name.is_empty()).then_some(name)
    }
}

/// All tools, in the order of installation.
pub(crate) const TOOLS: &[Tool] = &[
    Tool {
        name: "OpenCL loader",
        purpose: "finds the drivers (parts 2 and 3)",
        needed: true,
        audience: Audience::Learner,
        is_there: || loader().is_some(),
        packages: ["ocl-icd-libopencl1", "ocl-icd", "ocl-icd", ""],
    },
    Tool {
        name: "OpenCL driver",
        purpose: "runs kernels; PoCL runs them on the CPU, so no GPU is needed",
        needed: true,
        audience: Audience::Learner,
        is_there: || !drivers().is_empty(),
        packages: ["pocl-opencl-icd", "pocl", "pocl", ""],
    },
    Tool {
        name: "Oclgrind",
        purpose: "finds races and stray writes in kernels",
        needed: false,
        audience: Audience::Learner,
        is_there: || find_program("oclgrind").is_some(),
        packages: ["oclgrind", "", "", "oclgrind"],
    },
    Tool {
        name: "C++ with the headers of Oclgrind",
        purpose: "`cargo learn profile` counts what a GPU would do",
        needed: false,
        audience: Audience::Learner,
        is_there: profile::can_build,
        packages: [DEBIAN_PLUGIN, "", "", "oclgrind opencl-headers"],
    },
    Tool {
        name: "codespell",
        purpose: "the spell check of `cargo learn test`",
        needed: false,
        audience: Audience::Author,
        is_there: || find_program("codespell").is_some(),
        packages: ["codespell", "codespell", "codespell", "codespell"],
    },
    Tool {
        name: "clangd",
        purpose: "the test of what an editor says of a kernel",
        needed: false,
        audience: Audience::Author,
        is_there: || find_program("clangd").is_some(),
        packages: ["clangd", "clang-tools-extra", "clang", ""],
    },
    Tool {
        name: "Chromium",
        purpose: "the tests of the pages in a real browser",
        needed: false,
        audience: Audience::Author,
        is_there: || find_program("chromium").is_some(),
        packages: ["chromium", "chromium", "chromium", ""],
    },
    Tool {
        name: "WebAssembly compiler",
        purpose: "`cargo xtask page`, which makes the engine of the pages",
        needed: false,
        audience: Audience::PageAuthor,
        is_there: || has_wasm_target() || compiler_with_source().is_some(),
        packages: [DEBIAN_WASM, "", "", ""],
    },
    Tool {
        name: "npm",
        purpose: "`cargo xtask page --audit`, which fetches an audit of the pages",
        needed: false,
        audience: Audience::Author,
        is_there: || find_program("npm").is_some(),
        packages: ["npm", "npm", "npm", "node"],
    },
    Tool {
        name: "mpirun",
        purpose: "starts a program on several ranks",
        needed: true,
        audience: Audience::Cluster,
        is_there: || find_program("mpirun").is_some(),
        packages: ["openmpi-bin", "openmpi", "openmpi", "open-mpi"],
    },
    Tool {
        name: "libmpi with mpicc",
        purpose: "connects the ranks, as processes",
        needed: true,
        audience: Audience::Cluster,
        is_there: || find_program("mpicc").is_some(),
        packages: ["libopenmpi-dev", "openmpi-devel", "openmpi", "open-mpi"],
    },
    Tool {
        name: "libclang",
        purpose: "reads the headers of MPI when the program is built",
        needed: true,
        audience: Audience::Cluster,
        is_there: has_libclang,
        packages: ["libclang-dev", "clang-devel", "clang", "llvm"],
    },
];

/// Returns whether programs that MPI connects can be built and run.
pub fn has_mpi() -> bool {
    missing(Audience::Cluster).is_empty()
}

/// Lists the tools that an audience needs and that are missing.
pub(crate) fn missing(audience: Audience) -> Vec<&'static Tool> {
    let theirs = TOOLS.iter().filter(|tool| match audience {
        Audience::Cluster => tool.audience == audience,
        _ => tool.audience <= audience,
    });
    theirs.filter(|tool| !(tool.is_there)()).collect()
}
