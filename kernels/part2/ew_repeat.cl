// Repeats the elements along one axis, the opposite of a sum along it: a
// (outer, inner) -> out (outer, length, inner), each element of a repeated
// `length` times. n is the number of elements of out.
//
// With outer = inner = 1 it broadcasts a scalar to a whole array. The scalar
// stays on the device: reading it back would wait for the whole queue.

// ANCHOR: ew-repeat
kernel void ew_repeat(global const float *a, global float *out, uint length,
                      uint inner, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        out[i] = a[i / (length * inner) * inner + i % inner];
}
// ANCHOR_END: ew-repeat
