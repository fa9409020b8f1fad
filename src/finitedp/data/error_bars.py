"""The error bars of noisy counts, as files, tables and frames show them."""

from attrs import frozen

from finitedp.claim import HistogramAccuracy

__all__ = ["Bars", "error_bar"]


def error_bar(count: int, a: int, rows: int) -> tuple[int, int]:
    """The interval around a noisy count."""
    return max(count - a, 0), min(count + a, rows)


@frozen
class Bars:
    """Error bars of noisy counts of up to n rows, each of which fails with probability at most beta.

    n: the public bound of the rows. accuracy: of one count, and of all at once.
    """

    n: int
    accuracy: HistogramAccuracy

    def bar(self, count: int) -> tuple[int, int]:
        """The error bar around a noisy count.

        Where the per-query bound holds for large true counts only, it is taken if the simultaneous bound says that the true
        count is large: a bar that fails then means that one of the two bounds fails, for the label's true count the same one
        always.
        """
        one, above, every = self.accuracy
        sure = above < 0 or count - every.a > above
        return error_bar(count, one.a if sure else max(one.a, every.a), self.n)

    def as_text(self) -> list[str]:
        """What the bars are, in sentences."""
        one, above, every = self.accuracy
        last = f"All counts are within +-{every.a} at once, up to the same probability ({every.source})."
        if above < 0:
            return [f"Each error bar, +-{one.a}, fails with probability at most {one.beta} ({one.source}).", last]
        large = f"+-{one.a} for counts above {above + every.a}, which say that"
        small = f"the true count is above {above} ({one.source}), and +-{every.a} for the others ({every.source})."
        return [f"Each error bar fails with probability at most {one.beta}: {large}", small, last]
