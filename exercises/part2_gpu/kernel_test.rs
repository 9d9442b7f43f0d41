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
    todo!("TODO(kernel_test): choose values, call `largest`, compare")
}
