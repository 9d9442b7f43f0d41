"""Makes batch_norm.safetensors: the state_dict of a trained PyTorch network.

    pip install torch safetensors
    python3 make_batch_norm.py FOLDER

The script prints what the network computes in evaluation from ROWS.
"""

import sys
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import nn

ROWS = torch.tensor([[1.0, 2.0], [-1.0, 0.5], [0.0, -3.0]])

if __name__ == "__main__":
    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.Linear(3, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(30):
        x = torch.randn(16, 2) * 2 + 1
        loss = (model(x) - x.sum(dim=1, keepdim=True)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    save_file(model.state_dict(), Path(sys.argv[1]) / "batch_norm.safetensors")
    model.eval()
    print(torch.__version__, model(ROWS).flatten().tolist())
