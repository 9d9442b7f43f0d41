// crossover: above which size is a device faster?
//
// WHAT   The host takes `host` microseconds per element. The device was
//        measured at two sizes, `small` and `large`, each given as (elements,
//        microseconds): its time is a fixed cost per launch plus the same time
//        for every element. Return the smallest number of elements for which
//        the device takes less time than the host, or `None` if there is none.
// WHY    "How many times faster is it?" depends on the size. "Above which size
//        is it faster?" has one answer.
// READ   Time it honestly
// CHECK  cargo learn check crossover

/// Returns the smallest size for which the device is faster.
pub fn crossover(
    host: f64,
    small: (f64, f64),
    large: (f64, f64),
) -> Option<usize> {
    // HOLE
    //| todo!("TODO(crossover): cost per element and per launch, then the size")
    let rate = (large.1 - small.1) / (large.0 - small.0);
    let price = small.1 - rate * small.0;
    match rate < host {
        true => Some((price / (host - rate)).floor() as usize + 1),
        false => None,
    }
    // END HOLE
}
