"""What is said beside a number."""

from __future__ import annotations

from pcf_core.audit.preferences import build_run, warnings_of
from pcf_core.core.records import LeftOut
from pcf_core.core.run import CoverageRange, CoverageSummary, FlaggedCell, SelfAudit
from pcf_core.material.evidence import load_evidence
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import load_topic
from pcf_core.models.registry import resolve
from pcf_core.show.findings.notes import (
    coverage_facts,
    coverage_note,
    left_out_note,
    low_coverage_note,
    noun_note,
    self_audit_facts,
    tokens_note,
    warning_text,
)


def test_everything_left_out_is_named_once_under_its_reason() -> None:
    items = [
        LeftOut(name="canary", reason="on both sides"),
        LeftOut(name="nurse", reason="no employment figure"),
        LeftOut(name="stylist", reason="no employment figure"),
    ]
    assert left_out_note(items) == (
        "Left out: canary (on both sides). Left out: nurse and stylist (no employment figure)."
    )
    assert left_out_note([]) == ""


def test_words_are_counted_by_their_tokens() -> None:
    assert tokens_note([1, 3, 1, 1]) == "4 words are scored: 3 of 1 token, 1 of 3 tokens."
    assert tokens_note([2]) == "1 word is scored: 1 of 2 tokens."


def test_coverage_is_summed_up_by_tokens_with_the_flagged_cells() -> None:
    ranges = {"1": CoverageRange(median=0.25, lowest=3e-5), "2": CoverageRange(median=0.01, lowest=0.001)}
    facts = coverage_facts(CoverageSummary(by_tokens=ranges, cells=2280, flagged=3))
    assert facts["coverage"] == (
        "words of 1 token: median 25 %, lowest about 1 in 33,000; "
        "words of 2 tokens: median 1 %, lowest about 1 in 1,000"
    )
    assert facts["flagged cells"] == "3 of 2,280, with a coverage under 1 in 10,000"
    every = coverage_facts(CoverageSummary(by_tokens={"all": ranges["1"]}, cells=1, flagged=0))
    assert every["coverage"] == "median 25 %, lowest about 1 in 33,000"
    assert coverage_facts(None) == {"coverage": "not defined for these templates"}


def test_a_kept_warning_of_flagged_cells_is_written_as_people_read_it() -> None:
    lowest = FlaggedCell(occupation="operator", template="The [X] left and [Y]", coverage=4.5e-05)
    found = CoverageSummary(by_tokens={}, cells=12000, flagged=1, listed=(lowest,))
    (kept,) = warnings_of("causal", [1], found)
    assert warning_text(f"M: {kept}", found) == (
        "M: In 1 of 12,000 cells the topic's words together get less than 1 in 10,000 of the probability, so "
        "preferences there say little. The lowest is in “The operator left and …”: 1 in 22,000."
    )
    assert warning_text(kept, None) == kept
    assert warning_text("Another.", found) == "Another."


def test_models_that_hardly_expect_the_words_are_named() -> None:
    def coverage(flagged: int) -> CoverageSummary:
        return CoverageSummary(by_tokens={}, cells=1200, flagged=flagged)

    assert low_coverage_note({"m": coverage(1200), "n": coverage(60), "o": None}) == (
        "These words are hardly expected, which makes figures say little: by m in 1,200 of 1,200 cells. "
        "Choose other words or sentences."
    )
    two = low_coverage_note({"m": coverage(1200), "n": coverage(61)})
    assert "by m in 1,200 of 1,200 cells and n in 61 of 1,200 cells." in two
    assert low_coverage_note({"n": coverage(60)}) == "", "5 % are borne"


def test_a_cell_says_its_coverage_and_whether_it_is_flagged() -> None:
    assert coverage_note({"all": 0.25}).endswith("together here: 25 %.")
    assert "words of 1 token: about 1 in 20,000, words of 2 tokens: 1 %." in coverage_note(
        {"1": 5e-5, "2": 0.01}
    )
    assert "say little" not in coverage_note({"1": 5e-5, "2": 0.01})
    assert "It is below 1 in 10,000, so the preferences in this cell say little." in coverage_note(
        {"1": 5e-5, "2": 9e-5}
    )
    assert "the text right of the word" in coverage_note(None)
    assert "none stands before the word" in coverage_note(None, right_text=False)


def test_a_self_audit_is_told_trait_by_trait() -> None:
    found = SelfAudit(
        traits={"space": "It is part of the token.", "closing": "None."},
        tokens={"he": 1, "abbess": 2},
        left_out=(LeftOut(name="niece", reason="unknown"),),
        noise_floor=2.1e-6,
        noise_scores=100,
        noise_dtype="float32",
    )
    assert self_audit_facts(found) == {
        "leading space": "It is part of the token.",
        "closing": "None.",
        "tokens per word": "2 words are scored: 1 of 1 token, 1 of 2 tokens.",
        "words left out": "Left out: niece (unknown).",
        "noise floor": (
            "Scored again one at a time, no probability changes by more than 1 part in 480,000 "
            "(100 scores, float32)."
        ),
    }
    for floor, said in ((0.0, "every score is the same"), (0.03, "changes by more than 3 %")):
        assert said in self_audit_facts(found.model_copy(update={"noise_floor": floor}))["noise floor"]
    assert list(self_audit_facts(None)) == ["self-audit"]
    unread = found.model_copy(update={"noise_floor": None, "noise_scores": 0, "note": "The server is gone."})
    assert self_audit_facts(unread)["noise floor"] == "The server is gone."
    assert self_audit_facts(SelfAudit(traits={}, tokens={}))["noise floor"] == "not measured"


def test_another_list_than_one_of_occupations_says_what_to_read() -> None:
    lists = load_topic("gender"), load_templates("gender-nineteen")
    notes = {
        name: noun_note(build_run(resolve("mini-gpt"), lists[0], load_evidence(name), lists[1]))
        for name in ("occupations-bvf", "sports")
    }
    assert notes["occupations-bvf"] == ""
    assert notes["sports"] == (
        "“40 sports (ours)” fills [X]. Where this page says occupation, read athlete, such as "
        f"“archer”. The groups are those of “{lists[0].title}”."
    )
