"""Measures, with a card's counters, the kernels that `cargo learn profile`
counts in Oclgrind: the same launches and the same columns.

    python3 crates/profile/card.py
    python3 crates/profile/card.py --compile      only compiles, and needs no card

NVIDIA's profiler supports only CUDA kernels, so each kernel is translated to
CUDA with the macros of `benches/peers/counters.py`. It is compiled twice:
without optimization (-G), as in Oclgrind, and with optimization (-O), as on a
device. Where the counters differ, the compiler has merged or removed loads.

The column of active lanes counts items that an instruction's own predicate
disables.

The book shows the counters of an NVIDIA H200.

Needs libnvrtc (PyTorch brings it), and for the counters an NVIDIA driver and
`ncu` with the right to read them.
"""

import csv
import ctypes
import glob
import io
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "benches/peers"))
from counters import twin  # noqa: E402

# Kernel, size of a work-group, number of work-groups, number of buffers, and the
# scalar arguments, as in `cargo learn profile KERNEL --counters`.
RUNG = (128, 32, 128)
LAUNCHES = [
    ("matmul1_naive", (16, 16, 1), (8, 8, 1), 3, RUNG),
    ("matmul2_coalesced", (16, 16, 1), (8, 8, 1), 3, RUNG),
    ("matmul3_tiled", (16, 16, 1), (8, 8, 1), 3, RUNG),
    ("matmul4_column", (64, 4, 1), (2, 2, 1), 3, RUNG),
    ("matmul5_block", (16, 16, 1), (1, 1, 1), 3, RUNG),
    ("matmul6_vector", (256, 1, 1), (1, 1, 1), 3, RUNG),
    ("matmul7_ahead", (256, 1, 1), (1, 1, 1), 3, RUNG),
    ("matmul8_tall", (128, 1, 1), (1, 1, 1), 3, RUNG),
    ("transpose_tiled", (16, 16, 1), (8, 8, 1), 2, (128, 128)),
    ("matvec_rows", (256, 1, 1), (1, 1, 1), 3, (256, 128)),
    ("matvec_teams", (32, 8, 1), (1, 32, 1), 3, (256, 128)),
    ("reduce_interleaved", (256, 1, 1), (4, 1, 1), 2, (1024,)),
    ("reduce_packed", (256, 1, 1), (4, 1, 1), 2, (1024,)),
    ("reduce_sum", (256, 1, 1), (4, 1, 1), 2, (1024,)),
    ("reduce_coarse", (256, 1, 1), (2, 1, 1), 2, (1024,)),
    ("reduce_rows", (256, 1, 1), (3, 1, 1), 2, (1024,)),
    ("reduce_axis", (256, 1, 1), (8, 1, 1), 2, (3, 1024, 2048)),
    ("softmax_log", (64, 1, 1), (3, 1, 1), 2, (1024,)),
]
WAYS = {"-G": ["-G"], "-O": []}
# Larger than any buffer of the launches.
BYTES = 1 << 20

GLOBAL = "l1tex__t_{}_pipe_lsu_mem_global_op_{}.sum"
BANKS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{}.sum"
# Each with the width of its column.
COLUMNS = [
    (GLOBAL.format("sectors", "ld"), 6),
    (GLOBAL.format("requests", "ld"), 8),
    (GLOBAL.format("sectors", "st"), 7),
    (GLOBAL.format("requests", "st"), 8),
    (BANKS.format("ld"), 5),
    (BANKS.format("st"), 5),
    ("smsp__thread_inst_executed_per_inst_executed.ratio", 5),
    ("launch__registers_per_thread", 4),
]
# Sectors and requests of loads and of stores, bank conflicts, active lanes of
# a warp, and registers.
HEAD = """\
                    loads           stores       bank conflicts active regis-
kernel             sectors requests sectors requests load  store lanes ters"""


def library(name):
    """Loads a system library, or the one from a Python package."""
    try:
        return ctypes.CDLL(f"lib{name}.so")
    except OSError:
        pass
    for folder in sys.path:
        for file in sorted(glob.glob(f"{folder}/nvidia/*/lib/lib{name}.so*")):
            return ctypes.CDLL(file)
    sys.exit(f"There is no lib{name} here: PyTorch brings it.")


def compiled(nvrtc, kernel, group, target, options):
    """Compiles the CUDA translation of a kernel."""
    text = "#define INFINITY __int_as_float(0x7f800000)\n" + twin(kernel, group)
    program = ctypes.c_void_p()
    nvrtc.nvrtcCreateProgram(
        ctypes.byref(program), text.encode(), f"{kernel}.cu".encode(), 0, None,
        None)
    options = [f"-arch={target}", "-std=c++17", *options]
    words = (ctypes.c_char_p * len(options))(*(it.encode() for it in options))
    failed = nvrtc.nvrtcCompileProgram(program, len(options), words)
    size = ctypes.c_size_t()
    what = "ProgramLog" if failed else "CUBIN"
    getattr(nvrtc, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
    code = ctypes.create_string_buffer(size.value)
    getattr(nvrtc, f"nvrtcGet{what}")(program, code)
    if failed:
        sys.exit(f"{kernel} does not compile:\n{code.value.decode()}")
    return code


def checked(status):
    if status != 0:
        sys.exit(f"The driver refuses something: CUDA error {status}.")


def launch_all():
    """Launches every translated kernel once for each set of options."""
    nvrtc, cuda = library("nvrtc"), ctypes.CDLL("libcuda.so.1")
    device, context = ctypes.c_int(), ctypes.c_void_p()
    checked(cuda.cuInit(0))
    checked(cuda.cuDeviceGet(ctypes.byref(device), 0))
    checked(cuda.cuCtxCreate_v2(ctypes.byref(context), 0, device))
    version = [ctypes.c_int(), ctypes.c_int()]
    for part, attribute in zip(version, (75, 76)):
        checked(cuda.cuDeviceGetAttribute(
            ctypes.byref(part), attribute, device))
    target = f"sm_{version[0].value}{version[1].value}"
    memory = [ctypes.c_uint64() for _ in range(3)]
    for buffer in memory:
        checked(cuda.cuMemAlloc_v2(
            ctypes.byref(buffer), ctypes.c_size_t(BYTES)))
        checked(cuda.cuMemsetD8_v2(buffer, 0, ctypes.c_size_t(BYTES)))
    for kernel, group, groups, buffers, numbers in LAUNCHES:
        for options in WAYS.values():
            code = compiled(nvrtc, kernel, group, target, options)
            module, function = ctypes.c_void_p(), ctypes.c_void_p()
            checked(cuda.cuModuleLoadData(ctypes.byref(module), code))
            checked(cuda.cuModuleGetFunction(
                ctypes.byref(function), module, kernel.encode()))
            values = memory[:buffers] + [ctypes.c_uint32(n) for n in numbers]
            places = (ctypes.c_void_p * len(values))(
                *(ctypes.addressof(value) for value in values))
            checked(cuda.cuLaunchKernel(
                function, *groups, *group, 0, None, places, None))
            checked(cuda.cuCtxSynchronize())


def readings():
    """Returns the counters of each launch of a child under the profiler."""
    metrics = ",".join(name for name, _ in COLUMNS)
    report = subprocess.run(
        ["ncu", "--csv", "--print-units", "base", "--metrics", metrics,
         sys.executable, __file__, "--launch"],
        stdout=subprocess.PIPE, text=True)
    start = report.stdout.find('"ID"')
    if report.returncode != 0 or start < 0:
        sys.exit(report.stdout[-2000:])
    rows = {}
    for row in csv.DictReader(io.StringIO(report.stdout[start:])):
        value = float(row["Metric Value"].replace(",", ""))
        rows.setdefault(int(row["ID"]), {})[row["Metric Name"]] = value
    if len(rows) != len(LAUNCHES) * len(WAYS):
        sys.exit(f"The profiler saw {len(rows)} launches, and not "
                 f"{len(LAUNCHES) * len(WAYS)}.")
    return list(rows.values())


def main():
    if "--compile" in sys.argv:
        nvrtc = library("nvrtc")
        for kernel, group, *_ in LAUNCHES:
            sizes = [len(compiled(nvrtc, kernel, group, "sm_90", options))
                     for options in WAYS.values()]
            print(kernel, *sizes)
        return
    if "--launch" in sys.argv:
        return launch_all()
    card = subprocess.run(
        ["nvidia-smi", "--query-gpu=name,driver_version",
         "--format=csv,noheader"], stdout=subprocess.PIPE, text=True)
    print("device", card.stdout.strip().replace(", ", ", driver "))
    print(HEAD)
    rows = iter(readings())
    for kernel, *_ in LAUNCHES:
        for way in WAYS:
            row = next(rows)
            cells = (f"{row[name]:{wide}.6g}" for name, wide in COLUMNS)
            print(f"{kernel:<19}", *cells, way)


if __name__ == "__main__":
    main()
