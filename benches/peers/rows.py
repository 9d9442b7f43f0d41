"""The rows of `cargo learn bench` by numpy, PyTorch and CLBlast.

    python3 rows.py numpy|torch|clblast cpu|NAME-OF-A-CARD THREADS DEVICE

DEVICE is the device of our engine, such as `gpu:0`; CLBlast runs on the same one.

Says in its first line who it is, or what is missing. Then it answers each line
of its input, a row with its sizes, with the seconds of one run, a list for
each way of running it; both are JSON.

On a card there are two ways. `eager` asks for one run after the other, and the
card's own clock says from the first to the last. Short kernels are over before
Python asks for the next, so `graph` records the runs once, as a CUDA graph, and
replays them: that is the work alone. `compiled` is by `torch.compile`, for the
rows that have most to win. On a processor there is one way, `eager`, by the
clock of the host. Products are those of float32, without TF32.

CLBlast is timed as our engine is: by the clock of the host, from the first call
until the device has finished the last run.
"""

import ctypes
import ctypes.util
import gc
import json
import math
import os
import random
import re
import sys
import time
from array import array

IN_A_GRAPH = 10
CARD_GRAIN = 10e-3
OPENCL_GRAIN = 50e-3
HOST_GRAIN = 200e-6
MOST_RUNS = 10_000


# Whatever a library prints is no answer.
answers = os.fdopen(os.dup(1), "w")
os.dup2(2, 1)


def say(**words):
    print(json.dumps(words), file=answers, flush=True)


def missing(why):
    say(missing=str(why))
    sys.exit()


package, device, threads = sys.argv[1], sys.argv[2], int(sys.argv[3])
try:
    if package == "numpy":
        import numpy as np

        if device != "cpu":
            missing("numpy computes on the processor alone")
        say(peer="numpy", version=np.__version__, on=f"cpu, {threads} threads")
    elif package == "torch":
        import torch
        import torch.nn.functional as F

        torch.set_num_threads(threads)
        place, on = "cpu", f"cpu, {threads} threads"
        if device != "cpu":
            cards = range(torch.cuda.device_count())
            names = [torch.cuda.get_device_name(card) for card in cards]
            # Drivers may call a card by two names; one card is the one.
            if device not in names and len(names) != 1:
                missing(f"it finds no card {device!r}, but {names}")
            card = names.index(device) if device in names else 0
            place, on = f"cuda:{card}", names[card]
            torch.cuda.set_device(place)
            torch.backends.cuda.matmul.allow_tf32 = False
            torch.backends.cudnn.allow_tf32 = False
        say(peer="PyTorch", version=torch.__version__, on=on)
except ImportError as error:
    missing(error)


# What a row does: the same sizes, and as far as it goes the same numbers.


def scattered(count):
    return [place * 7919 % count for place in range(count)]


class Numpy:
    def new(self, *shape):
        return (np.random.rand(*shape) - 0.5).astype(np.float32)

    def multiply(self, n):
        x, y = self.new(n), self.new(n)
        return lambda: x * y

    def copy(self, n):
        x, two = self.new(n), np.float32(2)
        return lambda: x * two

    def seven(self, n):
        z = self.new(n)
        sigmoid = lambda: 1 / (1 + np.exp(-z))
        return lambda: np.exp(np.tanh(z * 1.5 + 0.5)) * z - sigmoid()

    def matmul(self, batch, m, k, n, left, right):
        a = self.new(batch, k, m).swapaxes(1, 2) if left else self.new(batch, m, k)
        b = self.new(batch, n, k).swapaxes(1, 2) if right else self.new(batch, k, n)
        if batch == 1:
            a, b = a[0], b[0]
        return lambda: a @ b

    def matvec(self, rows, columns, turned):
        a = self.new(rows, columns)
        a = a.T if turned else a
        x = self.new(a.shape[1])
        return lambda: a @ x

    def sum(self, side, axis=None):
        x = self.new(side, side)
        return lambda: x.sum(axis)

    def sum_over(self, a, b, c, *axes):
        x = self.new(a, b, c)
        return lambda: x.sum(axes)

    def max(self, side, axis):
        x = self.new(side, side)
        return lambda: x.max(axis)

    def transpose(self, side):
        x = self.new(side, side)
        return lambda: np.ascontiguousarray(x.T)

    def broadcast(self, side):
        x, row = self.new(side, side), self.new(side)
        return lambda: x + row

    def softmax(self, rows, columns):
        x = self.new(rows, columns)

        def run():
            e = np.exp(x - x.max(1, keepdims=True))
            return e / e.sum(1, keepdims=True)

        return run

    def log_softmax(self, rows, columns):
        x = self.new(rows, columns)

        def run():
            z = x - x.max(1, keepdims=True)
            return z - np.log(np.exp(z).sum(1, keepdims=True))

        return run

    def gather(self, rows, columns):
        x, places = self.new(rows, columns), np.array(scattered(rows))
        return lambda: x[places]


class Torch:
    def new(self, *shape):
        return torch.rand(*shape, device=place) - 0.5

    def leaf(self, *shape, scale=1.0):
        return (scale * self.new(*shape)).requires_grad_()

    def multiply(self, n):
        x, y = self.new(n), self.new(n)
        return lambda: x * y

    def copy(self, n):
        x = self.new(n)
        return lambda: x * 2.0

    def copy_halves(self, n):
        x = self.new(n).half()
        return lambda: x * 2.0

    def seven(self, n):
        z = self.new(n)
        return lambda: (z * 1.5 + 0.5).tanh().exp() * z - z.sigmoid()

    def matmul(self, batch, m, k, n, left, right):
        a = self.new(batch, k, m).mT if left else self.new(batch, m, k)
        b = self.new(batch, n, k).mT if right else self.new(batch, k, n)
        if batch == 1:
            a, b = a[0], b[0]
        return lambda: a @ b

    def matvec(self, rows, columns, turned):
        a = self.new(rows, columns)
        a = a.T if turned else a
        x = self.new(a.shape[1])
        return lambda: a @ x

    def sum(self, side, axis=None):
        x = self.new(side, side)
        return (lambda: x.sum()) if axis is None else (lambda: x.sum(axis))

    def sum_over(self, a, b, c, *axes):
        x = self.new(a, b, c)
        return lambda: x.sum(axes)

    def max(self, side, axis):
        x = self.new(side, side)
        return lambda: x.amax(axis)

    def transpose(self, side):
        x = self.new(side, side)
        return lambda: x.T.contiguous()

    def broadcast(self, side):
        x, row = self.new(side, side), self.new(side)
        return lambda: x + row

    def softmax(self, rows, columns):
        x = self.new(rows, columns)
        return lambda: x.softmax(1)

    def log_softmax(self, rows, columns):
        x = self.new(rows, columns)
        return lambda: x.log_softmax(1)

    def gather(self, rows, columns):
        x = self.new(rows, columns)
        places = torch.tensor(scattered(rows), device=place)
        return lambda: x.index_select(0, places)

    def notebook(self, n):
        x, y = self.leaf(n), self.leaf(n)

        def run():
            x.grad = y.grad = None
            (x * y * y).sum().backward()

        return run

    def chain(self, links, backward=True):
        values = (1.0, 0.999, 0.002)
        y, b, a = (torch.tensor([v], device=place).requires_grad_() for v in values)

        def run():
            y.grad = b.grad = a.grad = None
            last = y
            for _ in range(links):
                last = last * b + a
            if backward:
                last.backward()

        return run

    def forward(self, links):
        return self.chain(links, backward=False)

    def step(self, parameters, loss):
        def better():
            with torch.no_grad():
                for p in parameters:
                    p -= 0.01 * p.grad

        def by(loss, better):
            def run():
                for p in parameters:
                    p.grad = None
                loss().backward()
                better()

            return run

        run = by(loss, better)
        # What autograd does between the two is compiled with the first.
        run.compiled = lambda: by(torch.compile(loss), torch.compile(better))
        return run

    def mlp(self, batch, inputs, hidden):
        x, labels = self.new(batch, inputs), torch.arange(batch, device=place) % 10
        shapes = ((inputs, hidden), (hidden,), (hidden, 10), (10,))
        p = [self.leaf(*shape, scale=0.1) for shape in shapes]

        def loss():
            h = (x @ p[0] + p[1]).relu()
            return F.cross_entropy(h @ p[2] + p[3], labels)

        return self.step(p, loss)

    def cnn(self, batch):
        x, labels = self.new(batch, 1, 28, 28), torch.arange(batch, device=place) % 10
        shapes = ((8, 1, 3, 3), (8,), (16, 8, 3, 3), (16,), (784, 10), (10,))
        p = [self.leaf(*shape, scale=0.1) for shape in shapes]

        def loss():
            h = F.max_pool2d(F.conv2d(x, p[0], p[1], padding=1).relu(), 2)
            h = F.max_pool2d(F.conv2d(h, p[2], p[3], padding=1).relu(), 2)
            return F.cross_entropy(h.reshape(batch, 784) @ p[4] + p[5], labels)

        return self.step(p, loss)

    def gpt(self, batch, context, width, layers, heads, vocabulary):
        net = gpt(context, width, layers, heads, vocabulary).to(place)
        places = torch.arange(batch * context, device=place)
        inputs = (places * 7 % vocabulary).view(batch, context)
        targets = places * 11 % vocabulary
        on_card = device != "cpu"
        # One kernel for all parameters; `capturable` lets a graph record it.
        adam = torch.optim.AdamW(
            net.parameters(), 1e-3, weight_decay=0.01, fused=True, capturable=on_card
        )

        def by(net):
            def run():
                adam.zero_grad()
                scores = net(inputs)
                F.cross_entropy(scores.view(-1, vocabulary), targets).backward()
                adam.step()

            return run

        run = by(net)
        run.compiled = lambda: by(torch.compile(net))
        return run


def gpt(context, width, layers, heads, vocabulary):
    """The network of part3_names and part3_shakespeare."""
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.up = nn.Linear(width, 4 * width)
            self.down = nn.Linear(4 * width, width)

        def forward(self, x):
            n, places, _ = x.shape
            parts = self.qkv(self.norm1(x)).split(width, 2)
            parts = [p.view(n, places, heads, -1).transpose(1, 2) for p in parts]
            seen = F.scaled_dot_product_attention(*parts, is_causal=True)
            x = x + self.out(seen.transpose(1, 2).reshape(n, places, width))
            return x + self.down(F.gelu(self.up(self.norm2(x))))

    class Gpt(nn.Module):
        def __init__(self):
            super().__init__()
            self.tokens = nn.Embedding(vocabulary, width)
            self.places = nn.Parameter(torch.zeros(context, width))
            self.blocks = nn.Sequential(*(Block() for _ in range(layers)))
            self.norm = nn.LayerNorm(width)
            self.head = nn.Linear(width, vocabulary, bias=False)

        def forward(self, tokens):
            return self.head(self.norm(self.blocks(self.tokens(tokens) + self.places)))

    return Gpt()


# Constants of OpenCL's and CLBlast's headers.
DEVICE_TYPE, DEVICE_NAME, ALL_TYPES = 0x1000, 0x102B, 0xFFFFFFFF
READ_WRITE = 1
ROW_MAJOR, NOT_TRANSPOSED, TRANSPOSED = 101, 111, 112


class Clblast:
    """CLBlast through `ctypes`. It links OpenCL, so one handle has both."""

    # Matrices repeat this many random values. It is a prime, so rows differ.
    PERIOD = 65537

    def __init__(self, index):
        name = ctypes.util.find_library("clblast") or "libclblast.so.1"
        self.library, self.buffers = ctypes.CDLL(name), []
        devices = [
            device
            for platform in self.ids("clGetPlatformIDs")
            for device in self.ids("clGetDeviceIDs", platform, ALL_TYPES)
        ]
        # The order of `rungrad::opencl::devices`: GPUs, accelerators, CPUs.
        devices.sort(key=self.rank)
        if index >= len(devices):
            raise OSError(f"OpenCL has only {len(devices)} devices")
        device = devices[index]
        self.name = self.info(device, DEVICE_NAME).value.decode().strip()
        one = ctypes.byref(device)
        self.context = self.create("clCreateContext", None, 1, one, None, None)
        self.queue = self.create("clCreateCommandQueue", self.context, device, 0)
        self.finish = self.call("clFinish", self.queue)

    def version(self):
        """Its version, which only the name of the library's file contains."""
        with open("/proc/self/maps") as maps:
            found = re.search(r"libclblast\.so\.([\d.]+)", maps.read())
        return found[1] if found else ""

    def argument(self, value):
        kind = {int: ctypes.c_size_t, float: ctypes.c_float}.get(type(value))
        return kind(value) if kind else value

    def call(self, name, *arguments):
        """Prepares a call, which is an error if its status is not 0."""
        function = getattr(self.library, name)
        arguments = [self.argument(value) for value in arguments]

        def run():
            status = function(*arguments)
            if status != 0:
                raise RuntimeError(f"{name} returned the status {status}")

        return run

    def create(self, name, *arguments):
        function = getattr(self.library, name)
        function.restype = ctypes.c_void_p
        made = function(*map(self.argument, arguments), None)
        if made is None:
            raise RuntimeError(f"{name} returned no object")
        return ctypes.c_void_p(made)

    def ids(self, name, *parent):
        count, found = ctypes.c_uint(), (ctypes.c_void_p * 64)()
        arguments = *parent, len(found), found, ctypes.byref(count)
        # A platform without devices returns an error and leaves the count 0.
        getattr(self.library, name)(*map(self.argument, arguments))
        return [ctypes.c_void_p(value) for value in found[: count.value]]

    def info(self, device, what):
        answer = ctypes.create_string_buffer(1024)
        self.call("clGetDeviceInfo", device, what, len(answer), answer, None)()
        return answer

    def rank(self, device):
        bits = self.info(device, DEVICE_TYPE).raw[0]
        return 0 if bits & 4 else 2 if bits & 2 else 1

    def buffer(self, count):
        self.buffers.append(
            self.create("clCreateBuffer", self.context, READ_WRITE, 4 * count, None)
        )
        return self.buffers[-1]

    def free(self):
        for buffer in self.buffers:
            self.call("clReleaseMemObject", buffer)()
        self.buffers = []

    def transfer(self, name, buffer, first, values):
        """Reads or writes elements, and waits."""
        data = ctypes.c_void_p(values.buffer_info()[0])
        where = 1, 4 * first, 4 * len(values), data, 0, None, None
        self.call(name, self.queue, buffer, *where)()

    def new(self, count):
        """A buffer of random values, and the values that it repeats."""
        values = array("f", (random.random() - 0.5 for _ in range(self.PERIOD)))
        buffer = self.buffer(count)
        repeated = (values * (count // self.PERIOD + 1))[:count]
        self.transfer("clEnqueueWriteBuffer", buffer, 0, repeated)
        return buffer, values

    def matmul(self, batch, m, k, n, left, right):
        (a, a_values), (b, b_values) = self.new(batch * m * k), self.new(batch * k * n)
        c = self.buffer(batch * m * n)
        a_row, b_row = m if left else k, k if right else n
        sides = [TRANSPOSED if side else NOT_TRANSPOSED for side in (left, right)]
        sizes = ROW_MAJOR, *sides, m, n, k
        queue = ctypes.byref(self.queue)
        if n == 1:
            stored = (k, m) if left else (m, k)
            operands = 1.0, a, 0, a_row, b, 0, 1, 0.0, c, 0, 1, queue, None
            run = self.call("CLBlastSgemv", ROW_MAJOR, sides[0], *stored, *operands)
        elif batch == 1:
            # Our engine does not allocate in each run, so CLBlast need not either.
            size = ctypes.c_size_t()
            rows = 0, a_row, 0, b_row, 0, n, queue, ctypes.byref(size)
            self.call("CLBlastSGemmTempBufferSize", *sizes, *rows)()
            space = self.buffer(size.value // 4 + 1)
            operands = 1.0, a, 0, a_row, b, 0, b_row, 0.0, c, 0, n, queue, None, space
            run = self.call("CLBlastSgemmWithTempBuffer", *sizes, *operands)
        else:
            factors = 1.0, a, 0, a_row, m * k, b, 0, b_row, k * n
            result = 0.0, c, 0, n, m * n, batch, queue, None
            run = self.call("CLBlastSgemmStridedBatched", *sizes, *factors, *result)
        # The last element must be right, since a wrong peer is worse than none.
        run()
        found = array("f", [math.nan])
        self.transfer("clEnqueueReadBuffer", c, batch * m * n - 1, found)
        a_step, b_step = m if left else 1, 1 if right else n
        a_end, b_end = batch * m * k - 1, batch * k * n - 1
        expected = sum(
            a_values[(a_end - i * a_step) % self.PERIOD]
            * b_values[(b_end - i * b_step) % self.PERIOD]
            for i in range(k)
        )
        if not abs(found[0] - expected) < 1e-3 * math.sqrt(k):
            raise RuntimeError(f"the last element is {found[0]}, not {expected}")
        return run

    def matvec(self, rows, columns, turned):
        m, k = (columns, rows) if turned else (rows, columns)
        return self.matmul(1, m, k, 1, turned, 0)

    def clock(self, run, runs):
        return host_clock(run, runs, self.finish)


# How it is timed.


def host_clock(run, runs, finish=lambda: None):
    start = time.perf_counter()
    for _ in range(runs):
        run()
    finish()
    return (time.perf_counter() - start) / runs


def card_clock(run, runs):
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    for _ in range(runs):
        run()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) * 1e-3 / runs


def times(run, clock, grain, seconds, limit):
    """What one run takes, so often as `seconds` allow, and at least once."""
    first = clock(run, 1)
    if first > limit:
        return [first]
    clock(run, 1)
    once = max(clock(run, 1), 1e-9)
    some = min(max(int(grain / once / 4), 1), MOST_RUNS)
    once = max(clock(run, some), 1e-9)
    runs = min(max(int(grain / once) + 1, 1), MOST_RUNS)
    found = []
    start = time.monotonic()
    while time.monotonic() - start < seconds or not found:
        found.append(clock(run, runs))
    return found


def recorded(run, often):
    """A CUDA graph of so many runs, after some on a stream that is not the usual
    one: what they leave behind must not belong to it."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            run()
    torch.cuda.current_stream().wait_stream(stream)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(often):
            run()
    return graph


def on_card(work, run, kept, seconds, limit):
    ways = {"eager": times(run, card_clock, CARD_GRAIN, seconds, limit)}
    try:
        if "graph" not in kept:
            often = IN_A_GRAPH if min(ways["eager"]) < 1e-3 else 1
            kept["graph"] = recorded(run, often), often
        graph, often = kept["graph"]
        replayed = times(graph.replay, card_clock, CARD_GRAIN, seconds, often * limit)
        ways["graph"] = [time / often for time in replayed]
    except Exception as error:
        ways["graph"] = sentence(error)
    if work in ("seven", "mlp", "cnn", "gpt") and seconds >= LEAST_FOR_COMPILER:
        try:
            if "compiled" not in kept:
                compiled = getattr(run, "compiled", lambda: torch.compile(run))
                kept["compiled"] = compiled()
            compiled = kept["compiled"]
            ways["compiled"] = times(compiled, card_clock, CARD_GRAIN, seconds, limit)
        except Exception as error:
            ways["compiled"] = sentence(error)
    return ways


def sentence(error):
    first = (str(error).splitlines() or [""])[0]
    return f"{type(error).__name__}: {first[:200]}"


# A quick run does not wait for a compiler.
LEAST_FOR_COMPILER = 0.1
if package == "clblast":
    index = sys.argv[4].rpartition(":")[2]
    if not index.isdigit():
        missing(f"it needs an OpenCL device, and {sys.argv[4]} is none")
    try:
        engine = Clblast(int(index))
    except (OSError, RuntimeError) as error:
        missing(error)
    if device not in ("cpu", engine.name):
        missing(f"its device {index} is {engine.name!r}, not {device!r}")
    say(peer="CLBlast", version=engine.version(), on=engine.name)
else:
    engine = Numpy() if package == "numpy" else Torch()
name, run, kept = None, None, {}
for line in sys.stdin:
    order = json.loads(line)
    work, seconds, limit = order["work"], order["seconds"], order["limit"]
    try:
        if order["row"] != name:
            # The row before gives its memory back first.
            name, run, kept = None, None, {}
            gc.collect()
            if package == "clblast":
                engine.free()
            elif device != "cpu":
                torch.cuda.empty_cache()
            make = getattr(engine, work, None)
            if make is None:
                # The engine lacks the operation: no mode, no time.
                say()
                continue
            run, name = make(*order["sizes"]), order["row"]
        if package == "clblast":
            ways = {"eager": times(run, engine.clock, OPENCL_GRAIN, seconds, limit)}
        elif device == "cpu":
            ways = {"eager": times(run, host_clock, HOST_GRAIN, seconds, limit)}
        else:
            ways = on_card(work, run, kept, seconds, limit)
        say(**ways)
    except Exception as error:
        name, run, kept = None, None, {}
        say(refused=sentence(error))
