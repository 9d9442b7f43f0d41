"""Makes optim.json: the parameters after steps of PyTorch's optimizers, in f64.

    python3 make_optim.py > optim.json

The gradients are given, so that only the optimizer is compared. They are
rounded to f32, as in the test.
"""

import json
import struct

import torch


def f32(number):
    return struct.unpack("f", struct.pack("f", number))[0]


STEPS = 12
START = [f32(0.1 * i * (-1) ** i) for i in range(6)]
# Magnitudes from 1e-3 to 20, changing signs, and one zero gradient.
GRADS = [
    [
        f32((-1) ** (step // 3 + i) * 10.0 ** (i - 4) * (1 + 0.1 * step))
        if i
        else 0.0
        for i in range(6)
    ]
    for step in range(STEPS)
]

CASES = {
    "sgd": (torch.optim.SGD, dict(lr=0.125, momentum=0.0)),
    "sgd with momentum": (torch.optim.SGD, dict(lr=0.125, momentum=0.75)),
    "adam": (torch.optim.Adam, dict(lr=1e-3)),
    "adam with other betas": (
        torch.optim.Adam,
        dict(lr=0.0625, betas=(0.8, 0.95), eps=1e-3),
    ),
    "adamw": (torch.optim.AdamW, dict(lr=1e-3, weight_decay=0.01)),
    "adamw with more decay": (
        torch.optim.AdamW,
        dict(lr=0.0625, weight_decay=0.5),
    ),
}


def walk(optimizer, options):
    x = torch.tensor(START, dtype=torch.float64, requires_grad=True)
    steps = optimizer([x], **options)
    places = []
    for grad in GRADS:
        x.grad = torch.tensor(grad, dtype=torch.float64)
        steps.step()
        places.append(x.detach().tolist())
    return places


print(
    json.dumps(
        {
            "made by": f"PyTorch {torch.__version__}",
            "start": START,
            "grads": GRADS,
            "places": {name: walk(*case) for name, case in CASES.items()},
        },
        indent=1,
    )
)
