"""Commands that release one answer: a statistic, a number of rows, a sum."""
