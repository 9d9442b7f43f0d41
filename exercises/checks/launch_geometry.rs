//! Checks `launch_geometry`, the arithmetic of a launch.

use std::process::ExitCode;

use exercises::{Outcome, check, wrong};

exercises::yours!("part2_gpu/launch_geometry.rs");

fn main() -> ExitCode {
    check(
        "launch_geometry",
        YOURS,
        &[
            ("groups covers every element", covers),
            ("groups launches no unnecessary group", not_in_vain),
            ("global_size and idle count the items", items),
            ("the largest n fits", largest),
            ("element gives every element to one item", elements),
            ("place is the inverse", places),
            ("element_2d visits a matrix row by row", rows),
        ],
    )
}

/// Elements and group sizes: partly filled, exact, few, one and none.
const LAUNCHES: [(u32, u32); 11] = [
    (5466, 1024),
    (5466, 256),
    (100_000, 1024),
    (100_000, 256),
    (777, 256),
    (1, 256),
    (255, 256),
    (256, 256),
    (1024, 256),
    (0, 256),
    // An `f32` represents all integers only up to 2^24.
    (16_777_217, 1),
];

fn covers(_: &()) -> Outcome {
    for (n, size) in LAUNCHES {
        let found = yours::groups(n, size);
        let covered = u64::from(found) * u64::from(size);
        if covered < u64::from(n) {
            return Err(wrong(format!(
                "groups({n}, {size}) is {found}. That is {covered} items for \
                 {n} elements, so the last {} are not computed. A partly \
                 filled group counts as a whole one: round up.",
                u64::from(n) - covered
            )));
        }
    }
    Ok(())
}

fn not_in_vain(_: &()) -> Outcome {
    for (n, size) in LAUNCHES {
        let (found, right) = (yours::groups(n, size), n.div_ceil(size));
        if found != right {
            let exact = match n % size {
                0 => " It divides exactly, so there is nothing to round.",
                _ => "",
            };
            return Err(wrong(format!(
                "groups({n}, {size}) is {found}. It should be {right}: a group \
                 without any element is unnecessary.{exact}"
            )));
        }
    }
    Ok(())
}

fn items(_: &()) -> Outcome {
    for (n, size) in LAUNCHES {
        let right = u64::from(n.div_ceil(size)) * u64::from(size);
        let found = yours::global_size(n, size);
        if found != right {
            return Err(wrong(format!(
                "global_size({n}, {size}) is {found}. It should be {right}. A \
                 device launches whole groups, so it is the number of groups \
                 times {size}."
            )));
        }
        let (found, right) = (yours::idle(n, size), right - u64::from(n));
        if u64::from(found) != right {
            return Err(wrong(format!(
                "idle({n}, {size}) is {found}. It should be {right}: launched \
                 items minus elements. If n is a multiple of the size, there \
                 are no idle items."
            )));
        }
    }
    Ok(())
}

/// An array of 16 GiB is rare, but it must work.
fn largest(_: &()) -> Outcome {
    let n = u32::MAX;
    for size in [1024, 256, 1] {
        let right = n.div_ceil(size);
        let found = yours::groups(n, size);
        if found != right {
            return Err(wrong(format!(
                "groups({n}, {size}) is {found}. It should be {right}. n + \
                 size - 1 overflows a u32 here; `n.div_ceil(size)` does not."
            )));
        }
        let right = u64::from(right) * u64::from(size);
        let found = yours::global_size(n, size);
        if found != right {
            return Err(wrong(format!(
                "global_size({n}, {size}) is {found}. It should be {right}, \
                 which does not fit into a u32. Convert both factors to u64 \
                 before you multiply, not the product after it."
            )));
        }
    }
    Ok(())
}

fn elements(_: &()) -> Outcome {
    for size in [256, 7] {
        for element in 0..1000 {
            let (group, item) = (element / size, element % size);
            expect(
                &format!("element({group}, {item}, {size})"),
                yours::element(group, item, size),
                element,
                "The items of g whole groups come before group g.",
            )?;
        }
    }
    Ok(())
}

fn places(_: &()) -> Outcome {
    for (element, size) in [(0, 256), (255, 256), (256, 256), (5465, 1024)] {
        let right = (element / size, element % size);
        let found = yours::place(element, size);
        if found != right {
            let swapped = match (found.1, found.0) == right {
                true => " The group comes first, the item second.",
                false => "",
            };
            return Err(wrong(format!(
                "place({element}, {size}) is {found:?}. It should be \
                 {right:?}.{swapped}"
            )));
        }
    }
    Ok(())
}

/// The matrix is not square, because a square would hide swapped sizes.
fn rows(_: &()) -> Outcome {
    let (rows, columns) = (5, 7);
    let right = |x: u32, y: u32| y * columns + x;
    for (x, y) in (0..rows).flat_map(|y| (0..columns).map(move |x| (x, y))) {
        let found = yours::element_2d(x, y, columns);
        if found == u64::from(right(x, y)) {
            continue;
        }
        let swapped = (0..rows)
            .flat_map(|y| (0..columns).map(move |x| (x, y)))
            .all(|(x, y)| {
                yours::element_2d(x, y, columns) == u64::from(x * columns + y)
            });
        let why = match swapped {
            true => {
                "Row and column are swapped: x counts along a row, so the \
                 elements before row y are y times the columns."
            }
            false => {
                "y whole rows come before row y, each with `columns` elements."
            }
        };
        return Err(wrong(format!(
            "element_2d({x}, {y}, {columns}) is {found}. It should be {}. \
             {why}",
            right(x, y)
        )));
    }
    let (x, y, columns) = (1, 70_000, 70_000);
    expect(
        &format!("element_2d({x}, {y}, {columns})"),
        yours::element_2d(x, y, columns),
        4_900_000_001_u64,
        "The product does not fit into a u32: convert the factors to u64 \
         before you multiply them.",
    )
}

fn expect(what: &str, found: u64, right: impl Into<u64>, why: &str) -> Outcome {
    let right = right.into();
    match found == right {
        true => Ok(()),
        false => Err(wrong(format!(
            "{what} is {found}. It should be {right}. {why}"
        ))),
    }
}
