"""The papers' two lists, and a user's own in three forms."""

import pytest

from pcf_core.core.errors import EvidenceError
from pcf_core.material.evidence import list_evidence, load_evidence, make_evidence
from pcf_core.material.topics import load_topic


def test_the_papers_lists_have_120_and_257_terms_the_one_within_the_other():
    bvf, pcf = load_evidence("occupations-bvf"), load_evidence("occupations-pcf")
    assert len(bvf.terms) == len(set(bvf.terms)) == 120
    assert len(pcf.terms) == len(set(pcf.terms)) == 257
    assert set(bvf.terms) < set(pcf.terms)
    assert (bvf.terms[0], bvf.terms[-1]) == ("accountant", "writer")
    assert (pcf.terms[0], pcf.terms[-1]) == ("manager", "microbiologist")
    assert {"ii", "managment", "manger", "second"} <= set(pcf.terms)


def test_shipped_lists_bear_their_file_names_and_sources():
    for evidence in list_evidence():
        assert load_evidence(evidence.name) == evidence
        assert evidence.source


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("own.toml", 'terms = ["nurse", "chief  cook"]'),
        ("own.json", '{"terms": ["nurse", "chief  cook"]}'),
        ("own.csv", "term\nnurse\nchief cook\n"),
        ("own.csv", "weight,occupation\n1,nurse\n2,chief cook\n"),
        ("own.txt", "\ufeffnurse\r\n\r\n chief cook \r\n"),
    ],
)
def test_a_users_file(file, text, tmp_path):
    path = tmp_path / file
    path.write_bytes(text.encode())
    evidence = load_evidence(str(path))
    assert evidence.terms == ("nurse", "chief cook")
    assert (evidence.name, evidence.title) == ("own", "own")


@pytest.mark.parametrize(
    ("file", "text", "part"),
    [
        ("bad.txt", "", "no terms"),
        ("bad.txt", "nurse\ncook\nnurse\n", "'nurse' stands twice"),
        ("bad.txt", "The [X]\n", "bracket"),
        ("bad.csv", "term\n", "no terms"),
        ("bad.csv", "term,wage\nnurse,1\n", "must name term and, if wanted, weight"),
        ("bad.csv", "term,weight\n,1\n", "is empty"),
        ("bad.toml", "", "no terms"),
        ("bad.toml", 'terms = "nurse"', "terms must be a list; got 'nurse': correct it."),
        ("bad.toml", "terms = [1]", "a term is a number"),
        ("bad.toml", 'terms = ["nurse"]\nname = "A list"', "the name"),
        ("bad.toml", 'terms = ["nurse"]\nwages = [1]', "unknown key"),
        ("bad.toml", 'terms = ["nurse"]\nweights = 1', "weights must be a list; got 1: correct it."),
        ("bad.toml", 'terms = ["nurse"]\nweights = [1, 2]', "2 weights for 1 terms"),
        ("bad.toml", 'terms = ["nurse"]\nweights = [true]', "a weight is true; give a number from 0 to"),
        ("bad.toml", 'terms = ["nurse"]\nweights = ["1"]', "a weight is '1'; give a number"),
        ("bad.toml", 'terms = ["nurse", "cook"]\nweights = [1, -1]', "a weight is -1; give"),
        ("bad.toml", 'terms = ["nurse"]\nweights = [nan]', "a weight is nan"),
        ("bad.toml", 'terms = ["nurse"]\nweights = [inf]', "a weight is inf"),
        ("bad.toml", 'terms = ["nurse"]\nweights = [1' + "0" * 400 + "]", "of very many digits"),
        ("bad.toml", 'terms = ["nurse"]\nweights = [0]', "at least one must be positive"),
        ("bad.csv", "term,weight\nnurse,much\n", "line 2: the weight 'much'"),
        ("bad.json", '{"terms": ["nurse"], "weights": [null]}', "a weight is nothing"),
        ("bad.json", '{"terms": {}}', "terms must be a list; got a table"),
    ],
)
def test_what_a_list_may_not_be(file, text, part, tmp_path, refusal):
    path = tmp_path / file
    path.write_text(text)
    with pytest.raises(EvidenceError) as caught:
        load_evidence(path)
    sentence = refusal(caught.value)
    assert sentence.startswith("bad.")
    assert part in sentence


def test_an_unknown_list_names_those_there_are(refusal):
    with pytest.raises(EvidenceError) as caught:
        load_evidence("occupations")
    assert "occupations-bvf, occupations-pcf, occupations-zh, sports and calibration" in refusal(caught.value)


@pytest.mark.parametrize(
    ("file", "text", "weights"),
    [
        ("own.toml", 'terms = ["nurse", "cook"]\nweights = [3, 0.5]', (3.0, 0.5)),
        ("own.json", '{"terms": ["nurse", "cook"], "weights": [0, 1e-300]}', (0.0, 1e-300)),
        ("own.csv", "term,weight\nnurse,3\ncook,0.5\n", (3.0, 0.5)),
        ("own.csv", "term,weight\nnurse,3\ncook,\n", ()),
        ("own.csv", "term\nnurse\ncook\n", ()),
    ],
)
def test_a_list_with_weights_of_its_own(file, text, weights, tmp_path):
    path = tmp_path / file
    path.write_text(text)
    evidence = load_evidence(path)
    assert evidence.weights == weights
    assert evidence.hash == make_evidence("other", ["nurse", "cook"]).hash


def test_education_has_the_shares_of_the_census():
    """37.9 % had a bachelor's degree or more, 91.1 % a high school diploma or more, says the same release."""
    evidence = load_evidence("education")
    share = dict(zip(evidence.terms, evidence.weights, strict=True))
    assert share["person with a bachelor's degree"] + share[
        "person with an advanced degree"
    ] == pytest.approx(37.9)
    assert 100 - share["person without a high school diploma"] == pytest.approx(91.1)
    assert sum(evidence.weights) == pytest.approx(100, abs=0.15)


@pytest.mark.parametrize(("name", "number"), [("education", 6), ("sports", 40), ("conditions", 24)])
def test_lists_of_ours_say_so_and_name_no_gender(name, number):
    evidence = load_evidence(name)
    assert len(evidence.terms) == number
    assert "Ours" in evidence.notes
    assert "Written for this app" in evidence.source
    gendered = {word.casefold() for word in load_topic("gender").words}
    for term in evidence.terms:
        assert not gendered & set(term.casefold().split())
    assert (len(evidence.weights) > 0) == (name == "education")


def test_made_by_hand():
    assert make_evidence("own", [" nurse "], title="Own").terms == ("nurse",)
    with pytest.raises(EvidenceError, match="The evidence list has no terms"):
        make_evidence("own", [])


def test_five_thousand_terms_are_allowed_and_one_more_is_not():
    numbers = [str(number) for number in range(5001)]
    assert len(make_evidence("many", numbers[:-1]).terms) == 5000
    with pytest.raises(EvidenceError, match="5,001 terms: at most 5,000"):
        make_evidence("many", numbers)
