"""Files that are plainly right, though commas, numbers and quotation marks belong to what they say."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pcf_core.core.errors import InputError
from pcf_core.material import evidence, templates, topics
from pcf_core.material.safety.understood import Reading, read_with
from pcf_core.material.shelves import safe_name
from pcf_core.texts.fairpair.prompts import load_prompts
from tests.material.formats import groups_of
from tests.material.refusing import refused

Refusal = Callable[[Exception], str]
LINES, PAIRS, COLUMNS = (Reading({("read_as", ""): way}) for way in ("lines", "pairs", "columns"))


@pytest.mark.parametrize(
    ("name", "text", "answers", "terms"),
    [
        (
            "ages.txt",
            "1 year old\n2 years old\n3 years old\n",
            LINES,
            ["1 year old", "2 years old", "3 years old"],
        ),
        ("ages.txt", "    20 years old\n    60 years old\n", Reading(), ["20 years old", "60 years old"]),
        ("hours.txt", "1.5 hours\n2.5 hours\n", Reading(), ["1.5 hours", "2.5 hours"]),
        ("a.csv", "Accountants, auditors\nJudges\n", LINES, ["Accountants, auditors", "Judges"]),
        ("a.tsv", "term\nNurse, registered\n", Reading(), ["Nurse, registered"]),
        ("a.txt", "job\ncareer\nbusiness\n", LINES, ["job", "career", "business"]),
    ],
)
def test_occupations(name: str, text: str, answers: Reading, terms: list[str], tmp_path: Path) -> None:
    (path := tmp_path / name).write_text(text)
    with read_with(answers):
        assert list(evidence.OWN.load(path).terms) == terms


@pytest.mark.parametrize(
    "sentences",
    [
        ['"Hello," said the [X] to [Y].', 'The [X] said, "I saw [Y]."'],
        ["In 1,000 cases the [X] met [Y].", "The [X] met [Y]."],
        ["Because the [X] was late, [Y] said,", "When the [X] left, [Y] said,"],
    ],
)
def test_sentences_with_commas_and_direct_speech(sentences: list[str], tmp_path: Path) -> None:
    (path := tmp_path / "a.csv").write_text("\n".join(sentences))
    with read_with(LINES):
        assert list(templates.load_templates(path).texts) == sentences


def test_prompts_may_end_with_a_comma_and_have_no_line_breaks(tmp_path: Path, refusal: Refusal) -> None:
    (path := tmp_path / "a.csv").write_text("Once {name} came home,\nWhen {name} left,\n")
    with read_with(LINES):
        assert [prompt.text for prompt in load_prompts(path).prompts] == [
            "Once John came home,",
            "When John left,",
        ]
    path.write_text('"Who is {name}?\nTell me about {name}."\n"Is {name} nice?"\n')
    with read_with(LINES):
        assert "names no columns" in refused(refusal, InputError, load_prompts, path)


def test_groups_of_words_with_commas(tmp_path: Path) -> None:
    (path := tmp_path / "a.csv").write_text('"Smith, John";"Doe, Jane"\n"Li, Wei";"Wang, Fang"\n')
    with read_with(PAIRS):
        assert [[*words] for _, words in groups_of(topics.OWN.load(path))] == [
            ["Smith, John", "Li, Wei"],
            ["Doe, Jane", "Wang, Fang"],
        ]
    path.write_text(
        'Frauen;Kinder\n"Lehrerin, alt, krank";"Kind, alt, krank"\n"eine, zwei, drei";"a, b, c"\n'
    )
    with read_with(COLUMNS):
        assert [name for name, _ in groups_of(topics.OWN.load(path))] == ["frauen", "kinder"]


@pytest.mark.parametrize(
    ("name", "text", "part"),
    [
        ("a.txt", "Beruf,Anzahl\nArzt,3\nKoch,4\n", "separated by commas, but no line names the columns"),
        ("a.csv", "Table 1. Jobs;\nterm;weight\nnurse;1\n", "begins with 'Table 1. Jobs' above the names"),
        ("a.csv", "Arzt;1,5\nKoch;0,5\n", "term;weight"),
    ],
)
def test_tables_whose_first_line_names_nothing(
    name: str, text: str, part: str, tmp_path: Path, refusal: Refusal
) -> None:
    (path := tmp_path / name).write_text(text)
    with read_with(Reading()):
        assert part in refused(refusal, InputError, evidence.OWN.load, path)


@pytest.mark.parametrize(
    ("text", "name"), [("Großväter", "grossvater"), ("kız", "kiz"), ("Øst", "ost"), ("Łódź", "lodz")]
)
def test_names_keep_letters_that_have_no_mark(text: str, name: str) -> None:
    assert safe_name(text) == name


def test_large_weights_are_shown_in_full(tmp_path: Path) -> None:
    (path := tmp_path / "a.csv").write_text("term,weight\nnurse,3000000\ncook,1234567\n")
    with read_with(Reading()) as reading:
        evidence.OWN.load(path)
    assert "1234567" in str(vars(reading))
