//! A matrix by a vector in two ways, which differ in who reads what;
//! "Neighbors" times them.

use super::kernels;
use crate::opencl::{Buffer, Kernel, Launch};

/// A kernel, and how it shares out the rows.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// The kernel: arguments `a, v, out, m, k`.
    pub kernel: Kernel,
    /// The work-items of a row.
    pub team: usize,
}

/// An item walks along each row.
pub const ROWS: Variant = Variant { kernel: kernels::MATVEC_ROWS, team: 1 };

/// A team of items reads each row side by side.
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
