//! Kills runs after random steps and compares how they end.

use rungrad::Error;
use rungrad::rng::Random;

use super::{Folder, Losses, Request, alike, ended, killed};

/// Number of runs that are killed.
const RUNS: u64 = 4;

/// Kills runs at random steps, resumes them, and compares their results with
/// those of an uninterrupted run.
pub(crate) fn kills(request: &Request) -> Result<(), Error> {
    let folder = Folder::new()?;
    let steps = request.steps;
    let unbroken = ended(&folder.0.join("whole"), request)?;
    println!("run  killed after  resumes with  last loss    the same bits");
    println!("  0                              {}", last(&unbroken));
    let mut random = Random::new(request.seed);
    for run in 1..=RUNS {
        let file = folder.0.join(run.to_string());
        let kill = 1 + random.below(steps as usize - 1) as u64;
        let mut losses = killed(&file, request, kill)?;
        let resumed = ended(&file, request)?;
        let first = resumed.keys().next().copied().unwrap_or_default();
        losses.extend(resumed);
        println!(
            "{run:>3}  step {kill:<7}  step {first:<7}  {}  {} of {}",
            last(&losses),
            alike(&unbroken, &losses),
            unbroken.len()
        );
    }
    Ok(())
}

/// Formats the last loss with enough digits to identify the float.
fn last(losses: &Losses) -> String {
    let bits = losses.values().next_back().and_then(|line| {
        let (_, bits) = line.split_once(' ')?;
        u32::from_str_radix(bits, 16).ok()
    });
    bits.map_or_else(String::new, |bits| format!("{:.9}", f32::from_bits(bits)))
}
