// kernel_test: the test that no wrong kernel passes.
//
// WHAT   `largest(&values)` puts the values on a device, launches a kernel
//        and returns the one number that it finds, which should be the
//        largest of them. Say whether the kernel is right. The check hands
//        you one that is, and several that are not.
// WHY    Oclgrind sees every stray access and no wrong number. Each of the
//        wrong kernels keeps to its arrays, and each is right for the values
//        that one tries first: a few, positive, whole, in whole groups.
// READ   A borrow checker for kernels
// CHECK  cargo learn check kernel_test

/// Tells whether a kernel finds the largest of any values.
pub fn accepts(largest: &dyn Fn(&[f32]) -> f32) -> bool {
    // HOLE
    //| todo!("TODO(kernel_test): choose values, ask for their largest, compare")
    let n = 70_000;
    [0, 300, n / 2, n - 1].into_iter().all(|place| {
        let mut values: Vec<f32> =
            (0..n).map(|i| -1.5 - (i % 7) as f32).collect();
        values[place] = -0.25;
        largest(&values) == -0.25
    })
    // END HOLE
}
