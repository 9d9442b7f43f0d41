// The window is thought to move by one element.

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
    let extent = (size - 1) * dilation + 1;
    length - extent + 1
}

/// Shows every place of a window over the last two axes of `image`. Axes in
/// front of them, such as the channels, stay.
pub fn windows(image: &View, window: &Window) -> View {
    let mut view = image.clone();
    let front = image.shape.len() - 2;
    view.shape.truncate(front);
    view.strides.truncate(front);
    for i in 0..2 {
        let Window { size, stride, dilation } = window;
        let length = image.shape[front + i];
        view.shape.push(places(length, size[i], stride[i], dilation[i]));
        view.strides.push(image.strides[front + i] * stride[i] as isize);
    }
    for i in 0..2 {
        let step = window.dilation[i] as isize;
        view.shape.push(window.size[i]);
        view.strides.push(image.strides[front + i] * step);
    }
    view
}
