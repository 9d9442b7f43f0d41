//! Mutation testing for the kernels: changes one token of a kernel, runs the
//! tests that reach the kernel, and reports the mutants that no test notices.

mod known;
mod mutations;
mod program;
mod target;

use std::fs;
use std::process::ExitCode;

use known::Known;
use mutations::Mutant;
use target::Target;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

const HELP: &str = "\
Changes one token of an OpenCL kernel, runs the tests that reach the kernel, and
reports the mutants that no test notices. Start it in the root of the project.

usage: cargo run -p kernel-mutants -- [OPTION].. FILE..

FILE is a kernel file, such as kernels/part2/ew_mul.cl, or one of its lines:
kernels/part2/ew_mul.cl:12.

  --count NUMBER   at most this number of mutants of each file (all)
  --seed NUMBER    which mutants, if not all (0)
  --known          only the mutants of known.txt, which must have the results
                   that it states

The exit code is 1 if a mutant survives that known.txt does not explain.";

#[derive(Default)]
struct Request {
    files: Vec<String>,
    count: usize,
    seed: usize,
    known: bool,
}

fn parse(words: &[String]) -> Result<Request> {
    let mut request = Request { count: usize::MAX, ..Request::default() };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut number = || {
            let number = words.next().and_then(|it| it.parse().ok());
            number.ok_or(format!("{word} needs a number."))
        };
        match word.as_str() {
            "--count" => request.count = number()?,
            "--seed" => request.seed = number()?,
            "--known" => request.known = true,
            _ if word.starts_with('-') => {
                return Err(format!("No option `{word}`: see --help.").into());
            }
            _ => request.files.push(word.clone()),
        }
    }
    if request.files.is_empty() {
        return Err("Name a kernel file: see --help.".into());
    }
    Ok(request)
}

/// Chooses mutants of a text, each with its entry in the list.
fn choose<'a>(
    request: &Request,
    name: &str,
    text: &str,
    known: &'a [Known],
) -> Vec<(Mutant, Option<&'a Known>)> {
    let (file, line) = name.split_once(':').unwrap_or((name, ""));
    let mut chosen = Vec::new();
    for mutant in mutations::mutants(text) {
        let entry = known.iter().find(|it| it.is(file, &mutant));
        let is_wanted =
            entry.map_or(!request.known, |it| request.known || !it.survives);
        if is_wanted && (line.is_empty() || line == mutant.line.to_string()) {
            chosen.push((mutant, entry));
        }
    }
    let step = chosen.len().div_ceil(request.count.max(1)).max(1);
    let mut index = request.seed;
    chosen.retain(|(_, entry)| {
        index += 1;
        entry.is_some() || index.is_multiple_of(step)
    });
    chosen
}

/// Returns whether every mutant has the expected result.
fn run(request: &Request) -> Result<bool> {
    let known = known::read()?;
    let mut unexpected = Vec::new();
    let mut count = 0;
    for name in &request.files {
        let file = name.split(':').next().expect("a part");
        let text = fs::read_to_string(file);
        let text = text.map_err(|error| format!("{file}: {error}"))?;
        let chosen = choose(request, name, &text, &known);
        if chosen.is_empty() {
            continue;
        }
        let mut target = Target::new(file, &text)?;
        for (mutant, entry) in chosen {
            let Mutant { line, after, text, .. } = mutant;
            let caught = target.try_text(&text)?;
            let result = caught.as_deref().unwrap_or("SURVIVED");
            let line = format!("{file}:{line}: {after}\n    {result}");
            println!("{line}");
            count += 1;
            if caught.is_none() != entry.is_some_and(|it| it.survives) {
                unexpected.push(line);
            }
        }
    }
    println!("{count} mutants, {} unexpected results", unexpected.len());
    unexpected.iter().for_each(|line| println!("{line}"));
    Ok(unexpected.is_empty())
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.iter().any(|word| word == "--help") {
        println!("{HELP}");
        return ExitCode::SUCCESS;
    }
    let request = parse(&words).map_err(|sentence| (2, sentence));
    let result = request
        .and_then(|request| run(&request).map_err(|sentence| (1, sentence)));
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err((code, sentence)) => {
            eprintln!("{sentence}");
            ExitCode::from(code)
        }
    }
}
