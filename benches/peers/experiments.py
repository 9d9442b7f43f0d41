"""Experiments that answer questions of Part 2 of the book, on one card.

    python3 benches/peers/experiments.py                 all experiments
    python3 benches/peers/experiments.py --only atomics  one of them
    python3 benches/peers/experiments.py --only counters --rows matvec
                                                         counters of some kernels
    python3 benches/peers/experiments.py --small         tiny sizes: checks only
    python3 benches/peers/experiments.py --out DIR       also writes DIR/experiments.txt

Every experiment asks one question, prints a table and computes its answer from
the table. Kernels are OpenCL C and are timed by events; each time is a median.
Results are checked. An experiment that fails is reported, and the next begins.

The experiment `counters` runs the kernels under NVIDIA's profiler. The profiler
does not support OpenCL, but NVIDIA's OpenCL driver returns the assembly (PTX)
that it has compiled. A child process loads this assembly by the CUDA driver and
launches it under `ncu`. The child must compute the same bits as OpenCL did.

Needs an OpenCL device. Counters need an NVIDIA card and `ncu`, the rows of
PyTorch need PyTorch, and the experiment `host` needs NumPy.
"""

import ctypes
import mmap
import statistics
import subprocess
import sys
import textwrap
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from experiment_counters import counters, launch_assembly, machine_code  # noqa: E402
from experiment_kernels import (  # noqa: E402
    ERRORS, LATENCY, ROOF, SMALL, WARPS)
from experiment_launches import (  # noqa: E402
    ANSWERS, CACHED, FEW, GROUP, GROUPS, LINES, LONG, NUMBERS, SHORT, SIDES, SPREADS,
    TINY, ZERO, Card, Work, answer, asynchronous, by_clock, few_at, in_flight, indices, matvec,
    median, multiplies, multiply, ordered, release_all, rungs, say, small_tiles,
    source_of, table, torch_median, total, trees)
from experiment_rungs import checked  # noqa: E402

def latency(card):
    """How long does one item wait for a number, by where the number is?"""
    mhz, rows = card.number_of(0x100C), []
    steps = 1 << 8 if TINY else 1 << 14
    chains = [("fused multiply-add", "chain_fma", 1, 1),
              ("local memory", "chase_local", 1, 1),
              ("global memory, 16 KiB (L1)", "chase", 1 << 12, 33),
              ("global memory, 16 MiB (L2)", "chase", 1 << 22, 33 * 32),
              ("global memory, 256 MiB", "chase", 1 << 26, 33 * 32),
              ("global memory, 2 GiB", "chase", 1 << 29, 4097 * 32)]
    for name, kernel, count, stride in chains:
        count = min(count, 1 << 16) if TINY else count
        links, place = card.memory(count), card.fill(card.memory(1), 1, ZERO)
        card.run(card.compiled("link", LATENCY), [links], [count, stride],
                 (-(-count // 64) * 64, 1), (64, 1))
        kernel = card.compiled(kernel, LATENCY)
        # The difference of two lengths leaves out the launch.
        short, long = (median(lambda: card.run(
            kernel, [links, place], [length], (1, 1), (1, 1)))
            for length in (steps, 3 * steps))
        ns = 1e9 * (long - short) / (2 * steps)
        rows.append([name, f"{ns:.1f}", f"{ns * mhz / 1e3:.0f}"])
        card.release(links)
    table(["a chain of", "ns each", "clocks"], rows)
    waits = {name: ns for name, ns, _ in rows}
    say(f"clocks are counted at {mhz} MHz")
    answer("ns: " + ", ".join(f"{name} {ns}" for name, ns in waits.items()))


def roof(card):
    """What does the card do at most, measured by kernels that do nothing else?"""
    # Eight groups for each compute unit.
    groups, rows = 8 * card.number_of(0x1002), []
    passes = 4 if TINY else 2048

    def measured(name, kernel, count, numbers, amount, unit):
        work = Work(name, kernel, ROOF, [(count, FEW), (groups * GROUP, ZERO)],
                    numbers, (groups, 1), (GROUP, 1))
        rate = amount / median(card.launcher(work)) / 1e12
        rows.append([name, f"{rate:.2f}", unit])
        return rate

    flops = measured("multiply-adds in registers", "only_fma", 64, [passes],
                     groups * GROUP * passes * 8 * 2 * 4, "TFLOP/s")
    # 16 KiB for each group, in its unit's cache; then 16 MiB for all.
    span = 1 << 10
    near = measured("reads, L1", "reread", groups * span * 4,
                    [span, 0, span, passes // 2], groups * span * 16 * passes // 2,
                    "TB/s")
    span = 1 << 12 if TINY else 1 << 20
    far = measured("reads, L2", "reread", span * 4, [span, span // groups, 0, 1],
                   groups * span * 16, "TB/s")
    copy = Work("ew_copy4", "ew_copy4", source_of("ew_copy4"),
                [(NUMBERS, FEW), (NUMBERS, ZERO)], [NUMBERS],
                (NUMBERS // 4 // GROUP, 1), (GROUP, 1))
    rate = 8e-9 * NUMBERS / card.time(copy)
    rows.append(["copies, global memory", f"{rate:.2f}", "TB/s"])
    table(["what", "rate", "unit"], rows)
    answer(f"{flops:.1f} TFLOP/s, L1 {near:.1f}, L2 {far:.1f}, copies {rate:.2f} TB/s; "
           f"the roofline's corner is at {flops / rate:.1f} operations per byte")


def bytes_in_flight(card):
    """Is a sum slow because too few bytes are in flight? (Little's law)"""
    sizes = [GROUPS // 8, GROUPS // 4, GROUPS // 2, GROUPS] if not TINY else [4]
    rows, rates = [], {}
    for of, width in (("float", 4), ("float4", 16)):
        for loads in (1, 2, 4, 8, 16):
            source, cells = in_flight(loads, of), []
            for groups in sizes:
                ms = card.time(total(f"{of} x {loads}", source, groups=groups), 0.1)
                flight = groups * GROUP * loads * width
                rates[of, loads, groups] = 4e-9 * NUMBERS / ms, flight, ms
                cells.append(f"{4e-9 * NUMBERS / ms:.2f} ({flight / 1e6:.2f})")
            rows.append([f"{loads} x {of}", *cells])
    say("TB/s (and MB in flight, if every item waits), by the number of groups:")
    table(["loads per item", *map(str, sizes)], rows)
    few, flight, ms = rates["float", 1, sizes[-1]]
    best = max(rates, key=lambda key: rates[key][0])
    small = rates["float", 1, sizes[0]]
    answer(f"1 load: {few:.2f} TB/s ({ms:.3f} ms) with {flight / 1e6:.2f} MB in flight; "
           f"best {rates[best][0]:.2f} TB/s ({rates[best][2]:.3f} ms): {best[1]} x {best[0]}, "
           f"{best[2]} groups")
    answer(f"latency by Little's law: {1e3 * flight / few / 1e6:.0f} ns with {sizes[-1]} groups, "
           f"{1e3 * small[1] / small[0] / 1e6:.0f} ns with {sizes[0]}; more loads make the sum "
           f"{rates[best][0] / few:.2f} times as fast")
    rows, times = [], {}
    for work in multiplies():
        ms = times[work.label] = card.time(work)
        values = card.result(work, [5, NUMBERS // 3, NUMBERS - 1])
        assert values == [few_at(i)**2 for i in (5, NUMBERS // 3, NUMBERS - 1)]
        rows.append([work.label, f"{ms:.4f}", f"{12e-9 * NUMBERS / ms:.2f}"])
    table(["product of pairs", "ms", "TB/s"], rows)
    four = times["4 per item, in turn"]
    answer(f"ew_mul {times['ew_mul']:.3f} ms, four loads of single floats {four:.3f}, "
           f"float4 {times['ew_mul4 (float4)']:.3f}")
    if card.nvidia:
        import torch
        numbers = torch.rand(NUMBERS, device="cuda")
        ms = torch_median(numbers.sum)
        answer(f"PyTorch's sum: {ms:.3f} ms, {4e-9 * NUMBERS / ms:.2f} TB/s")


def atomics(card):
    """What does an atomic addition cost, native and as a compare-and-swap loop?"""
    kinds = {"float, compare-and-swap loop": "CAS", "int, native": "INTEGER"}
    if card.nvidia:
        kinds |= {"float, native (red)": "NATIVE",
                  "float, native, old value used (atom)": "RETURNING"}
    times, rows = 4 if TINY else 64, []
    for name, kind in kinds.items():
        row = [name]
        for apart in (0, 32):
            kernel = card.compiled("adds", f"#define {kind}\n{SMALL}")
            cells, tries = card.memory(32 * GROUPS), card.memory(GROUPS)

            def run():
                card.fill(cells, 32 * GROUPS, ZERO)
                return card.run(kernel, [cells, tries], [apart, times],
                                (GROUPS, 1), (1, 1))

            seconds = median(run)
            found, tried = (ctypes.c_float * (32 * GROUPS))(), (ctypes.c_uint * GROUPS)()
            card.read(cells, found)
            card.read(tries, tried)
            if kind == "INTEGER":
                found = (ctypes.c_uint * (32 * GROUPS)).from_buffer(found)
            assert sum(found) == GROUPS * times, (name, apart, sum(found))
            row += [f"{1e9 * seconds / (GROUPS * times):.2f}",
                    f"{sum(tried) / (GROUPS * times):.1f}"]
        rows.append(row)
    say(f"{GROUPS} groups of one item, {times} additions each:")
    table(["addition", "one address: ns each", "tries", "own address: ns each", "tries"],
          rows)
    answer("one address, ns per addition (tries): "
           + "; ".join(f"{row[0]} {row[1]} ({row[2]})" for row in rows))
    ends = {"a second launch": "STORE", "compare-and-swap loop": "CAS"}
    ends |= {"native addition": "NATIVE"} if card.nvidia else {}
    rows = []
    for loads in (1, 8):
        for name, end in ends.items():
            work = total(name, in_flight(loads, end=end))
            if end != "STORE":
                work.buffers[1] = (1, ZERO)
            rows.append([f"{loads} loads, {name}", f"{card.time(work):.4f}"])
    say("the first launch of a sum, its groups' sums added to the total by:")
    table(["sum", "ms"], rows)
    answer("sum, ms: " + "; ".join(f"{name} {ms}" for name, ms in rows))


def exchange(card):
    """What does a tree in local memory cost, beside an exchange in registers?"""
    folds = {"tree in local memory": "TREE"}
    if "cl_khr_subgroups" in card.text_of(0x1030):
        folds["sub_group_reduce_add"] = "SUB_GROUP"
    else:
        say("the driver does not offer cl_khr_subgroups")
    if card.nvidia:
        folds["shuffle (shfl.sync)"] = "SHUFFLE"
    rows, sums = [], {}
    for name, fold in folds.items():
        row = [name]
        for loads, groups in ((1, NUMBERS // GROUP), (1, GROUPS), (8, GROUPS)):
            ms = card.time(total(name, in_flight(loads, fold=fold), groups=groups))
            row.append(f"{ms:.4f}")
        sums[name] = row[1:]
        rows.append(row)
    table(["end of a group, ms", "1 number per item", "coarse", "coarse, 8 loads"], rows)
    answer("1 number per item, coarse, coarse with 8 loads, ms: "
           + "; ".join(f"{name}: {', '.join(row)}" for name, row in sums.items()))
    sources = {"matvec_teams": source_of("matvec_teams")}
    if card.nvidia:
        sources["matvec, shuffle"] = source_of("matvec_teams", *WARPS)
    # On a processor: how much of the teams' time are the barriers?
    serial = [("for (uint width = TEAM / 2; width > 0; width /= 2) {\n"
               "        barrier(CLK_LOCAL_MEM_FENCE);\n"
               "        if (item < width)\n"
               "            sums[team][item] += sums[team][item + width];\n    }",
               "barrier(CLK_LOCAL_MEM_FENCE);\n    if (item == 0)\n"
               "        for (uint i = 1; i < TEAM; i++)\n"
               "            sums[team][0] += sums[team][i];")]
    sources["matvec, one barrier"] = source_of("matvec_teams", *serial)
    rows = []
    for size in (CACHED, LONG, SHORT):
        row = ["{}x{}".format(*size)]
        row.append(f"{card.time(matvec('matvec_rows', *size)):.4f}")
        for name, source in sources.items():
            row.append(f"{card.time(matvec('matvec_teams', *size, source, name)):.4f}")
        rows.append(row)
    table(["matrix by vector, ms", "matvec_rows", *sources], rows)
    answer("matvec, ms: rows, " + ", ".join(sources) + ": "
           + "; ".join(": ".join([row[0], ", ".join(row[1:])]) for row in rows))


def reductions(card):
    """Bank conflicts or instructions: what makes reduce_packed slow?"""
    times = {work.label: card.time(work) for work in trees()}
    table(["sum, first launch", "ms"],
          [[name, f"{ms:.4f}"] for name, ms in times.items()])
    packed, padded = times["reduce_packed"], times["reduce_packed, padded"]
    fold = times["reduce_sum"]
    answer(f"reduce_packed {packed:.3f} ms, without conflicts (padded) {padded:.3f}, "
           f"reduce_sum {fold:.3f}; the counters say how many instructions the padding adds")
    work = trees()[-1]
    bits = set()
    for _ in range(2 if TINY else 20):
        card.launcher(work)()
        bits.add(card.result(work)[0])
    answer(f"reduce_last: {times['reduce_last']:.4f} ms beside reduce_coarse "
           f"{times['reduce_coarse']:.4f}; different results in 20 runs: {len(bits)}")


def sum_steps(card):
    """How fast is a sum, one change after the other?"""
    first = trees()
    shuffle = total("shuffles instead of a tree", in_flight(1, fold="SHUFFLE"),
                    groups=NUMBERS // GROUP)
    works = [*first[:4], *([shuffle] if card.nvidia else []), first[4],
             total("8 loads per item", in_flight(8)),
             total("1 float4 per item", in_flight(1, "float4"))]
    ends = {"compare-and-swap loop": "CAS"} | ({"native addition": "NATIVE"} if card.nvidia else {})
    for name, end in ends.items():
        works.append(total(f"8 loads, {name}", in_flight(8, end=end)))
        works[-1].buffers[1] = (1, ZERO)
    rows = [[work.label, card.time(work)] for work in works]
    if card.nvidia:
        import torch
        rows.append(["PyTorch", torch_median(torch.rand(NUMBERS, device="cuda").sum)])
    table(["sum, first launch", "ms", "TB/s", "times as fast"],
          [[name, f"{ms:.3f}", f"{4e-9 * NUMBERS / ms:.2f}", f"{rows[0][1] / ms:.2f}"]
           for name, ms in rows])


def index_types(card):
    """Does the type of an index or `restrict` change the speed of rung 2?"""
    works = [*indices(SIDES[0]), asynchronous(SIDES[0])]
    rows = [[work.label, f"{card.time(work):.3f}"] for work in works]
    table([f"{SIDES[0]} x {SIDES[0]}", "ms"], rows)
    answer("ms: " + "; ".join(f"{name} {ms}" for name, ms in rows))


def group_order(card):
    """Does the order of the groups change the speed of rung 8?"""
    strips, rows = (0, 1, 2, 4, 8, 16), []
    for n in SIDES:
        times = [card.time(ordered(strip, n)) for strip in strips]
        rows.append([f"rung 8, {n}, ms", *(f"{ms:.3f}" for ms in times)])
        best = min(range(len(strips)), key=lambda i: times[i])
        gain = 100 * (times[0] / times[best] - 1)
        answer(f"{n}: row by row {times[0]:.3f} ms, best strips of {strips[best]} "
               f"{times[best]:.3f} ms, {gain:.1f} % faster")
    table(["strips of", *(str(strip or "whole rows") for strip in strips)], rows)
    rows = []
    for n in ((64, 128) if TINY else (256, 1024, 4096)):
        works = {work.label: work for work in rungs(n) + small_tiles(n)}
        names = ("rung 3", "rung 5", "rung 7", "rung 8", f"rung 7, {n}, tiles of 64")
        rows.append([str(n), *(f"{card.time(works[name]):.4f}" for name in names)])
    table(["matrices of, ms", *names[:4], "rung 7, tiles of 64"], rows)
    answer("rungs 3, 5, 7, 8 and 7 with tiles of 64, ms: "
           + "; ".join(f"{row[0]}: {', '.join(row[1:])}" for row in rows))


def group_size(card):
    """How large should a group be?"""
    sizes, n, columns = (32, 64, 128, 256, 512, 1024), NUMBERS // 4, {}
    limit = card.number_of(0x1004)
    sizes = [size for size in sizes if size <= limit]
    for size in sizes:
        add = Work("ew_add", "ew_add", source_of("ew_add"),
                   [(n, FEW), (n, FEW), (n, ZERO)], [n], (n // size, 1), (size, 1))
        run = card.launcher(add)
        coarse = source_of("reduce_coarse", ("GROUP 256", f"GROUP {size}"))
        teams = source_of("matvec_teams", ("TEAMS 8", f"TEAMS {size // 32}"))
        groups = GROUPS * GROUP // size
        works = [total("coarse", coarse, "reduce_coarse", groups, size),
                 matvec("matvec_teams", *SHORT, teams, teams=size // 32)]
        times = [1e3 * median(run), *map(card.time, works)]
        columns[size] = [f"{ms:.4f}" for ms in times]
    names = ["ew_add", "reduce_coarse, the same items", "matvec_teams"]
    table(["items of a group, ms", *map(str, sizes)],
          [[name, *(columns[size][i] for size in sizes)] for i, name in enumerate(names)])
    for i, name in enumerate(names):
        answer(f"{name}, ms: " + ", ".join(f"{size}: {columns[size][i]}" for size in sizes))


def broadcast(card):
    """What do the divisions of broadcast_mul cost where both shapes are equal?"""
    side = 64 if TINY else 4096
    n, kernel = side * side, "broadcast_mul"
    plain = card.time(multiply("ew_mul", "ew_mul", source_of("ew_mul"), 1, n))
    buffers = [card.buffer_for(i, n, FEW) for i in (0, 1)]
    out = card.memory(n)
    made, eight = card.compiled(kernel, source_of("broadcast")), ctypes.c_int * 8
    shape, rows = eight(1, 1, 1, 1, 1, 1, side, side), [["ew_mul", f"{plain:.4f}"]]
    strides = {"equal shapes": eight(*[0] * 6, side, 1), "a row": eight(*[0] * 7, 1)}
    for name, second in strides.items():
        values = [buffers[0], strides["equal shapes"], buffers[1], second, out, shape]
        ms = 1e3 * median(lambda: card.run(made, values, [n], (n, 1), (GROUP, 1)))
        rows.append([f"broadcast_mul, {name}", f"{ms:.4f}"])
        values = (ctypes.c_float * n)()
        card.read(out, values)
        assert values[n - 1] == few_at(n - 1) * few_at(n - 1 if second[6] else side - 1)
    table([f"{side} x {side}", "ms"], rows)
    answer("; ".join(f"{name} {ms} ms" for name, ms in rows))


def copies(card):
    """What does pinned memory gain, and what does a fresh result cost?"""
    rows, sizes = [], [1 << 12] if TINY else [1 << 12, 1 << 16, 1 << 20, 1 << 24, 1 << 26, 1 << 28]
    rates = {}
    for size in sizes:
        label = f"{size >> 10} KiB" if size < 1 << 20 else f"{size >> 20} MiB"
        count, row = size // 4, [label]
        there = card.memory(count)
        pageable = ctypes.create_string_buffer(size)
        # ALLOC_HOST_PTR: NVIDIA's driver pins it.
        pinned = card.memory(count, 1 | 1 << 4)
        status = ctypes.c_int()
        map_buffer = card.cl.clEnqueueMapBuffer
        map_buffer.restype = ctypes.c_void_p
        address = map_buffer(card.queue, pinned, 1, ctypes.c_ulong(3), ctypes.c_size_t(0),
                             ctypes.c_size_t(size), 0, None, None, ctypes.byref(status))
        checked(status.value)
        ctypes.memset(address, 1, size)
        for name, host in (("pageable", pageable), ("pinned", ctypes.c_void_p(address))):
            for call in ("clEnqueueWriteBuffer", "clEnqueueReadBuffer"):
                seconds = median(by_clock(lambda: copied(card, call, there, size, host)))
                row += [f"{1e6 * seconds:.1f}", f"{1e-9 * size / seconds:.2f}"]
                rates[name, call, size] = 1e-9 * size / seconds
        assert pageable[0] == b"\0" and ctypes.string_at(address, 1) == b"\1"
        checked(card.cl.clEnqueueUnmapMemObject(
            card.queue, pinned, ctypes.c_void_p(address), 0, None, None))
        card.release(pinned), card.release(there)
        rows.append(row)
    table(["bytes", "pageable: write µs", "GB/s", "read µs", "GB/s",
           "pinned: write µs", "GB/s", "read µs", "GB/s"], rows)
    size = sizes[-2] if len(sizes) > 1 else sizes[0]
    rate = [f"{rates[name, call, size]:.1f}" for name in ("pageable", "pinned")
            for call in ("clEnqueueWriteBuffer", "clEnqueueReadBuffer")]
    answer(f"{size / 2**20:g} MiB, GB/s: pageable write {rate[0]}, read {rate[1]}; "
           f"pinned write {rate[2]}, read {rate[3]}")
    card_says("pcie.link.gen.max,pcie.link.gen.current,pcie.link.width.current")
    result_memory(card, size)


def result_memory(card, size):
    """Takes apart the 50 ms of a sum of 16 million pairs with copies."""
    reused, there = ctypes.create_string_buffer(size), card.memory(size // 4)

    def fresh():
        with mmap.mmap(-1, size) as pages:
            into = (ctypes.c_char * size).from_buffer(pages)
            copied(card, "clEnqueueReadBuffer", there, size, into)
            del into

    def new_buffer():
        buffer = card.memory(size // 4)
        copied(card, "clEnqueueWriteBuffer", buffer, size, reused)
        card.release(buffer)

    parts = {
        "write into a buffer that exists": lambda: copied(
            card, "clEnqueueWriteBuffer", there, size, reused),
        "allocate a buffer, write, release": new_buffer,
        "read into memory that was used before": lambda: copied(
            card, "clEnqueueReadBuffer", there, size, reused),
        "read into fresh pages": fresh,
    }
    times = {name: 1e3 * median(by_clock(work)) for name, work in parts.items()}
    table([f"{size >> 20} MiB, pageable", "ms"],
          [[name, f"{ms:.2f}"] for name, ms in times.items()])
    write, allocated, read, pages = times.values()
    answer(f"of the 40 ms: three allocations {3 * (allocated - write):.1f} ms, "
           f"fresh pages of the result {pages - read:.1f} ms "
           f"({1e6 * (pages - read) / max(1, size / 4096):.0f} ns for each page of 4 KiB)")


def copied(card, call, buffer, size, host):
    checked(getattr(card.cl, call)(card.queue, buffer, 1, ctypes.c_size_t(0),
                                   ctypes.c_size_t(size), host, 0, None, None))


def launches(card):
    """What does a launch cost, alone, in a row, and in a graph?"""
    kernel, place = card.compiled("nothing", SMALL), card.memory(64)
    checked(card.cl.clSetKernelArg(kernel, 0, ctypes.c_size_t(8), ctypes.byref(place)))
    one = (ctypes.c_size_t * 1)(32)

    def launch(count, wait):
        for _ in range(count):
            checked(card.cl.clEnqueueNDRangeKernel(
                card.queue, kernel, 1, None, one, one, 0, None, None))
        if wait:
            checked(card.cl.clFinish(card.queue))

    call = ctypes.c_uint()

    def calls():
        for _ in range(1000):
            card.cl.clGetKernelInfo(kernel, 0x1191, ctypes.c_size_t(4),
                                    ctypes.byref(call), None)

    many = 100 if TINY else 1000
    micro = {
        "a call from Python that does nothing": 1e3 * median(by_clock(calls)),
        "one launch and a wait": 1e6 * median(by_clock(lambda: launch(1, True))),
        "each of 44 launches, one wait": 1e6 / 44 * median(
            by_clock(lambda: launch(44, True))),
        f"each of {many} launches, one wait": 1e6 / many * median(
            by_clock(lambda: launch(many, True))),
    }
    try:
        import torch
        tiny = torch.zeros(32, device="cuda")

        def adds():
            for _ in range(44):
                tiny.add_(1)

        def waited(work):
            work()
            torch.cuda.synchronize()

        adds()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            adds()
        micro["PyTorch, each of 44, call by call"] = 1e6 / 44 * median(
            by_clock(lambda: waited(adds)))
        micro["PyTorch, each of 44, a CUDA graph"] = 1e6 / 44 * median(
            by_clock(lambda: waited(graph.replay)))
    except Exception as error:
        say(f"no PyTorch: {error}")
    table(["launches of 32 items", "µs"], [[name, f"{us:.2f}"] for name, us in micro.items()])
    answer("µs: " + "; ".join(f"{name} {us:.2f}" for name, us in micro.items()))


def tf32(card):
    """How fast is PyTorch with tensor cores, and how many digits does it keep?"""
    import torch
    rows = []
    for n in (512, 1024, 2048, 4096, 4097, 8192):
        a, b = (torch.rand(n, n, device="cuda") for _ in range(2))
        right = a[:64].double() @ b.double()
        row = [str(n)]
        for allowed in (False, True):
            torch.backends.cuda.matmul.allow_tf32 = allowed
            out = a @ b
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                for _ in range(10):
                    torch.mm(a, b, out=out)
            ms = torch_median(graph.replay) / 10
            # All numbers are positive, so the sum is that of the magnitudes.
            error = ((out[:64].double() - right) / right).abs().max().item()
            row += [f"{ms:.4f}", f"{2e-9 * n**3 / ms:.0f}", f"{error:.0e}"]
        rows.append(row)
    torch.backends.cuda.matmul.allow_tf32 = False
    table(["matrices of", "float32: ms", "TFLOP/s", "error", "TF32: ms", "TFLOP/s", "error"],
          rows)
    for n, ms, rate, error, fast, fast_rate, fast_error in rows:
        answer(f"{n}: float32 {ms} ms ({rate} TFLOP/s, error {error}), "
               f"TF32 {fast} ms ({fast_rate} TFLOP/s, error {fast_error})")


def host(card):
    """Why does the host's sum of two vectors have a bend between 65,536 and 262,144?"""
    import numpy
    rows = []
    for n in (1 << 14, 1 << 15, 1 << 16, 1 << 17, 1 << 18, 1 << 19, 1 << 20):
        a, b = numpy.ones(n, "f4"), numpy.ones(n, "f4")
        out = numpy.empty(n, "f4")
        kept = median(by_clock(lambda: numpy.add(a, b, out=out)), 0.1)
        fresh = median(by_clock(lambda: numpy.add(a, b)), 0.1)

        def mapped():
            with mmap.mmap(-1, 4 * n) as pages:
                numpy.add(a, b, out=numpy.frombuffer(pages, "f4"))

        pages = median(by_clock(mapped), 0.1)
        rows.append([str(n), f"{12 * n / 1e6:.2f}",
                     *(f"{1e6 * s:.1f}" for s in (kept, fresh, pages))])
    table(["elements", "MB", "into an existing array, µs", "into a new array", "new pages"],
          rows)
    for cache in sorted(Path("/sys/devices/system/cpu/cpu0/cache").glob("index*")):
        level, size = ((cache / name).read_text().strip() for name in ("level", "size"))
        say(f"cache of level {level}: {size}")
    answer("elements: existing array, new array, new pages, µs: " + "; ".join(
        f"{row[0]}: {row[2]}, {row[3]}, {row[4]}" for row in rows if int(row[0]) >= 1 << 16))


def errors(card):
    """What does the driver say to a misspelled kernel, a printf, and a stray write?"""
    report = subprocess.run([sys.executable, __file__, "--errors"], timeout=60,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    for line in report.stdout.strip().splitlines()[:12]:
        say(f"  {line[:96]}")
        ANSWERS.append(f"   {line[:96]}")
    answer(f"the program with the stray write ended with exit code {report.returncode}")


def provoke_errors():
    card = Card()
    try:
        card.kernel("wrong", "kernel void wrong(global float *a)\n"
                    "{\n    a[0] = get_globl_id(0);\n}\n")
        print("the misspelled kernel was compiled")
    except SystemExit as error:
        print(error)
    place = card.memory(64)
    print("printf:", flush=True)
    card.run(card.compiled("speaks", ERRORS), [place], [], (2, 1), (2, 1))
    kernel = card.compiled("strays", ERRORS)
    far = ctypes.c_ulong(1 << 40)
    for i, value in enumerate((place, far)):
        checked(card.cl.clSetKernelArg(kernel, i, ctypes.c_size_t(8), ctypes.byref(value)))
    one, number = (ctypes.c_size_t * 1)(1), ctypes.c_float()
    print("a write 4 TB past the end: launch", card.cl.clEnqueueNDRangeKernel(
        card.queue, kernel, 1, None, one, one, 0, None, None), end=", ", flush=True)
    print("finish", card.cl.clFinish(card.queue), end=", ", flush=True)
    print("a read after it", card.cl.clEnqueueReadBuffer(
        card.queue, place, 1, ctypes.c_size_t(0), ctypes.c_size_t(4),
        ctypes.byref(number), 0, None, None), flush=True)


def card_says(what):
    try:
        report = subprocess.run(["nvidia-smi", f"--query-gpu={what}", "--format=csv,noheader"],
                                stdout=subprocess.PIPE, text=True)
        answer(f"{what}: {report.stdout.strip()}")
    except OSError:
        say("there is no nvidia-smi here")


EXPERIMENTS = {
    "latency": latency, "roof": roof, "bytes-in-flight": bytes_in_flight, "atomics": atomics,
    "exchange": exchange, "reductions": reductions, "sum-steps": sum_steps,
    "index-types": index_types, "group-order": group_order, "group-size": group_size,
    "broadcast": broadcast, "copies": copies, "launches": launches, "tf32": tf32, "host": host,
    "machine-code": machine_code, "counters": counters, "errors": errors,
}


def option(name):
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else None


def main():
    if "--launch" in sys.argv:
        return launch_assembly(Path(option("--launch")))
    if "--errors" in sys.argv:
        return provoke_errors()
    wanted = (option("--only") or ",".join(EXPERIMENTS)).split(",")
    unknown = [name for name in wanted if name not in EXPERIMENTS]
    if unknown:
        sys.exit(f"There is no experiment `{unknown[0]}`; there are {', '.join(EXPERIMENTS)}.")
    card = Card()
    ANSWERS.append(f"device {card.name()}")
    card_says("name,driver_version,clocks.max.sm,clocks.max.memory,power.limit")
    for name in wanted:
        start, experiment = time.monotonic(), EXPERIMENTS[name]
        say(f"\n== {name}: {experiment.__doc__.strip()}")
        ANSWERS.append(f"{name}:")
        try:
            experiment(card)
        except (Exception, SystemExit) as error:
            traceback.print_exc()
            answer(f"FAILED: {type(error).__name__}: {error}"[:300])
        if SPREADS:
            answer(f"the middle half of the times is {statistics.median(SPREADS):.1f} % of the "
                   f"median wide, at most {max(SPREADS):.1f} %")
            SPREADS.clear()
        release_all(card)
        say(f"({time.monotonic() - start:.0f} s)")
    card_says("clocks.sm,temperature.gpu,power.draw")
    say("\n==== summary")
    for line in ANSWERS:
        say(textwrap.fill(line, 100, subsequent_indent="    "))
    if option("--out"):
        (Path(option("--out")) / "experiments.txt").write_text("\n".join(LINES) + "\n")


if __name__ == "__main__":
    main()
