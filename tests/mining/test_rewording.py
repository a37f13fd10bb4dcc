"""Templates in other words: what each rule makes, what it leaves alone, and whose family and count it is."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pcf_core.core.errors import TemplateError
from pcf_core.core.topics import MinedSet, MinedTemplate, Part, SetCard, counts_of_families
from pcf_core.material.template_editing import cut
from pcf_core.material.templates import load_mined, load_templates, make_mined
from pcf_core.mining.families import grouped, names_of
from pcf_core.mining.parser.pipeline import open_pipeline
from pcf_core.mining.rewording import RULES, chosen_rules, reworded, wordings

WIDE = load_mined("gender-wide-wikipedia-100")
MADE = {
    "adverb": {
        "The [X] said that [Y]": ["The [X] then said that [Y]", "The [X] also said that [Y]"],
        "The [X] was told that [Y]": ["The [X] was then told that [Y]", "The [X] was also told that [Y]"],
        "The [X] did not know if [Y]": [
            "The [X] then did not know if [Y]", "The [X] also did not know if [Y]",
        ],
        "The [X] was not told that [Y]": [
            "The [X] was then not told that [Y]", "The [X] was also not told that [Y]",
        ],
        "The [X] could say that [Y]": ["The [X] could also say that [Y]"],
        "The [X] could not say that [Y]": ["The [X] also could not say that [Y]"],
        "The [X] was aware that [Y]": ["The [X] was also aware that [Y]"],
        "The [X] left when [Y]": ["The [X] also left when [Y]"],
        "The [X] was young when [Y]": [],
        "The [X] never said that [Y]": [],
        "The [X] was also told that [Y]": [], "The [X] also died when [Y]": [],
        "The [X], who came, is [Y]": ["The [X], who then came, is [Y]", "The [X], who also came, is [Y]"],
    },
    "tense": {
        "The [X] said that [Y]": ["The [X] has said that [Y]", "The [X] had said that [Y]"],
        "The [X] wrote that [Y]": ["The [X] has written that [Y]", "The [X] had written that [Y]"],
        "The [X] withdrew and [Y]": ["The [X] has withdrawn and [Y]", "The [X] had withdrawn and [Y]"],
        "The [X] was told that [Y]": ["The [X] has been told that [Y]", "The [X] had been told that [Y]"],
        "The [X] did not know if [Y]": ["The [X] has not known if [Y]", "The [X] had not known if [Y]"],
        "The [X] was not told that [Y]": [
            "The [X] has not been told that [Y]", "The [X] had not been told that [Y]",
        ],
        "The [X] died when [Y]": ["The [X] had died when [Y]"],
        "The [X], who was killed, was [Y].": ["The [X], who had been killed, was [Y]."],
        "The [X], who came, is [Y]": ["The [X], who has come, is [Y]"],
        "The [X] died in 1990 and [Y]": ["The [X] had died in 1990 and [Y]"],
        "The [X] came and went when [Y]": [], "The [X] was hurt and could say that [Y]": [],
        "The [X] was the [Y]": [], "The [X] was aware that [Y]": [], "The [X] was born when [Y]": [],
        "The [X] had [Y] reasons": [], "The [X] had said that [Y]": [], "The [X] would say [Y]": [],
        "The [X] says that [Y]": [], "The [X] used to say that [Y]": [], "The [X] from Leeds said [Y]": [],
    },
    "contraction": {
        "The [X] did not say that [Y]": ["The [X] didn't say that [Y]"],
        "The [X] couldn't say that [Y]": ["The [X] could not say that [Y]"],
        "The [X] might not say that [Y]": [], "The [X] said that [Y]": [],
    },
    "stop": {
        "The [X] said that [Y]": [], "The [X] said that [Y].": ["The [X] said that [Y]"],
        "The [X] ran [Y] hands": [],
    },
    "determiner": {
        "The [X] said that [Y]": ["This [X] said that [Y]"], "This [X] said [Y]": ["The [X] said [Y]"],
        "A [X] said [Y]": ["This [X] said [Y]"], "When the [X] retired, [Y]": [],
        "The [X], who came, is [Y]": ["This [X], who came, is [Y]"],
    },
    "cleft": {
        "The [X] said that [Y]": ["It was the [X] who said that [Y]"],
        "The [X] was told that [Y]": ["It was the [X] who was told that [Y]"],
        "The [X] did not ask if [Y]": ["It was the [X] who did not ask if [Y]"],
        "The [X] served and [Y]": [], "The [X] served when [Y]": [], "The [X] was aware that [Y]": [],
        "The [X], who came, is [Y]": [], "The [X] says that [Y]": [],
    },
    "article": {"The [X] said that [Y]": ["A [X] said that [Y]"], "A [X] said that [Y]": []},
}  # fmt: skip


def made(rule: str, text: str, *fits: Part) -> list[str]:
    return list(wordings(MinedTemplate(text=text, fits=fits), [RULES[rule]]))


@pytest.mark.parametrize(("rule", "text"), [(rule, text) for rule in MADE for text in MADE[rule]])
def test_each_rule_makes_good_english_or_nothing(rule: str, text: str) -> None:
    assert made(rule, text) == MADE[rule][text]


def test_what_fits_at_y_decides_where_a_sentence_is_whole() -> None:
    came, own = "The [X], who came, is [Y]", "The [X] lost [Y] seat"
    assert made("stop", came, "phrase", "adjective") == [f"{came}."]
    assert made("stop", "The [X] hurt [Y]", "reflexive") == made("stop", came) == []
    assert made("cleft", own, "determiner") == ["It was the [X] who lost [Y] seat"]
    assert made("cleft", own) == [], "[Y] may be a pronoun that begins a clause"


def test_each_rule_has_a_switch_and_its_example_is_what_it_makes() -> None:
    assert [one.name for one in chosen_rules()] == [name for name in RULES if name != "article"]
    assert [one.name for one in chosen_rules(["cleft", "article"])] == ["cleft", "article"]
    for name, rule in RULES.items():
        text, other = rule.example
        assert other in made(name, text, "phrase") if name == "stop" else made(name, text)
        assert rule.on == (rule.odd <= 1)
    assert "off by itself: of 50 sentences that we read" in RULES["article"].standing
    with pytest.raises(TemplateError, match="no rule 'x' for rewording: choose from adverb, tense"):
        chosen_rules(["x", "cleft"])


def test_a_count_is_divided_among_the_wordings_of_a_family() -> None:
    mined = make_mined(
        "own",
        [
            MinedTemplate(
                text="The [X] said that [Y]", count=14, documents=9, examples=("a@1",), family="say"
            ),
            MinedTemplate(text="The [X] also said that [Y]", count=1, family="say"),
            MinedTemplate(text="[Y] met the [X]", count=3),
            MinedTemplate(text="The [X] was aware that [Y]", count=6),
            MinedTemplate(text="This [X] was aware that [Y]", count=2),
        ],
        SetCard(title="Own", form="clausal", history=("Typed.",)),
    )
    made = reworded(mined)
    counts = {item.text: item.count for item in made.templates}
    assert len(counts) == 6 + 2 + 1 + 2 + 2
    assert counts["The [X] said that [Y]"] == counts["It was the [X] who said that [Y]"] == 14 / 6
    assert counts["The [X] also said that [Y]"] == counts["This [X] also said that [Y]"] == 0.5
    assert counts["[Y] met the [X]"] == 3
    assert counts["The [X] was also aware that [Y]"] == 3
    assert counts["This [X] was also aware that [Y]"] == 1
    families = dict(zip(made.templates_only.texts, made.templates_only.families, strict=True))
    assert families["This [X] said that [Y]"] == families["This [X] also said that [Y]"] == "say"
    assert families["This [X] was aware that [Y]"] == "The [X] was aware that [Y]", "it was there before"
    assert sorted(counts_of_families(made.templates)) == pytest.approx([3, 8, 15])
    assert {item.fits for item in made.templates} == {("pronoun",)}
    assert not any(item.documents or item.sources for item in made.templates)
    assert made.card.title == "Own, reworded"
    assert made.card.history[-1].endswith("determiner and cleft: 5 templates became 13.")


@settings(max_examples=20, deadline=None)
@given(top=st.integers(1, 100), names=st.sets(st.sampled_from(sorted(RULES)), min_size=3))
def test_nothing_else_changes(top: int, names: set[str]) -> None:
    mined = cut(WIDE, top=top)
    made = reworded(mined, {*names, "determiner"})
    before = {item.text: item.count for item in mined.templates}
    assert before.keys() <= {item.text for item in made.templates}
    assert math.isclose(sum(item.count for item in made.templates), sum(before.values()))
    assert set(made.templates_only.families) == {item.family or item.text for item in mined.templates}
    assert reworded(mined, {*names, "determiner"}) == made


@pytest.mark.parametrize("name", ["gender-wikipedia-100", "gender-wide-wikipedia-20", "race-relative"])
def test_the_rule_on_texts_finds_the_families_that_rewording_makes(name: str) -> None:
    parser = open_pipeline("en-mini")
    mined = grouped(load_mined(name), parser)
    made = reworded(mined)
    assert len(made.templates) > 4 * len(mined.templates)
    usual = made.templates[0].fits if name != "gender-wide-wikipedia-20" else ("pronoun",)
    assert list(names_of(made.templates, parser, usual)) == [item.family for item in made.templates]


def in_families(mined: MinedSet, members: int, of: int) -> MinedSet:
    """The set with the first ``of`` templates in families of some members each."""
    new = [
        item.model_copy(update={"family": str(place // members)}) if place < of else item
        for place, item in enumerate(mined.templates)
    ]
    return mined.model_copy(update={"templates": tuple(new)})


@pytest.mark.parametrize(
    ("mined", "reason"),
    [
        (lambda: reworded(WIDE), "already has several wordings of its templates, so more would be wordings"),
        (lambda: cut(reworded(WIDE), top=1), "already has several wordings"),
        (lambda: in_families(WIDE, 3, 51), r"reword the set that it was made from\.$"),
        (lambda: load_mined("gender-zh-reporting"), "reword English only, and gender-zh-reporting is in the"),
        (
            lambda: make_mined("own", [MinedTemplate(text="[Y] met the [X]")], SetCard(title="Own")),
            "change no template of own: they know",
        ),
    ],
)
def test_what_cannot_be_reworded_is_refused_in_a_sentence(mined: Callable[[], MinedSet], reason: str) -> None:
    with pytest.raises(TemplateError, match=reason):
        reworded(mined())


def test_a_set_in_which_few_templates_share_a_family_is_reworded() -> None:
    assert len(reworded(in_families(WIDE, 5, 50)).templates) == len(reworded(WIDE).templates)


def test_the_papers_sets_give_about_six_wordings_of_each_template() -> None:
    for name in ("gender-nineteen", "gender-wikipedia-100"):
        many = len(reworded(load_mined(name)).templates) / len(load_templates(name).templates)
        assert 5 < many < 7
