//! Source text, compiled once for each device.

use std::collections::HashMap;
use std::ffi::CString;
use std::sync::{Arc, PoisonError};

use ocl::core::KernelArgAddressQualifier as Address;
use ocl::core::Status;
use ocl::core::{self, KernelArgInfo};
use ocl::core::{KernelArgInfoResult, KernelArgTypeQualifier, KernelInfo};
use ocl::core::{KernelInfoResult, KernelWorkGroupInfo};
use ocl::core::{KernelWorkGroupInfoResult, ProgramBuildInfo};
use ocl::core::{ProgramBuildInfoResult, ProgramBuildStatus, ProgramInfo};

use super::argument::Given;
use super::gpu::Open;
use super::status::refusal;
use crate::{Error, ledger};

/// A kernel that is compiled into this crate, from [`kernels`](super::kernels).
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    file: &'static str,
    text: &'static str,
    name: &'static str,
    reach: Reach,
}

/// How many values of each buffer, in the order of the arguments, a kernel
/// may touch. `None` if the arguments are not those that it expects.
pub(super) type Reach = fn(&Given) -> Option<Vec<u64>>;

impl Kernel {
    /// Only the parent module's constants are kernels: `launch` is safe
    /// because of what their own module promises about each of them.
    pub(super) const fn new(
        file: &'static str,
        text: &'static str,
        name: &'static str,
        reach: Reach,
    ) -> Kernel {
        Kernel { file, text, name, reach }
    }

    /// The file, from the root of the repository.
    pub fn file(&self) -> &'static str {
        self.file
    }

    /// The text of the file.
    pub fn text(&self) -> &'static str {
        self.text
    }

    /// The kernel's name in the file.
    pub fn name(&self) -> &'static str {
        self.name
    }

    pub(super) fn code(&self) -> Code<'static> {
        let Kernel { file, text, name, reach } = *self;
        Code { file, text, name, options: "", reach: Some(reach) }
    }
}

/// A kernel from anywhere: a learner's file, a string.
#[derive(Clone, Debug)]
pub struct Source {
    file: String,
    text: String,
    name: String,
    options: String,
}

impl Source {
    /// The kernel `name` in `text`. `file` is what errors call the text.
    pub fn new(file: &str, text: &str, name: &str) -> Source {
        Source {
            file: file.to_owned(),
            text: text.to_owned(),
            name: name.to_owned(),
            options: String::new(),
        }
    }

    /// Options for the compiler: `-D TILE=16`.
    pub fn options(mut self, options: &str) -> Source {
        self.options = options.to_owned();
        self
    }

    pub(super) fn code(&self) -> Code<'_> {
        Code {
            file: &self.file,
            text: &self.text,
            name: &self.name,
            options: &self.options,
            reach: None,
        }
    }
}

/// What a launch needs to know of a [`Kernel`] or a [`Source`].
#[derive(Clone, Copy)]
pub(super) struct Code<'a> {
    pub(super) file: &'a str,
    pub(super) text: &'a str,
    pub(super) name: &'a str,
    pub(super) options: &'a str,
    pub(super) reach: Option<Reach>,
}

/// A compiled text, and what is known of its kernels so far.
pub(super) struct Program {
    program: core::Program,
    signatures: HashMap<String, Arc<Signature>>,
}

/// What a compiled kernel says about itself.
pub(super) struct Signature {
    /// One for each argument; `None` where the driver does not tell.
    pub(super) parameters: Vec<Option<Parameter>>,
    /// The most work-items in one group of this kernel.
    pub(super) max_work_group: usize,
    /// The local size that it requires; zeros where it requires none.
    pub(super) required_local: [usize; 3],
    /// Bytes of `__local` memory that one group takes.
    pub(super) local_memory: u64,
}

/// A parameter as the source declares it.
pub(super) struct Parameter {
    pub(super) name: String,
    /// `float*`, `uint`.
    pub(super) type_name: String,
    pub(super) address: Address,
    constant: bool,
}

impl Parameter {
    /// The declaration, as it stands in the source.
    pub(super) fn declaration(&self) -> String {
        let address = match self.address {
            Address::Global => "global ",
            Address::Constant => "constant ",
            Address::Local => "local ",
            Address::Private => "",
        };
        // Constant memory is const, with or without the word.
        let constant = self.constant && self.address == Address::Global;
        let constant = if constant { "const " } else { "" };
        format!("`{address}{constant}{} {}`", self.type_name, self.name)
    }

    /// Whether the kernel has promised not to write to it.
    pub(super) fn is_read_only(&self) -> bool {
        self.constant || self.address == Address::Constant
    }
}

impl Open {
    /// A kernel object of its own for one launch, and its signature. The
    /// arguments are part of the object, so two threads that shared one
    /// would overwrite each other's.
    ///
    /// A text that has compiled is not compiled again. One that has not is
    /// compiled at each call, and fails each time with the same sentence.
    pub(super) fn kernel(
        &self,
        code: Code,
    ) -> Result<(core::Kernel, Arc<Signature>), Error> {
        // A panic while the lock was held has left no half-made program.
        let mut programs =
            self.programs.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (code.text.to_owned(), code.options.to_owned());
        if !programs.contains_key(&key) {
            let program = self.compile(code)?;
            let signatures = HashMap::new();
            programs.insert(key.clone(), Program { program, signatures });
        }
        let known = programs.get_mut(&key).expect("it was just inserted");

        let name = code.name;
        let kernel = core::create_kernel(&known.program, name)
            .map_err(|error| no_kernel(code, &known.program, error))?;
        let signature = match known.signatures.get(name) {
            Some(signature) => Arc::clone(signature),
            None => {
                let asking = |error| {
                    refusal(&format!("Asking about the kernel {name}"), error)
                };
                let new = Arc::new(self.signature(&kernel).map_err(asking)?);
                known.signatures.insert(name.to_owned(), Arc::clone(&new));
                new
            }
        };
        Ok((kernel, signature))
    }

    fn compile(&self, code: Code) -> Result<core::Program, Error> {
        let Code { file, text, options, .. } = code;
        let text = CString::new(text).map_err(|_| {
            Error::Mistake(format!("{file} holds a byte 0, and C text cannot."))
        })?;
        let options = format!("{OPTIONS} {options}");
        let options = CString::new(options.trim_end()).map_err(|_| {
            Error::Mistake("A build option holds a byte 0.".into())
        })?;
        let compiling = |error| refusal(&format!("Compiling {file}"), error);
        let program = core::create_program_with_source(&self.context, &[text])
            .map_err(compiling)?;
        let built = core::build_program(
            &program,
            Some(&[self.info.id]),
            &options,
            None,
            None,
        );
        ledger::count(|counts| counts.builds += 1);
        // `ocl` takes a failure without a log for a success, so we ask.
        if built.is_ok() && self.build_status_is_good(&program) {
            return Ok(program);
        }
        let log = self.build_log(&program);
        let refused = built.err().filter(|error| error.api_status().is_some());
        match refused {
            // Refused for another reason than the text, which has no log.
            Some(error) if log.is_empty() => Err(compiling(error)),
            _ => Err(Error::Build { sentence: complaint(file, &log), log }),
        }
    }

    fn build_status_is_good(&self, program: &core::Program) -> bool {
        let what = ProgramBuildInfo::BuildStatus;
        let answer = core::get_program_build_info(program, self.info.id, what);
        use ProgramBuildInfoResult::BuildStatus;
        matches!(answer, Ok(BuildStatus(ProgramBuildStatus::Success)))
    }

    fn build_log(&self, program: &core::Program) -> String {
        let what = ProgramBuildInfo::BuildLog;
        core::get_program_build_info(program, self.info.id, what)
            .map(|log| log.to_string().trim().to_owned())
            .unwrap_or_default()
    }

    fn signature(
        &self,
        kernel: &core::Kernel,
    ) -> Result<Signature, core::Error> {
        let of_group =
            |what| core::get_kernel_work_group_info(kernel, self.info.id, what);
        use KernelWorkGroupInfo::{
            CompileWorkGroupSize, LocalMemSize, WorkGroupSize,
        };
        use KernelWorkGroupInfoResult as Answer;
        let count = match core::get_kernel_info(kernel, KernelInfo::NumArgs)? {
            KernelInfoResult::NumArgs(count) => count,
            _ => unreachable!("an answer to another question"),
        };
        Ok(Signature {
            parameters: (0..count)
                .map(|index| self.parameter(kernel, index).ok())
                .collect(),
            max_work_group: match of_group(WorkGroupSize)? {
                Answer::WorkGroupSize(size) => size,
                _ => self.info.max_work_group,
            },
            required_local: match of_group(CompileWorkGroupSize)? {
                Answer::CompileWorkGroupSize(size) => size,
                _ => [0; 3],
            },
            local_memory: match of_group(LocalMemSize)? {
                Answer::LocalMemSize(bytes) => bytes,
                _ => 0,
            },
        })
    }

    fn parameter(
        &self,
        kernel: &core::Kernel,
        index: u32,
    ) -> Result<Parameter, core::Error> {
        let versions = [self.info.opencl];
        let ask = |what| {
            core::get_kernel_arg_info(kernel, index, what, Some(&versions))
        };
        Ok(Parameter {
            name: ask(KernelArgInfo::Name)?.to_string(),
            type_name: ask(KernelArgInfo::TypeName)?
                .to_string()
                .replace("unsigned int", "uint"),
            address: match ask(KernelArgInfo::AddressQualifier)? {
                KernelArgInfoResult::AddressQualifier(address) => address,
                _ => unreachable!("an answer to another question"),
            },
            constant: match ask(KernelArgInfo::TypeQualifier)? {
                KernelArgInfoResult::TypeQualifier(qualifier) => {
                    qualifier.contains(KernelArgTypeQualifier::CONST)
                }
                _ => unreachable!("an answer to another question"),
            },
        })
    }
}

fn no_kernel(code: Code, program: &core::Program, error: core::Error) -> Error {
    let Code { file, name, .. } = code;
    let names = core::get_program_info(program, ProgramInfo::KernelNames);
    match (error.api_status(), names) {
        (Some(Status::CL_INVALID_KERNEL_NAME), Ok(names)) => {
            let names = match names.to_string() {
                none if none.is_empty() => "none at all".to_owned(),
                // PoCL hides a kernel that is named like a function of the
                // language behind a prefix.
                names => names.replace(';', ", ").replace("_cl_", ""),
            };
            Error::Mistake(format!(
                "{file} has no kernel `{name}`; it has {names}. (A kernel \
                 named like a function of the language, such as exp or max, \
                 compiles and then does not exist.)"
            ))
        }
        _ => refusal(&format!("Looking for `{name}` in {file}"), error),
    }
}

/// The language of the book, and the names and types of the parameters, which
/// a driver may otherwise forget.
const OPTIONS: &str = "-cl-std=CL1.2 -cl-kernel-arg-info";

/// The first complaint of a build log with its line: compilers write
/// `FILE:LINE:COLUMN: error: WORDS`, with a file name of their own.
fn complaint(file: &str, log: &str) -> String {
    for line in log.lines() {
        let Some((place, words)) = line.split_once("error: ") else {
            continue;
        };
        let mut numbers =
            line.split(':').filter_map(|part| part.trim().parse::<u32>().ok());
        let words = match place.trim().is_empty() {
            // PoCL writes `error: FILE:LINE:COLUMN: WORDS`.
            true => words.rsplit_once(": ").map_or(words, |(_, last)| last),
            false => words,
        };
        return match numbers.next() {
            Some(number) => format!("{file}:{number}: {words}"),
            None => format!("{file}: {words}"),
        };
    }
    match log.lines().next() {
        Some(line) => format!("{file} does not compile: {line}"),
        None => {
            format!("{file} does not compile; the driver does not say why.")
        }
    }
}
