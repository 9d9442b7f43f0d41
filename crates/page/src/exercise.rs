//! The exercises that a page checks, with the steps and the verdicts of `cargo
//! learn check`. The learner's function is made from what the reader types.

use std::rc::Rc;

use exercises::steps::find_the_values::{self, Values};
use exercises::steps::{Binary, first_forward, mul_rule};
use ndarray::ArrayD;
use rungrad::Error;
use rungrad::part1_cpu::Tensor;
use serde_json::{Value, json};
use tools::expression::expr::{self, Expr};
use tools::expression::part1::{OPS, Ops};

use crate::expression::check_typed;
use crate::task::parse_single;

/// The narrowest verdict, in characters.
const MIN_COLUMNS: usize = 30;

/// Checks the answer to an exercise, and formats the verdict for a terminal of
/// this many columns.
pub(crate) fn answer(id: &str, words: &[&str]) -> Result<Value, Error> {
    let (columns, yours) = words.split_first().unwrap_or((&"", &[]));
    let columns = columns.parse().map_or(80, |it: usize| it.max(MIN_COLUMNS));
    // The last line is missing if it is empty.
    let typed = |line: usize| yours.get(line).copied().unwrap_or_default();
    let (solved, verdict) = match id {
        "first_forward" => {
            let forward = function(typed(0))?;
            exercises::verdict(id, &forward, first_forward::STEPS, columns)
        }
        "find_the_values" => {
            let (a, b) = (parse_single(typed(0))?, parse_single(typed(1))?);
            let values: Values = Box::new(move || (a, b));
            exercises::verdict(id, &values, find_the_values::STEPS, columns)
        }
        "mul_rule" => {
            let mul = product(typed(0), typed(1))?;
            exercises::verdict(id, &mul, mul_rule::STEPS, columns)
        }
        _ => {
            let sentence = format!("`{id}` is no exercise of a page");
            return Err(Error::Usage(sentence));
        }
    };
    Ok(json!({ "solved": solved, "verdict": verdict }))
}

/// Returns the function of `a` and `b` that an expression describes.
fn function(text: &str) -> Result<Binary, Error> {
    let expr = parse(text, &["a", "b"])?;
    let evaluate = move |a: &Tensor, b: &Tensor| {
        let inputs = [("a", a), ("b", b)];
        OPS.evaluate(&expr, &inputs.map(|(name, it)| named(name, it)))
    };
    // An unknown operation is an error for any operands.
    let one = Tensor::new(&[1], &[1.0]);
    evaluate(&one, &one)?;
    Ok(Box::new(move |a, b| evaluate(a, b).expect("it has been evaluated")))
}

/// The operations on the arrays of a rule.
const ARRAY_OPS: Ops<ArrayD<f32>> = Ops {
    one: &[("neg", |a| -a)],
    two: &[
        ("mul", |a, b| a * b),
        ("add", |a, b| a + b),
        ("sub", |a, b| a - b),
        ("div", |a, b| a / b),
    ],
};

/// Returns a product whose rule computes these two gradients.
fn product(grad_a: &str, grad_b: &str) -> Result<Binary, Error> {
    let parse = |text| parse(text, &["a", "b", "grad_out"]);
    let gradients = [parse(grad_a)?, parse(grad_b)?];
    let evaluate = move |a: &ArrayD<f32>, b: &ArrayD<f32>, grad_out: &_| {
        let inputs = [("a", a), ("b", b), ("grad_out", grad_out)];
        let inputs = inputs.map(|(name, it)| named(name, it));
        let gradients = gradients.iter();
        let gradients = gradients.map(|it| ARRAY_OPS.evaluate(it, &inputs));
        gradients.collect::<Result<Vec<_>, Error>>()
    };
    let one = ArrayD::ones(vec![1]);
    evaluate(&one, &one, &one)?;
    let evaluate = Rc::new(evaluate);
    Ok(Box::new(move |a, b| {
        let (x, y, evaluate) = (a.data(), b.data(), Rc::clone(&evaluate));
        Tensor::from_op("mul", &[a, b], &*x * &*y, move |grad_out| {
            evaluate(&x, &y, grad_out).expect("it has been evaluated")
        })
    }))
}

fn named<T: Clone>(name: &str, value: &T) -> (String, T) {
    (name.to_string(), value.clone())
}

/// Parses an expression of these names.
fn parse(text: &str, names: &[&str]) -> Result<Expr, Error> {
    let only = names.join(", ");
    check_typed(text, |number| {
        format!("write no number such as {number} here, only {only}")
    })?;
    let expr = expr::parse(text)?;
    let other = expr.names().into_iter().find(|it| !names.contains(&&**it));
    match other {
        None => Ok(expr),
        Some(other) => Err(Error::Usage(format!(
            "there is no `{other}` here, only {only}"
        ))),
    }
}
