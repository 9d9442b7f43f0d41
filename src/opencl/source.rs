//! The text of a kernel, and what this crate knows of it before a device
//! compiles it.

use super::reach::{Given, Reach, Reached};

/// A kernel that is compiled into this crate, one of the lists that the parts
/// keep.
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
    /// Makes a kernel; [`kernel!`](super::kernel) takes the text from its
    /// file.
    ///
    /// # Safety
    ///
    /// Whatever arguments and sizes it is launched with, the kernel touches
    /// no more of each buffer than `reach` says of them, has no races, and
    /// all its work-items come to an end. A list of kernels is tested for
    /// this by being named in `tests/opencl/reach.rs`.
    pub(crate) const unsafe fn new(
        file: &'static str,
        text: &'static str,
        name: &'static str,
        reach: fn(&Given) -> Option<Reached>,
    ) -> Kernel {
        let reach = Reach::Computed(reach);
        let (options, types, holds) = ("", "", "");
        Kernel { file, text, name, options, types, holds, reach }
    }

    /// Makes a kernel of a text that was written here, whose sizes all stand in
    /// it.
    ///
    /// # Safety
    ///
    /// That of [`new`](Self::new).
    pub(super) unsafe fn written(
        name: &'static str,
        text: &'static str,
        holds: &'static str,
        reach: &'static [u64],
    ) -> Kernel {
        let reach = Reach::Fixed(reach);
        let (file, options, types) = ("a written kernel", "", "");
        Kernel { file, text, name, options, types, holds, reach }
    }

    /// Compiles the same kernel with options: `-D TILE=16`. What it promised
    /// holds with them too.
    ///
    /// # Safety
    ///
    /// That of [`new`](Self::new).
    pub(crate) const unsafe fn with_options(
        self,
        options: &'static str,
    ) -> Kernel {
        Kernel { options, ..self }
    }

    /// Compiles the same kernel for numbers of other types, which options
    /// say. What it promised counts elements, and holds for them too.
    ///
    /// # Safety
    ///
    /// That of [`new`](Self::new).
    pub(crate) const unsafe fn with_types(self, types: &'static str) -> Kernel {
        Kernel { types, ..self }
    }

    /// Returns the file, from the root of the repository.
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

    /// Returns the operations that a written kernel holds, those of a shape
    /// together: `add, relu [512, 256]; sum [512]`. A kernel that nobody wrote
    /// while the program ran holds none but its own.
    pub fn holds(&self) -> &'static str {
        self.holds
    }

    /// Returns how many values of each buffer a written kernel reaches, in the
    /// order of its arguments.
    pub fn written_reach(&self) -> Option<&'static [u64]> {
        match self.reach {
            Reach::Fixed(reach) => Some(reach),
            Reach::Computed(_) => None,
        }
    }

    /// Returns what the compiler is told.
    pub fn options(&self) -> &'static str {
        self.options
    }

    /// Returns what it is told of the types of the numbers.
    pub fn types(&self) -> &'static str {
        self.types
    }

    pub(super) fn code(&self) -> Code<'static> {
        let Kernel { file, text, name, options, types, holds, reach } = *self;
        let reach = Some(reach);
        Code { file, text, name, options, types, holds, reach }
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
    /// Makes a source of the kernel `name` in `text`. `file` is what errors
    /// call the text.
    pub fn new(file: &str, text: &str, name: &str) -> Source {
        Source {
            file: file.to_owned(),
            text: text.to_owned(),
            name: name.to_owned(),
            options: String::new(),
        }
    }

    /// Sets options for the compiler: `-D TILE=16`.
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

/// What a launch needs to know of a [`Kernel`] or a [`Source`].
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
    /// Joins what the compiler is told.
    pub(super) fn all_options(&self) -> String {
        format!("{} {}", self.types, self.options).trim().to_owned()
    }
}

/// The kernel `$name` of the file `$file` under `kernels/`, and its reach. What
/// several files need may stand in one that is put in front of them.
macro_rules! kernel {
    ($file:literal, $name:expr, $reach:expr) => {
        $crate::opencl::kernel!($file, "", $name, $reach)
    };
    ($file:literal, $front:expr, $name:expr, $reach:expr) => {
        // SAFETY: its file guards each access by the sizes that it is given,
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
