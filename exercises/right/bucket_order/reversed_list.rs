// The list of buckets is reversed, instead of the parameters.

use std::mem;

use super::Cause;

/// Names the cause.
pub fn cause() -> Cause {
    Cause::OrderOfCreation
}

/// Divides parameters with these numbers of elements, in the order in which a
/// model creates them, into buckets of at most `limit` elements. Returns the
/// indices of the parameters of each bucket.
pub fn buckets(lens: &[usize], limit: usize) -> Vec<Vec<usize>> {
    let (mut buckets, mut bucket, mut len) = (Vec::new(), Vec::new(), 0);
    for index in 0..lens.len() {
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
    buckets.reverse();
    buckets
}

/// Predicts the time of the step after the repair, in milliseconds.
pub fn predicted() -> f64 {
    7.9
}
