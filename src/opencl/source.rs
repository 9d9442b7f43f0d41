//! The text of a kernel, and what this crate knows of it before a device
//! compiles it.

use super::reach::Reach;

/// A kernel that is compiled into this crate, one of the lists that the parts
/// keep.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    file: &'static str,
    text: &'static str,
    name: &'static str,
    options: &'static str,
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
        reach: Reach,
    ) -> Kernel {
        Kernel { file, text, name, options: "", reach }
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

    /// Returns what the compiler is told.
    pub fn options(&self) -> &'static str {
        self.options
    }

    pub(super) fn code(&self) -> Code<'static> {
        let Kernel { file, text, name, options, reach } = *self;
        Code { file, text, name, options, reach: Some(reach) }
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

/// The kernel `$name` of the file `$file` under `kernels/`, and its reach.
macro_rules! kernel {
    ($file:literal, $name:expr, $reach:expr) => {
        // SAFETY: its file guards each access by the sizes that it is given,
        // and the tests of reach launch it with random ones.
        unsafe {
            $crate::opencl::Kernel::new(
                concat!("kernels/", $file),
                include_str!(concat!(
                    env!("CARGO_MANIFEST_DIR"),
                    "/kernels/",
                    $file
                )),
                $name,
                $reach,
            )
        }
    };
}

pub(crate) use kernel;
