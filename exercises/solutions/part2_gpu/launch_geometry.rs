// launch_geometry: the arithmetic of a launch.
//
// WHAT   For `n` elements and groups of `size` items, compute the number of
//        groups, of items, and of idle items; and which element an item has,
//        in one dimension and in two.
// WHY    Launches consist of whole groups. With one group too few, some
//        elements are not computed; one too many wastes a group. If row and
//        column are swapped, right values are written to wrong positions. `n`
//        is a `uint` in a kernel, so it goes up to 4,294,967,295 here.
// READ   How a GPU computes
// CHECK  cargo learn check launch_geometry

/// Returns the number of groups of `size` items that cover `n` elements.
pub fn groups(n: u32, size: u32) -> u32 {
    // HOLE
    //| todo!("TODO(launch_geometry): how many groups cover n elements")
    n.div_ceil(size)
    // END HOLE
}

/// Returns the global size: the number of items, even for the largest `n`.
pub fn global_size(n: u32, size: u32) -> u64 {
    // HOLE
    //| todo!("TODO(launch_geometry): how many items are launched")
    u64::from(groups(n, size)) * u64::from(size)
    // END HOLE
}

/// Returns the number of items without an element.
pub fn idle(n: u32, size: u32) -> u32 {
    // HOLE
    //| todo!("TODO(launch_geometry): how many items have no element")
    (global_size(n, size) - u64::from(n)) as u32
    // END HOLE
}

/// Returns the element of item `item` in group `group`; both count from 0.
pub fn element(group: u32, item: u32, size: u32) -> u64 {
    // HOLE
    //| todo!("TODO(launch_geometry): which element an item has")
    u64::from(group) * u64::from(size) + u64::from(item)
    // END HOLE
}

/// Returns the inverse: the group of an element, and the item's index in it.
pub fn place(element: u32, size: u32) -> (u32, u32) {
    // HOLE
    //| todo!("TODO(launch_geometry): the group and the item of an element")
    (element / size, element % size)
    // END HOLE
}

/// Returns, in two dimensions, the index of an item's element in a matrix of
/// `columns` columns, stored row by row. `x` is the item's `get_global_id(0)`,
/// its column, and `y` is its `get_global_id(1)`.
pub fn element_2d(x: u32, y: u32, columns: u32) -> u64 {
    // HOLE
    //| todo!("TODO(launch_geometry): which element of the matrix an item has")
    u64::from(y) * u64::from(columns) + u64::from(x)
    // END HOLE
}
