// center_it: a digit in the middle of its image.
//
// WHAT   Find the smallest box with all ink in it, and move what is in it so
//        that as many empty rows are above it as below, and as many empty
//        columns to the left as to the right. Where they cannot be as many,
//        the one more is below, or to the right. Ink is what is above 0, and
//        an image without ink stays as it is.
// WHY    A network has learned strokes at certain places of its image. What
//        stands elsewhere it has never seen, however well it is written.
// READ   Windows and a product
// CHECK  cargo learn check center_it

/// Moves the ink of an image of `[h, w]` numbers, row by row, into the middle.
pub fn center_it(image: &[f32], [h, w]: [usize; 2]) -> Vec<f32> {
    todo!("TODO(center_it): the box around the ink, in the middle")
}
