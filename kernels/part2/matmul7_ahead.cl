// Matrix multiplication: a (m, k) x b (k, n) -> out (m, n). One work-item per
// 8 x 8 elements of the result; a group computes a square tile of it.
//
// While a group computes with one pair of tiles, the next pair is being
// loaded: the loads are issued before the arithmetic, and their results are
// not used until it is done. The registers act as the second buffer (double
// buffering).

// TILE is the side of the tile of the result and DEPTH its size along k.
// ACROSS and DOWN are the horizontal and vertical number of items of a group.
// The others count float4s: TILE4 is the side of the tile, WIDE x TALL what an
// item computes (TALL in units of 4 rows), LOADS what an item loads of each
// tile. A row of the tile of a is padded by one float4, so that the elements
// of a column are spread over the banks of local memory.
// ANCHOR: shape
#define TILE 128
#define DEPTH 16
#define ACROSS 16
#define DOWN 16
#define TILE4 (TILE / 4)
#define WIDE (TILE4 / ACROSS)
#define TALL (TILE4 / DOWN)
#define LOADS (DEPTH * TILE4 / (ACROSS * DOWN))
#define ROW (TILE4 + 1)
// ANCHOR_END: shape

// Loads the float4s of one item: those at a row and a column, and those every
// `step` rows below. Past the edges they are zero. If the row length is not a
// multiple of 4, a float4 may begin at any address and is loaded as scalars.
void fetch(float4 *loads, global const float *matrix, uint rows, uint columns,
           uint row, uint column, uint step, bool aligned)
{
    #pragma unroll
    for (uint i = 0; i < LOADS; i++) {
        bool inside = row + i * step < rows && column < columns;
        uint first = (row + i * step) * columns + column;
        global const float *from = matrix + first;
        uint count = inside ? columns - column : 0;
        if (aligned)
            loads[i] = inside ? *(global const float4 *)from : (float4)(0.0f);
        else
            loads[i] = (float4)(count > 0 ? from[0] : 0.0f,
                                count > 1 ? from[1] : 0.0f,
                                count > 2 ? from[2] : 0.0f,
                                count > 3 ? from[3] : 0.0f);
    }
}

// Writes the part of a float4 that is within the result.
void put(float4 value, global float *out, uint m, uint n, uint row,
         uint column, bool aligned)
{
    if (row >= m || column >= n)
        return;
    global float *to = out + row * n + column;
    if (aligned) {
        *(global float4 *)to = value;
        return;
    }
    to[0] = value.x;
    if (column + 1 < n)
        to[1] = value.y;
    if (column + 2 < n)
        to[2] = value.z;
    if (column + 3 < n)
        to[3] = value.w;
}

void product(global const float *a, global const float *b, global float *out,
             uint m, uint k, uint n, local float4 (*a_tile)[ROW],
             local float4 (*b_tile)[TILE4], bool aligned)
{
    uint top = get_group_id(1) * TILE, left = get_group_id(0) * TILE;
    // The items have three layouts: over the result, over the tile of a, whose
    // rows are 4 float4s long, and over the tile of b, whose rows are 32 long.
    uint item = get_local_id(0);
    uint x = item % ACROSS, y = item / ACROSS;
    uint a_y = item / (DEPTH / 4), a_x = item % (DEPTH / 4) * 4;
    uint b_y = item / TILE4, b_x = item % TILE4;

    float4 a_loads[LOADS], b_loads[LOADS], sum[TALL * 4][WIDE];
    #pragma unroll
    for (uint i = 0; i < TALL * 4; i++)
        #pragma unroll
        for (uint j = 0; j < WIDE; j++)
            sum[i][j] = (float4)(0.0f);

    // ANCHOR: steps
    fetch(a_loads, a, m, k, top + a_y, a_x, TILE / LOADS, aligned);
    fetch(b_loads, b, k, n, b_y, left + b_x * 4, DEPTH / LOADS, aligned);
    for (uint start = 0; start < k; start += DEPTH) {
        #pragma unroll
        for (uint i = 0; i < LOADS; i++) {
            local float *column = (local float *)a_tile[a_x];
            column += a_y + i * (TILE / LOADS);
            column[0] = a_loads[i].x;
            column[ROW * 4] = a_loads[i].y;
            column[ROW * 8] = a_loads[i].z;
            column[ROW * 12] = a_loads[i].w;
            b_tile[b_y + i * (DEPTH / LOADS)][b_x] = b_loads[i];
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        // After the last tiles this loads zeros, which are never used.
        uint next = start + DEPTH;
        fetch(a_loads, a, m, k, top + a_y, next + a_x, TILE / LOADS, aligned);
        fetch(b_loads, b, k, n, next + b_y, left + b_x * 4, DEPTH / LOADS,
              aligned);
        // ANCHOR_END: steps

        #pragma unroll
        for (uint d = 0; d < DEPTH; d++) {
            float4 a_block[TALL], b_block[WIDE];
            #pragma unroll
            for (uint i = 0; i < TALL; i++)
                a_block[i] = a_tile[d][y + i * DOWN];
            #pragma unroll
            for (uint j = 0; j < WIDE; j++)
                b_block[j] = b_tile[d][x + j * ACROSS];
            const float *a_values = (const float *)a_block;
            #pragma unroll
            for (uint i = 0; i < TALL * 4; i++)
                #pragma unroll
                for (uint j = 0; j < WIDE; j++)
                    sum[i][j] += a_values[i] * b_block[j];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    #pragma unroll
    for (uint i = 0; i < TALL * 4; i++)
        #pragma unroll
        for (uint j = 0; j < WIDE; j++) {
            uint row = top + (y + i / 4 * DOWN) * 4 + i % 4;
            uint column = left + (x + j * ACROSS) * 4;
            put(sum[i][j], out, m, n, row, column, aligned);
        }
}

__attribute__((reqd_work_group_size(ACROSS * DOWN, 1, 1)))
kernel void matmul7_ahead(global const float *a, global const float *b,
                          global float *out, uint m, uint k, uint n)
{
    local float4 a_tile[DEPTH][ROW];
    local float4 b_tile[DEPTH][TILE4];
    // The alignment is tested here instead of at each float4, so that the
    // compiler makes two loops without that branch.
    if (k % 4 == 0 && n % 4 == 0)
        product(a, b, out, m, k, n, a_tile, b_tile, true);
    else
        product(a, b, out, m, k, n, a_tile, b_tile, false);
}
