// What the last group lacks, which is a whole group when it lacks nothing.

/// Counts the groups of `size` items that cover `n` elements.
pub fn groups(n: u32, size: u32) -> u32 {
    n.div_ceil(size)
}

/// Computes how many items start: the global size, for the largest `n` too.
pub fn global_size(n: u32, size: u32) -> u64 {
    u64::from(groups(n, size)) * u64::from(size)
}

/// Counts those that have no element.
pub fn idle(n: u32, size: u32) -> u32 {
    size - n % size
}

/// Finds the element of item number `item` in group number `group`; both count
/// from 0.
pub fn element(group: u32, item: u32, size: u32) -> u64 {
    u64::from(group) * u64::from(size) + u64::from(item)
}

/// Finds the way back: the group of an element, and the item's number in it.
pub fn place(element: u32, size: u32) -> (u32, u32) {
    (element / size, element % size)
}

/// Finds, in two dimensions, the element that an item has in a matrix of
/// `columns` columns, which lies in memory row after row. `x` is the item's
/// `get_global_id(0)`, its column, and `y` is its `get_global_id(1)`.
pub fn element_2d(x: u32, y: u32, columns: u32) -> u64 {
    u64::from(y) * u64::from(columns) + u64::from(x)
}
