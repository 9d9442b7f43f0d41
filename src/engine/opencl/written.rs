//! Launches of the kernels that are generated for the lazy device.

use std::sync::Arc;

use smallvec::SmallVec;

use super::pooled::{DeviceIndices, Pooled};
use super::{DType, OpenCl, Shared};
use crate::engine::lazy::compiler::Written;
use crate::error::Result;
use crate::part3_unified::downcast;

impl OpenCl {
    /// Launches a generated kernel and returns the storages of its results,
    /// which have these lengths.
    pub(crate) fn run_generated<'a>(
        &self,
        written: &Written,
        indices: impl Iterator<Item = &'a DeviceIndices>,
        inputs: &[Shared],
        lengths: impl Iterator<Item = usize>,
        numbers: impl Iterator<Item = f32>,
    ) -> Result<SmallVec<[Shared; 4]>> {
        let mut outputs: SmallVec<[Pooled; 4]> = SmallVec::new();
        for length in lengths {
            outputs.push(self.allocate(DType::F32, length)?);
        }
        let mut launch = self.gpu.launch_generated(&written.kernel);
        for list in indices {
            launch = launch.input(list.buffer());
        }
        for input in inputs {
            launch = launch.input(downcast::<Pooled>(&**input).buffer());
        }
        for output in &outputs {
            launch = launch.output(output.buffer());
        }
        for number in numbers {
            launch = launch.scalar(number);
        }
        launch.global(written.global).local(written.local).run()?;
        let shared = outputs.into_iter();
        Ok(shared.map(|out| Arc::new(out) as Shared).collect())
    }
}
