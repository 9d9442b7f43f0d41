//! Checks `histogram`, which counts in two stages.
//!
//! On many devices work-items run one after another, so an addition that could
//! be lost is not. Oclgrind reports the race anyway. For the last launch it
//! also counts the contention of atomic additions.

use std::process::ExitCode;

use exercises::Argument::{Count, Counts, In};
use exercises::{
    Kernel, Outcome, check_fast_kernel, drawn, evenly, gathered, slow, sparing,
    together, wrong,
};
use profile::{Access, Kind, Launch};

const YOURS: &str = exercises::path!("part2_gpu/histogram.cl");
const GROUP: usize = 256;
const BINS: usize = 64;

/// The number of elements and groups of the last step, which is counted.
const JUDGED: [usize; 2] = [2048, 2];

fn main() -> ExitCode {
    check_fast_kernel(
        "histogram",
        YOURS,
        "histogram",
        &[
            ("256 elements, one group: one element per item", |kernel| {
                counted(kernel, [256, 1], even)
            }),
            ("5 elements: most items have none", |kernel| {
                counted(kernel, [5, 1], even)
            }),
            ("1000 elements: three or four per item", |kernel| {
                counted(kernel, [1000, 1], even)
            }),
            ("3000 elements, four groups: their counts are added", |kernel| {
                counted(kernel, [3000, 4], even)
            }),
            ("every second element in the same bin", |kernel| {
                counted(kernel, JUDGED, crowded)
            }),
        ],
        judge,
    )
}

/// A bin that differs between adjacent elements.
fn even(i: usize) -> usize {
    i * 29 % BINS
}

fn crowded(i: usize) -> usize {
    if i.is_multiple_of(2) { 7 } else { even(i / 2) }
}

fn counted(
    kernel: &Kernel,
    [n, groups]: [usize; 2],
    bin: fn(usize) -> usize,
) -> Outcome {
    // The width of a bin, which a variant draws.
    let width = drawn("width").unwrap_or(1.0);
    let a = (0..n).map(|i| width * (bin(i) as f32 + (i % 4) as f32 / 4.0));
    let a: Vec<f32> = a.collect();
    let arguments = [In("a", &a), Counts("counts", BINS), Count(n)];
    let yours = kernel.run(groups * GROUP, &arguments)?.remove(0);
    // The counts of the elements that `takes` selects.
    let of = |takes: &dyn Fn(usize) -> bool| -> Vec<f32> {
        let mut counts = vec![0.0; BINS];
        for i in (0..n).filter(|&i| takes(i)) {
            counts[bin(i)] += 1.0;
        }
        counts
    };
    let right = of(&|_| true);
    let Some(at) = (0..BINS).find(|&at| yours[at] != right[at]) else {
        return Ok(());
    };
    let group = |i: usize| i / GROUP % groups;
    let twice = |by: f32| right.iter().map(|count| by * count).collect();
    let is = |other: Vec<f32>| yours == other;
    let all: f32 = yours.iter().sum();
    let why = if is(of(&|i| i < groups * GROUP)) {
        "Each item has counted only one element: continue in steps of \
         get_global_size(0), as long as there are elements."
            .to_string()
    } else if let Some(one) =
        (0..groups).find(|&one| is(of(&|i| group(i) == one)))
    {
        format!(
            "These are the counts of group {one} only, which has overwritten \
             those of the others: add to the counts instead of assigning."
        )
    } else if is(twice(GROUP as f32)) {
        format!(
            "Every count is {GROUP} times as large: all items of a group add \
             the count of each bin, but only one of them should."
        )
    } else if all < n as f32 {
        format!(
            "The counts add up to {all}, but there are {n} elements. Is each \
             addition one atomic step? An addition is lost if another item \
             reads between its read and its write. And have all items of the \
             group counted before the group's counts are used?"
        )
    } else if all > n as f32 {
        format!(
            "The counts add up to {all}, but there are {n} elements. Is each \
             count of the group set to 0 before any item adds to it, and is \
             each element counted by only one item?"
        )
    } else {
        let bin = match drawn("width") {
            Some(width) => format!("(uint)(a[i] / {width})"),
            None => "(uint)a[i]".to_string(),
        };
        format!(
            "All elements are counted, but some of them in the wrong bin: the \
             bin of a[i] is {bin}."
        )
    };
    Err(wrong(format!(
        "counts[{at}] is wrong.\n\n  yours  {}\n  right  {}\n\n{why}",
        yours[at], right[at]
    )))
}

fn judge(launch: &Launch) -> Outcome {
    let [n, groups] = JUDGED;
    together(
        launch,
        "A step of a warp takes as long for one item as for all of them. Let \
         each item count some of the elements.",
    )?;
    in_line(launch, (groups * BINS) as u64)?;
    gathered(
        launch,
        "Adjacent items do not read adjacent elements. In the same step of its \
         loop item 1 should count the element after that of item 0, and item 2 \
         the next.",
    )?;
    sparing(
        launch,
        false,
        n as u64,
        "Each element is loaded by several items, but only one of them counts \
         it. Let each item load its own elements, and add to whichever bins \
         they belong to.",
    )?;
    evenly(
        launch,
        "While one warp waits for memory, the others have nothing to load. Let \
         all 256 items count some of the elements.",
    )
}

/// Rejects a kernel with too many atomic additions in global memory: far more
/// than one per group and bin, or one after another.
fn in_line(launch: &Launch, enough: u64) -> Outcome {
    let global = launch.accesses.iter().filter(|it| !it.is_local);
    let atomics = global.filter(|it| it.kind == Kind::Atomic);
    let Some(access) = atomics.max_by_key(|it| it.numbers()) else {
        return Ok(());
    };
    let times = access.numbers();
    if times > 2 * enough {
        let what = format!(
            "the items do {times} atomic operations on global memory; {enough} \
             would be enough"
        );
        return Err(slow(
            launch,
            access.line,
            &what,
            "Atomic additions to the same address wait for each other, here \
             for those of all groups. Let each group count in local memory, \
             and add its 64 counts to the global ones at the end.",
        ));
    }
    let lanes = |access: &Access| access.total(|moment| moment.lanes());
    let each = lanes(access).div_ceil(access.times());
    if each >= 16 {
        return Ok(());
    }
    let what = format!(
        "{each} of 32 adjacent items add, and the others are \
                        idle"
    );
    Err(slow(
        launch,
        access.line,
        &what,
        "There are 64 counts and 256 items: let each of the first 64 add one.",
    ))
}
