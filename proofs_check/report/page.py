"""A report as one HTML page that needs nothing else: no script, no font and no picture from elsewhere.

The template is report.html.jinja beside this module. What a certificate says is text in it, never markup.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from finitedp.errors import FinitedpError
from finitedp.numbers import brief
from finitedp.proofs_check.report.figures import ROUNDING
from finitedp.proofs_check.report.wording import SAID, shortened

Document = dict[str, Any]
_TONES = {
    "good": ("✓", ("holds", "equal")),
    "bad": ("✗", ("fails", "differs", "violated")),
    "open": ("?", ("undecided",)),
    "more": ("+", ("holds with delta + u", ROUNDING)),
    "rejected": ("⊘", ("rejected",)),
}


def require_drawing() -> None:
    """See that an HTML report can be written. Raises: FinitedpError where jinja2 or matplotlib are missing."""
    try:
        import jinja2  # noqa: F401, PLC0415  # an extra

        from finitedp.proofs_check.report import pictures  # noqa: F401, PLC0415  # draws with an extra
    except ImportError as error:
        raise FinitedpError(
            f"an HTML report needs {error.name}, which is not installed: pip install jinja2 matplotlib; "
            "Markdown and JSON need nothing"
        ) from None


def as_html(report: Document, sampled: Sequence[Document] = ()) -> str:
    """The report as a page.

    Parameters: sampled, what samples showed of closed programs (as cli.black_box.findings_as_json tells it), no certificates.
    Raises: FinitedpError where jinja2 or matplotlib are missing.
    """
    require_drawing()
    import jinja2  # noqa: PLC0415  # an extra

    from finitedp.proofs_check.report import pictures as report_pictures  # noqa: PLC0415  # draws with an extra

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(brief=brief, digits=_digits, shortened=shortened, symbol=_symbol, tone=_tone)
    pictures = {
        audit["id"]: {"profile": report_pictures.profile_picture(audit), "laws": report_pictures.laws_picture(audit)}
        for audit in report["audits"]
        if audit["accepted"]
    }
    return str(
        environment.get_template("report.html.jinja").render(
            report=report, summary=summary_of(report, len(sampled)), sampled=sampled, pictures=pictures, SAID=SAID
        )
    )


def summary_of(report: Document, sampled: int) -> str:
    """The report in a sentence, with how many programs were sampled, not derived."""
    if not sampled:
        return str(report["summary"])
    programs = f"{sampled} program{'' if sampled == 1 else 's'} sampled, not derived"
    return f"{report['summary'].removesuffix('.')}; {programs}." if report["audits"] else f"{programs}."


def _tone(verdict: str) -> str:
    """The CSS class of a verdict."""
    return next((tone for tone, (_, verdicts) in _TONES.items() if verdict in verdicts), "plain")


def _symbol(verdict: str) -> str:
    """A sign before the verdict, so that colour is not all that tells it."""
    return _TONES[_tone(verdict)][0] if _tone(verdict) in _TONES else "-"


def _digits(number: str) -> str:
    """How long a rational is."""
    parts = [str(len(part.lstrip("-"))) for part in number.split("/")]
    return " / ".join(parts) + " digits"
