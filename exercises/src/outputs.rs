//! Checks that a kernel wrote every element of its outputs and nothing else.

use crate::kernel::{GROUP, TILE};
use crate::verdict::{Outcome, Stop, wrong};

/// Fills outputs before the launch, and the padding after them.
pub(crate) const CANARY: f32 = -8.765_432e30;

/// Fills the padding after inputs. A kernel that reads past an input and adds
/// something leaves this value recognizable.
pub(crate) const BEHIND: f32 = -5.432_109e30;

/// Checks that an input is unchanged, and that nothing was written after it.
pub(crate) fn intact(name: &str, before: &[f32], after: &[f32]) -> Outcome {
    let (own, spare) = after.split_at(before.len());
    let differs = |(b, a): (&f32, &f32)| b.to_bits() != a.to_bits();
    if let Some(at) = before.iter().zip(own).position(differs) {
        return Err(wrong(format!(
            "{name} is an input, but the kernel wrote its element {at}. Write \
             only to outputs."
        )));
    }
    past_the_end(name, before.len(), spare, BEHIND, None)
}

/// What writes an element of an output.
#[derive(Clone, Copy)]
pub(crate) enum Writer {
    /// Each work-item, out of this number.
    Item(usize),
    /// Each work-item of a grid of columns and rows.
    Cell([usize; 2]),
    /// Each group, out of this number.
    Group(usize),
    /// Each group writes a row with this number of columns.
    Row(usize),
}

/// Checks that an output was written completely and that nothing was written
/// after it. `adds` is whether the kernel adds to it with `+=`.
pub(crate) fn inside(
    name: &str,
    values: &[f32],
    len: usize,
    writer: Writer,
    adds: bool,
) -> Outcome {
    let (own, spare) = values.split_at(len);
    // The guard value is so large that adding to it leaves it unchanged.
    let untouched = |value: &f32| value.to_bits() == CANARY.to_bits();
    past_the_end(name, len, spare, CANARY, Some(writer))?;
    let stray = |value: &f32| value.to_bits() == BEHIND.to_bits();
    if let Some(at) = own.iter().position(stray) {
        return Err(wrong(format!(
            "{name}[{at}] was computed from a value past the end of an input. \
             Check the index of each read for this element."
        )));
    }
    let Some(at) = own.iter().position(untouched) else { return Ok(()) };
    let why = match writer {
        _ if adds => format!(
            "Your kernel adds to {name}[..] with `+=`, but nothing has set it \
             to 0 first: write it with `=`{}.",
            match writer {
                Writer::Group(_) => ", each group at its own get_group_id(0)",
                _ => "",
            }
        ),
        Writer::Item(_) => format!(
            "The array has {len} elements, and each needs a work-item that \
             writes it.{}",
            match own.iter().all(untouched) {
                true =>
                    " No element was written: does the kernel write to this \
                     array at all?",
                false => guess(own),
            }
        ),
        Writer::Cell(_) => format!(
            "The array has {len} elements, and each must be written by the \
             item of its column and row."
        ),
        Writer::Group(_) => "Each group must write the element at its own \
                             index, get_group_id(0). Does one item of every \
                             group reach that line?"
            .to_string(),
        Writer::Row(columns) => format!(
            "It is column {} of row {}. A group has one row, and its items \
             share the columns: each writes the column at its own index, and \
             from there every {GROUP}th.",
            at % columns,
            at / columns
        ),
    };
    Err(wrong(format!("{name}[{at}] was never written. {why}")))
}

/// Returns the counters of an array that began as 0, after checking its
/// padding.
pub(crate) fn counted(
    name: &str,
    values: &[u32],
    len: usize,
) -> Result<Vec<f32>, Stop> {
    let counts: Vec<f32> = values.iter().map(|count| *count as f32).collect();
    let (own, spare) = counts.split_at(len);
    past_the_end(name, len, spare, 0.0, None)?;
    Ok(own.to_vec())
}

/// Guesses which wrong index would leave exactly these elements unwritten.
fn guess(own: &[f32]) -> &'static str {
    let left = |unwritten: &dyn Fn(usize) -> bool| {
        let is = |it: &f32| it.to_bits() == CANARY.to_bits();
        own.iter().enumerate().all(|(at, it)| is(it) == unwritten(at))
    };
    if left(&|at| at == 0) {
        " Both items and elements are counted from 0."
    } else if left(&|at| at > 0) {
        " Only the first one was written: it seems that every item uses index \
         0."
    } else if left(&|at| at >= GROUP) {
        " It is the first element of the second group. get_local_id begins at \
         0 in every group, whereas get_global_id counts all items. And the \
         array ends at n, not at the size of a group."
    } else {
        ""
    }
}

fn past_the_end(
    name: &str,
    len: usize,
    spare: &[f32],
    guard: f32,
    writer: Option<Writer>,
) -> Outcome {
    let written = |value: &f32| value.to_bits() != guard.to_bits();
    let Some(at) = spare.iter().position(written) else { return Ok(()) };
    let at = len + at;
    let why = match writer {
        None => String::new(),
        Some(Writer::Item(items)) => {
            let all = items.next_multiple_of(GROUP);
            match spare.iter().filter(|value| written(value)).count() {
                // One of several spare items wrote: there is a guard, off by
                // one.
                1 if at == len && all > len + 1 => {
                    " That was the only one: does the comparison let item n \
                     through? The last element has index n - 1."
                        .to_string()
                }
                _ => format!(
                    " The device runs whole groups of {GROUP}, so {all} \
                     work-items ran. The spare items must do nothing: check \
                     that the index is less than n first."
                ),
            }
        }
        Some(Writer::Cell([columns, rows])) => format!(
            " The device runs whole groups of {TILE} x {TILE}, so {columns} x \
             {rows} work-items ran. The spare items must write nothing: check \
             that the column and the row exist first."
        ),
        Some(Writer::Group(groups)) if at < groups => format!(
            " {groups} groups ran for {len} elements. A group without an \
             element must write nothing: compare the index of the group with \
             the number of elements first."
        ),
        Some(Writer::Group(_)) => {
            " There is one element per group: one item of the group writes \
             it, at index get_group_id(0)."
                .to_string()
        }
        Some(Writer::Row(columns)) => format!(
            " A row has {columns} columns, and an item with a higher index has \
             none to write."
        ),
    };
    Err(wrong(format!(
        "{name} was written past its end: its length is {len}, but the kernel \
         wrote {name}[{at}].{why}"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Stop;

    fn words(outcome: Outcome) -> String {
        match outcome {
            Err(Stop::Wrong { words, .. }) => words,
            other => format!("{other:?}"),
        }
    }

    /// Promise: A learner's kernel that writes past an array is detected, even
    /// if its result is right.
    #[test]
    fn a_write_behind_the_end_is_seen() {
        let wrote = |values: &[f32]| {
            let said = words(inside("out", values, 2, Writer::Item(2), false));
            assert!(said.contains("out was written past its end"), "{said}");
            assert!(said.contains("out[2]"), "{said}");
            said
        };
        let said = wrote(&[1.0, 2.0, 3.0, 4.0, CANARY]);
        assert!(said.contains("whole groups of 256"), "{said}");
        let said = wrote(&[1.0, 2.0, 3.0, CANARY]);
        assert!(said.contains("let item n through"), "{said}");
    }

    #[test]
    fn a_group_without_an_element_is_told_to_compare_its_number() {
        let written = [1.0, 2.0, 3.0, CANARY, CANARY];
        let said = words(inside("out", &written, 2, Writer::Group(4), false));
        assert!(said.contains("4 groups ran for 2 elements"), "{said}");
        assert!(!said.contains("one item of the group writes it"), "{said}");
        // With one group per element, the writing item used a wrong index.
        let said = words(inside("out", &written, 2, Writer::Group(2), false));
        assert!(said.contains("one item of the group writes it"), "{said}");
    }

    #[test]
    fn an_element_that_nobody_wrote_is_seen() {
        let said = words(inside(
            "out",
            &[1.0, CANARY, CANARY],
            2,
            Writer::Item(2),
            false,
        ));
        assert!(said.contains("out[1] was never written"), "{said}");
    }

    #[test]
    fn an_element_that_its_group_only_added_to_is_seen() {
        let added = CANARY + 12.5;
        let group = Writer::Group(2);
        let said = words(inside("out", &[1.0, added], 2, group, true));
        assert!(said.contains("out[1] was never written"), "{said}");
        assert!(said.contains("with `=`, each group at its own"), "{said}");
        let item = Writer::Item(2);
        let said = words(inside("out", &[added, added], 2, item, true));
        assert!(said.contains("adds to out[..] with `+=`"), "{said}");
    }

    #[test]
    fn a_column_that_no_item_of_its_group_wrote_is_named_with_its_row() {
        let values = [1.0, 2.0, 3.0, 4.0, CANARY, 6.0];
        let said = words(inside("out", &values, 6, Writer::Row(3), false));
        assert!(said.contains("out[4] was never written"), "{said}");
        assert!(said.contains("column 1 of row 1"), "{said}");
    }

    #[test]
    fn what_is_counted_behind_the_end_is_seen() {
        let Err(stop) = counted("counts", &[3, 0, 1, 0], 2) else {
            panic!("nothing was said")
        };
        let said = words(Err(stop));
        assert!(said.contains("the kernel wrote counts[2]"), "{said}");
        assert_eq!(counted("counts", &[3, 4, 0], 2).unwrap(), [3.0, 4.0]);
    }

    #[test]
    fn an_input_that_was_written_is_seen() {
        let said = words(intact("a", &[1.0, 2.0], &[1.0, 2.5, BEHIND]));
        assert!(said.contains("wrote its element 1"), "{said}");
        assert!(intact("a", &[1.0], &[1.0, BEHIND]).is_ok());
    }

    #[test]
    fn what_was_read_behind_an_array_is_seen() {
        let read = BEHIND + 3.5;
        let said =
            words(inside("out", &[1.0, read], 2, Writer::Cell([2, 1]), false));
        assert!(
            said.contains("out[1] was computed from a value past the end"),
            "{said}"
        );
    }
}
