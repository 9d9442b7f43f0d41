// The sum along one axis: a (outer, length, inner) -> out (outer, inner).
// One item for each of the n = outer * inner sums.
//
// The elements of one sum lie `inner` apart, and neighbors among the items
// have neighboring sums: at every turn of the loop they read side by side,
// unless inner is 1.
//
// An item adds one number after another, perhaps millions: 32 at a time, and
// when it adds these to the sum, what is rounded away is given to the next, so
// that nothing piles up: compensated summation, Kahan's.

// ANCHOR: reduce-axis
kernel void reduce_axis(global const float *a, global float *out,
                        uint length, uint inner, uint n)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint first = i / inner * length * inner + i % inner;
    float sum = 0.0f, excess = 0.0f;
    for (uint step = 0; step < length;) {
        float part = 0.0f;
        for (uint end = min(step + 32, length); step < end; step++)
            part += a[first + step * inner];
        float given = part - excess, next = sum + given;
        // By how much the sum has grown too far; infinity knows no more.
        excess = isinf(next) ? 0.0f : next - sum - given;
        sum = next;
    }
    out[i] = sum;
}
// ANCHOR_END: reduce-axis
