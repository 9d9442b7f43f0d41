//! `cargo learn update`: gets the newest edition of the course and prints what
//! it changes for the learner.

use std::process::Command as Process;

use crate::checkout::Checkout;
use crate::command::{Args, Command, Stop};
use crate::course::{self, Exercise};
use crate::exercises::files;
use crate::exercises::status::Status;
use crate::process;
use crate::progress::Progress;
use crate::terminal::{say, wrapped};

pub(crate) const COMMAND: Command = Command {
    name: "update",
    usage: "[--no-pull]",
    summary: "get the newest edition of the course, and keep your files",
    page: "\
Runs `git pull --ff-only` and reports what has changed for you: new exercises,
exercises whose task has changed since you began, and solved exercises whose
check has changed. With --no-pull it only prints this report, for example after
you have run `git pull` yourself.

Git ignores your files in exercises/ and your progress and backups in .learn/,
so no update changes what you wrote. A file that you have not edited is replaced
when its task changes. `git clean -x` would delete all of these files. To keep
your files in a repository of your own, set RUNGRAD_EXERCISES to its folder.",
    run,
};

fn run(checkout: &Checkout, mut args: Args) -> Result<(), Stop> {
    let no_pull = args.flag("--no-pull");
    args.rest(0)?;
    if !no_pull && pull(checkout)? {
        // The new edition may have a different `cargo learn`.
        let words = ["learn", "update", "--no-pull"];
        return process::run_in_foreground(&mut checkout.cargo(&words));
    }
    report(checkout)
}

/// Prints what an edition has changed for the learner.
fn report(checkout: &Checkout) -> Result<(), Stop> {
    let exercises = course::exercises(checkout)?;
    let progress = Progress::load(checkout);
    let changed: Vec<&Exercise> = exercises
        .iter()
        .filter(|it| files::changed_task(checkout, it).is_some())
        .collect();
    let is_stale = |it: &&Exercise| {
        Status::saved(it, &progress, checkout) == Status::Stale
    };
    let stale: Vec<&str> =
        exercises.iter().filter(is_stale).map(|it| it.id.as_str()).collect();
    if !changed.is_empty() {
        say!("These tasks have changed since you began; your files are kept:");
        for exercise in &changed {
            say!("  cargo learn diff {} --task", exercise.id);
        }
    }
    if !stale.is_empty() {
        let words = format!(
            "Solved, but the file or its check has changed since: {}.",
            stale.join(", ")
        );
        wrapped(&words).iter().for_each(|line| say!("{line}"));
        say!("Check them again: cargo learn check --solved");
    }
    if changed.is_empty() && stale.is_empty() {
        say!("Nothing that you have written is affected.");
    }
    Ok(())
}

/// Pulls the new edition. Returns whether there was one.
fn pull(checkout: &Checkout) -> Result<bool, Stop> {
    let git = |words: &[&str]| git(checkout, words);
    if !checkout.root.join(".git").exists() {
        return Err(Stop::Failed(format!(
            "{} is not a git clone, so it cannot be updated; clone the course, \
             and copy your exercises/ and .learn/ into the clone",
            checkout.root.display()
        )));
    }
    let upstream = git(&["rev-parse", "--abbrev-ref", "@{upstream}"])?
        .map_err(|why| {
            Stop::Failed(format!(
                "the current branch follows no branch of the course's \
                 repository ({why}); `git switch main`, and update again"
            ))
        })?;
    git(&["fetch", "--quiet"])?.map_err(|why| {
        Stop::Failed(format!(
            "git cannot reach the course's repository ({why}); nothing has \
             changed; check the network, and update again"
        ))
    })?;
    let count = |range: &str| -> Result<String, Stop> {
        let count = git(&["rev-list", "--count", range])?;
        count.map_err(Stop::Failed)
    };
    let new = count("HEAD..@{upstream}")?;
    if new == "0" {
        say!("This is the newest edition.");
        return Ok(false);
    }
    let own = count("@{upstream}..HEAD")?;
    if own != "0" {
        return Err(Stop::Failed(format!(
            "your branch has {own} commits that {upstream} does not have; \
             `git pull --rebase` puts them on top of the new edition"
        )));
    }
    git(&["merge", "--ff-only", "--quiet", "@{upstream}"])?.map_err(|why| {
        Stop::Failed(format!(
            "git cannot update files that you have changed ({why}); put your \
             changes aside with `git stash`, update again, and bring them back \
             with `git stash pop`"
        ))
    })?;
    say!("New commits: {new}. CHANGELOG.md describes the changes.");
    Ok(true)
}

/// Runs git. The inner error is git's message, in one line.
fn git(
    checkout: &Checkout,
    words: &[&str],
) -> Result<Result<String, String>, Stop> {
    let mut command = Process::new("git");
    command.args(words).current_dir(&checkout.root).env("LC_ALL", "C");
    let output = command.output().map_err(|error| {
        Stop::Failed(format!(
            "cannot start git ({error}); install it, and update again"
        ))
    })?;
    let line = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    Ok(match output.status.success() {
        true => Ok(line(&output.stdout)),
        false => Err(line(&output.stderr)),
    })
}
