"""The papers' two lists, and a user's own in three forms."""

import pytest

from pcf_core.errors import EvidenceError
from pcf_core.topics import list_evidence, load_evidence, make_evidence


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
        ("bad.toml", 'terms = "nurse"', "a list of texts"),
        ("bad.toml", "terms = [1]", "a term is a number"),
        ("bad.toml", 'terms = ["nurse"]\nname = "A list"', "the name"),
        ("bad.toml", 'terms = ["nurse"]\nweights = [1]', "unknown key"),
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
    assert "occupations-bvf, occupations-pcf, occupations-zh and calibration" in refusal(caught.value)


def test_made_by_hand():
    assert make_evidence("own", [" nurse "], title="Own").terms == ("nurse",)
    with pytest.raises(EvidenceError, match="The evidence list has no terms"):
        make_evidence("own", [])
