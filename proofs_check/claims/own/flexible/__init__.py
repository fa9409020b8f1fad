"""Our own claims about one-sided noise on integer tables: law, exact delta, what it costs, and what no mechanism beats."""
