// The sum along one axis: a (outer, length, inner) -> out (outer, inner). One
// work-item for each of the n = outer * inner sums.
//
// The elements of one sum are `inner` apart, and adjacent items compute
// adjacent sums, so in each iteration adjacent items read adjacent elements,
// unless inner is 1.
//
// An item may add millions of elements. To bound the rounding error it adds
// them in blocks of 32 and uses Kahan's compensated summation for the block
// sums: the rounding error of each addition is carried into the next.

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
        float block = 0.0f;
        for (uint end = min(step + 32, length); step < end; step++)
            block += a[first + step * inner];
        float corrected = block - excess, next = sum + corrected;
        // The excess is how much more the sum grew than it should have. After
        // an overflow to infinity it would be NaN, so it is set to 0.
        excess = isinf(next) ? 0.0f : next - sum - corrected;
        sum = next;
    }
    out[i] = sum;
}
// ANCHOR_END: reduce-axis
