//! Checks `prefix_sum`, a scan in three launches.
//!
//! In a variant each sum ends before its own element. All values are multiples
//! of 0.25, so every sum is exact in any order, and the missing elements can be
//! identified.

use std::process::ExitCode;

use exercises::Argument::{Count, In, Out, PerGroup};
use exercises::{
    Kernel, Outcome, Stop, again, check_fast_kernel, drawn, either, evenly,
    expect, numbers, slow, sparing, wrong,
};
use profile::{Kind, Launch};

const YOURS: &str = exercises::path!("part2_gpu/prefix_sum.cl");
const GROUP: usize = 256;
/// The elements of the last step, whose memory accesses are counted.
const JUDGED: usize = 2 * GROUP;

fn main() -> ExitCode {
    check_fast_kernel(
        "prefix_sum",
        YOURS,
        "scan_groups",
        &[
            ("256 elements: one element per item", |kernel| {
                groups(kernel, GROUP)
            }),
            ("100 elements: most items contribute 0", |kernel| {
                groups(kernel, 100)
            }),
            ("1000 elements, four groups: a total from each", |kernel| {
                groups(kernel, 1000)
            }),
            ("add_totals: the totals of all groups before", added),
            ("all three launches: 1000 elements", together),
            ("512 elements, two groups", |kernel| groups(kernel, JUDGED)),
        ],
        judge,
    )
}

/// Returns the prefix sums within groups, and the totals of the groups.
fn scan(kernel: &Kernel, a: &[f32]) -> Result<[Vec<f32>; 2], Stop> {
    let n = a.len();
    let groups = n.div_ceil(GROUP);
    let arguments =
        [In("a", a), Out("out", n), PerGroup("totals", groups), Count(n)];
    let mut written = kernel.run(n, &arguments)?;
    let totals = written.remove(1);
    Ok([written.remove(0), totals])
}

fn groups(kernel: &Kernel, n: usize) -> Outcome {
    let a = numbers(n as u64, n);
    let [yours, totals] = scan(kernel, &a)?;
    guarded("out", &yours, "a")?;
    guarded("totals", &totals, "a")?;
    let a = terms(a);
    // The sum of the last `many` elements up to each one, within its group.
    let last = |many: usize| -> Vec<f32> {
        let first =
            |i: usize| (i / GROUP * GROUP).max((i + 1).max(many) - many);
        (0..n).map(|i| a[first(i)..=i].iter().sum()).collect()
    };
    let inclusive = last(GROUP);
    let lacking = |(sum, own): (&f32, &f32)| sum - own;
    let exclusive = inclusive.iter().zip(&a).map(lacking).collect();
    let (right, other) =
        either((&inclusive, &exclusive), (&exclusive, &inclusive));
    let why = if yours == *right {
        let sums = a.chunks(GROUP).map(|group| group.iter().sum());
        return expect("totals", &totals, &sums.collect::<Vec<f32>>());
    } else if yours == *other {
        either(
            "Each sum ends just before its own element: out[i] must include \
             a[i], too.",
            "Each sum contains its own element: out[i] must end just before \
             a[i].",
        )
        .to_string()
    } else if let Some(many) =
        (0..8).map(|round| 1 << round).find(|&many| yours == last(many))
    {
        format!(
            "Each sum covers the last {many} elements at most. A round doubles \
             them, so it takes eight rounds for 256: 1, 2, 4 and so on, as \
             long as the step is below 256."
        )
    } else {
        return expect("out", &yours, right);
    };
    Err(wrong(why))
}

/// Returns what the elements add to the sums, which a variant draws for the
/// negative ones.
fn terms(a: Vec<f32>) -> Vec<f32> {
    let by = drawn("negative").unwrap_or(1.0);
    a.into_iter().map(|x| if x < 0.0 { by * x } else { x }).collect()
}

/// Rejects values that were read past the end of an array.
fn guarded(name: &str, yours: &[f32], array: &str) -> Outcome {
    let is_guard = |y: &f32| y.abs() > 1e20 || y.is_nan();
    let Some(at) = yours.iter().position(is_guard) else { return Ok(()) };
    Err(wrong(format!(
        "{name}[{at}] is {:e}: it contains a guard value, which follows the \
         end of {array}. An item past the end must contribute 0.",
        yours[at]
    )))
}

fn adder(kernel: &Kernel) -> Result<Kernel, Stop> {
    let words = "The source has no `kernel void add_totals(..)` any more: \
                 restore it.";
    kernel.sibling("add_totals").ok_or_else(|| wrong(words))
}

fn whole(
    kernel: &Kernel,
    sums: &[f32],
    totals: &[f32],
) -> Result<Vec<f32>, Stop> {
    let n = sums.len();
    let arguments =
        [In("sums", sums), In("totals", totals), Out("out", n), Count(n)];
    Ok(adder(kernel)?.run(n, &arguments)?.remove(0))
}

fn added(kernel: &Kernel) -> Outcome {
    let (sums, totals) = (numbers(3, 1000), numbers(4, 4));
    let yours = whole(kernel, &sums, &totals)?;
    let of = |before: &dyn Fn(usize) -> f32| -> Vec<f32> {
        let sums = sums.iter().enumerate();
        sums.map(|(i, sum)| sum + before(i / GROUP)).collect()
    };
    let before = |group: usize| match either(group.checked_sub(1), Some(group))
    {
        Some(at) => totals[at],
        None => 0.0,
    };
    let right = of(&before);
    let why = if yours == right {
        return Ok(());
    } else if again() {
        "The totals are already running sums that end before their own group: \
         totals[g] is the total of all groups before group g."
    } else if yours == of(&|group| totals[group]) {
        "Each group has added its own total, which is already in its sums: \
         group g needs the total up to group g - 1."
    } else if yours == of(&|group| totals[..group].iter().sum()) {
        "The totals are already running sums: totals[g - 1] is the total of \
         all groups before group g."
    } else if yours == sums {
        "out is equal to sums: no total was added."
    } else {
        guarded("out", &yours, "sums or of totals")?;
        return expect("out", &yours, &right);
    };
    Err(wrong(why))
}

fn together(kernel: &Kernel) -> Outcome {
    let a = numbers(5, 1000);
    let [sums, totals] = scan(kernel, &a)?;
    let [totals, _] = scan(kernel, &totals)?;
    let yours = whole(kernel, &sums, &totals)?;
    let mut sum = 0.0;
    let right = terms(a).into_iter().map(|x| {
        sum += x;
        either(sum, sum - x)
    });
    expect("out", &yours, &right.collect::<Vec<f32>>())
}

fn judge(launch: &Launch) -> Outcome {
    sparing(
        launch,
        false,
        JUDGED as u64,
        "Each item loads all elements before its own, although other items \
         have already added them up. Load each element once, into local \
         memory, and let the items use each other's sums.",
    )?;
    evenly(
        launch,
        "While one warp waits for memory, the others have nothing to load. Let \
         each item load the element at its own index.",
    )?;
    // A tree, or a scan of the warps' sums, has a few such steps.
    const FEW: u64 = 64;
    let mut local = launch.accesses.iter().filter(|access| access.is_local);
    let lonely = local.find(|access| {
        let lanes = access.total(|moment| moment.lanes());
        let times = access.times() / launch.groups();
        access.kind == Kind::Load && times > FEW && lanes < 16 * access.times()
    });
    let Some(access) = lonely else { return Ok(()) };
    let times = access.times() / launch.groups();
    let lanes = access.total(|moment| moment.lanes());
    let each = lanes.div_ceil(access.times());
    let what = format!(
        "a group does {times} additions one after another, with {each} of 32 \
         adjacent items active; eight rounds of all items would be enough"
    );
    Err(slow(
        launch,
        access.line,
        &what,
        "In each round let every item add the sum that is 1 cell before its \
         own, then 2, then 4, up to 128.",
    ))
}
