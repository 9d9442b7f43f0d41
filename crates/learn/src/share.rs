//! `cargo learn share`: a text and a picture of what the learner has built.

use std::fmt::Write;
use std::fs;

use crate::checkout::{Checkout, replace};
use crate::command::{Args, Command, Stop};
use crate::course::{self, Exercise};
use crate::exercises::levels;
use crate::exercises::status::{self, Status};
use crate::progress::Progress;
use crate::terminal::say;

pub(crate) const COMMAND: Command = Command {
    name: "share",
    usage: "[--names FILE]",
    summary: "a text and a picture of what you have built, to share",
    page: "\
Prints how many exercises are solved, how many levels of your own engine, device
and kernels pass, and how many operations of the trained networks are yours, and
draws the same facts as a picture in .learn/card.svg. Neither the text nor the
picture contains a time, a path or anything else about this machine, and nothing
is sent anywhere.

--names FILE adds the loss and ten names from the output of part3_names, which
`cargo learn run part3_names -- --small | tee names.txt` writes to a file.",
    run,
};

fn run(checkout: &Checkout, mut args: Args) -> Result<(), Stop> {
    let names = args.option("--names")?;
    args.rest(0)?;
    let exercises = course::exercises(checkout)?;
    let mut card = Card::new(checkout, &exercises);
    if let Some(file) = names {
        let text = fs::read_to_string(&file);
        let text = text.map_err(|error| {
            Stop::Failed(format!("cannot read {file}: {error}"))
        })?;
        card.names = Names::parse(&text);
        if card.names.names.is_empty() {
            return Err(Stop::Failed(format!(
                "{file} has no names; it must be the output of \
                 `cargo learn run part3_names`"
            )));
        }
    }
    for line in card.text() {
        say!("{line}");
    }
    let file = checkout.state_folder().join("card.svg");
    replace(&file, card.svg().as_bytes())?;
    say!();
    say!("The same as a picture: {}", checkout.shown(&file));
    Ok(())
}

/// A row of the card: a count and its maximum.
struct Row {
    name: String,
    done: usize,
    all: usize,
    unit: &'static str,
}

/// The content of the card.
struct Card {
    rows: Vec<Row>,
    names: Names,
}

impl Card {
    fn new(checkout: &Checkout, exercises: &[Exercise]) -> Card {
        let progress = Progress::load(checkout);
        let mut rows: Vec<Row> = Vec::new();
        let small = || exercises.iter().filter(|it| !it.has_levels());
        let mut yours =
            Row { name: "operations".into(), done: 0, all: 0, unit: "my own" };
        for exercise in small() {
            let status = Status::saved(exercise, &progress, checkout);
            let name = part_name(exercise.part());
            if rows.last().is_none_or(|row| row.name != name) {
                rows.push(Row { name, done: 0, all: 0, unit: "exercises" });
            }
            let row = rows.last_mut().expect("it was just added");
            row.done += usize::from(status.is_solved());
            row.all += 1;
            if let Some(tier) = status::tier(exercise, &progress) {
                yours.done += tier.yours;
                yours.all += tier.all;
            }
        }
        for exercise in exercises.iter().filter(|it| it.has_levels()) {
            rows.push(Row {
                name: exercise.id.replace('_', " "),
                done: levels::passed(exercise, &progress),
                all: exercise.levels.len(),
                unit: "levels",
            });
        }
        if yours.all > 0 {
            rows.push(yours);
        }
        Card { rows, names: Names::default() }
    }

    fn text(&self) -> Vec<String> {
        let mut lines =
            vec!["I am building an autograd engine with Rungrad.".to_string()];
        let name = |row: &Row| row.name.chars().count();
        let width = self.rows.iter().map(name).max().unwrap_or(0);
        for Row { name, done, all, unit } in &self.rows {
            lines.push(format!("  {name:width$}  {done:>3} of {all} {unit}"));
        }
        lines.extend(self.names.text());
        lines
    }

    fn svg(&self) -> String {
        let names = self.names.text();
        let mut top = 64;
        let mut body = String::new();
        for Row { name, done, all, unit } in &self.rows {
            let share = 240 * done / all.max(&1);
            let _ = writeln!(
                body,
                "<text x=\"24\" y=\"{top}\">{name}</text>\
                 <rect x=\"140\" y=\"{}\" width=\"240\" height=\"10\" \
                 fill=\"#dde3ea\"/>\
                 <rect x=\"140\" y=\"{}\" width=\"{share}\" height=\"10\" \
                 fill=\"#2a6fbb\"/>\
                 <text x=\"396\" y=\"{top}\">{done} of {all} {unit}</text>",
                top - 10,
                top - 10,
            );
            top += 26;
        }
        if self.names.curve.len() > 1 {
            body += &self.names.curve(top);
            top += 90;
        }
        for line in names {
            let _ = writeln!(body, "<text x=\"24\" y=\"{top}\">{line}</text>");
            top += 22;
        }
        let height = top + 4;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"560\" \
             height=\"{height}\" viewBox=\"0 0 560 {height}\" \
             font-family=\"sans-serif\" font-size=\"14\" fill=\"#1d2733\" \
             role=\"img\" aria-label=\"Progress in Rungrad\">\n\
             <rect width=\"560\" height=\"{height}\" rx=\"12\" \
             fill=\"#f7f9fb\"/>\n\
             <text x=\"24\" y=\"34\" font-size=\"17\" font-weight=\"bold\">\
             I am building an autograd engine with Rungrad</text>\n\
             {body}</svg>\n"
        )
    }
}

fn part_name(part: &str) -> String {
    match part.strip_prefix("part") {
        Some(number) => format!("part {number}"),
        None => part.to_string(),
    }
}

/// The numbers and names that `part3_names` printed.
#[derive(Default)]
struct Names {
    /// The validation losses that the training has printed.
    curve: Vec<f32>,
    loss: Option<f32>,
    names: Vec<String>,
}

impl Names {
    fn parse(text: &str) -> Names {
        let mut all = Names::default();
        for line in text.lines().map(str::trim) {
            if let Some((before, loss)) = line.rsplit_once("held out ") {
                all.loss = loss.trim().parse().ok().or(all.loss);
                if before.contains("loss") {
                    all.curve.extend(all.loss);
                }
            }
            let is_name = |line: &str| {
                line.len() > 1 && line.bytes().all(|it| it.is_ascii_lowercase())
            };
            if is_name(line) && all.names.len() < 10 {
                all.names.push(line.to_string());
            }
        }
        all
    }

    fn text(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.names.is_empty() {
            return lines;
        }
        let loss = self.loss.map(|it| format!(", loss {it:.3}"));
        lines.push(format!(
            "Names that my network invented{}:",
            loss.unwrap_or_default()
        ));
        for five in self.names.chunks(5) {
            lines.push(format!("  {}", five.join(", ")));
        }
        lines
    }

    /// Draws the loss below the height `top`.
    fn curve(&self, top: usize) -> String {
        let most = self.curve.iter().copied().fold(f32::MIN, f32::max);
        let least = self.curve.iter().copied().fold(f32::MAX, f32::min);
        let last = (self.curve.len() - 1) as f32;
        let points: Vec<String> = (0..)
            .zip(&self.curve)
            .map(|(at, loss)| {
                let x = 24.0 + 356.0 * at as f32 / last;
                let down = (most - loss) / (most - least).max(1e-6);
                format!("{x:.1},{:.1}", top as f32 + 60.0 * down)
            })
            .collect();
        format!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"#c2571a\" \
             stroke-width=\"2\"/><text x=\"396\" y=\"{}\">loss {most:.3} to \
             {least:.3}</text>\n",
            points.join(" "),
            top + 34
        )
    }
}
