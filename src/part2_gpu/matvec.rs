//! Two matrix-vector products, which differ in which items read which
//! elements; the chapter "Neighbors" measures them.

use super::kernels;
use crate::opencl::{Buffer, Kernel, Launch};

/// A kernel, and how it partitions the rows.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// The kernel. Arguments: `a, v, out, m, k`.
    pub kernel: Kernel,
    /// The number of work-items per row.
    pub team: usize,
}

/// One item walks along each row.
pub const ROWS: Variant = Variant { kernel: kernels::MATVEC_ROWS, team: 1 };

/// The items of a team read adjacent elements of a row.
pub const TEAMS: Variant = Variant { kernel: kernels::MATVEC_TEAMS, team: 32 };

impl Variant {
    /// Prepares a launch of `(m, k) x (k) -> (m)` on the device of the
    /// buffers, in groups of 256 items.
    pub fn launch<'a>(
        &'a self,
        a: &'a Buffer<f32>,
        v: &'a Buffer<f32>,
        out: &'a Buffer<f32>,
        [m, k]: [usize; 2],
    ) -> Launch<'a> {
        let launch = a
            .gpu()
            .launch(&self.kernel)
            .input(a)
            .input(v)
            .output(out)
            .scalar(m as u32)
            .scalar(k as u32);
        match self.team {
            1 => launch.global(m).local(256),
            team => launch.global([team, m]).local([team, 256 / team]),
        }
    }
}
