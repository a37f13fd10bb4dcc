"""``check``: test whether models keep limits, for people and pipelines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, get_args

import typer

from pcf_core.audit.comparing import common_names
from pcf_core.audit.gate import GateReport, ReadRun, check_context, check_plan
from pcf_core.audit.policy import PACK, RUN_KEY, CannotTell, Context, Most, MostIncrease, Policy, read_policy
from pcf_core.audit.preferences import build_run
from pcf_core.audit.reading import RunView
from pcf_core.audit.results import Results
from pcf_core.cli.console import (
    DtypeOption,
    EvidenceOption,
    JsonOption,
    ModelOption,
    ProtocolOption,
    TemplatesOption,
    TopicOption,
    give,
    json_text,
    one_of,
    one_or_all,
    open_store,
    to_score,
)
from pcf_core.cli.files import end_reading, with_files
from pcf_core.cli.packs import checked_pack, pack_data
from pcf_core.cli.scoring import given_or_usual, score_with
from pcf_core.core.errors import InputError, PackError, PolicyError, RunError
from pcf_core.core.records import made
from pcf_core.core.run import ModelSpec, RunSpec, ScoringKey
from pcf_core.core.settings import settings
from pcf_core.material.evidence import load_evidence
from pcf_core.material.safety.understood import Reading
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import load_topic
from pcf_core.models.names import AUTO
from pcf_core.report.files import check_target, write_whole
from pcf_core.report.gate import gate_document, gate_junit, gate_lines, gate_markdown
from pcf_core.show.findings.numbers import listed
from pcf_core.store.store import Store
from pcf_core.work.jobs import OpenScorer

FORMS: Mapping[str, str] = {".txt": "text", ".json": "json", ".md": "markdown", ".xml": "junit"}
EXCEEDS, CANNOT_TELL = 3, 4  # exit codes


@with_files
def check(
    model: ModelOption,
    policy: Annotated[Path | None, typer.Option(help="a TOML file of limits, see docs/gate.md")] = None,
    topic: TopicOption = "",
    templates: TemplatesOption = "",
    evidence: EvidenceOption = "",
    protocol: ProtocolOption = "",
    dtype: DtypeOption = AUTO,
    max_risk: Annotated[float | None, typer.Option(help="the highest R allowed, 0 to 1")] = None,
    max_prejudice: Annotated[float | None, typer.Option(help="the highest R^p allowed")] = None,
    max_caprice: Annotated[float | None, typer.Option(help="the highest R^c allowed")] = None,
    max_wording_caprice: Annotated[
        float | None, typer.Option(help="the highest part of R^c allowed that the wording alone makes")
    ] = None,
    min_impact_ratio: Annotated[
        float | None, typer.Option(help="of decisions about people: the least impact ratio allowed, 0 to 1")
    ] = None,
    max_increase: Annotated[
        float | None, typer.Option(help="the largest increase of R over the baseline allowed, -1 to 1")
    ] = None,
    baseline: Annotated[str, typer.Option(help="for --max-increase: a run key, a model or a pack")] = "",
    cannot_tell: Annotated[
        str, typer.Option(help="what to do if a limit cannot be judged: pass, warn (the default) or fail")
    ] = "",
    stop_early: Annotated[
        bool,
        typer.Option(
            "--stop-early",
            help="stop scoring once the verdicts are clear; in simulations that aimed at 5 wrong verdicts "
            "in 100, up to 6 were wrong, see docs/gate.md",
        ),
    ] = False,
    form: Annotated[
        str, typer.Option("--format", help="the format of stdout: text, json, markdown or junit")
    ] = "",
    out: Annotated[
        list[Path] | None, typer.Option(help="a file to write: .txt, .json, .md or .xml; may be repeated")
    ] = None,
    as_json: JsonOption = False,
    *,
    reading: Reading,
) -> int:
    """Check models against limits: exit 0 if all limits are kept, 3 if one is exceeded.

    A verdict is based on an interval or a paired test, never on the estimate alone. If a limit cannot be
    judged, the policy decides the outcome: pass, warn, or fail with exit 4.
    """
    if form:
        one_of(form, "--format", tuple(FORMS.values()))
    if form and as_json and form != "json":
        raise InputError(
            f"--json and --format {form} request two different formats for stdout: give only one of them."
        )
    files = {path: _form_of(path) for path in out or ()}
    given = {
        "--topic": topic,
        "--templates": templates,
        "--evidence": evidence,
        "--protocol": protocol,
        "--max-risk": max_risk,
        "--max-prejudice": max_prejudice,
        "--max-caprice": max_caprice,
        "--max-wording-caprice": max_wording_caprice,
        "--min-impact-ratio": min_impact_ratio,
        "--max-increase": max_increase,
        "--cannot-tell": cannot_tell,
    }
    if policy is not None:
        twice = [option for option, value in given.items() if value not in ("", None)]
        if twice:
            raise InputError(
                f"{twice[0]} cannot be combined with --policy, which already sets it: leave one of them out."
            )
        request = read_policy(policy)
    else:
        request = _policy_of(given)
    if baseline and not request.compares:
        raise InputError(
            "--baseline was given, but no limit uses it: add --max-increase, or max_increase in the policy, "
            "or leave --baseline out."
        )
    specs, store = to_score(model, dtype), open_store()
    with TemporaryDirectory() as folder:
        packs = _BaselinePacks(Path(folder))
        gate = _Gate(store, request, dtype, baseline, stop_early or request.stop_early, packs)
        plans = [[gate.planned(spec, context) for context in request.contexts] for spec in specs]
        end_reading(reading, as_json=as_json)
        reports = [gate.checked(spec, runs) for spec, runs in zip(specs, plans, strict=True)]
    for path, kind in files.items():
        text = _written(reports, kind)
        write_whole(path, lambda target, text=text: target.write_bytes(text))  # type: ignore[misc]
    _tell(reports, "json" if as_json else form)
    return exit_code(reports)


def exit_code(reports: Sequence[GateReport]) -> int:
    """Return the exit code of these verdicts."""
    if any(report.verdict == "exceeds" for report in reports):
        return EXCEEDS
    return CANNOT_TELL if any(report.outcome == "fail" for report in reports) else 0


def _form_of(path: Path) -> str:
    if path.suffix.lower() not in FORMS:
        raise InputError(
            f"The name of an --out file must end in {', '.join(FORMS)}; {str(path)[:200]!r} does not."
        )
    check_target(path)
    return FORMS[path.suffix.lower()]


def _policy_of(given: Mapping[str, str | float | None]) -> Policy:
    """Return the policy given by options, which has one context."""
    names = [name for name in given if name.startswith(("--max-", "--min-"))]
    figures = {name[len("--max-") :].replace("-", "_"): given[name] for name in names}
    ratio = figures.pop("impact_ratio")
    if all(value is None for value in (ratio, *figures.values())):
        raise PolicyError(
            f"No limit is given: set one with {', '.join(names[:-1])} or {names[-1]}, or give a file of "
            "limits with --policy."
        )
    increase = figures.pop("increase")
    context = {
        "topic": given["--topic"] or "gender",
        "templates": given["--templates"],
        "evidence": given["--evidence"],
        "protocol": given["--protocol"] or "exact",
        "max": made(Most, figures, "The options --max-…", PolicyError),
        "max_increase": made(MostIncrease, {"risk": increase}, "The option --max-increase", PolicyError),
        **({} if ratio is None else {"min_impact_ratio": ratio}),
    }
    follows = one_of(str(given["--cannot-tell"] or "warn"), "--cannot-tell", get_args(CannotTell))
    request = {"cannot_tell": follows, "contexts": (made(Context, context, "The options", PolicyError),)}
    return made(Policy, request, "The options", PolicyError)


@dataclass(frozen=True)
class _Gate:
    """Check models against a policy, and score what the store lacks for it."""

    store: Store
    policy: Policy
    dtype: str
    baseline: str
    early: bool
    packs: _BaselinePacks

    def planned(self, spec: ModelSpec, context: Context) -> RunSpec:
        """Return the run of all templates of a context.

        Raise for options that allow no verdict, before anything is scored for any context.
        """
        topic = load_topic(context.topic)
        run = build_run(
            spec,
            topic,
            load_evidence(given_or_usual(context.evidence, topic, "evidence")),
            load_templates(given_or_usual(context.templates, topic, "templates")),
            context.protocol,
        )
        named = bool(self.baseline or context.baseline)
        check_plan(context, run, self.policy.error_each, early=self.early, has_baseline=named)
        if context.compares:
            self.baseline_of(context, run)
        return run

    def baseline_of(self, context: Context, run: RunSpec) -> tuple[Store, RunSpec] | ScoringKey:
        """Return the baseline of a context: a stored run, or the model that is to be scored as ``run`` is."""
        name = self.baseline or context.baseline
        if name.endswith(PACK):
            return self.packs.comparable(Path(name), run)
        if RUN_KEY.fullmatch(name):
            stored = self.store.load_run(name)
            common_names(run, stored)
            return self.store, stored
        (spec,) = to_score([name], self.dtype)
        return ScoringKey.of(spec, context.protocol)

    def checked(self, spec: ModelSpec, runs: Sequence[RunSpec]) -> GateReport:
        """Judge a model on the runs of all contexts, in their order."""
        from pcf_core.work.blocks import scorers_of

        with scorers_of(settings().engine, settings()) as open_scorer:
            contexts = tuple(
                check_context(
                    context,
                    run,
                    self.policy.error_each,
                    self.reader(context, run.scoring, open_scorer),
                    policy=self.policy,
                    early=self.early,
                    read_baseline=self.baseline_reader(context, run, open_scorer),
                )
                for context, run in zip(self.policy.contexts, runs, strict=True)
            )
        return GateReport(
            model=spec.label,
            title=self.policy.title,
            error=self.policy.error,
            stop_early=self.early,
            contexts=contexts,
        )

    def reader(self, context: Context, key: ScoringKey, open_scorer: OpenScorer) -> ReadRun:
        """Return a function that scores the missing part of a run of one model and reads the run.

        The model is loaded once for all looks.
        """
        from pcf_core.work.scoring import behind_opening, opened_once

        opened = opened_once(key.dtype, open_scorer)

        def read(part: RunSpec) -> RunView:
            score_with(self.store, part, context.protocol, opened)
            return Results(self.store).reading(part, context.options)

        return lambda part: behind_opening(part, read)

    def baseline_reader(self, context: Context, run: RunSpec, open_scorer: OpenScorer) -> ReadRun | None:
        """Return a function that reads the baseline for the run of a look; ``None`` without a baseline.

        A run of the store or of a pack is read as it is; a model is scored on the same templates.
        """
        if not context.compares:
            return None
        baseline = self.baseline_of(context, run)
        if isinstance(baseline, ScoringKey):
            score_and_read = self.reader(context, baseline, open_scorer)
            return lambda part: score_and_read(part.model_copy(update={"scoring": baseline}))
        store, stored = baseline
        return lambda part: Results(store).reading(stored, context.options)


class _BaselinePacks:
    """Packs used as baselines: each is checked as at an import and opened in its own folder.

    Nothing is written to the cache.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.stores: dict[Path, Store] = {}

    def comparable(self, path: Path, run: RunSpec) -> tuple[Store, RunSpec]:
        """Return the store of a pack, and its only run that a run can be compared with.

        One on the same words, templates and occupations goes before one that has some of them.
        """
        store = self.opened(path)
        runs = [info.run for info in store.imported_runs()]
        fitting = [one for one in runs if _is_comparable(run, one)]
        alike = [one for one in fitting if one.model_copy(update={"scoring": run.scoring}).key == run.key]
        several = alike or fitting
        if len(several) != 1:
            has = listed([f"{one.key} ({one.topic.name}, {one.templates.name})" for one in runs])
            raise PackError(
                f"The pack {path.name} has {len(several)} runs that fit as a baseline on {run.topic.name} "
                f"with {run.templates.name}, and exactly one is needed (its runs: {has or 'none'}): give a "
                "pack with one, or import the pack and give the key of a run."
            )
        return store, several[0]

    def opened(self, path: Path) -> Store:
        """Return the store of a pack; it is read once."""
        from pcf_core.report.importing import import_pack

        if path not in self.stores:
            pack, signature = checked_pack(pack_data(path))
            self.stores[path] = Store.open(self.folder / str(len(self.stores)))
            import_pack(self.stores[path], pack, signature)
        return self.stores[path]


def _is_comparable(run: RunSpec, other: RunSpec) -> bool:
    try:
        common_names(run, other)
    except RunError:
        return False
    return True


def _written(reports: Sequence[GateReport], form: str) -> bytes:
    """Write reports as the content of a file."""
    if form == "junit":
        return gate_junit(reports)
    if form == "markdown":
        return gate_markdown(reports).encode()
    if form == "text":
        return ("\n".join(_lines_of(reports)) + "\n").encode()
    return f"{json_text(_document_of(reports))}\n".encode()


def _tell(reports: Sequence[GateReport], form: str) -> None:
    """Write to stdout; without a format as all commands do: JSON into a pipe, lines on a terminal."""
    if form in ("", "json"):
        give(_document_of(reports), form == "json", lambda: _lines_of(reports))
    else:
        typer.echo(_written(reports, form).decode().rstrip("\n"))


def _document_of(reports: Sequence[GateReport]) -> Any:
    return one_or_all([gate_document(report) for report in reports])


def _lines_of(reports: Sequence[GateReport]) -> list[str]:
    return [line for report in reports for line in gate_lines(report)]
