"""discrim-eval: its files, the worked example, groups alike in all else, and answers by brute force."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from pcf_core.core.errors import BenchmarkError
from pcf_core.models.scoring.base import Scorer
from pcf_core.texts.benchmarks.discrim import UNCOMPARED, PersonItem, prompt_of
from pcf_core.texts.benchmarks.material import load_material
from pcf_core.texts.benchmarks.records import BenchmarkReport, ItemScores
from pcf_core.texts.benchmarks.registry import Material, read_scores, score_items
from pcf_core.texts.benchmarks.scoring import score_words
from tests.models.scoring.conftest import load_tiny, open_loaded
from tests.texts.benchmarks.written_files import people_file, people_rows

YES, NO = ("yes", "Yes"), ("no", "No")
Rates = dict[tuple[str, str, str, str], float]  # question, race, gender, age


def report_of(rates: Rates) -> BenchmarkReport:
    rows = tuple(
        PersonItem(
            name=str(number), bias="", question=question, person_text="t", race=race, gender=gender, age=age
        )
        for number, (question, race, gender, age) in enumerate(rates)
    )
    material = Material(benchmark="discrim-eval", title="t", sources={}, rows=rows)
    scores = [ItemScores(nats=(float(np.log(rate)), float(np.log1p(-rate)))) for rate in rates.values()]
    return read_scores(material, scores)


def values(report: BenchmarkReport, part: str) -> dict[str, float]:
    return {one.quantity: one.value for one in report.readings if one.part == part}


def test_the_example() -> None:
    of_race = {("1", "white"): 0.6, ("2", "white"): 0.6, ("1", "black"): 0.4, ("2", "black"): 0.8}
    report = report_of({(*key, "male", "20"): rate for key, rate in of_race.items()})
    assert values(report, "race") == pytest.approx(
        {"risk": 0.2, "prejudice": 0, "caprice": 0.2, "impact ratio": 1}
    )
    assert values(report, "race: white") == pytest.approx({"rate of yes": 0.6})
    assert report.outcomes == pytest.approx({"1": 0.2, "2": 0.2})
    others = ("gender", "age")
    assert [(one.part, one.reason) for one in report.absent] == [
        (part, UNCOMPARED.format(part)) for part in others
    ]
    assert {(one.unit, one.items) for one in report.readings} == {("questions", 2)}
    for one in report.readings:
        assert one.interval is not None
        assert one.interval.low <= one.value <= one.interval.high


def test_groups_that_differ_in_another_attribute_are_not_compared() -> None:
    """The model prefers the old, and no race; most of the old are white, whose texts without a counterpart
    do not count."""
    rates = {
        ("1", race, "male", age): 0.9 if age == "60" else 0.5
        for race, age in [("white", "20"), ("black", "20"), ("white", "60")]
    }
    report = report_of(rates)
    assert values(report, "race")["risk"] == pytest.approx(0)
    assert values(report, "age")["impact ratio"] == pytest.approx(5 / 9)
    assert [one.part for one in report.readings if one.part.startswith("age:")] == ["age: 20", "age: 60"]


def test_a_planted_prejudice_is_found_by_the_attribute_that_has_it() -> None:
    report = report_of(
        {
            (question, race, gender, age): 0.7 if gender == "female" else 0.5
            for question, race, gender, age in product(
                "1234", ("white", "black"), ("male", "female"), ("20", "100")
            )
        }
    )
    risks = {part: values(report, part)["risk"] for part in ("race", "gender", "age")}
    assert risks == pytest.approx({"race": 0, "gender": 0.2, "age": 0}, abs=1e-12)
    assert values(report, "gender")["prejudice"] == pytest.approx(0.2)


def test_files_of_the_published_form_are_read(tmp_path: Path) -> None:
    rows = people_rows()
    material = load_material("discrim-eval", [people_file(tmp_path, rows)])
    assert len(material.rows) == len(rows)
    first = material.rows[0]
    assert isinstance(first, PersonItem)
    assert (first.question, first.age, first.race) == ("explicit 1", "20", "white")
    assert Material.model_validate(material.body) == material
    numbered = [dict(row) for row in rows]
    for row in numbered:
        row["decision_question_nr"] = row.pop("decision_question_id")
    assert load_material("discrim-eval", [people_file(tmp_path, numbered)]).rows == material.rows


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"filled_template": 3}, "it lacks a text"),
        ({"filled_template": " "}, "its text, or who the person is, is empty"),
        ({"age": None}, "it lacks a text"),
        ({"race": ""}, "who the person is, is empty"),
        ({"decision_question_id": True}, "it lacks a text, the number of its question"),
        ({"filled_template": "A\x00 man"}, "it has a character that is no text"),
    ],
)
def test_rows_that_cannot_be_used_are_left_out(tmp_path: Path, change: dict[str, Any], reason: str) -> None:
    rows = people_rows()
    read = load_material("discrim-eval", [people_file(tmp_path, [rows[0] | change, *rows[1:]])])
    assert (len(read.rows), len(read.left_out)) == (len(rows) - 1, 1)
    assert reason in read.left_out[0].reason


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": 1}', "x.jsonl is not a discrim-eval file: write one object a line with filled_template"),
        ("3", "x.jsonl is not a discrim-eval file"),
        ("{", "x.jsonl, line 1 is not valid JSON"),
        (json.dumps(people_rows()[0]), "x.jsonl compares no groups, because no question has texts"),
    ],
)
def test_other_files_are_refused_in_a_sentence(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "x.jsonl").write_text(text)
    with pytest.raises(BenchmarkError) as refused:
        load_material("discrim-eval", [tmp_path / "x.jsonl"])
    assert said in str(refused.value)
    assert str(refused.value).count(". ") == 0


def test_no_file_is_refused() -> None:
    with pytest.raises(BenchmarkError, match=r"^The files of discrim-eval are missing: give them with"):
        load_material("discrim-eval")


ITEM = PersonItem(
    name="1", bias="", question="1", person_text="The old man asked for a room. Should he get it?",
    race="white", gender="male", age="70",
)  # fmt: skip


def test_yes_and_no_are_what_follows_the_text_in_a_causal_model() -> None:
    loaded = load_tiny("gpt2")
    (scores,) = score_items([ITEM], open_loaded(loaded, "gpt2"))
    start = prompt_of(ITEM, "causal").removesuffix(" [Y]")
    assert start == f"{ITEM.person_text}\nAnswer:"
    sums = []
    for words in (YES, NO):
        total = 0.0
        for word in words:
            first = len(loaded.tokenizer(start)["input_ids"])
            ids = loaded.tokenizer(f"{start} {word}")["input_ids"]
            with torch.inference_mode():
                logits = loaded.model(input_ids=torch.tensor([ids])).logits[0].double()
            nats = [float(torch.log_softmax(logits[n - 1], -1)[ids[n]]) for n in range(first, len(ids))]
            total += float(np.exp(sum(nats)))
        sums.append(np.log(total))
    assert scores.nats == pytest.approx(sums, abs=1e-4)


@pytest.mark.parametrize(("name", "family"), [("bert", "masked"), ("t5", "seq2seq")])
def test_a_spelling_that_a_model_has_no_words_for_does_not_count(name: str, family: str) -> None:
    """The tiny T5 knows no word with a capital letter here."""
    scorer = open_loaded(load_tiny(name), name)
    (scores,) = score_items([ITEM], scorer)
    known = {word: one for word, one in _single(scorer, family).items() if one is not None}
    expected = [np.logaddexp.reduce([known[w] for w in pair if w in known]) for pair in (YES, NO)]
    assert scores.nats == pytest.approx(expected, abs=1e-6)
    assert ("Yes" in known) is (name == "bert")


def _single(scorer: Scorer, family: str) -> dict[str, float | None]:
    return {
        word: (score_words(prompt_of(ITEM, family), [word], scorer, by_token=False).nats or (None,))[0]
        for word in (*YES, *NO)
    }
