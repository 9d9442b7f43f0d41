//! A generated kernel in a build without OpenCL: a text that can be read, but
//! not launched.

/// A generated kernel, with the interface of `opencl::GeneratedKernel`.
#[derive(Clone, Debug)]
pub struct GeneratedKernel {
    name: String,
    text: String,
    reach: Vec<u64>,
}

impl GeneratedKernel {
    /// Creates a kernel from a text, and the number of values that it accesses
    /// in each buffer.
    pub(super) fn new(
        name: String,
        text: String,
        _operations: String,
        reach: Vec<u64>,
    ) -> GeneratedKernel {
        GeneratedKernel { name, text, reach }
    }

    /// Returns the text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the kernel's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns how many values it accesses in each buffer, in argument order.
    pub fn reach(&self) -> &[u64] {
        &self.reach
    }
}
