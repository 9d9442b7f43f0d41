//! Evaluates an expression with the reader's engine: `cargo learn try --engine
//! mine`. Everything else is shared with the bench of the course.

use rungrad::Error;

use tools::expression::part1::{Ops, Outcome, Table, leaves};
use tools::expression::request::Request;
use tools::expression::shown;

use crate::levels::{LEVELS, is_written};
use crate::table::find;
use crate::{engine, mine, tape};

/// Parses the arguments, evaluates the expression and prints the results.
pub(crate) fn run(words: &[String]) -> Result<(), Error> {
    mine::set_level(LEVELS.len());
    let request = shown::request(words)?;
    let outcome = outcome(&request)?;
    shown::show(&request, &outcome)
}

fn outcome(request: &Request) -> Result<Outcome, Error> {
    let table = engine();
    let ops = Ops { one: written(table.one), two: written(table.two) };
    let inputs =
        leaves(request, |shape, values| Ok((table.new)(shape, values)))?;
    let result = ops.evaluate(&request.expr, &inputs)?;
    let elements = (table.to_vec)(&result).len();
    let summed = elements != 1;
    let loss = match (summed, find(table.one, "sum")) {
        (true, Some(sum)) => sum(&result),
        _ => result,
    };
    (table.backward)(&loss);
    let mut tape = tape::with_gradients(&loss, &[1.0]);
    let mut grads = Vec::new();
    for (name, input) in &inputs {
        tape.set_name((table.id)(input), name);
        grads.push((table.grad)(input).ok_or_else(|| {
            Error::Mistake(format!(
                "no gradient arrived at {name}; `cargo learn check my_engine` \
                 shows which law your engine breaks"
            ))
        })?);
    }
    let place = "your engine".to_string();
    Ok(Outcome { place, tape, grads, elements, summed })
}

/// Returns the operations that the engine has so far.
fn written<F: Copy>(list: &[(&'static str, F)]) -> Table<F> {
    let list = list.iter().filter(|(name, _)| is_written(name));
    // Leaked once: the program evaluates a single expression.
    list.copied().collect::<Vec<_>>().leak()
}
