"""``audit``: carry out a plan, from the missing scores to the report that is signed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from pcf_core.audit.gate import GateReport
from pcf_core.audit.preferences import build_run
from pcf_core.audit.stored_verdicts import stored_verdicts
from pcf_core.cli.check import exit_code
from pcf_core.cli.console import JsonOption, give, open_store, record, say, to_score
from pcf_core.cli.exporting import document_of, file_bytes
from pcf_core.cli.scoring import score_now
from pcf_core.core.errors import AuditError, InputError, RunError, ScoringError, StoreError
from pcf_core.core.run import RunSpec
from pcf_core.core.settings import settings
from pcf_core.models.frames import framed
from pcf_core.models.names import AUTO
from pcf_core.report.files import check_target, write_whole
from pcf_core.report.gate import gate_document, gate_lines
from pcf_core.report.plan import AuditPlan, check_limits, plan_request, read_plan
from pcf_core.report.signoff import beside
from pcf_core.show.findings.notes import duration
from pcf_core.show.findings.numbers import count
from pcf_core.store.store import Store
from pcf_core.work.estimate import Estimate, estimate, in_all
from pcf_core.work.queue import Queue

FORMS = ("html", "json")
JSON = "report.json"


def audit(
    plan: Annotated[Path, typer.Argument(help="a TOML file, see docs/gate.md")],
    out: Annotated[
        Path | None,
        typer.Option(help="the folder for report.html and report.json; by default one named as the plan"),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="only show how many test sentences are missing, and how long")
    ] = False,
    as_json: JsonOption = False,
) -> int:
    """Carry out an audit plan: score what is missing, judge the limits, and write the report.

    Nothing is scored twice, so the same command goes on after an interruption, and tries again what failed.
    Exit codes are those of check.
    """
    intended, folder, store = read_plan(plan), out or Path(plan.stem), open_store()
    if not dry_run:
        _check_folder(folder)
    runs, policy = planned(intended), intended.policy
    if policy is not None:
        check_limits(policy, runs)
    queue = Queue.open(settings().catalogue)
    cost = in_all(estimate(run, store, queue) for run in runs)
    say(_cost_note(runs, cost))
    if dry_run:
        give(_document(intended, cost, runs), as_json, lambda: ["Nothing is run or saved."])
        return 0
    runs = _scored(store, runs)
    verdicts = _verdicts(store, intended, runs)
    document = document_of(store, plan_request(store, intended, runs))
    files = [folder / f"report.{form}" for form in FORMS]
    for file, form in zip(files, FORMS, strict=True):
        data = file_bytes(document, form)
        write_whole(file, lambda path, data=data: path.write_bytes(data))  # type: ignore[misc]
        record("exported", "report", " ".join((file.name, *document.request.runs)))

    def lines() -> list[str]:
        judged = [line for report in verdicts for line in gate_lines(report)]
        return [*document.headline, *judged, *(f"wrote {file}" for file in files)]

    give(_document(intended, cost, runs, verdicts, files), as_json, lines)
    say(f"To sign it off: python -m pcf_core sign {files[-1]} --name … --role … --decision … --reason …")
    return exit_code(verdicts)


def planned(plan: AuditPlan) -> tuple[RunSpec, ...]:
    """Return the runs of a plan, topic by topic."""
    models = to_score(plan.models, AUTO)
    return tuple(
        build_run(framed(spec, frame), topic, evidence, templates)
        for topic, evidence, templates in plan.lists
        for spec in models
        for frame in plan.frames.about(topic).each
    )


def _scored(store: Store, runs: Sequence[RunSpec]) -> tuple[RunSpec, ...]:
    """Score what is missing; a result that fails does not hold up the others.

    Raises at the end, RunError if every failure is one of input, else ScoringError.
    """
    done, failed = list[RunSpec](), list[AuditError]()
    for run in runs:
        try:
            done.append(store.load_run(score_now(store, run, "exact", settings().engine)["run"]))
        except StoreError:  # nothing further can be stored either
            raise
        except AuditError as error:
            failed.append(error)
            say(f"{run.scoring.label} ({run.topic.title}): {error}")
    if not failed:
        return tuple(done)
    wrong_input = all(isinstance(error, InputError) for error in failed)
    raise (RunError if wrong_input else ScoringError)(
        f"{count(len(failed), 'result')} of {len(runs)} failed, as said above, so there is no report yet. "
        "The others are stored: correct the cause, then give the same command again for what is missing."
    )


def _check_folder(folder: Path) -> None:
    """Make the folder; raise InputError if it cannot be one, or has a report that is signed off."""
    if beside(folder / JSON).exists():
        raise InputError(
            f"The report in {folder} is signed off, and another would not fit the sign-off: give another "
            "folder with --out."
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"{folder} cannot be a folder ({error.strerror}): give another with --out."
        ) from error
    check_target(folder / JSON)


def _cost_note(runs: Sequence[RunSpec], cost: Estimate) -> str:
    if not cost.missing:
        return f"{count(len(runs), 'result')}, and nothing is missing."
    time = "unknown time" if cost.seconds is None else f"about {duration(cost.seconds)}"
    return (
        f"{count(len(runs), 'result')}; {count(cost.missing, 'test sentence')} missing, {time}. {cost.basis}"
    )


def _verdicts(store: Store, plan: AuditPlan, runs: Sequence[RunSpec]) -> list[GateReport]:
    """Judge every model by the plan's limits, if it has any; raise RunError if one has no figures."""
    if (policy := plan.policy) is None:
        return []
    reports = []
    for scoring in dict.fromkeys(run.scoring for run in runs):
        verdicts = stored_verdicts(store, policy, scoring)
        if verdicts.report is None:
            raise RunError(
                verdicts.refused or f"The results of {scoring.label} are gone: run the plan again."
            )
        reports.append(verdicts.report)
    return reports


def _document(
    plan: AuditPlan,
    cost: Estimate,
    runs: Sequence[RunSpec],
    verdicts: Sequence[GateReport] = (),
    files: Sequence[Path] = (),
) -> dict[str, Any]:
    return {
        "purpose": plan.purpose,
        "missing": cost.missing,
        "seconds": cost.seconds,
        "basis": cost.basis,
        "runs": [
            {
                "run": run.key,
                "model": run.scoring.label,
                "topic": run.topic.name,
                "templates": run.templates.name,
                "evidence": run.evidence.name,
                "cells": run.cells,
            }
            for run in runs
        ],
        "verdicts": [gate_document(report) for report in verdicts],
        "files": [str(file) for file in files],
    }
