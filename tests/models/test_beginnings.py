"""Which token a text begins with: the rule, the note, and keys that say what their scores mean."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import ModelError, OpeningError
from pcf_core.core.frame import Frame
from pcf_core.core.records import digest
from pcf_core.core.run import ModelSpec, Opening, ScoringKey
from pcf_core.core.settings import Settings
from pcf_core.models.beginnings import CLEARLY, NOTES, likeliest, noted_opening, require_asked, with_opening

SPEC = ModelSpec(name="m", family="causal", path="", identity="weights", tokenizer="pieces")
KEY = ScoringKey.of(SPEC)
CHAT = Frame(kind="chat", text="user: Continue.\n")
BOS = ("<bos>",)


def with_bos(key: ScoringKey, opening: Opening = BOS) -> ScoringKey:
    return key.model_copy(update={"opening": opening})


def test_the_worked_example_of_the_docstring() -> None:
    nats = {"": -5.27, "<s>": -4.45, "</s>": -5.71}
    assert likeliest(nats, "") == "<s>"
    assert likeliest(nats, "<s>") == "<s>"
    assert likeliest(nats, "</s>") == "<s>"


@given(st.dictionaries(st.integers(0, 5), st.floats(-20, 0), min_size=1), st.integers(0, 5))
def test_the_usual_opening_stays_unless_another_is_clearly_better(nats: dict[int, float], usual: int) -> None:
    nats.setdefault(usual, -10.0)
    found = likeliest(nats, usual)
    assert nats[found] == (max(nats.values()) if found != usual else nats[usual])
    assert (found != usual) == (max(nats.values()) > nats[usual] + CLEARLY)


@pytest.mark.parametrize("nats", [{}, {"": float("nan"), "<s>": -1.0}, {"": -1.0, "<s>": float("nan")}])
def test_without_figures_nothing_changes(nats: dict[str, float]) -> None:
    assert likeliest(nats, "") == ""


def test_keys_without_another_opening_are_what_they_were() -> None:
    """Field by field, as earlier versions hashed them."""
    fields = {
        "model": "m",
        "identity": "weights",
        "tokenizer": "pieces",
        "family": "causal",
        "rules": "1",
        "dtype": "float32",
        "protocol": "exact",
    }
    assert KEY.hash == digest(fields)
    assert "opening" not in SPEC.model_dump()
    hashes = {with_bos(KEY, opening).hash for opening in (None, (), BOS, ("<eos>",))}
    assert len(hashes) == 4
    assert with_bos(KEY).hash == digest({**fields, "opening": ["<bos>"]})
    again = ScoringKey.model_validate_json(with_bos(KEY).model_dump_json())
    assert (again, again.hash) == (with_bos(KEY), with_bos(KEY).hash)


def test_a_chat_has_no_other_opening() -> None:
    spec = SPEC.model_copy(update={"opening": BOS, "frame": CHAT})
    assert ScoringKey.of(spec).opening is None
    assert ScoringKey.of(spec) == ScoringKey.of(SPEC.model_copy(update={"frame": CHAT}))


def test_a_model_is_scored_like_its_key() -> None:
    spec = SPEC.scored_like(with_bos(KEY))
    assert ScoringKey.of(spec) == with_bos(KEY)
    assert ScoringKey.of(spec.scored_like(KEY)) == KEY


@pytest.mark.parametrize("opening", [None, (), BOS, ("[gMASK]", "<sop>")])
def test_what_is_found_once_is_part_of_the_specification(opening: Opening, own_settings: Settings) -> None:
    assert with_opening(SPEC) == SPEC
    assert noted_opening(KEY, lambda: opening) == opening
    assert noted_opening(KEY, lambda: ("other",)) == opening  # it is not asked again
    assert with_opening(SPEC).opening == opening
    for other in ({"identity": "other"}, {"tokenizer": "other"}, {"family": "masked"}):
        assert with_opening(SPEC.model_copy(update=other)).opening is None


@pytest.mark.parametrize("note", ["", "bos", "{", '["<bos>"', '{"a": 1}', "7"])
def test_a_damaged_note_is_none(note: str, own_settings: Settings) -> None:
    own_settings.cache.mkdir(parents=True)
    (own_settings.cache / NOTES).write_text(json.dumps({"weights|pieces": note}))
    assert with_opening(SPEC).opening is None
    assert noted_opening(KEY, lambda: BOS) == BOS


def test_scores_are_stored_under_no_other_key(own_settings: Settings) -> None:
    require_asked(KEY, KEY)
    require_asked(with_bos(KEY), with_bos(KEY))
    with pytest.raises(
        OpeningError,
        match=r"^The model m expects <bos> before a text, and its tokenizer does not do that by itself\. "
        r"From now on its texts begin that way: start the run again\.$",
    ) as caught:
        require_asked(KEY, with_bos(KEY))
    assert caught.value.opening == BOS
    assert with_opening(SPEC).opening == BOS


def test_an_opening_that_another_device_did_not_expect_replaces_its_note(own_settings: Settings) -> None:
    """A model on several devices is asked each time, so the same request would fail for ever."""
    assert noted_opening(KEY, lambda: None) is None
    with pytest.raises(OpeningError):
        require_asked(KEY, with_bos(KEY))
    assert with_opening(SPEC).opening == BOS


@pytest.mark.parametrize(
    "opened",
    [
        KEY.model_copy(update={"identity": "other"}),
        with_bos(KEY).model_copy(update={"identity": "other"}),
        with_bos(KEY).model_copy(update={"tokenizer": "other"}),
    ],
)
def test_another_model_is_no_other_opening(opened: ScoringKey, own_settings: Settings) -> None:
    with pytest.raises(ModelError, match=r"^The model m has changed since it was requested") as caught:
        require_asked(KEY, opened)
    assert not isinstance(caught.value, OpeningError)
    assert not (own_settings.cache / NOTES).exists()


def test_a_key_with_an_opening_that_the_scorer_does_not_use_is_refused() -> None:
    with pytest.raises(ModelError, match="has changed since it was requested"):
        require_asked(with_bos(KEY), KEY)
