//! Checks `strides_by_hand`, the arithmetic of a view.
//!
//! Views are compared by the memory slots of their elements, because the
//! stride of an axis with one element may be anything.

use std::process::ExitCode;

use exercises::{Outcome, Stop, check, drawn, wrong};

exercises::yours!("part3_unified/strides_by_hand.rs");

use yours::View;

fn main() -> ExitCode {
    check(
        "strides_by_hand",
        YOURS,
        &[
            ("strides of five shapes, including [] of a scalar", strides),
            ("slot finds each element, even with a negative stride", slots),
            ("permute moves the strides with the axes", permute),
            ("slice moves the offset, in a flipped view too", slice),
            ("flip begins at the last element", flip),
            ("expand repeats an element", expand),
        ],
    )
}

fn view(shape: &[usize], strides: &[isize], offset: usize) -> View {
    View { shape: shape.to_vec(), strides: strides.to_vec(), offset }
}

/// Contiguous, transposed, reversed, sliced, and expanded views.
fn views() -> [View; 5] {
    [
        view(&[2, 3], &[3, 1], 0),
        view(&[3, 2, 4], &[4, 12, 1], 0),
        view(&[2, 3], &[3, -1], 2),
        view(&[2, 1, 3], &[10, 5, 2], 7),
        view(&[3, 1, 2], &[0, 1, 1], 4),
    ]
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

/// Returns the slot of an element, by the formula.
fn right_slot(view: &View, index: &[usize]) -> isize {
    let ways = index.iter().zip(&view.strides);
    view.offset as isize + ways.map(|(i, s)| *i as isize * s).sum::<isize>()
}

fn strides(_: &()) -> Outcome {
    let shapes: [&[usize]; 5] = [&[2, 3], &[2, 3, 4], &[5], &[], &[4, 1, 3]];
    for shape in shapes {
        let behind = |axis: usize| shape[axis + 1..].iter().product::<usize>();
        let rows: Vec<isize> =
            (0..shape.len()).map(|axis| behind(axis) as isize).collect();
        let before = |axis: usize| shape[..axis].iter().product::<usize>();
        let columns: Vec<isize> =
            (0..shape.len()).map(|axis| before(axis) as isize).collect();
        let found = yours::strides(shape);
        let bytes = drawn("bytes").map(|it| it as isize);
        let right = match bytes {
            Some(bytes) => columns.iter().map(|it| it * bytes).collect(),
            None => rows,
        };
        if found == right {
            continue;
        }
        let own: Vec<isize> = (0..shape.len())
            .map(|axis| (behind(axis) * shape[axis]) as isize)
            .collect();
        let why = if bytes.is_some() {
            "In column-major order, one step along an axis passes all elements \
             of the earlier axes: the stride is the product of their sizes and \
             of the bytes of an element."
        } else if found == columns {
            "These are column-major: the first axis has stride 1. In row-major \
             order the stride of an axis is the product of the sizes of all \
             later axes."
        } else if found == own {
            "Each stride is the product of the axis's own size and the later \
             ones; one step along an axis passes only the elements of the \
             later axes."
        } else {
            "One step along an axis passes all elements of the later axes: the \
             stride is the product of their sizes, which is 1 for the last."
        };
        return Err(wrong(format!(
            "strides({shape:?}) is {found:?}. It should be {right:?}. {why}"
        )));
    }
    Ok(())
}

fn slots(_: &()) -> Outcome {
    for view in views() {
        for index in indices(&view.shape) {
            let right = right_slot(&view, &index);
            let found = yours::slot(&view, &index);
            if found as isize == right {
                continue;
            }
            let zero = View { offset: 0, ..view.clone() };
            let why = if found as isize == right_slot(&zero, &index) {
                "The offset is missing: that is the slot of element 0."
            } else {
                "Begin at the offset, and for each axis add its index times \
                 its stride, which may be negative."
            };
            return Err(wrong(format!(
                "slot({index:?}) of the view with strides {:?} from offset {} \
                 is {found}. It should be {right}. {why}",
                view.strides, view.offset
            )));
        }
    }
    Ok(())
}

fn permute(_: &()) -> Outcome {
    let cases: [(View, &[usize]); 4] = [
        (view(&[2, 3], &[3, 1], 0), &[1, 0]),
        (view(&[2, 3, 4], &[12, 4, 1], 5), &[2, 0, 1]),
        (view(&[2, 3], &[3, -1], 2), &[1, 0]),
        (view(&[2, 2, 2], &[4, 2, 1], 0), &[0, 1, 2]),
    ];
    for (view, axes) in cases {
        let shape: Vec<usize> = axes.iter().map(|&k| view.shape[k]).collect();
        let what = format!("permute({axes:?})");
        let mut back = vec![0; axes.len()];
        axes.iter().enumerate().for_each(|(to, &from)| back[from] = to);
        let inverse: Vec<usize> = back.iter().map(|&k| view.shape[k]).collect();
        let found = yours::permute(&view, axes);
        let why = if found.shape == inverse && inverse != shape {
            "The order is inverted: axis k of the result must be axis axes[k], \
             not the other way around."
        } else if found.shape == shape && found.strides == view.strides {
            "The strides must be reordered together with the sizes: they \
             belong to the axes."
        } else {
            "Sizes and strides are reordered together, and the offset does not \
             change."
        };
        judge(&what, &view, &found, &shape, why, |index| {
            (0..axes.len()).map(|axis| index[back[axis]]).collect()
        })?;
    }
    Ok(())
}

fn slice(_: &()) -> Outcome {
    let cases = [
        (view(&[4, 3], &[3, 1], 0), 0, 1, 3),
        (view(&[4, 3], &[3, 1], 0), 1, 2, 3),
        (view(&[2, 3], &[20, 4], 7), 1, 1, 3),
        (view(&[2, 4], &[4, -1], 3), 1, 1, 3),
    ];
    for (view, axis, from, to) in cases {
        let mut shape = view.shape.clone();
        shape[axis] = to - from;
        let what = format!("slice(axis {axis}, {from} to {to})");
        let found = yours::slice(&view, axis, from, to);
        let size = found.shape.get(axis).copied().unwrap_or(0);
        let why = if size == to - from + 1 {
            "`to` is the first element that is left out."
        } else if size == to && from > 0 {
            "The size of the part is `to - from`."
        } else if found.offset == view.offset {
            "The part begins at a different element: change the offset."
        } else if found.offset == view.offset + from {
            "The offset counts slots and `from` counts elements: elements are \
             a stride apart."
        } else if view.strides[axis] < 0 {
            "This axis is reversed, so the offset of its part decreases."
        } else {
            "The offset changes by `from` strides of this axis, and only the \
             size changes besides."
        };
        judge(&what, &view, &found, &shape, why, |index| {
            let mut index = index.to_vec();
            index[axis] += from;
            index
        })?;
    }
    Ok(())
}

fn flip(_: &()) -> Outcome {
    let cases = [
        (view(&[2, 3], &[3, 1], 0), 1),
        (view(&[2, 3], &[3, 1], 0), 0),
        (view(&[2, 3], &[3, -1], 8), 1),
        (view(&[1, 4], &[9, 2], 3), 0),
    ];
    for (view, axis) in cases {
        let what = format!("flip(axis {axis})");
        let found = yours::flip(&view, axis);
        let (size, stride) = (view.shape[axis], view.strides[axis]);
        let turned = found.strides.get(axis) == Some(&-stride);
        let behind = view.offset as isize + size as isize * stride;
        let why = if turned && found.offset == view.offset && size > 1 {
            "The stride is negated, but the view must also begin at the former \
             last element."
        } else if found.offset as isize == behind {
            "The last of n elements has index n - 1."
        } else if !turned && size > 1 {
            "A reversed axis has the negated stride."
        } else {
            "It begins at the last element, n - 1 strides away, and has the \
             negated stride."
        };
        let shape = view.shape.clone();
        judge(&what, &view, &found, &shape, why, |index| {
            let mut index = index.to_vec();
            index[axis] = size - 1 - index[axis];
            index
        })?;
    }
    Ok(())
}

fn expand(_: &()) -> Outcome {
    let cases = [
        (view(&[1, 3], &[3, 1], 0), 0, 4),
        (view(&[2, 1], &[1, 1], 5), 1, 3),
        (view(&[2, 1], &[1, 1], 5), 1, 0),
    ];
    for (view, axis, times) in cases {
        let mut shape = view.shape.clone();
        shape[axis] = times;
        let what = format!("expand(axis {axis}, {times} times)");
        let found = yours::expand(&view, axis, times);
        let why = "All copies are the same element in the same slot: which \
                   stride stays there?";
        judge(&what, &view, &found, &shape, why, |index| {
            let mut index = index.to_vec();
            index[axis] = 0;
            index
        })?;
    }
    Ok(())
}

/// Checks that each element of `found` has the slot of the element of `view`
/// that `from` names.
fn judge(
    what: &str,
    view: &View,
    found: &View,
    shape: &[usize],
    why: &str,
    from: impl Fn(&[usize]) -> Vec<usize>,
) -> Outcome {
    let fail = |told: String| -> Stop {
        wrong(format!(
            "{what} of {} {told} {why}\n\n  yours  {}",
            shown(view),
            shown(found)
        ))
    };
    if found.shape != shape {
        return Err(fail(format!(
            "has shape {:?}. It should have {shape:?}.",
            found.shape
        )));
    }
    if found.strides.len() != shape.len() {
        return Err(fail("does not have one stride per axis.".to_string()));
    }
    for index in indices(shape) {
        let right = right_slot(view, &from(&index));
        let slot = right_slot(found, &index);
        if slot != right {
            return Err(fail(format!(
                "has element {index:?} in slot {slot}, but it is in slot \
                 {right}."
            )));
        }
    }
    Ok(())
}

fn shown(view: &View) -> String {
    let View { shape, strides, offset } = view;
    format!("shape {shape:?}, strides {strides:?}, offset {offset}")
}
