// What a pixel has already is lost.

/// Adds windows up to an image of `[h, w]`. The window at row `r` and column
/// `c` of its places has its upper left corner at the pixel
/// `[r * stride[0], c * stride[1]]`.
pub fn fold(
    windows: &[f32],
    [rows, columns, height, width]: [usize; 4],
    stride: [usize; 2],
    [h, w]: [usize; 2],
) -> Vec<f32> {
    let mut image = vec![0.0; h * w];
    let mut numbers = windows.iter();
    for row in 0..rows {
        for column in 0..columns {
            for v in 0..height {
                for u in 0..width {
                    let y = row * stride[0] + v;
                    let x = column * stride[1] + u;
                    image[y * w + x] = *numbers.next().unwrap();
                }
            }
        }
    }
    image
}
