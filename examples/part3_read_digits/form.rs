//! A drawing in the form of the course's digits: as large, in the same place,
//! and with as much ink.

use super::drawing::Drawing;

/// The digits of the course were drawn on so many pixels a side, and each of
/// their numbers counts the ink in a square of 4 by 4.
const SIDE: usize = 32;
const BLOCK: usize = 4;
/// A digit of the course leaves a column free on either side.
const WIDEST: usize = 24;
/// So many of the 32 x 32 pixels are ink in the mean of all of them, 30.5 %;
/// in the mean of each digit it is 29.6 to 32.2 %.
const INK: usize = 312;

/// From the first to behind the last row, and the same for columns.
#[derive(Debug, PartialEq)]
pub(crate) struct Bounds {
    rows: [usize; 2],
    columns: [usize; 2],
}

impl Bounds {
    /// Finds the smallest box with all ink in it, if there is any.
    pub(crate) fn of(drawing: &Drawing) -> Option<Bounds> {
        let ink = |&at: &usize| drawing.ink[at];
        let places = || (0..drawing.ink.len()).filter(ink);
        let rows = || places().map(|at| at / drawing.width);
        let columns = || places().map(|at| at % drawing.width);
        Some(Bounds {
            rows: [rows().min()?, rows().max()? + 1],
            columns: [columns().min()?, columns().max()? + 1],
        })
    }
}

// ANCHOR: digit
/// Makes 64 numbers from 0 (paper) to 1 (ink) of a drawing: the box around the
/// ink becomes 32 pixels high and as wide as it was beside that, up to 24, in
/// the middle of 32 x 32 pixels. Then the strokes get as thick as they have
/// to be for 312 pixels of ink.
pub(crate) fn digit(drawing: &Drawing) -> Option<Vec<f32>> {
    let Bounds { rows, columns } = Bounds::of(drawing)?;
    let [height, width] = [rows, columns].map(|[from, to]| to - from);
    let wide = (SIDE * width + height / 2) / height;
    let wide = wide.clamp(1, WIDEST);
    let left = (SIDE - wide) / 2;
    let mut pixels = [false; SIDE * SIDE];
    for row in 0..SIDE {
        for column in 0..wide {
            let down = part(row, SIDE, rows);
            let mut places = down.flat_map(|row| {
                let along = part(column, wide, columns);
                along.map(move |column| row * drawing.width + column)
            });
            pixels[row * SIDE + left + column] =
                places.any(|at| drawing.ink[at]);
        }
    }
    Some(counted(&with_ink(&pixels, INK)))
}

/// The rows of the drawing, or the columns, that a pixel stands for: one or
/// more, of which any that is ink makes it ink, so that no thin line is lost.
fn part(
    at: usize,
    of: usize,
    [from, to]: [usize; 2],
) -> std::ops::Range<usize> {
    let length = to - from;
    let first = at * length / of;
    let behind = ((at + 1) * length / of).max(first + 1);
    from + first..from + behind
}
// ANCHOR_END: digit

// ANCHOR: with-ink
/// Makes strokes thicker or thinner: ink is what lies deepest in the ink, and
/// then what lies nearest to it, until there is as much as is asked for.
fn with_ink(pixels: &[bool], count: usize) -> Vec<bool> {
    let nearest = |at: usize, kind: bool| {
        let others = (0..pixels.len()).filter(|&other| pixels[other] == kind);
        let square = |a: usize, b: usize| a.abs_diff(b).pow(2);
        let far = others.map(|other| {
            square(at / SIDE, other / SIDE) + square(at % SIDE, other % SIDE)
        });
        far.min().unwrap_or(0) as isize
    };
    let depth = |at: usize| match pixels[at] {
        true => -nearest(at, false),
        false => nearest(at, true),
    };
    let depths: Vec<isize> = (0..pixels.len()).map(depth).collect();
    let mut sorted = depths.clone();
    sorted.sort_unstable();
    let last = sorted[count - 1];
    depths.into_iter().map(|depth| depth <= last).collect()
}
// ANCHOR_END: with-ink

/// The share of ink in each square of 4 by 4.
fn counted(pixels: &[bool]) -> Vec<f32> {
    let blocks = SIDE / BLOCK;
    let mut shares = vec![0.0; blocks * blocks];
    for (at, _) in pixels.iter().enumerate().filter(|(_, ink)| **ink) {
        let (row, column) = (at / SIDE / BLOCK, at % SIDE / BLOCK);
        shares[row * blocks + column] += 1.0 / (BLOCK * BLOCK) as f32;
    }
    shares
}
