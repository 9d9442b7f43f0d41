//! The source of a kernel, before a device compiles it.

use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use super::program::CompiledKernel;
use super::reach::{LaunchArgs, Reach, Reached};

/// A kernel that is compiled into this crate; each part has a list of its
/// kernels.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    file: &'static str,
    text: &'static str,
    name: &'static str,
    options: &'static str,
    types: &'static str,
    reach: fn(&LaunchArgs) -> Option<Reached>,
}

impl Kernel {
    /// Creates a kernel; [`kernel!`](super::kernel) reads the text from its
    /// file.
    ///
    /// # Safety
    ///
    /// Whatever arguments and sizes it is launched with, the kernel accesses
    /// no more of each buffer than `reach` returns for them, has no races, and
    /// all its work-items terminate. A list of kernels is tested for this by
    /// being named in `tests/opencl/reach.rs`.
    pub(crate) const unsafe fn new(
        file: &'static str,
        text: &'static str,
        name: &'static str,
        reach: fn(&LaunchArgs) -> Option<Reached>,
    ) -> Kernel {
        let (options, types) = ("", "");
        Kernel { file, text, name, options, types, reach }
    }

    /// Returns the same kernel with compiler options, such as `-D TILE=16`.
    /// Its promises must hold with them too.
    ///
    /// # Safety
    ///
    /// As for [`new`](Self::new).
    pub(crate) const unsafe fn with_options(
        self,
        options: &'static str,
    ) -> Kernel {
        Kernel { options, ..self }
    }

    /// Returns the same kernel for other element types, which are set by
    /// compiler options. Its reach counts elements, and must hold for these
    /// types too.
    ///
    /// # Safety
    ///
    /// As for [`new`](Self::new).
    pub(crate) const unsafe fn with_types(self, types: &'static str) -> Kernel {
        Kernel { types, ..self }
    }

    /// Returns the path of the file, relative to the root of the repository.
    pub fn file(&self) -> &'static str {
        self.file
    }

    /// Returns the text of the file.
    pub fn text(&self) -> &'static str {
        self.text
    }

    /// Returns the kernel's name in the file.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the compiler options.
    pub fn options(&self) -> &'static str {
        self.options
    }

    /// Returns the compiler options that set the element types.
    pub fn types(&self) -> &'static str {
        self.types
    }

    pub(super) fn code(&self) -> Code<'static> {
        let Kernel { file, text, name, options, types, reach } = *self;
        let (reach, generated) = (Reach::Computed(reach), None);
        Code { file, text, name, options, types, reach, generated }
    }
}

/// A kernel whose text was generated while the program runs. The text and what
/// was compiled from it are freed with the last clone.
#[derive(Clone, Debug)]
pub struct GeneratedKernel(Arc<Generated>);

pub(super) struct Generated {
    text: String,
    name: String,
    pub(super) operations: String,
    reach: Vec<u64>,
    /// Compiled for the device that launched it first, which has this index.
    pub(super) compiled: OnceLock<(usize, Arc<CompiledKernel>)>,
}

/// The generated kernels, oldest first.
static GENERATED: Mutex<Vec<Weak<Generated>>> = Mutex::new(Vec::new());

impl GeneratedKernel {
    /// Creates a kernel from a text that contains all its sizes, or returns
    /// the kernel that already has this text. `operations` describes what it
    /// computes, and `reach` says how many values it accesses in each buffer.
    ///
    /// # Safety
    ///
    /// As for [`Kernel::new`].
    pub(crate) unsafe fn new(
        name: String,
        text: String,
        operations: String,
        reach: Vec<u64>,
    ) -> GeneratedKernel {
        let mut all = GENERATED.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|kernel| kernel.strong_count() > 0);
        let known = all.iter().filter_map(Weak::upgrade).find(|known| {
            known.text == text
                && known.reach == reach
                && known.operations == operations
        });
        let kernel = known.unwrap_or_else(|| {
            let compiled = OnceLock::new();
            let kernel = Generated { text, name, operations, reach, compiled };
            let kernel = Arc::new(kernel);
            all.push(Arc::downgrade(&kernel));
            kernel
        });
        GeneratedKernel(kernel)
    }

    /// Returns the generated kernels that have not been freed, oldest first.
    pub fn all() -> Vec<GeneratedKernel> {
        let all = GENERATED.lock().unwrap_or_else(PoisonError::into_inner);
        let alive = all.iter().filter_map(Weak::upgrade);
        alive.map(GeneratedKernel).collect()
    }

    /// Returns the text.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// Returns the kernel's name.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Returns how many values it accesses in each buffer, in argument order.
    pub fn reach(&self) -> &[u64] {
        &self.0.reach
    }

    pub(super) fn code(&self) -> Code<'_> {
        Code {
            file: "a generated kernel",
            text: &self.0.text,
            name: &self.0.name,
            options: "",
            types: "",
            reach: Reach::Fixed(&self.0.reach),
            generated: Some(&self.0),
        }
    }
}

impl fmt::Debug for Generated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// A kernel from any other source, such as a learner's file or a string.
#[derive(Clone, Debug)]
pub struct Source {
    file: String,
    text: String,
    name: String,
    options: String,
}

impl Source {
    /// Creates a source for the kernel `name` in `text`. `file` is the name
    /// that errors use for the text.
    pub fn new(file: &str, text: &str, name: &str) -> Source {
        Source {
            file: file.to_owned(),
            text: text.to_owned(),
            name: name.to_owned(),
            options: String::new(),
        }
    }

    /// Sets compiler options, such as `-D TILE=16`.
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
            types: "",
            reach: Reach::Unknown,
            generated: None,
        }
    }
}

/// The common form of a [`Kernel`], a [`GeneratedKernel`] and a [`Source`], as
/// a launch needs it.
#[derive(Clone, Copy)]
pub(super) struct Code<'a> {
    pub(super) file: &'a str,
    pub(super) text: &'a str,
    pub(super) name: &'a str,
    pub(super) options: &'a str,
    pub(super) types: &'a str,
    pub(super) reach: Reach<'a>,
    pub(super) generated: Option<&'a Generated>,
}

impl Code<'_> {
    /// Joins all compiler options.
    pub(super) fn all_options(&self) -> String {
        format!("{} {}", self.types, self.options).trim().to_owned()
    }

    /// Returns the names of the kernel's parameters, or `None` if the text
    /// does not declare the kernel by its name because a macro does.
    pub(super) fn parameter_names(&self) -> Option<Vec<String>> {
        let head = format!("kernel void {}(", self.name);
        let (_, declaration) = self.text.split_once(&head)?;
        let (parameters, _) = declaration.split_once(')')?;
        let name =
            |p: &str| p.rsplit([' ', '*', '\n']).next().map(str::to_owned);
        parameters.split(',').map(name).collect()
    }
}

/// Creates the kernel `$name` of the file `$file` under `kernels/`, with its
/// reach. `$front` is text that is put in front of the file.
macro_rules! kernel {
    ($file:literal, $name:expr, $reach:expr) => {
        $crate::opencl::kernel!($file, "", $name, $reach)
    };
    ($file:literal, $front:expr, $name:expr, $reach:expr) => {
        // SAFETY: the file guards each access by the sizes that it is given,
        // and the tests of reach launch it with random ones.
        unsafe {
            $crate::opencl::Kernel::new(
                concat!("kernels/", $file),
                concat!(
                    $front,
                    include_str!(concat!(
                        env!("CARGO_MANIFEST_DIR"),
                        "/kernels/",
                        $file
                    ))
                ),
                $name,
                $reach,
            )
        }
    };
}

pub(crate) use kernel;

#[cfg(test)]
mod tests {
    use super::*;

    /// Promise: A generated kernel is freed with the last schedule that uses
    /// it.
    #[test]
    fn generated_kernels_do_not_accumulate() {
        let generate = |n: usize| {
            let text = format!("kernel void k() {{ /* {n} */ }}");
            let operations = "a kernel of a test".to_owned();
            // SAFETY: it accesses no memory, and is not launched.
            unsafe {
                GeneratedKernel::new("k".into(), text, operations, vec![])
            }
        };
        let count = || {
            let all = GeneratedKernel::all();
            all.iter()
                .filter(|it| it.text().starts_with("kernel void k()"))
                .count()
        };
        let kept = generate(0);
        for n in 0..5000 {
            let kernel = generate(n);
            assert_eq!(Arc::ptr_eq(&kernel.0, &kept.0), n == 0);
            assert!(count() <= 2);
        }
        drop(kept);
        assert_eq!(count(), 0);
    }
}
