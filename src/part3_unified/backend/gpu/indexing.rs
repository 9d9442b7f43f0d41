//! Rows by their indices, which the device keeps for a while.

use std::sync::{Arc, Mutex, PoisonError};

use super::super::super::view::joined;
use super::pooled::Places;
use super::{Array, Numbers, OpenCl, Shared, Window, kernels};
use crate::error::Result;

/// The lists of indices that were sent last, each with a copy to recognize it.
#[derive(Default)]
pub(super) struct Sent(Mutex<SentLists>);

#[derive(Default)]
struct SentLists {
    lists: Vec<(Vec<usize>, Arc<Places>)>,
    /// The count of failed commands when the lists were last known to be good.
    failures: u64,
}

/// So many lists are kept: a gather there and back has three, unless its
/// indices are sorted.
const KEPT: usize = 8;
/// And none of more indices.
const LONGEST: usize = 1 << 18;

/// So many rows are added up by one item. On an NVIDIA H200 1024 rows of 64
/// took 173 us where letters of names asked for 27 places, and 16 where each
/// place had as many (median of events, `part3_names` and `cargo learn bench "gpt
/// 64x16"` with `--timeline`, November 2026).
const LONG: usize = 64;

impl OpenCl {
    /// Sends indices to the device, unless they are there: a gradient goes back
    /// by the indices of its operation, and the labels of an epoch come again.
    pub(in super::super) fn places(
        &self,
        places: &[usize],
    ) -> Result<Arc<Places>> {
        let Sent(sent) = &self.sent;
        // Nothing is half done where somebody panics.
        let mut sent = sent.lock().unwrap_or_else(PoisonError::into_inner);
        let SentLists { lists: sent, failures } = &mut *sent;
        // A list whose upload has failed would be an error forever.
        let failures_now = self.gpu.failures();
        if std::mem::replace(failures, failures_now) != failures_now {
            sent.clear();
        }
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
        self.rows_at_places(a, &*self.places(places)?, places.len())
    }

    /// Does so by indices that are there.
    pub(in super::super) fn rows_at_places(
        &self,
        a: &Array,
        places: &Places,
        count: usize,
    ) -> Result<Shared> {
        let (rows, width) = (a.shape()[0], a.shape()[1]);
        let n = count * width;
        self.fill(a.dtype(), n, |out| {
            self.fours(&kernels::INDEX_SELECT, a.dtype(), n)
                .reads(a)
                .scalar(a.offset() as u32)
                .scalar(rows as u32)
                .scalar(width as u32)
                .input(places.buffer())
                .writes(out)
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
            return self.upload_zeros(a.dtype(), 0);
        }
        if places.is_sorted() {
            let places = self.places(places)?;
            return self.fill(a.dtype(), n, |out| {
                self.each(&kernels::INDEX_ADD_SORTED, a.dtype(), n)
                    .reads(a)
                    .scalar(a.offset() as u32)
                    .scalar(given as u32)
                    .scalar(width as u32)
                    .input(places.buffer())
                    .writes(out)
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
        let longest = starts.windows(2).map(|two| two[1] - two[0]).max();
        let longest = longest.unwrap_or(0);
        if longest <= LONG {
            return self.rows_joined(a, &starts, &order);
        }
        // An item adds one row after the other, so that the longest list takes
        // the time: its parts are added up first, and as many of them then.
        let length = (longest as f64).sqrt().ceil() as usize;
        let (mut parts, mut firsts) = (Vec::new(), vec![0]);
        for two in starts.windows(2) {
            parts.extend((two[0]..two[1]).step_by(length));
            firsts.push(parts.len());
        }
        parts.push(given);
        let sums = self.rows_joined(a, &parts, &order)?;
        let shape = [parts.len() - 1, width];
        let sums = Array::dense(a.device(), sums, &shape);
        let order: Vec<usize> = (0..shape[0]).collect();
        self.rows_joined(&sums, &firsts, &order)
    }

    /// Adds up the rows of each place `i`, which stand in `order` from
    /// `starts[i]` to `starts[i + 1]`.
    fn rows_joined(
        &self,
        a: &Array,
        starts: &[usize],
        order: &[usize],
    ) -> Result<Shared> {
        let (given, width) = (a.shape()[0], a.shape()[1]);
        let n = (starts.len() - 1) * width;
        let (starts, order) = (self.places(starts)?, self.places(order)?);
        self.fill(a.dtype(), n, |out| {
            self.each(&kernels::INDEX_ADD, a.dtype(), n)
                .reads(a)
                .scalar(a.offset() as u32)
                .scalar(given as u32)
                .scalar(width as u32)
                .input(starts.buffer())
                .input(order.buffer())
                .writes(out)
                .scalar(n as u32)
                .run()
        })
    }
}

impl OpenCl {
    /// Adds windows up to images.
    pub(super) fn folded(
        &self,
        a: &Array,
        window: &Window,
        count: usize,
        image: [usize; 2],
    ) -> Result<Shared> {
        let outer = a.shape().len() - 4;
        // Images that lie in no order are laid in a row.
        let lie = joined(&a.shape()[..outer], [&a.strides()[..outer]]);
        let a = if lie.len() > 1 { &a.compact()? } else { a };
        let lie = joined(&a.shape()[..outer], [&a.strides()[..outer]]);
        let mut strides = [0; 8];
        if let [(_, [stride])] = lie[..] {
            strides[0] = stride as i32;
        }
        for (to, stride) in strides[1..].iter_mut().zip(&a.strides()[outer..]) {
            *to = *stride as i32;
        }
        let [h, w] = image;
        let steps = [window.stride, window.dilation];
        let sizes = [[image, window.size], steps].concat().concat();
        // A step that is too long for a kernel is too long to be made.
        let int = |&size: &usize| i32::try_from(size).unwrap_or(i32::MAX);
        let sizes: Vec<i32> = sizes.iter().map(int).collect();
        let sizes: [i32; 8] = sizes.try_into().expect("four pairs");
        let n = count * h * w;
        self.fill(a.dtype(), n, |out| {
            self.each(&kernels::FOLD_WINDOWS, a.dtype(), n)
                .reads(a)
                .scalar(a.offset() as u32)
                .scalar(strides)
                .scalar(sizes)
                .writes(out)
                .scalar(n as u32)
                .run()
        })
    }
}
