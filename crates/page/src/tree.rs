//! The tree figure of "How fast is a sum?": adds the upper half to the lower
//! half, or neighbors to each other, and shows the active warps.

use rungrad::Error;
use rungrad::workgroup::{Access, Group, Schedule, Trace};
use serde_json::{Value, json};

use crate::kernels::{Kernel, Tree, run};
use crate::numbers;

/// Answers the number of elements for 16 items: the rounds of both trees with
/// warps of 4, and the active items in warps of 32 for a group of 256.
pub(crate) fn answer(words: &[&str]) -> Result<Value, Error> {
    let word = words.first().copied().unwrap_or_default();
    let count: Option<u8> = word.parse().ok();
    let count = count.filter(|count| (1..=16).contains(count));
    let count = count.ok_or_else(|| {
        Error::Usage(format!(
            "`{word}` is not a number of elements; write 1 to 16"
        ))
    })?;
    let x: Vec<f32> = (1..=count).map(f32::from).collect();
    let reduce = |neighbors| {
        let how = Tree { load: true, behind: true, inside: false, neighbors };
        let run = |items| {
            let group = Group { items, cells: items };
            run(group, Schedule::Lockstep, &Kernel::Tree(&x, how))
        };
        let (small, large) = (run(16), warps(&run(256), 256, 32));
        json!({ "rounds": rounds(&small), "large": large })
    };
    Ok(json!({ "halves": reduce(false), "neighbors": reduce(true) }))
}

/// Returns local memory after each round, the additions, and the warps.
fn rounds(trace: &Trace) -> Value {
    let warps = warps(trace, 16, 4);
    let mut local = vec![0.0; 16];
    let round = |round: usize| {
        let own = trace.events.iter().filter(|it| it.phase == round);
        let mut reads = Vec::new();
        for event in own {
            match event.access {
                Access::Read => reads.push((event.item, event.cell)),
                Access::Write => local[event.cell] = event.value,
            }
        }
        // Each item reads its own cell first.
        let adds = reads.iter().filter(|(item, cell)| item != cell);
        json!({
            "local": numbers(&local),
            "adds": adds.collect::<Vec<_>>(),
            "warps": warps[round],
        })
    };
    (0..trace.barriers).map(round).collect()
}

/// Returns the number of active items in each warp, for each round.
fn warps(trace: &Trace, items: usize, warp: usize) -> Vec<Vec<usize>> {
    let round = |round: usize| {
        // Each active item writes once in a round.
        let mut counts = vec![0; items / warp];
        for event in &trace.events {
            if event.phase == round && event.access == Access::Write {
                counts[event.item / warp] += 1;
            }
        }
        counts
    };
    (0..trace.barriers).map(round).collect()
}
