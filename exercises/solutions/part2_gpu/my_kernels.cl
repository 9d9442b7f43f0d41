// my_kernels: kernels of your own.
//
// WHAT   Write the kernels on which Part 2 runs, in six levels. Ours are used
//        for kernels that you have not written. The check tells you which
//        kernels are next, with their names and parameters.
//
//        Unless a level says otherwise, a kernel is launched in groups of 256
//        items, with one item per element of its result. All groups are whole:
//        the spare items have nothing to do, but must reach every barrier.
// WHY    The tensors on a device can only be as correct as its kernels.
// READ   Kernels of your own
// CHECK  cargo learn check my_kernels
// LEVELS 1-

kernel void ew_mul(global const float *a, global const float *b,
                   global float *out, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        out[i] = a[i] * b[i];
}

kernel void ew_add(global const float *a, global const float *b,
                   global float *out, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        out[i] = a[i] + b[i];
}
// LEVELS 2-

// Returns the index of an operand's element for element i of out: the sum over
// the axes, from the last, of the index along the axis times its stride.
uint place(uint i, int8 shape, int8 strides)
{
    int sizes[8], steps[8];
    vstore8(shape, 0, sizes);
    vstore8(strides, 0, steps);
    int rest = i, at = 0;
    for (int axis = 7; axis >= 0; axis--) {
        at += rest % sizes[axis] * steps[axis];
        rest /= sizes[axis];
    }
    return at;
}

kernel void broadcast_mul(global const float *a, int8 a_strides,
                          global const float *b, int8 b_strides,
                          global float *out, int8 shape, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        out[i] = a[place(i, shape, a_strides)] * b[place(i, shape, b_strides)];
}

kernel void broadcast_add(global const float *a, int8 a_strides,
                          global const float *b, int8 b_strides,
                          global float *out, int8 shape, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        out[i] = a[place(i, shape, a_strides)] + b[place(i, shape, b_strides)];
}
// LEVELS 3-

kernel void ew_scale(global const float *a, global float *out, float number,
                     uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        out[i] = a[i] * number;
}

kernel void ew_exp(global const float *a, global float *out, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        out[i] = exp(a[i]);
}

// NaN is passed on, because `NaN <= 0` is false.
kernel void ew_relu(global const float *a, global float *out, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        out[i] = a[i] <= 0.0f ? 0.0f : a[i];
}

// Select instead of multiplying, because 0 times infinity is NaN.
kernel void relu_backward(global const float *grad_out,
                          global const float *a, global float *grad_a, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        grad_a[i] = a[i] <= 0.0f ? 0.0f : grad_out[i];
}
// LEVELS 4-

#define GROUP 256

// A tree in each group. An item past the end contributes 0; it must not
// return, because it has to reach the barriers.
__attribute__((reqd_work_group_size(GROUP, 1, 1)))
kernel void reduce_sum(global const float *a, global float *partials, uint n)
{
    local float tree[GROUP];
    uint i = get_global_id(0), item = get_local_id(0);
    tree[item] = i < n ? a[i] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint width = GROUP / 2; width > 0; width /= 2) {
        if (item < width)
            tree[item] += tree[item + width];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0)
        partials[get_group_id(0)] = tree[0];
}

// Adds blocks of 32 elements. The rounding error of adding a block to the sum
// is carried to the next block (compensated summation).
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
        excess = isinf(next) ? 0.0f : next - sum - given;
        sum = next;
    }
    out[i] = sum;
}

kernel void ew_repeat(global const float *a, global float *out, uint length,
                      uint inner, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        out[i] = a[i / (length * inner) * inner + i % inner];
}
// LEVELS 5-

#define TILE 16

// A tile of a and one of b are loaded into local memory, then the next two.
__attribute__((reqd_work_group_size(TILE, TILE, 1)))
kernel void matmul(global const float *a, global const float *b,
                   global float *out, uint m, uint k, uint n)
{
    local float a_tile[TILE][TILE], b_tile[TILE][TILE];
    uint x = get_local_id(0), y = get_local_id(1);
    uint column = get_global_id(0), row = get_global_id(1);
    float sum = 0.0f, excess = 0.0f;
    for (uint start = 0; start < k; start += TILE) {
        uint across = start + x, down = start + y;
        a_tile[y][x] = row < m && across < k ? a[row * k + across] : 0.0f;
        b_tile[y][x] = down < k && column < n ? b[down * n + column] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        float part = 0.0f;
        for (uint i = 0; i < TILE; i++)
            part += a_tile[y][i] * b_tile[i][x];
        float given = part - excess, next = sum + given;
        excess = isinf(next) ? 0.0f : next - sum - given;
        sum = next;
        // Wait until every item has read this tile before loading the next.
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < m && column < n)
        out[row * n + column] = sum;
}

// (batch, rows, columns) -> (batch, columns, rows): a tile is read by rows and
// written by columns.
__attribute__((reqd_work_group_size(TILE, TILE, 1)))
kernel void transpose(global const float *a, global float *out,
                      uint rows, uint columns)
{
    local float tile[TILE][TILE + 1];
    uint x = get_local_id(0), y = get_local_id(1);
    uint across = get_group_id(0) * TILE, down = get_group_id(1) * TILE;
    uint matrix = get_group_id(2) * rows * columns;
    if (down + y < rows && across + x < columns)
        tile[y][x] = a[matrix + (down + y) * columns + across + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (across + y < columns && down + x < rows)
        out[matrix + (across + y) * rows + down + x] = tile[x][y];
}
// LEVELS 6-

#define ROW_GROUP 64

// A group of 64 items per row, and two trees: the maximum of the row, and the
// sum of the exponentials.
__attribute__((reqd_work_group_size(ROW_GROUP, 1, 1)))
kernel void softmax_log(global const float *a, global float *out,
                        uint columns)
{
    local float tree[ROW_GROUP];
    uint item = get_local_id(0);
    global const float *row = a + get_group_id(0) * columns;
    global float *out_row = out + get_group_id(0) * columns;

    float most = -INFINITY;
    for (uint column = item; column < columns; column += ROW_GROUP)
        most = fmax(most, row[column]);
    tree[item] = most;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint width = ROW_GROUP / 2; width > 0; width /= 2) {
        if (item < width)
            tree[item] = fmax(tree[item], tree[item + width]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    most = tree[0];
    // Wait until every item has read the first tree before reusing its cells.
    barrier(CLK_LOCAL_MEM_FENCE);

    float total = 0.0f;
    for (uint column = item; column < columns; column += ROW_GROUP)
        total += exp(row[column] - most);
    tree[item] = total;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint width = ROW_GROUP / 2; width > 0; width /= 2) {
        if (item < width)
            tree[item] += tree[item + width];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    // Subtract in two steps: a large score would absorb the logarithm.
    float log_total = log(tree[0]);
    for (uint column = item; column < columns; column += ROW_GROUP)
        out_row[column] = row[column] - most - log_total;
}

kernel void pick_labels(global const float *a, global const uint *labels,
                        global float *out, uint classes, uint rows)
{
    uint row = get_global_id(0);
    if (row < rows)
        out[row] = a[row * classes + labels[row]];
}

kernel void pick_backward(global const float *grad_out,
                          global const uint *labels, global float *grad_a,
                          uint classes, uint n)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint row = i / classes;
    grad_a[i] = i % classes == labels[row] ? grad_out[row] : 0.0f;
}
// END LEVELS
