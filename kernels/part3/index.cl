// Rows of a matrix by their numbers.


// a (rows, width), dense from an offset on, places (..) -> out (n), which is
// one row of a for each place.
// An item has four elements, which it reads at once where they lie so.
kernel void index_select(global const T *a, uint offset, uint rows,
                         uint width, global const uint *places,
                         global OUT *out, uint n)
{
    uint i = get_global_id(0);
    if (i > (n - 1) / 4 || n == 0)
        return;
    uint at = 4 * i;
    if ((offset | width | n) % 4 == 0) {
        uint row = places[at / width];
        if (row < rows)
            STORE4(out, at, LOAD4(a, offset + row * width + at % width));
        return;
    }
    for (uint to = at + min(n - at, 4u); at < to; at++) {
        uint row = places[at / width];
        if (row < rows)
            STORE(out, at, LOAD(a, offset + row * width + at % width));
    }
}

// Adds a row to a sum. However many rows there are, nothing piles up: what an
// addition rounds away is given to the next one.
#define ADD(row)                                                            \
    do {                                                                    \
        ACC x = LOAD(a, offset + (row) * width + i % width) - excess;       \
        ACC next = sum + x;                                                 \
        excess = isinf(next) ? 0.0f : next - sum - x;                       \
        sum = next;                                                         \
    } while (0)

// The mirror: a (given, width) -> out (n), each row the sum of those rows of
// a that belong to it. They stand in `order` between two neighbors of
// `starts`. No two items write to one place, so nothing has to be atomic.
kernel void index_add(global const T *a, uint offset, uint given,
                      uint width, global const uint *starts,
                      global const uint *order, global OUT *out, uint n)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint to = min(starts[i / width + 1], given);
    ACC sum = 0.0f, excess = 0.0f;
    for (uint at = starts[i / width]; at < to; at++)
        if (order[at] < given)
            ADD(order[at]);
    STORE(out, i, sum);
}

// The same where the places never go down: the rows of one are neighbors, and
// the first of them is found by halving.
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
