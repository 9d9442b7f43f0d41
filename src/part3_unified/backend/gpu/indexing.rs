//! Rows by their indices, which the device keeps for a while.

use std::sync::{Arc, Mutex, PoisonError};

use super::pooled::Places;
use super::{Array, OpenCl, Shared, buffer, kernels};
use crate::error::Result;

/// The lists of indices that were sent last, each with a copy to know it again.
#[derive(Default)]
pub(super) struct Sent(Mutex<Vec<(Vec<usize>, Arc<Places>)>>);

/// So many lists are kept: a gather there and back has three, unless its
/// indices are sorted.
const KEPT: usize = 8;
/// And none of more indices.
const LONGEST: usize = 1 << 18;

impl OpenCl {
    /// Sends indices to the device, unless they are there: a gradient goes back
    /// by the indices of its operation, and the labels of an epoch come again.
    pub(super) fn places(&self, places: &[usize]) -> Result<Arc<Places>> {
        let Sent(sent) = &self.sent;
        // Nothing is half done where somebody panics.
        let mut sent = sent.lock().unwrap_or_else(PoisonError::into_inner);
        let last = match sent.iter().position(|(known, _)| known == places) {
            Some(known) => sent.remove(known),
            None => {
                let sent = Places::new(&self.indices, &self.gpu, places)?;
                (places.to_vec(), Arc::new(sent))
            }
        };
        let place = Arc::clone(&last.1);
        if places.len() <= LONGEST {
            if sent.len() == KEPT {
                sent.remove(0);
            }
            sent.push(last);
        }
        Ok(place)
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
        if places.is_sorted() {
            let places = self.places(places)?;
            return self.fill(n, |out| {
                self.each(&kernels::INDEX_ADD_SORTED, n)
                    .input(buffer(a))
                    .scalar(a.offset() as u32)
                    .scalar(given as u32)
                    .scalar(width as u32)
                    .input(places.buffer())
                    .output(out)
                    .scalar(n as u32)
                    .run()
            });
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
