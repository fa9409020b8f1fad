"""What dp-recorder says of a mechanism: it runs on an input, then on a neighbour with the outputs of its primitives frozen.

Its folder `src` has to be on the path of Python. A primitive is a function of which a parameter holds the data: `laplace` of
own.py, diffprivlib's Laplace.randomise, Opacus's _generate_noise. They are annotated here; nothing else is.
"""

import contextlib
import io
from collections.abc import Callable, Sequence
from typing import Any

MILD = ((0,), (1,))


def says(kind: str, name: str, mechanism: Callable[..., Any], pairs: Sequence[tuple[Any, Any]], delta: float) -> str:
    """Whether its deterministic part passes each pair of neighbours, what it says if not, and what its accountant adds up to.

    Parameters: kind, "laplace", or "normal" and the sensitivity; mechanism, a function of a driver, of the rows alone; delta,
    of the claim.
    """
    chosen = [MILD] if name == "mild" else list(pairs)
    found = [_asked(kind, mechanism, left, right, delta) for left, right in chosen]
    refused = [words for passes, words in found if not passes]
    totals = sorted({words for passes, words in found if passes})
    passed = f"passes {len(found) - len(refused)} of {len(found)} pairs"
    accounts = f"; epsilon {', '.join(totals)} by its accountant" if totals and totals != [""] else ""
    return passed + accounts + (f"; first: {refused[0]}" if refused else "")


def _asked(kind: str, mechanism: Any, left: Any, right: Any, delta: float) -> tuple[bool, str]:
    """Whether it passes, and what it says."""
    from dp_recorder.auditing.audit_primitives import Auditor  # of the environment

    auditor = Auditor()
    function = getattr(mechanism, "func", mechanism)
    with contextlib.redirect_stdout(io.StringIO()), _annotated(kind, function.__globals__):
        try:
            with auditor:
                mechanism(left)
            auditor.set_replay()
            with auditor:
                mechanism(right)
            auditor.validate_records()
            found = auditor.compute_overall_pld()
        except Exception as error:  # whatever it raises is what it says
            return False, " ".join(f"{type(error).__name__}: {error}".split())[:160]
    return True, "" if found is None else f"{found.get_epsilon_for_delta(max(delta, 1e-9)):.4g}"


@contextlib.contextmanager
def _annotated(kind: str, names: dict[str, Any]) -> Any:
    """Annotate the primitive that a driver's module uses."""
    import numpy as np
    from dp_accounting.pld import privacy_loss_distribution as pld
    from dp_recorder.auditing.audit_primitives import audit_spec
    from dp_recorder.auditing.metrics import dist_l1, dist_l2

    def of_laplace(sensitivity: float, epsilon: float) -> Any:
        return pld.from_laplace_mechanism(1 / epsilon, value_discretization_interval=1e-3) if sensitivity else None

    def of_normal(sensitivity: float, std: float) -> Any:
        return pld.from_gaussian_mechanism(std / sensitivity, value_discretization_interval=1e-3)

    @audit_spec("laplace", "value", "sensitivity", dist_l1, of_laplace)
    def laplace(value: float, sensitivity: float, epsilon: float) -> float:
        return value + np.random.laplace(0, sensitivity / epsilon)

    @audit_spec("normal", "value", "sensitivity", dist_l2, of_normal)
    def normal(value: Any, sensitivity: float, std: float) -> Any:
        return np.random.normal(0, std, np.shape(value))

    before = dict(names)
    if kind.startswith("normal"):
        sensitivity = float(kind.split()[1])
        from opacus.optimizers import optimizer

        owner, name = optimizer, "_generate_noise"

        def instead(std: float, reference: Any, **_others: Any) -> Any:
            return reference.new_tensor(normal(reference.detach().numpy(), sensitivity, std))

        names["_noisy"] = lambda step: step()
    elif "mechanisms" in names:
        owner, name = names["mechanisms"].Laplace, "randomise"

        def instead(self: Any, value: float) -> float:
            return float(laplace(float(value), self.sensitivity, self.epsilon))

        names["recorded"] = lambda: contextlib.nullcontext([])
    else:
        owner, name, instead = type("Module", (), names), "laplace", laplace
        names["laplace"] = laplace
    original = owner.__dict__[name]
    setattr(owner, name, instead)
    try:
        yield
    finally:
        setattr(owner, name, original)
        names.update(before)
