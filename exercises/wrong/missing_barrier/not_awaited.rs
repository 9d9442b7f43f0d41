// A future that nobody waits for does nothing.

use rungrad::workgroup::Item;

/// Brings the largest of `x`, one number for each item, to cell 0.
pub async fn largest(item: &Item, x: &[f32]) {
    let me = item.id();
    item.write(me, x[me]).await;
    item.barrier().await;
    let mut width = item.size() / 2;
    while width > 0 {
        if me < width {
            let mine = item.read(me).await;
            let other = item.read(me + width).await;
            item.write(me, mine.max(other)).await;
        }
        item.barrier();
        width /= 2;
    }
}

/// Brings each item's number, minus the largest of `x`, to its own cell.
pub async fn below_largest(item: &Item, x: &[f32]) {
    let me = item.id();
    largest(item, x).await;
    let most = item.read(0).await;
    item.barrier().await;
    item.write(me, x[me] - most).await;
}
