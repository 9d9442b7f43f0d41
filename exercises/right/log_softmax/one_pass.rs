// Computes the maximum and the sum in one pass.

pub fn log_softmax(row: &[f32]) -> Vec<f32> {
    let (mut m, mut s) = (f64::NEG_INFINITY, 0f64);
    for &x in row {
        let x = x as f64;
        if x > m {
            s = s * (m - x).exp() + 1.0;
            m = x
        } else {
            s += (x - m).exp()
        }
    }
    row.iter().map(|&x| (x as f64 - (m + s.ln())) as f32).collect()
}
pub fn log_softmax_rule(y: &[f32], grad_out: &[f32]) -> Vec<f32> {
    let t: f64 = grad_out.iter().map(|&g| g as f64).sum();
    y.iter()
        .zip(grad_out)
        .map(|(&y, &g)| (g as f64 - (y as f64).exp() * t) as f32)
        .collect()
}
