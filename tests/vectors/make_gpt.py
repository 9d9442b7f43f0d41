"""Makes gpt.json and gpt.safetensors: a small GPT in PyTorch, its scores and
gradients, and the losses of its first steps.

    python3 make_gpt.py > gpt.json

It also writes gpt.safetensors: the initial weights, with the names and the
layout that they have in Rungrad, where Linear's weights are (in, out).
"""

import json
import math
import struct

import torch
import torch.nn as nn
import torch.nn.functional as F

VOCABULARY, CONTEXT, LAYERS, HEADS, WIDTH = 27, 16, 2, 4, 32
BATCH, STEPS, RATE, WARM_UP = 8, 100, 6e-3, 10


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        n, places, width = x.shape
        parts = self.qkv(x).split(width, 2)
        parts = [
            part.view(n, places, HEADS, width // HEADS).transpose(1, 2)
            for part in parts
        ]
        seen = F.scaled_dot_product_attention(*parts, is_causal=True)
        return self.out(seen.transpose(1, 2).reshape(n, places, width))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1 = nn.LayerNorm(WIDTH)
        self.attention = Attention()
        self.norm2 = nn.LayerNorm(WIDTH)
        self.up = nn.Linear(WIDTH, 4 * WIDTH)
        self.down = nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Gpt(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, WIDTH)
        self.places = nn.Parameter(torch.zeros(CONTEXT, WIDTH))
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)

    def forward(self, tokens):
        x = self.tokens(tokens) + self.places[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def ours(name, tensor):
    """The name and the layout that a parameter has in Rungrad."""
    tensor = tensor.detach().to(torch.float32)
    is_linear = name.endswith(("qkv.weight", "out.weight", "up.weight"))
    if is_linear or name.endswith(("down.weight", "head.weight")):
        tensor = tensor.t()
    if name == "head.weight":
        name = "head"
    return name, tensor.contiguous()


def numbers(count, most, seed):
    """Integers below `most`, which the test draws in the same way."""
    state, drawn = seed, []
    for _ in range(count):
        state = (state * 1103515245 + 12345) % 2**31
        drawn.append((state >> 8) % most)
    return drawn


def batch(step):
    count = BATCH * CONTEXT
    tokens = numbers(count, VOCABULARY, 2 * step + 1)
    # The target can be learned: it is usually the next token.
    noise = numbers(count, 4, 2 * step + 2)
    targets = [
        token if other == 0 else (token + 1) % VOCABULARY
        for token, other in zip(tokens, noise)
    ]
    # The loss counts each row up to a random end.
    ends = numbers(BATCH, CONTEXT - 1, 3 * step + 5)
    weights = [
        float(place <= ends[row])
        for row in range(BATCH)
        for place in range(CONTEXT)
    ]
    shape = (BATCH, CONTEXT)
    return torch.tensor(tokens).reshape(shape), targets, weights


def loss_of(gpt, step):
    tokens, targets, weights = batch(step)
    scores = gpt(tokens).reshape(-1, VOCABULARY)
    weights = torch.tensor(weights, dtype=scores.dtype)
    losses = F.cross_entropy(scores, torch.tensor(targets), reduction="none")
    return (losses * weights).sum() / weights.sum(), scores


def rate_at(step):
    return RATE * min(1.0, (step + 1) / WARM_UP) * (STEPS - step) / STEPS


def write(path, tensors):
    header, data = {}, b""
    for name, tensor in tensors:
        values = struct.pack(f"<{tensor.numel()}f", *tensor.flatten().tolist())
        header[name] = {
            "dtype": "F32",
            "shape": list(tensor.shape),
            "data_offsets": [len(data), len(data) + len(values)],
        }
        data += values
    header = json.dumps(header).encode()
    header += b" " * (-len(header) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(header)) + header + data)


torch.manual_seed(17)
gpt = Gpt()
with torch.no_grad():
    for parameter in gpt.parameters():
        # Random values, so that biases and norm weights are tested too.
        drawn = 0.1 * torch.randn_like(parameter)
        parameter.copy_(drawn + (parameter if parameter.dim() == 1 else 0))
write("gpt.safetensors", [ours(*it) for it in gpt.named_parameters()])

# Computed in f64 from the same f32 weights.
gpt = gpt.double()
loss, scores = loss_of(gpt, 0)
loss.backward()
grads = {}
for name, parameter in gpt.named_parameters():
    name, grad = ours(name, parameter.grad)
    values = grad.flatten()
    # The first gradients, and the norm of all.
    grads[name] = {
        "first": values[:6].tolist(),
        "length": math.sqrt((values.double() ** 2).sum().item()),
    }
gpt.zero_grad()
adam = torch.optim.AdamW(
    gpt.parameters(), lr=RATE, betas=(0.9, 0.99), weight_decay=0.01
)
losses = []
for step in range(STEPS):
    for group in adam.param_groups:
        group["lr"] = rate_at(step)
    found, _ = loss_of(gpt, step)
    losses.append(found.item())
    adam.zero_grad()
    found.backward()
    adam.step()


def rounded(numbers):
    return [float(f"{number:.7g}") for number in numbers]


print(
    json.dumps(
        {
            "torch": torch.__version__.split("+")[0],
            "scores": rounded(scores.flatten().tolist()[: 3 * VOCABULARY]),
            "last": rounded(scores.flatten().tolist()[-VOCABULARY:]),
            "loss": loss.item(),
            "grads": {
                name: {
                    "first": rounded(it["first"]),
                    "length": rounded([it["length"]])[0],
                }
                for name, it in grads.items()
            },
            "losses": rounded(losses),
        },
        indent=1,
    )
)
