// Many values, and the largest anywhere, but all are positive.

/// Tells whether a kernel finds the largest of any values.
pub fn accepts(largest: &dyn Fn(&[f32]) -> f32) -> bool {
    let n = 70_000;
    [0, 300, n / 2, n - 1].into_iter().all(|place| {
        let mut values: Vec<f32> = (0..n).map(|i| (i % 7) as f32).collect();
        values[place] = 7.25;
        largest(&values) == 7.25
    })
}
