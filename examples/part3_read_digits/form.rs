//! Converts a drawing to the format of the training digits: the same size,
//! position and amount of ink.

use super::drawing::Drawing;

/// Side length in pixels at which the training digits were scanned. Each of
/// their 64 values counts the ink in a square of 4 by 4 pixels.
const SIDE: usize = 32;
const BLOCK: usize = 4;
/// Maximum width of a training digit within those pixels.
const WIDEST: usize = 24;
/// Mean number of ink pixels in a training digit, 30.5 % of 32 x 32. The mean
/// of each digit class is between 29.6 and 32.2 %.
const INK: usize = 312;

/// Half-open ranges of rows and columns.
#[derive(Debug, PartialEq)]
pub(crate) struct Bounds {
    rows: [usize; 2],
    columns: [usize; 2],
}

impl Bounds {
    /// Returns the smallest box that contains all ink, if there is any.
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
/// Converts a drawing to 64 values from 0 (paper) to 1 (ink). The bounding box
/// is scaled to a height of 32 pixels, keeping its aspect ratio up to a width
/// of 24, and centered in 32 x 32. Then the strokes are made thicker or
/// thinner until 312 pixels are ink.
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

/// Returns the rows (or columns) of the drawing that map to one pixel. There
/// is at least one. The pixel is ink if any of them is, so thin lines are not
/// lost.
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
/// Makes strokes thicker or thinner: sorts pixels by their signed distance to
/// the edge of the ink, and keeps the first `count`, from the inside out.
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

/// Returns the fraction of ink in each square of 4 by 4.
fn counted(pixels: &[bool]) -> Vec<f32> {
    let blocks = SIDE / BLOCK;
    let mut shares = vec![0.0; blocks * blocks];
    for (at, _) in pixels.iter().enumerate().filter(|(_, ink)| **ink) {
        let (row, column) = (at / SIDE / BLOCK, at % SIDE / BLOCK);
        shares[row * blocks + column] += 1.0 / (BLOCK * BLOCK) as f32;
    }
    shares
}
