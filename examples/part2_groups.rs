//! Computes how many work-groups a launch needs, how many of their items are
//! idle, and how the groups are scheduled on the compute units of a device.
//!
//! ```sh
//! cargo run --example part2_groups
//! cargo run --example part2_groups -- 100000 1024
//! cargo run --example part2_groups -- 100000 1024 16
//! ```
//!
//! The arguments are the number of elements, the items per group and the
//! compute units. No device is used; `part2_limits` prints the limits of
//! yours.

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

/// Parses a number that fits a `uint`, because kernels count in `uint`.
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

/// Whole work-groups that cover `n` elements.
#[derive(Clone, Copy)]
pub struct Launch {
    /// Elements.
    pub n: u64,
    /// Items per group.
    pub size: u64,
}

impl Launch {
    /// Returns the number of groups; a partly filled last group counts in
    /// full.
    pub fn groups(self) -> u64 {
        self.n.div_ceil(self.size)
    }

    /// Returns the number of items that are launched.
    pub fn items(self) -> u64 {
        self.groups() * self.size
    }

    /// Returns the number of items without an element, all in the last group.
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

/// Prints which unit computes which group if all groups take equally long: a
/// unit that becomes free takes the next group.
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

/// Returns the numbers below `n`. If there are more than `most`, `None`
/// replaces the ones in the middle.
fn ends(n: u64, most: u64) -> Vec<Option<u64>> {
    if n <= most {
        return (0..n).map(Some).collect();
    }
    let (first, last) = (0..most - 3, n - 2..n);
    first.map(Some).chain([None]).chain(last.map(Some)).collect()
}
