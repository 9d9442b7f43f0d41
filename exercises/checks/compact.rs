//! Checks `compact`, which copies a view to contiguous memory.

use std::process::ExitCode;

use exercises::{Outcome, again, check, choose, numbers, wrong};

exercises::yours!("part3_unified/compact.rs");

fn main() -> ExitCode {
    check(
        "compact",
        YOURS,
        &[
            ("a contiguous matrix", dense),
            ("a view with the strides (2, 1) from offset 1", column),
            ("transposed, with two axes and with three", turned),
            ("reversed, and sliced", backwards),
            ("a row that is repeated by a stride of 0", repeated),
            ("no axes, and no elements", nothing),
            ("windows that overlap", windows),
        ],
    )
}

/// Returns the elements of a view, one index per axis: slow but simple.
fn elements(
    memory: &[f32],
    shape: &[usize],
    strides: &[isize],
    at: isize,
) -> Vec<f32> {
    let Some((size, inner)) = shape.split_first() else {
        return vec![memory[at as usize]];
    };
    let row = |i: usize| {
        let at = at + i as isize * strides[0];
        elements(memory, inner, &strides[1..], at)
    };
    (0..*size).flat_map(row).collect()
}

fn judge(
    seed: u64,
    slots: usize,
    shape: &[usize],
    strides: &[isize],
    offset: usize,
) -> Outcome {
    let memory = numbers(seed, slots);
    // In a variant the axes, the elements or both are in reverse order.
    let [axes, all] =
        choose([false; 2], [[true, false], [false, true], [true, true]]);
    let (mut sizes, mut ways) = (shape.to_vec(), strides.to_vec());
    if axes {
        sizes.reverse();
        ways.reverse();
    }
    let mut right = elements(&memory, &sizes, &ways, offset as isize);
    if all {
        right.reverse();
    }
    let found = yours::compact(&memory, shape, strides, offset);
    if found == right {
        return Ok(());
    }
    let view = format!(
        "shape {shape:?}, strides {strides:?}, offset {offset}, in {slots} \
         slots"
    );
    if found.len() != right.len() {
        return Err(wrong(format!(
            "compact returns {} elements, but the view has {}: the product of \
             its sizes, however many slots the memory has. It is 1 without \
             axes, and 0 if one size is 0.\n\n  view   {view}",
            found.len(),
            right.len()
        )));
    }
    // The reversed order, in which the first index varies fastest.
    let reversed = |sizes: &[usize]| {
        let mut sizes = sizes.to_vec();
        sizes.reverse();
        sizes
    };
    let mut back = strides.to_vec();
    back.reverse();
    let columns = elements(&memory, &reversed(shape), &back, offset as isize);
    let start = strides.iter().all(|stride| *stride >= 0);
    let why = if again() {
        choose(
            "",
            [
                "The first axis runs fastest: the element after [0, 0] is [1, \
                 0].",
                "The last element comes first, and the last axis runs fastest.",
                "The last element comes first, and the first axis runs \
                 fastest.",
            ],
        )
    } else if found == columns {
        "The first axis runs fastest; the last one should, so that a row \
         stays together."
    } else if start && found == elements(&memory, shape, strides, 0) {
        "The offset is missing: the first element is there, not in slot 0."
    } else if found
        == memory[offset..]
            .iter()
            .copied()
            .take(found.len())
            .collect::<Vec<_>>()
    {
        "These are consecutive slots from the offset on. The strides determine \
         where the elements of the view are."
    } else {
        "Each element is at the offset plus, for each axis, its index times \
         its stride."
    };
    let at = found.iter().zip(&right).position(|(a, b)| a != b).unwrap_or(0);
    Err(wrong(format!(
        "compact is wrong at element {at}, counted from 0. {why}\n\n  view   \
         {view}\n  memory {memory:?}\n  yours  {found:?}\n  right  {right:?}"
    )))
}

fn dense(_: &()) -> Outcome {
    judge(1, 6, &[2, 3], &[3, 1], 0)
}

fn column(_: &()) -> Outcome {
    judge(2, 4, &[2, 1], &[2, 1], 1)
}

fn turned(_: &()) -> Outcome {
    judge(3, 6, &[3, 2], &[1, 3], 0)?;
    judge(4, 24, &[4, 2, 3], &[1, 12, 4], 0)
}

fn backwards(_: &()) -> Outcome {
    judge(5, 6, &[2, 3], &[3, -1], 2)?;
    judge(6, 6, &[3, 2], &[-1, -3], 5)?;
    judge(7, 20, &[2, 2], &[5, 1], 7)
}

fn repeated(_: &()) -> Outcome {
    judge(8, 3, &[4, 3], &[0, 1], 0)?;
    judge(9, 1, &[2, 3], &[0, 0], 0)?;
    judge(10, 4, &[2, 3], &[1, 0], 2)
}

fn nothing(_: &()) -> Outcome {
    judge(11, 3, &[], &[], 2)?;
    judge(12, 3, &[0, 2], &[2, 1], 0)?;
    judge(13, 3, &[2, 0], &[1, 1], 0)?;
    judge(14, 0, &[0], &[1], 0)
}

fn windows(_: &()) -> Outcome {
    judge(15, 12, &[2, 3, 2, 2], &[4, 1, 4, 1], 0)
}
