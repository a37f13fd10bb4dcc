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
        ("own.csv", "term,weight\nnurse,\ncook,\n", ()),
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
    with pytest.raises(EvidenceError, match="The evidence list has no occupations"):
        make_evidence("own", [])


def test_five_thousand_terms_are_allowed_and_one_more_is_not():
    numbers = [str(number) for number in range(5001)]
    assert len(make_evidence("many", numbers[:-1]).terms) == 5000
    with pytest.raises(EvidenceError, match="5,001 occupations; at most 5,000"):
        make_evidence("many", numbers)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("isco.csv", '"level";"code";"title"\n4;"2221";"Nursing professionals"\n4;"5120";"Cooks"\n'),
        ("onet.tsv", "O*NET-SOC Code\tTitle\tDescription\n29-1\tNursing professionals\tx\n35-2\tCooks\ty\n"),
        ("jobs.txt", '"Nursing professionals"\nCooks\n'),
    ],
)
def test_classifications_of_occupations_are_read_by_their_titles(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    assert load_evidence(path).terms == ("Nursing professionals", "Cooks")
