"""What a model read, how choices change its risk, and what it knows, in sentences.

They say how far text and model differ, never why.  A confidence gap is never called caprice: it harms nobody.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from pcf_core.audit.options import word_scoring
from pcf_core.core.factors import CLOSE, Amplification, ReadCard, TrainingText
from pcf_core.core.knowledge import KnowledgeReport, KnowledgeSet
from pcf_core.core.risk import Interval
from pcf_core.core.sensitivity import (
    BASE_KEY,
    SAMPLE,
    Key,
    Quantity,
    Sensitivities,
    Sensitivity,
    Variant,
    row_name,
)
from pcf_core.measure.knowledge import SCORES
from pcf_core.show.findings.numbers import called, includes, mirrored
from pcf_core.show.wording import sentences

say = sentences("why")


def read_finding(model: str, amplification: Amplification) -> str:
    """Say whether differences between occupations are copied, flattened or amplified, and the mean shift."""
    return f"{_slope_sentence(model, amplification)} {_shift_sentence(amplification)}"


def read_occupations_finding(model: str, amplification: Amplification) -> str:
    """Count the occupations that lean farther, less far or the other way than in the text; name the last."""
    verdicts = Counter(row.verdict for row in amplification.occupations)
    ranked = sorted(amplification.occupations, key=lambda row: -abs(row.difference))
    return say(
        "occupations",
        model=model,
        compared=len(amplification.occupations),
        amplified=verdicts["amplifies"],
        flattened=verdicts["flattens"],
        reversed=[called(row.count.occupation) for row in ranked if row.verdict == "reverses"],
        copied=verdicts["copies"],
        close=CLOSE,
        unclear=verdicts["cannot tell"],
    )


def read_occupation_finding(occupation: str, by_model: Mapping[str, Amplification]) -> str:
    """Compare text and models on one occupation, or say why it is not compared."""
    rows = {
        model: row
        for model, one in by_model.items()
        for row in one.occupations
        if row.count.occupation.casefold() == occupation.casefold()
    }
    if not rows:
        reasons = [
            item.reason for one in by_model.values() for item in one.left_out if item.name == occupation
        ]
        return say("not_compared", occupation=occupation, reason=reasons[0]) if reasons else ""
    row = next(iter(rows.values()))
    lean = row.lean_interval
    share = lean.model_copy(update={"low": (lean.low + 1) / 2, "high": (lean.high + 1) / 2})
    return say("occupation", occupation=occupation, count=row.count, share_interval=share, told=rows)


def read_notes(amplification: Amplification) -> list[str]:
    """State the uncorrected slope, and whether text and model rank the occupations alike."""
    notes = []
    if (line := amplification.line) is not None:
        notes.append(say("uncorrected", line=line, noise=1 - line.reliability))
    if amplification.ranks is not None:
        correlation, interval = amplification.ranks
        notes.append(say("ranks", correlation=correlation, interval=interval))
    return notes


def drawn_besides(amplification: Amplification) -> str:
    """Say what intervals of slope and shift allow for besides other occupations and biographies."""
    return say("besides", unit=amplification.shift_interval.unit)


def read_intervals_note(by_model: Mapping[str, Amplification]) -> str:
    """Say what intervals of slope and shift allow for, by resampled unit; at least one model."""
    units: dict[str, list[str]] = {}
    for model, one in by_model.items():
        units.setdefault(one.shift_interval.unit, []).append(model)
    besides = [
        say("besides_for", unit=unit, models=models if len(units) > 1 else [])
        for unit, models in units.items()
    ]
    return say("intervals", level=next(iter(by_model.values())).shift_interval.level, besides=besides)


def text_note(trainings: Sequence[TrainingText], card: ReadCard) -> str:
    """Say what was counted, and which models read it, or more."""
    drawn: dict[int, list[str]] = {}
    for one in trainings:
        if not one.base:
            drawn.setdefault(one.tokens, []).append(one.model)
    return say(
        "text",
        documents=card.documents,
        lead=card.lead,
        drawn=[
            say("tokens_drawn", millions=round(tokens / 1e6), models=drawn[tokens])
            for tokens in sorted(drawn)
        ],
        tuned=[say("tuned_from", model=one.model, base=one.base) for one in trainings if one.base],
    )


def unread_finding(models: Sequence[str]) -> str:
    """Say that the training text of these models is unknown."""
    return say("unread", models=models)


def other_topic_finding(topic: str) -> str:
    """Say that the text was counted for two groups only."""
    return say("other_topic", topic=topic)


def uncompared_finding(evidence: str) -> str:
    """Say that no occupation of a list was counted often enough."""
    return say("uncompared", evidence=evidence)


def _slope_sentence(model: str, amplification: Amplification) -> str:
    occupations, line = len(amplification.occupations), amplification.line
    if line is None:
        return say("no_slope", model=model, occupations=occupations, reason=amplification.no_line)
    low, high = line.ends
    if line.verdict == "cannot tell":
        return say(
            "unclear_slope",
            model=model,
            occupations=occupations,
            line=line,
            may_reverse=low < 0,
            by_plain=not includes(line.interval, 1),
        )
    return say("slope", model=model, occupations=occupations, line=line, may_be_none=low <= 0 <= high)


def _shift_sentence(amplification: Amplification) -> str:
    shift, interval = amplification.shift, amplification.shift_interval
    if includes(interval):
        return say("unclear_shift", shift=shift, interval=interval)
    if shift <= 0:
        interval = mirrored(interval)
    return say("shift", by=abs(shift), interval=interval, male=shift > 0)


def sensitivity_finding(model: str, sensitivity: Sensitivity, interval: Interval | None = None) -> str:
    """State the range of R over all choices, what changes it most, and how many leave the interval."""
    return " ".join(
        filter(None, [_choices_sentence(model, sensitivity, interval), _samples_sentence(sensitivity)])
    )


def _choices_sentence(model: str, sensitivity: Sensitivity, interval: Interval | None) -> str:
    choices, base, readings = sensitivity.choices, sensitivity.base.overall_risk, len(sensitivity.rows)
    if not choices:
        return say("only_reading", model=model, risk=base, interval=interval)
    low, high = span(sensitivity)
    most = max(choices, key=lambda one: abs(one.overall_risk - base))
    if abs(most.overall_risk - base) < 1e-12:
        return say("same_risk", model=model, risk=base, interval=interval, readings=readings)
    sentence = say(
        "choices",
        model=model,
        risk=base,
        interval=interval,
        readings=readings,
        low=low,
        high=high,
        most=described(most),
        by=most.overall_risk - base,
    )
    if interval is None:
        return sentence
    outside = {one.key[:2] for one in choices if not interval.low <= one.overall_risk <= interval.high}
    return f"{sentence} {say('out_of_range', choices=len(outside))}"


def _samples_sentence(sensitivity: Sensitivity) -> str:
    """State the range over samples of the templates, which are chance and not choices."""
    if not sensitivity.samples:
        return ""
    risks = [one.overall_risk for one in sensitivity.samples]
    names = list(dict.fromkeys(one.name for one in sensitivity.samples))
    return say("samples", names=names, low=min(risks), high=max(risks))


def span(sensitivity: Sensitivity) -> tuple[float, float]:
    """Return the lowest and the highest R over the present reading and all choices."""
    risks = [sensitivity.base.overall_risk, *(one.overall_risk for one in sensitivity.choices)]
    return min(risks), max(risks)


def readings_finding(sensitivities: Sensitivities, order: str) -> str:
    """Say how the models are ordered, and whether other readings change that; "" for one model.

    Every word left out counts, as all models can be read without it; extremes do not, as each model has its
    own.  Random halves are samples and counted apart.
    """
    models = list(sensitivities.models)
    if len(models) < 2:
        return ""
    now = sensitivities.ranks(BASE_KEY)
    shared = _common_readings(sensitivities)
    if not shared:
        return say("no_common_reading")
    moved = [key for key in shared if sensitivities.ranks(key) != now]
    kinds = _by_kind(sensitivities, shared)
    fewer = any(len(kinds.get("choice", ())) < len(table.rows) for table in sensitivities.models.values())
    if not moved:
        same = [say("all_readings", kind=kind, number=len(rows), fewer=fewer) for kind, rows in kinds.items()]
        return say("same_order", order=order, readings=same)
    parts = []
    for kind, rows in kinds.items():
        changing = [row for row, keys in rows.items() if not set(keys).isdisjoint(moved)]
        if changing:  # samples have no names
            named = [] if kind == "sample" else [in_words(row) for row in changing]
            parts.append(
                say(
                    "other_order",
                    kind=kind,
                    moved=len(changing),
                    number=len(rows),
                    named=named,
                    fewer=fewer,
                )
            )
    return " ".join(filter(None, [order, *parts, say("figures_alone")]))


def sensitivity_title(sensitivities: Sensitivities, quantity: Quantity) -> str:
    """Say for a title how many choices change the ranking of the models, or how far they move a quantity."""
    kinds = _by_kind(sensitivities, _common_readings(sensitivities))
    if len(sensitivities.models) > 1 and quantity == "overall_risk" and "choice" in kinds:
        now = sensitivities.ranks(BASE_KEY)
        rows = kinds["choice"].values()
        moved = sum(any(sensitivities.ranks(key) != now for key in keys) for keys in rows)
        return say("ranking_title", moved=moved, number=len(rows))
    by = max(
        (
            abs(getattr(choice, quantity) - getattr(one.base, quantity))
            for one in sensitivities.models.values()
            for choice in one.choices
        ),
        default=0.0,
    )
    return say("moved_title", quantity=quantity, by=by)


def _by_kind(sensitivities: Sensitivities, keys: Sequence[Key]) -> dict[str, dict[Key, list[Key]]]:
    """Group readings into ``choice`` (a row of the picture), ``each`` of shorter lists, and ``sample``."""
    tables = list(sensitivities.models.values())
    shorter = {v.key for table in tables for v in table.variants if v.kind == "each"}
    kinds: dict[str, dict[Key, list[Key]]] = {}
    for row in tables[0].rows:
        own = [key for key in keys if key[:2] == row]
        own = own or [key for key in keys if key in shorter and key[0] == row[0]]
        if own and all(row in table.rows for table in tables):
            kinds.setdefault("choice", {})[*row, ""] = own
    for key in keys:
        if key in shorter:
            kinds.setdefault("sample" if key[0] == SAMPLE else "each", {})[key] = [key]
    return kinds


def _common_readings(sensitivities: Sensitivities) -> Sequence[Key]:
    """Return the readings that all models allow, choices first."""
    tables = list(sensitivities.models.values())
    shared = set.intersection(*({one.key for one in table.variants} for table in tables))
    common = [one for one in tables[0].variants if one.key in shared and not one.end]
    return [one.key for kind in ("choice", "each") for one in common if one.kind == kind]


def shown_row(dimension: str, name: str) -> str:
    """Return the name of a row as pages write it; tables that are kept have the short names."""
    usual = word_scoring(name) if dimension == "protocol" else row_name(dimension, name)
    return say("row", key=f"{dimension}: {name}", usual=name if dimension == SAMPLE else usual)


def described(variant: Variant) -> str:
    """Name a choice by its row; of a range the one at its end."""
    return say("choice", row=shown_row(variant.dimension, variant.name), which=variant.which)


def in_words(key: Key) -> str:
    """Name a choice by its row."""
    dimension, name, end = key
    return say("choice_at_end", row=shown_row(dimension, name), end=end)


def set_finding(facts: KnowledgeSet) -> str:
    """Say what a knowledge set asks."""
    return say(
        "asked",
        title=facts.title,
        facts=len(facts.facts),
        templates=len(facts.templates),
        answers=len(facts.words),
        prompts=len(facts.prompts),
    )


def knowledge_finding(model: str, report: KnowledgeReport) -> str:
    """Say how much is known, and whether that is more than a preference for some answers.

    Intervals are over templates, but whether the subject matters is judged over templates and facts.
    """
    sentence = say(
        "known",
        model=model,
        report=report,
        score=SCORES[report.score].words,
        ahead=sum(fact.mean_probability > 0.5 for fact in report.facts),
        facts=len(report.facts),
        interval=_over(report, "knowledge", "templates"),
    )
    return " ".join(filter(None, [sentence, _gain_sentence(report)]))


def _gain_sentence(report: KnowledgeReport) -> str:
    """Say whether the right subject adds to the answers' probability; "" if unknown."""
    gain, elsewhere, both = report.gain, report.elsewhere, _over(report, "gain", "both")
    if gain is None or elsewhere is None:
        return ""
    if both is None:
        return say("one_alone", elsewhere=elsewhere, template=len(report.templates) == 1)
    if includes(both):
        return say("no_more_than_frequent", elsewhere=elsewhere)
    interval = mirrored(both) if gain < 0 else both
    return say("subject_matters", elsewhere=elsewhere, adds=gain > 0, by=abs(gain), interval=interval)


def confidence_finding(report: KnowledgeReport) -> str:
    """Say how much sentences reduce what is known, and for which fact most."""
    if len(report.templates) == 1:
        return say("no_other_sentence")
    if report.confidence_gap == 0:
        return say("no_gap")
    return say(
        "gap",
        gap=report.confidence_gap,
        interval=_over(report, "confidence_gap", "templates"),
        share=report.confidence_gap / report.knowledge,
        widest=max(report.facts, key=lambda fact: fact.confidence_gap),
    )


def _over(report: KnowledgeReport, quantity: str, over: str) -> Interval | None:
    return next((one for one in report.intervals.get(quantity, ()) if one.over == over), None)
