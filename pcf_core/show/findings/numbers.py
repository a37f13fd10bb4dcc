"""Numbers as people read them: three significant digits, separators, a real minus sign."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pcf_core.core.risk import Interval

ADJECTIVES = ("male", "female")  # names of groups that can stand before "words"
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


def p_value(value: float, *, at_most: bool) -> str:
    """Write "p = 0.03", or "p at most 0.0005" where the test can give none smaller."""
    return f"p {'at most' if at_most else '='} {number(value)}"


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


def listed(parts: Sequence[str], word: str = "and") -> str:
    """Join parts of a sentence: "a", "a and b", "a, b and c"."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {word} {parts[-1]}"
