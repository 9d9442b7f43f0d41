//! Views of any number of axes, on kernels that walk eight.

use super::super::super::view::runs;
use super::cuts::copy_groups;
use super::{
    Array, Numbers, OpenCl, Pooled, Shared, Storage, View, downcast, kernels,
};
use crate::error::Result;

/// The axes that a kernel walks; see `kernels/part3/copy.cl`.
pub(super) const AXES: usize = 8;

/// Finds the sizes and the strides of views of one shape, as few axes as there
/// can be; `None` where a kernel has not so many. The axes that are missing
/// have size 1 and stand first.
pub(super) fn walk<const N: usize, const M: usize>(
    views: [&View; N],
) -> Option<[[i32; AXES]; M]> {
    let runs = runs(views);
    let missing = AXES.checked_sub(runs.len())?;
    let mut walk = [[0; AXES]; M];
    walk[0] = [1; AXES];
    for (axis, (size, strides)) in runs.into_iter().enumerate() {
        walk[0][missing + axis] = size as i32;
        for (view, stride) in strides.into_iter().enumerate() {
            walk[1 + view][missing + axis] = stride as i32;
        }
    }
    Some(walk)
}

/// An axis shorter than this is not worth a tile.
const WORTH: i32 = 16;

/// The axes of a copy by tiles: their sizes, their strides, and those of the
/// copy.
pub(super) type ByTiles = [[i32; AXES]; 3];

/// Finds the same walk for the kernel that copies tiles, where it pays: the
/// last axis goes from far to far in memory, and another one from neighbor to
/// neighbor, which now stands before the last.
pub(super) fn tiled(
    shape: [i32; AXES],
    strides: [i32; AXES],
) -> Option<ByTiles> {
    if strides[7].abs() == 1 || shape[7] < WORTH {
        return None;
    }
    let near = |&axis: &usize| strides[axis] == 1 && shape[axis] >= WORTH;
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

// Beyond eight axes the host counts where each element lies. A kernel that read
// the strides from a buffer could not say how far it reaches.
impl OpenCl {
    /// Copies the `n` elements of a view, by tiles.
    pub(super) fn copy_by_tiles(
        &self,
        a: &Array,
        n: usize,
        [shape, strides, outs]: ByTiles,
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

    /// Copies the elements of a view: rows of one element, by their places.
    pub(super) fn copy_by_places(&self, a: &Array) -> Result<Shared> {
        let (n, all) = (a.len(), a.storage().len());
        let places = self.places(&a.view().offsets().collect::<Vec<_>>())?;
        self.fill(a.dtype(), n, |out| {
            self.fours(&kernels::INDEX_SELECT, a.dtype(), n)
                .reads(a)
                .scalar(0_u32)
                .scalar(all as u32)
                .scalar(1_u32)
                .input(places.buffer())
                .writes(out)
                .scalar(n as u32)
                .run()
        })
    }

    /// Copies dense elements to the places of a view.
    pub(super) fn paste_by_places(
        &self,
        storage: &mut dyn Storage,
        view: &View,
        a: &Array,
    ) -> Result<()> {
        let mut places = vec![u32::MAX; storage.len()];
        for (i, at) in view.offsets().enumerate() {
            places[at] = i as u32;
        }
        let (n, places) = (places.len(), self.gpu.upload(&places)?);
        self.each(&kernels::COPY_INDEXED, a.dtype(), n)
            .reads(a)
            .scalar(a.offset() as u32)
            .scalar(a.len() as u32)
            .input(&places)
            .writes(downcast::<Pooled>(storage))
            .scalar(n as u32)
            .run()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_eight_axes_may_go_from_neighbor_to_neighbor() {
        let shape = [32, 2, 2, 2, 2, 2, 2, 16];
        let strides = [1, 16384, 8192, 4096, 2048, 1024, 512, 32];
        let [sizes, steps, outs] = tiled(shape, strides).expect("it pays");
        assert_eq!(sizes, [2, 2, 2, 2, 2, 2, 32, 16]);
        assert_eq!(steps, [16384, 8192, 4096, 2048, 1024, 512, 1, 32]);
        assert_eq!(outs, [512, 256, 128, 64, 32, 16, 1024, 1]);
    }
}
