// Selects rows of a matrix by index, and its backward pass.

// a (rows, width), dense, beginning at an offset, places (..) -> out (n), one
// row of a for each index in places. An item copies four elements, with one
// load if they are aligned.
kernel void index_select(global const T *a, uint offset, uint rows,
                         uint width, global const uint *places,
                         global OUT *out, uint n)
{
    uint i = get_global_id(0);
    if (i > (n - 1) / 4 || n == 0)
        return;
    uint index = 4 * i;
    if ((offset | width | n) % 4 == 0) {
        uint row = places[index / width];
        if (row < rows)
            STORE4(out, index, LOAD4(a, offset + row * width + index % width));
        return;
    }
    for (uint to = index + min(n - index, 4u); index < to; index++) {
        uint row = places[index / width];
        if (row < rows)
            STORE(out, index, LOAD(a, offset + row * width + index % width));
    }
}

// Adds an element to a compensated sum: the rounding error of each addition is
// carried into the next, however many rows there are.
#define ADD(row)                                                            \
    do {                                                                    \
        ACC x = LOAD(a, offset + (row) * width + i % width) - excess;       \
        ACC next = sum + x;                                                 \
        excess = isinf(next) ? 0.0f : next - sum - x;                       \
        sum = next;                                                         \
    } while (0)

// Backward pass: a (given, width) -> out (n), where each row is the sum of the
// rows of a that were selected from it. Their indices are in `order`, between
// two adjacent elements of `starts`. No two items write to the same address,
// so no atomics are needed.
kernel void index_add(global const T *a, uint offset, uint given,
                      uint width, global const uint *starts,
                      global const uint *order, global OUT *out, uint n)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint to = min(starts[i / width + 1], given);
    ACC sum = 0.0f, excess = 0.0f;
    for (uint index = starts[i / width]; index < to; index++)
        if (order[index] < given)
            ADD(order[index]);
    STORE(out, i, sum);
}

// The same for indices in ascending order: equal indices are adjacent, and the
// first of them is found by binary search.
kernel void index_add_sorted(global const T *a, uint offset, uint given,
                             uint width, global const uint *places,
                             global OUT *out, uint n)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint from = 0, to = given;
    while (from < to) {
        uint middle = from + (to - from) / 2;
        if (places[middle] < i / width)
            from = middle + 1;
        else
            to = middle;
    }
    ACC sum = 0.0f, excess = 0.0f;
    for (; from < given && places[from] == i / width; from++)
        ADD(from);
    STORE(out, i, sum);
}
