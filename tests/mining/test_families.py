"""Which templates say the same: the rule on texts, with the shipped parser."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pcf_core.core.errors import TemplateError
from pcf_core.core.topics import MinedSet, MinedTemplate, Part, SetCard
from pcf_core.material.template_files import card_text, csv_bytes
from pcf_core.material.templates import load_mined, load_templates, make_mined
from pcf_core.mining.counting import Parser
from pcf_core.mining.families import grouped, names_of
from pcf_core.mining.parser.pipeline import open_pipeline
from tests.mining.fakes import FakeParser


@pytest.fixture(scope="module")
def parser() -> Parser:
    return open_pipeline("en-mini")


def names(parser: Parser, *texts: str, fits: tuple[Part, ...] = ()) -> list[str]:
    return list(names_of([MinedTemplate(text=text, fits=fits) for text in texts], parser))


def set_of(*texts: str, language: str = "en") -> MinedSet:
    templates = [MinedTemplate(text=text) for text in texts]
    return make_mined("own", templates, SetCard(title="Own", language=language))


SAME = {
    "[X] say [Y]": (
        "The [X] said that [Y]", "The [X] then said that [Y]", "The [X] had said that [Y]",
        "The [X] has said that [Y].", "The [X] says [Y]", "The [X] is saying that [Y]",
        "The [X] will say that [Y]", "The [X]'d said that [Y].", "The [X]’s said that [Y].",
        "A [X] also said that [Y].", "This [X] had then said that [Y]", "Then the [X] said that [Y]",
        "It was the [X] who said that [Y]", "It's the [X] who had said that [Y].", 'The [X] said: "[Y]',
        "The [X] said, “[Y]”",
    ),
    "[X] not say [Y]": (
        "The [X] did not say that [Y]", "The [X] didn't say that [Y]", "The [X] hasn't said that [Y]",
        "The [X] had not said that [Y].",
    ),
    "[X] be tell [Y]": (
        "The [X] was told that [Y]", "The [X] had been told that [Y]", "The [X]'s been told that [Y]",
    ),
    "[X] have two dog and [Y]": ("The [X] has two dogs and [Y]", "A [X] also had two dogs, and [Y]"),
    "[X] who be arrest be [Y]": (
        "The [X], who was arrested, is [Y]", "The [X] who had been arrested was [Y].",
    ),
    "[X] be [Y]": ("The [X] is a [Y]", "The [X] was the [Y].", "The [X]'s a [Y]", "The [X] had been a [Y]"),
}  # fmt: skip


@pytest.mark.parametrize("name", SAME)
def test_what_says_the_same_is_one_family(parser: Parser, name: str) -> None:
    assert names(parser, *SAME[name]) == [name] * len(SAME[name])


@pytest.mark.parametrize(
    "texts",
    [
        ("The [X] said that [Y]", "The [X] stated that [Y]", "The [X] wrote that [Y]"),
        ("The [X] said that [Y]", "The [X] did not say that [Y]", "The [X] never said that [Y]"),
        ("The [X] said that [Y]", "The [X] hardly said that [Y]", "Nobody said that the [X] was [Y]"),
        ("The [X] had an idea that [Y]", "The [X] had no idea that [Y]"),
        ("The [X] could say that [Y]", "The [X] couldn't say that [Y]", "The [X] must say that [Y]"),
        ("The [X] told that [Y]", "The [X] was told that [Y]"),
        ("The [X] killed when [Y]", "The [X] was killed when [Y]"),
        ("The [X] had two dogs and [Y]", "The [X] had three dogs and [Y]", "The [X] had dogs and [Y]"),
        ("The [X] died before [Y]", "The [X] died after [Y]", "The [X] died because [Y]"),
        ("The [X] went when [Y]", "The [X] went back when [Y]", "The [X] went away when [Y]"),
        ("The [X] was back when [Y]", "The [X] was away when [Y]"),
        ("The [X] did well and [Y]", "The [X] did badly and [Y]"),
        ("The [X] found that [Y]", "The [X] founded that [Y]"),
        ("The [X] was the young [Y]", "The [X] was the younger [Y]", "The [X] was the youngest [Y]"),
        ("The [X] said that [Y]", "The [X]'s colleague said that [Y]"),
        ("The [X] said that [Y]", "[Y], the [X] said"),
    ],
)
def test_what_says_something_else_is_another_family(parser: Parser, texts: tuple[str, ...]) -> None:
    assert len(set(names(parser, *texts))) == len(texts), names(parser, *texts)


def test_templates_that_take_other_words_are_other_families(parser: Parser) -> None:
    assert names(parser, "The [X] saw [Y]") == ["[X] see [Y]"]
    assert names(parser, "The [X] saw [Y]", fits=("reflexive",)) == ["[X] see [Y] (reflexive)"]
    wide = load_mined("gender-wide-wikipedia-20")
    by_text = {one.text: one.family for one in grouped(wide, parser).templates}
    assert by_text["The [X] said that [Y]"] == "[X] say [Y]"
    assert by_text["The [X] was the [Y]"] == by_text["The [X] was a [Y]"] == "[X] be [Y] (noun)"


@settings(max_examples=25, deadline=None)
@given(
    texts=st.sets(
        st.sampled_from([text for text in load_templates("gender-nineteen").texts if " was " not in text]),
        min_size=2,
    ),
    start=st.sampled_from(["The", "A", "This"]),
    adverb=st.sampled_from(["", "then ", "also ", "later "]),
    stop=st.sampled_from(["", "."]),
)
def test_format_alone_never_makes_another_family(
    parser: Parser, texts: set[str], start: str, adverb: str, stop: str
) -> None:
    asked = sorted(texts)
    other = [text.replace("The [X] ", f"{start} [X] {adverb}") + stop for text in asked]
    assert names(parser, *other) == names(parser, *asked)
    assert len({*names(parser, *asked)}) == len(asked)


def test_the_set_keeps_everything_else(parser: Parser, tmp_path: Path) -> None:
    mined = set_of("The [X] said that [Y]", "The [X] then said that [Y]", "The [X] stated that [Y]")
    found = grouped(mined, parser)
    assert found.templates_only.hash == mined.templates_only.hash
    assert found.templates_only.families == ("[X] say [Y]", "[X] say [Y]", "[X] state [Y]")
    assert found.card.history == ("Found 2 families by the rule on texts.",)
    assert grouped(found, parser) == found
    (tmp_path / "own.csv").write_bytes(csv_bytes(found))
    (tmp_path / "own.toml").write_text(card_text(found.card), encoding="utf8")
    assert load_mined(tmp_path / "own.csv") == found


def test_other_languages_have_no_rule() -> None:
    with pytest.raises(TemplateError, match="in English only, and own is in the language zh-Hans: write"):
        grouped(set_of("这位[X]说[Y]", language="zh-Hans"), FakeParser())


def test_it_can_be_stopped() -> None:
    seen = []

    def pause() -> None:
        seen.append(1)
        if len(seen) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        grouped(set_of("The [X] said [Y]", "The [X] saw [Y]", "The [X] sat [Y]"), FakeParser(), pause)
    assert len(seen) == 2
