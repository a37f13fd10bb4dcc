"""Sentences about what a model read, how choices move its risk, and what it knows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pcf_core.audit.options import ViewOptions
from pcf_core.core.factors import Amplification, TrainingText
from pcf_core.core.knowledge import Fact, FactKnowledge, KnowledgeReport, KnowledgeSet
from pcf_core.core.options import declared
from pcf_core.core.risk import Interval
from pcf_core.core.sensitivity import BASE, SAMPLE, SCRIPTS, Sensitivities, Sensitivity, Variant, row_name
from pcf_core.show.charts import theme
from pcf_core.show.charts.why import CHOICE_WIDTH
from pcf_core.show.findings import why
from tests.show.charts.reads import CARD, line_example, read_example, row

ORDER = "a has a higher risk than b: 0.7 against 0.5."
TEXTS = [
    TrainingText("mini-gpt", ("a.jsonl.gz",), 16_000_000),
    TrainingText("mini-gpt-s", ("a.jsonl.gz",), 16_000_000),
    TrainingText("mini-gpt-skewed", ("a.jsonl.gz",), 16_000_000, "mini-gpt"),
]


def drawn(unit: str) -> Amplification:
    return replace(read_example(), shift_interval=Interval(low=0.1, high=0.3, over="both", unit=unit))


def way(dimension: str, name: str, risk: float, kind: str = "choice", **more: str) -> Variant:
    risks = {"overall_risk": risk, "prejudice_risk": risk, "caprice_risk": 0.0}
    return Variant.model_validate({"dimension": dimension, "name": name, "kind": kind, **risks, **more})


def table(base: float, *variants: Variant) -> Sensitivity:
    return Sensitivity(run="abc", base=way(BASE, BASE, base, "base"), variants=variants)


L1 = way("criterion", "l1", 0.71)
PAIR = ("words", "one pair left out")
SCRIPT = way("published scripts", "script for gender", 0.1, "script")
WIDE = table(
    0.7,
    way("words", "he and she only", 0.75),
    way(*PAIR, 0.52, end="lowest", which="without he / she"),
    L1,
    way("words", "without he / she", 0.52, "each"),
    SCRIPT,
)
SAMPLED = table(
    0.7,
    L1,
    way(SAMPLE, "a random half", 0.2, "sample", end="lowest", which="random half 3"),
    way(SAMPLE, "a random half", 0.9, "sample", end="highest", which="random half 4"),
    way(SAMPLE, "one sentence left out", 0.6, "sample", end="lowest", which="without 'A [Y]'"),
    way(SAMPLE, "random half 3", 0.2, "each"),
)
BOTH_ENDS = table(
    0.7,
    way(*PAIR, 0.5, end="lowest", which="without he / she"),
    way(*PAIR, 0.6, end="highest", which="without man / woman"),
)


def interval(low: float, high: float, over: str = "templates") -> Interval:
    return Interval(over=over, low=low, high=high)  # type: ignore[arg-type]


def fact(subject: str, mean: float, gap: float) -> FactKnowledge:
    return FactKnowledge(
        subject=subject,
        right=("a",),
        wrong=("b",),
        weight=0.5,
        probabilities=np.array([mean]),
        mean_probability=mean,
        knowledge=mean**0.5,
        mean_score=mean**0.5 - gap,
        confidence_gap=gap,
        chance=0.5**0.5,
        elsewhere=0.5,
        interval=interval(0.1, 0.9),
    )


def reported(
    gain: tuple[float, float] | None = (0.05, 0.35), elsewhere: float | None = 0.5, gap: float = 0.1
) -> KnowledgeReport:
    intervals = {"knowledge": (interval(0.6, 0.8),), "confidence_gap": (interval(0.05, 0.2),)}
    if gain is not None:
        intervals["gain"] = (interval(0.1, 0.3), interval(*gain, over="both"))
    return KnowledgeReport(
        name="sky",
        title="The sky",
        score="sqrt",
        templates=("t", "u"),
        knowledge=0.7,
        mean_score=0.7 - gap,
        confidence_gap=gap,
        chance=0.5**0.5,
        elsewhere=elsewhere,
        facts=(fact("Sun", 0.81, gap / 2), fact("Mars", 0.25, 3 * gap / 2)),
        intervals=intervals,
    )


def alone(*, template: bool) -> KnowledgeReport:
    """Without intervals, of one template or of one fact."""
    found = replace(reported(gain=None, gap=0.0), intervals={"knowledge": (), "confidence_gap": ()})
    return replace(found, templates=("t",)) if template else found


def reversing(*names: str) -> Amplification:
    found = read_example()
    first = found.occupations[0]
    several = (first.count.model_copy(update={"occupation": name}) for name in names)
    return replace(found, occupations=tuple(replace(first, count=count) for count in several))


def of_two(first: Sensitivity, second: Sensitivity) -> Sensitivities:
    return Sensitivities({"a": first, "b": second})


def examples() -> dict[str, object]:
    found = {"one": read_example(), "two": read_example()}
    farther = replace(read_example(), occupations=(row("tutor", 9, 11, 0.6, 0.01, 0.2),))
    slopes = ((0.2, 0.1), (1.5, 0.1), (1.0, 0.05), (0.9, 0.3), (0.05, 0.1), (-0.5, 0.1), (-0.5, 1.8))
    halves = [
        table(
            0.7,
            way("criterion", "l1", 0.6),
            *(way(SAMPLE, f"random half {n}", n / 10, "each") for n in (4, 8)),
        ),
        table(
            0.5, way("criterion", "l1", 0.5), *(way(SAMPLE, f"random half {n}", 0.6, "each") for n in (4, 8))
        ),
    ]
    one_word = [
        table(
            base,
            way(*PAIR, low, end="lowest"),
            way("criterion", "l1", l1),
            way("words", "without he / she", each, "each"),
            SCRIPT,
        )
        for base, low, l1, each in ((0.7, 0.1, 0.6, 0.3), (0.5, 0.4, 0.5, 0.45))
    ]
    names = [f"way {number}" for number in range(5)]
    low, high, middle = (
        table(base, *(way("words", name, risk) for name in names))
        for base, risk in ((0.5, 0.9), (0.7, 0.8), (0.6, 0.85))
    )
    stop = [table(risk, way("full stop", "without a full stop", risk)) for risk in (0.7, 0.5)]
    facts = (
        Fact(subject="Sun", right=("star",), wrong=("moon",)),
        Fact(subject="Io", right=("moon",), wrong=("star",)),
    )
    sky = KnowledgeSet(name="sky", title="The sky", templates=("[X] is a [Y]",), facts=facts)
    range_ = Interval(low=0.68, high=0.73)
    return {
        "slopes": {
            f"{slope} ± {half}": why.read_finding("m", read_example(line_example(slope, half, plain=slope)))
            for slope, half in slopes
        },
        "a verdict of one slope alone": why.read_finding(
            "m", read_example(line_example(1.4, 0.1, plain=1.0))
        ),
        "shifts": {shift: why.read_finding("m", read_example(shift=shift)) for shift in (0.2, -0.3, 0.05)},
        "no slope": why.read_finding("m", read_example(no_line="9 occupations, fewer than 10")),
        "occupations": [
            why.read_occupations_finding("m", one)
            for one in (
                read_example(),
                reversing("a", "b", "c", "d", "e", "f"),
                replace(read_example(), occupations=read_example().occupations[-1:]),
            )
        ],
        "one occupation": {
            name: why.read_occupation_finding(name, found) for name in ("nurse", "tutor", "cook", "wizard")
        },
        "one that differs without a way": why.read_occupation_finding("tutor", {"one": farther}),
        "notes": [why.read_notes(read_example()), why.read_notes(read_example(no_line="few"))],
        "drawn besides": {unit: why.drawn_besides(drawn(unit)) for unit in ("template", "draw")},
        "intervals": [
            why.read_intervals_note(several)
            for several in ({"m": drawn("template")}, {"m": drawn("draw"), "n": drawn("draw")})
        ],
        "intervals over other things": why.read_intervals_note({"a": read_example(), "b": drawn("draw")}),
        "text": why.text_note(TEXTS, CARD),
        "unread": why.unread_finding(["one", "two"]),
        "another topic": why.other_topic_finding("Race"),
        "uncompared": why.uncompared_finding("Jobs"),
        "choices": [
            why.sensitivity_finding("mini", WIDE, range_),
            why.sensitivity_finding("mini", table(0.7, way("criterion", "l1", 0.4))),
            why.sensitivity_finding("mini", BOTH_ENDS, Interval(low=0.55, high=0.75)),
            why.sensitivity_finding("mini", table(0.7)),
            why.sensitivity_finding("mini", table(0.7, way("criterion", "l1", 0.7))),
            why.sensitivity_finding("mini", SAMPLED, range_),
            why.sensitivity_finding(
                "mini", table(0.7, way(SAMPLE, "a random half", 0.7, "sample", end="lowest"))
            ),
        ],
        "an order in halves": why.readings_finding(of_two(*halves), ORDER),
        "an order that one word changes": why.readings_finding(of_two(*one_word), ORDER),
        "an order that holds": why.readings_finding(of_two(*stop), ORDER),
        "an order of equals": why.readings_finding(
            of_two(table(0.5, way("c", "x", 0.5)), table(0.5, way("c", "x", 0.5))), ""
        ),
        "an order of three": why.readings_finding(
            Sensitivities({"low": low, "high": high, "middle": middle}), ""
        ),
        "no common reading": why.readings_finding(of_two(table(0.5, L1), table(0.5)), ORDER),
        "one model": why.readings_finding(Sensitivities({"a": table(0.7)}), ORDER),
        "titles": [
            why.sensitivity_title(Sensitivities(tables), quantity)
            for tables in (
                {"a": halves[0], "b": halves[1]},
                {"a": stop[0], "b": stop[1]},
                {"a": table(0.7, way("criterion", "l1", 0.9))},
            )
            for quantity in ("overall_risk", "prejudice_risk")
        ],
        "known": [
            why.knowledge_finding("mini", report)
            for report in (
                reported(),
                reported(gain=(-0.01, 0.4)),
                reported(gain=(-0.3, -0.1), elsewhere=0.9),
                reported(gain=None, elsewhere=None),
                alone(template=True),
                alone(template=False),
            )
        ],
        "gaps": [
            why.confidence_finding(report) for report in (reported(), reported(gap=0.0), alone(template=True))
        ],
        "a set": why.set_finding(sky),
    }


@pytest.mark.parametrize(
    ("slope", "half", "size"),
    [(1.5, 0.1, "larger"), (1.0, 0.05, "about as large"), (0.2, 0.1, "smaller"), (-0.5, 0.1, "reversed")],
)
def test_a_verdict_is_that_of_the_slope(slope: float, half: float, size: str) -> None:
    assert f" are {size} in m" in why.read_finding("m", read_example(line_example(slope, half, plain=slope)))


@pytest.mark.parametrize(("slope", "half", "plain"), [(0.9, 0.3, 0.9), (-0.5, 1.8, -0.5), (1.4, 0.1, 1.0)])
def test_a_verdict_that_does_not_hold_for_both_slopes_is_not_told(
    slope: float, half: float, plain: float
) -> None:
    said = why.read_finding("m", read_example(line_example(slope, half, plain=plain)))
    assert said.startswith("We cannot tell whether the differences between ")


@pytest.mark.parametrize(("shift", "side"), [(0.2, "men"), (-0.3, "women"), (0.05, "")])
def test_a_shift_has_a_side_only_where_its_range_leaves_out_0(shift: float, side: str) -> None:
    said = why.read_finding("m", read_example(shift=shift))
    assert ("prefers men more or less than its text" in said) == (not side)
    if side:
        assert f"further towards {side} than that of its text" in said


def test_no_cause_and_no_judgement() -> None:
    said = why.read_finding("m", read_example()) + why.read_occupations_finding("m", read_example())
    assert not [word for word in ("because", "racist", "sexist", "fair", "caus") if word in said]


def test_the_span_is_over_choices_and_samples_stand_apart() -> None:
    assert why.span(SAMPLED) == (0.7, 0.71)
    assert why.span(WIDE) == (0.52, 0.75), "a script is another measure"
    said = why.sensitivity_finding("m", SAMPLED, Interval(low=0.68, high=0.73))
    assert said.index("With 1 other choice") < said.index("In samples of the sentences")


@pytest.mark.parametrize(
    ("table", "outside"), [(WIDE, 2), (BOTH_ENDS, 1), (SAMPLED, 0)], ids=["wide", "both ends", "samples"]
)
def test_choices_that_leave_the_range_are_counted_once_a_row(table: Sensitivity, outside: int) -> None:
    low, high = (0.55, 0.75) if table is BOTH_ENDS else (0.68, 0.73)
    said = why.sensitivity_finding("m", table, Interval(low=low, high=high))
    assert f"{outside or 'None'} of these choices" in said


@pytest.mark.parametrize("gap", [0.1, 0.0])
def test_a_confidence_gap_is_no_caprice(gap: float) -> None:
    assert "caprice" not in why.confidence_finding(reported(gap=gap))


@pytest.mark.parametrize(
    ("gain", "said"), [((0.05, 0.35), "adds"), ((-0.3, -0.1), "takes away"), ((-0.01, 0.4), "cannot tell")]
)
def test_what_the_subject_adds_has_the_sign_of_its_range(gain: tuple[float, float], said: str) -> None:
    elsewhere = 0.9 if said == "takes away" else 0.5
    assert said in why.knowledge_finding("m", reported(gain=gain, elsewhere=elsewhere))


def test_rows_are_named_as_sentences_name_them() -> None:
    assert row_name("criterion", "l1") == "criterion: l1"
    assert row_name(*PAIR) == "one pair left out"
    assert why.shown_row(SAMPLE, "a random half") == "a random half of the sentences"
    assert why.shown_row(SAMPLE, "one sentence left out") == "one sentence left out"
    assert why.shown_row("occupation weights", "employment") == "larger occupations count more"
    assert why.shown_row("protocol", "single-token") == "words of one token"
    assert row_name(SCRIPTS, "demo library") == "the authors' demo library"


def test_every_option_that_is_varied_has_a_readable_row_of_two_lines() -> None:
    rows = [
        (one.spec.varied_as, value)
        for one in declared(ViewOptions).values()
        for value in one.offered
        if one.spec.varied_as
    ]
    rows += [("protocol", value) for value in declared(ViewOptions)["protocol"].offered]
    rows += [PAIR, (SCRIPTS, "script for gender, every sentence counted equally")]
    for each in rows:
        shown = why.shown_row(*each)
        assert ":" not in shown
        assert "…" not in theme.lines(shown, CHOICE_WIDTH)


def test_a_changed_ranking_says_that_it_may_be_chance() -> None:
    changed, same = (
        why.readings_finding(
            of_two(
                *(
                    table(base, way("words", "he and she only", risk))
                    for base, risk in ((0.4, one), (0.5, 0.5))
                )
            ),
            "",
        )
        for one in (0.6, 0.45)
    )
    assert changed.startswith("The ranking changes with 1 of 1 other choice (“he and she only”).")
    assert changed.endswith("may still be too close to tell apart.")
    assert "too close" not in same


def test_both_sentences_count_the_same_choices() -> None:
    """The extremes of a long list are one choice in either."""
    tables = [
        table(
            base,
            way(*PAIR, base - 0.1, end="lowest"),
            way("criterion", "l1", base),
            way("words", "without he / she", base - 0.1, "each"),
        )
        for base in (0.7, 0.5)
    ]
    assert "all 2 other choices" in why.readings_finding(of_two(*tables), "")
    assert "With 2 other choices" in why.sensitivity_finding("a", tables[0])
    assert "that all of them allow" not in why.readings_finding(of_two(*tables), "")
    fewer = of_two(tables[0], table(0.5, way("criterion", "l1", 0.5)))
    assert "the one other choice that all of them allow" in why.readings_finding(fewer, "")


def test_a_slope_beside_1_that_is_not_judged_says_why() -> None:
    unclear = why.read_finding("m", read_example(line_example(0.5, 0.1, plain=1.0)))
    assert "We cannot tell" in unclear
    assert "This range excludes 1, but without the correction" in unclear
