"""``risk`` and ``compare``: print the results of runs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from pcf_core.audit.baseline import baseline_of, order_on_other_scales
from pcf_core.audit.comparing import OtherSentences, answers_elsewhere, compared
from pcf_core.audit.reading import matrix_report, read_with
from pcf_core.audit.results import Results
from pcf_core.cli.console import JsonOption, View, give, one_of, open_store, progress_line, say, with_view
from pcf_core.core.errors import InputError
from pcf_core.core.run import Protocol, RunSpec
from pcf_core.material.evidence import load_evidence
from pcf_core.material.templates import load_templates
from pcf_core.report.documents import baseline_document, comparison_document, report_document
from pcf_core.show.findings.notes import other_lists_note
from pcf_core.show.findings.provenance import imported_note
from pcf_core.store.store import Store

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
        report = matrix_report(read_json(matrix), options)
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

    def lines() -> list[str]:
        from pcf_core.cli.panels import matrix_lines, run_lines

        return matrix_lines(matrix.name, report) if matrix else run_lines(store, item, options, held)

    give(facts | report_document(report), as_json, lines)


def read_json(path: Path) -> Mapping[str, Any]:
    """Read one JSON object from a file; raise InputError if it cannot be read or is not JSON."""
    try:
        document = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(
            f"{path} cannot be read ({error.strerror}): give the path of a JSON file."
        ) from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not valid JSON ({error}): correct it there.") from error
    return document  # type: ignore[no-any-return]


@with_view
def compare(
    first: Annotated[str, typer.Argument(help="a run key, or at least its first six digits")],
    second: Annotated[str, typer.Argument(help="the run to compare it with")],
    templates: CountsOption = "",
    evidence: ListOption = "",
    as_json: JsonOption = False,
    *,
    view: View,
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
