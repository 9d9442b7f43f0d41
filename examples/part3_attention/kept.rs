//! Which positions influence a score, and which results a cache can reuse.

use rungrad::Error;
use rungrad::ledger;
use rungrad::nn::{Gpt, Memory, Parameters};
use rungrad::part3_unified::{Device, Tensor, no_grad};
use rungrad::rng::Random;

use super::{SIZES, tokens};

/// Returns an untrained network; visibility does not depend on training.
fn network(device: Device) -> Result<Gpt, Error> {
    let mut gpt = Gpt::new(SIZES, &mut Random::new(0));
    gpt.to(device)?;
    Ok(gpt)
}

/// Changes one letter at a time and marks the positions whose scores change.
pub(crate) fn moved(device: Device) -> Result<(), Error> {
    let (gpt, text) = (network(device)?, tokens("olivia")?);
    let scores =
        |text: &[usize]| no_grad(|| gpt.scores(text, text.len())).to_vec();
    let before = scores(&text)?;
    println!("changed  letters after which the scores change (#)");
    for at in 1..text.len() {
        let mut other = text.clone();
        other[at] = other[at] % 26 + 1;
        let after = scores(&other)?;
        let rows = before.chunks(27).zip(after.chunks(27));
        let marks = rows.map(|(a, b)| if a == b { " ." } else { " #" });
        println!(
            "      {}  {}",
            &"olivia"[at - 1..at],
            marks.collect::<String>()
        );
    }
    Ok(())
}

// ANCHOR: kept
/// Reads a text one position at a time: by recomputing everything, then with
/// the cache.
pub(crate) fn show(device: Device) -> Result<(), Error> {
    let (gpt, text) = (network(device)?, tokens("maximilian")?);
    let read = |new: &[usize], memory: &mut Memory| {
        let scores = || gpt.scores_after(new, new.len(), memory);
        no_grad(scores).slice(new.len() - 1..new.len())
    };
    let mut memory = Memory::new();
    let (mut sums, mut apart) = ([0; 2], 0.0_f32);
    println!("read  multiplications, all again  cached");
    for n in 1..=text.len() {
        let (again, all) =
            ledger::measure(|| read(&text[..n], &mut Memory::new()));
        let (kept, one) =
            ledger::measure(|| read(&text[n - 1..n], &mut memory));
        apart = apart.max(largest_gap(&again, &kept)?);
        sums = [sums[0] + all.products, sums[1] + one.products];
        println!("{n:>4}{:>28}{:>8}", all.products, one.products);
    }
    println!(" all{:>28}{:>8}", sums[0], sums[1]);
    println!("the scores differ by less than 1e-5: {}", apart < 1e-5);
    Ok(())
}
// ANCHOR_END: kept

fn largest_gap(a: &Tensor, b: &Tensor) -> Result<f32, Error> {
    a.sub(b).abs().max().item()
}
