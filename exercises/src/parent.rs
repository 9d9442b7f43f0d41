//! The parent of a check. It has a sentence for every way in which the child
//! can end, and runs Oclgrind on a kernel whose steps have finished.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

use crate::again::again;
use crate::answer::Answer;
use crate::child::{self, Ended, Ending, LIMIT_VARIABLE, Lines, PRINTED, ROOM};
#[cfg(feature = "opencl")]
use crate::device::is_required;
#[cfg(feature = "opencl")]
use crate::driver::{cache_damage, excuse};
use crate::frame::{Kind, ROLE, Role, solved};
use crate::oclgrind::{self, Numbers, Report};
use crate::report::{filled, root, shown};
use crate::speed::{Counters, Found, Speed};
use crate::tier;
use crate::verdict::Code;

/// The variable with a word that `cargo learn check` expects after our last
/// line: a truncated log lacks it.
const PROOF: &str = "RUNGRAD_CHECK_PROOF";

pub(crate) fn watch(
    id: &str,
    file: Answer,
    kind: Kind,
    speed: Option<Speed>,
) -> Code {
    let mut stands = None;
    let code = match file.stale_sentence() {
        Some(sentence) => {
            print!("\n{}", filled(&format!("not checked: {sentence}")));
            Code::Stale
        }
        None => verdict(id, file.path, kind, speed, &mut stands),
    };
    if let Ok(proof) = env::var(PROOF) {
        let level = stands.map(|it| format!(" {it}"));
        let level = level.unwrap_or_else(tier::written);
        println!("{proof}={}{level}", code.word());
    }
    code
}

fn verdict(
    id: &str,
    file: &str,
    kind: Kind,
    speed: Option<Speed>,
    stands: &mut Option<String>,
) -> Code {
    let Ok(program) = env::current_exe() else {
        return failing("the check cannot find its own program to start it");
    };
    let mut child = Command::new(&program);
    child.env(ROLE, Role::Plain.name()).env_remove(PROOF);
    let ended = match child::watch(&mut child, Lines::Shown) {
        Ok(ended) => ended,
        Err(error) => {
            return failing(&format!("the check cannot be started: {error}"));
        }
    };
    let Ended { ending, said, now, .. } = ended;
    *stands = ended.stands;
    // A small stack may overflow without Rust's message.
    let is_stack = |now: &String| now.contains("a small stack");
    let overflow = match ending {
        Ending::Killed(_) if now.as_ref().is_some_and(is_stack) => {
            "the thread has overflowed its stack"
        }
        _ => "",
    };
    let cause = format!("{said}{overflow}");
    let mut code = match ending {
        Ending::Said(code) => {
            // For a kernel, the verdict is clearer than the driver's messages.
            if kind != Kind::Kernel {
                eprint!("{said}");
            }
            code
        }
        ref other => {
            let sentence = sentence(other, kind, &cause, waits(file));
            let code = match (excuse(&program, other, kind, &cause), now) {
                (Some(why), _) => skipped(&why),
                (_, Some(now)) => failing(&format!("{now}\n\n{sentence}")),
                (_, None) => failing(&sentence),
            };
            for line in said.lines().filter(|it| !it.is_empty()).take(5) {
                println!("  | {line}");
            }
            code
        }
    };
    // An endless loop would exceed the limit again. At a barrier that some
    // items skip, Oclgrind continues and reports how many arrived.
    let hangs = matches!(ending, Ending::TimedOut(_) | Ending::Waited(_));
    let looks = !hangs || waits(file);
    // With levels, some of them may have passed.
    let grown = stands.as_ref().is_some_and(|it| !it.starts_with("0/"));
    let is_next = code == Code::ToDo && grown;
    let ran = matches!(code, Code::Solved | Code::Failing) || is_next;
    let mut unchecked = None;
    if kind != Kind::Code && ran && looks {
        let numbers = match code {
            Code::Failing => Numbers::Wrong,
            _ => Numbers::Right,
        };
        let wants = speed.filter(|_| code == Code::Solved);
        let counters = wants.map(|_| Counters::find());
        let there = counters.as_ref().and_then(|it| it.as_ref().ok());
        let report = oclgrind::look(&program, file, kind, numbers, there);
        code = match report {
            Report::Clean if code == Code::Solved => {
                println!("  ok  Oclgrind saw no stray access and no race");
                wants.zip(counters).map_or(code, in_time)
            }
            Report::Unlike if code == Code::Solved => failing(
                "the same steps fail on the device that Oclgrind simulates; a \
                 kernel must not depend on the device that runs it",
            ),
            Report::Unknown(why) if code == Code::Solved => {
                unchecked = Some(why);
                Code::InPart
            }
            Report::Clean if is_next => {
                println!(
                    "\n  ok  Oclgrind saw no stray access and no race in the \
                     levels so far"
                );
                code
            }
            Report::Clean | Report::Unlike | Report::Unknown(_) => code,
            Report::Faults(faults) => {
                let failing = match code {
                    Code::Failing => "",
                    _ => "failing: ",
                };
                println!(
                    "\n{failing}Oclgrind, which watches every access, found\n"
                );
                print!("{faults}");
                Code::Failing
            }
        };
    }
    if kind != Kind::Code
        && code == Code::Failing
        && let Some(damage) = cache_damage()
    {
        let words = format!("The driver may be the cause. {damage}");
        print!("\n{}", filled(&words));
    }
    if let Some(why) = &unchecked {
        let words = format!(
            "Not checked: races and stray reads, which are possible even if \
             all results are right. {why}."
        );
        print!("\n{}", filled(&words));
    }
    if code.exit() == 0 {
        let how = if unchecked.is_some() { ", in part" } else { "" };
        print!("{}", solved(id, how));
        // Our solution does not match a variant, and with levels it covers all
        // of them.
        let is_whole = !again() && stands.is_none();
        if let Some(solution) = solution(file).filter(|_| is_whole) {
            println!("Our solution, to compare: {solution}");
        }
    }
    code
}

/// Judges the speed of a correct answer. If it cannot be measured, the
/// exercise counts as solved.
fn in_time((speed, counters): (Speed, Result<Counters, String>)) -> Code {
    let found = match counters {
        Ok(counters) => counters.judge(speed),
        Err(sentence) => Found::Unchecked(sentence),
    };
    match found {
        Found::Fast => {
            println!("  ok  a GPU accesses no more memory than necessary");
            Code::Solved
        }
        Found::Slow(words) => {
            print!("\nfailing: speed on a GPU\n\n{}", filled(&words));
            Code::Failing
        }
        Found::Unchecked(why) => {
            print!("\n{}", filled(&format!("Speed not checked: {why}.")));
            Code::Solved
        }
    }
}

/// Returns whether a kernel contains a barrier.
fn waits(file: &str) -> bool {
    fs::read_to_string(file).is_ok_and(|text| text.contains("barrier("))
}

pub(crate) fn failing(words: &str) -> Code {
    print!("\n{}", filled(&format!("failing: {words}.")));
    Code::Failing
}

/// Prints why the check cannot run on this machine. That is a failure if a
/// device is required.
#[cfg(feature = "opencl")]
fn skipped(why: &str) -> Code {
    if is_required() {
        return failing(why);
    }
    print!("\n{}", filled(&format!("skipped: {why}")));
    Code::Skipped
}

#[cfg(not(feature = "opencl"))]
use failing as skipped;

#[cfg(not(feature = "opencl"))]
fn cache_damage() -> Option<String> {
    None
}

/// Returns `None`: without OpenCL, no driver can have crashed.
#[cfg(not(feature = "opencl"))]
fn excuse(_: &Path, _: &Ending, _: Kind, _: &str) -> Option<String> {
    None
}

/// Describes how a child ended that printed no verdict.
pub(crate) fn sentence(
    ending: &Ending,
    kind: Kind,
    said: &str,
    waits: bool,
) -> String {
    let yours = match kind {
        Kind::Code | Kind::KernelText(_) => "your code",
        Kind::Kernel => "your kernel",
    };
    match ending {
        Ending::TimedOut(limit) => format!(
            "{yours} did not finish within {} s of CPU time and was stopped. \
             Look at the condition of each loop{}. If it is only slow, \
             {LIMIT_VARIABLE}=60 gives it 60 s",
            limit.as_secs(),
            match kind {
                Kind::Code =>
                    ", and whether a recursion visits the same node many times",
                Kind::Kernel | Kind::KernelText(_) if waits =>
                    ", and whether all items of a group reach each barrier",
                _ => "",
            }
        ),
        Ending::Waited(time) => format!(
            "{yours} did not finish within {} s and was stopped. It spent most \
             of that time waiting: for what? If the machine is busy, \
             {LIMIT_VARIABLE}=60 gives it more time",
            time.as_secs()
        ),
        Ending::Grew => format!(
            "{yours} used more than {ROOM} MiB of memory and was stopped; look \
             for something that grows in a loop"
        ),
        Ending::Flooded => format!(
            "{yours} printed more than {PRINTED} MiB and was stopped; look for \
             an endless loop that prints"
        ),
        Ending::Killed(_) if said.contains("overflowed its stack") => {
            format!(
                "{yours} overflowed its stack: a function calls itself, \
                 endlessly or once for each link of a long chain"
            )
        }
        Ending::Killed(signal) if kind != Kind::Code => format!(
            "{yours} crashed its process (signal {signal}), probably by \
             accessing memory far outside an array; compare each index with n"
        ),
        Ending::Killed(signal) => {
            format!("{yours} crashed its process (signal {signal})")
        }
        Ending::Said(code) => format!("{yours} is {}", code.word()),
        Ending::Exited(code) => format!(
            "{yours} exited with code {code} before the last step of the \
             check: do not exit, the check ends by itself"
        ),
    }
}

/// Reads our solution of the same exercise.
fn solution(file: &str) -> Option<String> {
    let mut names = Path::new(file).iter().rev();
    let (name, part) = (names.next()?, names.next()?);
    let folder = root(file)?.join("exercises/solutions");
    Some(shown(&folder.join(part).join(name).to_string_lossy()))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn who_is_only_slow_hears_what_gives_more_time() {
        let limit = Duration::from_secs(20);
        for ending in [Ending::TimedOut(limit), Ending::Waited(limit)] {
            let said = sentence(&ending, Kind::Code, "", false);
            assert!(said.contains("RUNGRAD_CHECK_LIMIT=60"), "{said}");
        }
    }
}
