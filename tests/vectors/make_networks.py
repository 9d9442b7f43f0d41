"""Makes networks.json: PyTorch's layers with their gradients, the norms that it
clips, and the learning rates of its schedules.

    python3 make_networks.py > networks.json

All operands are multiples of 1/8, which `f32` represents exactly; results
and gradients are computed in `f64`.
"""

import json

import torch
import torch.nn.functional as F
from torch.optim import lr_scheduler as schedulers


def numbers(shape, seed):
    count = torch.Size(shape).numel()
    values = [((i * 37 + 23 * seed) % 101 - 50) / 8 for i in range(count)]
    return torch.tensor(values, dtype=torch.float64).reshape(shape)


def tensor(t):
    return {"shape": list(t.shape), "values": t.detach().flatten().tolist()}


def case(name, call, shapes, **options):
    """The result of a call, and the gradients of its operands."""
    leaves = [numbers(shape, seed) for seed, shape in enumerate(shapes)]
    leaves = [leaf.requires_grad_() for leaf in leaves]
    out = call(*leaves)
    above = numbers(out.shape, 7)
    (out * above).sum().backward()
    return {
        "call": name,
        "options": options,
        "operands": [tensor(leaf) for leaf in leaves],
        "out": tensor(out),
        "above": tensor(above),
        "grads": [tensor(leaf.grad) for leaf in leaves],
    }


def layer_norm(shape, axes, eps):
    row = shape[-axes:]
    call = lambda x, w, b: F.layer_norm(x, row, w, b, eps)
    return case("layer_norm", call, [shape, row, row], eps=eps)


def batch_norm(shape, eps, momentum):
    """The second of two training batches, followed by an evaluation."""
    channels = shape[1]
    kind = torch.nn.BatchNorm2d if len(shape) == 4 else torch.nn.BatchNorm1d
    layer = kind(channels, eps=eps, momentum=momentum).double()
    first = numbers(shape, 5)

    def call(x, w, b):
        with torch.no_grad():
            layer.weight.copy_(w)
            layer.bias.copy_(b)
        layer(first)
        # The functional form, because the parameters of `layer` are separate leaves.
        kept = layer.running_mean, layer.running_var
        return F.batch_norm(x, *kept, w, b, True, momentum, eps)

    made = case(
        "batch_norm",
        call,
        [shape, [channels], [channels]],
        eps=eps,
        momentum=momentum,
    )
    layer.eval()
    made["first"] = tensor(first)
    made["running_mean"] = tensor(layer.running_mean)
    made["running_var"] = tensor(layer.running_var)
    made["in evaluation"] = tensor(layer(numbers(shape, 0)))
    return made


WORDS = [4, 0, 4, 4, 1, 2]
CASES = [
    layer_norm([3, 5], 1, 1e-5),
    # An epsilon as large as the variance shows where it is added.
    layer_norm([2, 3, 4], 1, 8.0),
    layer_norm([2, 3, 4], 2, 0.5),
    case("gaussian unit", F.gelu, [[4, 5]]),
    case(
        "gaussian unit, by tanh",
        lambda x: F.gelu(x, approximate="tanh"),
        [[4, 5]],
    ),
    case(
        "embedding",
        lambda w: F.embedding(torch.tensor(WORDS), w),
        [[5, 3]],
        words=WORDS,
    ),
    # Our weights are (inputs, outputs).
    case(
        "linear", lambda x, w, b: F.linear(x, w.T, b), [[2, 3, 4], [4, 5], [5]]
    ),
    case("linear", lambda x, w, b: F.linear(x, w.T, b), [[4], [4, 3], [3]]),
    batch_norm([4, 3], 1e-5, 0.1),
    batch_norm([3, 2, 5], 4.0, 0.25),
    batch_norm([2, 3, 2, 4], 0.5, 0.5),
]


def clip(most):
    """Two gradients, their joint norm, and the clipped gradients."""
    grads = [numbers([2, 3], 1), numbers([4], 2)]
    leaves = [torch.zeros_like(g, requires_grad=True) for g in grads]
    for leaf, grad in zip(leaves, grads):
        leaf.grad = grad.clone()
    norm = torch.nn.utils.clip_grad_norm_(leaves, most)
    return {
        "most": most,
        "grads": [tensor(g) for g in grads],
        "norm": norm.item(),
        "clipped": [tensor(leaf.grad) for leaf in leaves],
    }


def groups(decays, lr):
    """Twelve steps of AdamW, with one group per parameter."""
    starts = [numbers([2, 3], 1), numbers([4], 2)]
    leaves = [start.clone().requires_grad_() for start in starts]
    pairs = zip(leaves, decays)
    rows = [{"params": [leaf], "weight_decay": decay} for leaf, decay in pairs]
    adam = torch.optim.AdamW(rows, lr=lr)
    places = []
    for step in range(12):
        for i, leaf in enumerate(leaves):
            leaf.grad = numbers(leaf.shape, 3 + 2 * step + i)
        adam.step()
        places.append([tensor(leaf) for leaf in leaves])
    return {
        "lr": lr,
        "decays": decays,
        "starts": [tensor(start) for start in starts],
        "places": places,
    }


PEAK = 0.5


def rates(steps, warm_up, floor, then):
    """A warm-up to the peak, followed by a different schedule."""
    sgd = torch.optim.SGD([torch.zeros(1)], lr=PEAK)
    begin = 1 / (warm_up + 1)
    up = schedulers.LinearLR(sgd, begin, 1.0, total_iters=warm_up)
    rest = steps - warm_up
    ways = {
        "cosine": lambda: schedulers.CosineAnnealingLR(sgd, rest, floor),
        "linear": lambda: schedulers.LinearLR(
            sgd, 1.0, floor / PEAK, total_iters=rest
        ),
        "constant": lambda: schedulers.ConstantLR(sgd, 1.0, total_iters=rest),
    }
    both = schedulers.SequentialLR(sgd, [up, ways[then]()], [warm_up])
    rates = []
    for _ in range(steps + 1):
        rates.append(sgd.param_groups[0]["lr"])
        sgd.step()
        both.step()
    return {
        "then": then,
        "peak": PEAK,
        "floor": floor,
        "warm_up": warm_up,
        "steps": steps,
        "rates": rates,
    }


GROUPS = [groups([0.5, 0.0], 0.0625), groups([0.125, 1.0], 0.001)]
CLIPS = [clip(most) for most in [1.0, 0.125, 100.0]]
RATES = [
    rates(12, 4, 0.0, "cosine"),
    rates(20, 3, 0.125, "cosine"),
    rates(12, 4, 0.0, "linear"),
    rates(15, 5, 0.125, "linear"),
    rates(8, 4, 0.5, "constant"),
]


def lines(rows):
    return ",\n".join(json.dumps(row) for row in rows)


made_by = json.dumps(f"PyTorch {torch.__version__}")
print(
    f'{{"made by": {made_by},\n"cases": [\n{lines(CASES)}\n],\n'
    f'"clips": [\n{lines(CLIPS)}\n],\n"groups": [\n{lines(GROUPS)}\n],\n'
    f'"rates": [\n{lines(RATES)}\n]}}'
)
