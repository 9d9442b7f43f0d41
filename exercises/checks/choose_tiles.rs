//! Checks `choose_tiles`, which chooses a kernel for each shape.
//!
//! Times are clock cycles in the model of the exercise, so the verdict is the
//! same on every machine.

use std::process::ExitCode;

use exercises::{Outcome, check, expect, numbers, wrong};
use yours::{Card, LAUNCH, MOST_PARTS, Plan, TILES, Tile, fits};

exercises::yours!("part3_unified/choose_tiles.rs");

fn main() -> ExitCode {
    check(
        "choose_tiles",
        YOURS,
        &[
            ("the cycles of a plan without parts", in_one_piece),
            ("the cycles of a plan with parts", in_parts),
            ("every index of k is in one part", parts),
            ("products in parts are right", products),
            ("the plan fits the device", room),
            ("no plan takes fewer cycles", best),
        ],
    )
}

/// A large GPU, a small one, one with little local memory, and a processor.
const CARDS: [Card; 4] = [
    Card { units: 132, local_memory: 49152 },
    Card { units: 16, local_memory: 32768 },
    Card { units: 132, local_memory: 8192 },
    Card { units: 2, local_memory: 262_144 },
];

/// Square, tall, wide and thin shapes, long sums, and sizes that are not
/// multiples of a tile.
const SHAPES: [[usize; 3]; 14] = [
    [16, 16, 16],
    [64, 64, 64],
    [100, 100, 100],
    [256, 256, 256],
    [1000, 1000, 1000],
    [1024, 1024, 1024],
    [4096, 4096, 4096],
    [4097, 4097, 4097],
    [32, 64, 32],
    [128, 784, 256],
    [256, 65536, 256],
    [16384, 64, 16384],
    [16, 4, 100_000],
    [1, 1, 1],
];

fn right([m, k, n]: [usize; 3], plan: Plan, card: Card) -> usize {
    let Plan { tile: Tile { rows, columns }, parts } = plan;
    let groups = m.div_ceil(rows) * n.div_ceil(columns) * parts;
    let each = rows * columns / 128 + (rows + columns) / 16;
    let turns = groups.div_ceil(card.units);
    let product = LAUNCH + turns * k.div_ceil(parts) * each;
    let joined = LAUNCH + (m * n * (parts + 1)).div_ceil(16 * card.units);
    product + if parts > 1 { joined } else { 0 }
}

fn said([m, k, n]: [usize; 3], plan: Plan, card: Card) -> String {
    let Plan { tile: Tile { rows, columns }, parts } = plan;
    format!(
        "({m}, {k}) x ({k}, {n}) by tiles of {rows} x {columns} in {parts} \
         part{} on {} units",
        if parts == 1 { "" } else { "s" },
        card.units
    )
}

fn count(sizes: [usize; 3], plan: Plan, card: Card) -> Outcome {
    let yours = yours::clocks(sizes, plan, card);
    let wanted = right(sizes, plan, card);
    if yours == wanted {
        return Ok(());
    }
    let why = match slip(sizes, plan, card, yours) {
        Some(why) => format!(" {why}"),
        None => String::new(),
    };
    Err(wrong(format!(
        "{}: your function returns {yours} cycles, but the model says \
         {wanted}.{why}",
        said(sizes, plan, card)
    )))
}

/// Names the mistake whose formula gives the learner's count.
fn slip(
    [m, k, n]: [usize; 3],
    plan: Plan,
    card: Card,
    yours: usize,
) -> Option<&'static str> {
    let Plan { tile: Tile { rows, columns }, parts } = plan;
    let each = rows * columns / 128 + (rows + columns) / 16;
    let length = k.div_ceil(parts);
    let joined = match parts {
        1 => 0,
        _ => LAUNCH + (m * n * (parts + 1)).div_ceil(16 * card.units),
    };
    let groups = m.div_ceil(rows) * n.div_ceil(columns) * parts;
    let whole = (m / rows) * (n / columns) * parts;
    let product =
        |groups: usize| LAUNCH + groups.div_ceil(card.units) * length * each;
    if yours == product(whole) + joined {
        Some(
            "It counts only whole tiles: a partly filled tile needs a group, \
             too.",
        )
    } else if yours == LAUNCH + groups * length * each / card.units + joined {
        Some(
            "It counts fractions of rounds, and the last one takes as long as \
             the others, even if some units are idle.",
        )
    } else if parts > 1 && yours == product(groups) {
        Some(
            "The parts are added up by a second launch, which has a fixed cost \
             and reads all of them.",
        )
    } else {
        None
    }
}

fn in_one_piece(_: &()) -> Outcome {
    for card in CARDS {
        for sizes in SHAPES {
            for tile in TILES {
                count(sizes, Plan { tile, parts: 1 }, card)?;
            }
        }
    }
    Ok(())
}

fn in_parts(_: &()) -> Outcome {
    for card in CARDS {
        for sizes in SHAPES {
            for parts in [2, 3, 16].into_iter().filter(|it| *it <= sizes[1]) {
                for tile in TILES {
                    count(sizes, Plan { tile, parts }, card)?;
                }
            }
        }
    }
    Ok(())
}

fn parts(_: &()) -> Outcome {
    for (k, parts) in
        [(12, 1), (12, 3), (12, 5), (13, 4), (784, 64), (65537, 7), (1, 1)]
    {
        let mut seen = vec![0; k];
        let most = k.div_ceil(parts);
        for which in 0..parts {
            let range = yours::part(k, parts, which);
            let what =
                format!("Part {which} of {parts} of k = {k} is {range:?}");
            if range.end > k {
                return Err(wrong(format!(
                    "{what}, but k has only the indices 0..{k}: a group would \
                     read past the end of a row."
                )));
            }
            if range.len() > most {
                return Err(wrong(format!(
                    "{what}, which has {} elements. No part may have more than \
                     {most}, because all others would wait for the longest.",
                    range.len()
                )));
            }
            range.for_each(|at| seen[at] += 1);
        }
        if let Some(at) = seen.iter().position(|times| *times != 1) {
            return Err(wrong(format!(
                "k = {k} in {parts} parts: index {at} is in {} of them. An \
                 index in no part is missing in every sum.",
                seen[at]
            )));
        }
    }
    Ok(())
}

fn products(_: &()) -> Outcome {
    for ([m, k, n], parts) in [([3, 7, 2], 3), ([2, 16, 2], 5), ([1, 9, 4], 2)]
    {
        let (a, b) = (numbers(1, m * k), numbers(2, k * n));
        let sum = |at: usize, range: &mut dyn Iterator<Item = usize>| {
            range.map(|p| a[at / n * k + p] * b[p * n + at % n]).sum::<f32>()
        };
        let by_parts = |at| {
            let parts = (0..parts).map(|which| yours::part(k, parts, which));
            parts.map(|mut range| sum(at, &mut range)).sum()
        };
        let yours: Vec<f32> = (0..m * n).map(by_parts).collect();
        let right: Vec<f32> =
            (0..m * n).map(|at| sum(at, &mut (0..k))).collect();
        let what = format!("({m}, {k}) x ({k}, {n}) in {parts} parts");
        expect(&what, &yours, &right)?;
    }
    Ok(())
}

fn room(_: &()) -> Outcome {
    for card in CARDS {
        for sizes in SHAPES {
            let plan = yours::choose(sizes, card);
            let what = said(sizes, plan, card);
            if !TILES.contains(&plan.tile) {
                return Err(wrong(format!(
                    "{what}: there is no kernel with such tiles."
                )));
            }
            if !fits(plan.tile, card) {
                return Err(wrong(format!(
                    "{what}: two such tiles need {} bytes of local memory, but \
                     the device has {} per group. It would reject the launch.",
                    (plan.tile.rows + plan.tile.columns) * 64,
                    card.local_memory
                )));
            }
            let most = MOST_PARTS.min(sizes[1]);
            if plan.parts == 0 || plan.parts > most {
                return Err(wrong(format!(
                    "{what}: the number of parts must be 1 to {most}."
                )));
            }
        }
    }
    Ok(())
}

fn best(_: &()) -> Outcome {
    for card in CARDS {
        for sizes in SHAPES {
            let yours = yours::choose(sizes, card);
            let best = least(sizes, card, |_| true);
            let [took, least] =
                [yours, best].map(|plan| right(sizes, plan, card));
            if took > least {
                return Err(wrong(format!(
                    "{}: {took} cycles. Tiles of {} x {} in {} parts take \
                     {least}. {}",
                    said(sizes, yours, card),
                    best.tile.rows,
                    best.tile.columns,
                    best.parts,
                    why(sizes, yours, best, card)
                )));
            }
        }
    }
    Ok(())
}

/// Returns the plan with the fewest cycles among those that `among` accepts.
fn least(sizes: [usize; 3], card: Card, among: impl Fn(&Plan) -> bool) -> Plan {
    let tiles = TILES.into_iter().filter(|tile| fits(*tile, card));
    let plans = tiles.flat_map(|tile| {
        let parts = 1..=MOST_PARTS.min(sizes[1]);
        parts.map(move |parts| Plan { tile, parts })
    });
    let plans = plans.filter(among);
    let least = plans.min_by_key(|plan| right(sizes, *plan, card));
    least.expect("the smallest tile fits")
}

/// Describes the advantage of the better plan.
fn why(sizes: [usize; 3], yours: Plan, best: Plan, card: Card) -> String {
    let ([m, _, n], units) = (sizes, card.units);
    let Tile { rows, columns } = yours.tile;
    let groups = m.div_ceil(rows) * n.div_ceil(columns) * yours.parts;
    let other = least(sizes, card, |plan| plan.parts == yours.parts);
    let is_best_tile = right(sizes, yours, card) == right(sizes, other, card);
    if is_best_tile && yours.parts > best.parts {
        "These are more parts than the units can use: each of them is written, \
         and read again by the second launch."
            .to_string()
    } else if is_best_tile {
        format!(
            "There are {groups} groups for {units} units, and in the last \
             round the idle units could compute a part of k: that is worth the \
             second launch."
        )
    } else if rows > other.tile.rows {
        format!(
            "There are {groups} groups for {units} units, of {} elements each \
             for a result of {}: the units compute elements that are not \
             needed, or are idle.",
            rows * columns,
            m * n
        )
    } else {
        "A larger tile needs fewer loads per multiply-add, and there are \
         enough tiles to keep every unit busy."
            .to_string()
    }
}
