//! How many groups a launch needs, how many of their items have nothing to
//! do, and how the groups queue on the units of a device.
//!
//! ```sh
//! cargo run --example part2_groups
//! cargo run --example part2_groups -- 100000 1024
//! cargo run --example part2_groups -- 100000 1024 16
//! ```
//!
//! The words are elements, items in a group, and units. No device is asked;
//! `part2_limits` says what yours has.

use std::process::ExitCode;

use rungrad::Error;

fn main() -> ExitCode {
    rungrad::run(|| {
        let words = rungrad::args();
        match &words[..] {
            [] => {
                heading();
                for n in [5466, 100_000, 102_400] {
                    row(Launch { n, size: 1024 });
                    row(Launch { n, size: 256 });
                }
            }
            [n, size] => {
                let launch = launch(n, size)?;
                heading();
                row(launch);
            }
            [n, size, units] => {
                queue(launch(n, size)?, number("units", units, 1)?);
            }
            _ => {
                return Err(Error::Usage(format!(
                    "part2_groups takes elements, items in a group and \
                     units, or the first two, or nothing, not `{}`.",
                    words.join(" ")
                )));
            }
        }
        Ok(())
    })
}

fn launch(n: &str, size: &str) -> Result<Launch, Error> {
    let n = number("elements", n, 0)?;
    Ok(Launch { n, size: number("items in a group", size, 1)? })
}

/// A kernel counts in `uint`, so the numbers go no further.
fn number(what: &str, word: &str, least: u32) -> Result<u64, Error> {
    match word.parse::<u32>() {
        Ok(number) if number >= least => Ok(number.into()),
        _ => Err(Error::Usage(format!(
            "`{word}` is no number of {what}: write a whole one from {least} \
             to {}.",
            u32::MAX
        ))),
    }
}

/// Whole groups that cover `n` elements.
#[derive(Clone, Copy)]
pub struct Launch {
    /// Elements.
    pub n: u64,
    /// Items in a group.
    pub size: u64,
}

impl Launch {
    /// The last one counts in full.
    pub fn groups(self) -> u64 {
        self.n.div_ceil(self.size)
    }

    /// Items that are started.
    pub fn items(self) -> u64 {
        self.groups() * self.size
    }

    /// Items without an element, all of them in the last group.
    pub fn idle(self) -> u64 {
        self.items() - self.n
    }
}

fn heading() {
    println!("elements  in a group  groups   items  idle");
}

fn row(launch: Launch) {
    let Launch { n, size } = launch;
    let (groups, items) = (launch.groups(), launch.items());
    let idle = launch.idle();
    println!("{n:>8}  {size:>10}  {groups:>6}  {items:>6}  {idle:>4}");
}

/// Who computes which group, when all groups take equally long: a unit that
/// is free takes the next.
fn queue(launch: Launch, units: u64) {
    let (groups, n) = (launch.groups(), launch.n);
    let turns = groups.div_ceil(units);
    println!("{n} elements in {groups} groups of {}", launch.size);
    if groups == 0 {
        return;
    }
    let columns = ends(turns, 10);
    let width = groups.to_string().len().max(2);
    let line = |name: &str, cell: &dyn Fn(u64) -> String| {
        print!("\n{name:<8}");
        for column in &columns {
            let cell = column.map_or("..".to_string(), cell);
            print!("  {cell:>width$}");
        }
    };
    line("turn", &|turn| (turn + 1).to_string());
    for row in ends(units, 20) {
        match row {
            None => line("..", &|_| "..".to_string()),
            Some(unit) => {
                line(&format!("unit {unit}"), &|turn| match turn * units + unit
                {
                    group if group < groups => group.to_string(),
                    _ => "-".to_string(),
                })
            }
        }
    }
    let last = groups - (turns - 1) * units;
    let idle = launch.idle();
    println!(
        "\n\nThe last turn has work for {last} of {units} units, and in the \
         last group {idle} of {}\nitems have no element.",
        launch.size
    );
}

/// The numbers below `n`. When there are more than `most`, a gap is in the
/// place of those in the middle.
fn ends(n: u64, most: u64) -> Vec<Option<u64>> {
    if n <= most {
        return (0..n).map(Some).collect();
    }
    let (first, last) = (0..most - 3, n - 2..n);
    first.map(Some).chain([None]).chain(last.map(Some)).collect()
}
