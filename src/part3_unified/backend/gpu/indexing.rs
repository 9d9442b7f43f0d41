//! Rows by their indices, which the device gets for one launch.

use super::pooled::Places;
use super::{Array, OpenCl, Shared, buffer, kernels, room};
use crate::error::Result;

impl OpenCl {
    /// Sends indices to the device.
    pub(super) fn places(&self, places: &[usize]) -> Result<Places<'_>> {
        let places: Vec<u32> = places.iter().map(|&at| at as u32).collect();
        let buffer = self.indices.take(&self.gpu, room(places.len()))?;
        if !places.is_empty() {
            buffer.write_first(&places)?;
        }
        Ok(Places { buffer: Some(buffer), len: room(places.len()), of: self })
    }

    /// Computes [`Backend::index_select`](super::Backend::index_select).
    pub(super) fn rows_at(
        &self,
        a: &Array,
        places: &[usize],
    ) -> Result<Shared> {
        let (rows, width) = (a.shape()[0], a.shape()[1]);
        let n = places.len() * width;
        let places = self.places(places)?;
        self.fill(n, |out| {
            self.fours(&kernels::INDEX_SELECT, n)
                .input(buffer(a))
                .scalar(a.offset() as u32)
                .scalar(rows as u32)
                .scalar(width as u32)
                .input(places.buffer())
                .output(out)
                .scalar(n as u32)
                .run()
        })
    }

    /// Computes [`Backend::index_add`](super::Backend::index_add).
    pub(super) fn rows_added(
        &self,
        a: &Array,
        places: &[usize],
        rows: usize,
    ) -> Result<Shared> {
        let (given, width) = (a.shape()[0], a.shape()[1]);
        let n = rows * width;
        if n == 0 {
            return self.upload_zeros(0);
        }
        // Which rows go where: those of place `i` stand in `order` from
        // `starts[i]` to `starts[i + 1]`.
        let mut starts = vec![0; rows + 1];
        places.iter().for_each(|place| starts[place + 1] += 1);
        for i in 1..rows {
            starts[i + 1] += starts[i];
        }
        let (mut next, mut order) = (starts.clone(), vec![0; given]);
        for (row, &place) in places.iter().enumerate() {
            order[next[place]] = row;
            next[place] += 1;
        }
        let (starts, order) = (self.places(&starts)?, self.places(&order)?);
        self.fill(n, |out| {
            self.each(&kernels::INDEX_ADD, n)
                .input(buffer(a))
                .scalar(a.offset() as u32)
                .scalar(given as u32)
                .scalar(width as u32)
                .input(starts.buffer())
                .input(order.buffer())
                .output(out)
                .scalar(n as u32)
                .run()
        })
    }
}
