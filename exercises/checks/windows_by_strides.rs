//! Checks `windows_by_strides`, a view of every position of a window.
//!
//! As in `strides_by_hand`, views are compared by the memory slots of their
//! elements.

use std::process::ExitCode;

use exercises::{Outcome, Stop, check, wrong};

exercises::yours!("part3_unified/windows_by_strides.rs");

use yours::{View, Window};

fn main() -> ExitCode {
    check(
        "windows_by_strides",
        YOURS,
        &[
            ("positions of windows of 1 to 5, with strides and gaps", places),
            ("3 x 3 over an image of 5 x 6, one element at a time", plain),
            ("2 x 3, two down and three to the right at a time", strided),
            ("3 x 2 with gaps", dilated),
            ("images that are views: transposed, sliced, reversed", views),
            ("a batch of images with channels", batch),
        ],
    )
}

fn view(shape: &[usize], strides: &[isize], offset: usize) -> View {
    View { shape: shape.to_vec(), strides: strides.to_vec(), offset }
}

fn window(
    size: [usize; 2],
    stride: [usize; 2],
    dilation: [usize; 2],
) -> Window {
    Window { size, stride, dilation }
}

/// Counts the positions one by one.
fn right_places(
    length: usize,
    size: usize,
    stride: usize,
    dilation: usize,
) -> usize {
    let starts = (0..length).step_by(stride);
    starts.filter(|start| start + (size - 1) * dilation < length).count()
}

/// A length, and the size, stride and dilation of a window along it.
const AXES: [[usize; 4]; 9] = [
    [5, 3, 1, 1],
    [8, 1, 1, 1],
    [8, 8, 1, 1],
    [8, 2, 2, 1],
    [9, 2, 2, 1],
    [7, 3, 2, 1],
    [8, 3, 1, 2],
    [9, 3, 2, 3],
    [10, 5, 3, 2],
];

/// Common wrong formulas, each with what it forgets. One is named only if it
/// gives all of the learner's values.
type Formula = fn([usize; 4]) -> usize;
const FORMULAS: [(Formula, &str); 5] = [
    (
        |[n, size, stride, step]| (n - 1 - (size - 1) * step) / stride,
        "The first position counts too: a window that cannot move at all has \
         one position.",
    ),
    (
        |[n, size, stride, step]| {
            (n - 1 - (size - 1) * step).div_ceil(stride) + 1
        },
        "A last move that does not fit completely does not count: the division \
         rounds down.",
    ),
    (
        |[n, size, _, step]| n - (size - 1) * step,
        "The stride is missing: the window skips positions.",
    ),
    (
        |[n, size, stride, _]| (n - size) / stride + 1,
        "The gaps are missing: a window of n elements has n - 1 steps between \
         them, each as long as the dilation.",
    ),
    (
        |[n, size, stride, step]| n.saturating_sub(size * step) / stride + 1,
        "There is no gap after the last element: the window covers (size - 1) \
         * dilation + 1 elements.",
    ),
];

fn places(_: &()) -> Outcome {
    let yours = |[length, size, stride, dilation]: [usize; 4]| {
        yours::places(length, size, stride, dilation)
    };
    for axis in AXES {
        let [length, size, stride, dilation] = axis;
        let right = right_places(length, size, stride, dilation);
        let found = yours(axis);
        if found == right {
            continue;
        }
        let fits =
            |formula: Formula| AXES.iter().all(|a| yours(*a) == formula(*a));
        let known = FORMULAS.iter().find(|(formula, _)| fits(*formula));
        let why = known.map_or(
            "The window covers (size - 1) * dilation + 1 elements. The \
             remaining elements divided by the stride are the number of moves, \
             and the first position needs no move.",
            |(_, why)| why,
        );
        return Err(wrong(format!(
            "places({length}, {size}, {stride}, {dilation}), those of a window \
             of {size} with stride {stride} and dilation {dilation} along \
             {length} elements, is {found}. It should be {right}. {why}"
        )));
    }
    Ok(())
}

fn plain(_: &()) -> Outcome {
    let window = window([3, 3], [1, 1], [1, 1]);
    judge(&view(&[5, 6], &[6, 1], 0), &window)
}

fn strided(_: &()) -> Outcome {
    let window = window([2, 3], [2, 3], [1, 1]);
    judge(&view(&[7, 9], &[9, 1], 0), &window)
}

fn dilated(_: &()) -> Outcome {
    let window = window([3, 2], [1, 2], [2, 3]);
    judge(&view(&[6, 9], &[9, 1], 0), &window)
}

fn views(_: &()) -> Outcome {
    let window = window([2, 3], [1, 2], [2, 1]);
    judge(&view(&[5, 6], &[1, 5], 0), &window)?;
    judge(&view(&[4, 5], &[20, 3], 7), &window)?;
    judge(&view(&[4, 5], &[-5, 1], 15), &window)
}

fn batch(_: &()) -> Outcome {
    let window = window([2, 2], [2, 1], [1, 2]);
    judge(&view(&[2, 3, 4, 5], &[60, 20, 5, 1], 0), &window)?;
    judge(&view(&[3, 4, 5], &[1, 15, 3], 2), &window)
}

/// Returns every index of a shape, in row-major order.
fn indices(shape: &[usize]) -> Vec<Vec<usize>> {
    let Some((last, outer)) = shape.split_last() else {
        return vec![vec![]];
    };
    let one = |outer: Vec<usize>| {
        (0..*last).map(move |i| [outer.as_slice(), &[i]].concat())
    };
    indices(outer).into_iter().flat_map(one).collect()
}

/// Returns the slot of an element.
fn slot(view: &View, index: &[usize]) -> isize {
    let ways = index.iter().zip(&view.strides);
    view.offset as isize + ways.map(|(i, s)| *i as isize * s).sum::<isize>()
}

/// Checks that each element of the learner's view has the slot of its pixel.
fn judge(image: &View, window: &Window) -> Outcome {
    let found = yours::windows(image, window);
    let front = image.shape.len() - 2;
    let Window { size, stride, dilation } = window;
    let count = |i: usize| {
        right_places(image.shape[front + i], size[i], stride[i], dilation[i])
    };
    let places = [count(0), count(1)];
    let shape = [&image.shape[..front], &places, size].concat();
    let fail = |told: &str, why: &str| -> Stop {
        wrong(format!(
            "Windows of {size:?} with stride {stride:?} and dilation \
             {dilation:?} over the image of {} {told} {why}\n\n  yours  {}",
            shown(image),
            shown(&found)
        ))
    };
    if found.shape != shape {
        let told = format!("should have shape {shape:?}.");
        return Err(fail(&told, of_shape(&found, &shape, front)));
    }
    if found.strides.len() != shape.len() {
        return Err(fail("should have a stride for each axis.", ""));
    }
    for index in indices(&shape) {
        let (outer, at) = index.split_at(front);
        let pixel = |i: usize| at[i] * stride[i] + at[2 + i] * dilation[i];
        let pixel = [outer, &[pixel(0), pixel(1)]].concat();
        let (yours, right) = (slot(&found, &index), slot(image, &pixel));
        if yours != right {
            let told = format!(
                "have element {index:?} in slot {yours}, but its pixel \
                 {pixel:?} is in slot {right}."
            );
            return Err(fail(&told, &of_strides(&found, image, window)));
        }
    }
    Ok(())
}

fn of_shape(found: &View, shape: &[usize], front: usize) -> &'static str {
    let (outer, of_windows) = shape.split_at(front);
    let inside_first = [outer, &of_windows[2..], &of_windows[..2]].concat();
    let [rows, columns, height, width] = of_windows else { return "" };
    let in_pairs = [outer, &[*rows, *height, *columns, *width]].concat();
    if found.shape == inside_first {
        "The positions come first, and then the elements of the window."
    } else if found.shape == in_pairs {
        "The rows and columns of positions come first, and then the height and \
         width of the window."
    } else if front > 0 && found.shape == of_windows {
        "The leading axes of the image must be kept."
    } else {
        "The last two axes become four: rows and columns of positions, height \
         and width of the window."
    }
}

fn of_strides(found: &View, image: &View, window: &Window) -> String {
    let front = image.shape.len() - 2;
    let (outer, own) = image.strides.split_at(front);
    let times = |step: [usize; 2], own: &[isize]| {
        [step[0] as isize * own[0], step[1] as isize * own[1]]
    };
    let is = |moves: [isize; 2], inside: [isize; 2]| {
        found.strides == [outer, &moves, &inside].concat()
    };
    let Window { stride, dilation, .. } = *window;
    let (moves, inside) = (times(stride, own), times(dilation, own));
    // The strides if the rows of the image were contiguous.
    let width = image.shape[front + 1] as isize;
    let dense = [width, 1];
    if is(moves, inside) && found.offset != image.offset {
        "The first window begins where the image does: the offset does not \
         change."
    } else if is(times(stride, &dense), times(dilation, &dense)) {
        "The rows of this image are not contiguous: use the strides of its own \
         two axes."
    } else if is(times(dilation, own), times(stride, own)) {
        "The two pairs are swapped: the stride is how far the window moves, \
         and the dilation how far its adjacent elements are apart."
    } else if is(times([1, 1], own), inside) {
        "From position to position the window moves by its stride, counted in \
         elements of the image."
    } else if is(moves, times([1, 1], own)) {
        "Inside a window adjacent elements are a dilation apart, counted in \
         elements of the image."
    } else if is(stride.map(|it| it as isize), dilation.map(|it| it as isize)) {
        "The window counts elements of the image, but strides count slots: \
         multiply by the strides of the image."
    } else {
        "The stride is the distance between positions, and the dilation the \
         distance between elements of a window, both in elements of the image; \
         multiply each by the stride of its axis."
    }
    .to_string()
}

fn shown(view: &View) -> String {
    let View { shape, strides, offset } = view;
    format!("shape {shape:?}, strides {strides:?}, offset {offset}")
}
