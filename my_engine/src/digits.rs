//! Trains the digits with the reader's code and with ours.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use exercises::root;
use rungrad::Error;
use rungrad::ops::OPERATIONS;

use crate::levels::{is_written, operations};
use crate::mine::Mine;
use crate::table::find;
use crate::{engine, reader_file};
use testkit::engine::Part1;
use testkit::network::{Trainable, Trained, train};

/// The network and the number of epochs of "Train the digits".
const SIZES: [usize; 3] = [64, 64, 10];
const EPOCHS: usize = 20;

/// Trains the reader's engine and Part 1.
pub(crate) fn run() -> Result<(), Error> {
    let lines = lines(&["src/part1_cpu"]);
    beside(&Mine, (&Part1, "Part 1"), lines, || Ok(()))?;
    let known = operations();
    let lacks = OPERATIONS.iter().filter(|name| !known.contains(name));
    let table = engine().one;
    let lacks: Vec<String> = lacks
        .map(|name| match find(table, name).map(|_| is_written(name)) {
            // The variant over all axes exists.
            Some(true) => format!("{name} over some axes"),
            _ => name.to_string(),
        })
        .collect();
    if !lacks.is_empty() {
        println!("Part 1 also has: {}.", lacks.join(", "));
    }
    Ok(())
}

/// Trains with the reader's code and with ours and prints the results in two
/// columns. Ours runs first; `begin` is called before the reader's.
pub(crate) fn beside<Y: Trainable, O: Trainable>(
    yours: &Y,
    (ours, name): (&O, &str),
    lines: Option<[usize; 2]>,
    begin: impl FnOnce() -> Result<(), Error>,
) -> Result<(), Error> {
    let [inputs, hidden, classes] = SIZES;
    println!(
        "{EPOCHS} epochs of the digits: {inputs} pixels, {hidden} hidden \
         outputs, {classes} scores"
    );
    let (ours, our_time) = timed(ours, name);
    begin()?;
    let (yours, time) = timed(yours, "yours");
    let percent = |it: &Trained| format!("{:.1} %", 100.0 * it.accuracy);
    let loss = |it: &Trained| format!("{:.4}", it.loss);
    let seconds = |time: Duration| format!("{:.2} s", time.as_secs_f64());
    println!();
    row(["result", "yours", name]);
    row(["unseen digits right", &percent(&yours), &percent(&ours)]);
    row(["loss of the last epoch", &loss(&yours), &loss(&ours)]);
    row(["time", &seconds(time), &seconds(our_time)]);
    if let Some([mine, theirs]) = lines {
        let (mine, theirs) = (mine.to_string(), theirs.to_string());
        row(["lines of code", &mine, &theirs]);
    }
    let times = time.as_secs_f64() / our_time.as_secs_f64();
    println!("\nYours takes {times:.1} times as long.");
    Ok(())
}

fn row([what, yours, ours]: [&str; 3]) {
    println!("{}", format!("{what:<24}{yours:>10}{ours:>10}").trim_end());
}

fn timed<L: Trainable>(e: &L, name: &str) -> (Trained, Duration) {
    // Warm up: code that is compiled on first use must not be timed.
    train(e, &SIZES, 1, |_, _| ());
    let start = Instant::now();
    let trained = train(e, &SIZES, EPOCHS, |epoch, now| {
        if epoch == 1 || epoch % 5 == 0 {
            println!(
                "  {name:<7} epoch {epoch:>2}  loss {:.4}  {:.1} % right",
                now.loss,
                100.0 * now.accuracy
            );
        }
    });
    (trained, start.elapsed())
}

/// Counts lines of code in the reader's file, and in the given files and
/// folders of ours.
pub(crate) fn lines(ours: &[&str]) -> Option<[usize; 2]> {
    let yours = code(Path::new(reader_file()))?;
    let root = root(reader_file())?;
    let count = |place: &&str| {
        let place = root.join(place);
        let Ok(files) = fs::read_dir(&place) else { return code(&place) };
        Some(files.flatten().filter_map(|file| code(&file.path())).sum())
    };
    let ours: Option<usize> = ours.iter().map(count).sum();
    Some([yours, ours?])
}

/// Counts the lines of a file, without comments, blank lines and tests.
fn code(file: &Path) -> Option<usize> {
    let text = fs::read_to_string(file).ok()?;
    let code = text.lines().take_while(|line| *line != "#[cfg(test)]");
    let is_code = |line: &&str| !line.is_empty() && !line.starts_with("//");
    Some(code.map(str::trim).filter(is_code).count())
}
