// windows_by_strides: every place of a window, and no copy.
//
// WHAT   How many places a window has along an axis, and the view that shows
//        all of them: (.., h, w) -> (.., rows, columns, height, width). The
//        last two axes of the image become four. Of each pair the first number
//        is for the way down, the second for the way to the right.
// WHY    A convolution multiplies what each window shows. Neighbors overlap,
//        so a copy of all windows of 3 x 3 has nearly nine times the numbers of
//        the image; strides say the same in four numbers.
// MIND   The image is a view itself: its rows may lie anywhere. The window fits
//        into it, and its sides, strides and dilations are at least 1.
// READ   Windows and a product
// CHECK  cargo learn check windows_by_strides

/// A way to walk memory: element [i, j] lies in slot
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
    /// How many elements of the image it goes on from place to place.
    pub stride: [usize; 2],
    /// How many elements of the image lie between neighbors in it, the second
    /// of them included: 1 is without gaps.
    pub dilation: [usize; 2],
}

/// Counts the places that a window of so many elements has along an axis of
/// `length` elements.
pub fn places(
    length: usize,
    size: usize,
    stride: usize,
    dilation: usize,
) -> usize {
    todo!("TODO(windows_by_strides): how many places there are")
}

/// Shows every place of a window over the last two axes of `image`. Axes in
/// front of them, such as the channels, stay.
pub fn windows(image: &View, window: &Window) -> View {
    todo!("TODO(windows_by_strides): two axes become four")
}
