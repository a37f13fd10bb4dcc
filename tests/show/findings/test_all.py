"""Every finding says of its example records what is recorded, and every sentence is among them.

A file of examples has a function ``examples``: what the case is -> what is said.  `make goldens` writes the
sentences; whether they are true is for the properties beside the examples.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from pcf_core.show import wording
from tests.goldens.recorded import assert_recorded
from tests.show.test_wording import CALLS, name_of

FILES = [
    *sorted(Path(__file__).parent.glob("test_*.py")),
    *sorted(Path(__file__).parents[1].glob("test_*.py")),
]
ROOT = Path(__file__).parents[3]


def _module(file: Path) -> ModuleType:
    return importlib.import_module(".".join(file.relative_to(ROOT).with_suffix("").parts))


EXAMPLES: dict[str, Callable[[], dict[str, object]]] = {
    file.stem.removeprefix("test_"): _module(file).examples
    for file in FILES
    if file.stem != "test_all" and hasattr(_module(file), "examples")
}
said = {subject: cache(examples) for subject, examples in EXAMPLES.items()}


@pytest.mark.parametrize("subject", EXAMPLES)
def test_what_is_said_is_as_recorded(subject: str) -> None:
    assert_recorded(f"findings/{subject}", said[subject]())


@pytest.mark.parametrize("subject", EXAMPLES)
def test_no_sentence_has_what_is_no_number_or_a_hole(subject: str) -> None:
    def sentences(value: object) -> list[str]:
        if isinstance(value, str):
            return [value]
        parts = (
            value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
        )
        return [sentence for part in parts for sentence in sentences(part)]

    for sentence in sentences(said[subject]()):
        words = set(sentence.replace("(", " ").replace(")", " ").replace(",", " ").split())
        assert not words & {"nan", "inf", "-0", "−0", "[]", "{}"}, sentence
        assert not re.search(r"\bNone\b(?! [a-z])", sentence), sentence
        assert "  " not in sentence, sentence
        assert " ." not in sentence, sentence


def test_every_sentence_is_among_the_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of whatever no example reaches a change of the words would be seen by nobody."""
    written: set[str] = set()
    module = wording._module

    class Noted:
        def __init__(self, subject: str) -> None:
            self.subject = subject

        def __getattr__(self, name: str) -> object:
            written.add(f"{self.subject}.{name}")
            return getattr(module(self.subject), name)

    monkeypatch.setattr(wording, "_module", Noted)
    for examples in EXAMPLES.values():
        examples()
    known = {f"{subject}.{name_of(call)}" for _, subject, call in CALLS} - {"criteria.answered"}  # on import
    missing = known - written
    assert not missing, " ".join(sorted(missing))
