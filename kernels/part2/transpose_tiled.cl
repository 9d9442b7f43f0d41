// Transposes each matrix of a batch: a (batch, rows, columns) -> out (batch,
// columns, rows).
//
// A plain copy reads along rows and writes along columns, so either its reads
// or its writes are scattered. Here a group reads a tile along the rows of a,
// keeps it in local memory, and writes it along the rows of out.

#define TILE 16

// ANCHOR: transpose
__attribute__((reqd_work_group_size(TILE, TILE, 1)))
kernel void transpose_tiled(global const float *a, global float *out,
                            uint rows, uint columns)
{
    // Local memory is divided into banks, and a bank serves one item at a
    // time. Without padding, a column of the tile would fall into one or two
    // banks; the extra element at the end of each row spreads it over all.
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
// ANCHOR_END: transpose
