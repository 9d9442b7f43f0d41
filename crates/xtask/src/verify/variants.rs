//! The variants of an exercise that are checked: its stub, its solution, other
//! right answers, wrong answers, and variants with different values.

use std::fs;
use std::path::Path;

use learn::checkout::Checkout;
use learn::command::Stop;
use learn::course::Exercise;
use learn::exercises::answers::{WrongAnswer, wrong_answers};
use learn::exercises::stub::SolutionFile;
use learn::exercises::variant::Again;
use learn::machine;

/// A version of the learner's file, and the verdict that it must get.
pub(crate) struct Variant {
    pub(crate) name: String,
    /// The name of its listing in the book, `verdict_NAME.out`.
    pub(super) listing: String,
    pub(crate) text: String,
    pub(super) wanted: Wanted,
    /// A required program that is not installed.
    pub(super) lacks: Option<String>,
    /// The limit of processor time, for an answer that never ends.
    pub(super) seconds: Option<u64>,
    /// The drawn values, for a variant of `cargo learn again`.
    pub(super) again: Option<String>,
}

pub(super) enum Wanted {
    /// The task of the exercise.
    Task,
    Pass,
    /// A failure at this level and at no earlier one.
    Level(String),
    /// A failure with these words.
    Words(String),
    /// A failure: the answer to the original exercise, or to a variant, must
    /// not pass with different values.
    Refused,
}

/// Lists all variants of an exercise.
pub(super) fn variants(
    checkout: &Checkout,
    exercise: &Exercise,
) -> Result<Vec<Variant>, Stop> {
    let id = &exercise.id;
    let solution = SolutionFile::read(checkout, exercise)?;
    let plain = solution.plain.clone();
    let mut variants = vec![
        Variant::new(format!("the stub of {id}"), solution.stub, Wanted::Task),
        Variant::new(
            format!("the solution of {id}"),
            solution.plain,
            Wanted::Pass,
        ),
    ];
    variants[0].listing = format!("{id}_stub");
    variants[1].listing = format!("{id}_solution");
    let again = exercise.again.as_ref();
    let seeds = 0..again.map_or(0, Again::seeds);
    let with_seed = |what: &str, text: &str, seed, wanted| {
        let drawn = again.map(|it| it.variable(seed)).unwrap_or_default();
        let name = format!("{what} {id}, again with seed {seed} ({drawn})");
        Variant {
            again: Some(drawn),
            ..Variant::new(name, text.to_string(), wanted)
        }
    };
    // Variants with the same text follow each other, so they need one build.
    for seed in seeds.clone() {
        let what = "the old answer to";
        variants.push(with_seed(what, &plain, seed, Wanted::Refused));
    }
    if exercise.has_levels() {
        variants[0].wanted = Wanted::Level(level(exercise, 0));
        for stand in 1..exercise.levels.len() {
            variants.push(Variant {
                listing: format!("{id}_level_{stand}"),
                ..Variant::new(
                    format!("level {stand} of {id}"),
                    SolutionFile::at_level(checkout, exercise, stand)?,
                    Wanted::Level(level(exercise, stand)),
                )
            });
        }
    }
    if exercise.free {
        // The stub is the solution.
        variants.remove(0);
    }
    let folder = checkout.root.join("exercises/right").join(&exercise.id);
    for right in &exercise.right {
        variants.push(Variant::new(
            format!("right/{id}/{right}"),
            read(checkout, &folder.join(right))?,
            Wanted::Pass,
        ));
    }
    let oclgrind = machine::find_program("oclgrind").is_some();
    let is_missing = |name: &&String| match name.as_str() {
        "profile" => !oclgrind || !profile::can_build(),
        name => machine::find_program(name).is_none(),
    };
    for wrong in wrong(checkout, id, &plain)? {
        variants.push(Variant {
            name: format!("wrong answer `{}` of {id}", wrong.name),
            listing: format!("{id}_{}", wrong.name),
            text: wrong.text,
            wanted: Wanted::Words(wrong.says),
            lacks: wrong.needs.iter().find(is_missing).cloned(),
            seconds: wrong.seconds,
            again: None,
        });
    }
    if let Some(again) = again {
        for seed in seeds.clone() {
            let its = SolutionFile::variant(checkout, exercise, again, seed)?;
            let mut push = |what: &str, text: &str, seed, wanted| {
                variants.push(with_seed(what, text, seed, wanted));
            };
            push("the stub of", &its.stub, seed, Wanted::Task);
            push("the solution of", &its.plain, seed, Wanted::Pass);
            for other in seeds.clone().filter(|other| *other != seed) {
                let what = format!("the solution with seed {seed} as");
                push(&what, &its.plain, other, Wanted::Refused);
            }
        }
    }
    Ok(variants)
}

impl Variant {
    pub(crate) fn is_wrong(&self) -> bool {
        matches!(self.wanted, Wanted::Words(_) | Wanted::Refused)
    }

    fn new(name: String, text: String, wanted: Wanted) -> Variant {
        let (listing, lacks, seconds, again) =
            (String::new(), None, None, None);
        Variant { name, listing, text, wanted, lacks, seconds, again }
    }
}

/// Returns the words of a verdict that fails at the next level.
fn level(exercise: &Exercise, stands: usize) -> String {
    format!("level {}, {}", stands + 1, exercise.levels[stands].name)
}

/// Reads the known wrong answers to an exercise with this solution.
fn wrong(
    checkout: &Checkout,
    id: &str,
    solution: &str,
) -> Result<Vec<WrongAnswer>, Stop> {
    let file = checkout.root.join(format!("exercises/wrong/{id}.diff"));
    if !file.exists() {
        return Ok(Vec::new());
    }
    wrong_answers(&read(checkout, &file)?, solution).map_err(|why| {
        Stop::Failed(format!("{}: {why}", checkout.shown(&file)))
    })
}

fn read(checkout: &Checkout, file: &Path) -> Result<String, Stop> {
    fs::read_to_string(file).map_err(|error| {
        Stop::Failed(format!("cannot read {}: {error}", checkout.shown(file)))
    })
}
