//! The expression bench: values, gradients and the tape of one expression,
//! on any part and device. `cargo learn try` runs it.

pub(crate) mod engine;
pub(crate) mod expr;
pub(crate) mod part1;
pub(crate) mod request;
pub(crate) mod verdict;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use rungrad::shape::list;
use rungrad::{Error, draw};

use expr::Expr;
pub(crate) use request::Request;
use request::{check_names, read};
use verdict::{Culprit, Finding, Verdict, line, nudged};

const HELP: &str = "\
usage: cargo learn try \"EXPR\" NAME=VALUES.. [options]

  cargo learn try \"(a*b)*b\" a=2,3 b=3,4

EXPR is made of names, parentheses, + - * / and functions such as exp(..);
VALUES are numbers with commas between them.

  --engine part1|part2|part3   which engine computes it (part1)
  --device cpu|gpu|gpu:1       where; part2 and part3 only
  --svg FILE                   where the picture goes (target/tape.svg)";

fn main() -> ExitCode {
    rungrad::run_with_help(HELP, || {
        let words = rungrad::args();
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
    let all = words;
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
            option if option.starts_with("--") && !negates(option, all) => {
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

/// Tells whether a word that looks like an option is an expression such as
/// `--a`: each of its names has a value among the words.
fn negates(word: &str, words: &[String]) -> bool {
    expr::parse(word).is_ok_and(|expr| {
        expr.names().iter().all(|name| {
            let start = format!("{name}=");
            words.iter().any(|word| word.starts_with(&start))
        })
    })
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
    let verdict = Verdict::of(request, &outcome);
    lay(request, &outcome, &verdict);
    save(request, &outcome)?;
    match verdict.culprit {
        None => Ok(()),
        Some(Culprit::Tape(blame)) => Err(Error::Mistake(format!(
            "the first wrong rule is that of line {}",
            line(&outcome.tape, blame.at())
        ))),
        Some(Culprit::AnotherFunction) => Err(Error::Mistake(
            "every rule is right, but the tape computes something else than \
             the expression"
                .to_string(),
        )),
    }
}

/// Lays what nudging says beside the engine's gradients.
fn lay(request: &Request, outcome: &engine::Outcome, verdict: &Verdict) {
    let mut rows = vec![
        ["gradient", "by the engine", "by nudging", ""].map(str::to_string),
    ];
    let mut notes = Vec::new();
    let inputs = request.inputs.iter().zip(&outcome.grads);
    for ((name, grad), input) in inputs.zip(&verdict.inputs) {
        let name = &name.0;
        let word = match &input.finding {
            Finding::Agree => "agree",
            Finding::Differ(_) => "DIFFER",
            Finding::CannotJudge(_) => "?",
        };
        let nudged = nudged(input);
        rows.push([name.clone(), list(grad), nudged, word.to_string()]);
        match &input.finding {
            Finding::Agree => {}
            Finding::Differ(mismatch) => notes.push(mismatch.to_string()),
            Finding::CannotJudge(why) => {
                notes.push(format!("{name}: cannot judge here, because {why}."))
            }
        }
        let (some, all) = (input.slopes.nudged.len(), grad.len());
        if some < all {
            notes.push(format!(
                "{name}: {some} of its {all} elements were nudged, evenly \
                 spread."
            ));
        }
    }
    print!("{}", draw::table(&rows));
    notes.iter().for_each(|note| println!("{note}"));
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
