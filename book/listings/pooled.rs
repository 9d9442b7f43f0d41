/// Returns a view in which each window spans two axes, and the numbers of
/// these axes. If the windows tile the image, the view is a reshape, so
/// that the backward pass has no overlaps to add up.
#[track_caller]
fn pooling_windows(&self, window: &Window) -> (Tensor, [usize; 2]) {
    let [n, channels, h, w] = self.image_shape("pool");
    let [height, width] = window.size;
    let side_by_side = Window::new(window.size).stride(window.size);
    let fits = |n: usize, size| n > 0 && n.checked_rem(size) == Some(0);
    if *window == side_by_side && fits(h, height) && fits(w, width) {
        let (rows, columns) = (h / height, w / width);
        let shape = [n, channels, rows, height, columns, width];
        return (self.reshape(&shape), [3, 5]);
    }
    (self.windows(window), [4, 5])
}
