// custom_loss: softmax and cross-entropy as one function.
//
// WHAT   The mean over rows of -log softmax(scores)[label], as one Function:
//        a value that never overflows, and the shortest gradient there is.
// WHY    Made of five operations, this loss keeps five arrays for the way
//        back. As one it keeps the scores, and its gradient is a difference.
//        Written with tensor operations, that gradient has gradients too.
// CHECK  cargo learn check custom_loss

use rungrad::Result;
use rungrad::ops::Keep;
use rungrad::part3_unified::{
    Array, Binary, Context, Function, Gradients, Op, Reduce, Tensor, Unary,
    apply,
};

/// The loss of scores (rows, classes); the label of each row is a parameter.
pub struct Loss {
    pub labels: Vec<usize>,
}

impl Function for Loss {
    fn op(&self) -> Op {
        Op::named("loss")
    }

    fn forward(&self, ctx: &mut Context, inputs: &[&Array]) -> Result<Array> {
        let scores = inputs[0];
        ctx.save_input(0, scores);
        let (rows, classes) = (scores.shape()[0], scores.shape()[1]);
        // The score of each row's label: (rows, 1).
        let cells = scores.reshape(&[rows * classes, 1])?;
        let places = self.labels.iter().enumerate();
        let places: Vec<usize> =
            places.map(|(row, label)| row * classes + label).collect();
        let chosen = cells.index_select(0, &places)?;
        let most = scores.reduce(Reduce::Max, &[1], Keep::Yes)?;
        let minus = |a: &Array, b: &Array| {
            a.binary(Binary::Add, &b.unary(Unary::Scale(-1.0))?)
        };
        let powers = minus(scores, &most.expand(scores.shape())?)?
            .unary(Unary::Exp)?
            .reduce(Reduce::Sum, &[1], Keep::Yes)?;
        let logs = powers.unary(Unary::Log)?.binary(Binary::Add, &most)?;
        minus(&logs, &chosen)?
            .reduce(Reduce::Sum, &[0, 1], Keep::No)?
            .unary(Unary::Scale(1.0 / rows as f64))
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        let scores = ctx.input(0);
        let (rows, classes) = (scores.shape()[0], scores.shape()[1]);
        // 1 at each row's label, 0 elsewhere: (rows, classes).
        let wanted = Tensor::one_hot(&self.labels, classes, scores.device());
        let wanted = wanted.expect("the labels were checked in forward");
        let off = scores.detach().softmax().sub(&wanted);
        vec![Some(off.scale(1.0 / rows as f32).mul(grad_out))]
    }
}

/// Computes the loss: this is what users call.
pub fn loss(scores: &Tensor, labels: &[usize]) -> Tensor {
    apply(Loss { labels: labels.to_vec() }, &[scores])
}
