//! Work-items that all add to one cell: the schedule decides how many of the
//! additions survive.

use std::collections::BTreeMap;

use rungrad::workgroup::{Group, Item};

// ANCHOR: one-cell
/// Adds 1 per work-item, all of them to cell 0.
async fn one_cell(item: Item) {
    if item.id() == 0 {
        item.write(0, 0.0).await;
    }
    item.barrier().await;
    // In OpenCL C: cells[0] += 1.0f;
    let found = item.read(0).await;
    item.write(0, found + 1.0).await;
}
// ANCHOR_END: one-cell

fn main() {
    let search = Group { items: 4, cells: 1 }.search(one_cell);
    println!("{} schedules of 4 items, of which", search.schedules());
    let mut sums = BTreeMap::new();
    for ending in &search.endings {
        let sum = ending.trace.end.to_string();
        *sums.entry(sum).or_insert(0) += ending.schedules;
    }
    for (sum, schedules) in sums {
        println!("{schedules:>5} end with {sum}");
    }
}
