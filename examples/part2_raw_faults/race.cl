// ANCHOR: race
// Each number and the one before it, in one
// group of 8: a (n) -> out (n).

kernel void race(global const float *a,
                 global float *out, uint n)
{
    local float cells[8];
    uint i = get_local_id(0);

    cells[i] = i < n ? a[i] : 0.0f;
    float before = i > 0 ? cells[i - 1] : 0.0f;
    if (i < n)
        out[i] = before + cells[i];
}
// ANCHOR_END: race
