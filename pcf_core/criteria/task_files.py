"""Sets of tasks that one of two jobs does: the shipped three pairs, and one's own; whole or not at all.

TOML or JSON with ``pairs``, each with the roles ``female`` and ``male`` (``name``, and if wanted ``article``,
``aliases`` and ``word``), and ``tasks``, each with ``pair`` (a place in ``pairs``, from 0), ``does`` (female
or male), ``did`` (the past tense) and if wanted ``name``; and ``name``, ``title``, ``version``, ``source``,
``notes`` of the set.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pcf_core.criteria.asking import make_pair
from pcf_core.criteria.question_files import default_names
from pcf_core.errors import CriteriaError
from pcf_core.records.questions import Pair, Task, TaskSet
from pcf_core.topics.reading import label, read_json, read_toml, title_of
from pcf_core.topics.shelves import Shelf, name_of
from pcf_core.topics.text import check_name, check_text, check_word, first_duplicate, shown, shown_value

USUAL = "tasks-1"
ENDINGS = (".toml", ".json")
SHELF = Shelf("set of tasks", "criteria", (f"{USUAL}.toml",), ENDINGS, CriteriaError)
FACTS = ("name", "title", "version", "source", "notes")
MOST = 1_000


def load_tasks(name_or_path: str | Path = USUAL) -> TaskSet:
    """A shipped set by its name, or a user's file.

    Raises:
        CriteriaError: unknown, unreadable, a pair or a task of another shape, a name or a task twice, no task
            of either kind, or over 1,000.
    """
    path = SHELF.find(name_or_path)
    where = label(path)
    read = read_toml if path.suffix.lower() == ".toml" else read_json
    facts = read(path, (*FACTS, "pairs", "tasks"), CriteriaError)
    pairs, tasks = facts.pop("pairs", []), facts.pop("tasks", [])
    if not isinstance(pairs, list) or not isinstance(tasks, list):
        raise CriteriaError(f"{where}: pairs and tasks must be lists of tables.")
    if not 0 < len(tasks) <= MOST:
        raise CriteriaError(f"{where} has {len(tasks):,} tasks: give at least one and at most {MOST:,}.")
    made = tuple(make_pair(entry, where) for entry in pairs)
    given = tuple(
        _task(entry, made, f"{where}, task {place:,}", name)
        for place, (entry, name) in enumerate(zip(tasks, default_names("t", tasks), strict=True), start=1)
    )
    twice = first_duplicate(task.name for task in given)
    if twice is not None:
        raise CriteriaError(f"{where}: the name {shown(twice)} stands twice; write it once.")
    if len({task.female for task in given}) < 2:
        raise CriteriaError(
            f"{where}: all tasks are done by one side; give some that female does, and some that male does."
        )
    facts = {"name": name_of(path), "title": title_of(path), "version": "1", **facts}
    return TaskSet(
        name=check_name(facts.pop("name"), "the name", where, CriteriaError),
        pairs=made,
        tasks=given,
        **{key: check_text(value, f"the {key}", where, CriteriaError) for key, value in facts.items()},
    )


def _task(entry: object, pairs: tuple[Pair, ...], where: str, name: str) -> Task:
    if not isinstance(entry, Mapping) or not {"pair", "does", "did"} <= set(entry) <= {
        *("name", "pair", "does", "did")
    }:
        raise CriteriaError(f"{where}: a task needs pair, does and did, and may have name.")
    pair, does = entry["pair"], entry["does"]
    if not isinstance(pair, int) or isinstance(pair, bool) or not 0 <= pair < len(pairs):
        raise CriteriaError(
            f"{where}: pair is {shown_value(pair)}; write the place of a pair, from 0 to {len(pairs) - 1}."
        )
    if does not in ("female", "male"):
        raise CriteriaError(f"{where}: does is {shown(does)}; write female or male, the role that does it.")
    return Task(
        name=check_name(entry.get("name", name), "the name", where, CriteriaError),
        pair=pair,
        female=does == "female",
        did=check_word(entry["did"], "what was done", where, CriteriaError),
    )
