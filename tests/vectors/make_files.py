"""Writes the files of this folder that come from Python's safetensors.

    pip install safetensors numpy
    python3 make_files.py FOLDER
"""

import sys
from pathlib import Path

import numpy
from safetensors.numpy import save_file

folder = Path(sys.argv[1])

# The network that the tests load: two layers without an activation.
layers = {
    "0.weight": numpy.arange(6, dtype=numpy.float32).reshape(2, 3) / 4,
    "0.bias": numpy.array([-1, 0, 1], dtype=numpy.float32),
    "1.weight": -numpy.arange(3, dtype=numpy.float32).reshape(3, 1),
    "1.bias": numpy.array([0.5], dtype=numpy.float32),
}
save_file(layers, folder / "layers.safetensors", metadata={"by": "Python"})

half = dict(layers, **{"1.bias": layers["1.bias"].astype(numpy.float16)})
save_file(half, folder / "half.safetensors")

# No axes, no elements, and all kinds of non-finite values.
odd = {
    "scalar": numpy.array(3, dtype=numpy.float32),
    "none": numpy.zeros((2, 0, 3), dtype=numpy.float32),
    "edges": numpy.array(
        [numpy.inf, -numpy.inf, numpy.nan, -0.0, 1e-45], dtype=numpy.float32
    ),
    "µ \"x\"\n": numpy.array([1], dtype=numpy.float32),
}
save_file(odd, folder / "odd.safetensors")
