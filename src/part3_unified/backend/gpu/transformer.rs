//! Attention and norms: a launch for each.

use super::super::super::functions::attention as composed;
use super::super::super::kernels::{self, HEAD};
use super::super::DType;
use super::numbers::{Numbers, number_of};
use super::{Array, GROUP, Kernel, OpenCl, Shared};
use crate::error::Result;

/// So many groups are as many as are started.
const GROUPS: usize = 1 << 16;

/// Tells whether a group keeps a head of a text in its local memory.
fn is_short(a: &Array, heads: usize) -> bool {
    let (n, places, row) = (a.shape()[0], a.shape()[1], a.shape()[2]);
    let width = row / 3 / heads;
    let fits = places * width <= HEAD && places * places <= HEAD;
    let counted = heads <= HEAD && n * heads < 1 << 30 && a.len() < 1 << 31;
    fits && counted
}

impl OpenCl {
    /// Computes self-attention of short texts.
    pub(super) fn attend(&self, a: &Array, heads: usize) -> Result<Shared> {
        if !is_short(a, heads) {
            return composed::attend(a, heads);
        }
        let a = a.compact()?;
        let (n, places, row) = (a.shape()[0], a.shape()[1], a.shape()[2] / 3);
        let n = n * heads;
        self.fill(a.dtype(), a.len() / 3, |out| {
            self.launch(&kernels::ATTENTION_ROWS, a.dtype())
                .reads(&a)
                .scalar(a.offset() as u32)
                .scalar(places as u32)
                .scalar(heads as u32)
                .scalar((row / heads) as u32)
                .writes(out)
                .scalar(n as u32)
                .global(n.min(GROUPS) * GROUP)
                .local(GROUP)
                .run()
        })
    }

    /// Computes its gradient.
    pub(super) fn attend_back(
        &self,
        a: &Array,
        grad_out: &Array,
        heads: usize,
    ) -> Result<Shared> {
        // For six pieces of such numbers a group may have no room.
        if !is_short(a, heads) || a.dtype() == DType::F64 {
            return composed::attend_back(a, grad_out, heads);
        }
        let (a, grads) = (a.compact()?, grad_out.compact()?);
        let (n, places, row) = (a.shape()[0], a.shape()[1], a.shape()[2] / 3);
        let n = n * heads;
        self.fill(a.dtype(), a.len(), |out| {
            self.launch(&kernels::ATTENTION_GRADS, a.dtype())
                .reads(&a)
                .scalar(a.offset() as u32)
                .reads(&grads)
                .scalar(grads.offset() as u32)
                .scalar(places as u32)
                .scalar(heads as u32)
                .scalar((row / heads) as u32)
                .writes(out)
                .scalar(n as u32)
                .global(n.min(GROUPS) * GROUP)
                .local(GROUP)
                .run()
        })
    }

    /// Brings rows to mean 0 and variance 1, or computes what comes back to
    /// them, and then to their weight.
    pub(super) fn normed(
        &self,
        kernel: &Kernel,
        of: [&Array; 3],
        columns: usize,
        epsilon: f64,
    ) -> Result<Shared> {
        let of = [of[0].compact()?, of[1].compact()?, of[2].compact()?];
        let (n, dtype) = (of[0].len() / columns, of[0].dtype());
        let grads = kernel.name() == kernels::NORM_GRADS.name();
        let [global, local] = self.units().teams(n, columns);
        let count = if grads { 2 * n * columns } else { n * columns };
        self.fill(dtype, count, |out| {
            let mut launch = self.launch(kernel, dtype);
            for a in &of {
                launch = launch.reads(a).scalar(a.offset() as u32);
            }
            launch
                .scalar(columns as u32)
                .scalar(number_of(dtype, epsilon))
                .writes(out)
                .scalar(n as u32)
                .global(global)
                .local(local)
                .run()
        })
    }
}
