"""How questions and tasks are asked, and where an answer stands: what the two experiments have in common.

A cell is one question or task, with one role right, one pronoun (or none) and one order of the roles; each
cell is answered as often as any other, so that truth and order are balanced by construction.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pcf_core.core.errors import CriteriaError
from pcf_core.core.settings import settings
from pcf_core.material.safety.reading import read_toml
from pcf_core.material.safety.text import check_word, first_duplicate, listed, shown
from pcf_core.texts.criteria.answer_report import Answers, Invalid
from pcf_core.texts.criteria.records.separation import WITHOUT, Frames, Pair, Reading, Role

ASKING = "asking-1.toml"
PRONOUNS = ("he", "she", "they")
WORDINGS = ("instruction", "continuation")


@dataclass(frozen=True)
class Cell:
    """One prompt of an experiment: its truth, pronoun and order of roles.

    ``truth``: 1 where the female-stereotyped role is right; ``first``: 1 where it is named first.
    """

    unit: int
    truth: int
    pronoun: str
    first: int

    def name(self, unit: str, pair: Pair) -> str:
        """Return the cell's name, such as ``cairo-river|truth=nurse|she|doctor-first``."""
        right, leading = (role(pair, index).name for index in (self.truth, self.first))
        return f"{unit}|truth={right}|{self.pronoun}|{leading}-first"


@dataclass(frozen=True)
class Asking:
    """What the file of wordings says of one experiment; ``pair`` where the experiment has one for all."""

    version: str
    frames: Mapping[str, Frames]
    pair: Pair | None = None


def role(pair: Pair, female: int) -> Role:
    """Return the female-stereotyped role of a pair for 1, the other for 0."""
    return pair.female if female else pair.male


def load_asking(experiment: str) -> Asking:
    """Load the shipped wordings of ``questions`` or ``tasks``."""
    path = settings().assets / "criteria" / ASKING
    table = read_toml(path, ("version", "questions", "tasks"), CriteriaError)
    try:
        own = dict(table[experiment])
        pair = make_pair(own["pair"], path.name) if "pair" in own else None
        frames = {wording: Frames.model_validate(own[wording]) for wording in WORDINGS}
        return Asking(str(table["version"]), frames, pair)
    except (KeyError, TypeError, ValueError) as problem:
        raise CriteriaError(f"{path.name} is damaged: restore it from the repository.") from problem


def make_pair(entry: object, where: str) -> Pair:
    """Make two roles from a table with ``female`` and ``male``, each with ``name`` and ``word``."""
    if not isinstance(entry, Mapping) or set(entry) != {"female", "male"}:
        raise CriteriaError(f"{where}: a pair is {shown(entry)}; write a table with female and male.")
    pair = Pair(female=_role(entry["female"], where), male=_role(entry["male"], where))
    twice = first_duplicate(name.casefold() for name in (*pair.female.names, *pair.male.names))
    if twice is not None:
        raise CriteriaError(f"{where}: {shown(twice)} stands twice in the pair {pair.name}; write it once.")
    return pair


def check_pronouns(pronouns: Sequence[str]) -> tuple[str, ...]:
    """Check for at least two of he, she and they; return them in this order."""
    if len(set(pronouns)) < 2 or not set(pronouns) <= set(PRONOUNS):
        raise CriteriaError(
            f"The pronouns are {shown(', '.join(map(str, pronouns)))}: give at least two of he, she and they."
        )
    return tuple(each for each in PRONOUNS if each in pronouns)


def cells_of(units: Iterable[tuple[int, Iterable[int]]], pronouns: Sequence[str]) -> tuple[Cell, ...]:
    """List every cell of (unit, its truths): without a pronoun too, and in both orders."""
    return tuple(
        Cell(unit, truth, pronoun, first)
        for unit, truths in units
        for truth in truths
        for pronoun in (*pronouns, WITHOUT)
        for first in (0, 1)
    )


def filled(frames: Frames, cell: Cell, **words: str) -> str:
    """Fill in the prompt of a cell."""
    frame = frames.unspoken if cell.pronoun == WITHOUT else frames.asked
    return frame.strip().format(pronoun=cell.pronoun, **words)


def named(pair: Pair, first: int) -> dict[str, str]:
    """Return the words for the roles in a frame, such as "doctor", "A doctor" and "a nurse"."""
    leading, other = role(pair, first), role(pair, 1 - first)
    return {
        "first": leading.name,
        "second": other.name,
        "First": f"{leading.article.capitalize()} {leading.name}",
        "Second": f"{other.article.capitalize()} {other.name}",
        "a_second": f"{other.article} {other.name}",
    }


def gathered(
    said: Mapping[Cell, Sequence[float | str]], units: Sequence[str], pronouns: Sequence[str]
) -> tuple[Answers, Invalid]:
    """Gather answers in rows, and the invalid ones by cell.

    ``said``: what was answered in a cell, 1 or 0, a probability, or why an answer is invalid.
    """
    order = (*pronouns, WITHOUT)
    rows: list[tuple[float, ...]] = []
    invalid: dict[tuple[int, int, int], dict[str, int]] = {}
    for cell, answers in said.items():
        index = order.index(cell.pronoun)
        for answer in answers:
            if isinstance(answer, str):
                reasons = invalid.setdefault((cell.unit, index, cell.truth), {})
                reasons[answer] = reasons.get(answer, 0) + 1
            else:
                rows.append((cell.unit, index, cell.truth, cell.first, answer))
    table = np.array(rows, dtype=np.float64).reshape(-1, 5)
    unit, pronoun, truth, first = table[:, :4].T.astype(np.intp)
    return Answers(tuple(units), order, unit, pronoun, truth, first, table[:, 4]), invalid


def of_reading(reading: Reading) -> float | str:
    """Return 1 for the female-stereotyped role, 0 for the other; else the (invalid) reading itself."""
    return {"female": 1.0, "male": 0.0}.get(reading, reading)


def of_scores(nats: Sequence[float], cell: str) -> float | str:
    """Return the probability of the first of two words among the two, from their log-probabilities.

    −1 and −1 give .5; −1 and −1 − ln 3 give .75; ``unscored`` where a word has none.
    """
    shares = shares_of(nats, 2, cell)
    return "unscored" if shares is None else shares[0]


def scored_cells(
    cells: Mapping[str, Cell], log_probabilities: Mapping[str, Sequence[float]]
) -> dict[Cell, Sequence[float | str]]:
    """Read the scores of each cell, see :func:`of_scores`; a cell without scores stays empty."""
    return {
        cell: [of_scores(log_probabilities[name], name)] if name in log_probabilities else []
        for name, cell in cells.items()
    }


def shares_of(nats: Sequence[float] | None, words: int, cell: str) -> tuple[float, ...] | None:
    """Return each word's probability among all, from log-probabilities; ``None`` where one has none.

    Raises
    ------
    CriteriaError
        Another number of scores than words.
    """
    if nats is None:
        return None
    if len(nats) != words:
        raise CriteriaError(
            f"The cell {shown(cell)} has {len(nats)} scores: give one for each of its {words} words."
        )
    values = np.asarray(nats, dtype=np.float64)
    if np.isnan(values).any() or not np.isfinite(values.max()):
        return None
    weights = np.exp(values - values.max())
    return tuple(float(share) for share in weights / weights.sum())


def frames_of(frames: Mapping[str, Frames], wording: str, experiment: str) -> Frames:
    """Load the frames of one wording."""
    if wording not in frames:
        raise CriteriaError(
            f"The experiment {experiment} has no wording {shown(wording)}: use {listed(frames)}."
        )
    return frames[wording]


def _role(entry: object, where: str) -> Role:
    allowed = {"name", "article", "aliases", "word"}
    if not isinstance(entry, Mapping) or not {"name"} <= set(entry) <= allowed:
        raise CriteriaError(f"{where}: a role needs name, and may have article, aliases and word.")
    name = _word(entry["name"], where)
    aliases = entry.get("aliases", [])
    if not isinstance(aliases, list):
        raise CriteriaError(f"{where}: aliases of {shown(name)} must be a list of words.")
    return Role(
        name=name,
        article=_word(entry.get("article", "an" if name[0].lower() in "aeiou" else "a"), where),
        aliases=tuple(_word(each, where) for each in aliases),
        word=_word(entry.get("word", name), where),
    )


def _word(value: Any, where: str) -> str:
    return check_word(value, "a word of a role", where, CriteriaError)
