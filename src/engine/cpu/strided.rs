//! Iteration over strided views in runs with a constant step.

use smallvec::SmallVec;

use super::View;
use super::types::HostElement;
use crate::part3_unified::runs;

/// Iterates over views of one shape in lockstep, in row-major order. The last
/// axes are merged into runs as long as possible that have a constant step in
/// each view, so that the inner loop is over a run.
pub(super) struct StridedRuns<const N: usize> {
    /// Shape and strides of the outer axes, over which runs are enumerated.
    shape: SmallVec<[usize; 4]>,
    strides: SmallVec<[[isize; N]; 4]>,
    /// The offset of the first run in each storage.
    pub(super) starts: [usize; N],
    /// The length of a run, and its step in each storage.
    pub(super) length: usize,
    pub(super) steps: [isize; N],
}

impl<const N: usize> StridedRuns<N> {
    pub(super) fn new(views: [&View; N]) -> StridedRuns<N> {
        let mut runs = runs(views);
        let (length, steps) = runs.pop().unwrap_or((1, [1; N]));
        let (shape, strides) = runs.into_iter().unzip();
        let starts = views.map(View::offset);
        StridedRuns { shape, strides, starts, length, steps }
    }

    /// Returns the offsets at which runs begin in each storage, starting with
    /// run number `first_run`. The iterator does not end.
    pub(super) fn run_starts(
        &self,
        first_run: usize,
    ) -> impl Iterator<Item = [usize; N]> {
        let mut offsets = self.starts.map(|start| start as isize);
        let mut index: SmallVec<[usize; 4]> = self.shape.clone();
        let mut rest = first_run;
        for axis in (0..self.shape.len()).rev() {
            index[axis] = rest % self.shape[axis];
            rest /= self.shape[axis];
            for (offset, stride) in offsets.iter_mut().zip(&self.strides[axis])
            {
                *offset += index[axis] as isize * stride;
            }
        }
        std::iter::repeat_with(move || {
            let current = offsets.map(|offset| offset as usize);
            for axis in (0..index.len()).rev() {
                let (size, strides) = (self.shape[axis], &self.strides[axis]);
                index[axis] += 1;
                let is_end = index[axis] == size;
                let steps = if is_end { 1 - size as isize } else { 1 };
                for (offset, stride) in offsets.iter_mut().zip(strides) {
                    *offset += steps * stride;
                }
                if !is_end {
                    break;
                }
                index[axis] = 0;
            }
            current
        })
    }
}

impl StridedRuns<1> {
    /// Returns whether the whole view is a single run.
    pub(super) fn is_single_run(&self) -> bool {
        self.shape.is_empty()
    }

    /// Returns whether consecutive runs begin at adjacent elements, as the
    /// rows of a transposed matrix do.
    pub(super) fn is_transposed(&self) -> bool {
        self.strides.last() == Some(&[1])
    }

    /// Returns the offsets of the elements, starting with element `first`. The
    /// iterator does not end.
    pub(super) fn offsets(&self, first: usize) -> impl Iterator<Item = usize> {
        let step = self.steps[0];
        let all =
            self.run_starts(first / self.length).flat_map(move |[start]| {
                let offset = move |i| (start as isize + i * step) as usize;
                (0..self.length as isize).map(offset)
            });
        all.skip(first % self.length)
    }
}

/// Returns the elements of a run that begins at offset `start`.
#[inline(always)]
pub(super) fn run<T: HostElement>(
    all: &[T],
    start: usize,
    length: usize,
    step: isize,
) -> impl Iterator<Item = T> {
    (0..length as isize).map(move |i| all[(start as isize + i * step) as usize])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transposed_views_are_detected() {
        let dense = View::dense(&[3, 4]);
        let transposed = dense.permute(&[1, 0]).unwrap();
        assert!(!StridedRuns::new([&dense]).is_transposed());
        assert!(StridedRuns::new([&transposed]).is_transposed());
        let far = View::dense(&[3, 4, 2]).permute(&[1, 0, 2]).unwrap();
        assert!(!StridedRuns::new([&far]).is_transposed());
        assert!(StridedRuns::new([&dense]).is_single_run());
        assert!(!StridedRuns::new([&far]).is_single_run());
    }
}
