"""A step of DP-SGD with Opacus: its engine, its optimizer, a model of one weight; a row is a number, the gradient of its loss.

Tensors hold no symbols. The primitive, `_generate_noise`, is recorded: what the rest of a step makes of noise is affine.
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from opacus import PrivacyEngine
from opacus.optimizers import DPOptimizer, optimizer
from recording import affine
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.hooks import RemovableHandle

Rows = Sequence[int | str]


def _noisy(step: Callable[[], float]) -> Any:  # a noisy number
    """What a step makes of the noise that Opacus asks for."""
    original, ids = optimizer._generate_noise, RemovableHandle.next_id  # the primitive; the number that torch gives a hook

    def run(noises: Sequence[float]) -> list[float]:
        optimizer._generate_noise = lambda std, reference, **_others: torch.full_like(reference, std * noises[0])
        try:
            return [float(step())]
        finally:
            optimizer._generate_noise, RemovableHandle.next_id = original, ids

    (found,) = affine(run, 1, "normal", 2.0**80)
    return found


def step(rows: Rows) -> Any:
    """The gradient of a step of DPOptimizer, clipped to 1, with noise 4, for an expected batch of 2."""

    def gradient() -> Any:
        weight = torch.nn.Parameter(torch.zeros(1, dtype=torch.float64))
        found = DPOptimizer(torch.optim.SGD([weight], lr=1.0), noise_multiplier=4.0, max_grad_norm=1.0, expected_batch_size=2)
        weight.grad_sample = torch.tensor([[float(row)] for row in rows], dtype=torch.float64).reshape(-1, 1)
        found.pre_step()
        return weight.grad[0]

    return _noisy(gradient)


def made_private(rows: Rows) -> Any:
    """The same of PrivacyEngine.make_private, which takes the size of a batch from the data."""

    def gradient() -> Any:
        model = torch.nn.Linear(1, 1, bias=False).double()
        with torch.no_grad():
            model.weight.zero_()
        data = TensorDataset(torch.tensor([[float(row)] for row in rows], dtype=torch.float64))
        model, found, _loader = PrivacyEngine().make_private(
            module=model,
            optimizer=torch.optim.SGD(model.parameters(), lr=1.0),
            data_loader=DataLoader(data, batch_size=len(rows)),
            noise_multiplier=4.0,
            max_grad_norm=1.0,
            poisson_sampling=False,
        )
        model(data.tensors[0]).mean().backward()
        found.pre_step()
        (weight,) = model.parameters()
        return weight.grad[0, 0]

    return _noisy(gradient)
