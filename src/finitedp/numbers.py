"""The one way in which numbers are shown: rationals as decimals that say whether they are rounded. For display only."""

from gmpy2 import mpq

__all__ = ["brief", "decimal", "interval", "outward", "power_of_two", "readable", "round_half_up", "shown"]

_LONGEST = 60  # characters of a rational that is shown whole
_MANY = 12  # digits of a rational after which its decimal is read first
_SMALL, _LARGE = 12, 16  # powers of ten from where a decimal is written with its exponent


def decimal(number: mpq | int, digits: int = 8) -> str:
    """A rational as a decimal of so many places, or, below 1, of so many significant digits; with "~" where it is rounded.

    From 10^16 on, and below 10^-12, of so many significant digits with an exponent: 2.5e-30. The text has at most digits + 19
    characters, if the exponent has at most 14 digits. What is not 0 never looks like 0, and digits that are shown are right:
    the last one is rounded half up.
    """
    value = mpq(number)
    if value == 0:
        return "0"
    size = _magnitude(value)
    places = max(digits, digits - 1 - size) if -_SMALL <= size < _LARGE else digits - 1 - size
    scaled = value * mpq(10) ** places
    text = _placed(round_half_up(scaled), places)
    return text if scaled.denominator == 1 else f"~{text}"


def outward(low: mpq, high: mpq, digits: int = 12) -> tuple[str, str]:
    """The ends of an interval as decimals of so many significant digits, rounded outwards."""
    places = digits - 1 - (_magnitude(high) if high else 0)
    scale = mpq(10) ** places
    return _placed(int(low * scale // 1), places), _placed(-int(-high * scale // 1), places)


def interval(low: mpq, high: mpq, digits: int = 12) -> str:
    """[low, high] as decimals, rounded outwards."""
    return "[{}, {}]".format(*outward(low, high, digits))


def shown(number: mpq | int | str, longest: int = _LONGEST, digits: int = 8) -> str:
    """A rational p/q with its decimal in brackets; one longer than `longest` characters as a decimal of 12 digits or more."""
    text = str(number)
    if len(text) > longest:
        return decimal(mpq(number), max(digits, 12))
    return f"{text} ({decimal(mpq(number), digits)})" if "/" in text else text


def readable(number: mpq | int | str) -> str:
    """As shown() has it, but of a rational of more than twelve digits the decimal first."""
    text = str(number)
    if "/" not in text or len(text) > _LONGEST or sum(c.isdigit() for c in text) <= _MANY:
        return shown(number)
    return f"{decimal(mpq(number))} ({text})"


def power_of_two(number: mpq) -> str:
    """A number from 0 to 1 by a power of two: "2^-64" where it is one, else "below 2^-63"; 0 and 1 are as they are."""
    if number in (0, 1):
        return str(number)
    k = (number.denominator // number.numerator).bit_length() - 1  # 2^-(k + 1) < number <= 2^-k
    return f"2^-{k}" if number * (1 << k) == 1 else f"below 2^-{k}"


def brief(number: mpq | int | str, longest: int = _LONGEST, digits: int = 12) -> str:
    """A rational p/q as it is, or as a decimal of so many digits where it is longer than `longest` characters."""
    text = str(number)
    return text if len(text) <= longest else decimal(mpq(number), digits)


def round_half_up(number: mpq) -> int:
    """The nearest integer, of two the one that is farther from 0."""
    return int(number + mpq(1, 2) * (1 if number > 0 else -1))


def _magnitude(number: mpq) -> int:
    """The k with 10^k <= |number| < 10^(k + 1)."""
    size = number.numerator.num_digits(10) - number.denominator.num_digits(10)  # each is right, or one too large
    while abs(number) < mpq(10) ** size:
        size -= 1
    while abs(number) >= mpq(10) ** (size + 1):
        size += 1
    return int(size)


def _placed(whole: int, places: int) -> str:
    """The decimal of whole / 10^places, without zeros at its end."""
    sign, text = "-" if whole < 0 else "", str(abs(whole))
    size = len(text) - 1 - places
    if whole and not -_SMALL <= size < _LARGE:
        return f"{sign}{text[0]}.{text[1:]}".rstrip("0").rstrip(".") + f"e{size}"
    if places <= 0:
        return f"{sign}{text}{'0' * -places}"
    text = text.rjust(places + 1, "0")
    return f"{sign}{text[:-places]}.{text[-places:]}".rstrip("0").rstrip(".")
