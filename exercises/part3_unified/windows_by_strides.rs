// windows_by_strides: every position of a window, without a copy.
//
// WHAT   Compute the number of positions of a window along an axis, and the
//        view that shows all of them: (.., h, w) -> (.., rows, columns,
//        height, width). The last two axes of the image become four. In each
//        pair of numbers the first is vertical and the second is horizontal.
// WHY    A convolution multiplies the elements of each window. Windows
//        overlap, so a copy of all 3 x 3 windows has nearly nine times as many
//        elements as the image. A view needs only four more strides.
// MIND   The image is itself a view, so its rows need not be contiguous. The
//        window fits into it, and its sides, strides and dilations are at
//        least 1.
// READ   Windows and a product
// CHECK  cargo learn check windows_by_strides

/// A view of memory: element [i, j] is in slot
/// offset + i * strides[0] + j * strides[1].
#[derive(Clone, Debug)]
pub struct View {
    pub shape: Vec<usize>,
    pub strides: Vec<isize>,
    pub offset: usize,
}

/// A window, and how it moves.
#[derive(Clone, Debug)]
pub struct Window {
    /// Height and width, in elements.
    pub size: [usize; 2],
    /// The distance between consecutive positions, in elements of the image.
    pub stride: [usize; 2],
    /// The distance between adjacent elements of a window, in elements of the
    /// image: 1 means no gaps.
    pub dilation: [usize; 2],
}

/// Returns the number of positions of a window with `size` elements along an
/// axis of `length` elements.
pub fn places(
    length: usize,
    size: usize,
    stride: usize,
    dilation: usize,
) -> usize {
    todo!("TODO(windows_by_strides): the number of positions")
}

/// Returns a view of every position of a window over the last two axes of
/// `image`. Earlier axes, such as the channels, are kept.
pub fn windows(image: &View, window: &Window) -> View {
    todo!("TODO(windows_by_strides): two axes become four")
}
