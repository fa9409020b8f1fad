"""Makes the small set anew and writes it to the package: python -m tests.proofs_check.vectors.ship."""

from pathlib import Path

from finitedp.proofs_check.vectors.kinds import KINDS
from finitedp.proofs_check.vectors.making import SHIPPED, made, packed

if __name__ == "__main__":
    target = Path(__file__).parents[3] / "proofs_check" / "vectors" / SHIPPED
    target.write_bytes(packed({kind: made(kind, "small") for kind in KINDS}))
