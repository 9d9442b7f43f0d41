"""The experiments `counters` and `machine-code` of `experiments.py`.

NVIDIA's profiler does not support OpenCL. But NVIDIA's OpenCL driver returns
the assembly (PTX) that it has compiled, and the CUDA driver launches it. So a
child process launches the assembly of each kernel under `ncu`. It must compute
the same bits as OpenCL did.
"""

import collections
import csv
import ctypes
import io
import json
import math
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from experiment_kernels import FILL
from experiment_launches import (
    CACHED, LONG, SHORT, SIDES, TINY, Work, answer, asynchronous, in_flight, indices, matvec,
    median, multiplies, ordered, release_all, rungs, say, small_tiles, table, total,
    trees)
from experiment_rungs import KERNELS

STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
LIFE = "smsp__average_warp_latency_per_inst_issued.ratio"
STALLS = {"sel.": "selected", "not sel.": "not_selected", "math": "math_pipe_throttle",
          "wait": "wait", "long sb.": "long_scoreboard", "short sb.": "short_scoreboard",
          "barrier": "barrier", "mio": "mio_throttle", "lg": "lg_throttle"}
INSTRUCTIONS = "smsp__inst_executed.sum"
COUNTED = {
    "ncu ms": ("gpu__time_duration.sum", 1e-6, 3),
    "instr.": (INSTRUCTIONS, 1, "e"),
    "fma": ("smsp__inst_executed_pipe_fma.sum", 100, "i"),
    "loc": ("smsp__inst_executed_op_shared_ld.sum", 100, "i"),
    "issue": ("smsp__issue_active.avg.pct_of_peak_sustained_active", 1, 0),
    "occ": ("sm__warps_active.avg.pct_of_peak_sustained_active", 1, 0),
    "regs": ("launch__registers_per_thread", 1, 0),
    "confl.": ("l1tex__data_bank_conflicts_pipe_lsu.sum", 1, "e"),
    "wavef.": ("l1tex__data_pipe_lsu_wavefronts.sum", 1, "e"),
    "L1": ("l1tex__t_sector_hit_rate.pct", 1, 0),
    "L2": ("lts__t_sector_hit_rate.pct", 1, 0),
    "ask GB": ("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 32e-9, 2),
    "DRAM GB": ("dram__bytes_read.sum", 1e-9, 2),
}
TABLES = [("ncu ms", "instr.", "fma", "loc", "issue", "occ", "regs"),
          ("confl.", "wavef.", "L1", "L2", "ask GB", "DRAM GB")]


def profiled_works():
    n = SIDES[0]
    small = [work for work in rungs(1024) if work.label in ("rung 7", "rung 8")] if not TINY else []
    for work in small:
        work.label += ", 1024"
    tiled = [] if TINY else small_tiles(1024)
    flight = [total(f"sum, {loads} x {of}", in_flight(loads, of))
              for loads, of in ((1, "float"), (8, "float"), (1, "float4"), (4, "float4"))]
    cached = [matvec(kernel, *CACHED) for kernel in ("matvec_rows", "matvec_teams")]
    odd = (SHORT[0], SHORT[1] + 1)
    return [*rungs(n), *small, *tiled, *indices(n), ordered(8, n), asynchronous(n),
            ordered(0, SIDES[1]), ordered(8, SIDES[1]), *trees(), *flight,
            *multiplies(), *cached, matvec("matvec_rows", *LONG),
            matvec("matvec_teams", *LONG), matvec("matvec_rows", *SHORT),
            matvec("matvec_rows", *odd)]


def counters(card):
    """What do the counters say of the kernels themselves, not of translations?"""
    wanted = sys.argv[sys.argv.index("--rows") + 1].split(",") if "--rows" in sys.argv else [""]
    works = [work for work in profiled_works() if any(word in work.label for word in wanted)]
    folder = Path(tempfile.mkdtemp())
    (folder / "fill.ptx").write_text(card.assembly(
        Work("", "fill", FILL, [], [], (), ())) if card.nvidia else "")
    orders, events = [], []
    for index, work in enumerate(works):
        run = card.once(work)
        out = work.out % len(work.buffers)
        count = work.buffers[out][0]
        spots = [i * (count - 1) // 15 for i in range(16)]
        orders.append({**work.__dict__, "source": f"{index}.ptx", "out": out,
                       "spots": spots, "right": card.result(work, spots)})
        events.append(1e3 * median(run, 0.05, 5))
        if card.nvidia:
            (folder / f"{index}.ptx").write_text(card.assembly(work))
    (folder / "orders.json").write_text(json.dumps(orders))
    if not card.nvidia:
        return answer(f"{len(works)} launches are ready; the counters need an NVIDIA card")
    release_all(card)
    program = Path(__file__).with_name("experiments.py")
    child = [sys.executable, str(program), "--launch", str(folder)]
    try:
        subprocess.run(child, check=True, stderr=subprocess.PIPE, text=True, timeout=60)
    except subprocess.SubprocessError as error:
        words = str(error.stderr or error)[-300:]
        say(f"the assembly as it is does not run: {words}")
        answer("the assembly runs with OpenCL's own registers (%envreg) replaced")
        child.append("--replace")
    metrics = [name for name, _, _ in COUNTED.values()]
    metrics += [STALL.format(name) for name in STALLS.values()] + [LIFE]
    report = subprocess.run(
        ["ncu", "--csv", "--print-units", "base", "--clock-control", "none",
         "--cache-control", "none", "--kernel-name",
         "regex:matmul|reduce|total|multiply|ew_|matvec|gemm|cutlass|Kernel",
         "--metrics", ",".join(metrics), *child, *(["--torch"] if any(word in "PyTorch" for word in wanted) else [])],
        stdout=subprocess.PIPE, text=True, timeout=240)
    wrong = report.returncode != 0
    start = report.stdout.find('"ID"')
    assert start >= 0, f"ncu: {report.stdout[-1500:]}"
    readings, names = {}, {}
    for row in csv.DictReader(io.StringIO(report.stdout[start:])):
        try:
            value = float(row["Metric Value"].replace(",", ""))
        except ValueError:
            value = math.nan
        readings.setdefault(int(row["ID"]), {})[row["Metric Name"]] = value
        names[int(row["ID"])] = row["Kernel Name"]
    labels = [work.label for work in works]
    rows = [readings[key] for key in sorted(readings)]
    assert len(rows) >= len(works), f"{len(rows)} launches instead of {len(works)}"
    if len(rows) > len(works):
        labels.append("PyTorch")
        answer(f"PyTorch ran {names[max(names)]}")
        events.append(math.nan)
    answer("SOME RESULTS DIFFER FROM OPENCL'S" if wrong else "all results have OpenCL's bits")
    registers = {word for file in folder.glob("*.ptx")
                 for word in re.findall(r"%envreg\d+", file.read_text())}
    say(f"special registers of OpenCL in the assembly: {', '.join(sorted(registers))}")
    show_counters(labels, events, rows[:len(labels)])


def show_counters(labels, events, rows):
    def cell(row, counter, factor, digits):
        value = row.get(counter, math.nan) * factor
        value /= row.get(INSTRUCTIONS, math.nan) if digits == "i" else 1
        return f"{value:.1e}" if digits == "e" else f"{value:.{0 if digits == 'i' else digits}f}"

    for columns in TABLES:
        chosen = {name: COUNTED[name] for name in columns}
        table(["kernel", "ms", *columns],
              [[label[:28], f"{ms:.3f}", *(cell(row, *how) for how in chosen.values())]
               for label, ms, row in zip(labels, events, rows)])
        say()
    say("fma (integers too), loc: of 100 instructions, multiply-adds and loads from local memory")
    say("issue, occ(upancy) and hits in L1 and L2: percent; ask: bytes that items request from L1")
    say()
    say("of 100 moments of a warp's life (ncu's names; sel(ected) is when it issues):")
    shares = []
    for row in rows:
        parts = [100 * row.get(STALL.format(name), math.nan) / row.get(LIFE, math.nan)
                 for name in STALLS.values()]
        shares.append([*parts, 100 - sum(parts)])
    table(["kernel", *STALLS, "other"],
          [[label[:28], *(f"{part:.0f}" for part in parts)]
           for label, parts in zip(labels, shares)])
    ratios = sorted((row.get("gpu__time_duration.sum", math.nan) * 1e-6 / ms, label)
                    for label, ms, row in zip(labels, events, rows) if ms > 0.02)
    answer(f"time under ncu divided by the event's: {ratios[0][0]:.2f} ({ratios[0][1]}) "
           f"to {ratios[-1][0]:.2f} ({ratios[-1][1]})")
    for label, ms, row, parts in zip(labels, events, rows, shares):
        # Variants are only in the tables.
        if "," in label and not label.startswith(("sum", "rung 7,", "rung 8,")):
            continue
        top = sorted(zip(parts, STALLS), reverse=True)[:3]
        issue, occupancy = (row.get(COUNTED[name][0], math.nan) for name in ("issue", "occ"))
        answer(f"{label[:26]:26} {ms:7.3f} ms, issue {issue:.0f} %, occ {occupancy:.0f} %: "
               + ", ".join(f"{name} {part:.0f}" for part, name in top))


def launch_assembly(folder):
    """Launches the assembly of the orders once each, by the CUDA driver."""
    cuda = ctypes.CDLL("libcuda.so.1")
    device, context = ctypes.c_int(), ctypes.c_void_p()

    def call(name, *arguments):
        status = getattr(cuda, name)(*arguments)
        if status != 0:
            sys.exit(f"{name}: CUDA error {status}")

    call("cuInit", 0)
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call("cuCtxSetCurrent", context)

    def function(file, kernel):
        code = (folder / file).read_text().replace(", texmode_independent", "")
        if "--replace" in sys.argv:
            # OpenCL's offsets, which no launch here has, and numbers of groups.
            code = re.sub(r"mov\.[ub]32(\s+%r\d+), %envreg[0-5];", r"mov.u32\1, 0;", code)
            for old, axis in zip("678", "xyz"):
                code = re.sub(rf"mov\.[ub]32(\s+%r\d+), %envreg{old};",
                              rf"mov.u32\1, %nctaid.{axis};", code)
        module, found = ctypes.c_void_p(), ctypes.c_void_p()
        call("cuModuleLoadData", ctypes.byref(module), code.encode() + b"\0")
        call("cuModuleGetFunction", ctypes.byref(found), module, kernel.encode())
        return found

    def launch(found, values, groups, group):
        places = (ctypes.c_void_p * len(values))(*(ctypes.addressof(v) for v in values))
        call("cuLaunchKernel", found, *groups, 1, *group, 1, 0, None, places, None)
        call("cuCtxSynchronize")

    fill, wrong = function("fill.ptx", "fill"), []
    for order in json.loads((folder / "orders.json").read_text()):
        buffers = []
        for count, contents in order["buffers"]:
            buffer = ctypes.c_uint64()
            call("cuMemAlloc_v2", ctypes.byref(buffer), ctypes.c_size_t(4 * count))
            values = [buffer, ctypes.c_uint(count), ctypes.c_uint(contents)]
            launch(fill, values, (-(-count // 64), 1), (64, 1))
            buffers.append(buffer)
        values = buffers + [ctypes.c_uint(number) for number in order["numbers"]]
        launch(function(order["source"], order["kernel"]), values, order["groups"],
               order["group"])
        number = ctypes.c_float()
        for spot, right in zip(order["spots"], order["right"]):
            place = ctypes.c_uint64(buffers[order["out"]].value + 4 * spot)
            call("cuMemcpyDtoH_v2", ctypes.byref(number), place, ctypes.c_size_t(4))
            if number.value != right:
                wrong.append(f"{order['label']}: {number.value} at {spot} instead of {right}")
        for buffer in buffers:
            call("cuMemFree_v2", buffer)
    if "--torch" in sys.argv:
        import torch
        a, b = (torch.ones(SIDES[0], SIDES[0], device="cuda") for _ in range(2))
        torch.mm(a, b)
        torch.cuda.synchronize()
    if wrong:
        sys.exit("\n".join(wrong[:10]))


def machine_code(card):
    """Which instructions does the card's compiler make of a kernel?"""
    if not card.nvidia:
        return answer("needs an NVIDIA card")
    works = [trees()[0], trees()[1], *indices(SIDES[0]), asynchronous(SIDES[0])]
    for work in works:
        code = machine_code_of(card.assembly(work))[1]
        found = re.findall(r"/\*[0-9a-f]{4}\*/\s+(.*?);", code)
        words = collections.Counter(
            re.sub(r"^@!?U?P\w+\s+", "", line).split()[0].split(".")[0] for line in found)
        words.pop("NOP", None)
        common = ", ".join(f"{word} {count}" for word, count in words.most_common(7))
        answer(f"{work.label}: {sum(words.values())} instructions: {common}")
        if work is works[0]:
            conditional = [line for line in found if re.match(r"@!?P\d+ (LDS|FADD|STS|BRA)", line)]
            for line in conditional[:8]:
                answer(f"   {line}")
    # OpenCL's machine code is not returned, but its build log has the registers.
    for work in rungs(SIDES[0]):
        log = card.program(work.source, b"-cl-std=CL1.2 -cl-nv-verbose")[2]
        used = "".join(re.findall(r"Used (\d+) registers", log)[:1])
        answer(f"{work.label}: {used} registers in OpenCL")
    # The engine's kernel for tensor cores, built as the engine builds it.
    options = {"T": "float", "OUT": "float", "ACC": "float", "CORES": 1,
               "A_ALONG_K": 1, "B_ALONG_N": 0, "FOURS": 1}
    source = "".join(f"#define {name} {value}\n" for name, value in options.items())
    source += (KERNELS.parent / "numbers.cl").read_text()
    source += (KERNELS.parent / "engine/warpgroups.cl").read_text()
    work = Work("", "product_warpgroups", source, [], [], (), ())
    assembly = card.assembly(work).replace("//sm_90a ", "")
    log = machine_code_of(assembly.replace(".target sm_90,", ".target sm_90a,"))[0]
    for line in log.splitlines():
        if "spill" in line or "registers" in line:
            answer(f"product_warpgroups: {line.strip()}")


def machine_code_of(assembly):
    """The assembler's report on the assembly (PTX), and the machine code (SASS)."""
    target = re.search(r"\.target (sm_\w+)", assembly)[1]
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "it.ptx").write_text(assembly)
        texts = []
        for command in (["ptxas", "-v", f"-arch={target}", "it.ptx", "-o", "it.cubin"],
                        ["cuobjdump", "--dump-sass", "it.cubin"]):
            report = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT, text=True)
            assert report.returncode == 0, report.stdout[-500:]
            texts.append(report.stdout)
    return texts
