"""A call of dm-data-temporal-masker, whose folder is named by TEMPORALMASKER."""

from main import shift_date


def shifted(data: tuple[str, ...]) -> list[str]:
    """Dates, each shifted by up to three days."""
    return [shift_date(date, "%Y-%m-%d", 3) for date in data]
