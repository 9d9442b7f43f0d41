//! The expression bench: values, gradients and the tape of one expression,
//! on any part and device. `cargo learn try` runs it.

mod engine;
mod expr;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use rungrad::gradcheck::{compare, slope};
use rungrad::reference::Array;
use rungrad::shape::list;
use rungrad::{Error, draw};

use expr::Expr;

const HELP: &str = "\
usage: cargo learn try \"EXPR\" NAME=VALUES.. [options]

  cargo learn try \"(a*b)*b\" a=2,3 b=3,4

EXPR is made of names, parentheses, + - * / and functions such as exp(..);
VALUES are numbers with commas between them.

  --engine part1|part2|part3   which engine computes it (part1)
  --device cpu|gpu|gpu:1       where; part2 and part3 only
  --svg FILE                   where the picture goes (target/tape.svg)";

/// What the command line asks for.
struct Request {
    text: String,
    expr: Expr,
    inputs: Vec<(String, Vec<f32>)>,
    engine: String,
    device: Option<String>,
    svg: PathBuf,
}

fn main() -> ExitCode {
    rungrad::run_with_help(HELP, || {
        let words = rungrad::words();
        if words.is_empty() {
            println!("{HELP}");
            return Ok(());
        }
        show(&request(&words)?)
    })
}

fn request(words: &[String]) -> Result<Request, Error> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    let root = root.expect("the tools have a folder of their own");
    let mut request = Request {
        text: String::new(),
        expr: Expr::Name(String::new()),
        inputs: Vec::new(),
        engine: "part1".to_string(),
        device: None,
        svg: root.join("target/tape.svg"),
    };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut value = || {
            words.next().cloned().ok_or_else(|| {
                Error::Usage(format!("{word} needs a value after it"))
            })
        };
        match word.as_str() {
            "--engine" => request.engine = value()?,
            "--device" => request.device = Some(value()?),
            "--svg" => request.svg = PathBuf::from(value()?),
            option if option.starts_with("--") => {
                return Err(Error::Usage(format!(
                    "`{option}` is no option; there are --engine, --device \
                     and --svg"
                )));
            }
            input if input.contains('=') => request.inputs.push(read(input)?),
            text if request.text.is_empty() => {
                request.expr = expr::parse(text)?;
                request.text = text.to_string();
            }
            second => {
                return Err(Error::Usage(format!(
                    "`{second}` is a second expression; put the whole \
                     expression into quotes, and values as NAME=1,2"
                )));
            }
        }
    }
    if request.text.is_empty() {
        return Err(Error::Usage(
            "no expression was given; write for example \"(a*b)*b\" a=2,3 \
             b=3,4"
                .to_string(),
        ));
    }
    check_names(&request)?;
    Ok(request)
}

/// `a=2,3` as a name and its numbers.
fn read(input: &str) -> Result<(String, Vec<f32>), Error> {
    let (name, list) = input.split_once('=').expect("the caller saw one");
    let number = |word: &str| {
        word.trim().parse().map_err(|_| {
            Error::Usage(format!(
                "`{word}` in `{input}` is no number; write for example \
                 {name}=2,3.5"
            ))
        })
    };
    let values = list.split(',').map(number).collect::<Result<_, _>>()?;
    Ok((name.to_string(), values))
}

fn check_names(request: &Request) -> Result<(), Error> {
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

fn show(request: &Request) -> Result<(), Error> {
    let outcome = engine::run(request)?;
    println!("{} on {}\n", request.text, outcome.place);
    print!("{}", draw::text(&outcome.tape, None));
    if outcome.summed {
        println!(
            "\nThe result has {} elements, so the gradients are those of \
             its sum.",
            outcome.elements
        );
    }
    println!();
    let agree = check(request, &outcome)?;
    save(request, &outcome)?;
    match (agree, outcome.tape.blame()) {
        (true, _) => Ok(()),
        (false, Some(blame)) => Err(Error::Mistake(format!(
            "the first wrong rule is that of line %{}",
            blame.at()
        ))),
        (false, None) => Err(Error::Mistake(
            "the engine and the nudge disagree, though every rule passed"
                .to_string(),
        )),
    }
}

/// Nudges every input and lays the slope beside the engine's gradient.
fn check(request: &Request, outcome: &engine::Outcome) -> Result<bool, Error> {
    let arrays: Vec<Array> = request
        .inputs
        .iter()
        .map(|(_, values)| Array::new(&[values.len()], values))
        .collect();
    let loss = |arrays: &[Array]| {
        let result = request.expr.judge(&request.inputs, arrays);
        result.values.iter().sum::<f64>()
    };
    let mut rows = vec![
        ["gradient", "by the engine", "by nudging", ""].map(str::to_string),
    ];
    let mut mismatches = Vec::new();
    for (place, (name, _)) in request.inputs.iter().enumerate() {
        let right = slope(&arrays, place, loss);
        let grad = &outcome.grads[place];
        let mismatch = compare(&Array::new(&right.shape, grad), &right, &[]);
        let nudged: Vec<f32> = right.values.iter().map(|&v| round(v)).collect();
        let verdict = if mismatch.is_none() { "agree" } else { "DIFFER" };
        let verdict = verdict.to_string();
        rows.push([name.clone(), list(grad), list(&nudged), verdict]);
        mismatches.extend(mismatch);
    }
    print!("{}", draw::columns(&rows));
    for mismatch in &mismatches {
        println!("{mismatch}");
    }
    Ok(mismatches.is_empty())
}

/// Six digits: what a nudge can know.
fn round(value: f64) -> f32 {
    format!("{value:.5e}").parse().expect("a number, printed, is a number")
}

fn save(request: &Request, outcome: &engine::Outcome) -> Result<(), Error> {
    let title = format!("The tape of {}", request.text);
    let svg = draw::svg(&outcome.tape, "tape", &title, None);
    let file = &request.svg;
    let folder = file.parent().filter(|f| !f.as_os_str().is_empty());
    let write = || {
        if let Some(folder) = folder {
            std::fs::create_dir_all(folder)?;
        }
        std::fs::write(file, svg)
    };
    write().map_err(|error| {
        Error::File(format!(
            "cannot write the picture to {}: {error}; name another place \
             with --svg FILE",
            file.display()
        ))
    })?;
    println!("\npicture: {}", file.display());
    Ok(())
}
