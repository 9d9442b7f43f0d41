//! Calls that only Part 3 has and that it rejects: with one sentence, at the
//! caller's line.

use rungrad::optim::{Optimizer, Sgd};
use rungrad::part3_unified::{
    Array, Binary, Context, Device, Function, Gradients, Op, Tensor, apply,
    grad, grad_with,
};
use rungrad::{Error, Result, attempt};

use super::{constant, leaf, third};
use testkit::child::{child, finish, is_child};
use testkit::clean;
use testkit::refusal::refusal;

pub(crate) fn new(shape: &[usize]) -> Tensor {
    let values = vec![1.0; shape.iter().product()];
    Tensor::new(shape, &values, Device::Cpu).unwrap()
}

/// A panic that `attempt` catches is not printed; any other panic is.
#[test]
fn panics_caught_by_attempt_are_not_printed() {
    let _clean = clean();
    if is_child() {
        assert!(attempt(|| new(&[2]).flip(&[2])).is_err());
        panic!("and this is the end");
    }
    let name = "rejected_calls::panics_caught_by_attempt_are_not_printed";
    let outcome = finish(&mut child(name));
    let text = outcome.text;
    assert_eq!(text.matches("panicked at").count(), 1, "{text}");
    assert!(text.contains("and this is the end"), "{text}");
}

#[test]
fn set_grad_rejects_a_result_and_a_gradient_of_a_different_shape() {
    let _clean = clean();
    let x = leaf(&[2.0]);
    let result = x.mul(&x);
    assert!(
        refusal(|| result.set_grad(constant(&[1.0]))).contains("only a leaf")
    );
    let long = refusal(|| x.set_grad(constant(&[1.0, 2.0])));
    assert!(long.contains("set_grad") && long.contains("[2]"), "{long}");
    assert!(x.grad().is_none());
    x.set_grad(result);
    assert!(!x.grad().unwrap().records());
}

/// Promise: `backward()` on a tensor without a graph is rejected at the
/// caller's line.
#[test]
fn backward_rejects_a_tensor_without_a_graph() {
    let _clean = clean();
    let (x, c) = (leaf(&[2.0]), constant(&[5.0]));
    for (caller, sentence) in [
        ("backward", refusal(|| c.backward())),
        ("backward_with", refusal(|| c.backward_with(&c))),
        ("grad: output 1", refusal(|| grad(&[&x, &c], &[&x], false))),
        ("tape", refusal(|| c.tape())),
        ("backward_recorded", refusal(|| c.backward_recorded())),
    ] {
        assert_eq!(
            sentence,
            format!(
                "{caller}: this tensor has no graph; call .requires_grad() \
                 on an input before computing, outside no_grad"
            )
        );
    }
    let y = x.mul(&x);
    assert_eq!(
        refusal(|| grad(&[&y], &[&x, &c], false)),
        "grad: input 1 does not require a gradient; call .requires_grad() on \
         it before computing"
    );
    assert_eq!(
        refusal(|| grad(&[&y], &[&x, &leaf(&[1.0])], false)),
        "grad: no output depends on input 1, so its gradient is 0 \
         everywhere; leave it out"
    );
    let two = leaf(&[2.0, 3.0]);
    assert_eq!(
        refusal(|| grad(&[&y, &two], &[&x], false)),
        "grad: output 1: this tensor has shape [2], not one element; sum it \
         first, or hand backward_with a gradient of that shape"
    );
}

/// A user-defined function that reads an unsaved input, or returns no
/// gradients.
struct Incomplete {
    reads_input: bool,
}

impl Function for Incomplete {
    fn op(&self) -> Op {
        Op::named("forgetful")
    }

    fn forward(&self, _: &mut Context, inputs: &[&Array]) -> Result<Array> {
        Ok(inputs[0].clone())
    }

    fn backward(&self, ctx: &Context, out: &Tensor) -> Gradients {
        match self.reads_input {
            true => vec![Some(out.mul(&ctx.input(0)))],
            false => vec![],
        }
    }
}

#[test]
fn an_incomplete_function_gets_an_error() {
    let _clean = clean();
    let sentence = |reads_input: bool| {
        let y = apply(Incomplete { reads_input }, &[&leaf(&[2.0])]);
        match attempt(|| y.backward()) {
            Err(error) if error.exit_code() == 2 => error.to_string(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(
        sentence(true),
        "Context::input(0): forward did not save it; call save_input(0, ..) \
         there"
    );
    assert_eq!(
        sentence(false),
        "forgetful: the rule gave 0 gradients for 1 operand; give one for \
         each, in operand order"
    );
}

/// A user-defined multiplication with an arbitrary backward rule.
struct CustomRule(fn(&Context, &Tensor) -> Gradients);

impl Function for CustomRule {
    fn op(&self) -> Op {
        Op::named("answer")
    }

    fn forward(&self, ctx: &mut Context, inputs: &[&Array]) -> Result<Array> {
        ctx.save_input(0, inputs[0]);
        let b = inputs[1].expand(inputs[0].shape())?;
        inputs[0].binary(Binary::Mul, &b)
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        (self.0)(ctx, grad_out)
    }
}

/// Applies a rule to a matrix and a broadcast row, and returns the error of
/// the backward pass.
fn error_of_rule(rule: fn(&Context, &Tensor) -> Gradients) -> String {
    let a = Tensor::full(&[2, 3], 2.0, Device::Cpu).unwrap().requires_grad();
    let b = Tensor::full(&[3], 5.0, Device::Cpu).unwrap().requires_grad();
    let out = apply(CustomRule(rule), &[&a, &b]).sum();
    let sentence = refusal(|| out.backward());
    assert_eq!((a.grad().is_some(), b.grad().is_some()), (false, false));
    // The rejected gradient has not changed the engine.
    b.mul(&b).sum().backward();
    assert_eq!(b.grad().unwrap().to_vec().unwrap(), [10.0; 3]);
    sentence
}

/// Promise: The backward pass rejects a gradient with the wrong shape.
#[test]
fn a_gradient_of_the_wrong_shape_is_rejected() {
    let _clean = clean();
    let sentence = error_of_rule(|ctx, g| {
        vec![Some(g.clone()), Some(g.mul(&ctx.input(0)))]
    });
    assert_eq!(
        sentence,
        "answer: the gradient of operand 1 has shape [2, 3], but the operand \
         has [3]; a gradient has the shape of what it belongs to"
    );
}

/// Promise: The backward pass rejects a gradient on the wrong device.
#[test]
fn a_gradient_on_the_wrong_device_is_rejected() {
    let _clean = clean();
    let sentence = error_of_rule(|ctx, g| {
        let there = g.mul(&ctx.input(0)).sum_to(&[3]).to(third::device());
        vec![Some(g.clone()), Some(there.unwrap())]
    });
    assert_eq!(
        sentence,
        "answer: the gradient of operand 1 is on third, but the operand is \
         on cpu; move the gradient to cpu"
    );
}

/// Promise: The backward pass rejects a missing gradient.
#[test]
fn a_missing_gradient_is_rejected() {
    let _clean = clean();
    let sentence = error_of_rule(|_, g| vec![Some(g.clone()), None]);
    assert_eq!(
        sentence,
        "answer: the rule gave no gradient for operand 1, which requires \
         one; give one for each, in operand order"
    );
}

/// Promise: A gradient rule that panics leaves the engine unchanged.
#[test]
fn a_panicking_rule_leaves_the_engine_unchanged() {
    let _clean = clean();
    let a = leaf(&[2.0]);
    let rule = |_: &Context, _: &Tensor| -> Gradients { panic!("my own") };
    let out = apply(CustomRule(rule), &[&a, &a]);
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        out.backward();
    }));
    assert_eq!(*caught.unwrap_err().downcast::<&str>().unwrap(), "my own");
    assert!(a.grad().is_none());
    a.mul(&a).backward();
    assert_eq!(a.grad().unwrap().to_vec().unwrap(), [4.0]);
}

/// With `panic = "abort"`, a failed move must still return a `Result`.
///
/// Promise: A move to a device that fails returns a `Result`, even where a
/// panic would abort.
#[test]
fn a_failed_move_returns_an_error_without_a_panic() {
    let _clean = clean();
    if !is_child() {
        let name =
            "rejected_calls::a_failed_move_returns_an_error_without_a_panic";
        let outcome = finish(&mut child(name));
        assert!(outcome.status.success(), "{}", outcome.text);
        assert!(outcome.text.contains("refused in a sentence"));
        return;
    }
    std::panic::set_hook(Box::new(|_| std::process::abort()));
    let a = leaf(&[2.0]);
    let refused = a.mul(&a).to(Device::Gpu(1000));
    assert!(refused.is_err());
    let refused = third::with_room_for(0, || a.to(third::device()));
    assert!(refused.is_err());
    println!("refused in a sentence");
}

/// A user-defined function that uses an input which it does not have.
struct WrongInput {
    saves: bool,
}

impl Function for WrongInput {
    fn op(&self) -> Op {
        Op::named("astray")
    }

    fn forward(&self, ctx: &mut Context, inputs: &[&Array]) -> Result<Array> {
        if self.saves {
            ctx.save_input(1, inputs[0]);
        }
        Ok(inputs[0].clone())
    }

    fn backward(&self, ctx: &Context, _: &Tensor) -> Gradients {
        vec![Some(ctx.input(1))]
    }
}

#[test]
fn a_missing_function_input_gives_an_error() {
    let _clean = clean();
    let sentence = |saves: bool| {
        attempt(|| apply(WrongInput { saves }, &[&leaf(&[2.0])]).backward())
    };
    let right = "Context::save_input(1, ..): there are 1 inputs, counted \
        from 0";
    assert_eq!(sentence(true), Err(Error::Mistake(right.into())));
    let right = "Context::input(1): forward did not save it; call \
        save_input(1, ..) there";
    assert_eq!(sentence(false), Err(Error::Mistake(right.into())));
}

#[test]
fn sgd_rejects_a_different_parameter_list() {
    let _clean = clean();
    let mut sgd = Sgd::new(0.1, 0.0);
    let mut x = leaf(&[1.0]);
    x.backward();
    sgd.step(vec![("x".into(), &mut x)]);
    assert_eq!(
        refusal(|| sgd.step(vec![])),
        "step: these are not the parameters of the steps before; make an \
         optimizer for each model"
    );
}

#[test]
fn grad_with_checks_and_can_differentiate_the_seed() {
    let _clean = clean();
    let x = new(&[2]).requires_grad();
    let y = x.mul(&x);
    let wrong = new(&[3]);
    let refused = attempt(|| grad_with(&[(&y, &wrong)], &[&x], false));
    let sentence = refused.unwrap_err().to_string();
    assert!(sentence.contains("grad: output 0"), "{sentence}");
    // A seed that is itself computed has its own gradient.
    let seed = new(&[2]).requires_grad();
    let slope = |create_graph| {
        let found = grad_with(&[(&y, &seed)], &[&x], create_graph);
        found.into_iter().next().flatten().expect("a gradient")
    };
    slope(true).sum().backward();
    assert!(seed.grad().is_some());
    assert!(slope(false).id().is_none());
}

/// A square that saves an array other than its input.
struct SavesOther(fn(&Array) -> Result<Array>);

impl Function for SavesOther {
    fn op(&self) -> Op {
        Op::named("square")
    }

    fn forward(&self, ctx: &mut Context, inputs: &[&Array]) -> Result<Array> {
        ctx.save_input(0, &(self.0)(inputs[0])?);
        inputs[0].binary(Binary::Mul, inputs[0])
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        vec![Some(grad_out.mul(&ctx.input(0)).scale(2.0))]
    }
}

#[test]
fn save_input_accepts_only_the_shape_of_the_input() {
    let _clean = clean();
    let x = leaf(&[1.0, 2.0, 3.0]);
    apply(SavesOther(|a| a.flip(&[0])), &[&x]).sum().backward();
    assert_eq!(x.grad().unwrap().to_vec().unwrap(), [6.0, 4.0, 2.0]);
    let refused = attempt(|| apply(SavesOther(|a| a.reshape(&[3, 1])), &[&x]));
    let sentence = refused.map(drop).unwrap_err().to_string();
    assert!(sentence.contains("an array of shape [3, 1]"), "{sentence}");
}

#[test]
fn clamp_accepts_equal_bounds() {
    let _clean = clean();
    let x = new(&[2]);
    assert_eq!(x.clamp(0.5, 0.5).to_vec().unwrap(), [0.5, 0.5]);
    let sentence = attempt(|| x.clamp(1.0, 0.5)).unwrap_err().to_string();
    assert!(sentence.contains("clamp"), "{sentence}");
}
