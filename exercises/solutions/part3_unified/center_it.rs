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
    // HOLE
    //| todo!("TODO(center_it): find the box around the ink, and center it")
    // Half-open ranges of the rows and columns with ink.
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
