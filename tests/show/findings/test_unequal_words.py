"""What is said where the groups' words are unequal in tokens or in number."""

from __future__ import annotations

from pcf_core.show.findings.notes import sizes_clause, tokens_clause, tokens_sentence, unequal_note

ALIKE = {"white": {1: 1.0}, "hispanic": {1: 0.98, 4: 0.02}}
LONGER = {"white": {1: 1.0}, "hispanic": {1: 0.5, 2: 0.5}}
LONGEST = {"white": {1: 1.0}, "hispanic": {4: 1.0}}


def test_words_of_more_tokens_are_named_with_their_group() -> None:
    assert tokens_sentence({"m": LONGER}, {"m": "causal"}) == (
        "Words of “hispanic” have 1.5 tokens, words of “white” 1.0. Longer words are less "
        "likely for that alone."
    )
    assert tokens_sentence({"m": ALIKE, "n": None}, {"m": "causal", "n": "masked"}) == ""


def test_of_several_models_the_most_unequal_is_named_and_masks_are_said() -> None:
    found = {"m": LONGER, "n": LONGEST, "o": ALIKE}
    said = tokens_sentence(found, {"m": "causal", "n": "masked", "o": "masked"})
    assert said == (
        "Words of “hispanic” have 4.0 tokens in n, words of “white” 1.0. Scored under as many "
        "masks, their probabilities are no parts of one whole."
    )


def test_unequal_numbers_of_words_are_told() -> None:
    assert sizes_clause({"white": 1, "black": 2, "asian": 1}) == "“black” has 2 words, “white” 1"
    assert sizes_clause({"white": 2, "black": 2}) == ""


def test_one_sentence_says_what_is_unequal_and_what_to_read() -> None:
    longer, more = tokens_clause({"m": LONGEST}), sizes_clause({"white": 1, "black": 2})
    assert unequal_note(longer, more, ["the mean of a group's words"], none_left=True) == (
        "Words of “hispanic” have 4.0 tokens, words of “white” 1.0, “black” has 2 words, “white” 1: read the "
        "mean of a group's words; no words of equal tokens are left for every group."
    )
    assert unequal_note("", more, ["a", "b"]) == "“black” has 2 words, “white” 1: read a or b."
    assert unequal_note(longer, "", []) == (
        "Words of “hispanic” have 4.0 tokens, words of “white” 1.0, so the groups are not measured alike."
    )
