"""The rows of `cargo learn bench` by numpy and by PyTorch.

    python3 rows.py numpy|torch cpu|NAME-OF-A-CARD THREADS

Says in its first line who it is, or what is missing. Then it answers each line
of its input, a row with its sizes, with the seconds of one run, a list for
each way of running it; both are JSON.

On a card there are two ways. `eager` asks for one run after the other, and the
card's own clock says from the first to the last. Short kernels are over before
Python asks for the next, so `graph` records the runs once, as a CUDA graph, and
replays them: that is the work alone. `compiled` is by `torch.compile`, for the
rows that have most to win. On a processor there is one way, `eager`, by the
clock of the host. Products are those of float32, without TF32.
"""

import gc
import json
import os
import sys
import time

IN_A_GRAPH = 10
CARD_GRAIN = 10e-3
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
    else:
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


# How it is timed.


def host_clock(run, runs):
    start = time.perf_counter()
    for _ in range(runs):
        run()
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
            if device != "cpu":
                torch.cuda.empty_cache()
            make = getattr(engine, work, None)
            if make is None:
                # numpy has no gradients: no way, no time.
                say()
                continue
            run, name = make(*order["sizes"]), order["row"]
        if device == "cpu":
            ways = {"eager": times(run, host_clock, HOST_GRAIN, seconds, limit)}
        else:
            ways = on_card(work, run, kept, seconds, limit)
        say(**ways)
    except Exception as error:
        name, run, kept = None, None, {}
        say(refused=sentence(error))
