//! What Part 3 alone can be asked for, and refuses: in one sentence, at the
//! line of whoever asked.

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

/// The terminal hears of a panic that nobody takes, and of no other.
#[test]
fn what_an_attempt_takes_is_not_printed() {
    let _clean = clean();
    if is_child() {
        assert!(attempt(|| new(&[2]).flip(&[2])).is_err());
        panic!("and this is the end");
    }
    let name = "refusals::what_an_attempt_takes_is_not_printed";
    let outcome = finish(&mut child(name));
    let text = outcome.text;
    assert_eq!(text.matches("panicked at").count(), 1, "{text}");
    assert!(text.contains("and this is the end"), "{text}");
}

/// Promise: `backward()` on a tensor without a graph is rejected at the
/// caller's line.
#[test]
fn a_tensor_without_a_graph_has_no_way_back() {
    let _clean = clean();
    let (x, c) = (leaf(&[2.0]), constant(&[5.0]));
    for (caller, sentence) in [
        ("backward", refusal(|| c.backward())),
        ("backward", refusal(|| c.backward_with(&c))),
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

/// A reader's function that forgets what it promised.
struct Forgetful {
    asks: bool,
}

impl Function for Forgetful {
    fn op(&self) -> Op {
        Op::named("forgetful")
    }

    fn forward(&self, _: &mut Context, inputs: &[&Array]) -> Result<Array> {
        Ok(inputs[0].clone())
    }

    fn backward(&self, ctx: &Context, out: &Tensor) -> Gradients {
        match self.asks {
            true => vec![Some(out.mul(&ctx.input(0)))],
            false => vec![],
        }
    }
}

#[test]
fn a_function_that_forgets_is_told() {
    let _clean = clean();
    let sentence = |asks: bool| {
        let y = apply(Forgetful { asks }, &[&leaf(&[2.0])]);
        match attempt(|| y.backward()) {
            Err(Error::Mistake(sentence)) => sentence,
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
        "forgetful: the rule gave 0 gradients for 1 operands; give one for \
         each, in operand order"
    );
}

/// A reader's product, whose rule may answer what it likes.
struct Answer(fn(&Context, &Tensor) -> Gradients);

impl Function for Answer {
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

/// Of a matrix and a row that stretches over it, and what stopped the sweep.
fn answered(rule: fn(&Context, &Tensor) -> Gradients) -> String {
    let a = Tensor::full(&[2, 3], 2.0, Device::Cpu).unwrap().requires_grad();
    let b = Tensor::full(&[3], 5.0, Device::Cpu).unwrap().requires_grad();
    let out = apply(Answer(rule), &[&a, &b]).sum();
    let sentence = refusal(|| out.backward());
    assert_eq!((a.grad().is_some(), b.grad().is_some()), (false, false));
    // What was refused has left the engine as it was.
    b.mul(&b).sum().backward();
    assert_eq!(b.grad().unwrap().to_vec().unwrap(), [10.0; 3]);
    sentence
}

/// Promise: The backward pass rejects a gradient with the wrong shape.
#[test]
fn a_gradient_of_another_shape_is_refused() {
    let _clean = clean();
    let sentence =
        answered(|ctx, g| vec![Some(g.clone()), Some(g.mul(&ctx.input(0)))]);
    assert_eq!(
        sentence,
        "answer: the gradient of operand 1 has shape [2, 3], but the operand \
         has [3]; a gradient has the shape of what it belongs to"
    );
}

/// Promise: The backward pass rejects a gradient on the wrong device.
#[test]
fn a_gradient_on_another_device_is_refused() {
    let _clean = clean();
    let sentence = answered(|ctx, g| {
        let there = g.mul(&ctx.input(0)).sum_to(&[3]).to(third::device());
        vec![Some(g.clone()), Some(there.unwrap())]
    });
    assert_eq!(
        sentence,
        "answer: the gradient of operand 1 is on third, but the operand is \
         on cpu; a gradient lies where what it belongs to lies"
    );
}

/// Promise: The backward pass rejects a missing gradient.
#[test]
fn a_gradient_that_is_missing_is_refused() {
    let _clean = clean();
    let sentence = answered(|_, g| vec![Some(g.clone()), None]);
    assert_eq!(
        sentence,
        "answer: the rule gave no gradient for operand 1, which requires \
         one; give one for each, in operand order"
    );
}

/// Promise: A gradient rule that panics leaves the engine unchanged.
#[test]
fn a_rule_that_panics_leaves_the_engine_as_it_was() {
    let _clean = clean();
    let a = leaf(&[2.0]);
    let rule = |_: &Context, _: &Tensor| -> Gradients { panic!("my own") };
    let out = apply(Answer(rule), &[&a, &a]);
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        out.backward();
    }));
    assert_eq!(*caught.unwrap_err().downcast::<&str>().unwrap(), "my own");
    assert!(a.grad().is_none());
    a.mul(&a).backward();
    assert_eq!(a.grad().unwrap().to_vec().unwrap(), [4.0]);
}

/// Where a panic aborts the process, as under `panic = "abort"`, a refused
/// move must still be a `Result`.
///
/// Promise: A move to a device that fails returns a `Result`, even where a
/// panic would abort.
#[test]
fn a_refused_move_needs_no_panic() {
    let _clean = clean();
    if !is_child() {
        let name = "refusals::a_refused_move_needs_no_panic";
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

/// A reader's function that asks for an input that it has not got.
struct Astray {
    saves: bool,
}

impl Function for Astray {
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
fn an_input_that_is_not_there_is_a_sentence() {
    let _clean = clean();
    let sentence = |saves: bool| {
        attempt(|| apply(Astray { saves }, &[&leaf(&[2.0])]).backward())
    };
    let right = "Context::save_input(1, ..): there are 1 inputs, counted \
        from 0";
    assert_eq!(sentence(true), Err(Error::Mistake(right.into())));
    let right = "Context::input(1): forward did not save it; call \
        save_input(1, ..) there";
    assert_eq!(sentence(false), Err(Error::Mistake(right.into())));
}

#[test]
fn an_optimizer_belongs_to_one_model() {
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
fn a_seed_of_another_shape_is_refused_and_its_graph_is_kept_on_demand() {
    let _clean = clean();
    let x = new(&[2]).requires_grad();
    let y = x.mul(&x);
    let wrong = new(&[3]);
    let refused = attempt(|| grad_with(&[(&y, &wrong)], &[&x], false));
    let sentence = refused.unwrap_err().to_string();
    assert!(sentence.contains("grad: output 0"), "{sentence}");
    // A seed that is itself computed has a slope of its own.
    let seed = new(&[2]).requires_grad();
    let slope = |create_graph| {
        let found = grad_with(&[(&y, &seed)], &[&x], create_graph);
        found.into_iter().next().flatten().expect("a gradient")
    };
    slope(true).sum().backward();
    assert!(seed.grad().is_some());
    assert!(slope(false).id().is_none());
}

/// A square that saves another array than its input.
struct Saves(fn(&Array) -> Result<Array>);

impl Function for Saves {
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
fn an_input_is_saved_as_it_was_given_in_its_own_shape() {
    let _clean = clean();
    let x = leaf(&[1.0, 2.0, 3.0]);
    apply(Saves(|a| a.flip(&[0])), &[&x]).sum().backward();
    assert_eq!(x.grad().unwrap().to_vec().unwrap(), [6.0, 4.0, 2.0]);
    let refused = attempt(|| apply(Saves(|a| a.reshape(&[3, 1])), &[&x]));
    let sentence = refused.map(drop).unwrap_err().to_string();
    assert!(sentence.contains("an array of shape [3, 1]"), "{sentence}");
}

#[test]
fn the_ends_of_a_clamp_may_be_equal() {
    let _clean = clean();
    let x = new(&[2]);
    assert_eq!(x.clamp(0.5, 0.5).to_vec().unwrap(), [0.5, 0.5]);
    let sentence = attempt(|| x.clamp(1.0, 0.5)).unwrap_err().to_string();
    assert!(sentence.contains("clamp"), "{sentence}");
}
