"""The kernels of `experiments.py`, and the changes that it makes to those of
Part 2: pairs of old and new text."""

# Buffers are filled on the device; `mixed` in experiments.py is the host's side.
FILL = r"""
kernel void fill(global float *a, uint n, uint contents)
{
    uint i = get_global_id(0), x = i * 2654435761u;
    x = (x ^ x >> 15) * 2246822519u;
    x ^= x >> 13;
    if (i < n)
        a[i] = contents == 0 ? 0.0f
             : contents == 1 ? (float)((i ^ i >> 7) & 3)
             : contents == 2 ? (float)((int)(x % 129) - 64) / 64
             : 1.0f;
}
"""

SHUFFLE_WORDS = r"""
// ANCHOR: warp-sum
float from_below(float x, int distance)
{
    float y;
    asm volatile("shfl.sync.down.b32 %0, %1, %2, 0x1f, 0xffffffff;"
                 : "=f"(y) : "f"(x), "r"(distance));
    return y;
}
float warp_sum(float x)
{
    for (int distance = 16; distance > 0; distance /= 2)
        x += from_below(x, distance);
    return x;
}
// ANCHOR_END: warp-sum
"""

ATOMIC_WORDS = r"""
// Each adds a value and returns how many tries it took.
uint add_by_loop(volatile global float *total, float value)
{
    volatile global uint *bits = (volatile global uint *)total;
    uint current = atomic_or(bits, 0), expected, tries = 0;
    do {
        expected = current;
        current = atomic_cmpxchg(bits, expected,
                                 as_uint(as_float(expected) + value));
        tries++;
    } while (current != expected);
    return tries;
}
#if defined(NATIVE) || defined(RETURNING)
uint add_natively(volatile global float *total, float value)
{
#ifdef NATIVE
    // ANCHOR: native-add
    asm volatile("red.global.add.f32 [%0], %1;"
                 :: "l"((ulong)total), "f"(value) : "memory");
    // ANCHOR_END: native-add
    return 1;
#else
    float old;
    asm volatile("atom.global.add.f32 %0, [%1], %2;"
                 : "=f"(old) : "l"((ulong)total), "f"(value) : "memory");
    // The old value is used, so the item must wait for it.
    return old < 0 ? 2 : 1;
#endif
}
#endif
"""

# A sum whose items have LOADS loads in flight. Options: TYPE and its WIDE, a
# fold of the group (TREE, SHUFFLE, SUB_GROUP), an end (STORE, CAS, NATIVE).
SUM = r"""
#ifdef SUB_GROUP
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#endif
#define GROUP 256
#ifdef SHUFFLE
""" + SHUFFLE_WORDS + r"""
#endif
""" + ATOMIC_WORDS + r"""
float fold(float sum, local float *cells)
{
    uint item = get_local_id(0);
#ifdef TREE
    cells[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint width = GROUP / 2; width > 0; width /= 2) {
        if (item < width)
            cells[item] += cells[item + width];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return cells[0];
#endif
#ifdef SHUFFLE
    sum = warp_sum(sum);
    if (item % 32 == 0)
        cells[item / 32] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < 32)
        sum = warp_sum(item < GROUP / 32 ? cells[item] : 0.0f);
    return sum;
#endif
#ifdef SUB_GROUP
    sum = sub_group_reduce_add(sum);
    if (get_sub_group_local_id() == 0)
        cells[get_sub_group_id()] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = 0.0f;
    if (item == 0)
        for (uint i = 0; i < get_num_sub_groups(); i++)
            sum += cells[i];
    return sum;
#endif
}

// n is a multiple of LOADS * WIDE * the number of items.
__attribute__((reqd_work_group_size(GROUP, 1, 1)))
kernel void total(global const TYPE *a, global float *out, uint n)
{
    local float cells[GROUP];
    // ANCHOR: sum-loads
    uint step = get_global_size(0);
    TYPE sums[LOADS], loads[LOADS];
    #pragma unroll
    for (uint j = 0; j < LOADS; j++)
        sums[j] = (TYPE)(0.0f);
    for (uint i = get_global_id(0); i < n / WIDE; i += LOADS * step) {
        #pragma unroll
        for (uint j = 0; j < LOADS; j++)
            loads[j] = a[i + j * step];
        #pragma unroll
        for (uint j = 0; j < LOADS; j++)
            sums[j] += loads[j];
    }
    // ANCHOR_END: sum-loads
    #pragma unroll
    for (uint j = 1; j < LOADS; j++)
        sums[0] += sums[j];
#if WIDE == 4
    float sum = fold(sums[0].x + sums[0].y + sums[0].z + sums[0].w, cells);
#else
    float sum = fold(sums[0], cells);
#endif
    if (get_local_id(0) == 0) {
#ifdef STORE
        out[get_group_id(0)] = sum;
#endif
#ifdef CAS
        add_by_loop(out, sum);
#endif
#ifdef NATIVE
        add_natively(out, sum);
#endif
    }
}
"""

# An item multiplies LOADS pairs, and loads all of them before the first use.
MULTIPLY = r"""
kernel void multiply(global const float *a, global const float *b,
                     global float *out, uint n)
{
    uint size = get_local_size(0);
    uint first = get_group_id(0) * size * LOADS + get_local_id(0);
    float x[LOADS], y[LOADS];
    #pragma unroll
    for (uint j = 0; j < LOADS; j++) {
        x[j] = a[first + j * size];
        y[j] = b[first + j * size];
    }
    #pragma unroll
    for (uint j = 0; j < LOADS; j++)
        out[first + j * size] = x[j] * y[j];
}
"""

# One item follows a chain: each step needs the result of the one before.
LATENCY = r"""
kernel void link(global uint *next, uint count, uint stride)
{
    uint i = get_global_id(0);
    if (i < count)
        next[i] = (i + stride) % count;
}
// Continues where the launch before ended, so a long chain never repeats soon.
kernel void chase(global const uint *next, global uint *place, uint steps)
{
    uint at = place[0];
    for (uint i = 0; i < steps; i++)
        at = next[at];
    place[0] = at;
}
kernel void chase_local(global const uint *unused, global uint *place, uint steps)
{
    local uint next[1024];
    uint at = place[0];
    for (uint i = 0; i < 1024; i++)
        next[i] = (i + 33) % 1024;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < steps; i++)
        at = next[at % 1024];
    place[0] = at;
}
kernel void chain_fma(global const float *unused, global float *place, uint steps)
{
    float x = place[0], y = x + 0.5f;
    #pragma unroll 32
    for (uint i = 0; i < steps; i++)
        x = fma(x, y, y);
    place[0] = x == 12345.0f ? 1.0f : 0.0f;
}
"""

ROOF = r"""
// 32 multiply-adds in each pass, 8 of which do not wait for one another.
kernel void only_fma(global const float *a, global float *out, uint passes)
{
    float x[8], y = a[1], z = a[2];
    #pragma unroll
    for (uint j = 0; j < 8; j++)
        x[j] = j;
    for (uint i = 0; i < passes; i++)
        #pragma unroll
        for (uint j = 0; j < 32; j++)
            x[j % 8] = fma(x[j % 8], y, z);
    float sum = 0.0f;
    #pragma unroll
    for (uint j = 0; j < 8; j++)
        sum += x[j];
    out[get_global_id(0)] = sum;
}
// Each group reads `span` float4s, a power of two, `passes` times; its first
// is `base` times its number, and it begins `start` times its number later.
kernel void reread(global const float4 *a, global float *out, uint span,
                   uint start, uint base, uint passes)
{
    uint group = get_group_id(0), size = get_local_size(0), mask = span - 1;
    uint first = group * start + get_local_id(0);
    global const float4 *from = a + group * base;
    float4 sums[4] = {(float4)(0.0f), (float4)(0.0f), (float4)(0.0f), (float4)(0.0f)};
    for (uint i = 0; i < passes * span; i += 4 * size)
        #pragma unroll
        for (uint j = 0; j < 4; j++)
            sums[j] += from[(first + i + j * size) & mask];
    float4 sum = sums[0] + sums[1] + sums[2] + sums[3];
    out[get_global_id(0)] = sum.x + sum.y + sum.z + sum.w;
}
"""

ERRORS = r"""
kernel void speaks(global float *a)
{
    printf("item %u says %.2f\n", (uint)get_global_id(0), 0.25f);
}
kernel void strays(global float *a, ulong far)
{
    a[far] = 1.0f;
}
"""

SMALL = ATOMIC_WORDS + r"""
kernel void nothing(global float *a)
{
}
// Every group adds `times` ones, to cells that are `apart` from one another.
kernel void adds(global float *cells, global uint *tries, uint apart, uint times)
{
    global float *cell = cells + get_group_id(0) * apart;
    uint tried = 0;
    for (uint i = 0; i < times; i++) {
#if defined(NATIVE) || defined(RETURNING)
        tried += add_natively(cell, 1.0f);
#elif defined(INTEGER)
        atomic_add((volatile global uint *)cell, 1u);
        tried++;
#else
        tried += add_by_loop(cell, 1.0f);
#endif
    }
    tries[get_group_id(0)] = tried;
}
"""

# reduce_packed with a spare cell after every 32, which removes its conflicts.
PADDED = [
    ("local float tree[GROUP];", "local float tree[GROUP + GROUP / 32];"),
    ("tree[item] = i < n", "tree[item + item / 32] = i < n"),
    ("tree[index] += tree[index + width];",
     "tree[index + index / 32] +=\n"
     "                tree[index + width + (index + width) / 32];"),
]

# The tree of matvec_teams as an exchange between registers. A team is a warp.
WARPS = [
    ("#define TEAM 32", SHUFFLE_WORDS + "#define TEAM 32"),
    ("    local float sums[TEAMS][TEAM];\n", ""),
    ("    sums[team][item] = sum;\n", ""),
    ("    for (uint width = TEAM / 2; width > 0; width /= 2) {\n"
     "        barrier(CLK_LOCAL_MEM_FENCE);\n"
     "        if (item < width)\n"
     "            sums[team][item] += sums[team][item + width];\n"
     "    }\n", "    sum = warp_sum(sum);\n"),
    ("sums[team][0]", "sum"),
]

# The groups of rung 8 go down strips of STRIP tiles. (0 means row by row.)
SWIZZLED = [
    ("uint top = get_group_id(1) * TILE, left = get_group_id(0) * TILE;",
     "uint across = get_num_groups(0), down = get_num_groups(1);\n"
     "    uint number = get_group_id(1) * across + get_group_id(0);\n"
     "    uint first = number / (STRIP * down) * STRIP;\n"
     "    uint width = min((uint)STRIP, across - first);\n"
     "    uint within = number - first * down;\n"
     "    uint left = (first + within % width) * TILE;\n"
     "    uint top = within / width * TILE;"),
]

# Rung 3 with OpenCL's asynchronous copies, for whole tiles.
ASYNC = [
    ("        a_tile[y][x] = row < m && across < k ? a[row * k + across] : 0.0f;\n"
     "        b_tile[y][x] = down < k && column < n ? b[down * n + column] : 0.0f;\n"
     "        barrier(CLK_LOCAL_MEM_FENCE);\n",
     "        event_t done = 0;\n"
     "        for (uint i = 0; i < TILE; i++) {\n"
     "            done = async_work_group_copy(\n"
     "                a_tile[i], a + (row - y + i) * k + start, TILE, done);\n"
     "            done = async_work_group_copy(\n"
     "                b_tile[i], b + (start + i) * n + column - x, TILE, done);\n"
     "        }\n"
     "        wait_group_events(1, &done);\n"),
]

# Rung 7 with tiles of 64 x 64 and 64 items, each with the same 8 x 8 sums.
TILES_OF_64 = [
    ("#define TILE 128", "#define TILE 64"),
    ("#define ACROSS 16", "#define ACROSS 8"),
    ("#define DOWN 16", "#define DOWN 8"),
]


def with_pointers(text):
    """Rung 2 with pointers that are moved instead of indices."""
    old = ("        for (uint i = 0; i < k; i++)\n"
           "            sum += a[row * k + i] * b[i * n + column];\n")
    assert text.count(old) == 1
    return text.replace(old, (
        "        global const float *x = a + row * k, *end = x + k;\n"
        "        global const float *y = b + column;\n"
        "        for (; x != end; x++, y += n)\n"
        "            sum += *x * *y;\n"))


def with_restrict(text):
    return text.replace("float *", "float *restrict ")


# Rung 2 with other types of indices.
INDICES = {
    "uint": lambda text: text,
    "int": lambda text: text.replace("uint ", "int "),
    "size_t": lambda text: text.replace("uint column", "size_t column").replace(
        "uint row", "size_t row").replace("uint i ", "size_t i "),
    "pointers": with_pointers,
    "uint, restrict": with_restrict,
}
