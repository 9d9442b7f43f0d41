"""A training step by PyTorch's DistributedDataParallel, beside `cluster_speed`.

    python3 ddp.py [--model names|shakespeare|shakespeare-large]
                   [--device cpu|cuda] [--ranks 1,2] [--threads N]
                   [--batch N] [--steps N]

Each number of ranks is a case, and prints one line: the median of the steps in
milliseconds, with the quartiles. One rank trains without DistributedDataParallel.
Ranks are processes, connected by NCCL on cards and by gloo on the processor. The
global batch is the same for any number of ranks; each of them computes an equal
part. Products are those of float32, without TF32.

The networks, the optimizer and the loss are those of part3_names and
part3_shakespeare. The tokens are random, since their values do not change the
time of a step.
"""

import argparse
import os
import socket
import statistics
import time

import torch
import torch.nn.functional as F
from torch import nn

# Vocabulary, context, layers, heads, width, dropout, batch, weight decay, and
# whether a row has padding, which does not count in the loss.
MODELS = {
    "names": (27, 16, 4, 4, 64, 0.0, 64, 0.01, True),
    "shakespeare": (65, 64, 4, 4, 128, 0.0, 12, 0.1, False),
    "shakespeare-large": (65, 256, 6, 6, 384, 0.2, 64, 0.1, False),
}
WARM_UP = 10


class Block(nn.Module):
    def __init__(self, width, heads, dropout):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        n, positions, width = x.shape
        parts = self.qkv(self.norm1(x)).split(width, 2)
        parts = [p.view(n, positions, self.heads, -1).transpose(1, 2) for p in parts]
        seen = F.scaled_dot_product_attention(*parts, is_causal=True)
        seen = seen.transpose(1, 2).reshape(n, positions, width)
        x = x + self.dropout(self.out(seen))
        return x + self.dropout(self.down(F.gelu(self.up(self.norm2(x)))))


class Gpt(nn.Module):
    def __init__(self, vocabulary, context, layers, heads, width, dropout):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, width)
        self.places = nn.Parameter(torch.zeros(context, width))
        blocks = (Block(width, heads, dropout) for _ in range(layers))
        self.blocks = nn.Sequential(*blocks)
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)
        self.dropout = nn.Dropout(dropout)
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, std=0.02)

    def forward(self, tokens):
        x = self.dropout(self.tokens(tokens) + self.places)
        return self.head(self.norm(self.blocks(x)))


def adamw(net, decay):
    """Only matrices decay. One kernel updates all parameters."""
    groups = [
        {"params": [p for p in net.parameters() if p.dim() > 1], "weight_decay": decay},
        {"params": [p for p in net.parameters() if p.dim() < 2], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, 1e-3, betas=(0.9, 0.99), fused=True)


def batches(rank, ranks, count, vocabulary, context, padded):
    """Yields the tokens and the weights of this rank's rows. Averaged over the
    ranks, the weighted sums are the mean loss of the whole batch."""
    source = torch.Generator().manual_seed(0)
    own = slice(count * rank // ranks, count * (rank + 1) // ranks)
    while True:
        tokens = torch.randint(vocabulary, (count, context + 1), generator=source)
        weights = torch.ones(count, context)
        if padded:
            lengths = torch.randint(4, 10, (count, 1), generator=source)
            weights = (torch.arange(context) < lengths).float()
        yield tokens[own], weights[own] * ranks / weights.sum()


def work(rank, ranks, port, options, report):
    torch.set_num_threads(options.threads)
    torch.manual_seed(rank)
    *sizes, _, decay, padded = MODELS[options.model]
    vocabulary, context, *_ = sizes
    device = torch.device("cpu")
    if options.device == "cuda":
        device = torch.device("cuda", rank % torch.cuda.device_count())
        torch.cuda.set_device(device)
        torch.backends.cuda.matmul.allow_tf32 = False
        torch.backends.cudnn.allow_tf32 = False
    net = Gpt(*sizes).to(device)
    optimizer = adamw(net, decay)
    if ranks > 1:
        os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
        backend = {"cuda": "nccl", "cpu": "gloo"}[options.device]
        torch.distributed.init_process_group(backend, rank=rank, world_size=ranks)
        cards = [device.index] if options.device == "cuda" else None
        net = nn.parallel.DistributedDataParallel(
            net, device_ids=cards, gradient_as_bucket_view=True
        )
    rows = batches(rank, ranks, options.batch, vocabulary, context, padded)
    times = []
    for _ in range(WARM_UP + options.steps):
        tokens, weights = next(rows)
        start = time.perf_counter()
        tokens, weights = tokens.to(device), weights.to(device)
        optimizer.zero_grad(set_to_none=True)
        scores = net(tokens[:, :-1])
        targets = tokens[:, 1:].reshape(-1)
        losses = F.cross_entropy(scores.view(-1, vocabulary), targets, reduction="none")
        loss = (losses * weights.view(-1)).sum()
        loss.backward()
        optimizer.step()
        # The host waits for the device.
        last = loss.item()
        times.append(1e3 * (time.perf_counter() - start))
    if rank == 0:
        report.put((times[WARM_UP:], last))
    if ranks > 1:
        torch.distributed.destroy_process_group()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def measure(ranks, options):
    context = torch.multiprocessing.get_context("spawn")
    report = context.SimpleQueue()
    words = (ranks, free_port(), options, report)
    torch.multiprocessing.spawn(work, words, nprocs=ranks)
    times, loss = report.get()
    low, middle, high = statistics.quantiles(times, n=4)
    on = torch.cuda.get_device_name(0) if options.device == "cuda" else "cpu"
    how = {"cuda": "nccl", "cpu": "gloo"}[options.device] if ranks > 1 else "-"
    print(
        f"PyTorch {torch.__version__}  {options.model}  {on}, {options.threads} threads"
        f"  batch {options.batch}  ranks {ranks} {how}  {middle:.2f} ms"
        f"  ({low:.2f} to {high:.2f})  loss {loss:.3f}",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", choices=MODELS, default="names")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--ranks", default="1,2")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--batch", type=int)
    parser.add_argument("--steps", type=int, default=50)
    options = parser.parse_args()
    options.batch = options.batch or MODELS[options.model][6]
    os.environ["OMP_NUM_THREADS"] = str(options.threads)
    for ranks in map(int, options.ranks.split(",")):
        measure(ranks, options)


if __name__ == "__main__":
    main()
