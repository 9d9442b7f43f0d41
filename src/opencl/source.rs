//! The source of a kernel, before a device compiles it.

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
    holds: &'static str,
    reach: Reach,
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
        let reach = Reach::Computed(reach);
        let (options, types, holds) = ("", "", "");
        Kernel { file, text, name, options, types, holds, reach }
    }

    /// Creates a kernel from a generated text that contains all its sizes.
    ///
    /// # Safety
    ///
    /// As for [`new`](Self::new).
    pub(crate) unsafe fn written(
        name: &'static str,
        text: &'static str,
        holds: &'static str,
        reach: &'static [u64],
    ) -> Kernel {
        let reach = Reach::Fixed(reach);
        let (file, options, types) = ("a written kernel", "", "");
        Kernel { file, text, name, options, types, holds, reach }
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

    /// Returns the operations that a generated kernel contains, grouped by
    /// shape: `add, relu [512, 256]; sum [512]`. For any other kernel the
    /// string is empty.
    pub fn holds(&self) -> &'static str {
        self.holds
    }

    /// Returns the reach of a generated kernel: how many values it accesses in
    /// each buffer, in argument order.
    pub fn written_reach(&self) -> Option<&'static [u64]> {
        match self.reach {
            Reach::Fixed(reach) => Some(reach),
            Reach::Computed(_) => None,
        }
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
        let Kernel { file, text, name, options, types, holds, reach } = *self;
        let reach = Some(reach);
        Code { file, text, name, options, types, holds, reach }
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
            holds: "",
            reach: None,
        }
    }
}

/// The common form of a [`Kernel`] and a [`Source`], as a launch needs it.
#[derive(Clone, Copy)]
pub(super) struct Code<'a> {
    pub(super) file: &'a str,
    pub(super) text: &'a str,
    pub(super) name: &'a str,
    pub(super) options: &'a str,
    pub(super) types: &'a str,
    pub(super) holds: &'a str,
    pub(super) reach: Option<Reach>,
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
