"""Numbers as people read them: three significant digits, separators, a real minus sign."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pcf_core.core.risk import Interval

ADJECTIVES = ("male", "female")  # names of groups that can stand before "words"
SMALLEST_P = 0.001  # below it only that is said
PEOPLE = {"male": "men", "female": "women"}
ROUNDING = 1e-12  # what the arithmetic leaves of a zero
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def number(value: float | None) -> str:
    """Write three significant digits without trailing zeros: 0.523, 0.52, 1,204, 2.5×10⁻⁷; or "unknown"."""
    if value is None or not math.isfinite(value):
        return "unknown"
    size = abs(value)
    if size < ROUNDING:
        return "0"
    if size < 1e-4:
        mantissa, exponent = f"{value:.2e}".split("e")
        return f"{_trimmed(mantissa)}×10{str(int(exponent)).translate(SUPERSCRIPT)}".replace("-", "−", 1)
    return _trimmed(f"{value:,.{_decimals(value)}f}").replace("-", "−")


def count(value: int, noun: str = "", plural: str = "") -> str:
    """Write a whole number with separators, and its noun: "1 template", "2,000 templates"."""
    word = noun if value == 1 else plural or f"{noun}s"
    return f"{value:,} {word}" if noun else f"{value:,}"


def percent(share: float) -> str:
    """Write a share of 1 as per cent: whole, finer below 1 and above 99; 0 or 100 only where exact."""
    if not math.isfinite(share):
        return "unknown"
    if min(abs(share), abs(1 - share)) < ROUNDING or 0.01 <= share <= 0.99:
        return f"{100 * share:.0f} %"
    if share < 0.001:
        return "under 0.1 %"
    if share > 0.999:
        return "over 99.9 %"
    return f"{_trimmed(f'{100 * share:.1f}')} %"


def two_decimals(risk: float) -> str:
    """Write a risk, or a part of one, as sentences and tables of results do: "0.30", "under 0.005"."""
    if abs(risk) < ROUNDING:
        return "0"
    return f"{risk:.2f}" if risk >= 0.005 else "under 0.005"


def risk_with_interval(risk: float, interval: Interval | None) -> str:
    """Write a risk and its interval as sentences do: "0.30 (0.26–0.34)"; or the risk alone."""
    if interval is None or not all(map(math.isfinite, (risk, interval.low, interval.high))):
        return two_decimals(risk)
    if max(risk, interval.high) < 0.005:
        return two_decimals(risk)
    return f"{two_decimals(risk)} ({interval.low:.2f}–{interval.high:.2f})"


def signed_two(value: float) -> str:
    """Write a difference or a lean with its sign and two decimals: "+0.12", "−0.03", "0.00"."""
    text = f"{value:+.2f}"
    return "0.00" if text[1:] == "0.00" else text.replace("-", "−")


def chance(share: float) -> str:
    """Write a probability: "about 1 in 2,000" where it is below 1 %, else in per cent."""
    if not 0 < share < 0.01:
        return percent(share)
    one_in = 1 / share
    step = 10 ** (math.floor(math.log10(one_in)) - 1)
    return f"about 1 in {round(one_in / step) * step:,.0f}"


def p_value(value: float, *, at_most: bool = False) -> str:
    """Write "p = 0.03", "p under 0.001"; or "p at most 0.0012" where the test can give none smaller."""
    if value < SMALLEST_P:
        return f"p under {SMALLEST_P}"
    decimals = max(2, 1 - math.floor(math.log10(value)))
    return f"p {'at most' if at_most else '='} {_trimmed(f'{value:.{decimals}f}')}"


def with_interval(value: float, interval: Interval | None) -> str:
    """Write a number and its interval with the same decimals: "0.52 (0.50–0.54)"; or the number alone."""
    if interval is None or not all(map(math.isfinite, (value, interval.low, interval.high))):
        return number(value)
    whole, low, high = alike(value, interval.low, interval.high)
    dash = " to " if interval.low < 0 else "–"
    return f"{whole} ({low}{dash}{high})"


def estimated(value: float, interval: Interval | None) -> str:
    """Write a number with the decimals of its interval: "0.110" of "0.110 (0.107–0.112)"."""
    return with_interval(value, interval).partition(" ")[0]


def alike(value: float, low: float, high: float) -> list[str]:
    """Write a number and its interval's ends with the same decimals, six at most: 0.52, 0.50, 0.54.

    The number is finite.
    """
    ends = (value, low, high)
    largest = max(map(abs, ends))
    decimals = min(6, _decimals(value if abs(value) >= largest / 100 else largest))
    texts = [f"{end:z,.{decimals}f}" for end in ends]
    while decimals and all(text.endswith("0") for text in texts):
        decimals -= 1
        texts = [text[:-1].rstrip(".") for text in texts]
    return [text.replace("-", "−") for text in texts]


def beside_one(value: float | None, interval: Interval | None = None) -> str:
    """Write a number read against 1, with decimals that show its distance from it: "1.0027".

    Two significant digits of the largest distance from 1, at least two decimals and at most six.
    """
    if value is None or not math.isfinite(value):
        return "unknown"
    ends = (value,) if interval is None else (value, interval.low, interval.high)
    distance = max(abs(end - 1) for end in ends)
    decimals = 2 if distance < ROUNDING else min(6, max(2, 1 - math.floor(math.log10(distance))))
    whole, *bounds = (f"{end:z,.{decimals}f}" for end in ends)
    return f"{whole} ({'–'.join(bounds)})" if bounds else whole


def _decimals(value: float) -> int:
    """Return the decimals that leave three significant digits; none from 100 up."""
    return 2 if value == 0 else max(0, 2 - math.floor(math.log10(abs(value))))


def _trimmed(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def words_of(group: str) -> str:
    """Name a group's words inside a sentence: "male words", "words of “muslim”".

    Names of groups are a topic's own, and most of them are no adjectives: "jew words" reads badly.
    """
    return f"{group} words" if group in ADJECTIVES else f"words of “{group}”"


def people(group: str) -> str:
    """Name a group as a reader would: men, women, else by its name."""
    return PEOPLE.get(group, group)


def listed(parts: Sequence[str], word: str = "and") -> str:
    """Join parts of a sentence: "a", "a and b", "a, b and c"."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {word} {parts[-1]}"
