"""What cases hunt: the flags by the claim that a failure contradicts, each with the type of bug and a description."""

_BY_CLAIM = {
    "FD.Dyadic.law": {
        "Basic": ("BASIC", "An ordinary case: nothing about it is special."),
        "Border2^31": ("OVERFLOW", "A number beside 2^31: signed integers of 32 bits end there."),
        "Border2^32": ("OVERFLOW", "A number beside 2^32: unsigned integers of 32 bits end there."),
        "Border2^53": ("FLOAT", "A number beside 2^53: a double holds no odd integer beyond."),
        "Border2^63": ("OVERFLOW", "A number beside 2^63: signed integers of 64 bits end there."),
        "Border2^64": ("OVERFLOW", "A number beside 2^64: unsigned integers of 64 bits end there."),
        "WideCount": ("OVERFLOW", "n has more than 63 bits."),
        "WideWord": ("OVERFLOW", "Words, and weights, of more than 64 bits."),
        "WidestWord": ("OVERFLOW", "Words, and weights, of more than 128 bits."),
        "Float": ("FLOAT", "Integers that become equal where they are rounded to 53 bits."),
        "FirstBit": (
            "SIGN",
            "The two words in the middle, and the first and last two, whose last bits differ: a first bit of 1 means up.",
        ),
        "InnerSum": ("OFF_BY_ONE", "The folded word equals an inner S_j, so that |Z| is j - 1 and not j: m < S_j is strict."),
        "BelowSum": ("OFF_BY_ONE", "The folded word is one below an S_j, so that |Z| is at least j."),
        "AboveSum": ("OFF_BY_ONE", "The folded word is one above an S_j."),
        "LastSlot": ("OFF_BY_ONE", "The folded word is beside w_n = S_n, where |Z| is n or n - 1."),
        "Stretch": ("OFF_BY_ONE", "|Z| lies in the stretch of equal weights, or beside its first: one quotient gives it."),
        "NoHead": ("EDGE_CASE", "A table whose weights before the last are all equal: h = 0."),
        "OneStep": ("EDGE_CASE", "A table with h = n - 1: the stretch is one weight long."),
        "EqualWeights": ("EDGE_CASE", "Equal weights before the stretch, or a last weight equal to it."),
        "NOne": ("EDGE_CASE", "n = 1: two outputs, and no inner one."),
        "Clamp": ("EDGE_CASE", "The count plus noise is clamped, or just not, to 0 or to n."),
        "CountAtEnd": ("OFF_BY_ONE", "The count is 0 or n."),
        "CountOutOfRange": ("MISSING_CHECK", "The count is below 0 or above n: it is refused."),
        "LawEnds": ("OFF_BY_ONE", "The outputs 0 and n, which take all noise beyond them."),
    },
    "FD.Dyadic.arrays": {
        "LimbOrder": ("ENDIANNESS", "A word of more than 64 bits whose limbs differ: the first digits are the high ones."),
        "LowLimb": ("ENDIANNESS", "The high limb equals that of a threshold, so that the low one decides."),
    },
    "FD.Dyadic.words": {
        "OddBits": ("OVERFLOW", "B is no multiple of 8: the first bit and the complement are those of B bits."),
    },
    "FD.Dyadic.cost": {
        "ShortTape": ("MISSING_CHECK", "The tape has fewer words than are drawn: noise that nobody drew is none."),
        "LongTape": (
            "BITS_READ",
            "The tape has more words than are drawn: one word of B bits is read for a count, and no more.",
        ),
    },
    "BV.Alg5.4": {
        "LabelOrder": ("ORDER", "Labels are given in another order than that in which they are drawn and released."),
        "CodePoints": (
            "ORDER",
            "Labels sort by their code points: as UTF-8, not as UTF-16, without regard to case or language.",
        ),
        "ZeroCount": (
            "EDGE_CASE",
            "A label with count 0: BasicHistogram draws for it, StabilityHistogram does as if it were not there.",
        ),
        "ThresholdTie": ("OFF_BY_ONE", "A noisy count equals the threshold: it is not released."),
        "Padded": ("BITS_READ", "A padded release reads n words, whatever the number of labels that occur."),
    },
    "BV.Alg5.1": {
        "SumAboveN": ("MISSING_CHECK", "The counts sum to more than n: they are refused."),
    },
    "FD.Dyadic.stability.threshold": {
        "ThresholdBorder": ("OFF_BY_ONE", "delta is S_b/2^B itself, or one unit of 2^-B beside it."),
        "ThresholdEnds": ("EDGE_CASE", "The threshold is 0 or n: no S_b but S_0, or none at all, is small enough."),
        "DeltaBetween": ("ROUNDING", "delta 2^B is no integer: only its floor counts."),
    },
    "FD.Dyadic.basic.private": {
        "ReplaceOne": ("CONFUSION", "A row replaced changes two counts: the ratio is R^2, not R."),
    },
    "FD.Dyadic.basic.add-remove": {
        "AddRemove": ("CONFUSION", "A row more or less changes one count: the ratio is R, and epsilon half as large."),
    },
    "FD.Dyadic.ratio": {
        "RatioFormula": (
            "ROUNDING",
            "R is the largest multiple of 2^-p below e^(epsilon/2), p = B + 64 + ceil(log2(ceil(2/epsilon))).",
        ),
        "RatioWhole": ("EDGE_CASE", "epsilon/2 >= B, where R is 2^B."),
    },
    "FD.Dyadic.table": {
        "RatioThreeHalves": ("ROUNDING", "R = 3/2, where w q/p is often an integer: its ceiling is itself."),
        "BadParameter": ("MISSING_CHECK", "n below 1, or epsilon not above 0."),
    },
    "FD.Dyadic.existence": {
        "NoTable": ("EDGE_CASE", "So few bits that there is no table, or just enough for one."),
    },
    "FD.Dyadic.conditions": {
        "AttainsI": ("OFF_BY_ONE", "Some w_j is exactly R w_(j+1): (i) holds."),
        "AttainsII": ("OFF_BY_ONE", "Some S_j is exactly R S_(j+1): (ii) holds."),
        "FailsI": ("MISSING_CHECK", "(i) fails, by as little as can be."),
        "FailsIIAtEnd": ("MISSING_CHECK", "(ii) fails at j = n - 1 alone: w_n is too small."),
        "FailsDescentAlone": ("MISSING_CHECK", "The weights rise once, and all else holds."),
        "LongHead": ("EDGE_CASE", "The head is longer than it must be: its last weights equal the tail."),
        "LastRises": ("EDGE_CASE", "w_n is above w_(n-1), which is allowed: (i) and the descent end before it."),
    },
    "FD.Dyadic.refusals": {
        "WrongSum": ("MISSING_CHECK", "The weights sum to 2^B but for a little, or w_0 was counted twice."),
        "OtherEpsilon": ("CONFUSION", "A table that is right for another epsilon: R is above e^(epsilon/2)."),
        "RatioNear": ("FLOAT", "R is beside e^(epsilon/2): closer than a double can tell."),
        "RatioOne": ("EDGE_CASE", "R is at most 1."),
        "BadShape": ("MISSING_CHECK", "A weight below 1, or a head that has n weights or more."),
    },
    "FD.Blanket.private": {
        "PlanCondition": ("MISSING_CHECK", "One of the conditions of a plan fails, or is attained."),
    },
    "FD.Dyadic.certificate": {
        "Format": ("MISSING_CHECK", "Another format or version, a key that is missing, or one that is not known."),
        "DuplicateKey": ("PARSING", "A key is there twice: readers of JSON differ in which one they take."),
        "JsonType": ("PARSING", "A number where text stands, or text where a number stands."),
        "Digits": ("PARSING", "An integer with a sign, a leading 0, blanks, an exponent, or digits that are not ASCII."),
        "NotJson": ("PARSING", "Bytes that are no JSON object."),
        "Limits": (
            "MISSING_CHECK",
            "Words of 4096 bits, or an epsilon or R of 1,000 characters, are taken; those beyond are refused.",
        ),
        "LargeNumbers": ("FLOAT", "Numbers beyond 2^53, where readers that take them for doubles round."),
        "LowestTerms": ("PARSING", "A rational that is not in lowest terms."),
        "Decimal": ("ROUNDING", "A decimal, which is exact as it is written: 0.1 is 1/10, and no double."),
        "Exponent": ("PARSING", "A decimal with an exponent."),
        "Blanks": ("PARSING", "Blanks around the number or its parts, which readers may take or refuse."),
        "Sign": ("PARSING", "A sign in front, or where none may stand."),
        "ZeroDenominator": ("MISSING_CHECK", "The denominator is 0."),
        "NotANumber": ("PARSING", "What is no rational: names of infinity, digits that are not ASCII, hexadecimal floats."),
    },
    "FD.Factored": {
        "Infinite": ("EDGE_CASE", "An output is impossible under one of the laws."),
        "Tie": ("EDGE_CASE", "Several outputs attain the worst ratio, or the ratio is that of an output."),
        "SameLaw": ("EDGE_CASE", "Two equal laws, whose weights may have other sums."),
        "DisjointLaws": ("EDGE_CASE", "Two laws without a common output."),
    },
    "FD.Pair.dyadic": {
        "Below1": ("EDGE_CASE", "A ratio below 1."),
        "DeltaBorder": ("OFF_BY_ONE", "delta is exactly what is needed, or a little less."),
    },
    "FD.Dyadic.private": {
        "OtherDirection": ("MISSING_CHECK", "The claim holds in one direction, and fails in the other."),
        "ForgedVerdict": ("MISSING_CHECK", "A verdict that does not follow from the laws."),
        "ForgedFact": ("MISSING_CHECK", "A ratio, a witness or a mass that does not follow from the laws."),
        "ForgedClaim": (
            "MISSING_CHECK",
            "Another claim, or other inputs, than those whose verdict it is; or one out of range.",
        ),
        "ForgedLaw": ("MISSING_CHECK", "A law that does not sum to 1, has a mass that is not positive, or is missing."),
        "Hash": ("MISSING_CHECK", "The hash is not that of the content."),
    },
    "FD.Compose.kov": {
        "ManyReleases": ("FLOAT", "Many releases, whose delta is small beside the masses that it is summed from."),
        "Mixed": ("CONFUSION", "Releases of different pairs together."),
    },
}

FLAGS = {flag: (kind, text, claim) for claim, flags in _BY_CLAIM.items() for flag, (kind, text) in flags.items()}
"""Flag -> bugType, description, and the id of a claim."""


def notes(flags: set[str]) -> dict[str, dict[str, str]]:
    """What a file says of the flags that it has."""
    told = {flag: FLAGS[flag] for flag in FLAGS if flag in flags}
    return {flag: {"bugType": kind, "description": text, "claim": claim} for flag, (kind, text, claim) in told.items()}
