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
    // HOLE
    //| todo!("TODO(center_it): the box around the ink, in the middle")
    // From the first row and column with ink to behind the last.
    let (mut rows, mut columns) = ([h, 0], [w, 0]);
    for at in (0..h * w).filter(|&at| image[at] > 0.0) {
        let (row, column) = (at / w, at % w);
        rows = [rows[0].min(row), rows[1].max(row + 1)];
        columns = [columns[0].min(column), columns[1].max(column + 1)];
    }
    let mut centered = vec![0.0; h * w];
    if rows[0] >= rows[1] {
        return centered;
    }
    let top = (h - (rows[1] - rows[0])) / 2;
    let left = (w - (columns[1] - columns[0])) / 2;
    for row in rows[0]..rows[1] {
        for column in columns[0]..columns[1] {
            let to = (top + row - rows[0]) * w + left + column - columns[0];
            centered[to] = image[row * w + column];
        }
    }
    centered
    // END HOLE
}
