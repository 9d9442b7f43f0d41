"""What a card's counters say of the six sums of "Reductions and barriers".

    python3 benches/peers/reductions.py            counters, on NVIDIA
    python3 benches/peers/reductions.py --compile  only compiles the twins

NVIDIA's profiler reads CUDA kernels and no others, so each kernel is compiled
once more from the same text, as `counters.py` does it, and its twin runs once
under `ncu`, over 268,435,456 numbers. So does PyTorch's sum, where it is.

The columns: milliseconds; bytes read from the card's memory; instructions for
each number, as an item executes them; how many of the 32 items of a warp an
instruction was given to, its own condition apart; how often the banks of local
memory clashed, for each 1000 numbers; of 100 slots for an instruction how many
were used; of 100 waits of a warp how many were at a barrier, and how many for
global memory. Of a sum of several launches the first is counted.

Needs an NVIDIA card, CuPy, and `ncu` with the right to read counters.
"""

import csv
import io
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from counters import twin  # noqa: E402

NUMBERS = 1 << 28
GROUP = (256, 1)
ONE, MANY = NUMBERS // 256, 1024
# Kernel, groups, and what it writes beside its numbers.
RUNS = [
    ("reduce_interleaved", ONE, [ONE]),
    ("reduce_packed", ONE, [ONE]),
    ("reduce_sum", ONE, [ONE]),
    ("reduce_coarse", MANY, [MANY]),
    ("reduce_atomic", MANY, [1]),
    ("reduce_last", MANY, [MANY, 1, 1]),
]
TIME = "gpu__time_duration.sum"
BYTES = "dram__bytes_read.sum"
INSTRUCTIONS = "smsp__inst_executed.sum"
ITEMS = "smsp__thread_inst_executed_per_inst_executed.ratio"
BANKS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{}.sum"
CLASHES = [BANKS.format(kind) for kind in ("ld", "st")]
ISSUED = "smsp__issue_active.avg.pct_of_peak_sustained_active"
WAITS = "smsp__average_warp_latency_per_inst_issued.ratio"
STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
BARRIER, GLOBAL = STALL.format("barrier"), STALL.format("long_scoreboard")
# A column, its digits, and what of the readings stands in it.
COLUMNS = [
    ("ms", 3, lambda row: row[TIME] * 1e-6),
    ("GB read", 2, lambda row: row[BYTES] * 1e-9),
    ("instr.", 1, lambda row: 32 * row[INSTRUCTIONS] / NUMBERS),
    ("items", 1, lambda row: row[ITEMS]),
    ("clashes", 1,
     lambda row: 1000 * sum(row[name] for name in CLASHES) / NUMBERS),
    ("issued", 0, lambda row: row[ISSUED]),
    ("barrier", 0, lambda row: 100 * row[BARRIER] / row[WAITS]),
    ("memory", 0, lambda row: 100 * row[GLOBAL] / row[WAITS]),
]
METRICS = [TIME, BYTES, INSTRUCTIONS, ITEMS, *CLASHES, ISSUED, WAITS, BARRIER,
           GLOBAL]


def run_twins():
    import cupy

    # Small whole numbers, of which every sum is exact.
    numbers = (cupy.arange(NUMBERS, dtype=cupy.int32) % 5 - 2)
    numbers = numbers.astype(cupy.float32)
    for kernel, groups, written in RUNS:
        module = cupy.RawModule(code=twin(kernel, GROUP),
                                options=("-std=c++17",))
        outs = [cupy.zeros(size, dtype=cupy.float32) for size in written]
        module.get_function(kernel)(
            (groups,), GROUP, (numbers, *outs, cupy.uint32(NUMBERS)))
        # The total stands second where there are several.
        found = outs[1] if len(outs) > 1 else outs[0]
        off = abs(float(found.sum()) - float(numbers.sum(dtype=cupy.float64)))
        assert off == 0, f"{kernel} is off by {off}"
    try:
        import torch
    except ImportError:
        return
    torch.from_dlpack(numbers).sum()
    torch.cuda.synchronize()


def main():
    if "--twins" in sys.argv:
        return run_twins()
    if "--compile" in sys.argv:
        sys.path.insert(0, str(Path(__file__).parents[2] / "profile"))
        from card import compiled, library

        for kernel, *_ in RUNS:
            code = compiled(library("nvrtc"), kernel, GROUP, "sm_90", [])
            print(kernel, len(code))
        return
    # The last is PyTorch's, for any reduction.
    names = "|".join([kernel for kernel, *_ in RUNS] + ["reduce_kernel"])
    report = subprocess.run(
        ["ncu", "--csv", "--print-units", "base", "--clock-control", "none",
         "--kernel-name", f"regex:^({names})$", "--metrics", ",".join(METRICS),
         sys.executable, __file__, "--twins"],
        stdout=subprocess.PIPE, text=True)
    start = report.stdout.find('"ID"')
    if report.returncode != 0 or start < 0:
        sys.exit(report.stdout[-2000:])
    rows, kernels = {}, {}
    for row in csv.DictReader(io.StringIO(report.stdout[start:])):
        value = float(row["Metric Value"].replace(",", ""))
        rows.setdefault(int(row["ID"]), {})[row["Metric Name"]] = value
        kernels[int(row["ID"])] = row["Kernel Name"]
    card = subprocess.run(
        ["nvidia-smi", "--query-gpu=name,driver_version",
         "--format=csv,noheader"], stdout=subprocess.PIPE, text=True)
    print("device ", card.stdout.strip().replace(", ", ", driver "))
    print(f"{'kernel':<18}", *(f"{name:>5}" for name, *_ in COLUMNS))
    for id, row in rows.items():
        cells = (f"{of(row):{max(5, len(name))}.{digits}f}"
                 for name, digits, of in COLUMNS)
        kernel = kernels[id]
        name = "PyTorch" if "reduce_kernel" in kernel else kernel.split("(")[0]
        print(f"{name:<18}", *cells)


if __name__ == "__main__":
    main()
