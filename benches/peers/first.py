# ANCHOR: first
import torch
a = torch.tensor([2.0, 3.0], requires_grad=True)
b = torch.tensor([3.0, 4.0], requires_grad=True)
((a * b) * b).sum().backward()
print(a.grad, b.grad)  # tensor([ 9., 16.]) tensor([12., 24.])
# ANCHOR_END: first
