// Right numbers, and a column of the tile lies in two banks.

#define TILE 16

kernel void quarter_turn(global const float *a, global float *out, uint rows,
                         uint columns)
{
    uint x = get_local_id(0), y = get_local_id(1);
    uint across = get_group_id(0) * TILE, down = get_group_id(1) * TILE;
    local float tile[TILE][TILE];
    if (down + y < rows && across + x < columns)
        tile[y][x] = a[(down + y) * columns + across + x];
    barrier(CLK_LOCAL_MEM_FENCE);

    if (across + y < columns && down + x < rows)
        out[(across + y) * rows + rows - 1 - (down + x)] = tile[x][y];
}
