"""The launches that `experiments.py` times, and the device that runs them.

Every result is compared with one that is known: sums of the numbers 0 to 3,
which are exact in any order, and elements of a matrix multiplication of
multiples of 1/64, whose sums are exact, too.
"""

import ctypes
import math
import statistics
import sys
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from experiment_kernels import (  # noqa: E402
    ASYNC, FILL, INDICES, MULTIPLY, PADDED, SUM, SWIZZLED, TILES_OF_64)
from experiment_rungs import RUNS, Device, checked, extent, text  # noqa: E402

TINY = "--small" in sys.argv
# The numbers of a sum (1 GiB), and the sides of the matrices.
NUMBERS = 1 << 18 if TINY else 1 << 28
SIDES = (128, 256) if TINY else (4096, 8192)
GROUP, GROUPS = 256, 4 if TINY else 1024
# What a buffer begins with: zeros, 0 to 3, multiples of 1/64 between -1 and 1
# without a pattern, ones.
ZERO, FEW, MIXED, ONES = range(4)

LINES, ANSWERS, SPREADS = [], [], []


def say(line=""):
    LINES.append(line)
    print(line, flush=True)


def table(columns, rows):
    """Prints rows of cells below their columns; the first column is a name."""
    rows = [[str(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(columns, *rows)]
    for row in [columns, *rows]:
        cells = [cell.rjust(width) for cell, width in zip(row, widths)]
        say("  ".join([row[0].ljust(widths[0]), *cells[1:]]))


def answer(line):
    ANSWERS.append(line)
    say(f"-> {line}")


@dataclass
class Work:
    """One launch of a kernel: its buffers (count, contents), then its numbers."""
    label: str
    kernel: str
    source: str
    buffers: list
    numbers: list
    groups: tuple
    group: tuple
    out: int = -1


def mixed(index):
    """The number that the kernel `fill` computes for MIXED."""
    x = index * 2654435761 % 2**32
    x = (x ^ x >> 15) * 2246822519 % 2**32
    return ((x ^ x >> 13) % 129 - 64) / 64


class Card(Device):
    """An OpenCL device with buffers that are filled on it and used again."""

    def __init__(self):
        super().__init__()
        self.shared, self.made_kernels = {}, {}
        self.nvidia = "NVIDIA" in self.text_of(0x102C)

    def text_of(self, question):
        reply = ctypes.create_string_buffer(1 << 15)
        checked(self.cl.clGetDeviceInfo(
            self.device, question, ctypes.c_size_t(1 << 15), reply, None))
        return reply.value.decode()

    def number_of(self, question):
        value = ctypes.c_ulong()
        checked(self.cl.clGetDeviceInfo(
            self.device, question, ctypes.c_size_t(8), ctypes.byref(value), None))
        return value.value

    def memory(self, count, flags=1):
        return self.made("clCreateBuffer", self.context, ctypes.c_ulong(flags),
                         ctypes.c_size_t(4 * count), None)

    def release(self, buffer):
        checked(self.cl.clReleaseMemObject(buffer))

    def fill(self, buffer, count, contents):
        kernel = self.compiled("fill", FILL)
        self.run(kernel, [buffer], [count, contents], (-(-count // 64) * 64, 1),
                 (64, 1))
        return buffer

    def buffer_for(self, index, count, contents):
        """The buffer of this size at this index of a launch, filled."""
        key = index, count, contents
        if key not in self.shared:
            self.shared[key] = self.fill(self.memory(count), count, contents)
        return self.shared[key]

    def compiled(self, name, source):
        key = name, source
        if key not in self.made_kernels:
            self.made_kernels[key] = self.kernel(name, source)
        return self.made_kernels[key]

    def launcher(self, work):
        """A function that launches the work once and returns the seconds."""
        kernel = self.compiled(work.kernel, work.source)
        buffers = [self.buffer_for(i, *it) for i, it in enumerate(work.buffers)]
        out = work.out % len(buffers)
        self.fill(buffers[out], *work.buffers[out])
        items = tuple(a * b for a, b in zip(work.groups, work.group))
        return lambda: self.run(kernel, buffers, work.numbers, items, work.group)

    def result(self, work, positions=None):
        """Elements of what the work has written, or all of them."""
        out = work.out % len(work.buffers)
        count, contents = work.buffers[out]
        buffer = self.buffer_for(out, count, contents)
        if positions is None:
            values = (ctypes.c_float * count)()
            self.read(buffer, values)
            return values
        value, found = ctypes.c_float(), []
        for position in positions:
            checked(self.cl.clEnqueueReadBuffer(
                self.queue, buffer, 1, ctypes.c_size_t(4 * position),
                ctypes.c_size_t(4), ctypes.byref(value), 0, None, None))
            found.append(value.value)
        return found

    def once(self, work):
        """Launches the work into a fresh result, checked where it is known."""
        run = self.launcher(work)
        run()
        if work.kernel.startswith(("reduce", "total", "matvec")):
            # The numbers are 0, 1, 2 and 3 equally often.
            total, right = math.fsum(self.result(work)), 1.5 * work.buffers[0][0]
            # One float cannot hold the digits of a large sum.
            error = abs(total - right) / right
            assert error <= (1e-5 if len(self.result(work)) == 1 else 0), (
                f"{work.label}: {total} instead of {right}")
        if work.kernel.startswith("matmul"):
            n = work.numbers[0]
            spots = [n * n // 7 * i + i for i in range(7)]
            for spot, found in zip(spots, self.result(work, spots)):
                right = right_element(spot // n, spot % n, n)
                assert found == right, f"{work.label}: {found} is not {right}"
        return run

    def time(self, work, seconds=0.25):
        """The median milliseconds of a work whose result was checked."""
        return 1e3 * median(self.once(work), seconds)

    def assembly(self, work):
        """The PTX of a kernel, as NVIDIA's driver returns it."""
        kernel, program = self.compiled(work.kernel, work.source), ctypes.c_void_p()
        checked(self.cl.clGetKernelInfo(
            kernel, 0x1194, ctypes.c_size_t(8), ctypes.byref(program), None))
        size = ctypes.c_size_t()
        checked(self.cl.clGetProgramInfo(
            program, 0x1165, ctypes.c_size_t(8), ctypes.byref(size), None))
        code = ctypes.create_string_buffer(size.value)
        pointers = (ctypes.c_void_p * 1)(ctypes.addressof(code))
        checked(self.cl.clGetProgramInfo(
            program, 0x1166, ctypes.c_size_t(8), pointers, None))
        return code.raw.rstrip(b"\0").decode()


def few_at(i):
    """The number that the kernel `fill` computes for FEW."""
    return (i ^ i >> 7) & 3


ELEMENTS = {}


def right_element(row, column, n):
    key = row, column, n
    if key not in ELEMENTS:
        ELEMENTS[key] = sum(mixed(row * n + i) * mixed(i * n + column)
                            for i in range(n))
    return ELEMENTS[key]


def median(run, seconds=0.25, least=9):
    """The median of what the function returns, after one run that is ignored."""
    run()
    times, start = [run()], time.monotonic()
    if TINY:
        return times[0]
    while len(times) < least or time.monotonic() - start < seconds:
        times.append(run())
    low, middle, high = statistics.quantiles(times, n=4)
    SPREADS.append(100 * (high - low) / middle)
    return middle


def by_clock(work):
    """A function that returns the seconds of a work by the host's clock."""
    def run():
        start = time.perf_counter()
        work()
        return time.perf_counter() - start
    return run


def torch_median(work):
    """Milliseconds by PyTorch's events, or nothing without PyTorch."""
    import torch

    def run():
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        work()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end)
    return median(run)


def source_of(kernel, *changes):
    return text(kernel, changes)


# Launches that several experiments and the profiler share.

def total(label, source, kernel="total", groups=None, group=GROUP, n=NUMBERS):
    groups = groups or GROUPS
    return Work(label, kernel, source, [(n, FEW), (groups, ZERO)], [n],
                (groups, 1), (group, 1))


def in_flight(loads, of="float", fold="TREE", end="STORE"):
    options = {"LOADS": loads, "TYPE": of, fold: 1, end: 1}
    wide = 4 if of == "float4" else 1
    head = "".join(f"#define {name} {value}\n" for name, value in options.items())
    return f"{head}#define WIDE {wide}\n{SUM}"


def multiply(label, kernel, source, each, n=NUMBERS):
    """Multiplies n pairs; an item computes `each` of them."""
    return Work(label, kernel, source, [(n, FEW), (n, FEW), (n, ZERO)], [n],
                (n // each // GROUP, 1), (GROUP, 1))


def multiplies():
    strided = [multiply(f"{loads} per item, in turn", "multiply",
                        f"#define LOADS {loads}\n{MULTIPLY}", loads)
               for loads in (1, 2, 4, 8)]
    return [multiply("ew_mul", "ew_mul", source_of("ew_mul"), 1), *strided,
            multiply("ew_mul4 (float4)", "ew_mul4", source_of("ew_mul4"), 4)]


def matmul(label, kernel, group, tile, source, n):
    groups, _ = extent(kernel, group, tile, n)
    return Work(label, kernel, source, [(n * n, MIXED)] * 2 + [(n * n, ZERO)],
                [n] * 3, groups, group)


def rungs(n):
    return [matmul(name, kernel, group, tile, text(kernel, changes), n)
            for name, kernel, group, tile, changes in RUNS]


def asynchronous(n):
    return matmul("rung 3, async copies", "matmul3_tiled", (16, 16), 16,
                  source_of("matmul3_tiled", *ASYNC), n)


def small_tiles(n):
    return [matmul(f"rung 7, {n}, tiles of 64", "matmul7_ahead", (64, 1), 64,
                   source_of("matmul7_ahead", *TILES_OF_64), n)]


def indices(n):
    kernel = "matmul2_coalesced"
    return [matmul(f"rung 2, {name}", kernel, (16, 16), 16, change(source_of(kernel)), n)
            for name, change in INDICES.items()]


def ordered(strip, n):
    label = f"strips of {strip}" if strip else "row by row"
    change = [(old, new.replace("STRIP", str(strip))) for old, new in SWIZZLED]
    source = source_of("matmul8_tall", *(change if strip else []))
    return matmul(f"rung 8, {n}, {label}", "matmul8_tall", (128, 1), 128, source, n)


def trees():
    one = NUMBERS // GROUP
    names = ["reduce_interleaved", "reduce_packed", "reduce_sum"]
    works = [total(name, source_of(name), name, one) for name in names]
    padded = source_of("reduce_packed", *PADDED)
    works.insert(2, total("reduce_packed, padded", padded, "reduce_packed", one))
    works.append(total("reduce_coarse", source_of("reduce_coarse"), "reduce_coarse"))
    last = total("reduce_last", source_of("reduce_last"), "reduce_last")
    last.buffers, last.out = [*last.buffers, (1, ZERO), (1, ZERO)], 2
    return works + [last]


def matvec(kernel, m, k, source=None, label=None, teams=8):
    shape = ((-(-m // GROUP), 1), (GROUP, 1))
    if kernel == "matvec_teams":
        shape = ((1, -(-m // teams)), (32, teams))
    label = f"{label or kernel} {m}x{k}"
    return Work(label, kernel, source or source_of(kernel),
                [(m * k, FEW), (k, ONES), (m, ZERO)], [m, k], *shape)


LONG = (512, 256) if TINY else (16384, 4096)
SHORT = (1024, 128) if TINY else (131072, 1024)
CACHED = (1000, 100) if TINY else (100000, 100)


def release_all(card):
    for buffer in card.shared.values():
        card.release(buffer)
    card.shared.clear()
