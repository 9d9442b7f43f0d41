// missing_barrier: two kernels that each lack a barrier.
//
// WHAT   `largest` computes the maximum of a group with a tree and stores it
//        in cell 0. `below_largest` continues: each item subtracts the maximum
//        from its own value. One line is missing in each of them:
//
//            item.barrier().await;
//
//        Insert it at the right position. Change nothing else.
// WHY    Only barriers order the steps of two items. With one barrier too few,
//        the result is still right most of the time. A barrier that only some
//        items reach is never passed: on a device, that is a hang.
// READ   A group, step by step
// CHECK  cargo learn check missing_barrier

use rungrad::workgroup::Item;

/// Stores the largest of `x`, one value per item, in cell 0.
pub async fn largest(item: &Item, x: &[f32]) {
    let me = item.id();
    item.write(me, x[me]).await;
    item.barrier().await;
    let mut width = item.size() / 2;
    while width > 0 {
        // Remove the next line and run the check to see how the kernel
        // fails.
        todo!("TODO(missing_barrier): place the barrier of largest");
        if me < width {
            let mine = item.read(me).await;
            let other = item.read(me + width).await;
            item.write(me, mine.max(other)).await;
        }
        width /= 2;
    }
}

/// Stores each item's value minus the largest of `x` in the item's cell.
pub async fn below_largest(item: &Item, x: &[f32]) {
    let me = item.id();
    largest(item, x).await;
    // Remove this one when `largest` is right.
    todo!("TODO(missing_barrier): place the barrier of below_largest");
    let most = item.read(0).await;
    item.write(me, x[me] - most).await;
}
