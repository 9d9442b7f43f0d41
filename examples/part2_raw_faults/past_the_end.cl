// ANCHOR: past-the-end
// Twice each number: a (n) -> out (n).

kernel void past_the_end(global const float *a,
                         global float *out, uint n)
{
    uint i = get_global_id(0);
    out[i] = 2.0f * a[i];
}
// ANCHOR_END: past-the-end
