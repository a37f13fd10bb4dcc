"""What is said beside a number, of a run under way, and of words that are unequal."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pcf_core.audit.preferences import build_run, warnings_of
from pcf_core.core.frame import Frame
from pcf_core.core.records import LeftOut
from pcf_core.core.risk import CorrectedRisk, Interval, Look
from pcf_core.core.run import (
    CoverageRange,
    CoverageSummary,
    FlaggedCell,
    ForbiddenWords,
    Progress,
    RunSpec,
    SelfAudit,
)
from pcf_core.core.topics import Evidence
from pcf_core.material.evidence import load_evidence
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import load_topic
from pcf_core.models.registry import resolve
from pcf_core.show.findings import notes
from pcf_core.show.findings.models import risk_finding
from tests.show.findings.test_models import report_of

ALIKE = {"white": {1: 1.0}, "hispanic": {1: 0.98, 4: 0.02}}
LONGER = {"white": {1: 1.0}, "hispanic": {1: 0.5, 2: 0.5}}
LONGEST = {"white": {1: 1.0}, "hispanic": {4: 1.0}}
RANGES = {"1": CoverageRange(median=0.25, lowest=3e-5), "2": CoverageRange(median=0.01, lowest=0.001)}
AUDIT = SelfAudit(
    traits={
        "space": "It is part of the token.",
        "closing": "No full stop.",
        "ahead": "No.",
        "sentence": "a b",
    },
    tokens={"he": 1, "abbess": 2},
    left_out=(LeftOut(name="niece", reason="unknown"),),
    noise_floor=2.1e-6,
    noise_scores=100,
    noise_dtype="float32",
)
ENDS = ((0.69, 0.73), (0.64, 0.68), (0.029, 0.071))
RISKS = ("overall_risk", "prejudice_risk", "caprice_risk")
LOOK = Look(
    within=0.005,
    draws=400,
    effective_draws=400,
    templates=212,
    available=2000,
    half_width=0.021,
    estimates=dict(zip(RISKS, (0.71, 0.66, 0.05), strict=True)),
    intervals={risk: Interval(low=low, high=high) for risk, (low, high) in zip(RISKS, ENDS, strict=True)},
)
FRAMES = (
    Frame(kind="chat", system="Be fair.", text="system: Be fair.\nuser: Continue the text.\n"),
    Frame(kind="chat", text="today: 26 Jul 2024\nuser: Continue the text.\n", date="26 Jul 2024"),
)


def coverage(flagged: int, cells: int = 1200, **more: object) -> CoverageSummary:
    return CoverageSummary(**({"by_tokens": {}, "cells": cells, "flagged": flagged} | more))  # type: ignore[arg-type]


def run_of(evidence: str) -> RunSpec:
    lists = load_topic("gender"), load_evidence(evidence), load_templates("gender-nineteen")
    return build_run(resolve("mini-gpt"), *lists)


def other_list(run: RunSpec, **names: str) -> RunSpec:
    """The same run with an occupation list of another name and weights."""
    weights = (2.0,) * len(run.evidence.terms)
    changed: Evidence = run.evidence.model_copy(update={"weights": weights, **names})
    return run.model_copy(update={"evidence": changed})


MANY = ForbiddenWords(words=tuple("abcdefg"), cells=60, total=120)
FORBIDS = replace(report_of([[0.9] * 6]), forbidden=MANY.model_copy(update={"words": ("he", "she")}))
FLAGGED = coverage(
    1, 12_000, listed=(FlaggedCell(occupation="operator", template="The [X] left and [Y]", coverage=4.5e-05),)
)


SETS: list[tuple[int, str, Look | None, str]] = [
    (19, "Mine", None, "19 sentences of “Mine”"),
    (24, "24 sentences that name the choices", None, "24 sentences that name the choices"),
    (10, "Ten reporting verbs from the papers", None, "10 sentences (reporting verbs from the papers)"),
    (1003, "1,003 varied sentences from fiction", None, "1,003 varied sentences from fiction"),
    (20, "100 varied sentences", None, "20 sentences of “100 varied sentences”"),
    (212, "2,000 varied sentences", LOOK, "212 of 2,000 sentences in 400 random draws (varied sentences)"),
    (212, "212 sentences", LOOK, "212 of 2,000 sentences in 400 random draws of “212 sentences”"),
]


def examples() -> dict[str, object]:
    left_out = [
        LeftOut(name="canary", reason="on both sides"),
        LeftOut(name="nurse", reason="no employment figure"),
        LeftOut(name="stylist", reason="no employment figure"),
    ]
    (kept,) = warnings_of("causal", [1], FLAGGED)
    longest, more = notes.tokens_clause({"m": LONGEST}), notes.sizes_clause({"white": 1, "black": 2})
    progress = (
        Progress(stage="loading"),
        Progress(stage="loading", seconds_left=12.4),
        Progress(stage="scoring", done=520, unsaved=376, total=2400, rate=47.2, seconds_left=31.9),
        Progress(stage="scoring", done=520, total=2400),
        Progress(stage="writing", done=40, total=2400, rate=10.0, seconds_left=236.0),
        Progress(stage="checking", done=5, total=50, seconds_left=9.0),
    )
    audits = {
        "whole": AUDIT,
        "no noise": AUDIT.model_copy(update={"noise_floor": 0.0}),
        "much noise": AUDIT.model_copy(update={"noise_floor": 0.03}),
        "not measured": AUDIT.model_copy(
            update={"noise_floor": None, "noise_scores": 0, "note": "The server is gone."}
        ),
        "empty": SelfAudit(traits={}, tokens={}),
        "none": None,
    }
    run = run_of("occupations-bvf")
    own, renamed = other_list(run), other_list(run, name="mine")
    return {
        "left out": [notes.left_out_note(left_out), notes.left_out_note([])],
        "tokens": [notes.tokens_note(tokens) for tokens in ([1, 3, 1, 1], [2], [])],
        "coverage": [
            notes.coverage_facts(found)
            for found in (
                coverage(3, 2280, by_tokens=RANGES),
                coverage(0, 1, by_tokens={"all": RANGES["1"]}),
                None,
            )
        ],
        "warnings": [
            notes.warning_text(f"M: {kept}", FLAGGED),
            notes.warning_text(kept, None),
            notes.warning_text("Another.", FLAGGED),
        ],
        "forbidden": [
            notes.no_answer_note({"m": FORBIDS}),
            notes.no_answer_note({"m": FORBIDS, "n": report_of([[0.9] * 6])}),
            notes.forbidden_clause("m", replace(FORBIDS, forbidden=MANY)),
        ],
        "hardly expected": [
            notes.low_coverage_note(found)
            for found in (
                {"m": coverage(1200), "n": coverage(60), "o": None},
                {"m": coverage(1200), "n": coverage(61)},
                {"n": coverage(60)},
            )
        ],
        "cells": [
            notes.coverage_note({"all": 0.25}),
            notes.coverage_note({"1": 5e-5, "2": 0.01}),
            notes.coverage_note({"1": 5e-5, "2": 9e-5}),
            notes.coverage_note(None),
            notes.coverage_note(None, right_text=False),
        ],
        "given left": [
            notes.coverage_facts(coverage(3, by_tokens={"all": RANGES["1"]}, left_only=True)),
            notes.coverage_note({"all": 0.25}, left_only=True),
            notes.given_left(),
            *map(notes.coverage_given_left, (0.01234, float("nan"))),
        ],
        "longer words": [
            notes.longer_words_note(last, {"m": LONGEST, "n": LONGEST})
            for last in ({"m": "hispanic"}, {"m": "hispanic", "n": "hispanic"}, {"m": "hispanic", "n": ""})
        ],
        "words with": [notes.words_with(key) for key in ("1", "2", "all")],
        "self-audits": {name: notes.self_audit_facts(found) for name, found in audits.items()},
        "frames": [notes.frame_note("m", frame) for frame in FRAMES],
        "openings": [notes.opening_facts(opening) for opening in (None, ("<bos>",), ())],
        "frames of texts": [
            notes.text_frame_note("m", frame, begins=begins) for frame in FRAMES for begins in (False, True)
        ],
        "nouns": {name: notes.noun_note(run_of(name)) for name in ("occupations-bvf", "sports")},
        "other lists": [
            notes.other_lists_note(found, run, where)
            for found in (run, own, renamed)
            for where in ("page", "score", "report", "pack")
        ],
        "unequal tokens": [
            notes.tokens_sentence({"m": LONGER}, {"m": "causal"}),
            notes.tokens_sentence({"m": ALIKE, "n": None}, {"m": "causal", "n": "masked"}),
            notes.tokens_sentence(
                {"m": LONGER, "n": LONGEST, "o": ALIKE}, {"m": "causal", "n": "masked", "o": "masked"}
            ),
        ],
        "unequal sizes": [
            notes.sizes_clause(sizes)
            for sizes in ({"white": 1, "black": 2, "asian": 1}, {"white": 2, "black": 2})
        ],
        "unequal": [
            notes.unequal_note(longest, more),
            notes.unequal_note("", more),
            notes.unequal_note("", ""),
            notes.none_equal_note(),
        ],
        "progress": [notes.progress_note(at) for at in progress],
        "looks": [
            notes.look_finding(LOOK),
            notes.look_finding(LOOK.model_copy(update={"templates": 2000, "half_width": 0.0})),
        ],
        "sets": [notes.sentences_of(number, title, look) for number, title, look, _ in SETS],
        "contexts": [
            notes.contexts(19, None),
            notes.contexts(212, LOOK),
            notes.contexts(2000, LOOK.model_copy(update={"templates": 2000})),
        ],
        "weights": [
            notes.weights_help("3 equally common sentences"),
            notes.unequal_weights(
                replace(report_of([[0.9] * 6]), template_weights=np.array([0.9, *[0.02] * 5]))
            ),
            notes.unequal_weights(report_of([[0.9] * 6])),
        ],
    }


@pytest.mark.parametrize(("flagged", "said"), [(60, False), (61, True)])
def test_five_in_a_hundred_flagged_cells_are_borne(flagged: int, said: bool) -> None:
    assert bool(notes.low_coverage_note({"n": coverage(flagged)})) is said


@pytest.mark.parametrize(("share", "flagged"), [(1e-4, False), (9.9e-5, True)])
def test_a_cell_says_little_below_one_in_ten_thousand(share: float, flagged: bool) -> None:
    """Of several numbers of tokens the largest share counts."""
    assert (
        "so ignore the preferences in this sentence" in notes.coverage_note({"1": share, "2": 1e-9})
    ) is flagged


def test_of_several_models_the_most_unequal_is_named() -> None:
    assert notes.most_unequal({"m": LONGER, "n": LONGEST, "o": ALIKE, "p": None}) == "n"
    assert notes.most_unequal({"o": ALIKE}) == ""
    clause = notes.tokens_clause({"m": LONGER})
    assert clause.index("Hispanic") < clause.index("White"), "the longer words come first"
    assert " in m" not in clause, "of one model no name is needed"


def test_times_are_told_in_the_unit_that_reads_best() -> None:
    times = [notes.duration(seconds) for seconds in (0.4, 89, 91, 5399, 5401)]
    assert times == ["0 s", "89 s", "2 min", "90 min", "1.5 h"]


@pytest.mark.parametrize("headline", [True, False])
def test_the_finding_of_a_run_with_a_plan_is_labelled(headline: bool) -> None:
    report = report_of([[0.9, 0.3]])
    corrected = CorrectedRisk(
        prejudice_risk=report.prejudice_risk,
        caprice_risk=report.caprice_risk,
        plug_in_prejudice_risk=0.3,
        plug_in_caprice_risk=0.3,
        headline=headline,
    )
    said = risk_finding("M", replace(report, sampling=LOOK, corrected=corrected))
    assert "over 1 occupation and 212 of 2,000 sentences in 400 random draws" in said
    assert (", both corrected for the sampling of sentences." in said) is headline


def test_a_coverage_given_the_left_text_says_of_which_words_it_is() -> None:
    left = coverage(3, by_tokens={"all": RANGES["1"]}, left_only=True)
    ordinary = notes.coverage_facts(coverage(3, by_tokens={"all": RANGES["1"]}))["coverage"]
    assert notes.coverage_facts(left)["coverage"] == f"{ordinary}, of the words given the text to their left"
    some = notes.coverage_facts(left.model_copy(update={"unknown": 1}))["coverage"]
    assert "given the text to their left; not known in 1 test sentence, where the word" in some
    assert "given the text to their left" in notes.coverage_note({"all": 0.25}, left_only=True)
    assert "given the text" not in notes.coverage_note({"all": 0.25})
    flagged = FLAGGED.model_copy(update={"left_only": True})
    (kept,) = warnings_of("causal", [1], flagged)
    assert ", given the text to their left), so ignore" in notes.warning_text(kept, flagged)
    assert notes.coverage_given_left(0.01234) == "0.0123 of the words given the text to their left"
    assert notes.coverage_given_left(float("nan")) == "not known"


@pytest.mark.parametrize(("templates", "title", "look", "said"), SETS)
def test_a_set_whose_title_begins_with_its_number_is_not_counted_twice(
    templates: int, title: str, look: Look | None, said: str
) -> None:
    assert notes.sentences_of(templates, title, look) == said


def test_only_a_model_that_forbids_words_in_many_sentences_is_named_with_them() -> None:
    few = MANY.model_copy(update={"cells": 3, "counted": 100})
    report = report_of([[0.9] * 6])
    assert notes.no_answer_note({"m": replace(report, forbidden=few)}) == ""
    low = replace(report, coverage=coverage(1200))
    assert notes.no_answer_note({"m": low}) == notes.low_coverage_note({"m": low.coverage})
    assert "“he” and “she”" in notes.no_answer_note({"m": replace(FORBIDS, coverage=coverage(1200))})
