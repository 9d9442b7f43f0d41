// The center of mass is in the middle, and not the box.

/// Moves the ink of an image of `[h, w]` numbers, row by row, into the middle.
pub fn center_it(image: &[f32], [h, w]: [usize; 2]) -> Vec<f32> {
    let mut mass = [0.0, 0.0, 0.0];
    for (at, ink) in image.iter().enumerate() {
        mass[0] += ink;
        mass[1] += ink * (at / w) as f32;
        mass[2] += ink * (at % w) as f32;
    }
    let mut centered = vec![0.0; h * w];
    if mass[0] == 0.0 {
        return centered;
    }
    let down = ((h - 1) as f32 / 2.0 - mass[1] / mass[0]).round() as isize;
    let right = ((w - 1) as f32 / 2.0 - mass[2] / mass[0]).round() as isize;
    for (at, ink) in image.iter().enumerate() {
        let row = (at / w).checked_add_signed(down);
        let column = (at % w).checked_add_signed(right);
        let (Some(row), Some(column)) = (row, column) else { continue };
        if row < h && column < w {
            centered[row * w + column] = *ink;
        }
    }
    centered
}
