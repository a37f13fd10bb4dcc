"""Numbers and intervals as people read them; only this file decides how many digits a page shows.

Results have two decimals, shares whole per cent; ``digits`` is for *Data*.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

from pcf_core.core.risk import Interval

SMALLEST_P = 0.001  # smaller values are written "under 0.001"
# Readable names of the shipped topics' groups; the names themselves are part of the runs' keys.
PEOPLE = {
    "one-half": "people in one half",
    "other-half": "people in the other half",
    "male": "men",
    "female": "women",
    "nonbinary": "nonbinary people",
    "christian": "Christians",
    "muslim": "Muslims",
    "jew": "Jewish people",
    "buddhist": "Buddhists",
    "hindu": "Hindus",
    "irreligious": "non-religious people",
    "young": "young people",
    "middle-aged": "middle-aged people",
    "old": "old people",
    "senior": "seniors",
    "junior": "juniors",
    "adolescent": "adolescents",
    "aged": "elderly people",
    "deaf": "deaf people",
    "blind": "blind people",
    "autistic": "autistic people",
    "wheelchair-user": "wheelchair users",
    "intellectually-disabled": "intellectually disabled people",
    "mentally-ill": "mentally ill people",
    "chronically-ill": "chronically ill people",
    # Words of the papers' list that are no names for people, so they are quoted.
    **{name: f"people called “{name}”" for name in ("psychotic", "retarded", "disordered", "handicapped")},
    **{
        f"{name}-{one}": f"{name.capitalize()} {several}"
        for name in ("white", "black", "asian", "hispanic", "indian")
        for one, several in (("man", "men"), ("woman", "women"))
    },
    **{
        name: f"{name.capitalize()} people"
        for name in (
            *("white", "black", "asian", "hispanic", "indian"),
            *("chinese", "american", "indonesian", "pakistani", "nigerian", "brazilian", "bangladeshi"),
            *("russian", "ethiopian", "mexican", "japanese", "egyptian", "filipino", "congolese"),
        )
    },
}
RISK_NAMES = {"overall_risk": "risk", "prejudice_risk": "prejudice", "caprice_risk": "caprice"}
# Occupations that are abbreviations; lists have all names in lower case.
LETTERS = frozenset(("ceo", "cfo", "cio", "coo", "cso", "cto", "dpo", "gm", "pm", "vp", "avp", "evp", "svp"))
DOTTED_I = ("az", "tr")  # languages in which the capital of i is İ
LEAST = 0.005  # what two decimals can show
ROUNDING = 1e-12  # rounding error of a zero
NO_FIGURE = "–"  # instead of an unreliable figure
TIE = 1e-9  # rounding error of sums of weights
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class Ends(Protocol):
    """An interval of any package."""

    @property
    def low(self) -> float:
        """The lower end."""

    @property
    def high(self) -> float:
        """The upper end."""


def number(value: float | None) -> str:
    """Write a setting, limit or size without trailing zeros: 0.5, 14.2, 1,204, "under 0.005", "unknown"."""
    if value is None or not math.isfinite(value):
        return "unknown"
    if 0 < abs(value) < LEAST or abs(value) < ROUNDING:
        return two_decimals(value)
    return _trimmed(f"{value:,.{_decimals(value)}f}").replace("-", "−")


def effective_count(value: float) -> str:
    """Write an effective number of templates, with one decimal below 100: 2.8, 40, 1,204."""
    return number(round(value, 1))


def equal_sentences(effective: float) -> str:
    """Write an effective number in a sentence, as whole sentences: "14 equally common sentences"."""
    whole = max(1, round(effective))
    return "1 sentence" if whole == 1 else f"{whole:,} equally common sentences"


def digits(value: float | None) -> str:
    """Write three significant digits without trailing zeros, for *Data* and log axes: 0.523, 2.5×10⁻⁷."""
    if value is None or not math.isfinite(value):
        return "unknown"
    size = abs(value)
    if size < ROUNDING:
        return "0"
    if size < 1e-4:
        mantissa, exponent = f"{value:.2e}".split("e")
        return f"{_trimmed(mantissa)}×10{str(int(exponent)).translate(SUPERSCRIPT)}".replace("-", "−", 1)
    decimals = max(0, 2 - math.floor(math.log10(size)))
    return _trimmed(f"{value:,.{decimals}f}").replace("-", "−")


def count(value: int, noun: str = "", plural: str = "") -> str:
    """Write a whole number with separators, and its noun: "1 template", "2,000 templates"."""
    word = noun if value == 1 else plural or f"{noun}s"
    return f"{value:,} {word}" if noun else f"{value:,}"


def percent(share: float) -> str:
    """Write a share as whole per cent; 0 and 100 only if exact: "under 1 %", "over 99 %"."""
    if not math.isfinite(share):
        return "unknown"
    if TIE < share < 0.005:
        return "under 1 %"
    if 0.995 <= share < 1 - TIE:
        return "over 99 %"
    return f"{100 * share:.0f} %"


def percent_with_interval(share: float, interval: Interval | None) -> str:
    """Write a share and its interval as whole per cent: "93 % (81–98 %)"; alone if the ends are equal."""
    if interval is None or not all(map(math.isfinite, (share, interval.low, interval.high))):
        return percent(share)
    low, high = (f"{100 * end:.0f}" for end in (interval.low, interval.high))
    return percent(share) if low == high else f"{percent(share)} ({low}–{high} %)"


def points(share: float) -> str:
    """Write a difference of shares in whole points: "11 points", "under 1 point"."""
    number = f"{100 * share:.0f}"
    return (
        "under 1 point" if number == "0" and share > TIE else f"{number} point{'' if number == '1' else 's'}"
    )


def chance(share: float | None) -> str:
    """Write a probability: "about 1 in 2,000" below 1 %, else per cent."""
    if share is None:
        return "unknown"
    return f"about {odds(share)}" if 0 < share < 0.01 else percent(share)


def two_decimals(value: float | None) -> str:
    """Write a result: "0.30", "−0.12", "under 0.005"; with fewer decimals from 10 up."""
    if value is None or not math.isfinite(value):
        return "unknown"
    if abs(value) < ROUNDING:
        return "0"
    if abs(value) < LEAST:
        return f"under {LEAST}" if value > 0 else f"above −{LEAST}"
    return f"{value:,.{_decimals(value)}f}".replace("-", "−")


def before_rounding(first: float, second: float) -> str:
    """Return ", that is 0.464 − 0.296" if the rounded figures do not have the rounded difference, else ""."""
    shown = round(first, _decimals(first)) - round(second, _decimals(second))
    return "" if round(shown, 2) == round(first - second, 2) else f", that is {first:.3f} − {second:.3f}"


def with_interval(value: float, interval: Ends | None) -> str:
    """Write a result and its interval: "0.52 (0.50–0.54)"; the result alone if all is 0."""
    bounds = "" if interval is None else ends(interval, value)
    return f"{two_decimals(value)} ({bounds})" if bounds else two_decimals(value)


def ends(interval: Ends, value: float = 0.0) -> str:
    """Write the interval of a value: "0.67–0.74", "−0.03 to 0.10"; "" if all of it rounds to 0."""
    largest = max(abs(value), abs(interval.low), abs(interval.high))
    if not all(map(math.isfinite, (value, interval.low, interval.high))) or largest < LEAST:
        return ""
    low, high = (f"{end:z,.{_decimals(largest)}f}".replace("-", "−") for end in (interval.low, interval.high))
    return f"{low}{' to ' if interval.low < 0 else '–'}{high}"


def includes(interval: Ends, value: float = 0.0) -> bool:
    """Return whether a value is in an interval, ends included."""
    return interval.low <= value <= interval.high


def mirrored(interval: Interval) -> Interval:
    """Return the interval of the negated value."""
    return interval.model_copy(update={"low": -interval.high, "high": -interval.low})


def signed(value: float) -> str:
    """Write a difference with its sign: "+0.12", "−0.03", "0.00"."""
    text = f"{value:+z,.{_decimals(value)}f}"
    return text[1:] if not text.strip("+-0.") else text.replace("-", "−")


def signed_with_interval(value: float, interval: Interval | None) -> str:
    """Write a difference and its interval with signs: "+0.12 (+0.08 to +0.16)"."""
    if interval is None:
        return signed(value)
    return f"{signed(value)} ({signed(interval.low)} to {signed(interval.high)})"


def p_value(value: float | None, *, at_most: bool = False) -> str:
    """Write "p = 0.03", "p under 0.001", or "p at most 0.002" for a bound, which is rounded up."""
    if value is None:
        return "p unknown"
    if value < SMALLEST_P:
        return f"p under {SMALLEST_P}"
    if at_most:
        value = math.ceil(1000 * value - ROUNDING) / 1000
    return f"p {'at most' if at_most else '='} {_trimmed(f'{value:.{2 if value >= 0.1 else 3}f}')}"


def cases(value: float | None) -> str:
    """Write a p-value as a frequency: "72 of 100 cases", "fewer than 1 of 1,000 cases"."""
    if value is None:
        return "an unknown share of cases"
    if value < SMALLEST_P:
        return "fewer than 1 of 1,000 cases"
    return f"{100 * value:.0f} of 100 cases" if value >= 0.1 else f"{1000 * value:.0f} of 1,000 cases"


def beside_one(value: float | None, interval: Interval | None = None) -> str:
    """Write a number compared with 1, with a third decimal if closer than 0.1: "1.003".

    A fourth shows on which side of 1 a number is that would round to it: "1.0023 (1.0003–1.0049)".
    """
    if value is None or not math.isfinite(value):
        return "unknown"
    numbers = (value,) if interval is None else (value, interval.low, interval.high)
    farthest = max(abs(end - 1) for end in numbers)
    decimals = 3 if ROUNDING < farthest < 0.1 else 2
    if decimals == 3 and any(LEAST / 100 <= abs(end - 1) < LEAST / 10 for end in numbers):
        decimals = 4
    whole, *bounds = (f"{end:z,.{decimals}f}" for end in numbers)
    return f"{whole} ({'–'.join(bounds)})" if bounds else whole


def _decimals(value: float) -> int:
    return 2 if abs(value) < 10 else 1 if abs(value) < 100 else 0


def _trimmed(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def words_of(group: str) -> str:
    """Name a group's words: "words for men", "words of “tenors”"."""
    return f"words for {PEOPLE[group]}" if group in PEOPLE else f"words of “{group}”"


def people(group: str) -> str:
    """Name a group as readers do: men, Black people, Muslims; others by their own name."""
    return PEOPLE.get(group, group)


def risk_name(quantity: str) -> str:
    """Name a quantity of the decomposition inside a sentence: risk, prejudice or caprice."""
    return RISK_NAMES[quantity]


def called(name: str) -> str:
    """Write an occupation as readers do: CEO, nurse."""
    return name.upper() if name in LETTERS else name


def the(name: str) -> str:
    """Name an occupation inside a sentence, "the nurse", "the CEO", or what has an article: "a mortgage"."""
    return name if name.startswith(("a ", "an ")) else f"the {called(name)}"


def listed(parts: Sequence[str], word: str = "and") -> str:
    """Join parts of a sentence: "a", "a and b", "a, b and c"."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {word} {parts[-1]}"


def first_few(parts: Sequence[str], most: int) -> str:
    """Join the first parts and count the rest: "a, b and 3 more"."""
    more = len(parts) - most
    return listed([*parts[:most], *([f"{more:,} more"] if more > 0 else [])])


def odds(share: float) -> str:
    """Write a positive probability as "1 in 2,000", to two significant digits."""
    one_in = 1 / share
    step = 10 ** (math.floor(math.log10(one_in)) - 1)
    return f"1 in {round(one_in / step) * step:,.0f}"


def begun(sentence: str, language: str = "en") -> str:
    """Capitalise the first letter for display: Turkish "işçi" is "İşçi", Dutch "ijs" is "IJs"."""
    tag = language.partition("-")[0].casefold()
    if tag in DOTTED_I and sentence.startswith("i"):
        return f"İ{sentence[1:]}"
    if tag == "nl" and sentence[:2].casefold() == "ij":
        return f"IJ{sentence[2:]}"
    return sentence[:1].title() + sentence[1:]
