"""The user's own evidence lists: kept as own topics are, in four forms of files, whole or not at all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pcf_core.core.errors import EvidenceError, InputError
from pcf_core.core.settings import Settings
from pcf_core.core.topics import Evidence
from pcf_core.material.evidence import (
    OWN,
    evidence_toml,
    left_out_evidence,
    list_evidence,
    load_evidence,
    make_evidence,
)
from tests.material.refusing import refused

SPORTS = make_evidence(
    "my-sports", ["chess player", 'an "ace"'], weights=[3, 0.5], noun="athlete", title="Sports", notes="\\ #"
)


@pytest.fixture
def folder(own_settings: Settings) -> Path:
    return own_settings.cache / "evidence"


def test_a_list_that_was_saved_is_found_after_the_shipped_ones_and_deleted(
    folder: Path, refusal: Callable[[Exception], str]
) -> None:
    shipped = list_evidence()
    assert OWN.save(SPORTS) == SPORTS == load_evidence("my-sports")
    assert list_evidence() == (*shipped, SPORTS)
    assert [path.name for path in folder.iterdir()] == ["my-sports.toml"]
    other = SPORTS.model_copy(update={"weights": ()})
    assert "There is an evidence list of yours" in refused(refusal, EvidenceError, lambda: OWN.save(other))
    assert OWN.save(other, replace=True) == load_evidence("my-sports")
    OWN.delete("my-sports")
    assert list(folder.iterdir()) == []
    assert "shipped evidence list, which stays" in refused(
        refusal, EvidenceError, lambda: OWN.delete("education")
    )


def test_a_shipped_list_is_never_replaced_and_what_it_hides_is_named(
    folder: Path, refusal: Callable[[Exception], str]
) -> None:
    mine = SPORTS.model_copy(update={"name": "education"})
    assert "belongs to a shipped evidence list" in refused(refusal, EvidenceError, lambda: OWN.save(mine))
    folder.mkdir(parents=True)
    (folder / "education.toml").write_text(evidence_toml(mine))
    (folder / "broken.toml").write_bytes(b"terms = [")
    OWN.save(SPORTS)
    assert len(load_evidence("education").terms) == 6
    assert list_evidence()[-1] == SPORTS
    assert OWN.names() == ("broken", "my-sports")
    broken, hidden = left_out_evidence()
    assert "not valid TOML" in broken.reason
    assert hidden.name == "education"
    assert f"its file {folder / 'education.toml'} has another name" in hidden.reason
    (folder / "education.toml").rename(folder / "schools.toml")
    assert load_evidence("schools").terms == SPORTS.terms  # under the name of its file
    assert load_evidence("schools").name == "schools"


@pytest.mark.parametrize("evidence", [SPORTS, *list_evidence()], ids=lambda evidence: evidence.name)
def test_what_is_downloaded_can_be_uploaded_as_toml_and_json(evidence: Evidence) -> None:
    assert OWN.read_upload([(f"{evidence.name}.toml", evidence_toml(evidence).encode())]) == evidence
    assert OWN.read_upload([("other.json", evidence.model_dump_json().encode())]) == evidence


@pytest.mark.parametrize(
    ("files", "part"),
    [
        ([], "The upload has 0 files"),
        ([("a.csv", b""), ("b.csv", b"")], "The upload has 2 files (a.csv and b.csv)"),
        ([("a.xlsx", b"PK")], "save the evidence list as one"),
        ([("a.csv", b"term,weight\nnurse,-1\n")], "the weight of 'nurse' is negative"),
        ([("a.txt", b"[X]\n")], "has a bracket"),
        ([("a.txt", "\n".join(map(str, range(5001))).encode())], "5,001 terms: at most 5,000"),
    ],
)
def test_an_upload_that_cannot_be_used_is_one_sentence(
    files: list[tuple[str, bytes]], part: str, refusal: Callable[[Exception], str], folder: Path
) -> None:
    assert part in refused(refusal, EvidenceError, lambda: OWN.read_upload(files))
    assert not folder.exists()


def test_five_thousand_terms_are_allowed() -> None:
    assert len(make_evidence("many", [str(number) for number in range(5000)]).terms) == 5000


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    terms=st.lists(st.text(max_size=6), min_size=1, max_size=4),
    weights=st.lists(st.floats(0, 1e300), max_size=4),
    notes=st.text(max_size=9),
)
def test_whatever_the_rules_accept_comes_back_from_its_file(
    terms: list[str], weights: list[float], notes: str
) -> None:
    try:
        made = make_evidence("made", terms, weights=weights[: len(terms)], notes=notes)
    except InputError:
        return
    assert OWN.read_upload([("made.toml", evidence_toml(made).encode())]) == made
