// The values rise, so that the largest is always the last.

/// Tells whether a kernel finds the largest of any values.
pub fn accepts(largest: &dyn Fn(&[f32]) -> f32) -> bool {
    let n = 70_100;
    let values: Vec<f32> = (0..n).map(|i| (i - n) as f32 + 0.5).collect();
    let mut late = values.clone();
    late[n as usize - 2] = -0.25;
    largest(&values) == -0.5 && largest(&late) == -0.25
}
