//! Copies from and to views. The kernels handle up to eight axes; views with
//! more are copied by index lists.

use super::launch_shape::copy_groups;
use super::{
    Array, ArrayArgs, OpenCl, PooledStorage, Shared, Storage, View, downcast,
    kernels,
};
use crate::error::Result;
use crate::part3_unified::runs;

/// The number of axes of a kernel; see `kernels/engine/copy.cl`.
pub(super) const AXES: usize = 8;

/// Returns the sizes and the strides of views of one shape, with all axes
/// merged that can be, and padded in front with axes of size 1. Returns `None`
/// if there are more axes than a kernel has.
pub(super) fn merged_axes<const N: usize, const M: usize>(
    views: [&View; N],
) -> Option<[[i32; AXES]; M]> {
    let runs = runs(views);
    let missing = AXES.checked_sub(runs.len())?;
    let mut axes = [[0; AXES]; M];
    axes[0] = [1; AXES];
    for (i, (size, strides)) in runs.into_iter().enumerate() {
        axes[0][missing + i] = size as i32;
        for (view, stride) in strides.into_iter().enumerate() {
            axes[1 + view][missing + i] = stride as i32;
        }
    }
    Some(axes)
}

/// Shortest axis that is worth a tile.
const MIN_TILE_AXIS: i32 = 16;

/// The axes of a copy by tiles: sizes, strides of the operand, strides of the
/// copy.
pub(super) type TiledAxes = [[i32; AXES]; 3];

/// Returns the axes for the kernel that copies by tiles if that pays off: the
/// last axis is not contiguous in the operand, and a different one is. That
/// one is moved to the last position but one.
pub(super) fn tiled_axes(
    shape: [i32; AXES],
    strides: [i32; AXES],
) -> Option<TiledAxes> {
    if strides[7].abs() == 1 || shape[7] < MIN_TILE_AXIS {
        return None;
    }
    let near =
        |&axis: &usize| strides[axis] == 1 && shape[axis] >= MIN_TILE_AXIS;
    let near = (0..7).find(near)?;
    let mut outs = [1; AXES];
    for axis in (1..AXES).rev() {
        outs[axis - 1] = outs[axis] * shape[axis];
    }
    let mut axes = [shape, strides, outs];
    for axis in &mut axes {
        axis[near..7].rotate_left(1);
    }
    Some(axes)
}

// For views with more than eight axes, the host computes the offset of each
// element. A kernel that read the strides from a buffer could not state which
// elements it accesses before the launch.
impl OpenCl {
    /// Copies the `n` elements of a view, by tiles.
    pub(super) fn copy_by_tiles(
        &self,
        a: &Array,
        n: usize,
        [shape, strides, outs]: TiledAxes,
    ) -> Result<Shared> {
        let groups = copy_groups(shape);
        self.fill(a.dtype(), n, |out| {
            self.launch(&kernels::COPY_TILED, a.dtype())
                .reads(a)
                .scalar(a.offset() as u32)
                .scalar(shape)
                .scalar(strides)
                .writes(out)
                .scalar(outs)
                .global([groups * 32, 8])
                .local([32, 8])
                .run()
        })
    }

    /// Copies the elements of a view by their offsets: an `index_select` of
    /// rows of one element.
    pub(super) fn copy_by_offsets(&self, a: &Array) -> Result<Shared> {
        let (n, all) = (a.len(), a.storage().len());
        let offsets: Vec<usize> = a.view().offsets().collect();
        let offsets = self.upload_indices(&offsets)?;
        self.fill(a.dtype(), n, |out| {
            self.launch_per_four(&kernels::INDEX_SELECT, a.dtype(), n)
                .reads(a)
                .scalar(0_u32)
                .scalar(all as u32)
                .scalar(1_u32)
                .input(offsets.buffer())
                .writes(out)
                .scalar(n as u32)
                .run()
        })
    }

    /// Copies dense elements to the offsets of a view. For each element of the
    /// storage, the kernel gets the index of the new element, or `u32::MAX`.
    pub(super) fn paste_by_offsets(
        &self,
        storage: &mut dyn Storage,
        view: &View,
        a: &Array,
    ) -> Result<()> {
        let mut sources = vec![u32::MAX; storage.len()];
        for (i, offset) in view.offsets().enumerate() {
            sources[offset] = i as u32;
        }
        let (n, sources) = (sources.len(), self.gpu.upload(&sources)?);
        self.launch_per_element(&kernels::COPY_INDEXED, a.dtype(), n)
            .reads(a)
            .scalar(a.offset() as u32)
            .scalar(a.len() as u32)
            .input(&sources)
            .writes(downcast::<PooledStorage>(storage))
            .scalar(n as u32)
            .run()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_eight_axes_may_be_the_contiguous_one() {
        let shape = [32, 2, 2, 2, 2, 2, 2, 16];
        let strides = [1, 16384, 8192, 4096, 2048, 1024, 512, 32];
        let [sizes, steps, outs] = tiled_axes(shape, strides).expect("it pays");
        assert_eq!(sizes, [2, 2, 2, 2, 2, 2, 32, 16]);
        assert_eq!(steps, [16384, 8192, 4096, 2048, 1024, 512, 1, 32]);
        assert_eq!(outs, [512, 256, 128, 64, 32, 16, 1024, 1]);
    }
}
