//! Computes which elements adjacent work-items read in the same step, and how
//! many cache lines those are, from the index formulas of the kernels alone.

const M: usize = 100_000;
const K: usize = 100;
/// Work-items that execute a step together.
const NEIGHBORS: usize = 32;
/// Elements in a cache line of 128 bytes, which is loaded as a whole.
const PIECE: usize = 32;

/// Returns the cache lines that hold the elements at these indices.
pub fn pieces(places: &[usize]) -> usize {
    let mut pieces: Vec<usize> = places.iter().map(|at| at / PIECE).collect();
    pieces.sort_unstable();
    pieces.dedup();
    pieces.len()
}

/// `matvec_rows`: item `i` reads column `step` of row `i`.
pub fn rows(first: usize, step: usize) -> Vec<usize> {
    (first..first + NEIGHBORS).map(|row| row * K + step).collect()
}

/// `matvec_teams`: all items read the same row, at adjacent columns.
pub fn team(row: usize, step: usize) -> Vec<usize> {
    let columns = step * NEIGHBORS..K.min((step + 1) * NEIGHBORS);
    columns.map(|column| row * K + column).collect()
}

fn main() {
    println!("in one step                 neighbors read        pieces");
    show("an item for each row", &rows(0, 0));
    show("a team for each row", &team(0, 0));

    let by_rows: usize = (0..M)
        .step_by(NEIGHBORS)
        .flat_map(|first| (0..K).map(move |step| pieces(&rows(first, step))))
        .sum();
    let steps = K.div_ceil(NEIGHBORS);
    let by_teams: usize = (0..M)
        .flat_map(|row| (0..steps).map(move |step| pieces(&team(row, step))))
        .sum();
    let all = M * K / PIECE;
    println!();
    println!("in all steps, {M} rows of {K}      pieces asked for");
    println!("an item for each row    {by_rows:>31}");
    println!("a team for each row     {by_teams:>31}");
    println!("each piece once         {all:>31}");
}

fn show(who: &str, places: &[usize]) {
    let first: Vec<String> =
        places.iter().take(3).map(|at| format!("a[{at}]")).collect();
    println!("{who:<20}  {:>24} ..  {:>6}", first.join(" "), pieces(places));
}
