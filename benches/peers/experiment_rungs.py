"""The rungs of "The matmul ladder" for `experiments.py`, with rungs in which one
change is taken back or made early, and the OpenCL device that runs them.

A change is a few words of a kernel's source that are replaced.
"""

import ctypes
import sys
from pathlib import Path

KERNELS = Path(__file__).parents[2] / "kernels/part2"
# Rung 5 with its tile of a transposed, and rows of this many elements.
TRANSPOSED = [
    ("a_tile[TILE][DEPTH]", "a_tile[DEPTH][{row}]"),
    ("a_tile[a_y][a_x] =", "a_tile[a_x][a_y] ="),
    ("a_tile[y + i * SIDE][d]", "a_tile[d][y + i * SIDE]"),
]
DEEP = "for (uint d = 0; d < DEPTH; d++) {"
# Name, kernel, items of a group, side of its tile, and the replacements.
RUNS = [
    ("rung 1", "matmul1_naive", (16, 16), 16, []),
    ("rung 2", "matmul2_coalesced", (16, 16), 16, []),
    ("rung 3", "matmul3_tiled", (16, 16), 16, []),
    ("rung 3, tiles of 32", "matmul3_tiled", (32, 32), 32,
     [("TILE 16", "TILE 32")]),
    ("rung 4", "matmul4_column", (64, 4), 64, []),
    ("rung 5, 4 x 4 blocks", "matmul5_block", (16, 16), 64,
     [("TILE 128", "TILE 64")]),
    ("rung 5", "matmul5_block", (16, 16), 128, []),
    ("rung 5, unrolled", "matmul5_block", (16, 16), 128,
     [(DEEP, "_Pragma(\"unroll\") " + DEEP)]),
    ("rung 5, transposed", "matmul5_block", (16, 16), 128,
     [(old, new.format(row="TILE")) for old, new in TRANSPOSED]),
    ("rung 5, transposed, padded", "matmul5_block", (16, 16), 128,
     [(old, new.format(row="TILE + 1")) for old, new in TRANSPOSED]),
    ("rung 6, single loads", "matmul6_vector", (256, 1), 128,
     [("if (k % 4 == 0 && n % 4 == 0)", "if (false)")]),
    ("rung 6, not unrolled", "matmul6_vector", (256, 1), 128,
     [("#pragma unroll\n        " + DEEP, "#pragma unroll 1\n        " + DEEP)]),
    ("rung 6, not padded", "matmul6_vector", (256, 1), 128,
     [("ROW (TILE4 + 1)", "ROW TILE4")]),
    ("rung 6", "matmul6_vector", (256, 1), 128, []),
    ("rung 7", "matmul7_ahead", (256, 1), 128, []),
    ("rung 8", "matmul8_tall", (128, 1), 128, []),
]


def text(kernel, changes):
    """Returns the source of a rung with its changes, each of which occurs once."""
    text = (KERNELS / f"{kernel}.cl").read_text()
    for old, new in changes:
        assert text.count(old) == 1, f"{kernel}: {old}"
        text = text.replace(old, new)
    return text


def extent(kernel, group, tile, n):
    """Returns the groups of a launch and its items, in the kernel's two dimensions."""
    groups = (-(-n // tile),) * 2
    return groups, tuple(g * i for g, i in zip(groups, group))


class Device:
    """The first GPU of OpenCL, or another device where there is none."""

    def __init__(self):
        try:
            self.cl = ctypes.CDLL("libOpenCL.so.1")
        except OSError:
            sys.exit("libOpenCL.so.1 is missing; a driver installs it.")
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
        # With profiling, for the times.
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

    def program(self, text, options=b"-cl-std=CL1.2"):
        """Builds a program and returns it, the status and the build log."""
        words = ctypes.c_char_p(text.encode())
        program = self.made("clCreateProgramWithSource", self.context, 1,
                            ctypes.byref(words), None)
        status = self.cl.clBuildProgram(
            program, 1, ctypes.byref(self.device), options, None, None)
        log = ctypes.create_string_buffer(1 << 16)
        self.cl.clGetProgramBuildInfo(
            program, self.device, 0x1183, ctypes.c_size_t(1 << 16), log, None)
        return program, status, log.value.decode()

    def kernel(self, name, text):
        program, status, log = self.program(text)
        if status != 0:
            sys.exit(f"{name} does not compile:\n{log}")
        return self.made("clCreateKernel", program, name.encode())

    def run(self, kernel, buffers, numbers, items, group):
        """Returns the seconds of one launch."""
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
        sys.exit(f"OpenCL returned error {status}.")
