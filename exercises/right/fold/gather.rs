// Each cell collects from the windows that cover it.

pub fn fold(
    windows: &[f32],
    [rows, columns, height, width]: [usize; 4],
    stride: [usize; 2],
    [h, w]: [usize; 2],
) -> Vec<f32> {
    (0..h * w)
        .map(|p| {
            let (y, x) = (p / w, p % w);
            let mut s = 0f64;
            for i in 0..height {
                for j in 0..width {
                    if y >= i
                        && x >= j
                        && (y - i) % stride[0] == 0
                        && (x - j) % stride[1] == 0
                    {
                        let (r, c) = ((y - i) / stride[0], (x - j) / stride[1]);
                        if r < rows && c < columns {
                            s += windows
                                [((r * columns + c) * height + i) * width + j]
                                as f64
                        }
                    }
                }
            }
            s as f32
        })
        .collect()
}
