// quarter_turn: neighbors read neighbors, and write neighbors.
//
// WHAT   Turn a picture to the right: a (rows, columns) -> out (columns, rows).
//        What stood in the left column stands in the top row afterwards, from
//        the bottom up: `out[c][rows - 1 - r]` is `a[r][c]`.
// WHY    A row becomes a column, so one of the two is scattered over memory. A
//        group of 16 x 16 items can turn a tile in local memory instead, and
//        then neighbors read side by side and write side by side.
// MIND   Local memory has banks: 16 cells that lie 16 apart are in two of them.
//        The picture may end within a tile.
// READ   The matmul ladder
// CHECK  cargo learn check quarter_turn

#define TILE 16

kernel void quarter_turn(global const float *a, global float *out, uint rows,
                         uint columns)
{
    uint x = get_local_id(0), y = get_local_id(1);
    uint across = get_group_id(0) * TILE, down = get_group_id(1) * TILE;
    // HOLE
    //| /* TODO(quarter_turn): a tile, filled by rows, read by columns */
    local float tile[TILE][TILE + 1];
    if (down + y < rows && across + x < columns)
        tile[y][x] = a[(down + y) * columns + across + x];
    barrier(CLK_LOCAL_MEM_FENCE);

    if (across + y < columns && down + x < rows)
        out[(across + y) * rows + rows - 1 - (down + x)] = tile[x][y];
    // END HOLE
}
