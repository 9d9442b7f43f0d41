//! The bare `cargo learn`: a tour on the first visit, afterwards the learner's
//! progress and the next exercise.

use crate::checkout::Checkout;
use crate::command::{Args, Command, Stop};
use crate::course::{self, Exercise};
use crate::exercises::status::{self, Status};
use crate::machine::Audience;
use crate::progress::Progress;
use crate::terminal::say;
use crate::{machine, setup};

pub(crate) const COMMAND: Command = Command {
    name: "",
    usage: "",
    summary: "your progress and the next step; the first time a short tour",
    page: "",
    run,
};

fn run(checkout: &Checkout, _: Args) -> Result<(), Stop> {
    let progress = Progress::load(checkout);
    if progress.damaged > 0 {
        say!("Note: .learn/progress is damaged. Lines that could not be read");
        say!(
            "and are ignored: {}. Your files are not affected.",
            progress.damaged
        );
        say!();
    }
    let exercises = course::exercises(checkout)?;
    if progress.get("tour", "all").is_some() {
        return again(checkout, &exercises, &progress);
    }
    tour();
    // If this cannot be saved, the tour is shown again, which does no harm.
    Progress::update_or_warn(checkout, |progress| {
        progress.set("tour", "all", "seen");
    });
    let prepared = prepare(checkout);
    say!("A first look: one expression, its gradients, and their check");
    say!("  cargo learn try \"(a*b)*b\" a=2,3 b=3,4");
    say!("The book, served on this machine");
    say!("  cargo learn book --open");
    next(checkout, &exercises, &progress);
    prepared
}

/// Prints what this machine lacks and offers to install it.
fn prepare(checkout: &Checkout) -> Result<(), Stop> {
    let missing = machine::missing(Audience::Learner);
    if missing.is_empty() {
        say!("This machine has everything the course needs.");
        say!();
        return Ok(());
    }
    let runs = match missing.iter().any(|tool| tool.needed) {
        true => "Part 1 and the CPU half of Part 3",
        false => "all three parts",
    };
    say!("This machine runs {runs} as it is.");
    setup::show(&missing);
    let offered = setup::offer(checkout, &missing);
    say!();
    offered
}

fn tour() {
    say!(
        "\
Welcome to Rungrad.

Here you build one machine three times: it computes a number, remembers how,
and then goes back to find how each input would change that number. Training a
network repeats this. Each step builds only on the one before.

  part1  Arrays on the CPU. A tensor remembers its parents, and one backward
         pass from the result to the inputs computes every gradient.
  part2  The same on raw OpenCL. You write the kernels, own the buffers, and
         see what a copy costs. Much of Part 1 is written a second time.
  part3  One tensor for every device. The code that was written twice is
         written once, and gradients can be differentiated again.
"
    );
}

/// Greets the learner on every visit except the first.
fn again(
    checkout: &Checkout,
    exercises: &[Exercise],
    progress: &Progress,
) -> Result<(), Stop> {
    let is_solved = |it: &&Exercise| {
        Status::saved(it, progress, checkout) == Status::Solved
    };
    let solved = exercises.iter().filter(is_solved).count();
    if !exercises.is_empty() {
        say!("You have solved {solved} of {} exercises.", exercises.len());
    }
    if machine::missing(Audience::Learner).iter().any(|tool| tool.needed) {
        say!("There is no OpenCL here yet: cargo learn setup");
    }
    next(checkout, exercises, progress);
    say!();
    say!("All commands: cargo learn help");
    Ok(())
}

/// Prints the first unsolved exercise, or the examples if the course has none.
fn next(checkout: &Checkout, exercises: &[Exercise], progress: &Progress) {
    match status::next(exercises, progress, checkout, &[]) {
        Some(exercise) => {
            say!("Your next exercise: {}", exercise.title);
            say!("  cargo learn check {}", exercise.id);
        }
        None if exercises.is_empty() => {
            say!("The examples of the first part");
            say!("  cargo learn run part1");
        }
        None => say!("Every exercise is solved. Well done."),
    }
}
