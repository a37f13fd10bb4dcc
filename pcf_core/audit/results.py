"""Finished runs of a store: their preferences, stored for pages, and the one way to a report.

    Results(store).open(run, options)  ->  Report | Waiting | NotScored | Refused

Pages cache the answers and leave large runs to the worker (``pcf_core.app.data``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, cast
from typing import Protocol as ReadProtocol

import numpy as np
from pydantic import ValidationError

from pcf_core.audit.answers import sampled_result
from pcf_core.audit.fitting import TokenShares, identity_of, token_warnings, words_by_template
from pcf_core.audit.forbidden import forbidden_warning, forbidden_words
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.preferences import (
    Result,
    aggregated,
    assemble,
    decided,
    doubts_among,
    group_sizes,
    warnings_of,
)
from pcf_core.audit.reading import RunView, report
from pcf_core.audit.slots import run_notes, slots_of, starts_counted
from pcf_core.core.errors import AuditError, RunError
from pcf_core.core.records import LeftOut, digest
from pcf_core.core.risk import Aggregation, Look, RiskReport
from pcf_core.core.run import (
    SELECTIONS,
    CoverageSummary,
    Preferences,
    Protocol,
    RunSpec,
    SelfAudit,
    scored_as,
)
from pcf_core.store.results import RunInfo
from pcf_core.store.store import Store

TOKENS_VERSION = 1  # raise it when stored shares of tokens would change
RESULT_VERSION = 2  # raise it when stored preferences or doubts would change
UNCHECKED = "unchecked"  # in the provenance of a scored run whose check is unfinished
NOT_YET = "The scores are not checked yet; that follows the scoring. If it was stopped, start the run again."
# A warning of earlier versions, whose preferences count cells with forbidden words; they are computed again.
COUNTED_FORBIDDEN = "The model gives no probability at all to"
LARGE_NOISE = 0.01  # nats: one per cent of a probability


def check_protocol(run: RunSpec, protocol: Protocol) -> None:
    """Raise RunError if the run was scored under another protocol: whole words and words that end differ."""
    scored = run.scoring.protocol
    if scored != scored_as(protocol):
        raise RunError(
            f"The run {run.key} was scored with the protocol {scored} and cannot be read with {protocol}: "
            f"score it with --protocol {protocol}, or leave the protocol out."
        )


def result_name(run: RunSpec, protocol: Protocol) -> str:
    """Return the name of the stored preferences: everything that decides them beside the run key."""
    slots = slots_of(run)
    placed = "" if all(slot.usual for slot in slots) else "-placed"
    placed += "-joined" if any(slot.joins for slot in slots) else ""
    aligned = "-aligned" if protocol in SELECTIONS and run.topic.aligned else ""
    drawn = "" if run.plan is None else f"-{run.drawn.hash}"
    if protocol == "fitting":  # what fits is known of words and templates, and is no part of the run key
        aligned += f"-{digest(identity_of(run))}"
    return f"preferences-{RESULT_VERSION}-{protocol}{aligned}{placed}{drawn}"


def kept_name(store: Store, run: RunSpec, protocol: Protocol) -> str:
    """Return a result's name, with a suffix once words' tokens at the start of a text are known."""
    name, slots = result_name(run, protocol), slots_of(run)
    if all(slot.before != "nothing" for slot in slots):
        return name
    counted = starts_counted(store.known_words(run.scoring), run.topic.words, slots)
    return f"{name}-counted" if counted else name


def load_result(
    store: Store,
    run: RunSpec,
    protocol: Protocol = "exact",
    aggregation: Aggregation = "sum",
    on_prompts: Callable[[int], None] = lambda prompts: None,
) -> Result:
    """Load a run's preferences, or compute them from the words and store them.

    Sums over words are stored; means follow from them.  ``on_prompts``: see
    :func:`~pcf_core.audit.preferences.assemble`.  Raises RunError if the run is not finished, or has another
    protocol.
    """
    check_protocol(run, protocol)
    if run.scoring.sampled is not None:
        return _answered(store, run, protocol, aggregation)
    name = kept_name(store, run, protocol)
    result = _kept(store, run, name)
    if result is None:
        result = assemble(store, run, protocol, on_prompts)
        _keep(store, run, name, result)
    return _as_read(store, run, result, protocol, aggregation)


def recomputed_result(
    store: Store, run: RunSpec, protocol: Protocol = "exact", aggregation: Aggregation = "sum"
) -> Result:
    """Compute the same from the scores, ignoring stored results; raises as :func:`load_result`."""
    check_protocol(run, protocol)
    if run.scoring.sampled is not None:
        return _answered(store, run, protocol, aggregation, again=True)
    return _as_read(store, run, assemble(store, run, protocol), protocol, aggregation)


def _answered(
    store: Store, run: RunSpec, protocol: Protocol, aggregation: Aggregation, *, again: bool = False
) -> Result:
    """Load or count the answers of a sampled run; refuse options about the tokens and words of scores."""
    if protocol != "exact" or aggregation != "sum":
        raise RunError(
            f"The run {run.key} counts sampled answers, which are whole words: leave out --protocol and "
            "--aggregation."
        )
    return sampled_result(store, run, again=again)


class Read(ReadProtocol):
    """A function that loads a run's preferences: :func:`load_result` or :func:`recomputed_result`."""

    def __call__(self, store: Store, run: RunSpec, protocol: Protocol, aggregation: Aggregation, /) -> Result:
        """Read a run under a protocol and an aggregation."""
        ...


@dataclass(frozen=True)
class Report:
    """A finished run with its ``report``, the ``view_key`` of what it shows, and ``load`` for preferences."""

    run: RunSpec
    view_key: str
    report: RiskReport
    load: Callable[[], Result] = field(repr=False, compare=False)

    @property
    def key(self) -> str:
        """The key of the run."""
        return self.run.key

    @cached_property
    def result(self) -> Result:
        """Its preferences, loaded at first use."""
        return self.load()

    @property
    def even(self) -> float:
        """The probability of a group in an even split."""
        return 1 / len(self.report.groups)

    def reading(self, options: ViewOptions) -> RunView:
        """Return the run under view options, for comparisons and other computations."""
        return RunView(self.run, self.result, options)


@dataclass(frozen=True)
class Waiting:
    """A finished run so large that the worker has to read it first."""

    run: RunSpec


@dataclass(frozen=True)
class NotScored:
    """A run with cells that are not scored yet, and the sentence that says so."""

    run: RunSpec
    reason: str


@dataclass(frozen=True)
class Refused:
    """The sentence on why a run cannot be read like this."""

    reason: str


Opened = Report | Waiting | NotScored | Refused


class Results:
    """The finished runs of a store."""

    def __init__(self, store: Store, read: Read = load_result) -> None:
        self.store = store
        self._read = read

    def open(self, run: RunSpec, options: ViewOptions, *, brief: bool = False) -> Opened:
        """Open a run under view options, or a run that has drawn some of its templates by a sampling plan.

        ``brief``: see :func:`~pcf_core.audit.reading.report`.
        """
        try:
            if self.must_wait(run, options):
                return Waiting(run)
            try:
                return self.report(run, options, brief=brief)
            except RunError as error:
                drawn = drawn_run(self.store, run)
                if drawn is None:
                    return NotScored(run, str(error))
                return self.report(drawn, options, brief=brief)
        except AuditError as error:
            return Refused(str(error))

    def report(self, run: RunSpec, options: ViewOptions, *, brief: bool = False) -> Report:
        """Report a finished run under view options; raise RunError or AuditError if that is impossible."""
        result = self.reading(run, options).result
        return Report(run, run.key, report(result, run, options, brief=brief), lambda: result)

    def reading(self, run: RunSpec, options: ViewOptions) -> RunView:
        """Return a finished run under view options without its report; raises as :meth:`report`."""
        return RunView(run, self._read(self.store, run, options.protocol, options.aggregation), options)

    def must_wait(self, run: RunSpec, options: ViewOptions) -> bool:
        """Return whether the worker has to read a run first: never here."""
        return False


def plans_of(store: Store, run: RunSpec) -> list[RunInfo]:
    """Return the runs, finished or not, that draw from this run's templates by a sampling plan."""
    runs = (info for info in store.runs() if info.run.scoring.imported == run.scoring.imported)
    return [info for info in runs if info.run.plan and info.run.whole.key == run.key]


def drawn_run(store: Store, run: RunSpec) -> RunSpec | None:
    """Return the finished run with the most draws by the same counts, with today's templates."""
    counts = run.templates.counts.tolist()
    finished = [
        info.run
        for info in plans_of(store, run)
        if info.complete and info.run.templates.counts.tolist() == counts
    ]
    most = max(finished, key=lambda candidate: candidate.plan.draws if candidate.plan else 0, default=None)
    return most and most.model_copy(update={"templates": run.templates})


def look_at(store: Store, run: RunSpec) -> Look:
    """Return a plan's current estimates under its goal's options.

    Raises RunError unless draws are scored, and for too many forbidden words.
    """
    options = ViewOptions(protocol=cast(Protocol, run.scoring.protocol))
    estimate = report(load_result(store, run, options.protocol), run, options)
    if estimate.forbidden is not None and estimate.forbidden.too_many:
        raise RunError(" ".join(forbidden_warning(estimate.forbidden)))
    look = estimate.sampling
    if look is None:
        raise RunError(f"The run {run.key} scored every template, so it has no sampling plan to show.")
    return look


def _as_read(
    store: Store, run: RunSpec, result: Result, protocol: Protocol, aggregation: Aggregation
) -> Result:
    """Apply an aggregation to sums over words, and write the warnings."""
    scored, preferences = run.as_scored, result.preferences
    at = words_by_template(scored, result.words, protocol)
    if preferences.people is None:
        values = aggregated(preferences.values, run.topic, result.words, aggregation, at)
        preferences = replace(preferences, values=values)
    elif aggregation == "mean":
        shares = np.stack([preferences.people, 1 - preferences.people], axis=-1)
        people = aggregated(shares, scored.topic, result.words, aggregation)[..., 0]
        preferences = decided(run, people, preferences.coverage, left_only=preferences.left_only)
    audited = replace(result, preferences=preferences, self_audit=self_audit_of(store, run))
    return replace(audited, warnings=reading_warnings(run, audited, aggregation, at))


def reading_warnings(
    run: RunSpec, result: Result, aggregation: Aggregation, at: Sequence[Sequence[str]] = ()
) -> tuple[str, ...]:
    """Write the warnings about a result from its numbers and its stored doubts.

    They are not stored, so that results of earlier versions show the current wording.  ``at``: as in
    :func:`size_warnings`.
    """
    family = run.scoring.family
    return (
        *run_notes(run, result.words),
        *forbidden_warning(result.forbidden),
        *doubts_among(result.warnings),
        *warnings_of(family, result.tokens, result.coverage),
        *token_warnings(family, result.token_shares),
        *size_warnings(run, result.words, aggregation, at),
        *noise_warnings(result.self_audit),
    )


def is_kept(store: Store, run: RunSpec, protocol: Protocol) -> bool:
    """Return whether the preferences are stored, so that no words have to be read."""
    name = kept_name(store, run, protocol)
    return all(store.has_result(run.kept_as, each) for each in (name, tokens_name(name)))


def tokens_name(name: str) -> str:
    """Return the name of the token shares of the stored preferences ``name``."""
    return f"tokens-{TOKENS_VERSION}-{name}"


def size_warnings(
    run: RunSpec, words: Sequence[str], aggregation: Aggregation, at: Sequence[Sequence[str]] = ()
) -> tuple[str, ...]:
    """Return a warning if sums favour groups with more words; ``at``: words by template, if they differ."""
    topic = run.as_scored.topic
    counted = [group_sizes(topic, some) for some in at or (words,)]
    unequal = next((sizes for sizes in counted if len(set(sizes)) > 1), counted[0])
    sizes = dict(zip(topic.group_names, unequal, strict=True))
    if aggregation == "mean" or len(set(sizes.values())) == 1:
        return ()
    most, least = (choose(sizes, key=lambda name: sizes[name]) for choose in (max, min))
    return (
        f"The groups have different numbers of words ({most} {sizes[most]}, {least} {sizes[least]}), which "
        f"gives {most} an advantage when probabilities are added up: compare with the mean over a group's "
        "words.",
    )


def _kept(store: Store, run: RunSpec, name: str) -> Result | None:
    stored, shares = store.load_result(run.kept_as, name), store.load_result(run.kept_as, tokens_name(name))
    if stored is None or shares is None:
        return None
    columns, facts = stored
    if any(sentence.startswith(COUNTED_FORBIDDEN) for sentence in facts["warnings"]):
        return None
    shape = (len(run.evidence.terms), len(run.drawn.templates))
    coverage = columns.get("coverage")
    summary = None if facts["coverage"] is None else CoverageSummary(**facts["coverage"])
    entries = len(run.topic.people if run.topic.decides else run.topic.groups)
    values = np.stack([columns[f"group_{i}"] for i in range(entries)], axis=-1).reshape(*shape, -1)
    covered = None if coverage is None else coverage.reshape(shape)
    left_only = summary is not None and summary.left_only
    if run.topic.decides:
        preferences = decided(run, values, covered, left_only=left_only)
    else:
        preferences = Preferences(
            groups=run.topic.group_names,
            occupations=run.evidence.terms,
            templates=run.drawn.texts,
            values=values,
            coverage=covered,
            left_only=left_only,
        )
    return Result(
        preferences,
        tuple(facts["words"]),
        tuple(LeftOut(**item) for item in facts["left_out"]),
        tuple(facts["tokens"]),
        tuple(facts["warnings"]),
        summary,
        token_shares=_shares_of(shares[1]),
        forbidden=forbidden_words(preferences, facts.get("forbidden", ()), run.drawn.counts),
    )


def _keep(store: Store, run: RunSpec, name: str, result: Result) -> None:
    preferences = result.preferences
    values = preferences.values if preferences.people is None else preferences.people
    columns = {f"group_{i}": values[..., i].ravel() for i in range(values.shape[-1])}  # or a column a person
    if preferences.coverage is not None:
        columns["coverage"] = preferences.coverage.ravel()
    facts: dict[str, Any] = {
        "words": list(result.words),
        "left_out": [item.model_dump() for item in result.left_out],
        "tokens": list(result.tokens),
        "warnings": list(result.warnings),
        "coverage": None if result.coverage is None else result.coverage.model_dump(),
    }
    if result.forbidden is not None:
        facts["forbidden"] = list(result.forbidden.words)
    store.save_result(run.kept_as, name, columns, facts)
    store.save_result(run.kept_as, tokens_name(name), {}, {"shares": result.token_shares})


def _shares_of(facts: dict[str, Any]) -> TokenShares | None:
    if facts["shares"] is None:
        return None
    return {
        group: {int(number): share for number, share in shares_by_number.items()}
        for group, shares_by_number in facts["shares"].items()
    }


def self_audit_of(store: Store, run: RunSpec) -> SelfAudit | None:
    """Load a run's self-audit; ``None`` if nothing was scored for it, or by another version of the app."""
    try:
        info = store.run_info(run.key)
        stored = info.provenance.get("self_audit")
        is_its_own = info.run.scoring.imported == run.scoring.imported
        return None if stored is None or not is_its_own else SelfAudit.model_validate(stored)
    except (RunError, ValidationError):
        return None


def unchecked(facts: SelfAudit) -> dict[str, Any]:
    """Return the provenance of a run that can be read before its check; ``facts``: of its scorer so far."""
    return {"self_audit": facts.model_copy(update={"note": NOT_YET}).model_dump(), UNCHECKED: True}


def is_unchecked(info: RunInfo) -> bool:
    """Return whether a run is scored but its self-audit is not finished."""
    return info.complete and UNCHECKED in info.provenance


def noise_warnings(self_audit: SelfAudit | None) -> tuple[str, ...]:
    """Return a warning if recomputing scores singly changes them by more than ``LARGE_NOISE``."""
    if self_audit is None or not self_audit.noise_scores:
        return ()
    if self_audit.noise_floor is None:
        return (f"Scoring again did not give the same scores: {self_audit.note}",)
    if self_audit.noise_floor <= LARGE_NOISE:
        return ()
    return (
        f"When sentences are scored one at a time in {self_audit.noise_dtype}, probabilities change by up to "
        f"{100 * math.expm1(self_audit.noise_floor):.0f} %, so smaller differences between preferences mean "
        "nothing.",
    )
