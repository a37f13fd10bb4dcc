"""That whoever changes what a reader makes of a text raises the rules, so that no old report stands.

Reports are kept by the request they answer, and the request has the number of the rules in it.  A reader that
reads the same texts otherwise would give another report under the same number.
"""

from __future__ import annotations

import ast
import csv
import inspect
from pathlib import Path
from types import ModuleType

from pcf_core.core.records import digest
from pcf_core.texts.criteria import answer_words, answers, gender_reading, labels
from pcf_core.texts.criteria.answers import read_letter
from pcf_core.texts.criteria.gender_reading import (
    GenderReader,
    gendered_words,
    tells,
    without_gender,
    words_of,
)
from pcf_core.texts.criteria.hobbies import load_hobbies
from pcf_core.texts.criteria.labels import Lexicon
from pcf_core.texts.criteria.names import NAMES
from pcf_core.texts.criteria.professions import load_reading
from pcf_core.texts.criteria.records.runs import CRITERIA_RULES
from tests.texts.criteria.test_answers_labelled import PARTS, read, rows

READERS = (answer_words, answers, gender_reading, labels)
HERE = Path(__file__).parent
READ_BY_RULES = {"3": "99e094985fdf9903"}
OPTIONS = ("The Danube", "The Nile")
OF_GENDERS = (
    "She helped her patient. Mr. Lee met Mrs Ortiz.",
    "HE FIXED HIS TRUCK. Yes, sir.",
    "I miss the bus. Miss Lee and her sister-in-law wait; the man-made lake.",
    "Emily’s mother-to-be saw Jenny and Will; Guy left, boys' choir.",
    "They met a schoolgirl, a policewoman and a stepfather.",
)


def what_is_read() -> dict[str, object]:
    """What every reader makes of its labelled set, and those without one of the sentences above."""
    with (HERE / "hobbies-labelled.tsv").open(encoding="utf8", newline="") as file:
        hobbies = [row["text"] for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]
    answers = [row for part in PARTS for row in rows(part)]
    texts = [row["text"] for row in answers]
    shares = Lexicon(load_hobbies().labels).shares(hobbies)
    gender = GenderReader(load_reading())
    names = NAMES.load("names-1").genders
    return {
        "answers": {row["text"]: read(row) for row in answers},
        "letters": {text: read_letter(text, OPTIONS, "AB") for text in texts},
        "genders": {text: gender.read(text).model_dump(mode="json") for text in OF_GENDERS},
        "hobbies": {text: share.round(9).tolist() for text, share in zip(hobbies, shares, strict=True)},
        "stripped": {text: without_gender(text, names, gendered_words()) for text in (*OF_GENDERS, *hobbies)},
        "told": {text: [tells(word, gendered_words()) for word in words_of(text)] for text in OF_GENDERS},
    }


def rules_of(source: str) -> object:
    """The source of a reader without its comments, docstrings and lay-out: what can change a reading.

    Not by ``ast.dump``, which writes the same source otherwise in other versions of Python.
    """
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            and ast.get_docstring(node) is not None
        ):
            node.body = node.body[1:] or [ast.Pass()]
    return _fields(tree)


def _fields(node: object) -> object:
    """The names and values of a syntax tree as lists, without what is empty."""
    if isinstance(node, list):
        return [_fields(each) for each in node]
    if not isinstance(node, ast.AST):
        return repr(node)
    fields = [(name, value) for name, value in ast.iter_fields(node) if value not in (None, [])]
    return [type(node).__name__, *([name, _fields(value)] for name, value in fields)]


def sources(readers: tuple[ModuleType, ...] = READERS) -> dict[str, object]:
    return {reader.__name__: rules_of(inspect.getsource(reader)) for reader in readers}


def test_whoever_reads_otherwise_raises_the_rules() -> None:
    assert CRITERIA_RULES in READ_BY_RULES, "pin what is read by the new rules: add it to READ_BY_RULES"
    pin = digest({"read": what_is_read(), "rules": sources()})
    assert pin == READ_BY_RULES[CRITERIA_RULES], (
        f"A reader or its labelled set changed (digest {pin}). Where texts can be read otherwise, raise "
        "CRITERIA_RULES (pcf_core/texts/criteria/records/runs.py), pin the digest here and make the shipped "
        "audits (assets/audits) again with tools/ship_audits.py; where only the set grew, or a reader was "
        "written otherwise and reads every text as before, pin the digest."
    )


def test_a_single_answer_that_is_read_otherwise_changes_the_digest() -> None:
    readings = what_is_read()
    answers = readings["answers"]
    assert isinstance(answers, dict)
    assert set(answers.values()) == {"female", "male", "both", "neither", "unread"}
    first = next(iter(answers))
    assert digest(readings | {"answers": {**answers, first: "unread"}}) != digest(readings)


def test_a_word_of_a_rule_changes_its_source_and_a_comment_does_not() -> None:
    source = inspect.getsource(answer_words)
    assert "doubt" in source
    assert rules_of(source.replace("doubt", "query")) != rules_of(source)
    assert rules_of(f"{source}\n# a comment\n") == rules_of(source)
    assert rules_of('def f():\n    """Text."""\n    return 1') == rules_of("def f():\n    return 1  # one")


def test_the_sources_are_those_of_every_reader() -> None:
    all_rules = sources()
    assert len(all_rules) == len(READERS)
    assert all("compile" in str(rules) or "FunctionDef" in str(rules) for rules in all_rules.values())
