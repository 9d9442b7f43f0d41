// center_it: center a digit in its image.
//
// WHAT   Find the smallest box that contains all ink, and move its content so
//        that there are as many empty rows above it as below, and as many
//        empty columns to the left as to the right. If the number is odd, the
//        extra row is below, and the extra column is on the right. Ink is any
//        value above 0. An image without ink stays unchanged.
// WHY    A network has learned strokes at certain positions of the image. It
//        has never seen them elsewhere, however well they are drawn.
// READ   Read your own hand
// CHECK  cargo learn check center_it

/// Moves the ink of an image of `[h, w]` pixels, row by row, to the center.
pub fn center_it(image: &[f32], [h, w]: [usize; 2]) -> Vec<f32> {
    todo!("TODO(center_it): find the box around the ink, and center it")
}
