//! Checks `index_through_a_view`: a view as arithmetic on a linear index.

use std::process::ExitCode;

use exercises::{Outcome, check, choose, wrong};
use rungrad::rng::Random;
use rungrad::shape::offsets;
use yours::Term;

exercises::yours!("part3_unified/index_through_a_view.rs");

fn main() -> ExitCode {
    check(
        "index_through_a_view",
        YOURS,
        &[
            ("a line, and a reversed line", lines),
            ("a transposed matrix: a quotient and a remainder", turned),
            ("three axes in a different order", three),
            ("a row for every row: a broadcast axis", broadcast),
            ("contiguous axes are merged", joined),
            ("a part of a matrix: axes that are not contiguous", cut),
            ("500 random views", chance),
        ],
    )
}

fn lines(_: &()) -> Outcome {
    judge(&[7], &[1])?;
    judge(&[7], &[3])?;
    judge(&[7], &[-1])
}

fn turned(_: &()) -> Outcome {
    judge(&[5, 3], &[1, 5])?;
    judge(&[3, 5], &[1, 3])
}

fn three(_: &()) -> Outcome {
    judge(&[4, 2, 3], &[1, 12, 4])?;
    judge(&[2, 3, 4], &[1, 8, 2])
}

fn broadcast(_: &()) -> Outcome {
    judge(&[4, 3], &[0, 1])?;
    judge(&[4, 3], &[1, 0])?;
    judge(&[2, 4, 3], &[3, 0, 1])?;
    judge(&[5, 1], &[2, 9])
}

fn joined(_: &()) -> Outcome {
    judge(&[4, 3], &[3, 1])?;
    judge(&[2, 4, 3], &[24, 6, 2])?;
    judge(&[2, 3, 4], &[1, 8, 2])?;
    judge(&[3, 1, 4], &[4, 7, 1])?;
    judge(&[3, 4], &[-4, -1])
}

fn cut(_: &()) -> Outcome {
    judge(&[4, 3], &[5, 1])?;
    judge(&[4, 3], &[3, -1])?;
    judge(&[2, 4, 3], &[30, 5, 1])
}

fn chance(_: &()) -> Outcome {
    let mut random = Random::new(1);
    for _ in 0..500 {
        let shape: Vec<usize> =
            (0..1 + random.below(4)).map(|_| 1 + random.below(4)).collect();
        let mut axes: Vec<usize> = (0..shape.len()).collect();
        if random.below(2) == 0 {
            random.shuffle(&mut axes);
        }
        let mut strides = vec![0; shape.len()];
        let mut step = 1;
        for &axis in axes.iter().rev() {
            strides[axis] = step;
            step *= shape[axis] as isize;
            match random.below(6) {
                0 => strides[axis] = 0,
                1 => strides[axis] = -strides[axis],
                2 => step += 1,
                _ => {}
            }
        }
        judge(&shape, &strides)?;
    }
    Ok(())
}

/// Returns whether the first axis varies fastest, and whether the last element
/// is number 0: both only in variants.
fn changes() -> [bool; 2] {
    choose([false; 2], [[true, false], [false, true], [true, true]])
}

fn judge(shape: &[usize], strides: &[isize]) -> Outcome {
    let terms = yours::terms(shape, strides);
    let told = |why: String| {
        wrong(format!(
            "A view of shape {shape:?} with strides {strides:?}: {why}\n\n  \
             yours  {}",
            text(&terms)
        ))
    };
    // In a variant the axes, the elements or both are in reverse order.
    let [axes, all] = changes();
    let sign = if all { -1 } else { 1 };
    let mut view: Vec<(usize, isize)> =
        shape.iter().zip(strides).map(|(n, s)| (*n, sign * *s)).collect();
    if axes {
        view.reverse();
    }
    let (shape, strides): (Vec<_>, Vec<_>) = view.into_iter().unzip();
    let (shape, strides) = (&shape[..], &strides[..]);
    if terms.iter().any(|term| term.divide == 0 || term.rest == 0) {
        return Err(told("nothing can be divided by 0.".into()));
    }
    // The memory must contain every slot, even if strides are negative.
    let first: isize = shape
        .iter()
        .zip(strides)
        .map(|(&size, &stride)| -((size as isize - 1) * stride).min(0))
        .sum();
    let right: Vec<usize> = offsets(shape, strides, first as usize).collect();
    let found: Vec<isize> =
        (0..right.len()).map(|i| first + at(&terms, i)).collect();
    let differs = |i: &usize| found[*i] != right[*i] as isize;
    if let Some(i) = (0..right.len()).find(differs) {
        let why = diagnosis(shape, strides, &found, first).unwrap_or("");
        return Err(told(format!(
            "element {i} is {} slots from element 0, but your terms give {}. \
             {why}",
            right[i] as isize - right[0] as isize,
            found[i] - right[0] as isize
        )));
    }
    if let Some(none) = terms.iter().find(|t| t.rest == 1 || t.stride == 0) {
        return Err(told(format!(
            "{} is 0 for every element: an axis that is broadcast or has size \
             1 needs no term.",
            text(&[*none])
        )));
    }
    let least = least(shape, strides);
    if terms.len() > least {
        let terms = if least == 1 { "term is" } else { "terms are" };
        return Err(told(format!(
            "every element is right, and {least} {terms} enough. If a step \
             along one axis is as far as the whole next axis, i / d / s * s \
             and i / d % s can be merged to i / d."
        )));
    }
    Ok(())
}

fn at(terms: &[Term], i: usize) -> isize {
    let part = |term: &Term| (i / term.divide % term.rest) as isize;
    terms.iter().map(|term| part(term) * term.stride).sum()
}

fn text(terms: &[Term]) -> String {
    let all: Vec<String> = terms
        .iter()
        .map(|t| format!("(i / {} % {}) * {}", t.divide, t.rest, t.stride))
        .collect();
    if all.is_empty() { "nothing".into() } else { all.join(" + ") }
}

/// Returns the number of axes after merging contiguous ones.
fn least(shape: &[usize], strides: &[isize]) -> usize {
    let axes = shape.iter().zip(strides).filter(|axis| *axis.0 > 1);
    let axes: Vec<(usize, isize)> = axes.map(|(n, s)| (*n, *s)).collect();
    let mut all: Vec<(usize, isize)> = vec![];
    for (size, stride) in axes {
        match all.last_mut() {
            Some(outer) if outer.1 == stride * size as isize => {
                *outer = (outer.0 * size, stride);
            }
            _ => all.push((size, stride)),
        }
    }
    all.iter().filter(|axis| axis.1 != 0).count()
}

/// Names the mistake that explains every index of the learner's.
fn diagnosis(
    shape: &[usize],
    strides: &[isize],
    found: &[isize],
    first: isize,
) -> Option<&'static str> {
    let is = |place: &dyn Fn(usize) -> isize| {
        found.iter().enumerate().all(|(i, &at)| at == first + place(i))
    };
    let axes = || shape.iter().zip(strides);
    let each = |i: usize, is_reversed: bool| {
        let (mut divide, mut sum) = (1, 0);
        let all: Vec<_> = match is_reversed {
            true => axes().collect(),
            false => axes().rev().collect(),
        };
        for (&size, &stride) in all {
            sum += (i / divide % size) as isize * stride;
            divide *= size;
        }
        sum
    };
    let no_quotient = |i: usize| -> isize {
        axes().map(|(&size, &stride)| (i % size) as isize * stride).sum()
    };
    let no_rest = |i: usize| {
        let (mut divide, mut sum) = (1, 0);
        for (&size, &stride) in axes().rev() {
            sum += (i / divide) as isize * stride;
            divide *= size;
        }
        sum
    };
    let last = *strides.last()?;
    if is(&|i| each(i, true)) {
        Some(match changes()[0] {
            false => {
                "Your terms vary the first axis fastest. It should be the last \
                 one."
            }
            true => {
                "Your terms vary the last axis fastest. It should be the first \
                 one."
            }
        })
    } else if is(&no_quotient) {
        Some(
            "The quotient is missing: an axis advances when all later axes \
             have reached their ends.",
        )
    } else if is(&no_rest) {
        Some(
            "The remainder is missing: after the end of an axis its index \
             begins at 0 again.",
        )
    } else if is(&|i| i as isize * last) {
        Some(
            "Axes were merged that are not contiguous: a step along the outer \
             one must be as far as the whole inner one.",
        )
    } else {
        None
    }
}
