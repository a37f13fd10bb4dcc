"""The command lines that make numbers again."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Mapping
from typing import Any

from pcf_core.audit.options import ViewOptions, shown_fields
from pcf_core.core.errors import AuditError
from pcf_core.core.generation import INSPECTED, GenerationKey
from pcf_core.core.run import RunSpec, ScoringKey
from pcf_core.material import evidence as lists
from pcf_core.material import templates as sets
from pcf_core.material import topics
from pcf_core.material.suiting import AS_EVIDENCE, AS_GROUPS, swapped
from pcf_core.report.asked_fairpair import FILE, asked_files
from pcf_core.report.asked_material import asked_material
from pcf_core.report.records import ALWAYS, POLICY, SECTIONS, SHORT, ReportRequest
from pcf_core.store.store import Store
from pcf_core.texts.criteria.records.runs import CriteriaAsked
from pcf_core.texts.fairpair.records import FairPairAsked

NAMED = {tuple(SHORT): "short", tuple(SECTIONS): "all"}
POLICY_FILE = "policy.toml"  # a command names the file of a policy, which the request holds as values
TEXTS = ("fairpair", "criteria")  # sections of texts that models wrote, whatever runs stand beside them
AFRESH = "PCF_SHIPPED_RESULTS=0 PCF_SCORES= PCF_CACHE=cache/afresh"  # nothing is scored yet there


def options_text(options: ViewOptions) -> str:
    """Write view options as the commands take them."""
    return " ".join(
        f"{one.flag} {shlex.quote(getattr(options, name))}"
        for name, one in shown_fields(type(options)).items()
    )


def risk_command(key: str, options: ViewOptions) -> str:
    """Write the command that prints the risk of a run."""
    return f"python -m pcf_core risk {shlex.quote(key)} {options_text(options)}"


def score_command(run: RunSpec, files: Collection[str] = ()) -> str:
    """Write the command that scores a run anew, its topic, list and templates by name.

    One's own must be kept by that name, but for those whose option is among the ``files``.
    """
    key, (named, turned) = run.scoring, _named_lists(run)
    material = " ".join(
        f"{option} {FILE if option in files else shlex.quote(name)}" for option, name in named.items()
    )
    return (
        f"python -m pcf_core score --model {shlex.quote(key.model)} {material}"
        f"{' --swap' if turned else ''} --protocol {key.protocol}{dtype_option(key)}"
        f"{'' if run.plan is None else f' --within {run.plan.within:g}'}"
    )


def scratch_commands(run: RunSpec, options: ViewOptions) -> str:
    """Write the commands that score a run into an empty cache and print its risk, whatever is stored here.

    One's own material is not in that cache: FILE stands for it, and a line before the commands says so.
    """
    named, turned = _named_lists(run)
    files = [option for option, same in _is_shipped(run, named, turned=turned).items() if not same]
    notes = [
        f"# “{named[option]}” does not come with the app as it was asked: write its file for {option} {FILE}"
        for option in files
    ]
    return "\n".join([*notes, *map(afresh, (score_command(run, files), risk_command(run.key, options)))])


def afresh(command: str) -> str:
    """Write a command so that it finds neither shipped results nor those of this cache."""
    return f"{AFRESH} {command}"


def _named_lists(run: RunSpec) -> tuple[dict[str, str], bool]:
    """Return the names of topic, list and templates by their options, and whether the two are swapped."""
    topic, evidence = run.topic.name, run.evidence.name
    turned = topic.endswith(AS_GROUPS) and evidence.endswith(AS_EVIDENCE)
    if turned:
        topic, evidence = evidence.removesuffix(AS_EVIDENCE), topic.removesuffix(AS_GROUPS)
    return {"--topic": topic, "--evidence": evidence, "--templates": run.templates.name}, turned


def _is_shipped(run: RunSpec, named: Mapping[str, str], *, turned: bool) -> dict[str, bool]:
    """Tell by option whether its name still means, among what is shipped, what the run asked for."""
    topic, evidence, templates = named.values()
    asked = (run.evidence.hash, run.topic.hash) if turned else (run.topic.hash, run.evidence.hash)
    try:
        found = topics.load_topic(topic), lists.load_evidence(evidence)
        made = swapped(*found) if turned else found
        known = (made[1].hash, made[0].hash) if turned else (made[0].hash, made[1].hash)
    except AuditError:  # one of them is not kept by its name
        known = asked
    return {
        "--topic": topic in topics.SHELF.shipped() and known[0] == asked[0],
        "--evidence": evidence in lists.SHELF.shipped() and known[1] == asked[1],
        "--templates": templates in sets.SHELF.shipped()
        and sets.load_templates(templates).hash == run.templates.hash,
    }


def dtype_option(key: ScoringKey | GenerationKey) -> str:
    """Write the option for a model's precision, a space before it; nothing where a server alone decides."""
    return "" if key.family == "endpoint" else f" --dtype {key.dtype}"


def compare_command(first: str, second: str, options: ViewOptions) -> str:
    """Write the command that prints the difference of two runs."""
    runs = f"{shlex.quote(first)} {shlex.quote(second)}"
    return f"python -m pcf_core compare {runs} {options_text(options)}"


def fairpair_command(asked: FairPairAsked, prompts: str = "") -> str:
    """Write the command line of a request; a line before it for each file that it cannot name.

    ``prompts``: a file that holds them, where they are a part of a set.
    """
    decoding, perturbation = asked.key.decoding, asked.perturbation
    files, problems = asked_files(asked, prompts)
    notes = "".join(f"# {problem}\n" for problem in problems)
    if asked.key.inspected:
        names = shlex.quote(",".join(asked.prompts.names))
        return (
            f"{notes}{_inspect(asked.key, 'fairpair')} {_of_task(files)} -T names={names}"
            f"{' -T reverse=true' if perturbation.reverse else ''} -T mode={perturbation.mode}"
            f" -T count={asked.count}{'' if asked.fold_size is None else f' -T fold={asked.fold_size}'}"
            f"{_drawn(asked.key)}"
        )
    return (
        f"{notes}python -m pcf_core fairpair --model {shlex.quote(asked.key.model)} {files}"
        f" --names {shlex.quote(','.join(asked.prompts.names))}"
        f"{' --reverse' if perturbation.reverse else ''} --mode {perturbation.mode} --count {asked.count}"
        f"{'' if asked.fold_size is None else f' --fold {asked.fold_size}'}"
        f" --temperature {decoding.temperature:g} --top-p {decoding.top_p:g} --length {decoding.length}"
        f" --seed {decoding.seed}{_family_options(asked)}"
        + "".join(f" --dissimilarity {shlex.quote(name)}" for name in asked.dissimilarities if asked.encoders)
    )


def _inspect(key: GenerationKey, task: str) -> str:
    """Return the beginning of the command by which Inspect asks a model again; import reads its log."""
    model = key.model.removeprefix(INSPECTED).rpartition("@")[0]
    return (
        "# then: python -m pcf_core import logs/LOG.eval\n"
        f"inspect eval pcf_core/texts/inspected/tasks.py@{task} --model {shlex.quote(model)}"
    )


def _of_task(options: str) -> str:
    """Return options of a command as those of a task, which have the same names."""
    return re.sub(r"--(\w+) ", r"-T \1=", options)


def _drawn(key: GenerationKey) -> str:
    """Return the decoding as options of a task."""
    drawn = key.decoding
    return (
        f" -T temperature={drawn.temperature:g} -T top_p={drawn.top_p:g} -T length={drawn.length}"
        f" -T seed={drawn.seed}"
    )


def _family_options(asked: FairPairAsked) -> str:
    """Return a local model's precision; of an endpoint, whether prompts are messages."""
    if asked.key.family != "endpoint":
        return dtype_option(asked.key)
    return " --chat" if asked.key.chat_template else ""


def criteria_command(store: Store, asked: CriteriaAsked) -> str:
    """Write the command line of a request, with its material.

    A line before it says what it cannot say itself.
    """
    material = asked_material(store, asked)
    note = f"# {material.problem}\n" if material.problem else ""
    if asked.generation is not None and asked.generation.inspected:
        return (
            f"{note}{_inspect(asked.generation, 'criteria')} -T experiment={asked.experiment}"
            f"{_of_task(material.options)} -T wording={asked.wording} -T repeats={asked.repeats}"
            f"{_drawn(asked.generation)}"
        )
    line = (
        f"{note}python -m pcf_core criteria --model {shlex.quote(asked.model)}"
        f" --experiment {asked.experiment} --answering {asked.answering}"
        f"{dtype_option(asked.key)}{material.options}"
    )
    if asked.generation is None:
        return line
    decoding = asked.generation.decoding
    chat = " --chat" if asked.key.family == "endpoint" and asked.generation.chat_template else ""
    return (
        f"{line}{chat} --wording {asked.wording} --repeats {asked.repeats}"
        f" --temperature {decoding.temperature:g} --top-p {decoding.top_p:g} --length {decoding.length}"
        f" --seed {decoding.seed}"
    )


def section_command(request: ReportRequest, name: str) -> str:
    """Write the command for one section of a report, from the runs and texts that it is about alone."""
    everything: dict[str, Any] = {
        "runs": request.runs,
        "fairpair": request.fairpair,
        "criteria": request.criteria,
    }
    about = {name: everything[name]} if name in TEXTS else {"runs": request.runs}
    if name == "knowledge":
        about |= {"knowledge": request.knowledge}
    elif name in (*SHORT, "summary", *ALWAYS):
        about = everything
    elif name == POLICY:
        about |= {"policy": request.policy}
    options = {} if name in TEXTS else request.options
    sections = SHORT if name == POLICY else (name,)
    alone = ReportRequest.model_validate(
        {**about, "sections": tuple(sections), "options": options, "over": request.over}
    )
    return export_command(alone, "json", f"{name}.json")


def export_command(request: ReportRequest, form: str, out: str) -> str:
    """Write the command for the report of a request in a format; ``out``: the file's name."""
    quote, flags = shlex.quote, shown_fields()
    chosen = [name for name in request.sections if name not in ALWAYS] or request.sections
    sections = NAMED.get(request.sections) or ",".join(chosen)
    audits = {
        "--fairpair": request.fairpair,
        "--criteria": request.criteria,
        "--knowledge": request.knowledge,
    }
    parts = [
        "python -m pcf_core export",
        *map(quote, request.runs),
        f"--format {form} --out {quote(out)} --sections {sections} --over {request.over}",
        *(f"{flag} {quote(key)}" for flag, keys in audits.items() for key in keys),
        *([] if request.policy is None else [f"--policy {POLICY_FILE}"]),
        *(f"{flags[name].flag} {quote(value)}" for name, value in request.options.items() if value),
    ]
    return " ".join(parts)
