// The one more is above and to the left.

/// Moves the ink of an image of `[h, w]` numbers, row by row, into the middle.
pub fn center_it(image: &[f32], [h, w]: [usize; 2]) -> Vec<f32> {
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
    let top = (h - (rows[1] - rows[0])).div_ceil(2);
    let left = (w - (columns[1] - columns[0])).div_ceil(2);
    for row in rows[0]..rows[1] {
        for column in columns[0]..columns[1] {
            let to = (top + row - rows[0]) * w + left + column - columns[0];
            centered[to] = image[row * w + column];
        }
    }
    centered
}
