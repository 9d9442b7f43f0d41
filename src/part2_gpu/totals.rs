//! Six ways to sum an array, each with one idea more than the one before.
//! "How fast is a sum?" measures them; [`Tensor::sum`] uses the third.
//!
//! [`Tensor::sum`]: super::Tensor::sum

use super::kernels;
use crate::error::Result;
use crate::opencl::{Buffer, Gpu, Kernel, Launch};

/// The size of a work-group.
const GROUP: usize = 256;
/// Maximum number of groups if an item adds up many values. It fills a device
/// of 128 compute units that run 8 groups each. It is the same on every
/// device, so that the bits of the result are, too.
const MAX_GROUPS: usize = 1024;
/// Minimum number of values per item, if an item adds up many.
const MIN_VALUES_PER_ITEM: usize = 16;

/// A way to sum an array: a kernel, and how its groups divide the work.
#[derive(Clone, Copy, Debug)]
pub struct SumMethod {
    /// The kernel.
    pub kernel: Kernel,
    strategy: Strategy,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Strategy {
    /// An item has one value; the partial sums of the groups are summed by
    /// another launch.
    OnePerItem,
    /// An item adds up many values; the partial sums are summed as in
    /// `OnePerItem`.
    ManyPerItem,
    /// The groups add their sums to one total.
    AtomicTotal,
    /// The last group adds up the partial sums of all groups.
    LastGroup,
}

/// The methods, from the simplest to the fastest.
pub const SUM_METHODS: [SumMethod; 6] = [
    method(kernels::REDUCE_INTERLEAVED, Strategy::OnePerItem),
    method(kernels::REDUCE_PACKED, Strategy::OnePerItem),
    method(kernels::REDUCE_SUM, Strategy::OnePerItem),
    method(kernels::REDUCE_COARSE, Strategy::ManyPerItem),
    method(kernels::REDUCE_ATOMIC, Strategy::AtomicTotal),
    method(kernels::REDUCE_LAST, Strategy::LastGroup),
];

const fn method(kernel: Kernel, strategy: Strategy) -> SumMethod {
    SumMethod { kernel, strategy }
}

/// The buffers that the launches of a sum write, allocated once for all of its
/// runs.
#[doc(hidden)]
pub struct SumBuffers {
    /// The partial sums that each launch but the first reads.
    stages: Vec<Buffer<f32>>,
    total: Buffer<f32>,
    finished: Buffer<u32>,
}

impl SumBuffers {
    /// Returns the buffer of the sum, which is valid once the launches have
    /// run.
    pub fn total(&self) -> &Buffer<f32> {
        &self.total
    }
}

impl SumMethod {
    /// Returns the number of groups of a launch over `n` values.
    fn groups(&self, n: usize) -> usize {
        match self.strategy {
            Strategy::OnePerItem => n.div_ceil(GROUP).max(1),
            _ => n.div_ceil(GROUP * MIN_VALUES_PER_ITEM).clamp(1, MAX_GROUPS),
        }
    }

    /// Allocates the buffers that the launches over `n` values write.
    pub fn buffers(&self, gpu: &Gpu, n: usize) -> Result<SumBuffers> {
        let mut stages = vec![];
        let mut left = self.groups(n);
        match self.strategy {
            Strategy::AtomicTotal => {}
            Strategy::LastGroup => stages.push(gpu.allocate(left)?),
            Strategy::OnePerItem | Strategy::ManyPerItem => {
                while left > 1 {
                    stages.push(gpu.allocate(left)?);
                    left = self.groups(left);
                }
            }
        }
        let (total, finished) = (gpu.upload(&[0.0])?, gpu.upload(&[0])?);
        Ok(SumBuffers { stages, total, finished })
    }

    /// Prepares the launches that sum the elements of `a`, in order.
    pub fn launches<'a>(
        &'a self,
        a: &'a Buffer<f32>,
        buffers: &'a SumBuffers,
    ) -> Vec<Launch<'a>> {
        let (gpu, n) = (a.gpu(), a.len());
        let items = self.groups(n) * GROUP;
        let begin = |kernel| gpu.launch(kernel).global(items).local(GROUP);
        match self.strategy {
            Strategy::LastGroup => vec![
                begin(&self.kernel)
                    .input(a)
                    .output(&buffers.stages[0])
                    .output(&buffers.total)
                    .output(&buffers.finished)
                    .scalar(n as u32),
            ],
            Strategy::AtomicTotal => vec![
                gpu.launch(&kernels::EW_FILL)
                    .output(&buffers.total)
                    .scalar(0.0_f32)
                    .scalar(1_u32)
                    .global(1)
                    .local(1),
                begin(&self.kernel)
                    .input(a)
                    .output(&buffers.total)
                    .scalar(n as u32),
            ],
            Strategy::OnePerItem | Strategy::ManyPerItem => {
                let inputs = [a].into_iter().chain(&buffers.stages);
                let outputs = buffers.stages.iter().chain([&buffers.total]);
                let stages = inputs.zip(outputs);
                stages.map(|(from, to)| self.stage(from, to)).collect()
            }
        }
    }

    /// Prepares the launch of one stage.
    fn stage<'a>(
        &'a self,
        from: &'a Buffer<f32>,
        to: &'a Buffer<f32>,
    ) -> Launch<'a> {
        let launch = from.gpu().launch(&self.kernel).input(from).output(to);
        let launch = launch.scalar(from.len() as u32);
        launch.global(self.groups(from.len()) * GROUP).local(GROUP)
    }
}
