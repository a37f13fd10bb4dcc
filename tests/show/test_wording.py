"""Sentences and their templates: each call gives what its macro takes, and no macro lies unused."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import jinja2
import pytest
from jinja2 import nodes

from pcf_core.show.wording import FOLDER, environment, sentences

SHOW = FOLDER.parent
SUBJECTS = sorted(path.stem for path in FOLDER.glob("*.j2"))


@cache
def _parsed(subject: str) -> nodes.Template:
    return environment().parse((FOLDER / f"{subject}.j2").read_text(encoding="utf-8"))


def _macros(subject: str) -> dict[str, nodes.Macro]:
    """Return the macros of a subject by their names."""
    return {macro.name: macro for macro in _parsed(subject).find_all(nodes.Macro)}


def _within(subject: str) -> set[str]:
    """Return the names that macros of a subject call themselves."""
    calls = _parsed(subject).find_all(nodes.Call)
    return {call.node.name for call in calls if isinstance(call.node, nodes.Name)}


def _calls(path: Path) -> Iterator[tuple[str, ast.Call]]:
    """Yield each call that writes a sentence in a file, with its subject."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    subjects = {
        node.targets[0].id: node.value.args[0].value
        for node in tree.body
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Name)
        and node.value.func.id == "sentences"
        and isinstance(node.value.args[0], ast.Constant)
        and isinstance(node.value.args[0].value, str)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in subjects:
            yield subjects[node.func.id], node


def name_of(call: ast.Call) -> str:
    """Return the name of the sentence that a call writes."""
    first = call.args[0] if call.args else None
    assert isinstance(first, ast.Constant), f"line {call.lineno}: a sentence is named where it is written"
    return str(first.value)


CALLS = [(path, subject, call) for path in sorted(SHOW.rglob("*.py")) for subject, call in _calls(path)]


def test_every_call_gives_what_its_template_takes() -> None:
    """A value too few or too many would be found only when that sentence is written."""
    known = {subject: _macros(subject) for subject in SUBJECTS}
    for path, subject, call in CALLS:
        where = f"{path.name}, line {call.lineno}"
        macro = known[subject].get(name_of(call))
        assert macro is not None, f"{where}: {subject}.j2 has no {name_of(call)!r}"
        assert len(call.args) == 1, f"{where}: values are named"
        given = {keyword.arg for keyword in call.keywords}
        assert given == {argument.name for argument in macro.args}, where


@pytest.mark.parametrize("subject", SUBJECTS)
def test_every_template_is_used_and_uses_what_it_takes(subject: str) -> None:
    """What no finding says is deleted, and so is a value that no word depends on."""
    written = {name_of(call) for _, where, call in CALLS if where == subject}
    said = written | _within(subject)
    for name, macro in _macros(subject).items():
        assert name in said, f"{subject}.j2: {name} is never written"
        read = {found.name for part in macro.body for found in _names(part)}
        assert {argument.name for argument in macro.args} <= read, f"{subject}.j2: {name} takes too much"


def _names(part: nodes.Node) -> Iterator[nodes.Name]:
    if isinstance(part, nodes.Name):
        yield part
    yield from part.find_all(nodes.Name)


def test_a_missing_value_is_an_error_and_markup_stays_text() -> None:
    """No sentence is written with a hole, and none changes what a user called a thing."""
    say = sentences("models")
    assert say("no_caprice", model="<b>a & b</b>") == "<b>a & b</b> shows no caprice for any occupation here."
    with pytest.raises(jinja2.UndefinedError):
        say("no_caprice")


def test_a_value_is_never_a_template() -> None:
    """A name with braces is written as it is."""
    said = sentences("models")("no_caprice", model="{{ 7 * 7 }} {% raw %}")
    assert said == "{{ 7 * 7 }} {% raw %} shows no caprice for any occupation here."


WORDS = 4  # a string with as many is a sentence, or a part of one
NO_SENTENCES = ("charts", "numbers.py", "wording.py")  # pictures have titles; filters write numbers
# Names of columns, of facts and of what is kept, by which other files find them.
NAMES = {
    "what it does not",
    "too few to fit",
    "taken as it came",
    "licence note of the pack",
    "in simulations whose true value is known",
    "differences of caprice where hardly any sentence changes sides",
    "the same differences, of a single occupation",
    "a difference by the exchanged words alone",
    "possessives that stand alone",
    "nouns with an article",
    "words of any kind",
}
WORD = re.compile(r"\b[A-Za-z’']{2,}\b")


def _strings(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the strings of a file that are no documentation, with their lines; {} for what is written in."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    documented = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = (part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
            yield node.lineno, "".join(map(str, parts))
        elif (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in inside | documented
        ):
            yield node.lineno, node.value


def test_no_sentence_stays_in_the_program() -> None:
    """What people read of a result stands in the templates, so that nobody has to look for it."""
    found = [
        f"{path.relative_to(SHOW)}, line {line}: {text}"
        for path in sorted(SHOW.rglob("*.py"))
        if not set(path.relative_to(SHOW).parts) & set(NO_SENTENCES)
        for line, text in _strings(path)
        if " " in text and len(WORD.findall(text)) >= WORDS and text not in NAMES and '="' not in text
    ]
    assert not found, "\n".join(found)
