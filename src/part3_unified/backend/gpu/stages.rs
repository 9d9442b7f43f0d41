//! Reductions in two stages, where one would keep most units idle.

use super::{Array, GROUP, OpenCl, Reduce, Shared, buffer, kernels};
use crate::error::Result;

/// So many groups keep any device busy.
const BUSY: usize = 1024;

/// So many groups are as many as are started: each device runs them, and of
/// more parts a group has several.
const MOST: usize = 1 << 20;

/// A row that is shorter gets an item and no group: most of a group's items
/// would have nothing to add, and all of them wait at its eight barriers. On
/// a GPU nobody has measured where the two meet. On a processor they meet
/// beyond 1024, if at all: with PoCL 3.1 on two busy cores of an AMD EPYC 4096
/// rows of 64 take 0.2 ms by items and 15 ms by groups, and 4096 rows of 1024
/// 1.7 ms and 33 ms (best of 15, by events, November 2026).
const SHORT: usize = 64;

impl OpenCl {
    /// Reduces rows that lie in a row: an item for each if they are short,
    /// else a group, or a group for each part of one where a few long rows
    /// would keep most units idle. The parts are then rows themselves.
    pub(super) fn reduce_across(
        &self,
        op: Reduce,
        a: &Array,
    ) -> Result<Shared> {
        let (rows, columns) = (a.shape()[0], a.shape()[1]);
        if columns < SHORT {
            return self.reduce_down(op, a);
        }
        let [kernel, _] = kernels::reduce(op);
        let (segment, parts) = parts(rows, columns, 16 * GROUP);
        let out = self.fill(rows * parts, |out| {
            self.gpu
                .launch(&kernel)
                .input(buffer(a))
                .scalar(a.offset() as u32)
                .scalar(a.strides()[0] as u32)
                .scalar(columns as u32)
                .scalar(segment as u32)
                .output(out)
                .scalar((rows * parts) as u32)
                .global((rows * parts).min(MOST) * GROUP)
                .local(GROUP)
                .run()
        })?;
        match parts {
            1 => Ok(out),
            _ => {
                let left = Array::dense(a.device(), out, &[rows, parts]);
                self.reduce_across(op, &left)
            }
        }
    }

    /// Takes an item for each row, or for each part of one. If the first
    /// elements of the rows lie side by side, neighbors read what lies side by
    /// side.
    pub(super) fn reduce_down(&self, op: Reduce, a: &Array) -> Result<Shared> {
        let [_, kernel] = kernels::reduce(op);
        let (width, height) = (a.shape()[0], a.shape()[1]);
        let (segment, parts) = parts(width.div_ceil(GROUP), height, 64);
        let n = width * parts;
        let out = self.fill(n, |out| {
            self.each(&kernel, n)
                .input(buffer(a))
                .scalar(a.offset() as u32)
                .scalar(a.strides()[1] as u32)
                .scalar(a.strides()[0] as u32)
                .scalar(width as u32)
                .scalar(height as u32)
                .scalar(segment as u32)
                .output(out)
                .run()
        })?;
        match parts {
            1 => Ok(out),
            _ => {
                let left = Array::dense(a.device(), out, &[parts, width]);
                self.reduce_down(op, &left.permute(&[1, 0])?)
            }
        }
    }
}

/// Computes how long the parts of a row are, and how many: as few as keep the
/// device busy beside `others`, and none shorter than `least`. They depend on
/// sizes alone, and so does every bit of the result.
fn parts(others: usize, length: usize, least: usize) -> (usize, usize) {
    let wanted = BUSY.div_ceil(others);
    let segment = length.div_ceil(wanted).max(least).min(length);
    (segment, length.div_ceil(segment))
}
