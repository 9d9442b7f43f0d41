// Copies the lines of a matrix so that k is contiguous, padded with zeros to a
// length of `room`: a (lines, k) through two strides -> out (lines, room). A
// group copies tiles, which it fills along the contiguous axis of a and reads
// along k.

#define SIDE 32
#define DOWN 8

__attribute__((reqd_work_group_size(SIDE, DOWN, 1)))
kernel void copy_lines(global const T *a, uint offset, int8 to, global OUT *out,
                       uint lines, uint k, uint room)
{
    local ACC tile[SIDE][SIDE + 1];
    uint u = get_local_id(0), v = get_local_id(1);
    uint left = get_group_id(0) * SIDE;
    int line_step = to.s2, step = to.s5;
    for (uint top = get_group_id(1) * SIDE; top < lines;
         top += get_num_groups(1) * SIDE) {
        for (uint i = v; i < SIDE; i += DOWN) {
            uint y = line_step == 1 ? u : i, x = line_step == 1 ? i : u;
            bool inside = top + y < lines && left + x < k;
            tile[y][x] = inside
                ? LOAD(a, (int)offset + (int)(top + y) * line_step
                              + (int)(left + x) * step)
                : 0.0f;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = v; i < SIDE; i += DOWN)
            if (top + i < lines && left + u < room)
                STORE(out, (ulong)(top + i) * room + left + u, tile[i][u]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
