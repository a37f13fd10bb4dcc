"""The prompts and labels of the hobbies: read whole from their file, or refused in one sentence."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

from pcf_core.core.errors import CriteriaError
from pcf_core.core.settings import settings
from pcf_core.core.topics import whole_word_prompt
from pcf_core.material.safety.reading import label, read_toml
from pcf_core.material.safety.text import check_sentence, check_text, first_duplicate, shown
from pcf_core.texts.criteria.gender_reading import gendered_words
from pcf_core.texts.criteria.names import load_names
from pcf_core.texts.criteria.professions import tables_of
from pcf_core.texts.criteria.records.independence import HobbiesMaterial, HobbyLabel, HobbyPrompt, NameList
from pcf_core.texts.criteria.records.quantities import Wording

HOBBIES = "hobbies-1.toml"
NAME, GAP = "{name}", "[Y]"


def load_hobbies(names: NameList | None = None, path: Path | None = None) -> HobbiesMaterial:
    """Load the shipped prompts and labels, or those of a TOML file of the same form, with a list of names."""
    file = settings().assets / "criteria" / HOBBIES if path is None else path
    where = label(file)
    table = read_toml(file, ("version", "frames", "prompts", "labels"), CriteriaError)
    labels = tuple(_label(entry, where) for entry in tables_of(table.get("labels"), "labels", where))
    _check_labels(labels, where)
    return HobbiesMaterial(
        version=check_text(table.get("version", "1"), "the version", where, CriteriaError),
        names=names or load_names(),
        prompts=_prompts(table.get("prompts"), where),
        frames=tuple(_frame(text, where) for text in _texts(table.get("frames"), "frames", where)),
        labels=labels,
        labeller="",
        gendered=tuple(sorted(gendered_words())),
    )


def _prompts(table: object, where: str) -> dict[str, HobbyPrompt]:
    if not isinstance(table, dict) or not table or not set(table) <= set(get_args(Wording)):
        raise CriteriaError(f"{where}: prompts must be tables named {' or '.join(get_args(Wording))}.")
    prompts = {}
    for wording, entry in table.items():
        if not isinstance(entry, dict) or not {"prompt"} <= set(entry) <= {"system", "prompt"}:
            raise CriteriaError(f"{where}: the prompt {wording} needs prompt, and may have system.")
        what = f"the prompt {wording}"
        prompt = check_text(entry["prompt"], what, where, CriteriaError)
        if NAME not in prompt:
            raise CriteriaError(f"{where}: {what} must have {NAME} where the name stands.")
        system = check_text(entry.get("system", ""), what, where, CriteriaError)
        prompts[wording] = HobbyPrompt(system=system, prompt=prompt)
    return prompts


def _frame(text: str, where: str) -> str:
    frame = check_sentence(text, "a frame", where, CriteriaError)
    if NAME not in frame or frame.count(GAP) != 1:
        raise CriteriaError(f"{where}: the frame {shown(frame)} must have {NAME}, and {GAP} once.")
    if any(whole_word_prompt(frame)[1:]):
        raise CriteriaError(
            f"{where}: letters touch {GAP} in the frame {shown(frame)}; put a space there, the answers are "
            "whole words."
        )
    return frame


def _label(entry: Mapping[str, Any], where: str) -> HobbyLabel:
    keys = {"name", "title", "words", "answers"}
    if set(entry) != keys or not isinstance(entry["words"], str):
        raise CriteriaError(f"{where}: a label has name, title, words (a text) and answers (a list).")
    name = check_text(entry["name"], "a label's name", where, CriteriaError)
    return HobbyLabel(
        name=name,
        title=check_text(entry["title"], "a label's title", where, CriteriaError),
        words=tuple(word.replace("_", " ") for word in entry["words"].lower().split()),
        answers=tuple(_texts(entry["answers"], f"answers of {name}", where)),
    )


def _check_labels(labels: tuple[HobbyLabel, ...], where: str) -> None:
    if len(labels) < 2:
        raise CriteriaError(f"{where} has {len(labels)} labels: give at least two.")
    for what in ("name", "title"):
        twice = first_duplicate(getattr(one, what) for one in labels)
        if twice is not None:
            raise CriteriaError(f"{where}: the label {shown(twice)} stands twice; write it once.")
    for what in ("words", "answers"):
        twice = first_duplicate(word for one in labels for word in dict.fromkeys(getattr(one, what)))
        if twice is not None:
            raise CriteriaError(f"{where}: {shown(twice)} is in two labels; leave it in one.")
    if not labels[0].answers or len({len(one.answers) for one in labels}) > 1:
        raise CriteriaError(f"{where}: the labels must have as many answers each, and at least one.")


def _texts(value: object, what: str, where: str) -> list[str]:
    if not isinstance(value, list) or not value or not all(isinstance(entry, str) for entry in value):
        raise CriteriaError(
            f"{where}: {what} must be a list of texts in quotation marks, not {shown(value)}."
        )
    return value
