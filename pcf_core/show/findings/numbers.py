"""Numbers and intervals as people read them: the one place that decides how many digits a page shows.

Sentences and cards have two decimals for results and whole per cent for shares; ``digits`` is for *Data*.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Protocol

from pcf_core.core.risk import Interval

SMALLEST_P = 0.001  # below it only that is said
# What a reader calls the groups of shipped topics; the names themselves are part of what runs are kept by.
PEOPLE = {
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
    # Words of the papers' list that are no names for people: they are quoted.
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
# Names of occupations that are letters, not words; lists have all names small.
LETTERS = frozenset(("ceo", "cfo", "cio", "coo", "cso", "cto", "dpo", "gm", "pm", "vp", "avp", "evp", "svp"))
DOTTED_I = ("az", "tr")  # languages in which the capital of i has a dot, and that of ı none
LEAST = 0.005  # what two decimals can show
ROUNDING = 1e-12  # what the arithmetic leaves of a zero
NO_FIGURE = "–"  # in place of a figure that is no reliable answer
TIE = 1e-9  # what sums of weights leave of a whole
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
    """Write a setting, a limit or a size: two decimals at the most, without trailing zeros; or "unknown".

    0.5, 14.2, 1,204; "under 0.005" for what rounds to 0 and is not.
    """
    if value is None or not math.isfinite(value):
        return "unknown"
    if 0 < abs(value) < LEAST or abs(value) < ROUNDING:
        return two_decimals(value)
    return _trimmed(f"{value:,.{_decimals(value)}f}").replace("-", "−")


def effective_count(value: float) -> str:
    """Write an effective number of templates: one decimal below 100, none from there up: 2.8, 40, 1,204."""
    return number(round(value, 1))


def digits(value: float | None) -> str:
    """Write three significant digits without trailing zeros: 0.523, 1,204, 2.5×10⁻⁷; or "unknown".

    It is for tables under *Data* and for logarithmic axes alone: sentences and cards have two decimals.
    """
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
    """Write a share of 1 as whole per cent; 0 or 100 only where exact: "under 1 %", "over 99 %"."""
    if not math.isfinite(share):
        return "unknown"
    if TIE < share < 0.005:
        return "under 1 %"
    if 0.995 <= share < 1 - TIE:
        return "over 99 %"
    return f"{100 * share:.0f} %"


def percent_with_interval(share: float, interval: Interval | None) -> str:
    """Write a share and its interval as whole per cent: "93 % (81–98 %)"; alone if its ends are one."""
    if interval is None or not all(map(math.isfinite, (share, interval.low, interval.high))):
        return percent(share)
    low, high = (f"{100 * end:.0f}" for end in (interval.low, interval.high))
    return percent(share) if low == high else f"{percent(share)} ({low}–{high} %)"


def points(share: float) -> str:
    """Write a difference of shares of 1 in whole points: "11 points", "under 1 point"."""
    number = f"{100 * share:.0f}"
    return "under 1 point" if number == "0" and share > 0 else f"{number} point{'' if number == '1' else 's'}"


def chance(share: float | None) -> str:
    """Write a probability: "about 1 in 2,000" where it is below 1 %, else in per cent."""
    if share is None:
        return "unknown"
    return f"about {odds(share)}" if 0 < share < 0.01 else percent(share)


def two_decimals(value: float | None) -> str:
    """Write a result as sentences, cards and tables do: "0.30", "−0.12", "under 0.005"; fewer from 10 up."""
    if value is None or not math.isfinite(value):
        return "unknown"
    if abs(value) < ROUNDING:
        return "0"
    if abs(value) < LEAST:
        return f"under {LEAST}" if value > 0 else f"above −{LEAST}"
    return f"{value:,.{_decimals(value)}f}".replace("-", "−")


def with_interval(value: float, interval: Ends | None) -> str:
    """Write a result and its interval as sentences do: "0.52 (0.50–0.54)"; the result alone where all is 0.

    Ends that round to 0 are written 0.00: what a verdict rests on is said beside them.
    """
    bounds = "" if interval is None else ends(interval, value)
    return f"{two_decimals(value)} ({bounds})" if bounds else two_decimals(value)


def ends(interval: Ends, value: float = 0.0) -> str:
    """Write the ends of an interval alone: "0.67–0.74", "−0.03 to 0.10"; empty where two decimals show none.

    ``value``: what it is of, which decides the decimals with them.
    """
    largest = max(abs(value), abs(interval.low), abs(interval.high))
    if not all(map(math.isfinite, (value, interval.low, interval.high))) or largest < LEAST:
        return ""
    low, high = (f"{end:z,.{_decimals(largest)}f}".replace("-", "−") for end in (interval.low, interval.high))
    return f"{low}{' to ' if interval.low < 0 else '–'}{high}"


def includes(interval: Ends, value: float = 0.0) -> bool:
    """Tell whether a value lies in an interval, its ends among it."""
    return interval.low <= value <= interval.high


def mirrored(interval: Interval) -> Interval:
    """Return the interval of the value with the other sign."""
    return interval.model_copy(update={"low": -interval.high, "high": -interval.low})


def signed(value: float) -> str:
    """Write a difference or a lean with its sign: "+0.12", "−0.03", "0.00"."""
    text = f"{value:+z,.{_decimals(value)}f}"
    return text[1:] if not text.strip("+-0.") else text.replace("-", "−")


def signed_with_interval(value: float, interval: Interval | None) -> str:
    """Write a difference and its interval with their signs: "+0.12 (+0.08 to +0.16)"."""
    if interval is None:
        return signed(value)
    return f"{signed(value)} ({signed(interval.low)} to {signed(interval.high)})"


def p_value(value: float | None, *, at_most: bool = False) -> str:
    """Write "p = 0.03", "p under 0.001"; or "p at most 0.002" where the test can give none smaller.

    Two decimals from 0.1 up and three below; a bound is rounded up, so that it stays one.
    """
    if value is None:
        return "p unknown"
    if value < SMALLEST_P:
        return f"p under {SMALLEST_P}"
    if at_most:
        value = math.ceil(1000 * value - ROUNDING) / 1000
    return f"p {'at most' if at_most else '='} {_trimmed(f'{value:.{2 if value >= 0.1 else 3}f}')}"


def cases(value: float | None) -> str:
    """Write a p-value as how often chance does as much: "72 of 100 cases", "fewer than 1 of 1,000 cases"."""
    if value is None:
        return "an unknown share of cases"
    if value < SMALLEST_P:
        return "fewer than 1 of 1,000 cases"
    return f"{100 * value:.0f} of 100 cases" if value >= 0.1 else f"{1000 * value:.0f} of 1,000 cases"


def beside_one(value: float | None, interval: Interval | None = None) -> str:
    """Write a number read against 1, with a third decimal where it lies closer to 1 than 0.1: "1.003"."""
    if value is None or not math.isfinite(value):
        return "unknown"
    numbers = (value,) if interval is None else (value, interval.low, interval.high)
    farthest = max(abs(end - 1) for end in numbers)
    whole, *bounds = (f"{end:z,.{3 if ROUNDING < farthest < 0.1 else 2}f}" for end in numbers)
    return f"{whole} ({'–'.join(bounds)})" if bounds else whole


def _decimals(value: float) -> int:
    """Return two decimals below 10, one below 100, and none from there up."""
    return 2 if abs(value) < 10 else 1 if abs(value) < 100 else 0


def _trimmed(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def words_of(group: str) -> str:
    """Name a group's words inside a sentence: "words for men", "words of “tenors”"."""
    return f"words for {PEOPLE[group]}" if group in PEOPLE else f"words of “{group}”"


def people(group: str) -> str:
    """Name a group as a reader would: men, Black people, Muslims; a group of one's own by its name."""
    return PEOPLE.get(group, group)


def risk_name(quantity: str) -> str:
    """Name a quantity of the decomposition inside a sentence: risk, prejudice or caprice."""
    return RISK_NAMES[quantity]


def called(name: str) -> str:
    """Write the name of an occupation as a reader would: CEO, nurse; the name itself is what data have."""
    return name.upper() if name in LETTERS else name


def the(name: str) -> str:
    """Name an occupation inside a sentence: "the nurse", "the CEO"."""
    return f"the {called(name)}"


def listed(parts: Sequence[str], word: str = "and") -> str:
    """Join parts of a sentence: "a", "a and b", "a, b and c"."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {word} {parts[-1]}"


def first_few(parts: Sequence[str], most: int) -> str:
    """Join the first parts of a sentence and say how many more there are: "a, b and 3 more"."""
    more = len(parts) - most
    return listed([*parts[:most], *([f"{more:,} more"] if more > 0 else [])])


def odds(share: float) -> str:
    """Write a probability above 0 as "1 in 2,000", to two significant digits."""
    one_in = 1 / share
    step = 10 ** (math.floor(math.log10(one_in)) - 1)
    return f"1 in {round(one_in / step) * step:,.0f}"


def begun(sentence: str, language: str = "en") -> str:
    """Capitalise the first letter as a language does: Turkish "işçi" is "İşçi", Dutch "ijs" is "IJs".

    It is for what is displayed alone: what a model is asked is written by its template.  Letters with a form
    of their own for titles get it, and those without capitals, as Georgian ones in a text, stay.
    """
    tag = language.partition("-")[0].casefold()
    if tag in DOTTED_I and sentence.startswith("i"):
        return f"İ{sentence[1:]}"
    if tag == "nl" and sentence[:2].casefold() == "ij":
        return f"IJ{sentence[2:]}"
    return sentence[:1].title() + sentence[1:]
