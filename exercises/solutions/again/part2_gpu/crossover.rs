// crossover, again: above which size is the device worth it?
//
// WHAT   The host takes `host` microseconds per element. The device was
//        measured at two sizes, `small` and `large`, each given as (elements,
//        microseconds): its time is a fixed cost per launch plus the same time
//        for every element. Return the smallest number of elements for which
//        the device is more than @times@ times as fast as the host, or `None`
//        if there is none.
// READ   Time it honestly
// CHECK  cargo learn again crossover

/// Returns the smallest size with the required speedup.
pub fn crossover(
    host: f64,
    small: (f64, f64),
    large: (f64, f64),
) -> Option<usize> {
    // HOLE
    //| todo!("TODO(crossover): cost per element and per launch, then the size")
    let host = host / @times@.0;
    let rate = (large.1 - small.1) / (large.0 - small.0);
    let price = small.1 - rate * small.0;
    match rate < host {
        true => Some((price / (host - rate)).floor() as usize + 1),
        false => None,
    }
    // END HOLE
}
