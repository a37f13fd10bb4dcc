"""One sentence: the document of the command ``words``."""

from __future__ import annotations

import json
import math

import jsonschema
import pytest

from benchmarks.fakes import FakeScorer
from pcf_core.core.errors import ModelError, TemplateError
from pcf_core.core.run import ModelSpec, ScoringKey
from pcf_core.core.settings import Settings
from pcf_core.models.scoring.base import Scorer
from pcf_core.work.probing import word_check
from tests.command_line import SCHEMAS
from tests.work import toy

P = {"he": 0.2, "king": 0.1, "she": 0.05, "queen": 0.05}


@pytest.fixture(autouse=True)
def toy_is_known(toy_settings: Settings) -> None:
    """Every name means the toy model."""


def check(text: str, protocol: str = "exact", family: str = "masked", **options: object) -> dict:
    def open_fake(spec: ModelSpec, asked: str) -> Scorer:
        assert asked == protocol
        key = ScoringKey.of(spec.model_copy(update={"family": family}), asked)
        table = options.pop("probability", P)
        return FakeScorer(lambda _, word: table[word], key=key, **options)

    found = word_check("toy", toy.TOPIC, text, protocol, open_scorer=open_fake)
    json.dumps(found, allow_nan=False)
    return found


def test_the_document_by_hand() -> None:
    """(.2 + .1) / (.2 + .1 + .05 + .05) = .75, and the words together have .4."""
    found = check("The nurse said that [Y]")
    assert set(found) == {"words", "left_out", "coverage", "preferences", "notes"}
    assert [(row["word"], row["group"], row["tokens"]) for row in found["words"]] == [
        ("he", "male", 1),
        ("king", "male", 1),
        ("she", "female", 1),
        ("queen", "female", 1),
    ]
    assert [math.exp(row["log_probability"]) for row in found["words"]] == pytest.approx(
        [0.2, 0.1, 0.05, 0.05]
    )
    assert found["preferences"] == pytest.approx({"male": 0.75, "female": 0.25})
    assert found["coverage"] == pytest.approx({"1": 0.4})
    assert found["left_out"] == []


def test_coverage_is_per_number_of_tokens_where_masked() -> None:
    assert check("A [Y].", tokens={"queen": 2})["coverage"] == pytest.approx({"1": 0.35, "2": 0.05})


def test_coverage_of_a_causal_model_ends_where_text_follows() -> None:
    assert check("So said [Y]", family="causal")["coverage"] == pytest.approx({"all": 0.4})
    assert check("So said [Y].", family="causal")["coverage"] is None


def test_words_left_out_are_named() -> None:
    found = check("A [Y]", refused={"king": "unk"})
    assert found["left_out"] == [{"word": "king", "reason": "unk"}]
    assert found["preferences"] == pytest.approx({"male": 2 / 3, "female": 1 / 3})


def test_single_token_keeps_words_of_one_token() -> None:
    found = check("A [Y]", "single-token", tokens={"queen": 3})
    assert [row["word"] for row in found["words"]] == ["he", "king", "she"]
    assert [row["word"] for row in found["left_out"]] == ["queen"]


def test_numbers_that_json_cannot_write_are_null() -> None:
    found = check("A [Y]", probability={**P, "king": 0.0})
    assert found["words"][1]["log_probability"] is None
    assert found["preferences"] == {"male": None, "female": None}
    jsonschema.validate(found, SCHEMAS["words"])
    assert [note for note in found["notes"] if "no probability at all to 'king' here" in note]
    none = check("A [Y]", probability=dict.fromkeys(P, 0.0))
    assert none["preferences"] == {"male": None, "female": None}
    jsonschema.validate(none, SCHEMAS["words"])


def test_words_that_all_score_alike_are_no_even_split() -> None:
    found = check("A [Y]", probability=dict.fromkeys(P, 0.01))
    assert found["preferences"] == {"male": 0.5, "female": 0.5}
    assert found["notes"][0].startswith("All words with the same number of tokens have exactly the same")
    assert check("A [Y]", probability=P)["notes"] == []


def test_the_model_is_opened_as_the_dtype_asked_for() -> None:
    opened: list[str] = []

    def open_noted(spec: ModelSpec, protocol: str) -> Scorer:
        opened.append(spec.dtype)
        return toy.open_toy(spec, protocol)

    word_check("toy", toy.TOPIC, "A [Y]", open_scorer=open_noted)
    word_check("toy", toy.TOPIC, "A [Y]", dtype="bfloat16", open_scorer=open_noted)
    assert opened == ["float32", "bfloat16"]


@pytest.mark.parametrize("text", ["no gap", "two [Y] [Y]", "", "The [X] said [Y]"])
def test_a_text_needs_one_gap_and_no_open_term(text: str) -> None:
    with pytest.raises(TemplateError, match=r"\[[XY]\]"):
        check(text)


def test_a_group_without_a_word_is_refused() -> None:
    with pytest.raises(ModelError, match="'female'"):
        check("A [Y]", refused={"she": "unk", "queen": "unk"})
