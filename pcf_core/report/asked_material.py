"""What a request of the criteria was made of, as the command takes it and as people read it."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from pydantic import ValidationError

from pcf_core.show.findings.numbers import count
from pcf_core.store.store import Store
from pcf_core.texts.criteria.experiments import restore_experiment
from pcf_core.texts.criteria.own import KINDS, USUAL, chosen_of
from pcf_core.texts.criteria.records.runs import MATERIAL, CriteriaAsked

FILE = "FILE"  # stands in a command for a file that is not known by name


@dataclass(frozen=True)
class AskedMaterial:
    """The material of a request, as a command says it and as people read it.

    ``options`` of the command, each quoted; ``text`` for people; ``problem``: what the command cannot say,
    empty where it says everything.
    """

    options: str
    text: str
    problem: str = ""


def asked_material(store: Store, asked: CriteriaAsked) -> AskedMaterial:
    """Describe the material of a request: where it came from, how many questions, who labels."""
    kind, title = KINDS[asked.experiment], " ".join(asked.title.split())
    kept = store.load_document(asked.material, MATERIAL)
    try:
        if kept is not None:
            restore_experiment(asked.experiment, kept)
    except ValidationError:
        kept = None
    if kept is None:
        problem = (
            f"the {kind} of “{title}” ({asked.material}) are not kept any more, so the command may ask "
            "something else"
        )
        return AskedMaterial("", problem, problem)
    chosen = chosen_of(asked, kept)
    options, problem = [], ""
    source = "that come with the app"
    if chosen.name is None:
        options.append(f"--material {FILE}")
        source = "from a file that is not kept by name"
        problem = (
            f"the {kind} of “{title}” ({asked.material}) came from a file that is not kept by name: write "
            f"its path for {FILE}"
        )
    elif chosen.name != USUAL:
        options.append(f"--material {shlex.quote(chosen.name)}")
        source = f"from the kept file {chosen.name}"
    if chosen.questions is not None:
        options.append(f"--questions {chosen.questions}")
    if chosen.labeller:
        options.append(f"--labeller {shlex.quote(chosen.labeller)}")
    parts = [f"“{title}”: {kind} {source}"]
    if asked.experiment == "questions":
        parts.append(f"{count(len(kept['questions']['questions']), 'question is', 'questions are')} asked")
    if asked.experiment == "hobbies":
        parts.append(f"labelled by {kept['labeller']}")
    return AskedMaterial("".join(f" {option}" for option in options), "; ".join(parts), problem)
