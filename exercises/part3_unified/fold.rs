// fold: windows added up to an image.
//
// WHAT   Each window brings a number for each pixel that it showed. Add all of
//        them to their pixels: (rows, columns, height, width) -> (h, w), as
//        flat numbers, the last axis fastest.
// WHY    It is the gradient of windows. Forward a pixel is copied into every
//        window that shows it, so on the way back it gets the sum of what its
//        copies got, as an operand does that is used several times.
// MIND   Where windows are more than a window apart, and at the far edges,
//        there may be pixels that no window shows. Nothing depends on them.
// READ   Windows and a product
// CHECK  cargo learn check fold

/// Adds windows up to an image of `[h, w]`. The window at row `r` and column
/// `c` of its places has its upper left corner at the pixel
/// `[r * stride[0], c * stride[1]]`.
pub fn fold(
    windows: &[f32],
    [rows, columns, height, width]: [usize; 4],
    stride: [usize; 2],
    [h, w]: [usize; 2],
) -> Vec<f32> {
    todo!("TODO(fold): each number of each window to its pixel")
}
