"""Makes images.json: PyTorch's convolutions and pools, with their gradients.

    python3 make_images.py > images.json

All operands are multiples of 1/8, which `f32` represents exactly; results
and gradients are computed in `f64`.
"""

import json

import torch
import torch.nn.functional as F


def numbers(shape, seed):
    count = torch.Size(shape).numel()
    values = [((i * 37 + 23 * seed) % 101 - 50) / 8 for i in range(count)]
    return torch.tensor(values, dtype=torch.float64).reshape(shape)


def case(call, operands, options):
    leaves = [numbers(shape, seed) for seed, shape in enumerate(operands)]
    leaves = [leaf.requires_grad_() for leaf in leaves]
    out = call(*leaves, **options)
    above = numbers(out.shape, 7)
    (out * above).sum().backward()
    tensor = lambda t: {"shape": list(t.shape), "values": t.flatten().tolist()}
    return {
        "call": call.__name__,
        "options": options,
        "operands": [tensor(leaf.detach()) for leaf in leaves],
        "out": tensor(out.detach()),
        "above": tensor(above),
        "grads": [tensor(leaf.grad) for leaf in leaves],
    }


def conv(images, filters, bias, **options):
    operands = [images, filters] + ([[filters[0]]] if bias else [])
    return case(F.conv2d, operands, options)


def pool(call, images, **options):
    return case(call, [images], options)


CASES = [
    conv([2, 3, 5, 4], [4, 3, 3, 2], False),
    conv([1, 2, 5, 6], [3, 2, 2, 3], True, stride=[2, 1]),
    conv([1, 2, 4, 5], [2, 2, 3, 3], True, padding=[1, 2]),
    conv([1, 1, 7, 6], [2, 1, 3, 2], True, dilation=[2, 3]),
    conv([2, 4, 4, 4], [6, 2, 2, 2], True, groups=2),
    # One group per channel.
    conv([1, 3, 5, 5], [6, 1, 3, 3], False, groups=3, padding=[1, 1]),
    conv(
        [2, 4, 8, 7],
        [4, 2, 3, 2],
        True,
        stride=[2, 3],
        padding=[2, 1],
        dilation=[2, 2],
        groups=2,
    ),
    pool(F.max_pool2d, [1, 2, 4, 5], kernel_size=[2, 2], stride=[1, 1]),
    pool(
        F.max_pool2d,
        [2, 1, 5, 6],
        kernel_size=[3, 2],
        stride=[2, 2],
        padding=[1, 1],
    ),
    pool(
        F.max_pool2d,
        [1, 2, 6, 6],
        kernel_size=[2, 3],
        stride=[2, 1],
        padding=[1, 1],
        dilation=[3, 2],
    ),
    pool(F.avg_pool2d, [1, 2, 4, 4], kernel_size=[2, 2], stride=[2, 2]),
    # Padding counts in the mean.
    pool(
        F.avg_pool2d,
        [2, 1, 5, 4],
        kernel_size=[3, 3],
        stride=[2, 1],
        padding=[1, 1],
    ),
]

lines = ",\n".join(json.dumps(case) for case in CASES)
made_by = json.dumps(f"PyTorch {torch.__version__}")
print(f'{{"made by": {made_by},\n"cases": [\n{lines}\n]}}')
