"""A step of DP-SGD with Opacus: its engine, its optimizer, a model of one weight; a row is a number, the gradient of its loss.

Tensors hold no symbols. The primitive, `_generate_noise`, is recorded: it returns 0, and then 1, and what the step makes of
these says what it makes of any noise, since the rest of it is affine in the noise.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from opacus import PrivacyEngine
from opacus.optimizers import DPOptimizer, optimizer
from torch.utils.data import DataLoader, TensorDataset

Rows = Sequence[int | str]


def _with_noise(value: float, scales: list[float], step: Any) -> float:  # noqa: ANN401  # a function
    """What a step makes of the noise `value`; its scale is added to scales."""
    original = optimizer._generate_noise  # noqa: SLF001  # the primitive

    def given(std: float, reference: Any, **_others: Any) -> Any:  # noqa: ANN401  # tensors
        scales.append(std)
        return torch.full_like(reference, value)

    optimizer._generate_noise = given  # noqa: SLF001
    try:
        return float(step())
    finally:
        optimizer._generate_noise = original  # noqa: SLF001


def _noisy(step: Any) -> Any:  # noqa: ANN401  # a noisy number
    scales = list[float]()
    at_0, at_1 = (_with_noise(value, scales, step) for value in (0.0, 1.0))
    return np.random.normal(at_0, abs(at_1 - at_0) * scales[0])  # noqa: NPY002  # what is followed


def step(rows: Rows) -> Any:  # noqa: ANN401  # a noisy number
    """The gradient of a step of DPOptimizer, clipped to 1, with noise 4, for an expected batch of 2."""

    def gradient() -> Any:  # noqa: ANN401  # a number
        weight = torch.nn.Parameter(torch.zeros(1, dtype=torch.float64))
        found = DPOptimizer(torch.optim.SGD([weight], lr=1.0), noise_multiplier=4.0, max_grad_norm=1.0, expected_batch_size=2)
        weight.grad_sample = torch.tensor([[float(row)] for row in rows], dtype=torch.float64).reshape(-1, 1)
        found.pre_step()
        return weight.grad[0]

    return _noisy(gradient)


def made_private(rows: Rows) -> Any:  # noqa: ANN401  # a noisy number
    """The same of PrivacyEngine.make_private, which takes the size of a batch from the data."""

    def gradient() -> Any:  # noqa: ANN401  # a number
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
