// quarter_turn: adjacent reads and adjacent writes.
//
// WHAT   Rotate a picture to the right: a (rows, columns) -> out (columns,
//        rows). The left column becomes the top row, read from the bottom up:
//        `out[c][rows - 1 - r]` is `a[r][c]`.
// WHY    A row becomes a column, so either the reads or the writes are
//        scattered over memory. Instead, a group of 16 x 16 items can rotate a
//        tile in local memory, so that adjacent items both read and write
//        adjacent elements.
// MIND   Local memory has 32 banks: 16 cells whose addresses are 16 apart fall
//        into only two of them. The picture may end within a tile.
// READ   The last half
// CHECK  cargo learn check quarter_turn

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
        out[(across + y) * rows + rows - 1 - (down + x)] = tile[x][y];
    // END HOLE
}
