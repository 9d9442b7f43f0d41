"""Reads what Rungrad has saved, and writes it again, doubled.

    python3 round_trip.py FROM TO
"""

import sys

import numpy
from safetensors.numpy import load_file, save_file

tensors = load_file(sys.argv[1])
for name in sorted(tensors):
    values = tensors[name]
    assert values.dtype == numpy.float32, name
    print(name, list(values.shape), values.ravel().tolist())
save_file({name: 2 * values for name, values in tensors.items()}, sys.argv[2])
