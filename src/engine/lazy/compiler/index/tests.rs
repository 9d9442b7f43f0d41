use super::*;

fn text(make: impl FnOnce(&mut Parts, &Index) -> Index, n: usize) -> String {
    let mut parts = Parts::default();
    let i = parts.count("i", n);
    let index = make(&mut parts, &i);
    parts.text(&index)
}

#[test]
fn a_dense_view_needs_no_index_arithmetic() {
    let dense = |parts: &mut Parts, i: &Index| {
        parts.through(i, (&[4, 5, 3], &[15, 3, 1], 0))
    };
    assert_eq!(text(dense, 60), "i");
}

#[test]
fn a_broadcast_row_uses_the_remainder() {
    let row = |parts: &mut Parts, i: &Index| {
        parts.through(i, (&[64, 128], &[0, 1], 0))
    };
    assert_eq!(text(row, 64 * 128), "(i % 128)");
    let column = |parts: &mut Parts, i: &Index| {
        parts.through(i, (&[64, 128], &[1, 0], 0))
    };
    assert_eq!(text(column, 64 * 128), "(i / 128)");
}

#[test]
fn two_transpositions_cancel() {
    let twice = |parts: &mut Parts, i: &Index| {
        let once = parts.through(i, (&[5, 4], &[1, 5], 0));
        parts.through(&once, (&[4, 5], &[1, 4], 0))
    };
    assert_eq!(text(twice, 20), "i");
    let twice = |parts: &mut Parts, i: &Index| {
        let once = parts.through(i, (&[2, 3, 4], &[1, 8, 2], 0));
        parts.through(&once, (&[3, 4, 2], &[4, 1, 12], 0))
    };
    assert_eq!(text(twice, 24), "i");
}

#[test]
fn a_reversed_view_starts_at_its_end() {
    let back =
        |parts: &mut Parts, i: &Index| parts.through(i, (&[10], &[-2], 19));
    assert_eq!(text(back, 10), "19 - i * 2");
    let mut parts = Parts::default();
    let i = parts.count("i", 10);
    let index = parts.through(&i, (&[10], &[-2], 19));
    assert_eq!(parts.bounds(&index), (1, 19));
}

#[test]
fn a_run_extends_to_the_end_of_an_axis() {
    let runs = |shape: &[usize], steps: &[isize], start: usize| -> Vec<_> {
        let n = shape.iter().product();
        let mut parts = Parts::default();
        let i = parts.count("i", n);
        let index = parts.through(&i, (shape, steps, 0));
        let counts = [("i", start, 1)];
        parts.runs(&index, &counts, &[], n - start).collect()
    };
    assert_eq!(runs(&[2, 3], &[1, 2], 0), [(0, 2, 3), (1, 2, 3)]);
    assert_eq!(runs(&[2, 3], &[1, 2], 1), [(2, 2, 2), (1, 2, 3)]);
    assert_eq!(runs(&[2, 3], &[3, 1], 1), [(1, 1, 5)]);
}

#[test]
fn nested_remainders_are_not_simplified() {
    let mut parts = Parts::default();
    let i = parts.count("i", 8);
    let four = parts.through(&i, (&[2, 4], &[0, 1], 0));
    let index = parts.through(&four, (&[20, 3], &[1, 20], 0));
    let found = parts.runs(&index, &[("i", 0, 1)], &[], 8);
    let found = found.flat_map(|(at, step, length)| {
        (0..length as i64).map(move |k| at + k * step)
    });
    let right = [0, 20, 40, 1].repeat(2);
    assert_eq!(found.collect::<Vec<_>>(), right);
}

/// Promise: An index through any chain of views reaches the elements that the
/// views show.
#[test]
fn any_chain_of_views_reaches_the_right_elements() {
    let mut random = crate::rng::Random::new(3);
    for _ in 0..2000 {
        // Each view is applied to the elements of the one before.
        let mut parts = Parts::default();
        let mut shapes: Vec<(Vec<usize>, Vec<isize>, usize)> = vec![];
        let mut memory = 60;
        for _ in 0..1 + random.below(3) {
            let shape = factors(&mut random);
            let mut axes: Vec<usize> = (0..shape.len()).collect();
            random.shuffle(&mut axes);
            let mut strides = vec![0_isize; shape.len()];
            let mut step = 1;
            for &axis in &axes {
                strides[axis] = step;
                step *= shape[axis] as isize;
            }
            let mut offset = 0;
            for (stride, &size) in strides.iter_mut().zip(&shape) {
                match random.below(4) {
                    0 => *stride = 0,
                    1 => {
                        offset += (size - 1) * *stride as usize;
                        *stride = -*stride;
                    }
                    _ => {}
                }
            }
            assert!(step as usize <= memory);
            shapes.push((shape, strides, offset));
            memory = 60;
        }
        let n = 60;
        let i = parts.count("i", n);
        let index = shapes.iter().fold(i, |index, (shape, steps, from)| {
            parts.through(&index, (shape, steps, *from))
        });
        let lists: Vec<Vec<usize>> = shapes
            .iter()
            .map(|(shape, steps, from)| {
                crate::shape::offsets(shape, steps, *from).collect()
            })
            .collect();
        let (least, most) = parts.bounds(&index);
        // Block by block, as the CPU loops ask for them.
        let mut found = vec![];
        let length = 1 + random.below(n);
        for from in (0..n).step_by(length) {
            let steps = length.min(n - from);
            let counts = [("i", from, 1)];
            for run in parts.runs(&index, &counts, &[], steps) {
                let (at, step, length) = run;
                found.extend((0..length as i64).map(|k| at + k * step));
            }
        }
        assert_eq!(found.len(), n);
        for (i, at) in found.into_iter().enumerate() {
            // The last view is applied first on the path to memory.
            let right = lists.iter().fold(i, |at, list| list[at]);
            assert_eq!(at, right as i64, "{shapes:?} at {i}");
            assert!((least..=most).contains(&at));
        }
    }
}

fn factors(random: &mut crate::rng::Random) -> Vec<usize> {
    let all: [&[usize]; 6] =
        [&[60], &[5, 12], &[12, 5], &[3, 4, 5], &[2, 2, 15], &[4, 15]];
    all[random.below(all.len())].to_vec()
}

#[test]
fn index_lists_are_read_in_order_and_in_range() {
    let mut parts = Parts::default();
    let i = parts.count("i", 12);
    let which = parts.quotient(&i, 3);
    let [each, few] = [i, which].map(|at| parts.place(0, at, 5));
    let places: [&[usize]; 1] = [&[3, 0, 9, 4, 1, 2, 0, 7, 3, 3, 1, 5]];
    for (index, right) in
        [(&each, [4_i64, 4, 1, 2, 0, 4]), (&few, [3, 0, 0, 0, 4, 4])]
    {
        let all = parts.all(index, &[("i", 2, 1)], &places, 6);
        assert_eq!(all, right);
        let at = |k| parts.all(index, &[("i", 2 + k, 0)], &places, 2);
        let one = |k: usize| assert_eq!(at(k), [right[k]; 2]);
        (0..6).for_each(one);
    }
    let even = parts.all(&each, &[("i", 0, 2)], &places, 3);
    assert_eq!(even, [3, 4, 1]);
}
