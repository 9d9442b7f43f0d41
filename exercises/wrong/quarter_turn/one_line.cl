// Right numbers, and each item writes far from its neighbors, all in one line.

#define TILE 16

kernel void quarter_turn(global const float *a, global float *out, uint rows,
                         uint columns)
{
    uint x = get_local_id(0), y = get_local_id(1);
    uint across = get_group_id(0) * TILE, down = get_group_id(1) * TILE;
    uint row = down + y, column = across + x;
    if (row < rows && column < columns) out[column * rows + rows - 1 - row] = a[row * columns + column];
}
