// The sum along one axis: a (outer, length, inner) -> out (outer, inner).
// One item for each of the n = outer * inner sums.
//
// The elements of one sum lie `inner` apart, and neighbors among the items
// have neighboring sums: at every turn of the loop they read side by side,
// unless inner is 1.

// ANCHOR: reduce-axis
kernel void reduce_axis(global const float *a, global float *out,
                        uint length, uint inner, uint n)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint first = i / inner * length * inner + i % inner;
    float sum = 0.0f;
    for (uint step = 0; step < length; step++)
        sum += a[first + step * inner];
    out[i] = sum;
}
// ANCHOR_END: reduce-axis
