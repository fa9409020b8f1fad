"""What audits that files describe find, where there is a law."""

from finitedp.proofs_check.audit.auditing import AuditResult
from finitedp.proofs_check.audit.description import Description


def found_by(description: Description) -> AuditResult:
    """Its result, which is no pipeline's."""
    found = description.run()
    assert isinstance(found, AuditResult)
    return found
