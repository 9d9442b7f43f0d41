// argmax_row: where the largest number stands.
//
// WHAT   Write the column of the largest number of each row, counted from 0: a
//        (rows, columns) -> out (rows), as a float. A group of 256 items has a
//        row: group 0 the first, group 1 the next. Of equal numbers the first
//        counts. A NaN counts as the largest, and of several the first.
// WHY    The class that a network names is such a column. A tree that hands up
//        a number alone forgets where it stood, so two arrays go up together;
//        and what comes first is a matter of columns and not of items.
// MIND   All numbers of a row may be below 0, and a row may have fewer columns
//        than there are items. No comparison with a NaN is true, but for !=.
// READ   Reductions and barriers
// CHECK  cargo learn check argmax_row

#define GROUP 256

/// Tells whether x, in column i, is to be chosen and not y, in column j.
bool wins(float x, uint i, float y, uint j)
{
    // HOLE
    //| // isnan(x) tells whether it is one.
    //| /* TODO(argmax_row): which of two, with NaN and equal numbers */
    if (isnan(x) || isnan(y))
        return isnan(x) && (!isnan(y) || i < j);
    return x > y || (x == y && i < j);
    // END HOLE
}

kernel void argmax_row(global const float *a, global float *out, uint columns)
{
    local float most[GROUP];
    local uint place[GROUP];
    uint item = get_local_id(0);
    uint first = get_group_id(0) * columns;
    // HOLE
    //| /* TODO(argmax_row): each item its best, the tree the best of all */
    float best = -INFINITY;
    uint column = columns;
    for (uint i = item; i < columns; i += GROUP) {
        float x = a[first + i];
        if (wins(x, i, best, column)) {
            best = x;
            column = i;
        }
    }
    most[item] = best;
    place[item] = column;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint width = GROUP / 2; width > 0; width /= 2) {
        uint other = item + width;
        if (item < width
            && wins(most[other], place[other], most[item], place[item])) {
            most[item] = most[other];
            place[item] = place[other];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0)
        out[get_group_id(0)] = place[0];
    // END HOLE
}
