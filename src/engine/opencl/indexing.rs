//! `index_select`, `index_add` and `fold`. Uploaded index lists are cached.

use std::sync::{Arc, Mutex, PoisonError};

use super::buffers::DeviceIndices;
use super::{Array, ArrayArgs, OpenCl, Shared, Window, kernels};
use crate::error::Result;
use crate::part3_unified::joined;

/// The index lists that were uploaded last, each with a copy on the host for
/// comparison.
#[derive(Default)]
pub(super) struct IndexCache(Mutex<CachedLists>);

#[derive(Default)]
struct CachedLists {
    lists: Vec<(Vec<usize>, Arc<DeviceIndices>)>,
    /// The number of failed commands when the lists were last known to be
    /// good.
    failures: u64,
}

/// Maximum number of cached lists. The forward and backward pass of a gather
/// use three, or one if the indices are sorted.
const MAX_CACHED_LISTS: usize = 8;
/// Longer lists are not cached.
const MAX_CACHED_INDICES: usize = 1 << 18;

/// Maximum number of rows that one item adds one after another; see
/// docs/benchmarks.md.
const MAX_SERIAL_ROWS: usize = 64;

impl OpenCl {
    /// Uploads indices, unless they are cached. The backward pass uses the
    /// indices of the forward pass, and the labels of a batch come again in
    /// each epoch.
    pub(crate) fn upload_indices(
        &self,
        indices: &[usize],
    ) -> Result<Arc<DeviceIndices>> {
        let IndexCache(cache) = &self.index_cache;
        // A panic in a holder of the lock leaves the lists consistent.
        let mut cache = cache.lock().unwrap_or_else(PoisonError::into_inner);
        let CachedLists { lists, failures } = &mut *cache;
        // If a command has failed, an upload may have failed; a cached list
        // would then be an error forever.
        let failures_now = self.gpu.failures();
        if std::mem::replace(failures, failures_now) != failures_now {
            lists.clear();
        }
        let last = match lists.iter().position(|(list, _)| list == indices) {
            Some(cached) => lists.remove(cached),
            None => {
                let sent =
                    DeviceIndices::new(&self.indices, &self.gpu, indices)?;
                (indices.to_vec(), Arc::new(sent))
            }
        };
        let uploaded = Arc::clone(&last.1);
        if indices.len() <= MAX_CACHED_INDICES {
            if lists.len() == MAX_CACHED_LISTS {
                lists.remove(0);
            }
            lists.push(last);
        }
        Ok(uploaded)
    }

    /// Computes [`Backend::index_select`](super::Backend::index_select).
    pub(super) fn gather_rows(
        &self,
        a: &Array,
        indices: &[usize],
    ) -> Result<Shared> {
        let uploaded = self.upload_indices(indices)?;
        self.gather_rows_uploaded(a, &uploaded, indices.len())
    }

    /// Computes [`Backend::index_select`](super::Backend::index_select) with
    /// indices that are on the device.
    pub(crate) fn gather_rows_uploaded(
        &self,
        a: &Array,
        indices: &DeviceIndices,
        count: usize,
    ) -> Result<Shared> {
        let (rows, width) = (a.shape()[0], a.shape()[1]);
        let n = count * width;
        self.fill(a.dtype(), n, |out| {
            self.launch_per_four(&kernels::INDEX_SELECT, a.dtype(), n)
                .reads(a)
                .scalar(a.offset() as u32)
                .scalar(rows as u32)
                .scalar(width as u32)
                .input(indices.buffer())
                .writes(out)
                .scalar(n as u32)
                .run()
        })
    }

    /// Computes [`Backend::index_add`](super::Backend::index_add).
    pub(super) fn scatter_add_rows(
        &self,
        a: &Array,
        indices: &[usize],
        rows: usize,
    ) -> Result<Shared> {
        let (source_rows, width) = (a.shape()[0], a.shape()[1]);
        let n = rows * width;
        if n == 0 {
            return self.upload_zeros(a.dtype(), 0);
        }
        if indices.is_sorted() {
            let indices = self.upload_indices(indices)?;
            return self.fill(a.dtype(), n, |out| {
                self.launch_per_element(
                    &kernels::INDEX_ADD_SORTED,
                    a.dtype(),
                    n,
                )
                .reads(a)
                .scalar(a.offset() as u32)
                .scalar(source_rows as u32)
                .scalar(width as u32)
                .input(indices.buffer())
                .writes(out)
                .scalar(n as u32)
                .run()
            });
        }
        // Sort the rows by index (a counting sort): the rows that are added to
        // row `i` of the result are `order[starts[i]..starts[i + 1]]`.
        let mut starts = vec![0; rows + 1];
        indices.iter().for_each(|index| starts[index + 1] += 1);
        for i in 1..rows {
            starts[i + 1] += starts[i];
        }
        let (mut next, mut order) = (starts.clone(), vec![0; source_rows]);
        for (row, &index) in indices.iter().enumerate() {
            order[next[index]] = row;
            next[index] += 1;
        }
        let longest = starts.windows(2).map(|pair| pair[1] - pair[0]).max();
        let longest = longest.unwrap_or(0);
        if longest <= MAX_SERIAL_ROWS {
            return self.sum_groups(a, &starts, &order);
        }
        // An item adds rows one after another, so the longest list determines
        // the time. Split the lists into parts of about the square root of the
        // longest; add the rows of each part, then the parts.
        let length = (longest as f64).sqrt().ceil() as usize;
        let (mut parts, mut firsts) = (Vec::new(), vec![0]);
        for pair in starts.windows(2) {
            parts.extend((pair[0]..pair[1]).step_by(length));
            firsts.push(parts.len());
        }
        parts.push(source_rows);
        let sums = self.sum_groups(a, &parts, &order)?;
        let shape = [parts.len() - 1, width];
        let sums = Array::dense(a.device(), sums, &shape);
        let order: Vec<usize> = (0..shape[0]).collect();
        self.sum_groups(&sums, &firsts, &order)
    }

    /// Sums the rows `order[starts[i]..starts[i + 1]]` to row `i` of the
    /// result.
    fn sum_groups(
        &self,
        a: &Array,
        starts: &[usize],
        order: &[usize],
    ) -> Result<Shared> {
        let (source_rows, width) = (a.shape()[0], a.shape()[1]);
        let n = (starts.len() - 1) * width;
        let starts = self.upload_indices(starts)?;
        let order = self.upload_indices(order)?;
        self.fill(a.dtype(), n, |out| {
            self.launch_per_element(&kernels::INDEX_ADD, a.dtype(), n)
                .reads(a)
                .scalar(a.offset() as u32)
                .scalar(source_rows as u32)
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
    /// Computes [`Backend::fold`](super::Backend::fold).
    pub(super) fn fold_windows(
        &self,
        a: &Array,
        window: &Window,
        count: usize,
        image: [usize; 2],
    ) -> Result<Shared> {
        let outer = a.shape().len() - 4;
        // Images at irregular offsets are copied first.
        let runs = joined(&a.shape()[..outer], [&a.strides()[..outer]]);
        let a = if runs.len() > 1 { &a.compact()? } else { a };
        let runs = joined(&a.shape()[..outer], [&a.strides()[..outer]]);
        let mut strides = [0; 8];
        if let [(_, [stride])] = runs[..] {
            strides[0] = stride as i32;
        }
        for (to, stride) in strides[1..].iter_mut().zip(&a.strides()[outer..]) {
            *to = *stride as i32;
        }
        let [h, w] = image;
        let steps = [window.stride, window.dilation];
        let sizes = [[image, window.size], steps].concat().concat();
        // A stride or dilation beyond `i32::MAX` exceeds every image, so
        // clamping it does not change the result.
        let int = |&size: &usize| i32::try_from(size).unwrap_or(i32::MAX);
        let sizes: Vec<i32> = sizes.iter().map(int).collect();
        let sizes: [i32; 8] = sizes.try_into().expect("four pairs");
        let n = count * h * w;
        self.fill(a.dtype(), n, |out| {
            self.launch_per_element(&kernels::FOLD_WINDOWS, a.dtype(), n)
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
