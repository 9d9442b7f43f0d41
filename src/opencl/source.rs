//! The text of a kernel, and what this crate knows of it before a device
//! compiles it.

use super::argument::Given;

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
