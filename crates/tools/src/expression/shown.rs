//! Parses the command line of the expression checker and prints the result,
//! for any engine. The checker for a reader's own engine uses it, too.

use std::path::{Path, PathBuf};

use rungrad::shape::list;
use rungrad::{Error, draw};

use super::expr::{self, Expr};
use super::part1::Outcome;
use super::request::{Request, check_names, read};
use super::verdict::{Culprit, Finding, Verdict, line, nudged};
use crate::words::Args;

/// Parses the arguments of a command line.
pub fn request(words: &[String]) -> Result<Request, Error> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
    let root = root.expect("the tools have a folder of their own");
    let all = words;
    let mut words = Args::new("cargo learn try", words);
    let word = |word: &str| Ok(word.to_string());
    let svg = words.value("--svg", |word| Ok(PathBuf::from(word)))?;
    let mut request = Request {
        text: String::new(),
        expr: Expr::Name(String::new()),
        inputs: Vec::new(),
        engine: words.value("--engine", word)?.unwrap_or("part1".to_string()),
        device: words.value("--device", word)?,
        svg: svg.unwrap_or_else(|| root.join("target/tape.svg")),
    };
    for word in words.rest(|word| negates(word, all))? {
        if word.contains('=') {
            request.inputs.push(read(&word)?);
        } else if request.text.is_empty() {
            request.expr = expr::parse(&word)?;
            request.text = word;
        } else {
            return Err(Error::Usage(format!(
                "`{word}` is a second expression; put the whole expression \
                 into quotes, and values as NAME=1,2"
            )));
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

/// Returns whether an argument that looks like an option is an expression such
/// as `--a`: each of its names has a value on the command line.
fn negates(word: &str, words: &[String]) -> bool {
    expr::parse(word).is_ok_and(|expr| {
        expr.names().iter().all(|name| {
            let start = format!("{name}=");
            words.iter().any(|word| word.starts_with(&start))
        })
    })
}

/// Prints the result of an engine and the verdict, and saves the picture.
pub fn show(request: &Request, outcome: &Outcome) -> Result<(), Error> {
    println!("{} on {}\n", request.text, outcome.place);
    print!("{}", draw::text_within(&outcome.tape, None, columns()));
    if outcome.summed {
        println!(
            "\nThe result has {} elements, so the gradients are those of \
             its sum.",
            outcome.elements
        );
    }
    println!();
    let verdict = Verdict::of(request, outcome);
    print_table(request, outcome, &verdict);
    save(request, outcome)?;
    match verdict.culprit {
        None => Ok(()),
        Some(Culprit::Tape(blame)) => Err(Error::Mistake(format!(
            "the first wrong rule is that of line {}",
            line(&outcome.tape, blame.at())
        ))),
        Some(Culprit::DifferentFunction) => Err(Error::Mistake(
            "every rule is right, but the tape computes something else than \
             the expression"
                .to_string(),
        )),
    }
}

/// Returns the width of the terminal from `COLUMNS`, which `cargo learn` sets.
fn columns() -> usize {
    let said = std::env::var("COLUMNS").ok();
    said.and_then(|it| it.trim().parse().ok()).unwrap_or(usize::MAX)
}

/// Prints a table of the engine's gradients and the finite differences.
fn print_table(request: &Request, outcome: &Outcome, verdict: &Verdict) {
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
    print!("{}", draw::table_within(&rows, columns()));
    notes.iter().for_each(|note| println!("{note}"));
}

fn save(request: &Request, outcome: &Outcome) -> Result<(), Error> {
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
