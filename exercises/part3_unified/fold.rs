// fold: add windows up to an image.
//
// WHAT   Each window has a value for each pixel that it covers. Add all of
//        them to their pixels: (rows, columns, height, width) -> (h, w), both
//        stored in row-major order.
// WHY    This is the gradient of taking windows. In the forward pass a pixel
//        is copied to every window that covers it, so its gradient is the sum
//        of the gradients of its copies, like that of an operand with several
//        uses.
// MIND   With strides larger than a window, and at the far edges, some pixels
//        may not be in any window. Nothing depends on them.
// READ   Windows and a product
// CHECK  cargo learn check fold

/// Adds windows up to an image of `[h, w]`. The window in row `r` and column
/// `c` has its upper left corner at the pixel `[r * stride[0], c *
/// stride[1]]`.
pub fn fold(
    windows: &[f32],
    [rows, columns, height, width]: [usize; 4],
    stride: [usize; 2],
    [h, w]: [usize; 2],
) -> Vec<f32> {
    todo!("TODO(fold): add each value of each window to its pixel")
}
