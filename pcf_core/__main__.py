"""The command line: the same functions as the pages, without a browser.  See docs/cli.md.

Data goes to stdout (JSON with ``--json`` or into a pipe, a table on a terminal), progress and messages to
stderr.  Exit 0 done, 2 bad input, 1 failed, 130 interrupted (what is finished stays, call again to resume).
The commands that score and read runs stand in this one file, because they share their options; ``fairpair``
and ``criteria``, which share none of these, have their own.
"""

from __future__ import annotations

import json
import math
import os
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import typer
from typer.exceptions import TyperException

from pcf_core.audit import (
    ReadRun,
    ViewOptions,
    build_run,
    compared,
    load_result,
    matrix_report,
    missing_blocks,
    planned,
    report,
)
from pcf_core.audit.knowledge import knowledge_report
from pcf_core.console import (
    DTYPES,
    DtypeOption,
    JsonOption,
    ModelOption,
    give,
    one_of,
    open_store,
    progress_line,
    say,
)
from pcf_core.criteria_command import criteria
from pcf_core.errors import AuditError, InputError, RunError, TemplateError
from pcf_core.fairpair_command import fairpair
from pcf_core.findings import (
    coverage_facts,
    difference_finding,
    look_finding,
    occupations_difference_finding,
    self_audit_facts,
    unseen_note,
)
from pcf_core.findings.knowledge import confidence_finding, knowledge_finding
from pcf_core.jobs import MineRequest, Queue, ensure_worker, submit_mining, submit_run
from pcf_core.mining.miner import Progress
from pcf_core.models import known_models, left_out_models, list_models, resolve_to_score
from pcf_core.records import (
    Aggregation,
    CorrectedRisk,
    Interval,
    Protocol,
    RiskReport,
    RunSpec,
    Scale,
    ScoringKey,
    SetCard,
    Topic,
    Unit,
)
from pcf_core.records.comparison import Comparison
from pcf_core.records.knowledge import KnowledgeReport, KnowledgeSet
from pcf_core.report import comparison_document, export_run, report_document, write_whole
from pcf_core.report.knowledge import knowledge_document
from pcf_core.risk.knowledge import knowledge_score
from pcf_core.settings import Engine, adopt, settings
from pcf_core.store import Store
from pcf_core.topics import (
    card_text,
    csv_bytes,
    left_out_evidence,
    left_out_template_sets,
    left_out_topics,
    list_evidence,
    list_template_sets,
    list_topics,
    load_card,
    load_evidence,
    load_templates,
    load_topic,
    own_template_sets,
    parquet_bytes,
    suiting_sets,
    swapped,
    template_cards,
)
from pcf_core.topics.knowledge import FIRST as FIRST_KNOWLEDGE
from pcf_core.topics.knowledge import load_knowledge
from pcf_core.topics.reading import name_of
from pcf_core.topics.text import check_name, check_text

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Measure how a language model discriminates: prejudice and caprice, with uncertainty.",
)

INTERRUPTED = 130

TopicOption = Annotated[str, typer.Option("--topic", help="a shipped name or a TOML, JSON, CSV or text file")]
TemplatesOption = Annotated[str, typer.Option("--templates", help="a shipped name or a CSV file")]
EvidenceOption = Annotated[str, typer.Option("--evidence", help="a shipped name or a file")]
ReadProtocolOption = Annotated[
    str, typer.Option("--protocol", help="how to read the run: its own protocol, or single-token")
]
ProtocolOption = Annotated[str, typer.Option("--protocol", help="exact, exact-boundary or single-token")]
WeightsOption = Annotated[
    str, typer.Option("--weights", help="uniform, employment, list (the list's own) or a CSV file")
]
CriterionOption = Annotated[str, typer.Option("--criterion", help="max, or l<k> with k ≥ 1")]
ScaleOption = Annotated[str, typer.Option("--scale", help="pcf (largest value 1) or bvf (p/p* − 1)")]
ReferenceOption = Annotated[str, typer.Option("--reference", help="neutral p*: uniform or labour")]
WeightingOption = Annotated[str, typer.Option("--template-weights", help="counts or equal")]
AggregationOption = Annotated[
    str, typer.Option("--aggregation", help="what a group gets of its words: their sum or their mean")
]
UnitOption = Annotated[
    str, typer.Option("--unit", help="what intervals over templates draw again: usual, template or mention")
]
WithinOption = Annotated[
    float | None,
    typer.Option(
        "--within",
        help="draw templates by count until the intervals of R and its parts are within ± this, 0.001 to 0.1",
    ),
]
EngineOption = Annotated[
    str, typer.Option("--engine", help="local, or ray: on a cluster, or this machine's GPUs at once")
]


def view_options(
    weights: str,
    criterion: str,
    scale: str,
    reference: str,
    weighting: str,
    protocol: str,
    aggregation: str,
    unit: str,
) -> ViewOptions:
    return ViewOptions(
        template_weighting=one_of(weighting, "--template-weights", ("counts", "equal")),
        occupation_weights=weights,
        criterion=criterion,
        scale=one_of(scale, "--scale", get_args(Scale)),
        reference=one_of(reference, "--reference", ("uniform", "labour")),
        protocol=one_of(protocol, "--protocol", get_args(Protocol)),
        aggregation=one_of(aggregation, "--aggregation", get_args(Aggregation)),
        unit=one_of(unit, "--unit", get_args(Unit)),
    )


# ------------------------------------------------------------------------------------- lists


@app.command()
def models(
    known: Annotated[bool, typer.Option("--known", help="the registry of hub models instead")] = False,
    as_json: JsonOption = False,
) -> None:
    """List the models that are at hand, or those that the registry knows."""
    if known:
        give_known(as_json)
        return
    specs = list_models()
    for item in left_out_models():
        say(f"left out: {item.name}: {item.reason}")
    give(
        [spec.model_dump() for spec in specs],
        as_json,
        lambda: [f"{spec.name:<24} {spec.family:<8} {spec.parameters:>14,}  {spec.title}" for spec in specs],
    )


def give_known(as_json: bool) -> None:
    """The registry, with the bytes of each model's weights per dtype."""
    registry = known_models()
    give(
        [
            model.model_dump() | {"memory": {dtype: model.memory(dtype) for dtype in DTYPES}}
            for model in registry
        ],
        as_json,
        lambda: [
            f"{model.name:<36} {model.family:<11} {model.parameters:>14,}  {model.verified:<7}  "
            + ", ".join(["gated"] * model.gated + ["own code"] * model.remote_code)
            for model in registry
        ],
    )


@app.command()
def topics(as_json: JsonOption = False) -> None:
    """List the topics, your own last, with the template sets that suit them, and the evidence lists."""
    known, lists, cards = list_topics(), list_evidence(), template_cards()
    for item in (*left_out_topics(), *left_out_evidence()):
        say(f"left out: {item.name}: {item.reason}")
    suits = {topic.name: suiting_sets(topic, cards) for topic in known}
    give(
        {
            "topics": [topic.model_dump() | {"suits": suits[topic.name]} for topic in known],
            "evidence": [evidence.model_dump() for evidence in lists],
        },
        as_json,
        lambda: [
            *(
                f"topic     {t.name:<20} {len(t.words):>4} words   {t.language}, {t.position:<9}   "
                f"{set_names(suits[t.name]):<40}   {' · '.join(t.group_names)}"
                for t in known
            ),
            *(f"evidence  {e.name:<20} {len(e.terms):>4} terms   {e.title}" for e in lists),
        ],
    )


def set_names(names: Sequence[str]) -> str:
    """The first name and how many more there are."""
    return f"{names[0]} and {len(names) - 1} more" if len(names) > 1 else "".join(names)


def share_text(card: SetCard) -> str:
    """What a set carries of the mass it was cut from; nothing where it was not mined."""
    if not card.kept:
        return "share unknown"
    return f"{card.kept:.1%} of the mass" if card.matches or card.kept < 1 else ""


@app.command()
def templates(as_json: JsonOption = False) -> None:
    """List the template sets, the shipped ones first."""
    sets = [(templates, load_card(templates.name)) for templates in list_template_sets()]
    own = own_template_sets()
    for item in left_out_template_sets():
        say(f"left out: {item.name}: {item.reason}")
    facts = (
        "language",
        "form",
        "corpus",
        "licence",
        "documents",
        "words",
        "matches",
        "cut",
        "kept",
        "parents",
    )
    give(
        [
            templates.model_dump() | {"own": templates.name in own} | card.model_dump(include=set(facts))
            for templates, card in sets
        ],
        as_json,
        lambda: [
            f"{templates.name:<24} {len(templates.templates):>7,} templates  "
            f"{share_text(card):<18}  "
            f"{f'{card.documents:,} documents' if card.documents else '':<20}  "
            f"{'own  ' * (templates.name in own)}{templates.title}"
            + (f" ({card.licence})" if card.licence else "")
            for templates, card in sets
        ],
    )


# ------------------------------------------------------------------------------------- scoring


@app.command()
def words(
    model: ModelOption,
    text: Annotated[str, typer.Option("--text", help="a sentence with one [Y]")],
    topic: TopicOption = "gender",
    protocol: ProtocolOption = "exact",
    dtype: DtypeOption = "float32",
    as_json: JsonOption = False,
) -> None:
    """Score the topic's words in one sentence."""
    from pcf_core.jobs.words import word_check

    chosen = load_topic(topic)
    kind = one_of(protocol, "--protocol", get_args(Protocol))
    number_type = one_of(dtype, "--dtype", DTYPES)
    sentence = check_text(text, "the text", "--text", TemplateError)
    answers = [word_check(name, chosen, sentence, kind, dtype=number_type) for name in model]

    def lines() -> list[str]:
        return [
            f"{name}: " + ", ".join(f"{group} {p:.3f}" for group, p in answer["preferences"].items())
            for name, answer in zip(model, answers, strict=True)
        ]

    give(answers[0] if len(answers) == 1 else answers, as_json, lines)


@app.command()
def score(
    model: ModelOption,
    topic: TopicOption = "gender",
    templates: TemplatesOption = "",
    evidence: EvidenceOption = "",
    protocol: ProtocolOption = "exact",
    dtype: DtypeOption = "float32",
    within: WithinOption = None,
    engine: EngineOption = "",
    swap: Annotated[bool, typer.Option("--swap", help="the topic's words at [X], the list's at [Y]")] = False,
    queue: Annotated[bool, typer.Option("--queue", help="leave the work to a worker and return")] = False,
    as_json: JsonOption = False,
) -> None:
    """Score every template × occupation, or with --within as many templates as it takes.

    What is in the store is not scored again.
    """
    chosen = load_topic(topic)
    terms = load_evidence(given_or_usual(evidence, chosen, "evidence"))
    if swap:
        chosen, terms = swapped(chosen, terms)
    texts = load_templates(given_or_usual(templates, chosen, "templates"))
    kind: Protocol = one_of(protocol, "--protocol", get_args(Protocol))
    specs = [resolve_to_score(name).with_dtype(one_of(dtype, "--dtype", DTYPES)) for name in model]
    runs = [build_run(spec, chosen, terms, texts, kind) for spec in specs]
    runs = runs if within is None else [planned(run, within) for run in runs]
    chosen_engine: Engine = one_of(engine or settings().engine, "--engine", get_args(Engine))
    if queue and engine:
        raise InputError("--engine is for scoring now; a worker takes the setting PCF_ENGINE: leave one out.")
    store = open_store()
    answers = [queue_run(store, run) if queue else score_now(store, run, kind, chosen_engine) for run in runs]
    give(
        answers[0] if len(answers) == 1 else answers,
        as_json,
        lambda: [f"{a['run']}  {a['cells']:,} cells, {a['scored']:,} scored now" for a in answers],
    )


def given_or_usual(given: str, topic: Topic, option: Literal["templates", "evidence"]) -> str:
    """The name that was given, else the one that the topic begins with."""
    usual = topic.templates if option == "templates" else topic.evidence
    if not (given or usual):
        raise InputError(f"The topic {topic.name!r} names no default for --{option}; give one.")
    return given or usual


def score_now(store: Store, run: RunSpec, protocol: Protocol, engine: Engine) -> dict[str, Any]:
    """Score in the foreground, with progress on stderr."""
    from pcf_core.jobs.engines import scorers_of
    from pcf_core.jobs.sampling import score_asked

    say_if_counts_changed(store, run)
    with scorers_of(engine, settings()) as open_scorer, progress_line() as show:

        def progress(done: int, total: int, rate: float) -> None:
            show(f"{run.scoring.model}: {done:,} of {total:,} cells, {rate:,.0f}/s")

        done = score_asked(
            run, store, open_scorer, on_progress=progress, on_look=lambda look: say(f"\n{look_finding(look)}")
        )
    load_result(store, done.run, protocol)
    return done.document


def say_if_counts_changed(store: Store, run: RunSpec) -> None:
    """Counts are no part of a run key: the link stays and its numbers move, which has to be said."""
    try:
        before = store.load_run(run.key)
    except RunError:
        return
    if before.templates.counts.tolist() != run.templates.counts.tolist():
        say(
            f"the counts of {run.templates.name} changed: run {run.key} is read with the new ones from now on"
        )


@app.command()
def knowledge(
    model: ModelOption,
    facts: Annotated[
        str, typer.Option("--set", help="a knowledge set, shipped or your own, or a file")
    ] = FIRST_KNOWLEDGE,
    score: Annotated[str, typer.Option("--score", help="J of p(right): sqrt, log1p or quadratic")] = "sqrt",
    protocol: ProtocolOption = "exact",
    dtype: DtypeOption = "float32",
    as_json: JsonOption = False,
) -> None:
    """Score a knowledge set, what of it is not in the store, and read what the model knows."""
    asked = load_knowledge(facts)
    knowledge_score(score)
    kind: Protocol = one_of(protocol, "--protocol", get_args(Protocol))
    specs = [resolve_to_score(name).with_dtype(one_of(dtype, "--dtype", DTYPES)) for name in model]
    store = open_store()
    found = [know_now(store, asked, ScoringKey.of(spec, kind), kind, score) for spec in specs]
    answers = [known | knowledge_document(report) for known, report in found]
    give(
        answers[0] if len(answers) == 1 else answers,
        as_json,
        lambda: [line for known, report in found for line in knowledge_lines(known["model"], report)],
    )


def know_now(
    store: Store, asked: KnowledgeSet, key: ScoringKey, protocol: Protocol, score: str
) -> tuple[dict[str, Any], KnowledgeReport]:
    """Score in the foreground, with progress on stderr, and read: facts of the scoring, and the report."""
    from pcf_core.jobs.knowledge import score_knowledge

    with progress_line() as show:

        def progress(done: int, total: int, rate: float) -> None:
            show(f"{key.model}: {done:,} of {total:,} prompts, {rate:,.0f}/s")

        scored = score_knowledge(asked, key, store, on_progress=progress)
    facts = {"model": key.model, "dtype": key.dtype, "protocol": protocol, "scored": scored}
    return facts, knowledge_report(store, key, asked, score, protocol)


def knowledge_lines(model: str, found: KnowledgeReport) -> list[str]:
    lines = [knowledge_finding(model, found), confidence_finding(found), *found.warnings]
    return lines + [f"left out: {item.name} ({item.reason})" for item in found.left_out]


def queue_run(store: Store, run: RunSpec) -> dict[str, Any]:
    """Leave the work to a worker."""
    missing = sum(len(block.prompts) for block in missing_blocks(store, run))
    job = submit_run(store, Queue.open(settings().catalogue), run, missing)
    ensure_worker(settings())
    say(f"queued as job {job.id}; follow it on the page Score, or call score again without --queue")
    return {"run": run.key, "cells": run.cells, "scored": 0, "job": job.id}


@app.command()
def worker(
    until_idle: Annotated[bool, typer.Option(help="end when the queue is empty")] = False,
    device: Annotated[str, typer.Option(help="instead of PCF_DEVICE: auto, cpu, cuda:1, split …")] = "",
) -> None:
    """Take jobs from the queue and score them."""
    from pcf_core.jobs.worker import Worker

    if device:
        adopt({"PCF_DEVICE": device})
    Worker.open(settings()).run(until_idle=until_idle)


# ------------------------------------------------------------------------------------- mining


@app.command()
def mine(
    corpus: Annotated[str, typer.Option("--corpus", help="a file, a folder, or hf:OWNER/NAME")],
    topic: Annotated[
        list[str], typer.Option("--topic", help="a shipped name or a TOML file; may be repeated")
    ],
    out: Annotated[Path | None, typer.Option("--out", help="the .csv or .parquet file to write")] = None,
    name: Annotated[str, typer.Option("--name", help="of the set; else the file's")] = "",
    pipeline: Annotated[
        str, typer.Option("--pipeline", help="the parser: en-mini, a spaCy package, a folder")
    ] = "",
    sample: Annotated[
        int | None, typer.Option("--sample", help="so many documents, drawn at random; else all")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="of --sample")] = 0,
    workers: Annotated[
        int, typer.Option("--workers", min=0, max=256, help="processes; 0: PCF_MINE_WORKERS, or one a core")
    ] = 0,
    cut: Annotated[float, typer.Option("--cut", help="the lowest count to keep, 1 or more")] = 1,
    engine: EngineOption = "",
    queue: Annotated[bool, typer.Option("--queue", help="leave the work to a worker and return")] = False,
    as_json: JsonOption = False,
) -> None:
    """Mine templates from texts, with their counts; the same command again goes on where it was left."""
    if not 1 <= cut < math.inf:
        raise InputError(f"--cut must be a number from 1 up; got {cut:g}.")
    if queue and (out or engine or workers):
        raise InputError(
            "--queue leaves the work to a worker, which keeps the set as yours: give --name, and neither "
            "--out nor --engine nor --workers."
        )
    if not queue:
        out = checked_out(out)
    topics = tuple(load_topic(given) for given in topic)
    request = MineRequest(
        corpus=corpus_path(corpus),
        topics=topics,
        name=check_name(
            name or name_of(out or Path(f"{corpus_stem(corpus)}-{topics[0].name}")),
            "--name",
            "The set",
            InputError,
        ),
        pipeline=pipeline_path(pipeline or settings().pipeline),
        sample=sample,
        seed=seed,
        cut=cut,
    )
    if out is None:
        answer = queue_mining(request)
        give(answer, as_json, lambda: [f"{answer['name']}  job {answer['job']}"])
        return
    chosen_engine: Engine = one_of(engine or settings().engine, "--engine", get_args(Engine))
    answer = {"out": str(out), **mine_now(request, chosen_engine, workers, out)}
    give(
        answer,
        as_json,
        lambda: [
            f"{answer['out']}  {answer['templates']:,} templates, counted {answer['count']:,.0f} times in "
            f"{answer['documents']:,} documents"
        ],
    )


def checked_out(out: Path | None) -> Path:
    """The file to write the set to: what speaks against it is said before hours of work.

    Raises:
        InputError: no file, one of another kind, or in no folder; its card would replace another file.
    """
    if (
        out is None
        or out.suffix not in (".csv", ".parquet")
        or out.is_dir()
        or not out.absolute().parent.is_dir()
    ):
        raise InputError(
            f"--out must name a .csv or .parquet file in a folder that is there; got {str(out or '')!r}."
        )
    if not os.access(out.absolute().parent, os.W_OK):
        raise InputError(f"--out is in a folder that cannot be written ({out}): choose another.")
    card = out.with_suffix(".toml")
    if card.exists() and not is_mined_card(card):
        raise InputError(f"{card} is there and is no card of a mined set: choose another --out.")
    return out


def is_mined_card(path: Path) -> bool:
    """Whether it is what this command wrote beside an earlier set."""
    try:
        return "corpus" in tomllib.loads(path.read_text(encoding="utf8"))
    except (OSError, ValueError):
        return False


def corpus_path(corpus: str) -> str:
    """The corpus as a worker in another folder finds it: a path that is there is made absolute."""
    try:
        path = Path(corpus)
        return str(path.absolute()) if corpus.strip() and path.exists() else corpus  # "" is no folder
    except OSError:  # too long for a path
        return corpus


def pipeline_path(pipeline: str) -> str:
    """The parser likewise, where it is a path and no name."""
    return corpus_path(pipeline) if os.sep in pipeline else pipeline


def corpus_stem(corpus: str) -> str:
    """What a set mined from it is called: ``a/b.jsonl.gz`` gives b."""
    return Path(corpus).name.partition(".")[0]


def queue_mining(request: MineRequest) -> dict[str, Any]:
    """Leave the work to a worker."""
    job = submit_mining(Queue.open(settings().catalogue), request)
    ensure_worker(settings())
    say(f"queued as job {job.id}; follow it on the page Templates, where the set {request.name} will be")
    return {"name": request.name, "job": job.id}


def mine_now(request: MineRequest, engine: Engine, workers: int, out: Path) -> dict[str, Any]:
    """Mine in the foreground, with progress on stderr, and write the set with its card."""
    from pcf_core.jobs.mining import counters_of, document_of, mine_asked

    def text(so_far: Progress, rate: float) -> str:
        part = f"{so_far.read / so_far.size:.1%}, " if so_far.size else ""
        left = f", {(so_far.size - so_far.read) / rate:,.0f} s left" if so_far.size and rate else ""
        return f"{request.name}: {part}{so_far.words:,} words, {so_far.matches:,} matches{left}"

    with (
        counters_of(engine, settings(), request.topics, request.pipeline, workers) as counters,
        progress_line() as show,
    ):
        mined = mine_asked(
            request, settings(), counters, lambda so_far, rate: show(text(so_far, rate)), say=say
        )
    data = parquet_bytes(mined.templates) if out.suffix == ".parquet" else csv_bytes(mined.templates)
    write_whole(out, lambda path: path.write_bytes(data))
    write_whole(
        out.with_suffix(".toml"), lambda path: path.write_text(card_text(mined.templates.card), "utf8")
    )
    return document_of(mined)


app.command()(fairpair)
app.command()(criteria)


# ------------------------------------------------------------------------------------- reading


@app.command()
def risk(
    run: Annotated[str, typer.Argument(help="run key, or its first six digits or more")] = "",
    matrix: Annotated[Path | None, typer.Option(help="a JSON file of probabilities made elsewhere")] = None,
    weights: WeightsOption = "uniform",
    criterion: CriterionOption = "max",
    scale: ScaleOption = "pcf",
    reference: ReferenceOption = "uniform",
    template_weights: WeightingOption = "counts",
    protocol: ReadProtocolOption = "",
    aggregation: AggregationOption = "sum",
    unit: UnitOption = "usual",
    as_json: JsonOption = False,
) -> None:
    """Discrimination risk of a finished run, or of a matrix of probabilities."""
    if bool(run) == (matrix is not None):
        raise InputError(
            "Give either the key of a run or --matrix FILE.json; `score` prints the key of a run."
        )
    facts: dict[str, Any] = {}
    options = view_options(
        weights,
        criterion,
        scale,
        reference,
        template_weights,
        protocol or "exact",
        aggregation,
        unit,
    )
    if matrix is not None:
        found = matrix_report(read_json(matrix), options)
    else:
        store = open_store()
        spec = store.load_run(run)
        kind = protocol or spec.scoring.protocol
        options = options.model_copy(update={"protocol": kind})
        found = report(load_result(store, spec, options.protocol, options.aggregation), spec, options)
        facts = {"run": spec.key, "model": spec.scoring.model, "dtype": spec.scoring.dtype, "protocol": kind}
    give(facts | report_document(found), as_json, lambda: risk_lines(found))


def read_json(path: Path) -> Mapping[str, Any]:
    """One JSON object from a file.

    Raises:
        InputError: the file cannot be read or is not JSON.
    """
    try:
        document = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}; give the path of a JSON file.") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not JSON that can be read: {error}.") from error
    return document  # type: ignore[no-any-return]


def risk_lines(found: RiskReport) -> list[str]:
    lines = []
    for name in ("overall_risk", "prejudice_risk", "caprice_risk"):
        intervals = [f"{one.low:.4f}–{one.high:.4f}, {drawn_again(one)}" for one in found.intervals[name]]
        lines.append(f"{name:<16} {getattr(found, name):.4f}  ({'; '.join(intervals)})")
    if found.corrected is not None:
        lines.append(corrected_line(found.corrected))
    if found.caprice_risk == 0:
        lines.append(unseen_note(found))
    lines.append(f"stereotype s.d.  {found.stereotype_sd:.4f}, averaged over occupations")
    lines.append(f"effective templates {found.effective_templates:.1f} of {len(found.templates)}")
    facts = coverage_facts(found.coverage) if found.coverage else {}
    facts |= self_audit_facts(found.self_audit) if found.self_audit else {}
    lines += [f"{name}: {sentence}" for name, sentence in facts.items()]
    lines += [f"left out: {item.name} ({item.reason})" for item in found.left_out]
    return lines + list(found.warnings)


def drawn_again(interval: Interval) -> str:
    """What the interval leaves open: other templates, occupations, or both."""
    return f"{interval.unit}s and occupations" if interval.over == "both" else f"{interval.unit}s"


def corrected_line(found: CorrectedRisk) -> str:
    """The parts that the report does not give first, and what sampling alone would show."""
    beside = "plug-in", found.plug_in_prejudice_risk, found.plug_in_caprice_risk
    if not found.headline:
        beside = "corrected", found.prejudice_risk, found.caprice_risk
    line = f"{beside[0]:<16} prejudice {beside[1]:.4f}, caprice {beside[2]:.4f}"
    if found.sampling_prejudice is None:
        return line
    return f"{line}; prejudice from the sampling of templates alone {found.sampling_prejudice:.4f}"


@app.command()
def compare(
    first: Annotated[str, typer.Argument(help="run key, or its first six digits or more")],
    second: Annotated[str, typer.Argument(help="the run that it is compared with")],
    weights: WeightsOption = "uniform",
    criterion: CriterionOption = "max",
    scale: ScaleOption = "pcf",
    reference: ReferenceOption = "uniform",
    template_weights: WeightingOption = "counts",
    protocol: ReadProtocolOption = "",
    aggregation: AggregationOption = "sum",
    unit: UnitOption = "usual",
    as_json: JsonOption = False,
) -> None:
    """Compare two finished runs on the templates and occupations that both have."""
    options = view_options(
        weights,
        criterion,
        scale,
        reference,
        template_weights,
        protocol or "exact",
        aggregation,
        unit,
    )
    store = open_store()
    specs = [store.load_run(key) for key in (first, second)]
    kinds: list[Protocol] = [options.protocol if protocol else spec_protocol(spec) for spec in specs]
    one, other = (
        ReadRun(spec, load_result(store, spec, kind, options.aggregation), kind)
        for spec, kind in zip(specs, kinds, strict=True)
    )
    found = compared(one, other, options)
    give(comparison_document(found), as_json, lambda: comparison_lines(found))


def spec_protocol(spec: RunSpec) -> Protocol:
    """The protocol that a run was scored with."""
    kind: Protocol = one_of(spec.scoring.protocol, "the run's protocol", get_args(Protocol))
    return kind


def comparison_lines(found: Comparison) -> list[str]:
    lines = [difference_finding(found, quantity) for quantity in found.differences]
    return [*lines, occupations_difference_finding(found), *found.warnings]


@app.command()
def export(
    run: Annotated[str, typer.Argument(help="run key, or its first six digits or more")],
    out: Annotated[Path, typer.Option(help="the file to write")],
    form: Annotated[str, typer.Option("--format", help="csv, parquet or json")] = "csv",
    weights: WeightsOption = "uniform",
    criterion: CriterionOption = "max",
    scale: ScaleOption = "pcf",
    reference: ReferenceOption = "uniform",
    template_weights: WeightingOption = "counts",
    protocol: ReadProtocolOption = "",
    aggregation: AggregationOption = "sum",
    unit: UnitOption = "usual",
) -> None:
    """Write one row per occupation × template × group, and the risk report beside it as JSON."""
    kind: Literal["csv", "parquet", "json"] = one_of(form, "--format", ("csv", "parquet", "json"))
    options = view_options(
        weights,
        criterion,
        scale,
        reference,
        template_weights,
        protocol or "exact",
        aggregation,
        unit,
    )
    store = open_store()
    spec = store.load_run(run)
    options = options.model_copy(update={"protocol": protocol or spec.scoring.protocol})
    result = load_result(store, spec, options.protocol, options.aggregation)
    for path in export_run(spec, result.preferences, report(result, spec, options), out, kind):
        say(f"wrote {path}")


def run_command(application: typer.Typer, arguments: Sequence[str] | None, unfinished: str) -> int:
    """Run a command line and return its exit code; every refusal is one sentence on stderr.

    ``unfinished`` says what an interrupt leaves behind.
    """
    try:
        code = int(application(arguments, standalone_mode=False) or 0)
    except InputError as error:
        say(str(error))
        return 2
    except AuditError as error:
        say(str(error))
        return 1
    except OSError as error:
        say(f"the output cannot be written: {error.strerror or error}")
        return 1
    except TyperException as error:
        say(error.format_message())
        return error.exit_code
    if code == INTERRUPTED:
        say(unfinished)
    return code


def main() -> int:
    """Run a command of this program."""
    return run_command(
        app, None, "interrupted; what is finished is kept, the same command goes on from there"
    )


if __name__ == "__main__":
    sys.exit(main())
