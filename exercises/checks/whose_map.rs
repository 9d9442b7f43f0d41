//! Checks `whose_map`, which identifies the bug behind an attention map.

use std::process::ExitCode;

use exercises::{Outcome, check, wrong};
use rungrad::rng::Random;

exercises::yours!("part3_unified/whose_map.rs");

/// What is wrong with a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing is wrong.
    Right,
    /// The scores were not divided by the square root of the width.
    NotScaled,
    /// Positions attend to later positions.
    NotMasked,
    /// Later positions were set to 0 after the softmax.
    MaskedAfter,
    /// The columns add up to 1 instead of the rows.
    Columns,
    /// No diagnosis matches, or several do.
    Unknown,
}

fn main() -> ExitCode {
    check(
        "whose_map",
        YOURS,
        &[
            ("each bug is named", each),
            ("a right map is not reported as wrong", right),
            ("a width of 1 divides by 1", narrow),
            ("one row does not decide for all", one),
            ("no diagnosis is better than a wrong one", unknown),
            ("300 random maps", chance),
        ],
    )
}

const ALL: [Fault; 5] = [
    Fault::Right,
    Fault::NotScaled,
    Fault::NotMasked,
    Fault::MaskedAfter,
    Fault::Columns,
];

/// Returns the attention map with a bug.
fn made(fault: Fault, scores: &[f64], width: usize) -> Vec<f64> {
    let n = scores.len().isqrt();
    let root = (width as f64).sqrt();
    let divisor = if fault == Fault::NotScaled { 1.0 } else { root };
    let mut weights: Vec<f64> =
        scores.iter().map(|score| (score / divisor).exp()).collect();
    let hide = |weights: &mut [f64]| {
        for (at, weight) in weights.iter_mut().enumerate() {
            if at % n > at / n {
                *weight = 0.0;
            }
        }
    };
    if !matches!(fault, Fault::NotMasked | Fault::MaskedAfter) {
        hide(&mut weights);
    }
    let total = |at: usize| -> f64 {
        match fault {
            Fault::Columns => (0..n).map(|i| weights[i * n + at % n]).sum(),
            _ => (0..n).map(|j| weights[at / n * n + j]).sum(),
        }
    };
    let mut map: Vec<f64> =
        (0..n * n).map(|at| weights[at] / total(at)).collect();
    if fault == Fault::MaskedAfter {
        hide(&mut map);
    }
    map
}

fn drawn(n: usize, seed: u64) -> Vec<f64> {
    let mut random = Random::new(seed);
    (0..n * n).map(|_| 2.0 * f64::from(random.normal())).collect()
}

fn asked(
    map: &[f64],
    scores: &[f64],
    width: usize,
    wanted: Fault,
    why: &str,
) -> Outcome {
    let found = yours::name(map, scores, width);
    if found == wanted {
        return Ok(());
    }
    let n = scores.len().isqrt();
    let table = |values: &[f64]| {
        let rows = values.chunks(n).map(|row| {
            let cells = row.iter().map(|x| format!("{x:7.2}"));
            format!("  {}\n", cells.collect::<String>())
        });
        rows.collect::<String>()
    };
    Err(wrong(format!(
        "Your diagnosis is {found:?}, but {wanted:?} was expected. \
         {why}\n\nscores, with a width of {width}\n{}the map\n{}",
        table(scores),
        table(map)
    )))
}

fn each(_: &()) -> Outcome {
    let scores = drawn(4, 1);
    for fault in ALL {
        asked(&made(fault, &scores, 4), &scores, 4, fault, "")?;
    }
    Ok(())
}

fn right(_: &()) -> Outcome {
    let scores = [0.0; 9];
    let why = "All scores are equal, so a factor changes nothing.";
    asked(&made(Fault::Right, &scores, 4), &scores, 4, Fault::Right, why)?;
    asked(
        &[1.0],
        &[3.0],
        4,
        Fault::Right,
        "With a single position its weight \
                                            is 1.",
    )
}

fn narrow(_: &()) -> Outcome {
    let scores = drawn(3, 2);
    let why = "The root of 1 is 1.";
    asked(&made(Fault::Right, &scores, 1), &scores, 1, Fault::Right, why)
}

fn one(_: &()) -> Outcome {
    let scores = drawn(4, 3);
    let why = "One row alone would fit; the others do not.";
    for fault in ALL {
        let mut map = made(Fault::Right, &scores, 4);
        let other = made(fault, &scores, 4);
        map[4..8].copy_from_slice(&other[4..8]);
        let wanted = match map == made(Fault::Right, &scores, 4) {
            true => Fault::Right,
            false => Fault::Unknown,
        };
        asked(&map, &scores, 4, wanted, why)?;
    }
    Ok(())
}

fn unknown(_: &()) -> Outcome {
    let scores = drawn(3, 4);
    let shifted: Vec<f64> =
        made(Fault::Right, &scores, 4).iter().map(|p| 0.9 * p).collect();
    asked(
        &shifted,
        &scores,
        4,
        Fault::Unknown,
        "A tenth of one weight is missing.",
    )?;
    // Without visible scores above the diagonal, rows and columns cannot be
    // told apart.
    let scores = [0.0, -90.0, 0.0, 0.0];
    let map = made(Fault::NotScaled, &scores, 1);
    asked(
        &map,
        &scores,
        1,
        Fault::Right,
        "With a width of 1 the map is right.",
    )?;
    let (scores, map) = ([120.0, 0.0, 0.0, 10.0], [1.0, 0.0, 0.0, 1.0]);
    let why = "Undivided scores give this map, and so does a softmax over \
               columns: no diagnosis is better than a wrong one.";
    asked(&map, &scores, 100, Fault::Unknown, why)?;
    let scores = [0.0, 0.0, 0.0, 0.0];
    let map = [0.5, 0.0, 0.5, 1.0];
    let why = "The softmax was over columns.";
    asked(&map, &scores, 4, Fault::Columns, why)?;
    let (scores, map) = ([5.0, -90.0, 5.0, -90.0], [1.0, 0.0, 1.0, 0.0]);
    let why = "Without a mask, with a late mask, without scaling and with none \
               of these bugs, the map is the same here.";
    asked(&map, &scores, 1, Fault::Right, why)
}

fn chance(_: &()) -> Outcome {
    for seed in 0..300 {
        let n = 2 + seed as usize % 5;
        let scores = drawn(n, 100 + seed);
        let width = [2, 8, 32][seed as usize % 3];
        let fault = ALL[seed as usize % 5];
        let map = made(fault, &scores, width);
        let fits = |other: &Fault| {
            let other = made(*other, &scores, width);
            map.iter().zip(&other).all(|(a, b)| (a - b).abs() <= 1e-4)
        };
        let fitting: Vec<Fault> = ALL.into_iter().filter(fits).collect();
        let wanted = match fitting[..] {
            [only] => only,
            [Fault::Right, ..] => Fault::Right,
            _ => Fault::Unknown,
        };
        asked(&map, &scores, width, wanted, "")?;
    }
    Ok(())
}
