// bucket_order: a step in which no message overlaps the backward pass.
//
// WHAT   The page has the timeline of a step of four ranks, which takes
//        10.5 ms. Name the cause of the missing overlap, fix `buckets`, and
//        predict the time of the step after the fix.
// WHY    A profiler shows that messages are late, but not why. The timeline
//        has the answer: which gradient does the first message wait for?
// MIND   The buckets start in the order of the list. A bucket starts when all
//        of its gradients are complete, and when all buckets before it in the
//        list have started. The link carries one bucket at a time. The
//        parameters of the four layers have 50,000, 100,000, 400,000 and
//        50,000 elements, and a bucket has at most 150,000, or one parameter.
// READ   Gradients that travel
// CHECK  cargo learn check bucket_order

use std::mem;

use super::Cause;

/// Names the cause.
pub fn cause() -> Cause {
    // HOLE
    //| // Cause has BucketTooLarge, OrderOfCreation, NetworkTooSlow,
    //| // TooManyMessages and HookThatWaits.
    //| todo!("TODO(bucket_order): what does the timeline show?")
    Cause::OrderOfCreation
    // END HOLE
}

/// Divides parameters with these numbers of elements, in the order in which a
/// model creates them, into buckets of at most `limit` elements. Returns the
/// indices of the parameters of each bucket.
pub fn buckets(lens: &[usize], limit: usize) -> Vec<Vec<usize>> {
    let (mut buckets, mut bucket, mut len) = (Vec::new(), Vec::new(), 0);
    // HOLE
    //| // Remove the next line when the messages overlap the backward pass.
    //| todo!("TODO(bucket_order): which parameters belong to the first one?");
    //| for index in 0..lens.len() {
    for index in (0..lens.len()).rev() {
        // END HOLE
        if !bucket.is_empty() && len + lens[index] > limit {
            buckets.push(mem::take(&mut bucket));
            len = 0;
        }
        bucket.push(index);
        len += lens[index];
    }
    if !bucket.is_empty() {
        buckets.push(bucket);
    }
    buckets
}

/// Predicts the time of the step after the fix, in milliseconds.
pub fn predicted() -> f64 {
    // HOLE
    //| todo!("TODO(bucket_order): when does the last message arrive?")
    7.9
    // END HOLE
}
