//! Launches of kernels that were written for the lazy device.

use std::sync::Arc;

use smallvec::SmallVec;

use super::super::downcast;
use super::pooled::{Places, Pooled};
use super::{DType, OpenCl, Shared};
use crate::error::Result;
use crate::opencl::Written;

impl OpenCl {
    /// Runs a written kernel on buffers, and makes storages of its results.
    pub(in super::super) fn run_written<'a>(
        &self,
        written: &Written,
        places: impl Iterator<Item = &'a Places>,
        inputs: &[Shared],
        lengths: impl Iterator<Item = usize>,
        numbers: impl Iterator<Item = f32>,
    ) -> Result<SmallVec<[Shared; 4]>> {
        let mut outputs: SmallVec<[Pooled; 4]> = SmallVec::new();
        for length in lengths {
            outputs.push(self.take(DType::F32, length)?);
        }
        let launch = self.gpu.launch(&written.kernel);
        let launch = places.fold(launch, |it, to| it.input(to.buffer()));
        let inputs = inputs.iter().map(|it| downcast::<Pooled>(&**it));
        let launch = inputs.fold(launch, |it, from| it.input(from.buffer()));
        let buffers = outputs.iter().map(Pooled::buffer);
        let launch = buffers.fold(launch, |it, to| it.output(to));
        numbers
            .fold(launch, |it, number| it.scalar(number))
            .global(written.global)
            .local(written.local)
            .run()?;
        let shared = outputs.into_iter();
        Ok(shared.map(|out| Arc::new(out) as Shared).collect())
    }
}
