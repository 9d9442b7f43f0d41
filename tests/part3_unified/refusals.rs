//! What Part 3 alone can be asked for, and refuses: in one sentence, at the
//! line of whoever asked.

use rungrad::part3_unified::optim::Sgd;
use rungrad::part3_unified::{
    Array, Binary, Context, Device, Function, Tensor, Window, apply, grad,
};
use rungrad::{Error, attempt};

use super::child::{child, finish, is_child};
use super::common::clean;
use super::common::refusal::refusal;
use super::{constant, leaf};

fn new(shape: &[usize]) -> Tensor {
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

#[test]
fn a_view_that_cannot_be_is_refused() {
    let _clean = clean();
    let a = new(&[2, 3]);
    assert_eq!(
        refusal(|| a.permute(&[0, 0])),
        "permute: [0, 0] does not name each of the 2 axes once"
    );
    assert_eq!(
        refusal(|| a.flip(&[2])),
        "flip: there is no axis 2; shape [2, 3] has the axes [0, 1]"
    );
    assert_eq!(
        refusal(|| a.slice(&[0..2, 2..4])),
        "slice: 2..4 does not lie in axis 1 of shape [2, 3], which has the \
         elements 0 to 2"
    );
    assert_eq!(
        refusal(|| a.slice(&[0..1, 0..1, 0..1])),
        "slice: 3 ranges for shape [2, 3]; give at most one for each axis"
    );
    assert_eq!(
        refusal(|| a.expand(&[4, 3])),
        "expand: [2, 3] does not stretch to [4, 3]; aligned at the right, \
         each size must be equal or 1"
    );
    assert_eq!(
        refusal(|| a.sum_to(&[2])),
        "sum: [2, 3] does not sum to [2]; aligned at the right, each size \
         must be equal or 1"
    );
    assert_eq!(
        refusal(|| a.windows(&Window { size: [3, 1], step: [1, 1] })),
        "windows: a window of [3, 1] with steps of [1, 1] does not fit the \
         last two axes of shape [2, 3]; its sides and steps are at least 1, \
         and it is no larger than the image"
    );
    let Err(Error::Mistake(sentence)) = a.array().make(&[2], &[1, 1], 0) else {
        panic!("two strides for one axis")
    };
    assert_eq!(
        sentence,
        "view: shape [2] has 1 axes and [1, 1] has 2 strides; give one \
         stride for each axis"
    );
}

#[test]
fn elements_that_are_not_there_are_refused() {
    let _clean = clean();
    let a = new(&[2, 3]);
    assert_eq!(
        refusal(|| a.gather(&[0, 2])),
        "gather: there is no row 2 in shape [2, 3]; rows count from 0"
    );
    assert_eq!(
        refusal(|| constant(&[1.0; 3]).gather(&[0])),
        "gather: shape [3] is no matrix of rows; reshape it to two axes"
    );
    assert_eq!(
        refusal(|| a.scatter(&[0, 4], 3)),
        "scatter: 2 rows to 2 places among 3; give each row a place, counted \
         from 0"
    );
    let Err(Error::Mistake(sentence)) = Tensor::one_hot(&[3], 3, Device::Cpu)
    else {
        panic!("a label too far")
    };
    assert_eq!(
        sentence,
        "one_hot: label 3 with 3 classes; labels count from 0"
    );
}

#[test]
fn operands_that_do_not_fit_are_refused() {
    let _clean = clean();
    let a = new(&[2, 3]);
    assert_eq!(
        refusal(|| a.pad(&[[1, 1]])),
        "pad: 1 pairs of widths for shape [2, 3]; give each axis a pair, \
         before and behind"
    );
    assert_eq!(
        refusal(|| Tensor::cat(&[], 0)),
        "cat: there is nothing to \
         join; give at least one"
    );
    assert_eq!(
        refusal(|| Tensor::cat(&[&a, &new(&[2, 4])], 0)),
        "cat: the shapes [2, 3] and [2, 4] differ in more than axis 0; the \
         other sizes must be equal"
    );
    assert_eq!(
        refusal(|| a.choose(&a, &new(&[2]))),
        "where: the shapes [2, 3] and [2] do not broadcast; aligned at the \
         right, sizes must be equal or 1"
    );
    assert_eq!(
        refusal(|| a.mse(&new(&[2]))),
        "mse: the answers have shape [2, 3] and the numbers [2]; reshape one \
         to the other"
    );
    assert_eq!(
        refusal(|| a.greater(&new(&[2]))),
        "greater: the shapes [2, 3] and [2] do not broadcast; aligned at the \
         right, sizes must be equal or 1"
    );
    assert_eq!(
        refusal(|| new(&[2, 2, 3]).matmul(&new(&[3, 3, 2]))),
        "matmul: [2, 2, 3] x [3, 3, 2]: the axes before the matrices differ; \
         expand one to the other"
    );
    let window = Window { size: [1, 2], step: [1, 1] };
    assert_eq!(
        refusal(|| new(&[2, 2, 1, 3]).fold(&window, [2, 3])),
        "fold: shape [2, 2, 1, 3] does not end in [2, 2, 1, 2], the places \
         and the size of the windows in an image of [2, 3]"
    );
    assert_eq!(
        refusal(|| new(&[1, 2, 3, 3]).conv2d(
            &new(&[1, 3, 2, 2]),
            [1, 1],
            [0, 0]
        )),
        "conv2d: images of 2 channels and filters of 3; make them equal"
    );
    assert_eq!(
        refusal(|| a.avg_pool2d(&window)),
        "avg_pool2d: shape [2, 3] is not (number, channels, height, width); \
         reshape it to four axes"
    );
    let other = new(&[3]);
    assert_eq!(
        a.array().binary(Binary::Add, other.array()).unwrap_err(),
        Error::Mistake(
            "add: the shapes [2, 3] and [3] differ; give both operands the \
             same shape"
                .into()
        )
    );
}

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
    fn name(&self) -> &'static str {
        "forgetful"
    }

    fn forward(
        &self,
        _ctx: &mut Context,
        inputs: &[&Array],
    ) -> Result<Array, Error> {
        Ok(inputs[0].clone())
    }

    fn backward(&self, ctx: &Context, out: &Tensor) -> Vec<Option<Tensor>> {
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
        "forgetful: backward gave no gradient for input 0, which needs one; \
         give one for each input in order"
    );
}

/// A reader's function that asks for an input that it has not got.
struct Astray {
    saves: bool,
}

impl Function for Astray {
    fn name(&self) -> &'static str {
        "astray"
    }

    fn forward(
        &self,
        ctx: &mut Context,
        inputs: &[&Array],
    ) -> Result<Array, Error> {
        if self.saves {
            ctx.save_input(5, inputs[0]);
        }
        Ok(inputs[0].clone())
    }

    fn backward(&self, ctx: &Context, _: &Tensor) -> Vec<Option<Tensor>> {
        vec![Some(ctx.input(5))]
    }
}

#[test]
fn an_input_that_is_not_there_is_a_sentence() {
    let _clean = clean();
    let sentence = |saves: bool| {
        attempt(|| apply(Astray { saves }, &[&leaf(&[2.0])]).backward())
    };
    let right = "Context::save_input(5, ..): there are 1 inputs, counted \
        from 0";
    assert_eq!(sentence(true), Err(Error::Mistake(right.into())));
    let right = "Context::input(5): forward did not save it; call \
        save_input(5, ..) there";
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
