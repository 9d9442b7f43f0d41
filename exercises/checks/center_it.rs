//! Checks `center_it`, which moves the ink to the center of an image.

use std::process::ExitCode;

use exercises::{Outcome, check, choose, either, expect, numbers, wrong};

exercises::yours!("part3_unified/center_it.rs");

fn main() -> ExitCode {
    check(
        "center_it",
        YOURS,
        &[
            ("a single pixel of ink", spot),
            ("a box with equal space on both sides", even),
            ("a box with an odd number of free rows", odd),
            ("strokes with gaps, in any gray", strokes),
            ("a centered box, and a full image", nowhere_to_go),
            ("an image without ink", blank),
        ],
    )
}

/// Returns the half-open ranges of rows and columns that contain ink.
fn bounds(image: &[f32], w: usize) -> Option<[[usize; 2]; 2]> {
    let places = || (0..image.len()).filter(|&at| image[at] > 0.0);
    let span = |of: &dyn Fn(usize) -> usize| {
        let all = || places().map(of);
        Some([all().min()?, all().max()? + 1])
    };
    Some([span(&|at| at / w)?, span(&|at| at % w)?])
}

/// Moves an image; what leaves the frame is lost.
fn moved(
    image: &[f32],
    [h, w]: [usize; 2],
    [down, right]: [isize; 2],
) -> Vec<f32> {
    let mut other = vec![0.0; h * w];
    for (at, ink) in image.iter().enumerate().filter(|(_, ink)| **ink > 0.0) {
        let row = (at / w).checked_add_signed(down).filter(|it| *it < h);
        let column = (at % w).checked_add_signed(right).filter(|it| *it < w);
        if let (Some(row), Some(column)) = (row, column) {
            other[row * w + column] = *ink;
        }
    }
    other
}

/// Returns the distance to move, if `above` of the remaining rows go above the
/// box.
fn way(
    [from, to]: [usize; 2],
    size: usize,
    above: impl Fn(usize) -> usize,
) -> isize {
    above(size - (to - from)) as isize - from as isize
}

/// Returns the distances to move. A variant has the extra row above the box,
/// the extra column on its left, or both.
fn ways([rows, columns]: [[usize; 2]; 2], [h, w]: [usize; 2]) -> [isize; 2] {
    let [down, right] = choose([0, 0], [[1, 1], [1, 0], [0, 1]])
        .map(|extra| move |free: usize| (free + extra) / 2);
    [way(rows, h, down), way(columns, w, right)]
}

fn judge(image: &[f32], size: [usize; 2]) -> Outcome {
    let [h, w] = size;
    let yours = yours::center_it(image, size);
    let what = format!("center_it of an image of [{h}, {w}]");
    if yours.len() != h * w {
        return Err(wrong(format!(
            "{what} returns {} pixels. It should return as many as the image \
             has, even without ink.",
            yours.len()
        )));
    }
    let Some(ink) = bounds(image, w) else {
        return expect(&what, &yours, image);
    };
    let right = moved(image, size, ways(ink, size));
    if yours == right {
        return Ok(());
    }
    let Some(why) = diagnosis(image, size, ink, &yours) else {
        return expect(&what, &yours, &right);
    };
    let shown = |image: &[f32]| {
        let row = |row: &[f32]| {
            let ink = |ink: &f32| if *ink > 0.0 { '#' } else { '.' };
            format!("  {}\n", row.iter().map(ink).collect::<String>())
        };
        image.chunks(w).map(row).collect::<String>()
    };
    Err(wrong(format!(
        "{what} is wrong. {why}\n\ngiven\n{}yours\n{}right\n{}",
        shown(image),
        shown(&yours),
        shown(&right).trim_end_matches('\n')
    )))
}

/// Names the mistake whose formula reproduces the learner's image.
fn diagnosis(
    image: &[f32],
    size: [usize; 2],
    [rows, columns]: [[usize; 2]; 2],
    yours: &[f32],
) -> Option<&'static str> {
    let [h, w] = size;
    let [down, right] = ways([rows, columns], size);
    // Ignore moves that would lose ink.
    let ink = |image: &[f32]| image.iter().filter(|ink| **ink > 0.0).count();
    let is = |way: [isize; 2]| {
        yours == moved(image, size, way) && ink(yours) == ink(image)
    };
    // A box that is one row and one column too small loses ink.
    let cut: Vec<f32> = (0..h * w)
        .map(|at| {
            let inside = at / w + 1 < rows[1] && at % w + 1 < columns[1];
            if inside { image[at] } else { 0.0 }
        })
        .collect();
    let short = |[from, to]: [usize; 2]| [from, (to - 1).max(from)];
    let short = ways([short(rows), short(columns)], size);
    let mass = |of: &dyn Fn(usize) -> usize, size: usize| {
        let all: f32 = image.iter().sum();
        let parts = image.iter().enumerate();
        let sum: f32 = parts.map(|(at, ink)| ink * of(at) as f32).sum();
        ((size - 1) as f32 / 2.0 - sum / all).round() as isize
    };
    // The original exercise in a variant, and the other side in the exercise.
    let other = |free: usize| either(free.div_ceil(2), free / 2);
    let others = [rows, columns].map(|[from, to]| to - from);
    let swapped = [
        (h.saturating_sub(others[1]) / 2) as isize - rows[0] as isize,
        (w.saturating_sub(others[0]) / 2) as isize - columns[0] as isize,
    ];
    let full: Vec<f32> = moved(image, size, [down, right])
        .iter()
        .map(|ink| if *ink > 0.0 { 1.0 } else { 0.0 })
        .collect();
    let same = |a: &f32, b: &f32| (*a > 0.0) == (*b > 0.0);
    let alike = yours.iter().zip(&full).all(|(a, b)| same(a, b));
    if is([0, 0]) {
        Some("The digit has not moved.")
    } else if is([-(rows[0] as isize), -(columns[0] as isize)]) {
        Some(
            "The box is in the upper left corner. Half of the free rows belong \
             above it, and half of the free columns to its left.",
        )
    } else if is([down, 0]) || is([0, right]) {
        Some(if is([down, 0]) {
            "The digit was moved up or down, but not sideways."
        } else {
            "The digit was moved sideways, but not up or down."
        })
    } else if is([-down, -right]) {
        Some("The digit was moved the right distance in the wrong direction.")
    } else if is([way(rows, h, other), way(columns, w, other)]) {
        Some(either(
            "If the number of free rows or columns is odd, the extra one \
             belongs below the ink, or to the right of it.",
            "The extra row is below the box and the extra column on its right, \
             as in the exercise itself. In the variant it is different.",
        ))
    } else if yours == moved(&cut, size, short) || is(short) {
        Some(
            "The box ends after its last row: it has one row more than the \
             difference between its last row and its first.",
        )
    } else if is([mass(&|at| at / w, h), mass(&|at| at % w, w)]) {
        Some(
            "You have centered the center of mass, as MNIST does. Here the box \
             must be centered.",
        )
    } else if is(swapped) {
        Some(
            "Rows and columns are swapped: subtract the box's rows from the \
             height, and its columns from the width.",
        )
    } else if alike {
        Some("The pixels must keep their gray values.")
    } else {
        None
    }
}

/// Returns an image with ink at these positions.
fn image([h, w]: [usize; 2], ink: &[[usize; 2]]) -> Vec<f32> {
    let mut image = vec![0.0; h * w];
    ink.iter().for_each(|[row, column]| image[row * w + column] = 1.0);
    image
}

fn spot(_: &()) -> Outcome {
    judge(&image([5, 5], &[[0, 1]]), [5, 5])?;
    judge(&image([3, 7], &[[2, 6]]), [3, 7])?;
    judge(&image([1, 9], &[[0, 0]]), [1, 9])
}

fn even(_: &()) -> Outcome {
    judge(&image([6, 6], &[[0, 0], [1, 1]]), [6, 6])?;
    judge(&image([6, 8], &[[2, 5], [3, 7], [5, 6], [2, 4]]), [6, 8])?;
    judge(&image([9, 5], &[[6, 0], [8, 2]]), [9, 5])
}

fn odd(_: &()) -> Outcome {
    judge(&image([5, 4], &[[3, 3], [4, 3]]), [5, 4])?;
    judge(&image([8, 8], &[[0, 7], [2, 5], [1, 6]]), [8, 8])?;
    judge(&image([4, 7], &[[3, 0]]), [4, 7])
}

fn strokes(_: &()) -> Outcome {
    for seed in 0..20 {
        let (h, w) = (7 + seed as usize % 3, 6 + seed as usize % 5);
        let grays = numbers(seed, h * w);
        // Heavier on one side, and away from the edges on the other.
        let ink = |at: usize| {
            let (row, column) = (at / w, at % w);
            let is_ink = row < 4 && column + 4 >= w && grays[at] > 0.0;
            if is_ink { grays[at].abs().fract().max(0.1) } else { 0.0 }
        };
        judge(&(0..h * w).map(ink).collect::<Vec<_>>(), [h, w])?;
    }
    Ok(())
}

fn nowhere_to_go(_: &()) -> Outcome {
    judge(&image([3, 3], &[[1, 1]]), [3, 3])?;
    judge(&image([3, 4], &[[0, 0], [2, 3]]), [3, 4])?;
    judge(&[0.5; 12], [3, 4])
}

fn blank(_: &()) -> Outcome {
    judge(&[0.0; 12], [3, 4])
}
