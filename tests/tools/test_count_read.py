"""The counts of what was read: a worked example, a count by hand, the shipped table."""

from __future__ import annotations

import csv
import gzip
import json
import re
import tomllib
from pathlib import Path

import pytest

from pcf_core.core.factors import ReadCount
from pcf_core.core.settings import settings
from pcf_core.material.evidence import load_evidence
from pcf_core.material.factors import read_counts
from tools import count_read
from tools.count_read import LEAD, card, count_documents, majority, terms_of_the_lists, write
from tools.mini_models.text import is_held_out

TEXTS = [
    "Ann was a Nurse and a teacher. She liked her work. He did not.",
    "Bob was a nurse. He said that his nurses were his friends.",
    "The engineer and the nurse: she saw him.",
    "X" * LEAD + " was a nurse. She sang.",
    "A CEO, he was no teacher.",
]


def test_a_worked_example() -> None:
    ceo, nurse, pilot, teacher = count_documents(TEXTS, {"nurse", "teacher", "ceo", "pilot"})
    assert nurse == ReadCount(occupation="nurse", he=1, she=1, neither=1, as_word=2)
    assert ceo == ReadCount(occupation="ceo", he=1, she=0, neither=0, as_word=1)
    assert (teacher.he, teacher.she, teacher.neither) == (1, 1, 0)
    assert pilot.documents == 0
    assert (nurse.share, nurse.lean, ceo.lean) == (0.5, 0.0, 1.0)


@pytest.mark.parametrize(("behind", "named"), [("", 1), (".", 1), (" is he", 1), ("s", 0), ("_2", 0)])
def test_a_word_that_goes_on_behind_the_lead_is_not_named(behind: str, named: int) -> None:
    """ "rep" of "represent", cut at the last character of the lead, is no mention of a rep."""
    text = " " * (LEAD - len("rep")) + "rep" + behind
    assert len(text) - len(behind) == LEAD
    (rep,) = count_documents([text], {"rep"})
    assert rep.he + rep.she + rep.neither == named
    (late,) = count_documents([" " + text], {"rep"})
    assert late.he + late.she + late.neither == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("He and she.", "neither"),
        ("No pronoun, but a shepherd, a hero and the history of Theresa.", "neither"),
        ("HERS was his, himself and him", "he"),
        ("herself, her; he", "she"),
    ],
)
def test_majorities(text: str, said: str) -> None:
    assert majority(text) == said


def test_every_word_is_counted_as_a_search_for_it_does() -> None:
    terms = terms_of_the_lists()
    pairs = zip(sorted(terms), sorted(terms, reverse=True), ["he", "she", "they"] * 100, strict=False)
    texts = [f"The {term} met a {other}; {pronoun} left." for term, other, pronoun in pairs]
    for one in count_documents(texts, terms):
        word = re.compile(rf"\b{one.occupation}\b", re.IGNORECASE)
        found = [text for text in texts if any(hit.end() <= LEAD for hit in word.finditer(text))]
        said = [re.search(r" (he|she|they) left", text) for text in found]
        by_pronoun = [match[1] for match in said if match]
        assert (one.he, one.she) == (by_pronoun.count("he"), by_pronoun.count("she"))
        assert one.he + one.she + one.neither == len(found)


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    counts = count_documents(TEXTS, {"nurse", "ceo"})
    write(tmp_path, counts, card(5, 1))
    with (tmp_path / "read_gender.csv").open(encoding="utf-8", newline="") as file:
        assert [ReadCount.model_validate(row) for row in csv.DictReader(file)] == counts
    table = tomllib.loads((tmp_path / "read_gender.toml").read_text(encoding="utf-8"))
    assert (table["documents"], table["held_out"], table["lead"]) == (5, 1, LEAD)
    assert tuple(table["files"]) == count_read.FILES


def test_documents_that_were_held_out_are_not_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    held = next(str(number) for number in range(1000) if is_held_out(str(number)))
    kept = next(str(number) for number in range(1000) if not is_held_out(str(number)))
    for name in count_read.FILES:
        with gzip.open(tmp_path / name, "wt", encoding="utf8") as file:
            for identifier, pronoun in ((held, "She"), (kept, "He")):
                text = f"A nurse, dancer, singer and engineer. {pronoun} left."
                file.write(json.dumps({"id": identifier, "text": text}) + "\n")
    count_read.main(tmp_path, tmp_path)
    assert "nurse: 100 % he of 4" in capsys.readouterr().out
    assert tomllib.loads((tmp_path / "read_gender.toml").read_text(encoding="utf-8"))["held_out"] == 4


def test_the_shipped_table_has_every_word_and_the_figures_of_the_project() -> None:
    table = read_counts()
    assert set(table.counts) == {term.casefold() for term in terms_of_the_lists()}
    assert set(load_evidence("occupations-bvf").terms) <= set(table.counts)
    shares = {
        name: round(100 * table.counts[name].share) for name in ("nurse", "engineer", "dancer", "singer")
    }
    assert shares == {"nurse": 19, "engineer": 93, "dancer": 38, "singer": 52}
    assert table.counts["nurse"].documents == 85
    assert all(one.he + one.she + one.neither <= table.card.documents for one in table.counts.values())
    training = json.loads((settings().assets / "models" / "mini-gpt" / "training.json").read_text())
    assert set(table.card.files) <= set(training["files"])
