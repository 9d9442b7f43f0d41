//! The ladder: kernels that all multiply matrices, each with one idea more
//! than the one before. Chapter 18 climbs it.

use super::Tensor;
use crate::error::Error;
use crate::opencl::{Buffer, Event, Kernel, kernels};

/// A kernel of the ladder, and how it shares out the elements of the result.
#[derive(Clone, Copy, Debug)]
pub struct Rung {
    /// The kernel: arguments `a, b, out, m, k, n`.
    pub kernel: Kernel,
    /// The rows and columns of the result that one group computes.
    pub tile: [usize; 2],
    /// The work-items of a group, in the kernel's two dimensions.
    pub group: [usize; 2],
    /// Whether the kernel's first dimension runs down the rows.
    pub rows_first: bool,
}

/// From the ground up.
pub const LADDER: [Rung; 3] = [
    Rung {
        kernel: kernels::MATMUL1_NAIVE,
        tile: [16, 16],
        group: [16, 16],
        rows_first: true,
    },
    Rung {
        kernel: kernels::MATMUL2_COALESCED,
        tile: [16, 16],
        group: [16, 16],
        rows_first: false,
    },
    Rung {
        kernel: kernels::MATMUL3_TILED,
        tile: [16, 16],
        group: [16, 16],
        rows_first: false,
    },
];

impl Rung {
    /// Starts `(m, k) x (k, n)` on the device of the buffers: as many groups
    /// as tiles cover the result.
    pub fn launch(
        &self,
        a: &Buffer<f32>,
        b: &Buffer<f32>,
        out: &Buffer<f32>,
        [m, k, n]: [usize; 3],
    ) -> Result<Event, Error> {
        let down = m.div_ceil(self.tile[0]);
        let across = n.div_ceil(self.tile[1]);
        let groups =
            if self.rows_first { [down, across] } else { [across, down] };
        let items = [0, 1].map(|d| groups[d] * self.group[d]);
        a.gpu()
            .launch(&self.kernel)
            .input(a, m * k)
            .input(b, k * n)
            .output(out, m * n)
            .scalar(m as u32)
            .scalar(k as u32)
            .scalar(n as u32)
            .global(items)
            .local(self.group)
            .run()
    }
}

/// The product of two matrices, `(m, k) x (k, n)`. The caller has compared
/// the shapes.
pub(super) fn product(a: &Tensor, b: &Tensor) -> Result<Tensor, Error> {
    let (m, k, n) = (a.shape()[0], a.shape()[1], b.shape()[1]);
    let out = a.gpu().allocate((m * n).max(1))?;
    if m * n > 0 {
        LADDER[2].launch(a.buffer(), b.buffer(), &out, [m, k, n])?;
    }
    Ok(Tensor::plain(a.gpu(), &[m, n], out))
}
