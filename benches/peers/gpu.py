"""The vendor's libraries, through PyTorch, for `part2_ladder --peer`.

Says in its first line what it is. Then it answers each line of its input, a
kind of work and a size, with the seconds of one run by the device's own clock:
the median of many, each the tenth part of ten in a row. The ten are asked for
in two ways, one by one and as a graph that was recorded once, and the faster
way counts: a short kernel is over before Python asks for the next, and in a
graph a copy is left to an engine that is slower than a kernel.
Products are those of float32, without TF32.
"""

import statistics
import sys
import time

import torch

PATIENCE = 0.1
LEAST_TIMES = 3
IN_A_ROW = 10


def ten(work):
    for _ in range(IN_A_ROW):
        work()


def seconds(work):
    ten(work)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        ten(work)
    return min(median(graph.replay), median(lambda: ten(work)))


def median(run):
    run()
    torch.cuda.synchronize()
    times = []
    start = time.monotonic()
    while time.monotonic() - start < PATIENCE or len(times) < LEAST_TIMES:
        begin = torch.cuda.Event(enable_timing=True)
        end = torch.cuda.Event(enable_timing=True)
        begin.record()
        run()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) * 1e-3 / IN_A_ROW)
    return statistics.median(times)


def matmul(n):
    a, b, out = (torch.rand(n, n, device="cuda") for _ in range(3))
    return seconds(lambda: torch.mm(a, b, out=out))


def mul(n):
    a, b, out = (torch.rand(n, device="cuda") for _ in range(3))
    return seconds(lambda: torch.mul(a, b, out=out))


def copy(n):
    a, out = (torch.rand(n, device="cuda") for _ in range(2))
    return seconds(lambda: out.copy_(a))


if not torch.cuda.is_available():
    sys.exit("PyTorch finds no CUDA device here.")
torch.backends.cuda.matmul.allow_tf32 = False
print(
    f"PyTorch {torch.__version__}, float32 without TF32, "
    f"on {torch.cuda.get_device_name()}",
    flush=True,
)
for line in sys.stdin:
    work, n = line.split()
    answer = {"matmul": matmul, "mul": mul, "copy": copy}[work](int(n))
    print(answer, flush=True)
    torch.cuda.empty_cache()
