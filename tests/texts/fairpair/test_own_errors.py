"""What does not come back and what was left, counted."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.mining.parser.pipeline import Pipeline
from pcf_core.texts.fairpair.perturbation import EXAMPLES, Parser, Perturbation, errors_of, together
from pcf_core.texts.fairpair.records import PerturbationErrors

TEXTS = ("John is a king.", "Mrs. Jones met the king.", "It rains.", "A man and a lady.", "")


def no_parser() -> Parser:
    raise AssertionError("this text needs no parts of speech")


def own_errors(
    perturbation: Perturbation, texts: Sequence[str], prompt: str = "", examples: int = EXAMPLES
) -> PerturbationErrors:
    return errors_of(perturbation, perturbation.perturbed(texts, prompt), prompt, examples)


def test_texts_that_come_back() -> None:
    errors = own_errors(Perturbation.of(open_parser=no_parser), ["John is a king.", "It rains.", "He left."])
    assert (errors.texts, errors.changed_texts, errors.changed, errors.returned_texts) == (3, 2, 3, 3)
    assert (errors.text_error, errors.word_error, errors.left_share) == (0, 0, 0)
    assert errors.not_returned == errors.left == {}


def test_a_shared_counterpart_is_one_way() -> None:
    errors = own_errors(Perturbation.of(open_parser=no_parser), ["Mrs. Jones met the king."])
    assert errors.not_returned == {"one way": 1}
    [one] = errors.examples
    assert (one.word, one.counterpart, one.back) == ("Mrs", "Mr", "Ms")
    assert one.context == "Mrs. Jones met the king."
    assert (errors.text_error, errors.word_error) == (1, 0.5)


def test_a_mistaken_part_of_speech(parser: Pipeline) -> None:
    """The shipped parser reads *her* before a bare plural as a possessive."""
    errors = own_errors(Perturbation.of(open_parser=lambda: parser), ["I gave him flowers."])
    assert errors.not_returned == {"part of speech": 1}
    assert (errors.examples[0].word, errors.examples[0].counterpart, errors.examples[0].back) == (
        "him",
        "her",
        "his",
    )


def test_words_left_are_counted_by_word() -> None:
    texts = ["A dude and a lord.", "The dude, a king.", "A ballerina."]
    errors = own_errors(Perturbation.of(open_parser=no_parser), texts)
    assert errors.left == {"dude": 2, "lord": 1}
    assert errors.left_texts == 2
    assert errors.left_share == pytest.approx(3 / 4)


def test_an_entity_that_meets_its_counterpart(parser: Pipeline) -> None:
    """Both are Jane then, and the way back cannot tell them apart: one word more than was changed."""
    perturbation = Perturbation.of(mode="entity", open_parser=lambda: parser)
    errors = own_errors(perturbation, ["John knows Jane."])
    assert errors.changed == 1
    assert errors.not_returned == {"another reading": 1}
    assert errors.examples[0].word == ""


def test_the_prompt_goes_before(parser: Pipeline) -> None:
    perturbation = Perturbation.of(mode="entity", open_parser=lambda: parser)
    errors = own_errors(perturbation, [" He likes his job."], prompt="John is a nurse.")
    assert (errors.changed, errors.returned_texts) == (2, 1)


def test_no_texts() -> None:
    errors = own_errors(Perturbation.of(open_parser=no_parser), [])
    assert (errors.text_error, errors.word_error, errors.left_share) == (None, None, None)


def test_examples_are_spread_over_texts() -> None:
    many = ["Mrs. A met Mrs. B and Mrs. C.", "Miss Smith left."]
    errors = own_errors(Perturbation.of(open_parser=no_parser), many, examples=2)
    assert [one.word for one in errors.examples] == ["Mrs", "Miss"]
    assert errors.not_returned == {"one way": 4}


@given(st.lists(st.lists(st.sampled_from(TEXTS), max_size=4), min_size=1, max_size=4))
def test_errors_of_several_prompts_are_those_of_all_texts(several: list[list[str]]) -> None:
    """Every count but the order of the examples is as if the texts had stood together."""
    perturbation = Perturbation.of(open_parser=no_parser)
    parts = together([own_errors(perturbation, texts) for texts in several])
    whole = own_errors(perturbation, [text for texts in several for text in texts])
    assert parts.model_copy(update={"examples": ()}) == whole.model_copy(update={"examples": ()})
    assert sorted(one.context for one in parts.examples) == sorted(one.context for one in whole.examples)


def test_examples_of_several_prompts_take_turns_and_no_prompt_has_none() -> None:
    perturbation = Perturbation.of(open_parser=no_parser)
    many, few = (own_errors(perturbation, texts) for texts in (["Mrs. A met Mrs. B."] * 5, ["Mrs. C left."]))
    assert [one.context for one in together([many, few], examples=3).examples] == [
        "Mrs. A met Mrs. B.",
        "Mrs. C left.",
        "Mrs. A met Mrs. B.",
    ]
    with pytest.raises(ValueError, match="no errors"):
        together([])
