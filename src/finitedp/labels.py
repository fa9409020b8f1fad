"""Labels and other values in messages and files: on one line, short, and without what is not text."""

__all__ = ["AS_TEXT", "as_bytes", "as_text", "as_utf_8", "is_utf_8", "short", "shown"]

LONGEST = 60  # characters of a value in a message
AS_TEXT = "text, or bytes made a str by .decode('utf-8', 'surrogateescape')"
"""What `as_bytes` takes, for a message."""


def as_bytes(label: str) -> bytes | None:
    """The bytes of a text in UTF-8, where surrogate escapes stand for bytes that are not; None where they are of another one.

    Every byte string is that of exactly one text, the one that it is decoded to; a text that does not come back from its own
    bytes has none: lone surrogates that are no escapes, and escapes of bytes that are UTF-8.
    Source: FD.Labels.bijection.
    """
    try:
        return label.encode()
    except UnicodeEncodeError:  # surrogates
        pass
    try:
        encoded = label.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return None
    return encoded if encoded.decode("utf-8", "surrogateescape") == label else None


def as_text(label: object) -> str:
    """A label for a reader: bytes that are not UTF-8, and what would break a line, escaped."""
    text = str(label).encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def as_utf_8(label: str) -> str:
    r"""A label as text that a file can hold: bytes that are not UTF-8 as \xNN, and backslashes doubled."""
    return label.replace("\\", "\\\\").encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def is_utf_8(text: str) -> bool:
    """Whether a string is text: bytes that are not UTF-8 are held as Python's surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def short(number: int) -> str:
    """An integer for a message; the size alone where Python would refuse to print it, or nobody would read it."""
    return str(number) if -(10**60) < number < 10**60 else f"about {'-' if number < 0 else ''}2^{number.bit_length() - 1}"


def shown(value: object) -> str:
    """A value for a message, as Python writes it; the beginning of a long one."""
    if isinstance(value, int) and not isinstance(value, bool):
        return short(value)
    try:
        text = repr(value)
    except ValueError:  # an integer of thousands of digits within
        text = f"a {type(value).__name__}"
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."
