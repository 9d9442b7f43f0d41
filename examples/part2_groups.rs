//! Computes how many work-groups a launch needs, and how many of their items
//! are idle.
//!
//! ```sh
//! cargo run --example part2_groups
//! cargo run --example part2_groups -- 100000 1024
//! ```
//!
//! The arguments are the number of elements and the items per group. No device
//! is used; `part2_limits` prints the limits of yours.

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
            _ => {
                return Err(Error::Usage(format!(
                    "part2_groups takes two arguments, a number of elements \
                     and the items per group, or none; it was given `{}`.",
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
            "`{word}` is not a number of {what}: write a whole number from \
             {least} to {}.",
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
