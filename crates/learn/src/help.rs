//! `cargo learn help`: the overview, and a page for each command.

use crate::COMMANDS;
use crate::checkout::Checkout;
use crate::command::{Command, Stop, Words};
use crate::nearest::nearest;
use crate::terminal::say;

pub(crate) const COMMAND: Command = Command {
    name: "help",
    usage: "[command]",
    summary: "this overview, or the page of one command",
    page: "Prints the overview of all commands, or the page of one.",
    run,
};

fn run(_: &Checkout, args: &[String]) -> Result<(), Stop> {
    let (names, _) = Words::new(COMMAND.name, args).rest(1)?;
    match names.first() {
        None => overview(),
        Some(name) => page(find(name)?),
    }
}

pub(crate) fn overview() -> Result<(), Stop> {
    say!("Rungrad: an autograd engine, built three times.");
    say!();
    let bare = "your progress and the next step; the first time a short tour";
    say!("  {:<22} {bare}", "cargo learn");
    for command in COMMANDS {
        say!("  cargo learn {:<10} {}", command.name, command.summary);
    }
    say!();
    say!("cargo learn help COMMAND tells more about one of them.");
    Ok(())
}

pub(crate) fn page(command: &Command) -> Result<(), Stop> {
    let usage = format!("cargo learn {} {}", command.name, command.usage);
    say!("{}", usage.trim_end());
    say!();
    say!("{}", command.page);
    Ok(())
}

/// Finds the command of that name; the nearest one is named when there is
/// none.
pub(crate) fn find(name: &str) -> Result<&'static Command, Stop> {
    let names: Vec<&str> = COMMANDS.iter().map(|it| it.name).collect();
    let found = COMMANDS.iter().find(|command| command.name == name);
    found.copied().ok_or_else(|| {
        let nearest = nearest(name, &names).unwrap_or_default();
        Stop::Usage(format!(
            "there is no `cargo learn {name}`; the nearest command is \
             `cargo learn {nearest}`, and `cargo learn help` lists all"
        ))
    })
}
