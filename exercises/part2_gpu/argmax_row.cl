// argmax_row: the column of the largest element.
//
// WHAT   Write the column of the largest element of each row, counted from 0:
//        a (rows, columns) -> out (rows), as a float. Each row has a group of
//        256 items: group 0 has the first row, group 1 the next. If several
//        elements are equal, the first one counts. A NaN counts as the largest
//        element, and of several NaNs the first one counts.
// WHY    The class that a network predicts is such a column. A tree of values
//        alone forgets where each value came from, so the tree needs a second
//        array with the columns. Ties are decided by columns, not by items.
// MIND   All elements of a row may be negative, and a row may have fewer
//        columns than there are items. Every comparison with a NaN is false,
//        except !=.
// READ   More kernels
// CHECK  cargo learn check argmax_row

#define GROUP 256

/// Returns whether x, in column i, is preferred to y, in column j.
bool wins(float x, uint i, float y, uint j)
{
    // isnan(x) returns whether x is a NaN.
    /* TODO(argmax_row): which of the two, with NaN and equal elements */
}

kernel void argmax_row(global const float *a, global float *out, uint columns)
{
    local float most[GROUP];
    local uint place[GROUP];
    uint item = get_local_id(0);
    uint first = get_group_id(0) * columns;
    /* TODO(argmax_row): the best of each item, then the best of the group */
}
