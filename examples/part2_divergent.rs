//! A tree reduction with a barrier that not every work-item reaches.

use rungrad::workgroup::{Group, Item, Schedule};

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
            item.barrier().await;
        }
        width /= 2;
    }
}

fn main() {
    let x = [1.0, 2.0, 3.0, 4.0];
    let group = Group { items: 4, cells: 4 };
    let kernel = async |item: Item| tree(item, &x).await;
    println!("{}", group.run(Schedule::InTurn, kernel).end);
}
