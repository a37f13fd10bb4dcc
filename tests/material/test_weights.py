"""Employment weights against the file itself, a user's weights, the labour force as reference."""

import csv
import math
from collections import defaultdict
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import EvidenceError, TopicError
from pcf_core.core.settings import settings
from pcf_core.core.topics import Group
from pcf_core.material.evidence import (
    labour_reference,
    load_evidence,
    make_evidence,
    make_weights,
    occupation_weights,
    womens_share,
)
from pcf_core.material.topics import load_topic, make_topic

BVF = load_evidence("occupations-bvf")


def table():
    with (settings().assets / "factors" / "occupations_us.csv").open(encoding="utf-8", newline="") as file:
        return {row["occupation"]: row for row in csv.DictReader(file)}


def test_uniform_weights_are_the_papers():
    weights = occupation_weights(BVF, "uniform")
    assert weights.terms == BVF.terms
    assert weights.values == pytest.approx([1 / 120] * 120)
    assert (weights.share, weights.left_out) == (1.0, ())


def test_employment_has_a_figure_for_77_of_120_and_names_the_other_43():
    weights = occupation_weights(BVF, "employment")
    assert len(weights.terms) == 77
    assert weights.share == 77 / 120
    assert {entry.name for entry in weights.left_out} == set(BVF.terms) - set(weights.terms)
    assert all(entry.reason for entry in weights.left_out)
    reasons = {entry.name: entry.reason for entry in weights.left_out}
    assert "Personal financial advisors" in reasons["advisor"]
    assert math.fsum(weights.values) == pytest.approx(1, abs=1e-12)
    assert "BLS" in weights.source


def test_employment_against_a_plain_reading_of_the_file():
    lines = defaultdict(list)
    employed = {}
    for term in BVF.terms:
        row = table()[term]
        if row["match"] in ("exact", "close") and row["employment_thousands"]:
            lines[row["bls_title"]].append(term)
            employed[row["bls_title"]] = float(row["employment_thousands"])
    total = sum(employed.values())  # every line once
    weights = occupation_weights(BVF, "employment")
    values = dict(zip(weights.terms, weights.values, strict=True))
    for title, terms in lines.items():
        for term in terms:
            assert values[term] == pytest.approx(employed[title] / len(terms) / total, rel=1e-12)
    assert sorted(lines["Chief executives"]) == ["ceo", "cfo", "coo"]
    assert sorted(lines["Lawyers"]) == ["attorney", "counsel", "lawyer"]


def test_a_line_is_split_among_the_terms_of_the_list_at_hand():
    weights = occupation_weights(make_evidence("two", ["lawyer", "nurse"]), "employment")
    values = dict(zip(weights.terms, weights.values, strict=True))
    rows = table()
    ratio = float(rows["lawyer"]["employment_thousands"]) / float(rows["nurse"]["employment_thousands"])
    assert values["lawyer"] / values["nurse"] == pytest.approx(ratio)


def test_the_257_terms_are_refused_by_name(refusal):
    with pytest.raises(EvidenceError) as caught:
        occupation_weights(load_evidence("occupations-pcf"), "employment")
    sentence = refusal(caught.value)
    assert "96 of the 257 occupations of occupations-pcf" in sentence
    assert "uniform" in sentence


def test_a_users_weights(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("occupation,weight\nnurse,3\ncook,1\nastronaut,9\npilot,\n")
    weights = occupation_weights(make_evidence("own", ["cook", "nurse", "pilot"]), str(path))
    assert (weights.terms, weights.values, weights.name) == (("cook", "nurse"), (0.25, 0.75), "mine.csv")
    assert weights.share == pytest.approx(2 / 3)
    assert [entry.name for entry in weights.left_out] == ["pilot", "astronaut"]


@pytest.mark.parametrize("name", ["Uniform", "wages", "gone.csv", "", "a\x00.csv"])
def test_an_unknown_weighting_lists_the_known(name, refusal):
    with pytest.raises(EvidenceError) as caught:
        occupation_weights(BVF, name)
    assert "uniform, employment" in refusal(caught.value)


@given(st.lists(st.floats(0, 1e300), min_size=1, max_size=6).filter(any))
def test_the_weights_of_a_list_are_its_own_and_sum_to_one(values):
    """Second opinion: with exact fractions."""
    terms = [f"t{place}" for place in range(len(values))]
    weights = occupation_weights(make_evidence("own", terms, weights=values), "list")
    assert weights.terms == tuple(terms)
    assert (weights.share, weights.left_out) == (1.0, ())
    total = sum(map(Fraction, values))
    assert weights.values == pytest.approx([float(Fraction(value) / total) for value in values], abs=1e-12)
    assert math.fsum(weights.values) == pytest.approx(1, abs=1e-12)


def test_the_weights_of_a_list_by_hand(refusal):
    weights = occupation_weights(make_evidence("own", ["cook", "nurse"], weights=[1, 3], source="me"), "list")
    assert (weights.values, weights.name, weights.source) == ((0.25, 0.75), "list", "me")
    with pytest.raises(EvidenceError) as caught:
        occupation_weights(BVF, "list")
    assert "has no weights" in refusal(caught.value)


def test_a_damaged_table_is_said_and_not_remembered(assets, refusal):
    path = assets / "factors" / "occupations_us.csv"
    good = path.read_bytes()
    path.write_bytes(good.replace(b"1449.8", b"-1", 1))
    with pytest.raises(EvidenceError) as caught:
        occupation_weights(BVF, "employment")
    assert "occupations_us.csv" in refusal(caught.value)
    path.write_bytes(good)
    assert occupation_weights(BVF, "employment").share > 0.6


WEIGHT = st.one_of(st.just(0.0), st.floats(1e-12, 1e12), st.just(5e-324), st.just(1.7e308))


@given(st.lists(WEIGHT, min_size=1, max_size=8))
def test_weights_sum_to_one_whatever_their_size(numbers):
    evidence = make_evidence("own", [f"t{i}" for i in range(len(numbers))])
    values = dict(zip(evidence.terms, numbers, strict=True))
    if not any(numbers):
        with pytest.raises(EvidenceError, match="at least one weight must be positive"):
            make_weights(evidence, "own", values, {})
        return
    weights = make_weights(evidence, "own", values, {})
    assert math.fsum(weights.values) == pytest.approx(1, abs=1e-12)
    assert weights.values == pytest.approx([n / max(numbers) * max(weights.values) for n in numbers])


def test_womens_share_is_the_figure_of_the_survey():
    share = womens_share(BVF)
    assert share["nurse"] == 0.867
    assert share["electrician"] == 0.017
    assert "advisor" not in share  # a broad match only
    assert "economist" not in share  # the survey publishes none under 50,000 people
    assert set(share) == {
        t for t in BVF.terms if table()[t]["women_share"] and table()[t]["match"] in ("exact", "close")
    }


def test_the_labour_reference_follows_the_order_of_the_groups():
    topic = load_topic("gender")
    turned = topic.model_copy(update={"groups": topic.groups[::-1]})
    reference = labour_reference(BVF, topic)
    assert reference["nurse"] == pytest.approx((0.133, 0.867))
    assert {term: pair[::-1] for term, pair in labour_reference(BVF, turned).items()} == reference
    for pair in reference.values():
        assert sum(pair) == pytest.approx(1, abs=1e-15)
        assert all(0 < value < 1 for value in pair)


def test_a_share_of_zero_is_no_reference(assets):
    path = assets / "factors" / "occupations_us.csv"
    path.write_bytes(path.read_bytes().replace(b",0.017,Electricians", b",0.0,Electricians", 1))
    assert womens_share(BVF)["electrician"] == 0
    assert "electrician" not in labour_reference(BVF, load_topic("gender"))


def test_other_groups_have_no_labour_reference(refusal):
    topic = make_topic("age", [Group(name="old", words=("old",)), Group(name="young", words=("young",))])
    with pytest.raises(TopicError) as caught:
        labour_reference(BVF, topic)
    assert "old and young" in refusal(caught.value)
