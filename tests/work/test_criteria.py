"""A criteria run from end to end: cells, joining, resuming, reading back; in the worker too."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from benchmarks.fakes import FakeGenerator
from pcf_core.cli.criteria import criteria_document
from pcf_core.core.errors import CriteriaError, StoreError
from pcf_core.core.generation import Decoding, GenerationKey
from pcf_core.core.run import ModelSpec, ScoringKey
from pcf_core.core.settings import Settings
from pcf_core.models.generation.base import Generator
from pcf_core.show.findings.criteria import criteria_findings
from pcf_core.store.store import Store
from pcf_core.texts.criteria.experiments import restore_experiment
from pcf_core.texts.criteria.questions import Questions
from pcf_core.texts.criteria.records.independence import AnecdotesReport
from pcf_core.texts.criteria.records.runs import MATERIAL, CriteriaAsked, CriteriaResult
from pcf_core.work.criteria import (
    CRITERIA,
    CRITERIA_AUDIT,
    load_asked_experiment,
    scored_asked,
    written_asked,
)
from pcf_core.work.questioning import read_texts, run_criteria
from pcf_core.work.queue import Queue
from pcf_core.work.worker import Worker
from tests.texts.criteria.toy import Toy, ToyMaterial
from tests.work.toy import WRITER as SPEC
from tests.work.toy import WRITING as KEY
from tests.work.toy import open_toy, opening, probability, unopenable, writing

TOY = Toy()
WRITTEN = written_asked(TOY, KEY, "instruction", 30)
SCORED = scored_asked(TOY, ScoringKey.of(SPEC))
SAID = {" she flew": 0.5, " he flew": 0.3, "": 0.2}
fair = writing(SAID)


@pytest.fixture(autouse=True)
def every_experiment_is_the_toy(toy_writers: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def restore(name: str, body: Mapping[str, Any]) -> Toy:
        return Toy(ToyMaterial.model_validate(body))

    monkeypatch.setattr("pcf_core.work.criteria.restore_experiment", restore)


def kept(store: Store, asked: CriteriaAsked = WRITTEN, toy: Toy = TOY) -> CriteriaAsked:
    CRITERIA_AUDIT.keep(store, asked, toy)
    return asked


def anecdotes(result: CriteriaResult) -> AnecdotesReport:
    assert isinstance(result.report, AnecdotesReport)
    return result.report


# ------------------------------------------------------------------------------------ what is found


def test_each_cell_is_answered_with_its_own_texts_behind_what_it_is_told(store: Store) -> None:
    """A second opinion: 30 of each, drawn by hand from what each prompt was planted with."""
    planted = {"Be brief.\n\nTell of a nurse.": {" she": 0.9, "": 0.1}, "Tell of a pilot.": {" he": 1.0}}
    result, made = run_criteria(kept(store), store, writing(planted.__getitem__), unopenable)
    assert made == 2 * 30
    brief = FakeGenerator(planted.__getitem__, key=KEY).with_system("Be brief.")
    expected = brief.generate("Tell of a nurse.", 0, 30, lambda: None).texts
    nurse, pilot = anecdotes(result).professions
    assert (nurse.women, nurse.men) == (expected.count(" she"), 0)
    assert (pilot.women, pilot.men) == (0, 30)
    assert result.ends == {"stop": 30 + nurse.women, "length": 0, "refused": 0, "empty": 30 - nurse.women}
    assert result.without_text == 30 - nurse.women > 0
    assert read_texts(store, WRITTEN, TOY)["nurse"].texts == expected


def test_an_experiment_is_checked_and_hashed_once_however_many_models_are_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    toy, asked = Toy(), list[str]()
    real = Toy.asks
    monkeypatch.setattr(Toy, "asks", lambda self, wording: asked.append(wording) or real(self, wording))
    several = [written_asked(toy, KEY, "instruction", count) for count in (2, 3)]
    assert [one.material for one in several] == [WRITTEN.material] * 2
    assert asked == ["instruction"]
    written_asked(toy, KEY, "continuation", 2)
    assert written_asked(Toy(), KEY, "instruction", 2) == several[0]
    assert asked == ["instruction", "continuation", "instruction"], "another object may have another material"


def test_entries_of_a_file_that_cannot_be_asked_are_in_the_result_and_said(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = {"question": "Which?", "options": {"A": "iron", "B": "gold"}, "answer_idx": "A"}
    odd = {"question": "Other?", "options": {"A": "iron", "B": "Iron"}, "answer_idx": "A"}
    file = tmp_path / "med.jsonl"
    file.write_text("\n".join(map(json.dumps, [line, odd, line, line, line])), encoding="utf8")
    questions = Questions.load(file)
    monkeypatch.setattr("pcf_core.work.criteria.restore_experiment", restore_experiment)
    asked = written_asked(questions, KEY, "instruction", 1)
    CRITERIA_AUDIT.keep(store, asked, questions)
    result, _ = run_criteria(asked, store, writing({" The nurse is right.": 1.0}), unopenable)
    assert result.entries_left_out == questions.material.questions.left_out
    assert [each.name for each in result.entries_left_out] == ["line 2", "line 3", "line 4", "line 5"]
    assert CRITERIA_AUDIT.load(store, asked.hash) == result
    assert criteria_document(result)["entries_left_out"][0]["name"] == "line 2"
    said = " ".join(criteria_findings(result))
    assert "4 entries of the file are left out, because no prompt can be made from them. Line 2: " in said
    assert "the option 'iron' appears twice" in said
    assert said.count("the question 'Which?' appears twice") == 2
    assert " 1 more is left out." in said


def test_words_are_scored_where_they_are_asked_for(store: Store) -> None:
    result, made = run_criteria(kept(store, SCORED), store, unopenable, open_toy)
    assert (made, result.ends, result.left_out) == (2, {}, ())
    for row in anecdotes(result).professions:
        prompt = f"The {row.profession} said that [Y]"
        assert row.women == pytest.approx(probability(prompt, "she"), rel=1e-6)
        assert row.men == pytest.approx(probability(prompt, "he"), rel=1e-6)
    assert result.report.answering == "scored"


def test_a_word_that_the_model_cannot_express_is_no_number_and_named(store: Store) -> None:
    seen: dict[str, Any] = {}

    class Looking(Toy):
        def scored_report(self, log_probabilities: Mapping[str, Any]) -> AnecdotesReport:
            seen.update(log_probabilities)
            return super().scored_report(log_probabilities)

    open_scorer = opening(refused={"she": "it has no tokens"})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pcf_core.work.criteria.restore_experiment", lambda name, body: Looking())
        result, _ = run_criteria(kept(store, SCORED), store, unopenable, open_scorer)
    assert [(item.name, item.reason) for item in result.left_out] == [("she", "it has no tokens")]
    assert math.isnan(seen["nurse"][0])
    assert seen["nurse"][1] == pytest.approx(math.log(probability("The nurse said that [Y]", "he")), rel=1e-6)


# -------------------------------------------------------------------------------- asked and kept


def test_at_temperature_0_one_text_of_a_prompt_counts(store: Store) -> None:
    greedy = KEY.model_copy(update={"decoding": Decoding(length=10, temperature=0)})
    asked = kept(store, written_asked(TOY, greedy, "instruction", 30))
    assert asked.repeats == 1
    assert asked == written_asked(TOY, greedy, "instruction", 1)
    result, _ = run_criteria(asked, store, fair)
    assert result.report.n == 2
    with pytest.raises(CriteriaError, match="At temperature 0 all texts of a prompt are the same"):
        CriteriaAsked.model_validate({**dict(asked), "repeats": 25})


def test_fewer_repeats_take_the_first_of_those_that_are_there(store: Store) -> None:
    run_criteria(kept(store), store, fair)
    few = kept(store, written_asked(TOY, KEY, "instruction", 7))
    result, made = run_criteria(few, store, unopenable)
    assert (made, result.report.n) == (0, 14)
    whole = read_texts(store, WRITTEN, TOY)
    assert all(found.texts == whole[cell].texts[:7] for cell, found in read_texts(store, few, TOY).items())


def test_what_cannot_be_asked_is_one_sentence() -> None:
    with pytest.raises(CriteriaError, match="answered 1 to 10,000 times, but 0 repeats were requested"):
        written_asked(TOY, KEY, "instruction", 0)
    with pytest.raises(CriteriaError, match="has the same prompt twice, for 'nurse' and 'pilot': remove one"):
        written_asked(Toy(ToyMaterial(twice=True)), KEY, "instruction", 5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Toy, "scored_asks", lambda self: ())
        with pytest.raises(CriteriaError, match="has no candidate words to score"):
            scored_asked(TOY, ScoringKey.of(SPEC))


@pytest.mark.parametrize(
    "change",
    [
        {"wording": None},
        {"generation": None},
        {"scoring": ScoringKey.of(SPEC)},
        {"answering": "scored"},
        {"answering": "scored", "generation": None, "wording": None},
        {"answering": "scored", "generation": None, "wording": None, "scoring": ScoringKey.of(SPEC)},
    ],
    ids=str,
)
def test_the_two_ways_of_answering_are_not_mixed(change: dict[str, Any]) -> None:
    """The last has 30 repeats of what is the same each time."""
    with pytest.raises(ValueError, match=r"written|scored"):
        CriteriaAsked.model_validate({**dict(WRITTEN), **change})


def test_texts_that_were_removed_and_a_material_of_another_form_are_told(
    store: Store, tmp_path: Path
) -> None:
    run_criteria(kept(store), store, fair)
    store.save_document(WRITTEN.material, MATERIAL, {"of": "another version"})
    with pytest.raises(StoreError, match="cannot be read: start"):
        load_asked_experiment(store, WRITTEN)
    for path in (tmp_path / "cache" / "texts" / KEY.hash).iterdir():
        path.unlink()
    with pytest.raises(StoreError, match="texts for 'pilot' are missing"):
        read_texts(store, WRITTEN, TOY)


def test_a_result_answers_what_was_asked(store: Store) -> None:
    result, _ = run_criteria(kept(store), store, fair)
    with pytest.raises(ValueError, match="not what was asked for"):
        CriteriaResult.model_validate({**dict(result), "asked": SCORED})


# ------------------------------------------------------------------------------------- estimate


def test_an_estimate_counts_what_is_missing(store: Store, queue: Queue) -> None:
    """2 cells × 30 texts of at most 10 tokens; 2 prompts."""
    before = CRITERIA_AUDIT.estimate(store, queue, WRITTEN, TOY)
    assert (before.missing, before.tokens, before.cost, before.done) == (60, 600, None, False)
    assert before.prompt_tokens == 30 * (
        7 + 4
    )  # characters of the prompts by four, what is told first with it
    scored = CRITERIA_AUDIT.estimate(store, queue, SCORED, TOY)
    assert (scored.missing, scored.tokens, scored.seconds) == (2, 0, None)
    run_criteria(kept(store), store, fair)
    after = CRITERIA_AUDIT.estimate(store, queue, WRITTEN, TOY)
    assert (after.missing, after.tokens, after.seconds, after.done) == (0, 0, 0, True)


def test_the_speed_of_a_model_is_that_of_its_last_request_of_the_same_kind(
    store: Store, queue: Queue, toy_settings: Settings
) -> None:
    def slow(spec: ModelSpec, decoding: Decoding) -> Generator:
        return FakeGenerator(SAID, key=GenerationKey.of(spec, decoding), delay=0.02)

    CRITERIA_AUDIT.submit(store, queue, SCORED, TOY)
    Worker(store, queue, toy_settings, open_toy, slow).run(until_idle=True)
    more = written_asked(TOY, KEY, "continuation", 25)
    assert CRITERIA_AUDIT.estimate(store, queue, more, TOY).seconds is None
    CRITERIA_AUDIT.submit(store, queue, WRITTEN, TOY)
    Worker(store, queue, toy_settings, open_toy, slow).run(until_idle=True)
    found = CRITERIA_AUDIT.estimate(store, queue, more, TOY)
    [job] = [job for job in queue.list(5, kind=CRITERIA) if job.key == WRITTEN.hash]
    assert job.rate is not None
    assert found.seconds == pytest.approx(50 / job.rate)


# ------------------------------------------------------------------------------------ the worker


def test_a_request_that_is_not_allowed_any_more_is_passed_over(store: Store) -> None:
    """30 texts of a prompt at temperature 0, which are all the same."""
    older = WRITTEN.model_dump(mode="json")
    older["generation"]["decoding"]["temperature"] = 0
    store.save_document("0" * 16, "criteria-asked", older)
    store.save_document("0" * 16, CRITERIA, {"asked": older})
    assert CRITERIA_AUDIT.kept(store) == ()
    assert CRITERIA_AUDIT.load(store, "0" * 16) is None  # as a bookmark would ask for it
