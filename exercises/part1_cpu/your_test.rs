// your_test: the test that no wrong engine passes.
//
// WHAT   This time you write the test. `start(&a, &b)` gives you an engine
//        that has computed (a * b) * b; `engine.backward(&grad_out)` sweeps,
//        and `engine.grad_a()` and `engine.grad_b()` are what it has gathered
//        in the leaves. Say whether it is right. The check hands you one that
//        is, and several that are not.
// WHY    Each of the wrong ones has been somebody's, with tests that were
//        green: all inputs were ones, or there was one element, or one call.
// READ   One sweep
// CHECK  cargo learn check your_test

use super::Engine;

/// Tells whether an engine's gradients of `(a * b) * b` are right.
pub fn accepts(start: &dyn Fn(&[f32], &[f32]) -> Box<dyn Engine>) -> bool {
    // An `Engine` has `backward(&mut self, grad_out: &[f32])`, and
    // `grad_a(&self)` and `grad_b(&self)`, each a `Vec<f32>`.
    todo!("TODO(your_test): choose inputs, sweep, compare")
}
