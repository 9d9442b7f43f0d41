//! Checks `stencil`, a one-dimensional tile with a halo.
//!
//! A single group would hide a missing halo, so the first step has only one.
//! Correct values do not show how often an element was loaded, so Oclgrind
//! counts the loads of the last launch.

use std::process::ExitCode;

use exercises::Argument::{Count, In, Out};
use exercises::{
    Kernel, Outcome, check_fast_kernel, drawn, evenly, expect, gathered,
    numbers, sparing, wrong,
};
use profile::Launch;

const YOURS: &str = exercises::path!("part2_gpu/stencil.cl");
const GROUP: usize = 256;
const RADIUS: usize = 4;

/// Whole groups of the last step, whose loads are counted.
const GROUPS: usize = 4;

fn main() -> ExitCode {
    check_fast_kernel(
        "stencil",
        YOURS,
        "stencil",
        &[
            ("256 elements: one group, zeros on both sides", |kernel| {
                sums(kernel, GROUP)
            }),
            ("512 elements: two groups, each with a neighbor", |kernel| {
                sums(kernel, 2 * GROUP)
            }),
            ("777 elements: the last group is partly filled", |kernel| {
                sums(kernel, 777)
            }),
            ("3 elements, and 258", |kernel| {
                sums(kernel, 3)?;
                sums(kernel, GROUP + 2)
            }),
            ("1024 elements: four groups", |kernel| {
                sums(kernel, GROUPS * GROUP)
            }),
        ],
        judge,
    )
}

fn sums(kernel: &Kernel, n: usize) -> Outcome {
    let a = numbers(n as u64, n);
    let arguments = [In("a", &a), Out("out", n), Count(n)];
    let yours = kernel.run(n, &arguments)?.remove(0);
    // Sums over the offsets from `from` to `to`, restricted to what `takes`
    // allows.
    let sums = |from: isize,
                to: isize,
                takes: &dyn Fn(usize, usize) -> bool| {
        let sum = |i: usize| -> f32 {
            let places = (from..=to).filter_map(|d| i.checked_add_signed(d));
            let places = places.filter(|at| *at < n && takes(i, *at));
            places.map(|at| a[at]).sum()
        };
        (0..n).map(sum).collect::<Vec<f32>>()
    };
    let radius = RADIUS as isize;
    let [left, after] =
        [(-radius, -1), (1, radius)].map(|(a, b)| sums(a, b, &|_, _| true));
    // A variant subtracts a multiple of the left side from the right one.
    let right = match drawn("times") {
        None => sums(-radius, radius, &|_, _| true),
        Some(times) => {
            after.iter().zip(left).map(|(a, l)| a - times * l).collect()
        }
    };
    if yours == right {
        return Ok(());
    }
    let groups = |i: usize, at: usize| (i / GROUP, at / GROUP);
    let own = |i, at| groups(i, at).0 == groups(i, at).1;
    let no_left = |i, at| groups(i, at).0 <= groups(i, at).1;
    let no_right = |i, at| groups(i, at).0 >= groups(i, at).1;
    let of = |takes: &dyn Fn(usize, usize) -> bool| {
        n > GROUP && yours == sums(-radius, radius, takes)
    };
    if of(&own) {
        return Err(wrong(
            "Within a group every sum is right, but at its ends the elements \
             of the neighboring groups are missing. The tile has room for \
             them, four elements on each side: the halo must be filled from \
             global memory, too.",
        ));
    }
    if of(&no_left) {
        return Err(wrong(
            "The first four items of a group lack the elements of the group \
             before it: the left side of the halo is empty.",
        ));
    }
    if of(&no_right) {
        return Err(wrong(
            "The last four items of a group lack the elements of the group \
             after it: the right side of the halo is empty.",
        ));
    }
    if yours == sums(0, 2 * radius, &|_, _| true) {
        return Err(wrong(
            "These are the sums of a[i] to a[i + 8]: the tile begins with the \
             group's first element. It should begin 4 before it.",
        ));
    }
    expect("out", &yours, &right)
}

/// At the ends of the array there is no halo to load.
fn judge(launch: &Launch) -> Outcome {
    let enough = GROUPS * GROUP + 2 * RADIUS * (GROUPS - 1);
    sparing(
        launch,
        false,
        enough as u64,
        "Each element is part of nine sums, and a group needs only 264 of them \
         in total. Let its items load these into the tile, each once, and read \
         all nine from there.",
    )?;
    evenly(
        launch,
        "While one warp waits for memory, the others have nothing to load. Let \
         all 256 items fill one cell each, and then let eight of them fill one \
         more.",
    )?;
    gathered(
        launch,
        "Adjacent items do not load adjacent elements. Let item 1 fill the \
         cell after that of item 0, and item 2 the next; then fill the last \
         eight in the same way.",
    )
}
