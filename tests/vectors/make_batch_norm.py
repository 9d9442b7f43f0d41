"""Makes batch_norm.safetensors: the state_dict of a network in PyTorch's layout.

    pip install safetensors numpy
    python3 make_batch_norm.py FOLDER

The network is nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.Linear(3, 1)).
Names, shapes and types are those that safetensors.torch.save_file(model.state_dict())
writes, with the counter num_batches_tracked as an int64 without axes. The script
prints what the network computes in evaluation from ROWS.
"""

import sys
from pathlib import Path

import numpy
from safetensors.numpy import save_file


def floats(*values):
    return numpy.array(values, dtype=numpy.float32)


ROWS = floats([1, 2], [-1, 0.5], [0, -3])

state_dict = {
    "0.weight": floats([0.5, -1], [2, 0.25], [-0.75, 1.5]),
    "0.bias": floats(0.5, -0.25, 1),
    "1.weight": floats(2, 0.5, -1),
    "1.bias": floats(0.25, 0, -0.5),
    "1.running_mean": floats(-0.5, 1.5, 2),
    "1.running_var": floats(4, 0.25, 9),
    "1.num_batches_tracked": numpy.array(1200, dtype=numpy.int64),
    "2.weight": floats([1, -2, 0.5]),
    "2.bias": floats(0.125),
}

if __name__ == "__main__":
    save_file(state_dict, Path(sys.argv[1]) / "batch_norm.safetensors")
    wide = {name: array.astype(numpy.float64) for name, array in state_dict.items()}
    x = ROWS @ wide["0.weight"].T + wide["0.bias"]
    x = (x - wide["1.running_mean"]) / numpy.sqrt(wide["1.running_var"] + 1e-5)
    x = x * wide["1.weight"] + wide["1.bias"]
    print(x @ wide["2.weight"].T + wide["2.bias"])
