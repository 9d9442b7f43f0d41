// The mirror of a sum along one axis: a (outer, inner) -> out (outer, length,
// inner), each element of a `length` times. n counts the elements of out.
//
// One number for a whole array is the case of outer = inner = 1. It stays on
// the device: to read it would wait for the whole queue.

// ANCHOR: ew-repeat
kernel void ew_repeat(global const float *a, global float *out, uint length,
                      uint inner, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        out[i] = a[i / (length * inner) * inner + i % inner];
}
// ANCHOR_END: ew-repeat
