"""A comparison of a model with its text, with numbers that can be checked by eye."""

from __future__ import annotations

import numpy as np

from pcf_core.core.factors import Amplification, OccupationRead, ReadCard, ReadCount, ReadLine
from pcf_core.core.records import LeftOut
from pcf_core.core.risk import Interval

CARD = ReadCard(
    title="Biographies",
    source="Wikipedia",
    licence="CC BY-SA 3.0",
    method="Counted.",
    files=("a.jsonl.gz",),
    documents=59_539,
    held_out=635,
    lead=300,
)


def around(value: float, half: float) -> Interval:
    return Interval(low=value - half, high=value + half)


def row(name: str, he: int, she: int, says: float, adjusted: float, half: float = 0.1) -> OccupationRead:
    count = ReadCount(occupation=name, he=he, she=she, neither=1, as_word=he + she)
    return OccupationRead(
        count=count,
        tilt=says,
        lean_interval=around(count.lean, half),
        tilt_interval=around(says, half / 2),
        interval=around(says - count.lean, half),
        p_value=adjusted / 2,
        adjusted=adjusted,
    )


def line_example(slope: float = 0.2, half: float = 0.1, plain: float | None = None) -> ReadLine:
    """0.5 + slope · x between −0.6 and 0.9, with a band of ± 0.1."""
    x = np.linspace(-0.6, 0.9, 5)
    mean = 0.5 + slope * x
    plain = 0.9 * slope if plain is None else plain
    return ReadLine(
        slope=slope,
        interval=around(slope, half),
        plain=plain,
        plain_interval=around(plain, half),
        intercept=0.5,
        reliability=0.9,
        x=x,
        mean=mean,
        low=mean - 0.1,
        high=mean + 0.1,
    )


def read_example(line: ReadLine | None = None, no_line: str = "", shift: float = 0.2) -> Amplification:
    """Five occupations, one of each verdict."""
    return Amplification(
        occupations=(
            row("nurse", 20, 80, 0.5, 0.001),
            row("<b>artist", 70, 30, 0.8, 0.01),
            row("police", 90, 10, 0.4, 0.02),
            row("engineer", 93, 7, 0.9, 0.6),
            row("tutor", 11, 9, 0.3, 0.3, 0.5),
        ),
        shift=shift,
        shift_interval=around(shift, 0.1),
        line=None if no_line else line or line_example(),
        no_line=no_line,
        ranks=None if no_line else (0.5, Interval(low=0.3, high=0.7)),
        left_out=(
            LeftOut(name="cook", reason="in the training text the word is mostly part of a name or title"),
        ),
    )
