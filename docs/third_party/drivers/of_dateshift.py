"""A call of ds-an-sanitize-dateshift, whose folder is named by DATESHIFT."""

import pandas as pd
from main import sanitize_date_column


def shifted(data: tuple[str, ...]) -> list[str]:
    """Dates, each shifted by up to three days."""
    return [str(date) for date in sanitize_date_column(pd.DataFrame({"date": list(data)}), "date", -3, 3)["date"]]
