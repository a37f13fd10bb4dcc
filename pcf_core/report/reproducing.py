"""Command lines that reproduce numbers of runs, reports and text audits, with the files they need."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from pcf_core.audit.options import ViewOptions
from pcf_core.core.errors import AuditError
from pcf_core.core.frame import Frames
from pcf_core.core.generation import INSPECTED, GenerationKey
from pcf_core.core.options import command_options, declared, task_options
from pcf_core.core.run import RunSpec, ScoringKey
from pcf_core.core.sampled import Samples
from pcf_core.core.topics import differing
from pcf_core.material import evidence as lists
from pcf_core.material import templates as sets
from pcf_core.material import topics
from pcf_core.material.suiting import AS_EVIDENCE, AS_GROUPS, swapped
from pcf_core.report.records import ALWAYS, MAPPING, NONE, POLICY, SECTIONS, SHORT, ReportRequest
from pcf_core.show.findings.numbers import count
from pcf_core.store.store import Store
from pcf_core.texts.criteria.experiments import restore_experiment
from pcf_core.texts.criteria.options import options_of as criteria_options_of
from pcf_core.texts.criteria.own import KINDS, USUAL, chosen_of
from pcf_core.texts.criteria.records.runs import MATERIAL, CriteriaAsked
from pcf_core.texts.fairpair.categories import load_categories
from pcf_core.texts.fairpair.options import options_of
from pcf_core.texts.fairpair.prompts import load_prompts, selected
from pcf_core.texts.fairpair.records import FairPairAsked, PromptsAsked
from pcf_core.texts.fairpair.tables import load_table

NAMED = {tuple(SHORT): "short", tuple(SECTIONS): "all"}
POLICY_FILE = "policy.toml"  # placeholder in commands; the request holds the policy's values
TEXTS = ("fairpair", "criteria")  # sections on text audits
AFRESH = "PCF_SHIPPED_RESULTS=0 PCF_SCORES= PCF_CACHE=cache/afresh"  # an empty cache
FILE = "FILE"  # placeholder for a file without a known name


def risk_command(key: str, options: ViewOptions, others: Collection[tuple[str, str]] = ()) -> str:
    """Write the command that prints a run's risk; ``others``: options for lists other than its key's."""
    lists = "".join(f"{option} {shlex.quote(name)} " for option, name in others)
    return f"python -m pcf_core risk {shlex.quote(key)} {lists}{command_options(options)}"


def other_lists(run: RunSpec, stored: RunSpec) -> tuple[tuple[str, str], ...]:
    """Return the options that read a run with its own counts and weights, not those of its key."""
    return tuple((f"--{name}", getattr(run, name).name) for name in run.differing(stored) if name != "topic")


def score_command(run: RunSpec, files: Collection[str] = ()) -> str:
    """Write the command that scores a run again; options in ``files`` get a placeholder for a file."""
    key, (named, turned) = run.scoring, _named_lists(run)
    how = f"--protocol {key.protocol}{dtype_option(key)}"
    if (sampled := key.sampled) is not None:
        chat = key.family == "endpoint" and bool(sampled.chat_template)
        how = command_options(Samples(samples=sampled.count, temperature=sampled.temperature, chat=chat))
    material = " ".join(
        f"{option} {FILE if option in files else shlex.quote(name)}" for option, name in named.items()
    )
    return (
        f"python -m pcf_core score --model {shlex.quote(key.model)} {material}"
        f"{' --swap' if turned else ''} {how}"
        f"{'' if key.frame is None else f' {command_options(Frames.of(key.frame))}'}"
        f"{'' if run.plan is None else f' --within {run.plan.within:g}'}"
    )


def scratch_commands(run: RunSpec, options: ViewOptions) -> str:
    """Write commands that score a run into an empty cache, with placeholders for the user's own files."""
    named, turned = _named_lists(run)
    files = [option for option, same in _is_shipped(run, named, turned=turned).items() if not same]
    notes = [
        f"# “{named[option]}” does not come with the app as it was asked: write its file for {option} {FILE}"
        for option in files
    ]
    return "\n".join([*notes, *map(afresh, (score_command(run, files), risk_command(run.key, options)))])


def afresh(command: str) -> str:
    """Write a command so that it uses an empty cache and no shipped results."""
    return f"{AFRESH} {command}"


def _named_lists(run: RunSpec) -> tuple[dict[str, str], bool]:
    """Return the names of topic, list and templates by option, and whether topic and list are swapped."""
    topic, evidence = run.topic.name, run.evidence.name
    turned = topic.endswith(AS_GROUPS) and evidence.endswith(AS_EVIDENCE)
    if turned:
        topic, evidence = evidence.removesuffix(AS_EVIDENCE), topic.removesuffix(AS_GROUPS)
    return {"--topic": topic, "--evidence": evidence, "--templates": run.templates.name}, turned


def _is_shipped(run: RunSpec, named: Mapping[str, str], *, turned: bool) -> dict[str, bool]:
    """Return by option whether the shipped item of this name is what the run used."""
    topic, evidence, templates = named.values()
    request = (run.evidence.hash, run.topic.hash) if turned else (run.topic.hash, run.evidence.hash)
    try:
        lists_here = topics.load_topic(topic), lists.load_evidence(evidence)
        made = swapped(*lists_here) if turned else lists_here
        hashes = (made[1].hash, made[0].hash) if turned else (made[0].hash, made[1].hash)
    except AuditError:  # no such list any more
        hashes = request
    same_counts = False
    if templates in sets.SHELF.shipped():
        shipped = sets.load_templates(templates)
        same_counts = shipped.hash == run.templates.hash and not differing(shipped, run.templates)
    return {
        "--topic": topic in topics.SHELF.shipped() and hashes[0] == request[0],
        "--evidence": evidence in lists.SHELF.shipped() and hashes[1] == request[1],
        "--templates": same_counts,
    }


def dtype_option(key: ScoringKey | GenerationKey) -> str:
    """Write the option for a model's precision, "" for an endpoint."""
    return "" if key.family == "endpoint" else f" --dtype {key.dtype}"


def compare_command(first: str, second: str, options: ViewOptions) -> str:
    """Write the command that prints the difference of two runs."""
    runs = f"{shlex.quote(first)} {shlex.quote(second)}"
    return f"python -m pcf_core compare {runs} {command_options(options)}"


def fairpair_command(request: FairPairAsked, prompts: str = "") -> str:
    """Write the command of a request, after comments on files without a name; ``prompts``: their file."""
    files, problems = _asked_files(request, prompts)
    notes = "".join(f"# {problem}\n" for problem in problems)
    options, apart = options_of(request), {"prompts", "table", "categories", "dissimilarities"}
    if request.key.inspected:
        task = _inspect(request.key, "fairpair")
        return f"{notes}{task} {_of_task(files)} {task_options(options, without=apart)}"
    apart |= {"dtype"} if request.key.family == "endpoint" else {"chat"}
    named = request.dissimilarities if request.encoders else ()
    return (
        f"{notes}python -m pcf_core fairpair --model {shlex.quote(request.key.model)} {files} "
        f"{command_options(options, without=apart)}"
        + "".join(f" --dissimilarity {shlex.quote(name)}" for name in named)
    )


def _inspect(key: GenerationKey, task: str) -> str:
    """Write the beginning of the command by which Inspect asks a model again."""
    model = key.model.removeprefix(INSPECTED).rpartition("@")[0]
    return (
        "# then: python -m pcf_core import logs/LOG.eval\n"
        f"inspect eval pcf_core/texts/inspected/tasks.py@{task} --model {shlex.quote(model)}"
    )


def _of_task(options: str) -> str:
    return re.sub(r"--(\w+) ", r"-T \1=", options)


def criteria_command(store: Store, request: CriteriaAsked) -> str:
    """Write the command of a request, after a comment on what it cannot say."""
    material = asked_material(store, request)
    note, options = f"# {material.problem}\n" if material.problem else "", criteria_options_of(request)
    if request.generation is not None and request.generation.inspected:
        return (
            f"{note}{_inspect(request.generation, 'criteria')} -T experiment={request.experiment}"
            f"{_of_task(material.options)} {task_options(options)}"
        )
    line = (
        f"{note}python -m pcf_core criteria --model {shlex.quote(request.model)}"
        f" --experiment {request.experiment} --answering {request.answering}"
        f"{dtype_option(request.key)}{material.options}"
    )
    if request.generation is None:
        return line
    chat = " --chat" if options.chat else ""
    return f"{line}{chat} {command_options(options, without={'answering', 'dtype', 'chat'})}"


def section_command(request: ReportRequest, name: str) -> str:
    """Write the command for one section of a report, from the runs and texts that it is about."""
    everything: dict[str, Any] = {kind: getattr(request, kind) for kind in ("runs", *TEXTS)}
    about = {name: everything[name]} if name in TEXTS else {"runs": request.runs}
    if name == "knowledge":
        about |= {"knowledge": request.knowledge}
    elif name in (*SHORT, "summary", *ALWAYS):
        about = everything
    elif name == MAPPING:
        about = everything | {"mappings": request.mappings}
    elif name == POLICY:
        about |= {"policy": request.policy}
    options = {} if name in TEXTS else request.options
    sections = SHORT if name == POLICY else request.sections if name == MAPPING else (name,)
    alone = ReportRequest.model_validate(
        {**about, "sections": tuple(sections), "options": options, "over": request.over}
    )
    mappings = "".join(f" {declared(ReportRequest)['mappings'].flag} {one}" for one in alone.mappings)
    return f"{_command(alone, 'json', f'{name}.json')}{mappings}"


def export_command(request: ReportRequest, form: str, out: str) -> str:
    """Write the command that exports the same bytes of a report to the file ``out``."""
    fields = declared(ReportRequest)
    left_out = [
        f"{fields[name].flag} {NONE}"
        for name, is_empty in (
            ("date", not request.date),
            ("elsewhere", not request.elsewhere and bool(request.runs)),
        )
        if is_empty
    ]
    return " ".join(filter(None, [_command(request, form, out), command_options(request), *left_out]))


def _command(request: ReportRequest, form: str, out: str) -> str:
    """Write the command for a report with today's date and all other sentences."""
    quote, flags = shlex.quote, declared(ViewOptions)
    chosen = [name for name in request.sections if name not in ALWAYS] or request.sections
    sections = NAMED.get(request.sections) or ",".join(chosen)
    audits = {f"--{kind}": getattr(request, kind) for kind in (*TEXTS, "knowledge")}
    parts = [
        "python -m pcf_core export",
        *map(quote, request.runs),
        f"--format {form} --out {quote(out)} --sections {sections} --over {request.over}",
        *(f"{flag} {quote(key)}" for flag, keys in audits.items() for key in keys),
        *([] if request.policy is None else [f"--policy {POLICY_FILE}"]),
        *(f"{flags[name].flag} {quote(value)}" for name, value in request.options.items() if value),
    ]
    return " ".join(parts)


@dataclass(frozen=True)
class AskedMaterial:
    """A request's material: quoted ``options`` of a command, ``text``, and a ``problem`` if incomplete."""

    options: str
    text: str
    problem: str = ""


def asked_material(store: Store, request: CriteriaAsked) -> AskedMaterial:
    """Describe a request's material: origin, number of questions, labeller."""
    kind, title = KINDS[request.experiment], " ".join(request.title.split())
    stored = store.load_document(request.material, MATERIAL)
    try:
        if stored is not None:
            restore_experiment(request.experiment, stored)
    except ValidationError:
        stored = None
    if stored is None:
        problem = (
            f"the {kind} of “{title}” ({request.material}) are not kept any more, so the command may ask "
            "something else"
        )
        return AskedMaterial("", problem, problem)
    chosen = chosen_of(request, stored)
    options, problem = [], ""
    source = "that come with the app"
    if chosen.name is None:
        options.append(f"--material {FILE}")
        source = "from a file that is not kept by name"
        problem = (
            f"the {kind} of “{title}” ({request.material}) came from a file that is not kept by name: write "
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
    if request.experiment == "questions":
        parts.append(f"{count(len(stored['questions']['questions']), 'question is', 'questions are')} asked")
    if request.experiment == "hobbies":
        parts.append(f"labelled by {stored['labeller']}")
    return AskedMaterial("".join(f" {option}" for option in options), "; ".join(parts), problem)


def _asked_files(request: FairPairAsked, prompts: str) -> tuple[str, tuple[str, ...]]:
    """Return the options for prompts, table and categories, and a sentence on each without a name."""
    texts, table, words = request.prompts, request.perturbation, request.categories
    whole = bool(prompts) or _holds(lambda: load_prompts(texts.name, texts.names).hash == texts.hash)
    same_table = _holds(lambda: load_table(table.table).hash == table.hash)
    parts = [
        ("--prompts", prompts or texts.name, f"the prompts of “{texts.title}” ({texts.hash})", whole),
        ("--table", table.table, f"the counterparts of “{table.title}” ({table.hash})", same_table),
    ]
    if words is not None:
        same = _holds(lambda: load_categories(words.name).categories == words.categories)
        parts.append(("--categories", words.name, f"the categories of “{words.title}”", same))
    options, problems = [], []
    for option, name, what, same in parts:
        options.append(f"{option} {shlex.quote(name) if same else FILE}")
        if not same:
            part = _part_of(texts) if option == "--prompts" else ""
            why = f"{'are ' + part if part else 'are not kept by name'}: write the path of their file"
            problems.append(f"{' '.join(f'{what} {why}'.split())} for {option} {FILE}")
    return " ".join(options), tuple(problems)


def _part_of(texts: PromptsAsked) -> str:
    """Say which part of the set of their name the prompts are, "" if they are all."""
    try:
        whole_set = load_prompts(texts.name, texts.names)
    except AuditError:  # as in _holds
        return ""
    whole = len(whole_set.prompts)
    if texts.count >= whole:
        return ""
    sizes = Counter(prompt.category for prompt in whole_set.prompts).values()
    each = (most for most in range(1, max(sizes)) if sum(min(size, most) for size in sizes) == texts.count)
    most = next(each, None)
    if most is not None and selected(whole_set, most=most).hash == texts.hash:
        part = f"{most:,} of each category of the set {texts.name}"
    else:
        part = f"{texts.count:,} prompts, of some categories or an earlier state of the set {texts.name}"
    has_them = "the tab FairPair of Written text has them as a file (Provenance, Prompts)"
    return f"{part}, which has {whole:,} prompts; {has_them}"


def _holds(is_same: Callable[[], bool]) -> bool:
    try:
        return is_same()
    except AuditError:  # no such file any more, or damaged
        return False
