//! Computes which elements adjacent work-items read in the same step, and how
//! many cache lines those are, from the index formulas of the kernels alone.

const M: usize = 100_000;
const K: usize = 100;
/// Work-items of a warp.
const WARP: usize = 32;
/// Elements in a cache line of 128 bytes.
const LINE: usize = 32;

/// Returns the number of cache lines that hold the elements at these indices.
pub fn lines(indices: &[usize]) -> usize {
    let mut lines: Vec<usize> = indices.iter().map(|at| at / LINE).collect();
    lines.sort_unstable();
    lines.dedup();
    lines.len()
}

/// `matvec_rows`: item `i` reads column `step` of row `i`.
pub fn rows(first: usize, step: usize) -> Vec<usize> {
    (first..first + WARP).map(|row| row * K + step).collect()
}

/// `matvec_teams`: all items read the same row, at adjacent columns.
pub fn team(row: usize, step: usize) -> Vec<usize> {
    let columns = step * WARP..K.min((step + 1) * WARP);
    columns.map(|column| row * K + column).collect()
}

fn main() {
    println!("in one step               elements read  cache lines");
    show("an item for each row", &rows(0, 0));
    show("a team for each row", &team(0, 0));

    let by_rows: usize = (0..M)
        .step_by(WARP)
        .flat_map(|first| (0..K).map(move |step| lines(&rows(first, step))))
        .sum();
    let steps = K.div_ceil(WARP);
    let by_teams: usize = (0..M)
        .flat_map(|row| (0..steps).map(move |step| lines(&team(row, step))))
        .sum();
    let all = M * K / LINE;
    println!();
    println!("in all steps, {M} rows of {K}       cache lines");
    println!("an item for each row  {by_rows:>30}");
    println!("a team for each row   {by_teams:>30}");
    println!("each line once        {all:>30}");
}

fn show(name: &str, indices: &[usize]) {
    let first: Vec<String> =
        indices.iter().take(2).map(|at| format!("a[{at}]")).collect();
    let first = format!("{} ..", first.join(" "));
    println!("{name:<20}  {first:>17}  {:>11}", lines(indices));
}
