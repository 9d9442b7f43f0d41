//! Checks `fold`, which adds windows up to an image.

use std::process::ExitCode;

use exercises::{Outcome, check, expect, numbers, wrong};

exercises::yours!("part3_unified/fold.rs");

fn main() -> ExitCode {
    check(
        "fold",
        YOURS,
        &[
            ("windows that do not overlap", apart),
            ("3 x 3 over 4 x 4: windows that overlap", overlapping),
            ("2 x 3 over 5 x 7, two down and three to the right", strided),
            ("pixels that are in no window", unseen),
            ("it is the adjoint of windows", mirror),
        ],
    )
}

/// Windows over an image: the shape (window rows, window columns, height,
/// width), and the stride.
#[derive(Clone, Copy)]
struct Case {
    shape: [usize; 4],
    stride: [usize; 2],
    image: [usize; 2],
}

impl Case {
    fn new(size: [usize; 2], stride: [usize; 2], image: [usize; 2]) -> Case {
        let places = |i: usize| (image[i] - size[i]) / stride[i] + 1;
        let shape = [places(0), places(1), size[0], size[1]];
        Case { shape, stride, image }
    }

    /// Returns the elements of the windows in order, as the window's row and
    /// column and the position in it.
    fn walk(self) -> impl Iterator<Item = [usize; 4]> {
        let [rows, columns, height, width] = self.shape;
        (0..rows * columns * height * width).map(move |n| {
            let (place, inside) = (n / (height * width), n % (height * width));
            [place / columns, place % columns, inside / width, inside % width]
        })
    }

    fn pixel(self, [row, column, v, u]: [usize; 4]) -> [usize; 2] {
        [row * self.stride[0] + v, column * self.stride[1] + u]
    }

    fn sum(
        self,
        windows: &[f32],
        at: impl Fn([usize; 4]) -> Option<usize>,
    ) -> Vec<f32> {
        let mut image = vec![0.0; self.image[0] * self.image[1]];
        for (place, number) in self.walk().zip(windows) {
            if let Some(pixel) = at(place).and_then(|at| image.get_mut(at)) {
                *pixel += number;
            }
        }
        image
    }

    fn right(self, windows: &[f32]) -> Vec<f32> {
        self.sum(windows, |place| {
            let [y, x] = self.pixel(place);
            Some(y * self.image[1] + x)
        })
    }
}

fn judge(seed: u64, case: Case) -> Outcome {
    let windows = numbers(seed, case.shape.iter().product());
    let yours = yours::fold(&windows, case.shape, case.stride, case.image);
    let right = case.right(&windows);
    if yours == right {
        return Ok(());
    }
    let [h, w] = case.image;
    let what = format!(
        "fold of windows {:?} with stride {:?} to an image {:?}",
        case.shape, case.stride, case.image
    );
    if yours.len() != right.len() {
        return Err(wrong(format!(
            "{what} returns {} values, but the image has {h} * {w} pixels, \
             including those in no window.",
            yours.len()
        )));
    }
    match diagnosis(case, &windows, &yours, &right) {
        Some(why) => {
            let differs = |(a, b): (&f32, &f32)| a != b;
            let at = yours.iter().zip(&right).position(differs).unwrap_or(0);
            Err(wrong(format!(
                "{what} is wrong at the pixel [{}, {}]. {why}\n\n  yours  \
                 {yours:?}\n  right  {right:?}",
                at / w,
                at % w
            )))
        }
        None => expect(&what, &yours, &right),
    }
}

/// Names the mistake whose formula reproduces the learner's values.
fn diagnosis(
    case: Case,
    windows: &[f32],
    yours: &[f32],
    right: &[f32],
) -> Option<&'static str> {
    let w = case.image[1];
    let shown = case.right(&vec![1.0; windows.len()]);
    let [rows, columns, height, width] = case.shape;
    let mut last = vec![0.0; yours.len()];
    for (place, number) in case.walk().zip(windows) {
        let [y, x] = case.pixel(place);
        last[y * w + x] = *number;
    }
    let first = {
        let mut first: Vec<Option<f32>> = vec![None; yours.len()];
        for (place, number) in case.walk().zip(windows) {
            let [y, x] = case.pixel(place);
            first[y * w + x].get_or_insert(*number);
        }
        first.into_iter().map(Option::unwrap_or_default).collect::<Vec<_>>()
    };
    let mean = right.iter().zip(&shown);
    let mean: Vec<f32> =
        mean.map(|(sum, n)| if *n > 0.0 { sum / n } else { 0.0 }).collect();
    let no_stride = case
        .sum(windows, |[row, column, v, u]| Some((row + v) * w + column + u));
    // The image's width if the windows filled it exactly.
    let covered = (columns - 1) * case.stride[1] + width;
    let narrow = case.sum(windows, |place| {
        let [y, x] = case.pixel(place);
        Some(y * covered + x)
    });
    let turned = case.sum(windows, |[row, column, v, u]| {
        let [y, x] = case.pixel([row, column, u % height, v % width]);
        (height == width).then_some(y * w + x)
    });
    let across = case.sum(windows, |[row, column, v, u]| {
        let [y, x] = case.pixel([column % rows, row % columns, v, u]);
        (rows == columns).then_some(y * w + x)
    });
    let is = |other: &[f32]| yours == other && right != other;
    if is(&last) {
        Some(
            "The last window that contains a pixel wins, and the earlier ones \
             are overwritten. They must be added.",
        )
    } else if is(&first) {
        Some(
            "The first window that contains a pixel wins, and the others are \
             dropped. They must be added.",
        )
    } else if is(&mean) {
        Some(
            "This is the mean of the windows' values. A pixel that is used \
             four times affects the result four times: it gets the sum.",
        )
    } else if is(&no_stride) {
        Some(
            "The stride is missing: the next window begins that many pixels \
             further.",
        )
    } else if is(&narrow) {
        Some(
            "The width of the image is given by `image`: it may be larger than \
             what the windows cover.",
        )
    } else if is(&turned) {
        Some(
            "Row and column are swapped inside the window: the last axis, \
             which varies fastest, is the column.",
        )
    } else if is(&across) {
        Some(
            "Your function reads the windows column by column. They are stored \
             row by row: the second axis varies faster than the first.",
        )
    } else {
        None
    }
}

fn apart(_: &()) -> Outcome {
    judge(1, Case::new([2, 2], [2, 2], [2, 2]))?;
    judge(2, Case::new([2, 2], [2, 2], [4, 4]))?;
    judge(3, Case::new([2, 3], [2, 3], [4, 9]))
}

fn overlapping(_: &()) -> Outcome {
    judge(4, Case::new([3, 3], [1, 1], [4, 4]))?;
    judge(5, Case::new([2, 3], [1, 1], [5, 6]))
}

fn strided(_: &()) -> Outcome {
    judge(6, Case::new([3, 3], [2, 2], [7, 7]))?;
    judge(7, Case::new([2, 3], [2, 3], [5, 7]))
}

fn unseen(_: &()) -> Outcome {
    judge(8, Case::new([1, 1], [2, 3], [5, 7]))?;
    judge(9, Case::new([2, 2], [2, 2], [5, 5]))?;
    judge(10, Case::new([1, 2], [3, 3], [4, 4]))
}

/// `fold` is the adjoint of taking windows: the dot product of an image with
/// the folded windows equals that of the image's windows with the windows
/// before folding.
fn mirror(_: &()) -> Outcome {
    let case = Case::new([3, 2], [2, 1], [8, 6]);
    let image = numbers(11, 48);
    let given = numbers(12, case.shape.iter().product());
    let folded = yours::fold(&given, case.shape, case.stride, case.image);
    let pairs = image.iter().zip(&folded);
    let left: f32 = pairs.map(|(a, b)| a * b).sum();
    let pairs = case.walk().zip(&given);
    let right: f32 = pairs
        .map(|(place, number)| {
            let [y, x] = case.pixel(place);
            image[y * 6 + x] * number
        })
        .sum();
    expect("the image times the folded windows", &[left], &[right])
}
