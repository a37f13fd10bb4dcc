"""The user's own professions, names, questions and tasks: files, stored unchanged in the cache.

Files are read completely before they are saved, and again at each use.  Also restores the choices behind a
stored request, and checks that imported material could have come from a file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pcf_core.core.errors import AuditError, CriteriaError, StoreError
from pcf_core.core.records import digest
from pcf_core.core.settings import settings
from pcf_core.material.safety.entries import ending_of
from pcf_core.material.safety.reading import check_ending, read_text, upload_label, uploaded, write_whole
from pcf_core.material.safety.tables import Accepted
from pcf_core.material.safety.text import MAX_NAME, NAME, check_name, shown
from pcf_core.material.shelves import safe_name
from pcf_core.texts.criteria import names, professions
from pcf_core.texts.criteria import questions as question_files
from pcf_core.texts.criteria import tasks as task_files
from pcf_core.texts.criteria.experiment import Experiment
from pcf_core.texts.criteria.experiments import fitted, load_experiment, material_of
from pcf_core.texts.criteria.gender_reading import WORD
from pcf_core.texts.criteria.labels import NLI
from pcf_core.texts.criteria.records.independence import AnecdotesMaterial, HobbiesMaterial
from pcf_core.texts.criteria.records.quantities import ExperimentName
from pcf_core.texts.criteria.records.runs import CriteriaAsked
from pcf_core.texts.criteria.records.separation import QuestionMaterial, TaskMaterial

USUAL = "usual"  # stands for the shipped material
KINDS: Mapping[ExperimentName, str] = {
    "anecdotes": "professions",
    "hobbies": "names",
    "questions": "questions",
    "tasks": "tasks",
}
ACCEPTED: Mapping[ExperimentName, Accepted] = {
    "anecdotes": professions.ACCEPTED,
    "hobbies": names.ACCEPTED,
    "questions": question_files.ACCEPTED,
    "tasks": task_files.ACCEPTED,
}


def own_files(experiment: ExperimentName) -> dict[str, Path]:
    """Return the user's files by name, sorted."""
    folder = _folder(experiment)
    files = [path for ending in ACCEPTED[experiment].endings for path in folder.glob(f"*{ending}")]
    return {path.stem: path for path in sorted(files) if NAME.fullmatch(path.stem) and path.stem != USUAL}


def open_experiment(experiment: ExperimentName, name: str = USUAL, labeller: str = "") -> Experiment:
    """Open an experiment as shipped, or with a saved file.

    ``labeller``: of hobbies (:func:`~pcf_core.texts.criteria.experiments.load_experiment`).  Raises
    CriteriaError for an unknown or damaged file or an unknown labeller, ModelError for an unusable NLI model.
    """
    if name == USUAL:
        return load_experiment(experiment, labeller=labeller)
    files = own_files(experiment)
    if name not in files:
        names = ", ".join((USUAL, *files))
        raise CriteriaError(
            f"You have not saved any {KINDS[experiment]} named {shown(name)}: choose one of {names}."
        )
    return load_experiment(experiment, files[name], labeller)


def read_upload(experiment: ExperimentName, files: Sequence[tuple[str, bytes]]) -> Experiment:
    """Make the experiment from an uploaded file without saving it.

    Raises CriteriaError for an unusable upload, StoreError without room for temporary files.
    """
    kind = KINDS[experiment]
    if len(files) != 1:
        raise CriteriaError(f"The upload has {len(files)} files: choose the one file that has all {kind}.")
    name = upload_label(files[0][0])
    check_ending(name, ACCEPTED[experiment].endings, kind, CriteriaError, bare=True)
    with uploaded(name, files[0][1]) as path:
        return load_experiment(experiment, path)


def keep_own(experiment: ExperimentName, name: str, file_name: str, data: bytes) -> None:
    """Save an accepted upload.  CriteriaError: unsafe or existing name; StoreError: it cannot be written."""
    kind = KINDS[experiment]
    check_name(name, "the name", f"The {kind} to keep", CriteriaError)
    if name == USUAL or name in own_files(experiment):
        raise CriteriaError(f"You have already saved {kind} named {name}: choose another name.")
    ending = Path(file_name).suffix.lower()
    if not ending:  # a saved file is found by its ending
        with uploaded(name, data) as given:
            ending = ending_of(read_text(given, CriteriaError), ACCEPTED[experiment])
    path = _folder(experiment) / f"{name}{ending}"
    try:
        write_whole(path, data, replace=False)
    except OSError as problem:
        raise StoreError(_failure(kind, name, "kept", path.parent, problem)) from problem


def delete_own(experiment: ExperimentName, name: str) -> None:
    """Delete a saved file, not its results.  CriteriaError: unknown name; StoreError: cannot be deleted."""
    files, kind = own_files(experiment), KINDS[experiment]
    if name not in files:
        raise CriteriaError(f"You have not saved any {kind} named {shown(name)}.")
    try:
        files[name].unlink(missing_ok=True)
    except OSError as problem:
        raise StoreError(_failure(kind, name, "deleted", files[name].parent, problem)) from problem


def free_name(experiment: ExperimentName, file_name: str) -> str:
    """Derive an unused safe name from a file's name: my-names, my-names-2 and so on."""
    stem = safe_name(Path(upload_label(file_name)).stem)[: MAX_NAME - 6]
    taken, free, number = {USUAL, *own_files(experiment)}, stem, 1
    while free in taken:
        number += 1
        free = f"{stem}-{number}"
    return free


def _folder(experiment: ExperimentName) -> Path:
    return settings().cache / "criteria" / KINDS[experiment]


def _failure(kind: str, name: str, what: str, folder: Path, problem: OSError) -> str:
    reason = problem.strerror or "input/output error"
    return (
        f"The {kind} {name} cannot be {what} in {folder} ({reason}): free some space and make the folder "
        "writable, or set PCF_CACHE to another folder."
    )


# The choices behind the material of a stored request.


@dataclass(frozen=True)
class Chosen:
    """The material of an experiment.

    ``name``: of a shipped or saved file, ``None`` if neither is this material.  ``labeller``: empty for the
    lexicon; ``questions``: ``None`` for the default number.
    """

    name: str | None
    labeller: str = ""
    questions: int | None = None


def chosen_of(request: CriteriaAsked, material: Mapping[str, Any]) -> Chosen:
    """Return the choice that restores the stored material of a request; no model is loaded."""
    labelled = str(material.get("labeller", ""))
    labeller = labeller_text(labelled)
    asks = request.experiment == "questions"
    have = len(material["questions"]["questions"]) if asks else None
    files: dict[str, str | Path] = {USUAL: "", **own_files(request.experiment)}
    for name, path in files.items():
        for questions in dict.fromkeys((None, have)):
            try:
                whole = fitted(load_experiment(request.experiment, path), request.answering, questions)
            except AuditError:  # a damaged file, or one with fewer questions
                continue
            made = material_of(whole) | ({"labeller": labelled} if labeller else {})
            if digest(made) == request.material:
                return Chosen(name, labeller, questions)
    return Chosen(None, labeller, have)


def labeller_text(name: str) -> str:
    """Convert a stored labeller to the form that users write: "nli org/name 0123" to "nli:org/name"."""
    kind, _, rest = name.partition(" ")
    return f"{NLI}:{rest.rpartition(' ')[0]}" if kind == NLI else ""


# Imported material.


def check_foreign(experiment: Experiment) -> None:
    """Raise ValueError for material that no user's file could have produced here."""
    kind, here = KINDS[experiment.name], material_of(experiment)
    shipped, own = material_of(load_experiment(experiment.name)), (kind, "labeller")
    if any(here[part] != shipped[part] for part in here if part not in own):
        raise ValueError("its experiment is worded otherwise than here")
    labelled = here.get("labeller")
    if labelled != shipped.get("labeller") and not str(labelled).startswith(f"{NLI} "):
        raise ValueError("its hobbies are labelled by what is not known here")
    where, material = f"The {kind}", experiment.material
    check_name(here[kind]["name"], "the name", where, CriteriaError)
    same = True
    if isinstance(material, AnecdotesMaterial):
        given = material.professions
        rows = [each.model_dump(include={"name", "women_share", "title"}) for each in given.professions]
        facts = given.model_dump(include={"title", "version", "source", "notes"})
        again = professions.PROFESSIONS.make({"name": given.name, "professions": rows, **facts}, where)
        same = again == given.model_copy(update={"left_out": again.left_out})
    elif isinstance(material, HobbiesMaterial):
        several = material.names.names
        same = len({one.name.casefold() for one in several}) == len(several) and all(
            WORD.fullmatch(one.name) and 0 <= one.female_births <= one.births for one in several
        )
    elif isinstance(material, QuestionMaterial):
        for one in material.questions.questions:
            letters = {"right": one.letters[one.right], "wrong": one.letters[one.wrong]}
            entry = one.model_dump(include={"name", "subject", "text"}) | letters
            same &= question_files.make_question(entry | {"options": [*one.options]}, where, one.name) == one
    elif isinstance(material, TaskMaterial):
        same = all(0 <= task.pair < len(material.tasks.pairs) for task in material.tasks.tasks)
    if not same:
        raise ValueError(f"its {kind} are not written as the app writes them")
