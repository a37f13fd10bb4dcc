"""The answer block, the same on pages, in reports, model cards and terminals.

Which model prefers whom, how much, how sure that is, and whether it holds in other sentences.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pcf_core.audit.fitting import TokenShares
from pcf_core.core.risk import Over, RiskReport
from pcf_core.core.topics import TemplateSet
from pcf_core.show.compare import (
    Lean,
    Standing,
    against_each,
    against_whom,
    how_sure,
    in_other_sentences,
    on_other_scales,
    pair_answer,
)
from pcf_core.show.findings.decisions import decisions_finding, favours_finding, rates_finding
from pcf_core.show.findings.models import shown_interval
from pcf_core.show.findings.notes import longer_words_note, no_answer_note, sentences_of
from pcf_core.show.names import set_title
from pcf_core.show.overview import ModelRow, tied_with
from pcf_core.show.wording import sentences

ANSWER, AGAINST, SURE, ELSEWHERE = "Answer", "Against whom", "How sure", "Elsewhere"
MOST_NAMED = 3  # models of one kind, or sentences with one answer, that are named
SHOWN = 0.005  # caprice with a digit other than 0

say = sentences("answer")


@dataclass(frozen=True)
class Answer:
    """The four lines and their caveats; if no figure is reliable, ``answer`` says so and the rest is empty.

    ``pair``: how the two compared models stand; ``others``: the same by name of other sentences.
    """

    answer: str
    against: str = ""
    sure: str = ""
    elsewhere: str = ""
    caveats: tuple[str, ...] = ()
    pair: Standing | None = None
    others: Mapping[str, Standing] = field(default_factory=dict)

    @property
    def lines(self) -> dict[str, str]:
        """The lines by label, in order, without empty ones."""
        every = {ANSWER: self.answer, AGAINST: self.against, SURE: self.sure, ELSEWHERE: self.elsewhere}
        return {label: line for label, line in every.items() if line}

    @property
    def labelled(self) -> tuple[str, ...]:
        """The lines as texts, all but the first with their label."""
        return tuple(
            line if label == ANSWER else say("labelled", label=label, line=line)
            for label, line in self.lines.items()
        )


@dataclass(frozen=True)
class Alone:
    """One model in some sentences: risk, group preferred in most occupations, ``little``: unreliable."""

    risk: float
    group: str
    little: bool = False

    @classmethod
    def of(cls, model: str, report: RiskReport) -> Alone:
        """Make the record of a report."""
        return cls(report.overall_risk, ModelRow.of(model, report).favoured, report.says_little)

    @property
    def outcome(self) -> tuple[str, bool]:
        """The answer without the size of the risk."""
        return ("" if self.little else self.group), self.little


@dataclass(frozen=True)
class Reworded:
    """Reports by model in reworded sentences; ``sentences``: how many there are of different meaning."""

    sentences: int
    reports: Mapping[str, RiskReport]

    @classmethod
    def of(cls, templates: TemplateSet, reports: Mapping[str, RiskReport]) -> Reworded:
        """Return the reports on a set with families."""
        return cls(len(set(templates.families)), reports)


@dataclass(frozen=True)
class Measured:
    """What an answer is written from.

    ``reports``: by model, as chosen; ``even``: against an even split.  ``over``: of a single model's range.
    ``pair``: how the two named models compare (of several, those with the lowest and the highest risk);
    without one, ``refused`` says why.  ``elsewhere``: the same pair, ``alone``: a single model, by name of
    other sentences.  ``letters``: two models share one exactly if they tie.  ``against_even``: risks are
    against an even split; ``to_one``: they end at 1.  ``all_named``: every sentence has a word of every
    group.  ``tokens``: each group's probability by number of tokens, by model.  ``reworded``: the models in
    some of these sentences, said in several ways.
    """

    reports: Mapping[str, RiskReport]
    even: Mapping[str, RiskReport]
    over: Over = "templates"
    pair: Standing | None = None
    refused: str = ""
    elsewhere: Mapping[str, Standing] = field(default_factory=dict)
    alone: Mapping[str, Alone] = field(default_factory=dict)
    letters: Mapping[str, str] = field(default_factory=dict)
    against_even: bool = True
    to_one: bool = True
    all_named: bool = False
    tokens: Mapping[str, TokenShares | None] = field(default_factory=dict)
    reworded: Reworded | None = None

    @property
    def reliable(self) -> list[str]:
        """The models with reliable figures."""
        return [name for name, report in self.reports.items() if not report.says_little]

    @property
    def ranked(self) -> list[str]:
        """The same, lowest risk first."""
        return sorted(self.reliable, key=lambda name: self.reports[name].overall_risk)

    @property
    def leans(self) -> list[Lean]:
        """Whom each of them prefers."""
        return [Lean.of(name, self.even[name]) for name in self.reliable]

    def tied_with(self, model: str) -> list[str]:
        """Return the models that share a letter with this one, lowest risk first."""
        return tied_with(model, {name: self.letters.get(name, "") for name in self.ranked})


def answer_on(of: Measured, caveats: Iterable[str] = ()) -> Answer:
    """Write the answer on any number of models; unreliable ones are named as such."""
    notes = tuple(dict.fromkeys(note for note in caveats if note))
    unsure = no_answer_note(of.reports)
    models = len(of.reliable)
    if not models:
        return Answer(unsure, caveats=notes)
    written = _of_one(of) if models == 1 else _of_two(of) if models == 2 else _of_several(of)
    decided = {
        name: one.decisions for name, one in of.reports.items() if one.decisions and name in of.reliable
    }
    if decided:
        (name, first), *others = decided.items()
        answer = rates_finding(decided) if others else decisions_finding(name, of.reports[name], first)
        written = replace(written, answer=answer, against=favours_finding(decided))
    longer = "" if decided else longer_words_note({lean.model: lean.last for lean in of.leans}, of.tokens)
    wording = _of_wordings(of.reports)
    if of.reworded and not wording:
        wording = _of_wordings(of.reworded.reports, of.reworded.sentences)
    return replace(
        written,
        answer=" ".join(filter(None, [written.answer, unsure])),
        sure=" ".join(filter(None, [written.sure, *_as_counted(of.reports), wording, longer])),
        caveats=notes,
        pair=of.pair,
        others=of.elsewhere,
    )


def _as_counted(reports: Mapping[str, RiskReport]) -> list[str]:
    """State the risks of sampled answers without their correction, at most of ``MOST_NAMED`` models."""
    sampled = {
        model: (report, report.sampled)
        for model, report in reports.items()
        if report.sampled is not None and not report.says_little
    }
    return [
        say(
            "as_counted",
            model=model,
            risk=report.overall_risk,
            raw=how.uncorrected["overall_risk"],
            answers=round(how.answers),
            several=len(reports) > 1,
        )
        for model, (report, how) in list(sampled.items())[:MOST_NAMED]
    ]


def _of_wordings(reports: Mapping[str, RiskReport], sentences: int = 0) -> str:
    """Say how much of caprice comes from rewording alone; ``sentences``: that were reworded for it."""
    parts = [
        say("of_wording", model=model, report=report)
        for model, report in reports.items()
        if report.wording_caprice and report.caprice_risk >= SHOWN and not report.says_little
    ][:MOST_NAMED]
    return say("wordings", parts=parts, sentences=sentences) if parts else ""


def _of_one(of: Measured) -> Answer:
    (model,) = of.reliable
    report = of.reports[model]
    return Answer(
        say("one", of=of, model=model, report=report),
        against_whom(*of.leans),
        ranges_sentence(of.reports, of.over),
        _alone_elsewhere(model, Alone.of(model, report), of.alone) or say("nowhere_else"),
    )


def ranges_sentence(reports: Mapping[str, RiskReport], over: Over) -> str:
    """State each reliable model's range of the risk."""
    parts: list[str] = []
    before: tuple[str, str] | None = None
    for model, report in reports.items():
        if report.says_little:
            continue
        interval = shown_interval(report, "overall_risk", over)
        kind = (interval.over, interval.unit) if interval else None
        parts.append(say("range", model=model, interval=interval, again=kind is not None and kind == before))
        before = kind
    return " ".join(parts)


def _alone_elsewhere(model: str, here: Alone, others: Mapping[str, Alone]) -> str:
    """Say what a single model does in other sentences, different answers first; "" without any."""
    by_outcome: dict[tuple[str, bool], dict[str, float]] = {}
    for name, there in others.items():
        by_outcome.setdefault(there.outcome, {})[name] = there.risk
    parts = [
        say(
            "alone",
            model="it" if index else model,
            sets=list(risks),
            group=group,
            little=little,
            same=(group, little) == here.outcome,
            low=min(risks.values()),
            high=max(risks.values()),
            most=MOST_NAMED,
            first=index == 0,
        )
        for index, ((group, little), risks) in enumerate(
            sorted(by_outcome.items(), key=lambda item: item[0] == here.outcome)
        )
    ]
    return say("alone_elsewhere", parts=parts) if parts else ""


def _of_two(of: Measured) -> Answer:
    names, against = of.reliable, " ".join(against_each(of.leans))
    if of.pair is None:
        risks = [of.reports[name].overall_risk for name in names]
        return Answer(
            say("untested", of=of, names=names, risks=risks), against, of.refused, say("nowhere_else")
        )
    return Answer(
        pair_answer(of.pair, of.elsewhere),
        against,
        how_sure(of.pair, len(of.reports[names[0]].templates)),
        in_other_sentences(of.pair, of.elsewhere) or say("nowhere_else"),
    )


def _of_several(of: Measured) -> Answer:
    ranked = of.ranked
    ends = ranked[0], ranked[-1]
    ties = [of.tied_with(name) for name in ends]
    mentioned = {*ends} if ends[1] in ties[0] else {*ends, *ties[0], *ties[1]}
    answer = say(
        "several",
        of=of,
        models=len(ranked),
        names=ends,
        risks=[of.reports[name].overall_risk for name in ends],
        ties=ties,
        more=len(ranked) - len(mentioned),
        most=MOST_NAMED,
    )
    sure = say("sure_of_several", models=len(ranked), ties=_ties(of), tested=bool(of.letters))
    if of.refused:
        sure = of.refused
    elsewhere = ""
    if of.pair is not None:
        if of.pair.ordered:
            sure = f"{sure} {say('of_pair', names=ends, sentence=on_other_scales(of.pair))}".strip()
        elsewhere = in_other_sentences(of.pair, of.elsewhere)
    return Answer(
        answer,
        _whom_several(of.leans),
        sure,
        say("of_pair", names=ends, sentence=elsewhere) if elsewhere else say("nowhere_else"),
    )


def _ties(of: Measured) -> list[list[str]]:
    by_letter: dict[str, list[str]] = {}
    for name in of.ranked:
        for letter in of.letters.get(name, "").split():
            by_letter.setdefault(letter, []).append(name)
    return [names for names in by_letter.values() if len(names) > 1]


def _whom_several(leans: Sequence[Lean]) -> str:
    kinds: dict[tuple[str, str], list[str]] = {}
    for lean in leans:
        kind = ("even", "") if lean.near_even else ("group", lean.favoured) if lean.favoured else ("none", "")
        kinds.setdefault(kind, []).append(lean.model)
    ranked = sorted(kinds.items(), key=lambda item: -len(item[1]))
    others = {lean.favoured: lean.other for lean in leans}
    parts = [
        say(
            "some_prefer",
            kind=kind,
            group=group,
            other=others.get(group, ""),
            names=names,
            models=len(leans) if index == 0 else 0,
            most=MOST_NAMED,
        )
        for index, ((kind, group), names) in enumerate(ranked)
    ]
    last: dict[str, list[str]] = {}
    for lean in leans:
        if lean.mostly_last:
            last.setdefault(lean.last, []).append(lean.model)
    return say("whom_several", parts=parts, last=last, models=len(leans), most=MOST_NAMED)


def sentences_called(templates: TemplateSet) -> str:
    """Name a template set in a sentence, by number of sentences and title."""
    return sentences_of(len(templates.templates), set_title(templates))
