// quarter_turn, again: to the left.
//
// WHAT   Rotate a picture to the left: a (rows, columns) -> out (columns,
//        rows). The right column becomes the top row, read from the top down:
//        `out[columns - 1 - c][r]` is `a[r][c]`.
// MIND   Local memory has 32 banks: 16 cells whose addresses are 16 apart fall
//        into only two of them. The picture may end within a tile.
// READ   The last half
// CHECK  cargo learn again quarter_turn

#define TILE 16

kernel void quarter_turn(global const float *a, global float *out, uint rows,
                         uint columns)
{
    uint x = get_local_id(0), y = get_local_id(1);
    uint across = get_group_id(0) * TILE, down = get_group_id(1) * TILE;
    // HOLE
    //| /* TODO(quarter_turn): fill a tile by rows, read it by columns */
    local float tile[TILE][TILE + 1];
    if (down + y < rows && across + x < columns)
        tile[y][x] = a[(down + y) * columns + across + x];
    barrier(CLK_LOCAL_MEM_FENCE);

    if (across + y < columns && down + x < rows)
        out[(columns - 1 - (across + y)) * rows + down + x] = tile[x][y];
    // END HOLE
}
