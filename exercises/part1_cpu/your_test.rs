// your_test: a test that no wrong engine passes.
//
// WHAT   This time you write the test. `start(&a, &b)` returns an engine that
//        has computed (a * b) * b. `engine.backward(&grad_out)` runs backward,
//        and `engine.grad_a()` and `engine.grad_b()` are the gradients
//        accumulated in the leaves. Return whether the engine is right. The
//        check calls your test with one right engine and several wrong ones.
// WHY    Each of these bugs has occurred in a real engine whose tests passed:
//        all inputs were ones, or there was only one element, or one call.
// READ   One backward pass
// CHECK  cargo learn check your_test

use super::Engine;

/// Returns whether an engine's gradients of `(a * b) * b` are right.
pub fn accepts(start: &dyn Fn(&[f32], &[f32]) -> Box<dyn Engine>) -> bool {
    // An `Engine` has `backward(&mut self, grad_out: &[f32])`, and
    // `grad_a(&self)` and `grad_b(&self)`, each a `Vec<f32>`.
    todo!("TODO(your_test): choose inputs, run backward, compare")
}
