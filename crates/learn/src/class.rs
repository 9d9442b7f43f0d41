//! `cargo learn class`: variants for each student, and grading.

mod grade;
mod rules;
mod slides;

use std::fs;

use crate::checkout::Checkout;
use crate::command::{Args, Command, Stop};
use crate::course::{self, Exercise};
use crate::exercises::again;
use crate::exercises::status::fnv1a;
use crate::exercises::variant::Again;
use crate::terminal::say;

pub(crate) use rules::require_unlocked;

pub(crate) const COMMAND: Command = Command {
    name: "class",
    usage: "start NAME | assign FILE | grade SUBMISSION.. | slides FOLDER",
    summary: "for teachers: variants for students, grades, and slides",
    page: "\
start NAME writes the variants that belong to a student's name to
exercises/again/. `cargo learn again EXERCISE` checks them.

assign FILE shows which variants the students get. The file has one name per
line.

grade SUBMISSION.. checks the answers again on this machine. A submission is a
folder or a zip file that is named after the student and contains the student's
folder exercises/. The command prints a table and writes results.xml (JUnit) and
one NAME.json per student (the results.json of Gradescope) to .learn/class/, or
to the folder after --out. If a submission contains a variant of an exercise,
the variant is graded. If it contains the report.json of `check --report json`,
the command names each result that the report claims and the check does not
confirm; a report says nothing about variants. Grading runs the students' code
with the limits of a check but without a sandbox, so use a container.

slides FOLDER writes a deck of slides for each chapter into the folder: its
figures, short listings, questions and exercises, and what goes wrong in them.
A deck is one HTML file, which needs no connection. The arrow keys change the
slide, and printing in a browser makes a PDF.

A class has its rules in class.toml, next to README.md. Each line is optional:

  exercises = [\"mul_rule\", \"zip_two\"]  # graded; default: all submitted ones
  variants = true                    # only variants count, if there are any
  solutions_after = \"2027-02-01\"     # solutions are locked until then (UTC)",
    run,
};

fn run(checkout: &Checkout, mut args: Args) -> Result<(), Stop> {
    let out = args.option("--out")?;
    let (words, _) = args.rest(usize::MAX)?;
    let Some((what, words)) = words.split_first() else {
        return Err(Stop::Page);
    };
    let exercises = course::exercises(checkout)?;
    let needs = match (what.as_str(), words) {
        ("start", [name]) if !name.trim().is_empty() => {
            return start(checkout, &exercises, name);
        }
        ("assign", [file]) => return assign(&exercises, file),
        ("grade", submissions) if !submissions.is_empty() => {
            let out = out.as_deref();
            return grade::run(checkout, &exercises, submissions, out);
        }
        ("slides", [folder]) => {
            return slides::run(checkout, &exercises, folder);
        }
        ("start", _) => "takes one name; quote a name that has a space",
        ("assign", _) => "takes one file, with one name per line",
        ("grade", _) => "takes the folders or zip files of the students",
        ("slides", _) => "takes the folder to write",
        _ => "does not exist; start, assign, grade and slides do",
    };
    Err(Stop::Usage(format!("`cargo learn class {what}` {needs}")))
}

/// Returns the variant that belongs to a student.
fn seed(student: &str, exercise: &Exercise, again: &Again) -> usize {
    let key = format!("{} {}", student.trim().to_lowercase(), exercise.id);
    (fnv1a(key.as_bytes()) % again.seeds() as u64) as usize
}

/// Returns the exercises that have variants.
fn with_variants(
    exercises: &[Exercise],
) -> impl Iterator<Item = (&Exercise, &Again)> {
    exercises.iter().filter_map(|it| Some((it, it.again.as_ref()?)))
}

fn start(
    checkout: &Checkout,
    exercises: &[Exercise],
    name: &str,
) -> Result<(), Stop> {
    let mut count = 0;
    for (exercise, variant) in with_variants(exercises) {
        let seed = seed(name, exercise, variant);
        let file = again::write_variant(checkout, exercise, variant, seed)?;
        say!("  {:<18}  {}", exercise.id, checkout.shown(&file));
        count += 1;
    }
    say!();
    say!("{count} exercises now have the variants of {name}.");
    say!("Check an answer: cargo learn again EXERCISE");
    Ok(())
}

fn assign(exercises: &[Exercise], file: &str) -> Result<(), Stop> {
    let text = fs::read_to_string(file).map_err(|error| {
        Stop::Failed(format!("cannot read {file}: {error}"))
    })?;
    let students: Vec<&str> =
        text.lines().map(str::trim).filter(|it| !it.is_empty()).collect();
    let width = students.iter().map(|it| it.chars().count()).max();
    let width = width.unwrap_or(0);
    for student in &students {
        let drawn = with_variants(exercises).map(|(exercise, again)| {
            format!("{}:{}", exercise.id, seed(student, exercise, again))
        });
        let drawn: Vec<String> = drawn.collect();
        say!("{student:width$}  {}", drawn.join(" "));
    }
    let all: usize = with_variants(exercises).map(|(_, it)| it.seeds()).sum();
    say!();
    say!(
        "{} students, {} exercises with {all} variants",
        students.len(),
        with_variants(exercises).count()
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Promise: A student's variants depend on the name, without capital letters
    /// and spaces around it, and on the exercise. At least 40 exercises have
    /// several variants.
    #[test]
    fn a_variant_depends_on_the_name_and_the_exercise() {
        let checkout = Checkout::of_this_repository();
        let exercises = course::exercises(&checkout).unwrap();
        let mut sizes = BTreeSet::new();
        let mut of_anna = BTreeSet::new();
        let mut with_several = 0;
        for (exercise, again) in with_variants(&exercises) {
            let of = |name: &str| seed(name, exercise, again);
            assert_eq!(of(" Anna"), of("anna"), "{}", exercise.id);
            let all: BTreeSet<usize> =
                (0..40).map(|number| of(&number.to_string())).collect();
            assert_eq!(all.len(), again.seeds(), "{}", exercise.id);
            sizes.insert(again.seeds());
            with_several += usize::from(again.seeds() > 1);
            of_anna.insert((again.seeds(), of("anna")));
        }
        assert!(of_anna.len() > sizes.len(), "{of_anna:?}");
        assert!(with_several >= 40, "{with_several} have several variants");
    }
}
