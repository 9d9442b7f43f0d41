use super::*;
use crate::ops::Op;

#[test]
fn accumulated_gradients_are_described_step_by_step() {
    let record = |id, op, parents: &[u64]| {
        Record::new(id, op, parents.to_vec(), &[], Some(vec![1.0]))
    };
    let mut tape = Tape::new(vec![
        record(1, Op::Leaf, &[]),
        record(2, Op::Mul, &[1, 1]),
        record(3, Op::Mul, &[2, 1]),
    ]);
    let given = |a: f32, b: f32| [a, b].map(|g| Some((vec![], vec![g])));
    tape.set_grads(3, vec![1.0], given(3.0, 9.0).into());
    tape.set_grads(2, vec![3.0], given(9.0, 9.0).into());
    tape.set_grads(1, vec![27.0], vec![]);
    let gives = |sentence: &str| format!("Backward: mul gives {sentence}.");
    assert_eq!(
        backward(&tape, 2),
        gives("[3] to %1 and [9] to %0, which gets more")
    );
    assert_eq!(
        backward(&tape, 1),
        gives("[9] to %0, which gets more and [9] to %0, [27] in all")
    );
}

/// A partial gradient is hidden unless the steps are animated, and is replaced
/// when the next part arrives.
///
/// Promise: The tape figure shows each partial gradient until the next one
/// arrives.
#[test]
fn a_partial_gradient_is_shown_until_the_next() {
    let record = |id, op, parents: &[u64]| {
        Record::new(id, op, parents.to_vec(), &[], Some(vec![1.0]))
    };
    let mut tape = Tape::new(vec![
        record(1, Op::Leaf, &[]),
        record(2, Op::Exp, &[1]),
        record(3, Op::Mul, &[2, 1]),
        record(4, Op::Add, &[3, 1]),
    ]);
    let given = |grads: &[f32]| {
        grads.iter().map(|&g| Some((vec![], vec![g]))).collect()
    };
    tape.set_grads(4, vec![1.0], given(&[1.0, 1.0]));
    tape.set_grads(3, vec![1.0], given(&[5.0, 7.0]));
    tape.set_grads(2, vec![5.0], given(&[30.0]));
    tape.set_grads(1, vec![38.0], vec![]);
    let drawn = svg(&tape, "test", "", None);
    let parts: Vec<&str> =
        drawn.lines().filter(|line| line.contains("data-until")).collect();
    assert_eq!(parts.len(), 2, "{drawn}");
    // Steps 1 to 3 are forward; step 4 is the seed.
    assert!(parts[0].ends_with(" data-until=\"6\">\u{2207} [1] +</text>"));
    assert!(parts[1].ends_with(" data-until=\"7\">\u{2207} [8] +</text>"));
    assert!(parts.iter().all(|part| part.contains(" display=\"none\" ")));
    assert!(drawn.contains(">\u{2207} [38]</text>"));
}

#[test]
fn no_arrow_leads_to_operands_without_gradients() {
    let record = |id, op, parents: &[u64]| {
        Record::new(id, op, parents.to_vec(), &[], Some(vec![1.0]))
    };
    let mut tape = Tape::new(vec![
        record(1, Op::Leaf, &[]),
        record(2, Op::Leaf, &[]),
        record(3, Op::Mul, &[1, 2]),
    ]);
    tape.set_grads(3, vec![1.0], vec![Some((vec![], vec![5.0])), None]);
    tape.set_grads(1, vec![5.0], vec![]);
    let drawn = svg(&tape, "test", "", None);
    assert_eq!(drawn.matches("marker-start=\"url(").count(), 1, "{drawn}");
}

#[test]
fn the_first_wrong_rule_is_marked() {
    let leaf = Record::new(1, Op::Leaf, vec![], &[], Some(vec![1.0]));
    let tape = Tape::new(vec![leaf]);
    let plain = svg(&tape, "test", "", None);
    let blamed = svg(&tape, "test", "", Some(0));
    for mark in [">first wrong rule</text>", "stroke-width=\"4\""] {
        assert!(blamed.contains(mark), "{blamed}");
        assert!(!plain.contains(mark), "{plain}");
    }
}

/// Returns the line of an operation's name in a drawing, and the width of the
/// drawing.
fn name_in_drawing(op: Op) -> (String, f64) {
    let name = op.name();
    let leaf = Record::new(1, Op::Leaf, vec![], &[], None);
    let made = Record::new(2, op, vec![1], &[], None);
    let drawn = svg(&Tape::new(vec![leaf, made]), "test", "", None);
    let line =
        drawn.lines().find(|it| it.ends_with(&format!(">{name}</text>")));
    (line.expect("a name").to_string(), number(&drawn, "viewBox=\"0 0 "))
}

/// Returns the number that follows a word.
fn number(text: &str, word: &str) -> f64 {
    let rest = text.split(word).nth(1).expect("the word");
    let mut parts = rest.split(|c: char| c != '.' && !c.is_ascii_digit());
    parts.next().and_then(|digits| digits.parse().ok()).expect("a number")
}

#[test]
fn long_names_are_drawn_smaller_beside_the_circle() {
    let (inside, _) = name_in_drawing(Op::Exp);
    let (outside, _) = name_in_drawing(Op::Sigmoid);
    let x = |line: &str| number(line, " x=\"");
    assert_eq!(x(&outside) - x(&inside), NAME);
    let size = |line: &str| number(line, " font-size=\"");
    assert!(size(&outside) < size(&inside), "{outside}");
}

/// A character of this font is 0.6 times its size wide.
#[test]
fn the_longest_name_fits_into_the_picture() {
    for op in [Op::LogSoftmax, Op::named("index_select"), Op::Sigmoid] {
        let length = op.name().len() as f64;
        let (line, width) = name_in_drawing(op);
        let [x, size] = [" x=\"", " font-size=\""].map(|it| number(&line, it));
        assert!(x + 0.6 * size * length < width - 2.0, "{line}");
    }
}

/// The last leaf waits for its consumer for two rows, in the first lane that is
/// free in both.
#[test]
fn records_do_not_overlap_waiting_ones() {
    let record = |id, parents: &[u64]| {
        let op = if parents.is_empty() { Op::Leaf } else { Op::Mul };
        Record::new(id, op, parents.to_vec(), &[], None)
    };
    let tape = Tape::new(vec![
        record(0, &[]),
        record(1, &[]),
        record(2, &[0, 1]),
        record(3, &[0, 1]),
        record(4, &[0, 1]),
        record(5, &[]),
        record(6, &[2, 5]),
        record(7, &[6, 3]),
        record(8, &[7, 4]),
    ]);
    let at = |id: &u64| tape.position(*id).unwrap();
    let parents = tape.records.iter().map(|r| r.parents.iter());
    let parents: Vec<Vec<usize>> =
        parents.map(|ids| ids.map(at).collect()).collect();
    let layout = Layout::new(&tape, &parents);
    let lanes: Vec<usize> = layout.places.iter().map(|p| p.1).collect();
    assert_eq!(lanes, [0, 1, 0, 1, 2, 3, 0, 0, 0]);
}

#[test]
fn an_empty_tape_has_the_size_of_one_record() {
    let one = Record::new(1, Op::Leaf, vec![], &[], None);
    let size = |records| {
        let svg = svg(&Tape::new(records), "test", "", None);
        let size = svg.split("viewBox=").nth(1).expect("a size");
        size.split(" style").next().map(String::from)
    };
    assert_eq!(size(vec![]), size(vec![one]));
}

/// Compares a picture with every kind of element, line by line, with one that
/// a person has checked.
#[test]
fn a_full_drawing_matches_the_checked_picture() {
    let record = |id, op, parents: &[u64], value: f32| {
        Record::new(id, op, parents.to_vec(), &[], Some(vec![value]))
    };
    let mut tape = Tape::new(vec![
        record(1, Op::Leaf, &[], 2.0),
        record(2, Op::Leaf, &[], 3.0),
        record(3, Op::Mul, &[1, 2], 6.0),
        record(4, Op::Tanh, &[3], 0.999_987_7),
        record(5, Op::Sigmoid, &[2], 0.952_574_1),
        record(6, Op::Add, &[4, 5], 1.952_561_8),
    ]);
    let given = |grads: &[f32]| {
        grads.iter().map(|&g| Some((vec![], vec![g]))).collect()
    };
    tape.set_grads(6, vec![1.0], given(&[1.0, 1.0]));
    tape.set_grads(5, vec![1.0], given(&[0.045_176_66]));
    tape.set_grads(4, vec![1.0], given(&[2.5e-5]));
    tape.set_grads(3, vec![2.5e-5], given(&[7.5e-5, 5e-5]));
    tape.set_grads(2, vec![0.045_226_66], vec![]);
    tape.set_grads(1, vec![7.5e-5], vec![]);
    let drawn = svg(&tape, "whole", "A < B", Some(3));
    let right = include_str!("whole.svg");
    for (number, (drawn, right)) in (1..).zip(drawn.lines().zip(right.lines()))
    {
        assert_eq!(drawn, right, "line {number} of whole.svg");
    }
    assert_eq!(drawn.lines().count(), right.lines().count());
}
