// two_ranks_wait: two ranks that wait for each other forever.
//
// WHAT   Two ranks train together. Sometimes the run stops, without an error:
//        each rank waits for the other one. There is one such bug in `swap`,
//        and one in `step`. Fix both. `all_reduce` is right.
// WHY    Waiting ranks use no time and print nothing, so such a bug is hard to
//        find afterward. It must not be possible.
// MIND   `link.receive(from)` waits for a message. `link.send(to, values)`
//        returns at once if the network has room for the values; otherwise it
//        waits until they are received. There is room for 4 elements. In the
//        check, a scheduler notices that no rank can continue, so nothing
//        depends on time.
// READ   Gradients that travel
// CHECK  cargo learn check two_ranks_wait

use super::Link;

/// Sends values to the other one of two ranks, and returns the values that the
/// other one sends.
pub fn swap(link: &mut Link, own: Vec<f32>) -> Vec<f32> {
    let partner = 1 - link.rank();
    // HOLE
    //| // Remove the next line when both ranks finish.
    //| todo!("TODO(two_ranks_wait): which rank waits for what?");
    //| let other = link.receive(partner);
    //| link.send(partner, own);
    //| other
    if link.rank() == 0 {
        link.send(partner, own);
        return link.receive(partner);
    }
    let other = link.receive(partner);
    link.send(partner, own);
    other
    // END HOLE
}

/// Returns the sum of the values of both ranks, element by element.
pub fn all_reduce(link: &mut Link, mut values: Vec<f32>) -> Vec<f32> {
    let other = swap(link, values.clone());
    let lens = [values.len(), other.len()];
    assert!(
        lens[0] == lens[1],
        "the ranks add different numbers of elements, {lens:?}"
    );
    values.iter_mut().zip(other).for_each(|(sum, value)| *sum += value);
    values
}

/// Moves the weights against the mean gradient of both ranks. If the loss of
/// any rank is infinite or NaN, no rank changes its weights. Returns whether
/// the step was taken.
pub fn step(
    link: &mut Link,
    weights: &mut [f32],
    loss: f32,
    grad: Vec<f32>,
) -> bool {
    // HOLE
    //| // Remove the next line when both ranks finish.
    //| todo!("TODO(two_ranks_wait): what if one rank skips the step?");
    //| if !loss.is_finite() {
    //|     return false;
    //| }
    if !all_reduce(link, vec![loss])[0].is_finite() {
        return false;
    }
    // END HOLE
    let sum = all_reduce(link, grad);
    for (weight, sum) in weights.iter_mut().zip(sum) {
        *weight -= 0.5 * sum / 2.0;
    }
    true
}
