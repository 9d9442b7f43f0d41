// missing_barrier: two kernels, each a barrier short.
//
// WHAT   `largest` brings the largest number of a group to cell 0, as a tree.
//        `below_largest` goes on: each item takes the largest number away
//        from its own. In each of them one line is missing:
//
//            item.barrier().await;
//
//        Put it where it belongs. Where it stands is all that you change.
// WHY    A barrier is the only thing that keeps the steps of two items in
//        order. One too few is right on most days. One that only some items
//        come to is never passed: on a device, that is a hang.
// READ   How a GPU computes
// CHECK  cargo learn check missing_barrier

use rungrad::workgroup::Item;

/// Brings the largest of `x`, one number for each item, to cell 0.
pub async fn largest(item: &Item, x: &[f32]) {
    let me = item.id();
    item.write(me, x[me]).await;
    item.barrier().await;
    let mut width = item.size() / 2;
    while width > 0 {
        // Take the next line away and check: you see how it breaks.
        todo!("TODO(missing_barrier): place the barrier of largest");
        if me < width {
            let mine = item.read(me).await;
            let other = item.read(me + width).await;
            item.write(me, mine.max(other)).await;
        }
        width /= 2;
    }
}

/// Brings each item's number, minus the largest of `x`, to its own cell.
pub async fn below_largest(item: &Item, x: &[f32]) {
    let me = item.id();
    largest(item, x).await;
    // And this one, when `largest` is right.
    todo!("TODO(missing_barrier): place the barrier of below_largest");
    let most = item.read(0).await;
    item.write(me, x[me] - most).await;
}
