"""Which words fit at [Y]: the lists, what templates say, and what files keep of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pcf_core.core.errors import TemplateError
from pcf_core.core.topics import FITS_OF_FORM, PARTS, MinedTemplate, Part, SetCard
from pcf_core.material.parts import parts_of, unfit_words
from pcf_core.material.template_editing import add, united
from pcf_core.material.template_files import csv_bytes, fits_of, parquet_bytes
from pcf_core.material.templates import load_mined, load_templates, make_mined
from pcf_core.material.topics import list_topics, load_topic

SAID, LATE = "The [X] said that [Y]", "The [X], who was late, is [Y]"


def test_a_word_may_be_several_things_and_an_unknown_one_anything() -> None:
    assert parts_of("he") == {"pronoun"}
    assert parts_of("her") == {"object", "possessive", "determiner"}
    assert parts_of("hers") == {"possessive"}
    assert parts_of("male") == {"noun", "adjective"}
    assert parts_of("an Asian woman") == {"phrase"}
    assert parts_of("Hispanic") == {"adjective"}
    assert parts_of("wheelwright") == frozenset()
    assert parts_of("he", "de") == frozenset()


def test_of_genders_words_he_and_she_alone_can_mean_the_nurse() -> None:
    gender = load_topic("gender")
    unfit = unfit_words(gender, (template.fits for template in load_templates(gender.templates).templates))
    assert set(gender.words) - set(unfit) == set(load_topic("gender-pronouns").words)
    assert unfit["her"] == (
        "it is a pronoun that is an object or a possessive, and at [Y] stands a pronoun that can be a subject"
    )
    assert unfit["men"].startswith("it is a noun in the plural")


def test_before_a_noun_her_fits_and_hers_does_not() -> None:
    unfit = unfit_words(load_topic("gender"), [("determiner",)])
    assert {"his", "her"}.isdisjoint(unfit)
    assert unfit["hers"] == "it is a possessive, and at [Y] stands a possessive before its noun"


@pytest.mark.parametrize("topic", [topic.name for topic in list_topics() if topic.name != "religion"])
def test_every_shipped_topic_keeps_words_in_each_group(topic: str) -> None:
    chosen = load_topic(topic)
    unfit = unfit_words(chosen, (template.fits for template in load_templates(chosen.templates).templates))
    assert all(set(group.words) - set(unfit) for group in chosen.groups)


def test_jew_is_a_noun_among_adjectives_as_the_notes_say() -> None:
    religion = load_topic("religion")
    assert set(unfit_words(religion, [FITS_OF_FORM["attributive"]])) == {"Jew"}
    assert "noun among adjectives" in religion.notes


def test_a_word_must_fit_in_every_template_that_says_something() -> None:
    gender = load_topic("gender")
    both: list[tuple[Part, ...]] = [("pronoun", "plural"), (), ("plural", "noun")]
    assert set(gender.words) - set(unfit_words(gender, both)) == {"men", "women", "gentlemen", "ladies"}
    assert unfit_words(gender, [()]) == {}


def test_shipped_templates_say_what_their_form_does() -> None:
    for name, form in (("gender-wikipedia-100", "clausal"), ("race-relative", "attributive")):
        assert {template.fits for template in load_templates(name).templates} == {FITS_OF_FORM[form]}
        assert {template.fits for template in load_mined(name).templates} == {FITS_OF_FORM[form]}


some_parts = st.lists(st.sampled_from(PARTS), unique=True).map(
    lambda said: tuple(part for part in PARTS if part in said)
)


@settings(max_examples=12)
@given(fits=st.lists(some_parts, min_size=2, max_size=2), form=st.sampled_from(["", "clausal"]))
@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_what_fits_is_kept_by_files_that_need_a_column_only_where_the_form_is_silent(
    ending: str, fits: list[tuple[Part, ...]], form: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    card = SetCard.model_validate({"title": "own", "form": form})
    rows = [MinedTemplate(text=text, fits=one) for text, one in zip((SAID, LATE), fits, strict=True)]
    mined = make_mined("own", rows, card)
    data = csv_bytes(mined) if ending == ".csv" else parquet_bytes(mined)
    path = tmp_path_factory.mktemp("sets") / f"own{ending}"
    path.write_bytes(data)
    path.with_suffix(".toml").write_text(f'title = "own"\nform = "{form}"\n')
    assert load_mined(path).templates == mined.templates
    assert [one.fits for one in load_templates(path).templates] == [one.fits for one in mined.templates]
    usual = FITS_OF_FORM.get(form, ())
    if ending == ".csv":
        assert data.startswith(b"template,count,documents,sources,examples\n") is all(
            one.fits in ((), usual) for one in mined.templates
        )


def test_a_part_of_speech_that_there_is_not_is_refused_by_line(tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    path.write_text(f"template,count,fits\n{SAID},1,pronoun; plural\nThe [X] sang and [Y],1,verb\n")
    with pytest.raises(TemplateError, match=r"line 3.*'verb'.*pronoun, object"):
        load_templates(path)
    assert fits_of(" adjective;phrase ", "x") == ("phrase", "adjective")
    assert fits_of(None, "x") == ()


def test_a_template_by_hand_says_what_its_set_does_and_united_forms_keep_their_own() -> None:
    def one(name: str, text: str, form: str) -> SetCard:
        return SetCard.model_validate({"title": name, "form": form})

    clausal = make_mined("a", [MinedTemplate(text=SAID)], one("a", SAID, "clausal"))
    attributive = make_mined("b", [MinedTemplate(text=LATE)], one("b", LATE, "attributive"))
    assert {item.fits for item in add(clausal, "The [X] sang and [Y]", 1).templates} == {("pronoun",)}
    both = united([clausal, attributive], "both")
    assert {item.text: item.fits for item in both.templates} == {
        SAID: ("pronoun",),
        LATE: ("phrase", "adjective"),
    }
