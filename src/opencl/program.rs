//! Compiles each source text once per device.

use std::collections::HashMap;
use std::ffi::CString;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ocl::core::{self, Context, ProgramBuildInfo, ProgramBuildInfoResult};
use ocl::core::{ProgramBuildStatus, ProgramInfo, Status};

use super::assembly;
use super::device::DeviceInfo;
use super::reach::Reach;
use super::recorder;
use super::signature::Signature;
use super::source::{Code, Generated};
use super::status::driver_error;
use crate::timeline::SliceKind;
use crate::{Error, ledger};

/// A kernel compiled for a device.
pub(super) struct CompiledKernel {
    /// Arguments are set on the object itself, so a thread that sets them must
    /// hold the lock until the launch is in the queue.
    object: Mutex<core::Kernel>,
    pub(super) name: String,
    pub(super) signature: Signature,
    /// The names of the parameters, by which a reach finds its arguments. If
    /// this kernel replaces one of this crate, they are the replaced kernel's.
    pub(super) names: Vec<String>,
}

impl CompiledKernel {
    /// Locks the object for one thread at a time.
    pub(super) fn object(&self) -> MutexGuard<'_, core::Kernel> {
        self.object.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The programs that a device has compiled.
pub(super) struct Programs {
    context: Context,
    info: &'static DeviceInfo,
    /// Keyed by the text, and the options and types.
    compiled: HashMap<(String, String), Program>,
    /// Caches the kernels of this crate by the addresses of their text,
    /// options, types and name, which are cheaper to compare than the strings.
    by_address: HashMap<[usize; 4], Arc<CompiledKernel>>,
    /// Replacements for kernels of this crate, by name.
    stand_ins: HashMap<String, Arc<CompiledKernel>>,
}

/// A compiled text, and the kernels of it that were used so far.
struct Program {
    program: core::Program,
    kernels: HashMap<String, Arc<CompiledKernel>>,
}

impl Programs {
    pub(super) fn new(
        context: &Context,
        info: &'static DeviceInfo,
    ) -> Programs {
        let (compiled, by_address) = (HashMap::new(), HashMap::new());
        let (context, stand_ins) = (context.clone(), HashMap::new());
        Programs { context, info, compiled, by_address, stand_ins }
    }

    /// Returns a kernel, which is compiled on first use.
    pub(super) fn kernel(
        &mut self,
        code: Code,
    ) -> Result<Arc<CompiledKernel>, Error> {
        if let Some(generated) = code.generated {
            return self.generated(code, generated);
        }
        // Only the strings of kernels that are compiled into this crate have
        // fixed addresses.
        if matches!(code.reach, Reach::Unknown) {
            return self.by_name(code);
        }
        let place = [code.text, code.options, code.types, code.name];
        let place = place.map(|letters| letters.as_ptr().addr());
        match self.by_address.get(&place) {
            Some(known) => Ok(Arc::clone(known)),
            None => {
                let known = match self.stand_ins.get(code.name) {
                    Some(known) => Arc::clone(known),
                    None => self.by_name(code)?,
                };
                self.by_address.insert(place, Arc::clone(&known));
                Ok(known)
            }
        }
    }

    /// Returns a generated kernel. It is not cached here, so that it can be
    /// freed.
    fn generated(
        &mut self,
        code: Code,
        generated: &Generated,
    ) -> Result<Arc<CompiledKernel>, Error> {
        match generated.compiled.get() {
            Some((index, known)) if *index == self.info.index => {
                return Ok(Arc::clone(known));
            }
            _ => {}
        }
        let program = self.compile(code)?;
        let known = Arc::new(create(&program, self.info, code, code)?);
        // Another device may have compiled it before.
        let _ = generated.compiled.set((self.info.index, Arc::clone(&known)));
        Ok(known)
    }

    /// Runs another kernel wherever a kernel of this crate is launched.
    pub(super) fn stand_in(
        &mut self,
        replaced: Code,
        code: Code,
    ) -> Result<(), Error> {
        let info = self.info;
        let program = &self.program(code)?.program;
        let known = Arc::new(create(program, info, code, replaced)?);
        self.stand_ins.insert(replaced.name.to_owned(), known);
        self.by_address.clear();
        Ok(())
    }

    fn by_name(&mut self, code: Code) -> Result<Arc<CompiledKernel>, Error> {
        let info = self.info;
        let Program { program, kernels } = self.program(code)?;
        if let Some(known) = kernels.get(code.name) {
            return Ok(Arc::clone(known));
        }
        let known = Arc::new(create(program, info, code, code)?);
        kernels.insert(known.name.clone(), Arc::clone(&known));
        Ok(known)
    }
}

/// Creates a kernel of a program. Its parameters have the names that
/// `declared` gives them.
fn create(
    program: &core::Program,
    info: &DeviceInfo,
    code: Code,
    declared: Code,
) -> Result<CompiledKernel, Error> {
    let name = code.name;
    let object = core::create_kernel(program, name)
        .map_err(|error| no_kernel(code, program, error))?;
    let signature = Signature::query(&object, info).map_err(|error| {
        driver_error(&format!("Asking about the kernel {name}"), error)
    })?;
    let names = declared.parameter_names();
    let names = names.unwrap_or_else(|| signature.names());
    let (object, name) = (Mutex::new(object), name.to_owned());
    Ok(CompiledKernel { object, name, signature, names })
}

// ANCHOR: compiled-once
impl Programs {
    /// Returns the program of a text, which is compiled on first use. A
    /// failure is not cached: each attempt compiles again and returns the same
    /// error.
    fn program(&mut self, code: Code) -> Result<&mut Program, Error> {
        let key = (code.text.to_owned(), code.all_options());
        if !self.compiled.contains_key(&key) {
            let (program, kernels) = (self.compile(code)?, HashMap::new());
            self.compiled.insert(key.clone(), Program { program, kernels });
        }
        Ok(self.compiled.get_mut(&key).expect("it was just put there"))
    }
}
// ANCHOR_END: compiled-once

impl Programs {
    fn compile(&self, code: Code) -> Result<core::Program, Error> {
        let call = recorder::call();
        let Code { file, text, .. } = code;
        let text = CString::new(text).map_err(|_| {
            Error::Mistake(format!("{file} holds a byte 0, and C text cannot."))
        })?;
        let exact = if self.info.exact_division { EXACT } else { "" };
        let options = format!("{OPTIONS} {exact}{}", code.all_options());
        let options = CString::new(options.trim_end()).map_err(|_| {
            Error::Mistake("A build option holds a byte 0.".into())
        })?;
        let compiling =
            |error| driver_error(&format!("Compiling {file}"), error);
        let program = core::create_program_with_source(&self.context, &[text])
            .map_err(compiling)?;
        ledger::count(|counts| counts.builds += 1);
        let mut program = self.build(file, program, &options)?;
        if self.info.warpgroups
            && code.text.contains(assembly::ONLY)
            && let Some(text) = assembly::uncovered(&program)
        {
            program = core::create_program_with_binary(
                &self.context,
                &[self.info.id],
                &[&text],
            )
            .map_err(compiling)?;
            program = self.build(file, program, &CString::default())?;
        }
        if let Some(call) = call {
            let name = file.rsplit('/').next().unwrap_or_default();
            let what = (SliceKind::Build, "build", name.to_owned());
            call.returned(self.info, what, 0, None);
        }
        Ok(program)
    }

    /// Builds a program, or returns the driver's error.
    fn build(
        &self,
        file: &str,
        program: core::Program,
        options: &CString,
    ) -> Result<core::Program, Error> {
        let built = core::build_program(
            &program,
            Some(&[self.info.id]),
            options,
            None,
            None,
        );
        // `ocl` reports success for a failure without a log, so query the
        // status.
        let built = built.and_then(|()| self.has_built(&program));
        if let Ok(true) = built {
            return Ok(program);
        }
        let log = self.build_log(&program);
        let refused = built.err().filter(|error| error.api_status().is_some());
        match refused {
            // The failure is not caused by the text, and so has no log.
            Some(error) if log.is_empty() => {
                Err(driver_error(&format!("Compiling {file}"), error))
            }
            _ => Err(Error::Build { sentence: first_error(file, &log), log }),
        }
    }

    fn has_built(&self, program: &core::Program) -> Result<bool, core::Error> {
        let what = ProgramBuildInfo::BuildStatus;
        let answer = core::get_program_build_info(program, self.info.id, what)?;
        use ProgramBuildInfoResult::BuildStatus;
        Ok(matches!(answer, BuildStatus(ProgramBuildStatus::Success)))
    }

    fn build_log(&self, program: &core::Program) -> String {
        let what = ProgramBuildInfo::BuildLog;
        core::get_program_build_info(program, self.info.id, what)
            .map(|log| log.to_string().trim().to_owned())
            .unwrap_or_default()
    }
}

fn no_kernel(code: Code, program: &core::Program, error: core::Error) -> Error {
    let Code { file, name, .. } = code;
    let names = core::get_program_info(program, ProgramInfo::KernelNames);
    match (error.api_status(), names) {
        (Some(Status::CL_INVALID_KERNEL_NAME), Ok(names)) => {
            let names = match names.to_string() {
                none if none.is_empty() => "none at all".to_owned(),
                // PoCL adds a prefix to the name of a kernel that is by_name
                // like a built-in function.
                names => names.replace(';', ", ").replace("_cl_", ""),
            };
            Error::Mistake(format!(
                "{file} has no kernel `{name}`; it has {names}. (A kernel \
                 by_name like a function of the language, such as exp or max, \
                 compiles and then does not exist.)"
            ))
        }
        _ => driver_error(&format!("Looking for `{name}` in {file}"), error),
    }
}

/// The language version of the book, and an option that makes every driver
/// store the names and types of the parameters.
const OPTIONS: &str = "-cl-std=CL1.2 -cl-kernel-arg-info";

/// Correctly rounded division and square root, if the device supports them.
/// Without this option OpenCL allows a quotient an error of 2.5 units in the
/// last place, and a square root an error of 3.
const EXACT: &str = "-cl-fp32-correctly-rounded-divide-sqrt ";

/// Returns the first error of a build log, with its line. All compilers write
/// `FILE:LINE:COLUMN:` and the word `error:`, but in different orders and with
/// different file names. The assembler that runs after them reports no line.
fn first_error(file: &str, log: &str) -> String {
    let log = &without_macros(log);
    // PoCL's linker names the missing function below its heading.
    let missing = log.split("Cannot find symbol ").nth(1);
    if let Some(name) = missing.and_then(|it| it.split_whitespace().next()) {
        return format!(
            "{file} calls `{name}`, which neither the file nor the language \
             defines."
        );
    }
    let line = ["error: ", "error", "fatal", ""]
        .iter()
        .find_map(|word| log.lines().find(|line| line.contains(word)));
    let Some(line) = line else {
        return format!("{file} does not compile, and the driver has no log.");
    };
    match after_position(line) {
        Some((number, words)) => {
            let words =
                words.split_once("error: ").map_or(words, |(_, words)| words);
            let remedy = newer_function(words).unwrap_or_default();
            format!("{file}:{number}: {words}{remedy}")
        }
        None => format!("{file} does not compile: {line}"),
    }
}

/// Removes what PoCL's own headers add to a message: `_cl_`, their prefix for
/// built-in functions, and ` <Spelling=HEADER:LINE:COLUMN>`, the position of
/// the macro that adds it.
fn without_macros(log: &str) -> String {
    let mut parts = log.split(" <Spelling=");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        text += part.split_once('>').map_or(part, |(_, rest)| rest);
    }
    text.replace("'_cl_", "'")
}

/// If the unknown function belongs to a later version of the language than
/// [`OPTIONS`] selects, explains that.
fn newer_function(words: &str) -> Option<String> {
    let is_unknown = ["undeclared", "implicit declaration", "unresolved"]
        .iter()
        .any(|it| words.contains(it));
    let quoted = words.split(['\'', '`', '"']);
    let mut quoted = quoted.filter(|it| it.starts_with("work_group_"));
    let name = quoted.next().filter(|_| is_unknown)?;
    let instead = match name {
        "work_group_barrier" => "use `barrier(CLK_LOCAL_MEM_FENCE)` instead",
        _ => "write it with local memory and barriers instead",
    };
    Some(format!(
        " (a function of OpenCL C 2.0, and kernels are compiled as OpenCL C \
         1.2: {instead})"
    ))
}

/// Returns the line number and the words of `..:LINE:COLUMN: WORDS`.
fn after_position(text: &str) -> Option<(u32, &str)> {
    text.match_indices(':').find_map(|(colon, _)| {
        let mut parts = text[colon + 1..].splitn(3, ':');
        let line = parts.next()?.parse().ok()?;
        let _column: u32 = parts.next()?.parse().ok()?;
        Some((line, parts.next()?.trim()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_error_is_found_in_every_compiler_log() {
        let expected = "my.cl:3: use of undeclared identifier 'b'";
        for log in [
            // PoCL
            "error: /tmp/kcache/t_1.cl:3:5: use of undeclared identifier 'b'",
            // NVIDIA
            "<kernel>:3:5: error: use of undeclared identifier 'b'\n    b;",
            // Oclgrind
            "input.cl:3:5: error: use of undeclared identifier 'b'",
            // A missing include, after a warning
            "x.cl:1:1: warning: no\n\
             x.cl:3:5: fatal error: use of undeclared identifier 'b'",
        ] {
            assert_eq!(first_error("my.cl", log), expected);
        }
        assert_eq!(
            first_error("my.cl", "<kernel>:2:1: error: type: int\nerror: x"),
            "my.cl:2: type: int"
        );
        assert_eq!(
            first_error(
                "my.cl",
                "(): Warning: inline\nptxas error   : too big"
            ),
            "my.cl does not compile: ptxas error   : too big"
        );
        assert_eq!(
            first_error("my.cl", "out of luck\nand more"),
            "my.cl does not compile: out of luck"
        );
        assert!(first_error("my.cl", "").contains("has no log"));
        // PoCL renames built-in functions with macros in its headers.
        let log = "error: /tmp/kcache/t_1.cl:7:5 <Spelling=/usr/pocl/include/\
                   _builtin_renames.h:993:28>: use of undeclared identifier \
                   '_cl_work_group_barrier'\nDevice failed to build";
        assert_eq!(
            first_error("my.cl", log),
            "my.cl:7: use of undeclared identifier 'work_group_barrier' (a \
             function of OpenCL C 2.0, and kernels are compiled as OpenCL C \
             1.2: use `barrier(CLK_LOCAL_MEM_FENCE)` instead)"
        );
        let log = "Error(s) while linking: \nCannot find symbol half in kernel";
        assert!(first_error("my.cl", log).starts_with("my.cl calls `half`,"));
    }
}
