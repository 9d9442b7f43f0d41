//! Six ways to add up everything, each with an idea more than the one before.
//! "Reductions and barriers" times them; [`Tensor::sum`] takes the third.
//!
//! [`Tensor::sum`]: super::Tensor::sum

use super::kernels;
use crate::error::Result;
use crate::opencl::{Buffer, Gpu, Kernel, Launch};

/// The items of a group.
const GROUP: usize = 256;
/// So many groups at most, where an item adds up many numbers. A device of 128
/// units with 8 places each is full then, and it is the same number on every
/// device, so that the bits are the same.
const GROUPS: usize = 1024;
/// So many numbers at least for an item of these.
const SHARE: usize = 16;

/// A kernel, and how its groups share the work.
#[derive(Clone, Copy, Debug)]
pub struct Rung {
    /// The kernel.
    pub kernel: Kernel,
    way: Way,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    /// An item has a number; what the groups leave is added up by another
    /// launch.
    One,
    /// An item has many; else as above.
    Many,
    /// The groups add to one total.
    Atomic,
    /// The last group adds up what all have left.
    Last,
}

/// From the ground up.
pub const LADDER: [Rung; 6] = [
    Rung { kernel: kernels::REDUCE_INTERLEAVED, way: Way::One },
    Rung { kernel: kernels::REDUCE_PACKED, way: Way::One },
    Rung { kernel: kernels::REDUCE_SUM, way: Way::One },
    Rung { kernel: kernels::REDUCE_COARSE, way: Way::Many },
    Rung { kernel: kernels::REDUCE_ATOMIC, way: Way::Atomic },
    Rung { kernel: kernels::REDUCE_LAST, way: Way::Last },
];

/// What the launches of a sum write, allocated once for all of its runs.
pub struct Room {
    /// The numbers that each launch finds, the first apart.
    stages: Vec<Buffer<f32>>,
    total: Buffer<f32>,
    finished: Buffer<u32>,
}

impl Room {
    /// Returns the buffer of the sum, once the launches have run.
    pub fn total(&self) -> &Buffer<f32> {
        &self.total
    }
}

impl Rung {
    /// Counts the groups of a launch over `n` numbers.
    fn groups(&self, n: usize) -> usize {
        match self.way {
            Way::One => n.div_ceil(GROUP).max(1),
            _ => n.div_ceil(GROUP * SHARE).clamp(1, GROUPS),
        }
    }

    /// Allocates what the launches over `n` numbers write.
    pub fn room(&self, gpu: &Gpu, n: usize) -> Result<Room> {
        let mut stages = vec![];
        let mut left = self.groups(n);
        match self.way {
            Way::Atomic => {}
            Way::Last => stages.push(gpu.allocate(left)?),
            Way::One | Way::Many => {
                while left > 1 {
                    stages.push(gpu.allocate(left)?);
                    left = self.groups(left);
                }
            }
        }
        let (total, finished) = (gpu.upload(&[0.0])?, gpu.upload(&[0])?);
        Ok(Room { stages, total, finished })
    }

    /// Prepares the launches that add up the numbers of `a`, in their order.
    pub fn launches<'a>(
        &'a self,
        a: &'a Buffer<f32>,
        room: &'a Room,
    ) -> Vec<Launch<'a>> {
        let (gpu, n) = (a.gpu(), a.len());
        let items = self.groups(n) * GROUP;
        let begin = |kernel| gpu.launch(kernel).global(items).local(GROUP);
        match self.way {
            Way::Last => vec![
                begin(&self.kernel)
                    .input(a)
                    .output(&room.stages[0])
                    .output(&room.total)
                    .output(&room.finished)
                    .scalar(n as u32),
            ],
            Way::Atomic => vec![
                gpu.launch(&kernels::EW_FILL)
                    .output(&room.total)
                    .scalar(0.0_f32)
                    .scalar(1_u32)
                    .global(1)
                    .local(1),
                begin(&self.kernel)
                    .input(a)
                    .output(&room.total)
                    .scalar(n as u32),
            ],
            Way::One | Way::Many => {
                let starts = [a].into_iter().chain(&room.stages);
                let tos = room.stages.iter().chain([&room.total]);
                starts.zip(tos).map(|(from, to)| self.stage(from, to)).collect()
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
