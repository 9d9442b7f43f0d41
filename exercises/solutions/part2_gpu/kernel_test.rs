// kernel_test: a test that no wrong kernel passes.
//
// WHAT   `largest(&values)` copies the values to a device, runs a kernel and
//        returns its result, which should be the largest value. Return whether
//        the kernel is right. The check calls your test with one right kernel
//        and several wrong ones.
// WHY    Oclgrind finds every stray access, but it does not know the right
//        result. None of the wrong kernels leaves its arrays, and each is
//        right for the values that one tries first: a few positive integers
//        that fill whole groups.
// READ   A borrow checker for kernels
// CHECK  cargo learn check kernel_test

/// Returns whether a kernel finds the largest of any values.
pub fn accepts(largest: &dyn Fn(&[f32]) -> f32) -> bool {
    // HOLE
    //| todo!("TODO(kernel_test): choose values, call `largest`, compare")
    let n = 70_000;
    [0, 300, n / 2, n - 1].into_iter().all(|place| {
        let mut values: Vec<f32> =
            (0..n).map(|i| -1.5 - (i % 7) as f32).collect();
        values[place] = -0.25;
        largest(&values) == -0.25
    })
    // END HOLE
}
