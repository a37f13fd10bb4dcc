"""Sentences about topics and template sets, on words and counts whose shares can be added up by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.audit.matrices import matrix_report
from pcf_core.audit.options import ViewOptions
from pcf_core.core.probe import TopicCheck
from pcf_core.core.records import LeftOut
from pcf_core.core.risk import Interval, RiskReport
from pcf_core.core.topics import Group, MinedSet, MinedTemplate, SetCard
from pcf_core.material.evidence import load_evidence, make_evidence
from pcf_core.material.topics import load_topic, make_topic
from pcf_core.show.findings import material

TOPIC = make_topic(
    "t", [Group(name="a", words=("he", "He", "king")), Group(name="b", words=("she", "résumé"))]
)
COUNTS = [40, 20, 10, 10, 5, 5, 2, 2, 2, 2, 1, 1]  # 100 in all
NEVER = [LeftOut(name=word, reason="unk") for word in ("she", "résumé")]
SINGLE = [LeftOut(name="king", reason="2 tokens"), *NEVER]
REFUSED = {"tokens": {"he": 1, "He": 1, "king": 2}, "refused": {"she": "unk", "résumé": "unk"}}


def check(**facts: object) -> TopicCheck:
    given: dict[str, object] = {
        "tokens": dict.fromkeys(TOPIC.words, 1),
        "refused": {},
        "same": (),
        "texts": ("[Y]", "I [Y]", "You [Y]"),
        "coverage": ({"all": 0.1}, {"all": 0.3}, {"all": 0.00002}),
    }
    return TopicCheck.model_validate(given | facts)


def mined(name: str, counts: list[float]) -> MinedSet:
    templates = tuple(MinedTemplate(text=f"The [X] {i} [Y]", count=c) for i, c in enumerate(counts))
    return MinedSet(name=name, card=SetCard(title=name), templates=templates)


def report_of(male: list[float]) -> RiskReport:
    document = {"preferences": [[[p, 1 - p] for p in male]], "groups": ["male", "female"]}
    found = matrix_report(document, ViewOptions(), resamples=20)
    return replace(found, intervals={risk: (Interval(low=0.1, high=0.3),) for risk in found.intervals})


def examples() -> dict[str, object]:
    words = material.words_finding
    many = tuple(Group(name=f"g{n}", words=(str(n),)) for n in range(1200))
    whole = [LeftOut(name=word, reason="2 tokens") for word in TOPIC.words]
    once = [LeftOut(name="He", reason="the model reads it as 'he', which counts once")]
    paired = [*SINGLE, LeftOut(name="he", reason="its counterpart 'she' is left out")]
    card = SetCard(
        title="t", corpus="simplewiki", documents=26_748, words=5_903_633, matches=3120, kept=0.714
    )
    job = {"templates": 1200, "matches": 5000, "documents": 1}
    job["dropped"] = {"a name": 40, "a number": 300, "a hint": 9, "a question": 40}
    sets = mined("wiki", [3, 2, 1]), mined("books", [1, 1])
    equal = check(shares={f"w{n}": 0.05 for n in range(20)})
    twice = check(tokens=dict.fromkeys(TOPIC.words, 1) | {"He": 2}, same=(("he", "He"),))
    none = check(tokens={}, refused=dict.fromkeys(TOPIC.words, "unk"))
    by_tokens = check(coverage=({"1": 0.5, "2": 0.1}, {"1": 0.7, "2": 0.1}, None))
    undefined = check(coverage=(None, None, None))
    low = check(coverage=({"all": 1e-6}, {"all": 0.3}, {"all": 0.00002}))
    return {
        "topics": [material.topic_finding(load_topic(name)) for name in ("gender", "race", "religion")],
        "a topic of 1,200 groups": material.topic_finding(TOPIC.model_copy(update={"groups": many})),
        "where words stand": material.position_text(TOPIC),
        "a list": material.list_finding(load_evidence("occupations-bvf")),
        "a list with weights": material.list_finding(make_evidence("two", ["nurse", "cook"], weights=[1, 2])),
        "all words count": words("M", TOPIC, check(), (), ()),
        "a group without words": words("M", TOPIC, check(**REFUSED), NEVER, SINGLE),
        "no word of one token": words("M", TOPIC, check(tokens=dict.fromkeys(TOPIC.words, 2)), (), whole),
        "a counterpart goes": words("M", TOPIC, check(**REFUSED), NEVER, paired),
        "a word that is another": words("M", TOPIC, twice, once, once),
        "no word": words("M", TOPIC, none, NEVER, NEVER),
        "effective words": [
            material.effective_words_finding("M", found)
            for found in (
                check(shares={"he": 0.6, "king": 0.1, "she": 0.3}),
                check(shares={"he": 0.995, "king": 0.003, "she": 0.002}),
                equal,
                check(),
                check(shares={"he": 1.0}),
            )
        ],
        "probes": [material.probes_finding("M", found) for found in (check(), by_tokens, undefined)],
        "low probes": [material.low_probes_caution("M", found) for found in (check(), low, undefined)],
        "no word on any probe": material.probes_finding(
            "M", none.model_copy(update={"coverage": ({}, {}, {})})
        ),
        "same tokens": material.same_tokens_cautions("M", TOPIC, check(same=(("he", "He"), ("king", "she")))),
        "forms": [
            material.forms_note(found) for found in ((("he", "his"), ("man", "men")), [("a", "as")] * 10, ())
        ],
        "sets": [material.set_finding(counts) for counts in (COUNTS, [3, 1], [7])],
        "cuts": [material.cut_finding(COUNTS, top) for top in (3, 12, None)],
        "families": [material.families_caution(12, 9.6, alone) for alone in (19.2, 30.0)],
        "origins": [
            material.origin_finding(card),
            material.origin_finding(card.model_copy(update={"documents": 0}), "Chinese characters"),
            *(material.origin_finding(SetCard(title="t", matches=1, kept=kept)) for kept in (1, 0)),
            material.origin_finding(SetCard(title="t")),
        ],
        "mined": [
            material.mining_finding(job | more) for more in ({}, {"dropped": {}}, {"without_word": 1200})
        ],
        "moved": material.move_finding(
            "m", report_of([0.4, 0.6]), report_of([0.6, 0.6]), "2 templates", "the 1 chosen"
        ),
        "two sets": [
            material.sets_finding(*sets, 0.25, 2, *rank)
            for rank in ((0.65, Interval(low=0.5, high=0.8)), (None, None))
        ],
    }


@given(st.lists(st.floats(0.001, 1), min_size=2, max_size=12), st.floats(0.05, 1))
def test_the_effective_number_lies_between_one_and_all_and_the_fewest_words_are_named(
    parts: list[float], mass: float
) -> None:
    shares = {f"w{n}": part / sum(parts) for n, part in enumerate(parts)}
    found = check(shares=shares)
    assert found.effective_words is not None
    assert 1 <= found.effective_words <= len(parts) + 1e-9
    named = found.most_of(mass - 1e-9)
    assert sum(shares[word] for word in named) >= mass - 1e-6
    assert sum(shares[word] for word in named[:-1]) < mass


def test_words_of_equal_probability_count_as_many_as_they_are() -> None:
    assert check(shares={"he": 0.6, "king": 0.1, "she": 0.3}).effective_words == pytest.approx(1 / 0.46)
    assert check(shares={f"w{n}": 0.05 for n in range(20)}).effective_words == pytest.approx(20)


def test_equal_shares_are_carried_by_exactly_half() -> None:
    assert material.carriers([1, 1, 1, 1]) == 2
    assert material.carriers([0.1] * 10) == 5
    assert material.kept_share(COUNTS, 50) == material.kept_share(COUNTS, None) == 1


@given(st.lists(st.floats(0, 1e9), min_size=1, max_size=40).filter(lambda counts: sum(counts) > 0))
def test_carriers_are_the_fewest_that_carry_half(counts: list[float]) -> None:
    few = material.carriers(counts)
    assert material.kept_share(counts, few) >= 0.5 - 1e-9
    assert few == 1 or material.kept_share(counts, few - 1) < 0.5
    order = np.random.default_rng(0).permutation(len(counts))
    assert material.carriers(np.array(counts)[order]) == few


def test_same_words_are_a_caution_across_groups_before_one_within_them() -> None:
    """Words of several groups that are one to the model count for none, words of one group once."""
    across, within = material.same_tokens_cautions("M", TOPIC, check(same=(("he", "He"), ("king", "she"))))
    assert "king = she" in across
    assert "he = He" in within
    assert material.same_tokens_cautions("M", TOPIC, check()) == []
