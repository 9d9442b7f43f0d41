//! The input of the expression checker: an expression and values for its
//! names.

use std::path::PathBuf;

use rungrad::Error;

use super::expr::Expr;

/// The parsed command line.
pub struct Request {
    pub text: String,
    pub expr: Expr,
    pub inputs: Vec<(String, Vec<f32>)>,
    pub engine: String,
    pub device: Option<String>,
    pub svg: PathBuf,
}

/// Parses `a=2,3` into a name and its values.
pub fn read(input: &str) -> Result<(String, Vec<f32>), Error> {
    let (name, list) = input.split_once('=').expect("the caller saw one");
    let number = |word: &str| {
        let number = word.trim().parse().ok();
        number.filter(|it: &f32| it.is_finite()).ok_or_else(|| {
            Error::Usage(format!(
                "`{word}` in `{input}` is not a finite f32 number; write for \
                 example {name}=2,3.5"
            ))
        })
    };
    let values = list.split(',').map(number).collect::<Result<_, _>>()?;
    Ok((name.to_string(), values))
}

/// Checks that each name has exactly one value, and that no value is unused.
pub fn check_names(request: &Request) -> Result<(), Error> {
    let used = request.expr.names();
    for name in &used {
        if !request.inputs.iter().any(|(known, _)| known == name) {
            return Err(Error::Usage(format!(
                "the expression uses `{name}`, which has no value; add for \
                 example {name}=2,3"
            )));
        }
    }
    for (place, (name, _)) in request.inputs.iter().enumerate() {
        if request.inputs[..place].iter().any(|(other, _)| other == name) {
            return Err(Error::Usage(format!(
                "`{name}` has two values; give it one"
            )));
        }
        if !used.contains(name) {
            return Err(Error::Usage(format!(
                "`{name}` has a value, but the expression `{}` does not use \
                 it; remove one or the other",
                request.text
            )));
        }
    }
    Ok(())
}
