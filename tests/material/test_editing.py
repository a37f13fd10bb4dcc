"""Steps of editing: each by hand, and the invariants of all on sets made by hypothesis."""

import math

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from pcf_core.core.errors import TemplateError
from pcf_core.core.topics import MinedTemplate, SetCard
from pcf_core.material.template_editing import (
    add,
    cut,
    draw,
    drop,
    filtered,
    heaviest_first,
    in_family,
    mass,
    matching,
    merge,
    renamed,
    united,
    with_full_stop,
)
from pcf_core.material.templates import make_mined
from tests.material.mined_sets import mined_sets, small

SAID, WROTE, LATE, OLD = (item.text for item in small().templates)
QUICK = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def counts(mined):
    return {item.text: item.count for item in mined.templates}


def test_a_cut_by_count_says_what_it_keeps():
    less = cut(small(), min_count=3)
    assert counts(less) == {SAID: 10, WROTE: 6, LATE: 3}
    assert less.card.kept == 19 / 20
    assert less.card.cut == 3
    assert less.card.history == (
        "Mined.",
        "Cut at a count of 3: 3 of 4 templates stay, with 95.0% of the mass.",
    )
    assert less.templates == small().templates[:3]


def test_a_cut_of_a_cut_multiplies_what_is_kept():
    less = cut(cut(small(), min_count=3), top=1)
    assert counts(less) == {SAID: 10}
    assert less.card.kept == pytest.approx(10 / 20)
    assert less.card.cut == 10
    assert len(less.card.history) == 3


def test_ties_of_a_cut_are_broken_by_the_text():
    even = make_mined(
        "even", [MinedTemplate(text=f"{letter} [X] [Y]") for letter in "cab"], SetCard(title="even")
    )
    assert list(counts(cut(even, top=2))) == ["a [X] [Y]", "b [X] [Y]"]


def test_a_sample_has_so_many_different_templates_counted_by_draws():
    sample = draw(small(), 3, seed=1)
    assert len(sample.templates) == 3
    assert mass(sample.templates) >= 3
    assert sample.card.kept == small().card.kept
    assert {item.documents for item in sample.templates} == {0}
    assert draw(small(), 3, seed=1) == sample
    (sentence,) = sample.card.history[1:]
    assert sentence == (
        "Drawn at random by count, with replacement, from the seed 1 until 3 different templates of 4 had "
        f"been drawn: {mass(sample.templates):.0f} draws."
    )


def test_samples_agree_with_the_set_on_average():
    two = make_mined(
        "two",
        [MinedTemplate(text="a [X] [Y]", count=3), MinedTemplate(text="b [X] [Y]", count=1)],
        SetCard(title="two"),
    )
    samples = [counts(draw(two, 2, seed)) for seed in range(400)]
    # a first (3/4): 1 + 3 draws of a on average before b; else 1.  Three to one, as Wald's identity says.
    drawn = [sum(sample[f"{letter} [X] [Y]"] for sample in samples) / 400 for letter in "ab"]
    assert drawn[0] == pytest.approx(3.25, abs=0.5)
    assert drawn[1] == pytest.approx(1 + 1 / 12, abs=0.1)


def test_dropping_and_filtering():
    assert counts(drop(small(), [f" {SAID} "])) == {WROTE: 6, LATE: 3, OLD: 1}
    assert drop(small(), [SAID]).card.kept == 0.5
    assert counts(filtered(small(), "WAS [y]")) == {LATE: 3, OLD: 1}
    assert counts(filtered(small(), "was -late")) == {OLD: 1}
    assert filtered(small(), "that").card.kept == 0.8
    assert matching(small(), "  ") == small().templates
    assert matching(small(), "nobody") == ()


def test_merging_adds_counts_and_origins():
    one = merge(small(), [SAID, WROTE], " The [X] reported that [Y] ")
    assert counts(one) == {"The [X] reported that [Y]": 16, LATE: 3, OLD: 1}
    merged = one.templates[0]
    assert merged.documents == 12  # 7 + 6, but the corpus has no more
    assert merged.sources == {"enwiki": 14, "simplewiki": 2}
    assert merged.examples == ("a@1", "enwiki-1@10", "enwiki-2@0")
    assert one.card.kept == 1.0
    assert counts(merge(small(), [OLD], LATE)) == {SAID: 10, WROTE: 6, LATE: 4}
    assert counts(merge(small(), [OLD, LATE], LATE)) == counts(merge(small(), [OLD], LATE))


def test_adding_by_hand():
    more = add(small(), " The [X] felt that [Y] ", 4)
    assert list(counts(more).items())[2] == ("The [X] felt that [Y]", 4)
    assert more.templates[2].documents == 0
    assert more.card.kept == 1.0
    assert "by hand with the count 4" in more.card.history[-1]
    with pytest.raises(TemplateError, match=r"has 2 spaces in 'The \[X\] felt that  \[Y\]'"):
        add(small(), "The [X] felt that  [Y]", 4)


def families(mined):
    return {item.text: item.family for item in mined.templates if item.family}


def test_templates_join_and_leave_a_family():
    said = in_family(small(), [SAID, f" {WROTE}"], " to  say ")
    assert families(said) == {SAID: "to say", WROTE: "to say"}
    assert counts(said) == counts(small())
    assert said.card.history[-1].endswith("into the family 'to say'.")
    assert families(in_family(said, [WROTE], "")) == {SAID: "to say"}
    assert in_family(said, [WROTE], "").card.history[-1] == f"Took {WROTE!r} out of their families."


def test_what_becomes_one_template_keeps_the_family_that_all_had():
    said = in_family(small(), [SAID, WROTE], "say")
    assert families(merge(said, [SAID, WROTE], SAID)) == {SAID: "say"}
    assert families(merge(said, [SAID, OLD], OLD)) == {WROTE: "say"}
    assert families(with_full_stop(said)) == {f"{SAID}.": "say", f"{WROTE}.": "say"}
    assert families(united([said, renamed(said, "again")], "both")) == families(said)
    assert families(cut(said, top=1)) == {SAID: "say"}


def test_a_full_stop_joins_what_stood_with_and_without():
    twice = add(add(small(), f"{SAID}.", 5), "Did the [X] say that [Y]?", 2)
    stopped = with_full_stop(twice)
    assert counts(stopped) == {
        f"{SAID}.": 15,
        f"{WROTE}.": 6,
        f"{LATE}.": 3,
        "Did the [X] say that [Y]?": 2,
        f"{OLD}.": 1,
    }
    chinese = make_mined("zh", [MinedTemplate(text="这位[X]说[Y]")], SetCard(title="zh", language="zh-Hans"))
    assert with_full_stop(chinese).templates[0].text == "这位[X]说[Y]。"


def test_uniting_adds_up_and_keeps_the_facts_of_both():
    other = make_mined(
        "other",
        [
            MinedTemplate(text=SAID, count=30, documents=20, sources={"web": 30}),
            MinedTemplate(text="[X] [Y]"),
        ],
        SetCard(
            title="Other",
            form="attributive",
            corpus="web",
            licence="ODC-By",
            documents=100,
            words=1000,
            matches=62,
            kept=0.5,
            cut=2,
        ),
    )
    both = united([small(), other], "both")
    assert counts(both) == {SAID: 40, WROTE: 6, LATE: 3, OLD: 1, "[X] [Y]": 1}
    assert both.templates[0].sources == {"enwiki": 8, "simplewiki": 2, "web": 30}
    assert both.templates[0].documents == 27
    card = both.card
    assert (card.title, card.form, card.corpus, card.licence) == (
        "Small and Other",
        "",
        "toy; web",
        "CC0; ODC-By",
    )
    assert (card.documents, card.words, card.matches, card.cut) == (112, 1900, 82, 0)
    assert card.kept == pytest.approx(51 / (20 + 62))
    assert card.parents == ("small", "other")
    assert len(card.history) == 1


def test_uniting_sets_of_one_corpus_counts_its_documents_once():
    second = renamed(small(), "second")
    assert united([small(), second], "both").card.documents == 12
    unknown = second.model_copy(update={"card": second.card.model_copy(update={"kept": 0.0})})
    assert united([small(), unknown], "both").card.kept == 0


def test_another_name_remembers_the_old_one():
    mine = renamed(small(), "mine", "Mine")
    assert (mine.name, mine.card.title, mine.card.parents) == ("mine", "Mine", ("small",))
    assert mine.card.history[-1] == "Made from the set small."
    assert renamed(mine, "again").card.parents == ("small", "mine")
    assert renamed(small(), "mine").card.title == "Small"


@pytest.mark.parametrize(
    ("step", "part"),
    [
        (lambda: cut(small()), "either the lowest count"),
        (lambda: cut(small(), min_count=1, top=1), "either the lowest count"),
        (lambda: cut(small(), min_count=11), "the highest count is 10"),
        (lambda: cut(small(), min_count=math.nan), "choose a lower count"),
        (lambda: cut(small(), top=0), "At least one template must remain"),
        (lambda: draw(small(), 5, seed=1), "so 1 to 4 can be drawn; 5 were asked for"),
        (lambda: drop(small(), []), "at least one template"),
        (lambda: drop(small(), ["The [X] sang [Y]"]), "does not have 'The [X] sang [Y]'"),
        (lambda: drop(small(), [SAID, WROTE, LATE, OLD]), "would remain"),
        (lambda: filtered(small(), " "), "filter is empty"),
        (lambda: filtered(small(), "nobody"), "would remain"),
        (lambda: merge(small(), [SAID], SAID), "At least two"),
        (lambda: merge(small(), [SAID], "The [X] sang [Y]"), "At least two"),
        (lambda: merge(small(), [SAID, OLD], "The [X] sang"), "one [Y]"),
        (lambda: merge(small(), ["a [X] [Y]"], SAID), "does not have"),
        (lambda: add(small(), f" {SAID}", 1), "already"),
        (lambda: add(small(), "The [X] sang", 1), "one [Y]"),
        (lambda: add(small(), "The [X] sang [Y]", -1), "has the count -1"),
        (lambda: united([small()], "both"), "At least two different"),
        (lambda: united([small(), small()], "both"), "At least two different"),
        (lambda: renamed(small(), "../x"), "small letters"),
    ],
)
def test_what_cannot_be_done(step, part, refusal):
    with pytest.raises(TemplateError) as caught:
        step()
    assert part in refusal(caught.value)


def test_two_languages_do_not_unite(refusal):
    chinese = make_mined("zh", [MinedTemplate(text="这位[X]说[Y]")], SetCard(title="zh", language="zh"))
    with pytest.raises(TemplateError) as caught:
        united([small(), chinese], "both")
    assert "en and zh" in refusal(caught.value)


def test_a_count_of_zero_can_be_dropped_but_not_be_all(refusal):
    more = add(small(), "The [X] sang [Y]", 0)
    assert drop(more, ["The [X] sang [Y]"]).card.kept == 1.0
    with pytest.raises(TemplateError) as caught:
        drop(more, [SAID, WROTE, LATE, OLD])
    assert "a count above 0" in refusal(caught.value)


def in_order(mined):
    return list(mined.templates) == heaviest_first(mined.templates)


@pytest.mark.slow
@QUICK
@given(mined=mined_sets(), data=st.data())
def test_what_takes_mass_away_keeps_its_share(mined, data):
    chosen = data.draw(st.sets(st.sampled_from([item.text for item in mined.templates])))
    rest = [item for item in mined.templates if item.text not in chosen]
    assume(chosen and mass(rest) > 0)
    less = drop(mined, chosen)
    assert in_order(less)
    assert sorted(less.templates, key=lambda item: item.text) == sorted(rest, key=lambda item: item.text)
    assert less.card.kept == pytest.approx(mined.card.kept * mass(rest) / mass(mined.templates))
    assert less.card.history[:-1] == mined.card.history
    top = cut(mined, top=len(rest))
    assert mass(top.templates) >= mass(less.templates)
    assert list(top.templates) == heaviest_first(mined.templates)[: len(rest)]


@QUICK
@given(mined=mined_sets(), data=st.data())
def test_what_rearranges_conserves_mass(mined, data):
    texts = [item.text for item in mined.templates]
    steps = [with_full_stop(mined), renamed(mined, "other")]
    if len(texts) > 1:
        chosen = data.draw(st.sets(st.sampled_from(texts), min_size=2))
        steps.append(merge(mined, chosen, min(chosen)))
        assert len(steps[-1].templates) == len(texts) - len(chosen) + 1
    for step in steps:
        assert math.isclose(mass(step.templates), mass(mined.templates))
        assert step.card.kept == mined.card.kept
        assert step.card.history[:-1] == mined.card.history
    assert all(in_order(step) for step in steps if step.name == mined.name)
    assert [item.text for item in with_full_stop(steps[0]).templates] == [
        item.text for item in steps[0].templates
    ]


@QUICK
@given(mined=mined_sets(), other=mined_sets())
def test_a_union_has_the_mass_of_its_parts(mined, other):
    other = other.model_copy(
        update={"name": "other", "card": other.card.model_copy(update={"language": mined.card.language})}
    )
    both = united([mined, other], "both")
    assert in_order(both)
    assert math.isclose(mass(both.templates), mass(mined.templates) + mass(other.templates))
    texts = {item.text for part in (mined, other) for item in part.templates}
    assert {item.text for item in both.templates} == texts
    low, high = sorted([mined.card.kept, other.card.kept])
    assert low - 1e-9 <= both.card.kept <= high + 1e-9
