"""Draw docs/pictures/trust.svg: what a verdict and a proved claim rest on. Run: python docs/pictures/trust.py."""

from drawing import BLUE, RED, arrow, box, page, text, write

WIDTH, STEP = 210, 92  # of a box, and from one to the next, in pixels
AUDIT = [
    ("your code", "as it runs,", "not a model of it"),
    ("exact law", "every path followed,", "rational probabilities"),
    ("certificate", "laws, claim, witness,", "in one JSON file"),
    ("lone checker", "one file, only Python's", "standard library"),
]
PROOF = [
    ("a claim", "with an id and", "its source"),
    ("code that ships", "the installed functions", "themselves"),
    ("proof object", "all parameters, step by", "step, in one JSON file"),
    ("two checkers", "one runs the code, one reads", "it; both must accept"),
]


def picture() -> str:
    """Two chains, each read downwards."""
    parts = []
    for left, title, question, chain, colour in (
        (10, "An audit", "as private as claimed, at these inputs?", AUDIT, BLUE),
        (240, "A proof", "true for all parameters?", PROOF, RED),
    ):
        parts += [text(left + WIDTH / 2, 22, title, 15), text(left + WIDTH / 2, 40, question, 11)]
        for i, lines in enumerate(chain):
            y = 52 + i * STEP
            parts.append(box(left, y, WIDTH, lines, colour))
            if i:
                parts.append(arrow(left + WIDTH / 2, y - STEP + 65, left + WIDTH / 2, y - 3))
    below = (
        "Trusted without proof: random bits, the counting of rows,",
        "Python's integers, and what `finitedp prove` lists.",
    )
    parts += [text(230, 415 + 16 * i, words, 12) for i, words in enumerate(below)]
    return page(460, 442, "The chain of trust of an audit, and of a proof", parts)


if __name__ == "__main__":
    write(__file__, picture())
