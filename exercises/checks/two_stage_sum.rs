//! Checks `two_stage_sum`, a sum in two launches.
//!
//! All values are multiples of 0.25, so every sum is exact in any order, and a
//! different sum has lost an element or counts one twice. Sums of ones and
//! zeros then identify the element.

use std::fs;
use std::process::ExitCode;

use exercises::Argument::{Count, In, Log, PerGroup};
use exercises::{
    Kernel, Outcome, Stop, again, check_fast_kernel, counting, drawn_reduction,
    evenly, numbers, says, slow, spread, wrong,
};
use profile::{Access, Kind, Launch};

const YOURS: &str = exercises::path!("part2_gpu/two_stage_sum.cl");

const GROUP: usize = 256;

fn main() -> ExitCode {
    check_fast_kernel(
        "two_stage_sum",
        YOURS,
        "partial_sums",
        &[
            ("256 values, one group: one value per item", |kernel| {
                partials(kernel, 256, 1)
            }),
            ("1000 values, one group: three or four per item", |kernel| {
                partials(kernel, 1000, 1)
            }),
            ("3000 values, four groups: a partial sum from each", |kernel| {
                partials(kernel, 3000, 4)
            }),
            ("5 values, four groups: the sum of no values is 0", |kernel| {
                partials(kernel, 5, 4)
            }),
            ("two launches: four groups, then one for their results", twice),
            ("all items of a group take part in the tree", shared),
        ],
        judge,
    )
}

fn run(
    kernel: &Kernel,
    values: &[f32],
    groups: usize,
) -> Result<Vec<f32>, Stop> {
    let arguments =
        [In("a", values), PerGroup("partials", groups), Count(values.len())];
    Ok(kernel.run(groups * GROUP, &arguments)?.remove(0))
}

fn partials(kernel: &Kernel, n: usize, groups: usize) -> Outcome {
    let values = numbers(n as u64, n);
    let yours = run(kernel, &values, groups)?;
    let (none, both) = drawn_reduction();
    let mut right = vec![none; groups];
    for (i, value) in values.iter().enumerate() {
        let at = i / GROUP % groups;
        right[at] = both(right[at], *value);
    }
    let Some(at) = (0..groups).find(|&at| yours[at] != right[at]) else {
        return Ok(());
    };
    let why = if again() {
        "An item begins at its global index, get_global_id(0), and proceeds in \
         steps of the number of all items; then each round of the tree \
         combines two cells, and waits."
            .to_string()
    } else if yours[at].abs() > 1e20 || yours[at].is_nan() {
        format!(
            "It contains the guard values that follow the {n} elements of a: \
             some item read past the end."
        )
    } else if yours[at] == one_after_another(&values, at, groups) {
        "This is the result if each item runs all rounds before the next item \
         begins its first: a barrier between the rounds is missing."
            .to_string()
    } else if says(YOURS, &["barrier"]).is_none() {
        "The kernel has no barrier, so an item may read the cell of another \
         item before that item has written it. That is a race. Put a barrier \
         after the line that fills the cells, and one after each round."
            .to_string()
    } else {
        lost(kernel, n, groups)?
    };
    Err(wrong(format!(
        "partials[{at}] is wrong.\n\n  yours  {}\n  right  {}\n\n{why}",
        yours[at], right[at]
    )))
}

/// Returns the result of a group without barriers whose items run one after
/// another.
fn one_after_another(values: &[f32], group: usize, groups: usize) -> f32 {
    let own = |item: usize| -> f32 {
        values.iter().skip(group * GROUP + item).step_by(groups * GROUP).sum()
    };
    let mut tree: Vec<f32> = (0..GROUP).map(own).collect();
    for item in 0..GROUP {
        let widths = [128, 64, 32, 16, 8, 4, 2, 1];
        for width in widths.into_iter().filter(|&width| item < width) {
            tree[item] += tree[item + width];
        }
    }
    tree[0]
}

/// Finds an element that is not counted exactly once, by bisection: with ones
/// up to some index and zeros after it, the sum is either the number of ones
/// or not.
fn lost(kernel: &Kernel, n: usize, groups: usize) -> Result<String, Stop> {
    let sum = |ones: usize| -> Result<f32, Stop> {
        let mut values = vec![1.0; ones];
        values.resize(n, 0.0);
        Ok(run(kernel, &values, groups)?.iter().sum())
    };
    let (mut right, mut not) = (0, n);
    if sum(0)? != 0.0 {
        return Ok(
            "Zeros do not sum to 0: the sum contains a value that is not an \
             element of a. Does every item fill its cell of local memory, and \
             is there a barrier between that line and the first round?"
                .to_string(),
        );
    }
    if sum(n)? == n as f32 {
        return Ok(
            "Every value was added once, but not by its own group: an item \
             reads the value at its global index, and then every \
             get_global_size(0)-th."
                .to_string(),
        );
    }
    while not - right > 1 {
        let middle = (right + not) / 2;
        match sum(middle)? == middle as f32 {
            true => right = middle,
            false => not = middle,
        }
    }
    let times = sum(not)? - right as f32;
    Ok(match times {
        0.0 => format!(
            "a[{right}] is in no sum. Which item reads it, and which round \
             adds the cell of that item to another?"
        ),
        _ => format!(
            "a[{right}] is in the sums {times} times. An item begins at its \
             global index, get_global_id(0), and proceeds in steps of the \
             number of all items, get_global_size(0)."
        ),
    })
}

fn twice(kernel: &Kernel) -> Outcome {
    let values = numbers(7, 3000);
    let left = run(kernel, &values, 4)?;
    let (none, both) = drawn_reduction();
    let (yours, right) =
        (run(kernel, &left, 1)?[0], values.into_iter().fold(none, both));
    match yours == right {
        true => Ok(()),
        false => Err(wrong(format!(
            "The sum is wrong.\n\n  yours  {yours}\n  right  {right}"
        ))),
    }
}

/// Returns the declaration of the array `tree`, whatever its element type.
fn declaration(text: &str) -> Option<&str> {
    text.split_inclusive(';').find_map(|statement| {
        let line = statement.rsplit(['\n', '{']).next()?.trim_start();
        let is_local = line.trim_start_matches("__").starts_with("local ");
        (is_local && line.contains(" tree[")).then_some(line)
    })
}

/// In a tree an item reads two elements in each of eight rounds; an item that
/// does all the additions reads 256.
fn shared(kernel: &Kernel) -> Outcome {
    let values = numbers(8, GROUP);
    let text = fs::read_to_string(YOURS).unwrap_or_default();
    // For an array of another name, only Oclgrind counts the loads.
    let Some(line) = declaration(&text) else {
        return run(kernel, &values, 1).map(drop);
    };
    let count = |text: &str| counting(text, "partial_sums", &["tree"], line);
    let Some(kernel) = kernel.altered(count)? else {
        // Oclgrind counts the loads and bank conflicts of this launch.
        return run(kernel, &values, 1).map(drop);
    };
    let arguments =
        [In("a", &values), PerGroup("partials", 1), Count(GROUP), Log(GROUP)];
    let counts = kernel.run(GROUP, &arguments)?.remove(1);
    let busiest = counts.iter().copied().fold(0.0, f32::max);
    if busiest < GROUP as f32 {
        return Ok(());
    }
    Err(wrong(format!(
        "The results are right, but one item of the group accessed tree[..] \
         {busiest} times, while the others waited: it did the work of all. \
         {TREE}"
    )))
}

/// Rejects a kernel in which a single item of a warp loads more elements than
/// the last rounds of any tree need.
fn tree(launch: &Launch) -> Outcome {
    let alone =
        |access: &Access| access.total(|moment| u64::from(moment.lanes() == 1));
    let loads = launch.accesses.iter().filter(|it| it.kind == Kind::Load);
    let mut local = loads.filter(|it| it.is_local);
    let is_serial = |it: &&Access| alone(it) > GROUP as u64 / 2;
    let Some(access) = local.find(is_serial) else { return Ok(()) };
    let what = format!(
        "one item loads {} cells of {}, one after another, while the others \
         wait",
        alone(access),
        launch.array(access)
    );
    Err(slow(launch, access.line, &what, TREE))
}

/// The explanation of a tree.
const TREE: &str = "In a tree each round halves the cells, and eight rounds are \
                    enough for 256.";

/// Accepts trees whose warps diverge, because they are only slightly slower.
/// See docs/benchmarks.md#exercise-checks.
fn judge(launch: &Launch) -> Outcome {
    tree(launch)?;
    spread(
        launch,
        "Cells that are 2, 4, 8 and more apart are in few of the 32 banks, and \
         each bank serves one at a time. Add the upper half of the cells to \
         the lower half: then adjacent items use adjacent cells, in different \
         banks. On an H200 a sum with one element per item took 28 % longer \
         with such a tree.",
    )?;
    evenly(
        launch,
        "While one warp waits for memory, the others have nothing to load. Let \
         each item read the value at its own index.",
    )
}
