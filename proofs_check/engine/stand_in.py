"""What explored code gets in place of random.Random. See finitedp.proofs_check.engine.stand_ins."""

from finitedp.proofs_check.engine.stand_ins.floats import LazyFloat
from finitedp.proofs_check.engine.stand_ins.standard import StandIn

__all__ = ["LazyFloat", "StandIn"]
