//! Attention and norms: a launch for each, and two for the way back of a norm
//! or of a long text.

use std::sync::Arc;

use super::super::super::functions::attention as composed;
use super::super::super::kernels::{
    self, HEAD, HEAD_ITEMS, HEAD_MEMORY, HEAD_ROW, HEAD_TILE, Types,
};
use super::super::DType;
use super::numbers::{Numbers, number_of};
use super::stages::TALL;
use super::{Array, GROUP, Kernel, Launch, OpenCl, Reduce, Shared};
use crate::error::Result;

/// So many groups are as many as are started.
const GROUPS: usize = 1 << 16;

/// Tells whether a group keeps a head of a text in its local memory.
fn is_short(a: &Array, heads: usize) -> bool {
    let (places, row) = (a.shape()[1], a.shape()[2]);
    let width = row / 3 / heads;
    let fits = places * width <= HEAD && places * places <= HEAD;
    fits && heads <= HEAD && a.len() < 1 << 31
}

/// Counts the tiles of all heads.
fn tiles(a: &Array, n: usize) -> usize {
    n * a.shape()[1].div_ceil(HEAD_TILE)
}

impl OpenCl {
    /// Computes self-attention: of short texts a head in a group, of long ones
    /// tile by tile.
    pub(super) fn attend(&self, a: &Array, heads: usize) -> Result<Shared> {
        let a = a.compact()?;
        let short = is_short(&a, heads);
        if !short && !self.takes_long(&[&a], heads) {
            return composed::attend(&a, heads);
        }
        let (n, places, row) = (a.shape()[0], a.shape()[1], a.shape()[2] / 3);
        let n = n * heads;
        let (kernel, groups, items) = match short {
            true => (&kernels::ATTENTION_ROWS, n, GROUP),
            false => (&kernels::ATTENTION_LONG_ROWS, tiles(&a, n), HEAD_ITEMS),
        };
        self.fill(a.dtype(), a.len() / 3, |out| {
            self.launch(kernel, a.dtype())
                .reads(&a)
                .scalar(a.offset() as u32)
                .scalar(places as u32)
                .scalar(heads as u32)
                .scalar((row / heads) as u32)
                .writes(out)
                .scalar(n as u32)
                .global(groups.min(GROUPS) * items)
                .local(items)
                .run()
        })
    }

    /// Tells whether the kernels of long texts take these. A row of a head is
    /// read by fours, and a group keeps tiles in its local memory.
    fn takes_long(&self, of: &[&Array], heads: usize) -> bool {
        let width = of[0].shape()[2] / 3 / heads;
        let fits = width <= HEAD_ROW && width.is_multiple_of(4);
        let are_fours = of.iter().all(|it| it.offset().is_multiple_of(4));
        let counted = heads <= HEAD && of[0].len() < 1 << 30;
        let memory = self.gpu.info().local_memory >= HEAD_MEMORY;
        let dtype = of[0].dtype();
        fits && are_fours && counted && memory && dtype != DType::F64
    }

    /// Computes its gradient.
    pub(super) fn attend_back(
        &self,
        [a, seen, grad_out]: [&Array; 3],
        heads: usize,
    ) -> Result<Shared> {
        let (a, grads) = (a.compact()?, grad_out.compact()?);
        // For six pieces of such numbers a group may have no room.
        if !is_short(&a, heads) || a.dtype() == DType::F64 {
            let of = [&a, &seen.compact()?, &grads];
            return match self.takes_long(&of, heads) {
                true => self.attend_long_back(of, heads),
                false => composed::attend_back(&a, &grads, heads),
            };
        }
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

    /// Computes the gradient of long texts: that of the queries, with what it
    /// measures of each row of scores, then that of keys and values.
    fn attend_long_back<'a>(
        &self,
        [a, seen, grads]: [&'a Array; 3],
        heads: usize,
    ) -> Result<Shared> {
        let (n, places, row) = (a.shape()[0], a.shape()[1], a.shape()[2] / 3);
        let n = n * heads;
        let begin = |kernel, of: &[&'a Array]| {
            let mut launch = self.launch(kernel, a.dtype());
            for it in of {
                launch = launch.reads(it).scalar(it.offset() as u32);
            }
            launch
                .scalar(places as u32)
                .scalar(heads as u32)
                .scalar((row / heads) as u32)
                .global(tiles(a, n).min(GROUPS) * HEAD_ITEMS)
                .local(HEAD_ITEMS)
        };
        self.fill(a.dtype(), a.len(), |out| {
            let measured = self.take(a.dtype().wide(), 2 * n * places)?;
            begin(&kernels::ATTENTION_LONG_QUERIES, &[a, seen, grads])
                .writes(&measured)
                .writes(out)
                .scalar(n as u32)
                .run()?;
            let measured = Arc::new(measured);
            let measured = Array::dense(a.device(), measured, &[2, n, places]);
            begin(&kernels::ATTENTION_LONG_KEYS, &[a, grads])
                .reads(&measured)
                .writes(out)
                .scalar(n as u32)
                .run()
        })
    }

    /// Computes what comes back through gelu.
    pub(super) fn gelu_back(
        &self,
        a: &Array,
        grad_out: &Array,
    ) -> Result<Shared> {
        let (a, grads) = (a.compact()?, grad_out.compact()?);
        let (n, dtype) = (a.len(), a.dtype());
        self.fill(dtype, n, |out| {
            self.pieces(&kernels::GELU_GRADS, dtype, n)
                .reads(&a)
                .scalar(a.offset() as u32)
                .reads(&grads)
                .scalar(grads.offset() as u32)
                .writes(out)
                .scalar(n as u32)
                .run()
        })
    }

    /// Brings rows to mean 0 and variance 1.
    pub(super) fn norm(&self, of: [&Array; 3], epsilon: f64) -> Result<Shared> {
        let of = [of[0].compact()?, of[1].compact()?, of[2].compact()?];
        let (columns, dtype) = (of[1].len(), of[0].dtype());
        let n = of[0].len() / columns;
        self.fill(dtype, n * columns, |out| {
            self.of_rows(&kernels::NORM_ROWS, &of, columns, epsilon)
                .writes(out)
                .scalar(n as u32)
                .run()
        })
    }

    /// Computes what comes back to the rows, to their weight and to their bias.
    pub(super) fn norm_back(
        &self,
        of: [&Array; 3],
        epsilon: f64,
    ) -> Result<[Shared; 3]> {
        let of = [of[0].compact()?, of[1].compact()?, of[2].compact()?];
        let (columns, dtype) = (of[2].len(), of[0].dtype());
        let n = of[0].len() / columns;
        let measured = self.take(dtype.wide(), 2 * n)?;
        let slopes = self.fill(dtype, n * columns, |out| {
            self.of_rows(&kernels::NORM_GRADS, &of, columns, epsilon)
                .writes(&measured)
                .writes(out)
                .scalar(n as u32)
                .run()
        })?;
        let measured =
            Array::dense(of[0].device(), Arc::new(measured), &[n, 2]);
        let [bias, weight] =
            self.norm_sums([&of[0], &of[1], &measured], columns)?;
        Ok([slopes, weight, bias])
    }

    /// Computes what comes back to the rows, and what comes back to their weight
    /// from each element: for whoever adds that up later, with other sums.
    pub(in super::super) fn norm_slopes(
        &self,
        of: [&Array; 3],
        epsilon: f64,
    ) -> Result<[Shared; 2]> {
        let of = [of[0].compact()?, of[1].compact()?, of[2].compact()?];
        let (columns, dtype) = (of[2].len(), of[0].dtype());
        let n = of[0].len() / columns;
        let of_weight = self.take(dtype, n * columns)?;
        let slopes = self.fill(dtype, n * columns, |out| {
            self.of_rows(&kernels::NORM_SLOPES, &of, columns, epsilon)
                .writes(&of_weight)
                .writes(out)
                .scalar(n as u32)
                .run()
        })?;
        Ok([slopes, Arc::new(of_weight)])
    }

    /// Prepares a launch with a team for each row.
    fn of_rows<'a>(
        &self,
        kernel: &Kernel,
        of: &'a [Array; 3],
        columns: usize,
        epsilon: f64,
    ) -> Launch<'a> {
        let dtype = of[0].dtype();
        let n = of[0].len() / columns;
        let [global, local] = self.units().teams(n, columns);
        let mut launch = self.launch(kernel, dtype);
        for a in of {
            launch = launch.reads(a).scalar(a.offset() as u32);
        }
        launch
            .scalar(columns as u32)
            .scalar(number_of(dtype, epsilon))
            .global(global)
            .local(local)
    }

    /// Computes what comes back to the bias and to the weight.
    fn norm_sums(
        &self,
        [a, grad_out, measured]: [&Array; 3],
        columns: usize,
    ) -> Result<[Shared; 2]> {
        let n = a.len() / columns;
        let (segment, parts) = (n.min(TALL), n.div_ceil(TALL));
        let types = Types::of_parts(a.dtype(), a.dtype(), parts);
        let out = || self.take(types.to, parts * columns);
        let outs = [out()?, out()?];
        let [beside, team] = self.units().beside();
        self.launch(&kernels::NORM_SUMS, types)
            .reads(a)
            .scalar(a.offset() as u32)
            .reads(grad_out)
            .scalar(grad_out.offset() as u32)
            .reads(measured)
            .scalar(columns as u32)
            .scalar(segment as u32)
            .writes(&outs[0])
            .writes(&outs[1])
            .scalar(n as u32)
            .global([columns, parts * team])
            .local([beside, team])
            .run()?;
        let [bias, weight] = outs.map(|out| Arc::new(out) as Shared);
        let whole = |out| match parts {
            1 => Ok(out),
            _ => {
                let left = Array::dense(a.device(), out, &[parts, columns]);
                let left = left.permute(&[1, 0])?;
                self.reduce_to(a.dtype(), Reduce::Sum, &left, columns, parts)
            }
        };
        Ok([whole(bias)?, whole(weight)?])
    }
}
