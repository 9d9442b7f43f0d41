//! A tree reduction with a missing barrier: some schedules give the right sum
//! and some do not.

use rungrad::workgroup::{Group, Item, Schedule, Search, Trace};

// ANCHOR: tree
/// Adds up `x`, one value per work-item; the sum ends up in cell 0.
async fn tree(item: Item, x: &[f32]) {
    let me = item.id();
    item.write(me, x[me]).await;
    item.barrier().await;
    let mut width = item.size() / 2;
    while width > 0 {
        if me < width {
            let sum = item.read(me).await + item.read(me + width).await;
            item.write(me, sum).await;
        }
        width /= 2;
    }
}
// ANCHOR_END: tree

const X: [f32; 4] = [1.0, 2.0, 3.0, 4.0];

/// Four work-items, each with a cell for its value.
const GROUP: Group = Group { items: 4, cells: 4 };

// ANCHOR: run
fn main() {
    let kernel = async |item: Item| tree(item, &X).await;
    for schedule in [Schedule::InTurn, Schedule::Reversed, Schedule::Lockstep] {
        let name = format!("{schedule:?}");
        println!("{name:<9} {}", GROUP.run(schedule, kernel).end);
    }
    let search = search();
    println!("\n{} schedules, of which", search.schedules());
    for ending in &search.endings {
        println!("{:>4} end with {}", ending.schedules, ending.trace.end);
    }
    let trace = broken(&search);
    println!("\n{trace}");
    println!("{}", trace.race().expect("two steps that race"));
}
// ANCHOR_END: run

/// Returns the simplest schedule whose sum is not 10.
pub fn broken(search: &Search) -> &Trace {
    search.wrong(|local| local[0] == 10.0).expect("it can break")
}

/// Runs every schedule.
pub fn search() -> Search {
    GROUP.search(async |item| tree(item, &X).await)
}
