//! A tree reduction with all its barriers: every schedule gives the right sum.

use rungrad::workgroup::{Group, Item};

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
        item.barrier().await;
        width /= 2;
    }
}
// ANCHOR_END: tree

const X: [f32; 8] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];

fn main() {
    for items in [2, 4, 8] {
        let group = Group { items, cells: items };
        let search = group.search(async |item| tree(item, &X).await);
        for ending in &search.endings {
            println!(
                "{items} items: {:>12} schedules in {:>3} states end with {}",
                search.schedules(),
                search.states,
                ending.trace.end
            );
        }
    }
}
