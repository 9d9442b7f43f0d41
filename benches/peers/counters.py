"""What a card's counters say of the kernels of "Neighbors" and "The
matmul ladder".

    python3 benches/peers/counters.py matvec
    python3 benches/peers/counters.py matmul

NVIDIA's profiler reads CUDA kernels and no others. So each kernel is compiled
once more from the same text, with OpenCL's words replaced by CUDA's, and its
twin runs once under `ncu`. The two compilers are not the same: a twin that
takes another time than its kernel is not worth much, so the table has times.

What the columns count: bytes read from the card's memory; how often a piece
was in the cache of its unit; how often that cache had to answer (wavefronts),
and how many of these answers were owed to clashes in its banks (bank
conflicts); instructions, how many of them go through the unit that multiplies,
which integer products of indices do too, and how many load from local memory;
how many slots for an instruction were used; and how many of the
warps that have a place in a unit were there (occupancy).

Needs an NVIDIA card, CuPy, and `ncu` with the right to read counters.
"""

import csv
import io
import re
import subprocess
import sys
from pathlib import Path

KERNELS = Path(__file__).parents[2] / "kernels/part2"
HEADER = """
typedef unsigned int uint;
#define DEVICE static __device__ __forceinline__
DEVICE uint part(dim3 d, int i) { return i == 0 ? d.x : i == 1 ? d.y : d.z; }
#define get_local_id(i) part(threadIdx, i)
#define get_group_id(i) part(blockIdx, i)
#define get_local_size(i) part(blockDim, i)
#define get_num_groups(i) part(gridDim, i)
#define get_global_id(i) (get_group_id(i) * get_local_size(i) + get_local_id(i))
#define get_global_size(i) (get_num_groups(i) * get_local_size(i))
#define CLK_LOCAL_MEM_FENCE
#define CLK_GLOBAL_MEM_FENCE
#define mem_fence(flags) __threadfence()
#define atomic_inc(place) atomicAdd(place, 1u)
#define atomic_or atomicOr
#define atomic_xchg atomicExch
#define atomic_cmpxchg atomicCAS
#define as_uint __float_as_uint
#define as_float __uint_as_float
#define barrier(flags) __syncthreads()
DEVICE float4 fours(float x) { return make_float4(x, x, x, x); }
DEVICE float4 fours(float x, float y, float z, float w)
{ return make_float4(x, y, z, w); }
DEVICE float4 operator*(float s, float4 a)
{ return make_float4(s * a.x, s * a.y, s * a.z, s * a.w); }
DEVICE void operator+=(float4 &a, float4 b)
{ a.x += b.x; a.y += b.y; a.z += b.z; a.w += b.w; }
"""
# Kernel, items of a group, elements of the result that a group computes, and
# the sizes: rows and columns of a matrix, or the side of three.
MATVEC = [
    ("matvec_rows", (256, 1), (256, 1), [(16384, 4096), (65536, 1024)]),
    ("matvec_rows", (256, 1), (256, 1), [(131072, 1024), (131072, 1025)]),
    ("matvec_teams", (32, 8), (1, 8), [(16384, 4096), (131072, 1024)]),
]
MATMUL = [
    ("matmul1_naive", (16, 16), (16, 16), [4096, 4097]),
    ("matmul2_coalesced", (16, 16), (16, 16), [4096, 4097]),
    ("matmul5_block", (16, 16), (128, 128), [4096]),
    ("matmul6_vector", (256, 1), (128, 128), [4096]),
]
# A column: the counter, what it is divided by, and its digits.
INSTRUCTIONS = "smsp__inst_executed.sum"
TIME = {"ms": ("gpu__time_duration.sum", 1e6, 3)}
MEMORY = {
    "GB read": ("dram__bytes_read.sum", 1e9, 2),
    "answers": ("l1tex__data_pipe_lsu_wavefronts.sum", 1, "e"),
}
CACHE = {
    "hits %": ("l1tex__t_sector_hit_rate.pct", 1, 1),
    "clashes": ("l1tex__data_bank_conflicts_pipe_lsu.sum", 1, "e"),
}
ISSUE = {
    "instr.": (INSTRUCTIONS, 1, "e"),
    "fma %": ("smsp__inst_executed_pipe_fma.sum", INSTRUCTIONS, 0),
    "local %": ("smsp__inst_executed_op_shared_ld.sum", INSTRUCTIONS, 0),
    "issued": ("smsp__issue_active.avg.pct_of_peak_sustained_active", 1, 0),
}
PLACES = {
    "home %": ("sm__warps_active.avg.pct_of_peak_sustained_active", 1, 0),
}
WORKS = {
    "matvec": (MATVEC, TIME | MEMORY | CACHE | PLACES),
    "matmul": (MATMUL, TIME | CACHE | ISSUE),
}


def twin(kernel, group, text=None):
    """The text of a kernel, or the one that is given, in CUDA's words."""
    text = text or (KERNELS / f"{kernel}.cl").read_text()
    size = r"__attribute__\(\(reqd_work_group_size\(.*\)\)\)\n"
    bound = f"__launch_bounds__({group[0] * group[1]}) " * bool(
        re.search(size, text))
    text = re.sub(size, "", text)
    text = re.sub(
        r"(?m)^kernel void", f'extern "C" __global__ {bound}void', text)
    text = re.sub(r"(?m)^void", "DEVICE void", text)
    text = re.sub(r"(?m)^(\s+)local ([^=\n]*;)$", r"\1__shared__ \2", text)
    text = re.sub(r"\bvolatile (?=global)", "", text)
    text = re.sub(r"\b(global|local) (?=const|float|uint)", "", text)
    return HEADER + text.replace("(float4)(", "fours(")


def run_twins(runs):
    import cupy

    for kernel, group, tile, sizes in runs:
        module = cupy.RawModule(code=twin(kernel, group), options=("-std=c++17",))
        function = module.get_function(kernel)
        for size in sizes:
            if isinstance(size, tuple):
                (m, k), n = size, 1
                right = cupy.random.rand(k, dtype=cupy.float32)
                shape, ends = (m,), (m, k)
                extent = (m, 1) if group[1] == 1 else (1, m)
            else:
                m = k = n = size
                right = cupy.random.rand(k, n, dtype=cupy.float32)
                shape, ends = (m, n), (m, k, n)
                extent = (m, n) if kernel == "matmul1_naive" else (n, m)
            left = cupy.random.rand(m, k, dtype=cupy.float32)
            out = cupy.zeros(shape, dtype=cupy.float32)
            grid = tuple(-(-e // t) for e, t in zip(extent, tile))
            ends = tuple(cupy.uint32(end) for end in ends)
            function(grid, group, (left, right, out, *ends))
            error = abs(out - left @ right).max() / abs(out).max()
            assert error < 1e-4, f"{kernel} {size}: off by {error}"


def main():
    work = next((word for word in WORKS if word in sys.argv), None)
    if work is None:
        sys.exit("Say what to count: counters.py matvec, or matmul.")
    runs, columns = WORKS[work]
    if "--twins" in sys.argv:
        return run_twins(runs)
    metrics = ",".join({name for name, _, _ in columns.values()})
    names = "|".join(sorted({kernel for kernel, *_ in runs}))
    report = subprocess.run(
        ["ncu", "--csv", "--print-units", "base", "--clock-control", "none",
         "--kernel-name", f"regex:^({names})$", "--metrics", metrics,
         sys.executable, __file__, work, "--twins"],
        stdout=subprocess.PIPE, text=True)
    if report.returncode != 0:
        sys.exit(report.stdout[-2000:])
    table = report.stdout[report.stdout.index('"ID"'):]
    rows = {}
    for row in csv.DictReader(io.StringIO(table)):
        value = float(row["Metric Value"].replace(",", ""))
        rows.setdefault(int(row["ID"]), {})[row["Metric Name"]] = value
    card = subprocess.run(
        ["nvidia-smi", "--query-gpu=name,driver_version",
         "--format=csv,noheader"], stdout=subprocess.PIPE, text=True)
    print("device ", card.stdout.strip().replace(", ", ", driver "))
    sizes = [(kernel, size) for kernel, _, _, all in runs for size in all]
    width = 11 if work == "matvec" else 4
    print(f"{'kernel':<17} {'size':>{width}}",
          *(f"{column:>7}" for column in columns))
    for (kernel, size), row in zip(sizes, rows.values(), strict=True):
        cells = []
        for name, unit, digits in columns.values():
            value = row[name]
            value *= 100 / row[unit] if unit == INSTRUCTIONS else 1 / unit
            cells.append(f"{value:7.1e}" if digits == "e"
                         else f"{value:7.{digits}f}")
        size = "x".join(map(str, size)) if isinstance(size, tuple) else size
        print(f"{kernel:<17} {size:>{width}}", *cells)


if __name__ == "__main__":
    main()
