"""A small PyTorch network, whose weights are exchanged in both directions.

    pip install torch safetensors numpy
    python3 torch_digits.py make DIGITS FOLDER
    python3 torch_digits.py check DIGITS WEIGHTS SCORES

`make` trains it on the digits and writes torch_digits.safetensors, its
weights, and torch_scores.safetensors, its scores for the first 32 digits.
`check` loads weights that Rungrad has saved, and compares the scores of both.
"""

import gzip
import sys
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import nn


# ANCHOR: model
def network():
    return nn.Sequential(
        nn.Linear(64, 16),
        nn.ReLU(),
        nn.Linear(16, 16),
        nn.ReLU(),
        nn.Linear(16, 10),
    )


# ANCHOR_END: model
def digits(path):
    with gzip.open(path, "rt") as file:
        rows = [[int(word) for word in line.split(",")] for line in file]
    rows = torch.tensor(rows)
    return rows[:, :64] / 16.0, rows[:, 64]


def make(path, folder):
    torch.manual_seed(0)
    pixels, labels = digits(path)
    model = network()
    adam = torch.optim.Adam(model.parameters(), lr=0.01)
    for step in range(300):
        loss = nn.functional.cross_entropy(model(pixels), labels)
        adam.zero_grad()
        loss.backward()
        adam.step()
    print(f"loss {loss.item():.4f}")
    folder = Path(folder)
    save_file(model.state_dict(), folder / "torch_digits.safetensors")
    with torch.no_grad():
        scores = model(pixels[:32])
    save_file({"scores": scores}, folder / "torch_scores.safetensors")


# ANCHOR: check
def check(path, weights, scores):
    model = network()
    model.load_state_dict(load_file(weights))
    ours = load_file(scores)["scores"]
    with torch.no_grad():
        theirs = model(digits(path)[0][: len(ours)])
    apart = (ours - theirs).abs().max().item()
    print(f"{len(ours)} digits, scores at most {apart:.0e} apart")
    sys.exit(apart > 1e-4)


# ANCHOR_END: check
{"make": make, "check": check}[sys.argv[1]](*sys.argv[2:])
