// Largest is understood as farthest from 0.

/// Tells whether a kernel finds the largest of any values.
pub fn accepts(largest: &dyn Fn(&[f32]) -> f32) -> bool {
    let n = 70_000;
    let mut values: Vec<f32> = (0..n).map(|i| (i % 7) as f32).collect();
    values[300] = -9.5;
    largest(&values) == -9.5
}
