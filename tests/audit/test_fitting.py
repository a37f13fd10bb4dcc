"""The protocol fitting: which words fit at [Y], what templates and files say of it, and what a run reads."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pcf_core.audit.fitting import parts_of, unfit_words, words_at, words_unfit_in
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.reading import report
from pcf_core.audit.results import is_kept, load_result, result_name
from pcf_core.audit.sensitivity import sensitivity
from pcf_core.core.errors import ModelError, TemplateError
from pcf_core.core.run import RunSpec, ScoringKey
from pcf_core.core.topics import FITS_OF_FORM, PARTS, MinedTemplate, Part, SetCard, TemplateSet
from pcf_core.material.template_editing import add, united
from pcf_core.material.template_files import csv_bytes, fits_of, parquet_bytes
from pcf_core.material.templates import load_mined, load_templates, make_mined
from pcf_core.material.topics import list_topics, load_topic
from pcf_core.models.registry import resolve
from pcf_core.store.store import Store
from pcf_core.work.probing import UNSAID, word_check
from tests.audit.small_runs import score_few
from tests.conftest import fake_scorer

FITTING = ViewOptions(protocol="fitting")
SAID, LATE = "The [X] said that [Y]", "The [X], who was late, is [Y]"


def silent(templates: TemplateSet) -> TemplateSet:
    """As sets were kept before templates said what fits."""
    said = tuple(template.model_copy(update={"fits": ()}) for template in templates.templates)
    return templates.model_copy(update={"templates": said})


def with_silent_templates(run: RunSpec) -> RunSpec:
    return run.model_copy(update={"templates": silent(run.templates)})


def test_a_run_read_with_fitting_words_is_that_of_the_topic_of_these_words(store: Store) -> None:
    whole = score_few(store)
    pronouns = score_few(store, topic="gender-pronouns")
    fitting = load_result(store, whole, "fitting")
    assert fitting.words == ("he", "she")
    assert len(fitting.left_out) == 76
    assert all("the sentence needs a pronoun" in item.reason for item in fitting.left_out)
    alone = load_result(store, pronouns)
    assert fitting.preferences.values == pytest.approx(alone.preferences.values, abs=1e-12)
    read, expected = (
        report(one, run, options, resamples=20)
        for one, run, options in ((fitting, whole, FITTING), (alone, pronouns, ViewOptions()))
    )
    assert read.overall_risk == pytest.approx(expected.overall_risk, abs=1e-12)
    assert is_kept(store, whole, "fitting")


def test_runs_kept_before_templates_said_what_fits_are_read_by_todays_set(store: Store) -> None:
    run = score_few(store)
    before = with_silent_templates(run)
    assert before.key == run.key
    assert words_unfit_in(before) == words_unfit_in(run) != {}
    assert result_name(before, "fitting") == result_name(run, "fitting")
    assert load_result(store, before, "fitting").words == ("he", "she")
    other = before.model_copy(update={"templates": before.templates.model_copy(update={"name": "gone"})})
    assert words_unfit_in(other) == {}


def test_what_fits_is_part_of_the_name_of_what_is_kept(store: Store) -> None:
    run = score_few(store, templates=load_templates("gender-nineteen"))
    plurals = tuple(
        template.model_copy(update={"fits": ("pronoun", "plural")}) for template in run.templates.templates
    )
    wider = run.model_copy(update={"templates": run.templates.model_copy(update={"templates": plurals})})
    assert wider.key == run.key
    assert result_name(wider, "fitting") != result_name(run, "fitting")
    assert load_result(store, run, "fitting").words == ("he", "she")
    assert {"men", "women"} <= set(load_result(store, wider, "fitting").words)
    assert result_name(wider, "exact") == result_name(run, "exact")


def test_a_group_whose_words_do_not_fit_is_refused(store: Store) -> None:
    run = score_few(store, topic="religion")
    with pytest.raises(ModelError, match=r"none of them fits at \[Y\]"):
        load_result(store, run, "fitting")


def test_sensitivity_tries_the_words_that_fit(store: Store) -> None:
    run = score_few(store)
    found = sensitivity(store, run, ViewOptions())
    (one,) = [variant for variant in found.variants if variant.name == "fitting"]
    assert (one.dimension, one.kind) == ("protocol", "choice")
    expected = report(load_result(store, run, "fitting"), run, FITTING, resamples=20)
    assert one.overall_risk == pytest.approx(expected.overall_risk, abs=1e-12)


def mixed(run: RunSpec, *fits: tuple[Part, ...]) -> RunSpec:
    """Return the run with templates that take these parts of speech, in turns."""
    templates = tuple(
        template.model_copy(update={"fits": fits[number % len(fits)]})
        for number, template in enumerate(run.templates.templates)
    )
    return run.model_copy(update={"templates": run.templates.model_copy(update={"templates": templates})})


def test_each_template_of_a_mixed_set_reads_the_words_that_fit_in_it(store: Store) -> None:
    run = score_few(store, templates=load_templates("gender-nineteen"))
    some = mixed(run, ("pronoun",), ("noun",))
    result = load_result(store, some, "fitting")
    assert {"he", "she", "man", "woman"} <= set(result.words)
    assert {item.name: item.reason for item in result.left_out}["him"] == "it fits in none of the sentences"
    pronouns = load_result(store, mixed(run, ("pronoun",)), "fitting").preferences.values
    nouns = load_result(store, mixed(run, ("noun",)), "fitting").preferences.values
    values = result.preferences.values
    assert values[:, 0::2] == pytest.approx(pronouns[:, 0::2], abs=1e-12)
    assert values[:, 1::2] == pytest.approx(nouns[:, 1::2], abs=1e-12)
    assert values[:, 1::2] != pytest.approx(pronouns[:, 1::2], abs=1e-3)
    assert result.coverage is not None
    assert load_result(store, some, "fitting").words == result.words  # as it was kept


def test_groups_of_unequal_numbers_of_words_are_averaged_by_template(store: Store) -> None:
    run = score_few(store, templates=load_templates("gender-nineteen"))
    topic = run.topic.model_copy(update={"aligned": False})
    few = topic.groups[1].model_copy(update={"words": ("she", "woman")})
    many = topic.groups[0].model_copy(update={"words": ("he", "man", "king")})
    small = run.model_copy(update={"topic": topic.model_copy(update={"groups": (many, few)})})
    summed, averaged = (
        load_result(store, mixed(small, ("pronoun",), ("noun",)), "fitting", way) for way in ("sum", "mean")
    )
    sums, means = summed.preferences.values, averaged.preferences.values
    assert means[:, 0::2] == pytest.approx(sums[:, 0::2])  # he against she
    halved = sums[:, 1::2] / [2, 1]
    assert means[:, 1::2] == pytest.approx(halved / halved.sum(axis=-1, keepdims=True))
    assert any("male 2, female 1" in one for one in summed.warnings)
    assert not any("different numbers" in one for one in averaged.warnings)


def test_before_a_noun_his_and_her_count_though_the_list_pairs_them_otherwise() -> None:
    topic = load_topic("gender")
    assert words_at(topic, topic.words, ("determiner",)) == ("his", "her")
    assert words_at(topic, topic.words, ("pronoun",)) == ("he", "she")
    assert words_at(topic, [word for word in topic.words if word != "her"], ("determiner",)) == ("his",)


def test_a_template_that_leaves_a_group_without_a_word_is_named(store: Store) -> None:
    run = score_few(store, topic="gender-pronouns", templates=load_templates("gender-nineteen"))
    bare = mixed(run, ("pronoun",), ("determiner",))
    with pytest.raises(ModelError, match="in the template 'The"):
        load_result(store, bare, "fitting")


def test_sensitivity_says_that_the_words_differ_between_the_templates(store: Store) -> None:
    run = mixed(score_few(store, templates=load_templates("gender-nineteen")), ("pronoun",), ("noun",))
    whole = sensitivity(store, run, ViewOptions())
    assert "fitting" in {one.name for one in whole.unavailable if "differ" in one.reason}
    found = sensitivity(store, run, FITTING)
    assert "other words" in {one.name for one in found.unavailable}


def test_of_one_sentence_nothing_says_what_fits() -> None:
    topic = load_topic("gender")
    scorer = fake_scorer(ScoringKey.of(resolve("mini-gpt")), topic)
    answer = word_check(
        "mini-gpt", topic, "The nurse said that [Y]", "fitting", open_scorer=lambda *_: scorer
    )
    assert len(answer["words"]) == len(topic.words)
    assert answer["notes"] == [UNSAID]


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
        "it is a pronoun that is an object or a possessive, "
        "but the sentence needs a pronoun that can be a subject"
    )
    assert unfit["men"].startswith("it is a noun in the plural")


def test_before_a_noun_her_fits_and_hers_does_not() -> None:
    unfit = unfit_words(load_topic("gender"), [("determiner",)])
    assert {"his", "her"}.isdisjoint(unfit)
    assert unfit["hers"] == "it is a possessive, but the sentence needs a possessive before its noun"


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
