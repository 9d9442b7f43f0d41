// launch_geometry: the arithmetic of a launch.
//
// WHAT   `n` elements, groups of `size` items: how many groups, how many
//        items, how many of them idle; and which element an item has, in one
//        dimension and in two.
// WHY    Only whole groups start. One group too few leaves elements that
//        nobody computes; one too many costs a group. And whoever swaps row
//        and column computes the right numbers for the wrong places.
//        `n` is a `uint` in a kernel, so it goes up to 4,294,967,295 here.
// READ   How a GPU computes
// CHECK  cargo learn check launch_geometry

/// Counts the groups of `size` items that cover `n` elements.
pub fn groups(n: u32, size: u32) -> u32 {
    // HOLE
    //| todo!("TODO(launch_geometry): how many groups cover n elements")
    n.div_ceil(size)
    // END HOLE
}

/// Computes how many items start: the global size, for the largest `n` too.
pub fn global_size(n: u32, size: u32) -> u64 {
    // HOLE
    //| todo!("TODO(launch_geometry): how many items start")
    u64::from(groups(n, size)) * u64::from(size)
    // END HOLE
}

/// Counts those that have no element.
pub fn idle(n: u32, size: u32) -> u32 {
    // HOLE
    //| todo!("TODO(launch_geometry): how many items have no element")
    (global_size(n, size) - u64::from(n)) as u32
    // END HOLE
}

/// Finds the element of item number `item` in group number `group`; both count
/// from 0.
pub fn element(group: u32, item: u32, size: u32) -> u64 {
    // HOLE
    //| todo!("TODO(launch_geometry): which element an item has")
    u64::from(group) * u64::from(size) + u64::from(item)
    // END HOLE
}

/// Finds the way back: the group of an element, and the item's number in it.
pub fn place(element: u32, size: u32) -> (u32, u32) {
    // HOLE
    //| todo!("TODO(launch_geometry): which item of which group has an element")
    (element / size, element % size)
    // END HOLE
}

/// Finds, in two dimensions, the element that an item has in a matrix of
/// `columns` columns, which lies in memory row after row. `x` is the item's
/// `get_global_id(0)`, its column, and `y` is its `get_global_id(1)`.
pub fn element_2d(x: u32, y: u32, columns: u32) -> u64 {
    // HOLE
    //| todo!("TODO(launch_geometry): which element an item of a matrix has")
    u64::from(y) * u64::from(columns) + u64::from(x)
    // END HOLE
}
