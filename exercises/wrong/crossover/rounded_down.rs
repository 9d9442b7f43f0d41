// crossover: from what size does a device pay?
//
// WHAT   The host takes `host` microseconds for each element. The device was
//        timed at two sizes, `small` and `large`, each as (elements,
//        microseconds): it takes a price for being asked, and then the same
//        for each element. Return the smallest number of elements for which
//        the device takes less time than the host; None if there is none.
// WHY    "How many times faster is it?" has no answer. "From what size?" has.
// READ   Time it honestly
// CHECK  cargo learn check crossover

/// Finds the smallest size for which the device is faster.
pub fn crossover(
    host: f64,
    small: (f64, f64),
    large: (f64, f64),
) -> Option<usize> {
    let rate = (large.1 - small.1) / (large.0 - small.0);
    let price = small.1 - rate * small.0;
    match rate < host {
        true => Some((price / (host - rate)).floor() as usize),
        false => None,
    }
}
