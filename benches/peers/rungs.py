"""What each change on the matmul ladder is worth: the rungs at 4096, and between
them rungs with one change taken back or made early.

    python3 benches/peers/rungs.py             times and counters, on NVIDIA
    python3 benches/peers/rungs.py --waits     what the warps wait for
    python3 benches/peers/rungs.py --times     times alone, on any device
    python3 benches/peers/rungs.py --check     small sizes, every sum compared

A change is a few words of a rung's text, replaced. The text runs twice: as it
is, by OpenCL, where an event says how long it took; and as its twin in CUDA,
under NVIDIA's profiler, as `counters.py` does it, where the counters come from.

The columns: milliseconds of the kernel and of its twin; instructions for each
product; how many of 100 go through the unit that multiplies, which integer
products of indices do too, and how many load from local memory; of 100 slots
for an instruction how many were used; of 100 places for warps how many were
taken; how often the banks of a unit's memory clashed, for each 1000 products;
and the registers of an item. With --waits: of 100 moments of a warp how many it
spends waiting for global memory, for local memory, at a barrier, for a free
place in the queue of memory, for its turn or the arithmetic, and the others.

The counters need CuPy, and `ncu` with the right to read them.
"""

import csv
import ctypes
import io
import random
import statistics
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from counters import KERNELS, twin  # noqa: E402

SIZE = 4096
# Rung 5 with its tile of a on its side, and rows of so many numbers.
ON_ITS_SIDE = [
    ("a_tile[TILE][DEPTH]", "a_tile[DEPTH][{row}]"),
    ("a_tile[a_y][a_x] =", "a_tile[a_x][a_y] ="),
    ("a_tile[y + i * SIDE][d]", "a_tile[d][y + i * SIDE]"),
]
DEEP = "for (uint d = 0; d < DEPTH; d++) {"
# Name, rung, items of a group, the side of its tile, and what is replaced.
RUNS = [
    ("1", "matmul1_naive", (16, 16), 16, []),
    ("2", "matmul2_coalesced", (16, 16), 16, []),
    ("3", "matmul3_tiled", (16, 16), 16, []),
    ("3, tiles of 32", "matmul3_tiled", (32, 32), 32,
     [("TILE 16", "TILE 32")]),
    ("4", "matmul4_column", (64, 4), 64, []),
    ("5, 4 x 4 blocks", "matmul5_block", (16, 16), 64,
     [("TILE 128", "TILE 64")]),
    ("5", "matmul5_block", (16, 16), 128, []),
    ("5, written out", "matmul5_block", (16, 16), 128,
     [(DEEP, "_Pragma(\"unroll\") " + DEEP)]),
    ("5, a on its side", "matmul5_block", (16, 16), 128,
     [(old, new.format(row="TILE")) for old, new in ON_ITS_SIDE]),
    ("5, a spare cell", "matmul5_block", (16, 16), 128,
     [(old, new.format(row="TILE + 1")) for old, new in ON_ITS_SIDE]),
    ("6, global by ones", "matmul6_vector", (256, 1), 128,
     [("if (k % 4 == 0 && n % 4 == 0)", "if (false)")]),
    ("6, as a loop", "matmul6_vector", (256, 1), 128,
     [("#pragma unroll\n        " + DEEP, "#pragma unroll 1\n        " + DEEP)]),
    ("6, no spare four", "matmul6_vector", (256, 1), 128,
     [("ROW (TILE4 + 1)", "ROW TILE4")]),
    ("6", "matmul6_vector", (256, 1), 128, []),
    ("7", "matmul7_ahead", (256, 1), 128, []),
    ("8", "matmul8_tall", (128, 1), 128, []),
]
TIME = "gpu__time_duration.sum"
INSTRUCTIONS = "smsp__inst_executed.sum"
# A column: its counter, what a value of it becomes, and with how many digits.
COUNTED = {
    "twin": (TIME, lambda value, row: value * 1e-6, 3),
    "instr": (INSTRUCTIONS, lambda value, row: 32 * value / SIZE**3, 2),
    "fma%": ("smsp__inst_executed_pipe_fma.sum",
              lambda value, row: 100 * value / row[INSTRUCTIONS], 0),
    "loc%": ("smsp__inst_executed_op_shared_ld.sum",
                lambda value, row: 100 * value / row[INSTRUCTIONS], 0),
    "slots": ("smsp__issue_active.avg.pct_of_peak_sustained_active",
               lambda value, row: value, 0),
    "home": ("sm__warps_active.avg.pct_of_peak_sustained_active",
             lambda value, row: value, 0),
    "clash": ("l1tex__data_bank_conflicts_pipe_lsu.sum",
                lambda value, row: 1000 * value / SIZE**3, 2),
    "regs": ("launch__registers_per_thread", lambda value, row: value, 0),
}
# Of columns that are wider than the others.
WIDTHS = {"twin": 7, "clash": 6}
ALL = "smsp__average_warp_latency_per_inst_issued.ratio"
STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
STALLS = {
    "global": ["long_scoreboard"],
    "local": ["short_scoreboard"],
    "barrier": ["barrier"],
    "queue": ["mio_throttle", "lg_throttle"],
    "turn": ["not_selected", "math_pipe_throttle", "dispatch_stall"],
}


def text(kernel, changes):
    """The text of a rung with its changes, each of which is in it once."""
    text = (KERNELS / f"{kernel}.cl").read_text()
    for old, new in changes:
        assert text.count(old) == 1, f"{kernel}: {old}"
        text = text.replace(old, new)
    return text


def extent(kernel, group, tile, n):
    """Groups of a launch, and its items, in the kernel's two dimensions."""
    groups = (-(-n // tile),) * 2
    return groups, tuple(g * i for g, i in zip(groups, group))


class Device:
    """The first GPU of OpenCL, or another device where there is none."""

    def __init__(self):
        try:
            self.cl = ctypes.CDLL("libOpenCL.so.1")
        except OSError:
            sys.exit("There is no libOpenCL.so.1 here: a driver brings it.")
        pointers = ["clCreateContext", "clCreateCommandQueue", "clCreateBuffer",
                    "clCreateProgramWithSource", "clCreateKernel"]
        for name in pointers:
            getattr(self.cl, name).restype = ctypes.c_void_p
        platforms = (ctypes.c_void_p * 8)()
        count = ctypes.c_uint()
        checked(self.cl.clGetPlatformIDs(8, platforms, ctypes.byref(count)))
        self.device = ctypes.c_void_p()
        for kind in (1 << 2, 0xFFFFFFFF):
            for platform in platforms[:count.value]:
                if self.device.value is None:
                    self.cl.clGetDeviceIDs(
                        ctypes.c_void_p(platform), ctypes.c_ulong(kind), 1,
                        ctypes.byref(self.device), None)
        self.context = self.made("clCreateContext", None, 1,
                                 ctypes.byref(self.device), None, None)
        # With times.
        self.queue = self.made("clCreateCommandQueue", self.context,
                               self.device, ctypes.c_ulong(2))

    def made(self, call, *words):
        status = ctypes.c_int()
        made = getattr(self.cl, call)(*words, ctypes.byref(status))
        checked(status.value)
        return ctypes.c_void_p(made)

    def name(self):
        words = []
        for question in (0x102B, 0x102D):
            answer = ctypes.create_string_buffer(256)
            checked(self.cl.clGetDeviceInfo(
                self.device, question, 256, answer, None))
            words.append(answer.value.decode().strip())
        return ", driver ".join(words)

    def buffer(self, values):
        size = ctypes.c_size_t(ctypes.sizeof(values))
        buffer = self.made("clCreateBuffer", self.context, ctypes.c_ulong(1),
                           size, None)
        checked(self.cl.clEnqueueWriteBuffer(
            self.queue, buffer, 1, ctypes.c_size_t(0), size, values, 0, None,
            None))
        return buffer

    def kernel(self, name, text):
        words = ctypes.c_char_p(text.encode())
        program = self.made("clCreateProgramWithSource", self.context, 1,
                            ctypes.byref(words), None)
        status = self.cl.clBuildProgram(
            program, 1, ctypes.byref(self.device), b"-cl-std=CL1.2", None, None)
        if status != 0:
            log = ctypes.create_string_buffer(1 << 16)
            self.cl.clGetProgramBuildInfo(
                program, self.device, 0x1183, ctypes.c_size_t(1 << 16), log,
                None)
            sys.exit(f"{name} does not compile:\n{log.value.decode()}")
        return self.made("clCreateKernel", program, name.encode())

    def run(self, kernel, buffers, numbers, items, group):
        """The seconds of one launch."""
        values = list(buffers) + [ctypes.c_uint(number) for number in numbers]
        for place, value in enumerate(values):
            checked(self.cl.clSetKernelArg(
                kernel, place, ctypes.c_size_t(ctypes.sizeof(value)),
                ctypes.byref(value)))
        sizes = [(ctypes.c_size_t * 2)(*words) for words in (items, group)]
        event = ctypes.c_void_p()
        checked(self.cl.clEnqueueNDRangeKernel(
            self.queue, kernel, 2, None, *sizes, 0, None, ctypes.byref(event)))
        checked(self.cl.clWaitForEvents(1, ctypes.byref(event)))
        ends = []
        for question in (0x1282, 0x1283):
            moment = ctypes.c_ulong()
            checked(self.cl.clGetEventProfilingInfo(
                event, question, ctypes.c_size_t(8), ctypes.byref(moment),
                None))
            ends.append(moment.value)
        self.cl.clReleaseEvent(event)
        return (ends[1] - ends[0]) * 1e-9

    def read(self, buffer, values):
        checked(self.cl.clEnqueueReadBuffer(
            self.queue, buffer, 1, ctypes.c_size_t(0),
            ctypes.c_size_t(ctypes.sizeof(values)), values, 0, None, None))


def checked(status):
    if status != 0:
        sys.exit(f"OpenCL refuses something: error {status}.")


def median(run):
    """The median of a second, and of three runs at least."""
    run()
    times, start = [], time.monotonic()
    while len(times) < 3 or time.monotonic() - start < 1:
        times.append(run())
    return statistics.median(times)


def times(n, every):
    """The seconds of each run by OpenCL; its sums are compared at some places,
    or at every."""
    device = Device()
    print("device ", device.name())
    source = random.Random(18)
    rows = [source.choices(range(-64, 65), k=n) for _ in range(61)]
    numbers = [rows[i % 61] for i in range(n)]
    flat = [number / 64 for row in numbers for number in row]
    values = (ctypes.c_float * (n * n))(*flat)
    a, b = device.buffer(values), device.buffer(values)
    result = (ctypes.c_float * (n * n))()
    places = range(n * n)
    if not every:
        places = random.Random(19).choices(places, k=64)
    took = []
    for name, kernel, group, tile, changes in RUNS:
        out = device.buffer((ctypes.c_float * (n * n))())
        made = device.kernel(kernel, text(kernel, changes))
        _, items = extent(kernel, group, tile, n)
        run = lambda: device.run(made, (a, b, out), (n, n, n), items, group)
        took.append(run() if every else median(run))
        device.read(out, result)
        for place in places:
            row, column = divmod(place, n)
            # Products of 64ths, and their sums, are exact.
            right = sum(flat[row * n + i] * flat[i * n + column]
                        for i in range(n))
            assert result[place] == right, f"{name}: {place} {right}"
        device.cl.clReleaseMemObject(out)
    return took


def run_twins():
    import cupy

    n = SIZE
    a, b = (cupy.random.rand(n, n, dtype=cupy.float32) for _ in range(2))
    right = a @ b
    for name, kernel, group, tile, changes in RUNS:
        code = twin(kernel, group, text(kernel, changes))
        module = cupy.RawModule(code=code, options=("-std=c++17",))
        out = cupy.zeros((n, n), dtype=cupy.float32)
        groups, _ = extent(kernel, group, tile, n)
        ends = (cupy.uint32(n),) * 3
        module.get_function(kernel)(groups, group, (a, b, out, *ends))
        error = abs(out - right).max() / abs(right).max()
        assert error < 1e-4, f"{name}: off by {error}"


def profiled(counters):
    """What the profiler read of each twin."""
    names = "|".join(sorted({kernel for _, kernel, *_ in RUNS}))
    report = subprocess.run(
        ["ncu", "--csv", "--print-units", "base", "--clock-control", "none",
         "--kernel-name", f"regex:^({names})$", "--metrics",
         ",".join(counters), sys.executable, __file__, "--twins"],
        stdout=subprocess.PIPE, text=True)
    start = report.stdout.find('"ID"')
    if report.returncode != 0 or start < 0:
        sys.exit(report.stdout[-2000:])
    rows = {}
    for row in csv.DictReader(io.StringIO(report.stdout[start:])):
        value = float(row["Metric Value"].replace(",", ""))
        rows.setdefault(int(row["ID"]), {})[row["Metric Name"]] = value
    if len(rows) != len(RUNS):
        sys.exit(f"The profiler saw {len(rows)} twins, and not {len(RUNS)}.")
    return list(rows.values())


def card():
    card = subprocess.run(
        ["nvidia-smi", "--query-gpu=name,driver_version",
         "--format=csv,noheader"], stdout=subprocess.PIPE, text=True)
    print("device ", card.stdout.strip().replace(", ", ", driver "))


def waits():
    parts = [part for parts in STALLS.values() for part in parts]
    rows = profiled([ALL] + [STALL.format(part) for part in parts])
    card()
    print(f"{'rung':<17}", *(f"{name:>7}" for name in [*STALLS, "other"]))
    for (name, *_), row in zip(RUNS, rows):
        cells = [100 * sum(row[STALL.format(part)] for part in parts) / row[ALL]
                 for parts in STALLS.values()]
        cells.append(100 - sum(cells))
        print(f"{name:<17}", *(f"{cell:7.0f}" for cell in cells))


def main():
    if "--twins" in sys.argv:
        return run_twins()
    if "--waits" in sys.argv:
        return waits()
    if "--check" in sys.argv:
        # Whole tiles and fours, and neither.
        for n in (128, 133):
            times(n, True)
        return print("every sum is right")
    took = times(SIZE, False)
    rows, columns = [{}] * len(RUNS), {}
    if "--times" not in sys.argv:
        columns = COUNTED
        rows = profiled([counter for counter, _, _ in columns.values()])
    widths = {name: WIDTHS.get(name, 5) for name in columns}
    print(f"{'rung':<17} {'ms':>7}",
          *(f"{name:>{widths[name]}}" for name in columns))
    for (name, *_), seconds, row in zip(RUNS, took, rows):
        cells = [f"{made(row[counter], row):{widths[column]}.{digits}f}"
                 for column, (counter, made, digits) in columns.items()]
        print(f"{name:<17} {1e3 * seconds:7.3f}", *cells)


if __name__ == "__main__":
    main()
