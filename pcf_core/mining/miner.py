"""Mine a corpus: distribute its blocks, store their counts, and make a template set."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import pcf_core.mining as mining
from pcf_core.core.errors import CorpusError
from pcf_core.core.records import digest
from pcf_core.core.topics import MinedSet, MinedTemplate, SetCard, Topic
from pcf_core.material.templates import make_mined
from pcf_core.mining.counting import CHARACTERS, TextBlock, blocks_of
from pcf_core.mining.documents import Corpus
from pcf_core.mining.ledger import FORMAT, Facts, Ledger, open_ledger
from pcf_core.mining.pool import Counters, Opened
from pcf_core.mining.rules import LANGUAGES, Rule

FOLDER = "mining"  # of the ledgers in the cache


@dataclass(frozen=True)
class Progress:
    """The progress of a mining over all processes: ``read`` of ``size`` bytes (``None`` if unknown)."""

    read: int
    size: int | None
    documents: int
    words: int
    sentences: int
    matches: int


@dataclass(frozen=True)
class Mined:
    """A mined set, and the sums before the cut."""

    templates: MinedSet
    facts: Facts

    @property
    def count(self) -> float:
        """The count of all templates above the cut."""
        return sum(template.count for template in self.templates.templates)


def mine(
    corpus: Corpus,
    topics: Sequence[Topic],
    rule: Rule,
    counters: Counters,
    folder: Path,
    *,
    name: str,
    cut: float = 1,
    characters: int = CHARACTERS,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    pause: Callable[[], None] = lambda: None,
    say: Callable[[str], None] = lambda sentence: None,
) -> Mined:
    """Count the templates of a corpus, block by block, and return those counted at least ``cut`` times.

    The same request continues where it stopped, or is answered from the ledger; the number of processes does
    not matter.  ``rule``: from :func:`pcf_core.mining.rules.rule_for`; ``counters``: processes that use it.
    ``folder``: of the cache.  ``name``: of the set.  ``characters``: per block.  ``on_progress``: called
    after each block.  ``pause``: called between blocks and while waiting; an exception from it stops the
    mining.  ``say``: receives messages for the user.

    Raises CorpusError for a corpus that cannot be read or has no template, PipelineError for its parser,
    ScoringError if the counting processes die, and StoreError if the cache is full; counts are kept.
    """
    opened = counters.open()
    ledger = open_ledger(folder / FOLDER / f"{key_of(corpus, topics, rule, opened, characters)}.sqlite", say)
    try:
        if not ledger.finished:
            _Work(corpus, characters, ledger, counters, on_progress, pause).count()
        facts = ledger.facts()
        templates = tuple(ledger.templates(cut))
    finally:
        ledger.close()
    _require_templates(templates, facts, corpus, rule, cut)
    share = sum(template.count for template in templates) / facts.count
    language = LANGUAGES[rule.language]
    card = SetCard(
        title=f"{corpus.name}: {', '.join(topic.title for topic in topics)}",
        source=f"Mined from {corpus.name}",
        notes="" if language.unit == "words" else f"Its length is counted in {language.unit}, not in words.",
        language=topics[0].language,
        form=rule.name,
        corpus=corpus.name,
        licence=corpus.licence,
        documents=facts.documents,
        words=facts.words,
        sentences=facts.sentences,
        matches=facts.count,
        cut=cut,
        kept=share,
        pipeline=f"{opened.name} ({opened.identity[:16]})",
        rules=mining.RULES,
        history=(
            f"Mined from {corpus.name}: {_so_many(facts.templates, 'template')} in {facts.matches:,} of "
            f"{_so_many(facts.sentences, 'sentence')}; {len(templates):,} "
            f"{'was' if len(templates) == 1 else 'were'} counted at least {cut:g} "
            f"{'time' if cut == 1 else 'times'}. Constructions: {', '.join(rule.constructions)}.",
        ),
    )
    return Mined(make_mined(name, templates, card, where="The mined set"), facts)


def _so_many(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def key_of(
    corpus: Corpus, topics: Sequence[Topic], rule: Rule, opened: Opened, characters: int = CHARACTERS
) -> str:
    """Hash what decides the counts, to name the ledger."""
    return digest(
        {
            "corpus": corpus.identity,
            "rule": rule.name,
            "constructions": rule.constructions,
            "wanted": sorted(rule.wanted),
            "topics": sorted(topic.hash for topic in topics),
            "parser": opened.identity,
            "rules": mining.RULES,
            "lists": LANGUAGES[rule.language].lists(),
            "block": characters,
            "ledger": FORMAT,
        }
    )


def _require_templates(
    templates: Sequence[MinedTemplate], facts: Facts, corpus: Corpus, rule: Rule, cut: float
) -> None:
    if not facts.sentences:
        lost = ", ".join(f"{count:,} × {reason}" for reason, count in facts.dropped.items())
        raise CorpusError(
            f"No sentence of {corpus.name} has {rule.looked_for}{f' (left out: {lost})' if lost else ''}, so "
            "no template was found: choose another corpus or another topic."
        )
    if not facts.count:
        lost = "; ".join(f"{reason}: {count:,}" for reason, count in islice(facts.dropped.items(), 3))
        raise CorpusError(
            f"None of the {facts.sentences:,} sentences of {corpus.name} with {rule.looked_for} became a "
            f"template ({lost}). A suitable sentence has {rule.form}: choose a larger corpus or another "
            "topic."
        )
    if not templates:
        raise CorpusError(
            f"No template of {corpus.name} was counted at least {cut:g} times: choose a lower count."
        )


class _Work:
    def __init__(
        self,
        corpus: Corpus,
        characters: int,
        ledger: Ledger,
        counters: Counters,
        on_progress: Callable[[Progress], None],
        pause: Callable[[], None],
    ) -> None:
        self._corpus = corpus
        self._characters = characters
        self._ledger = ledger
        self._counters = counters
        self._on_progress = on_progress
        self._pause = pause
        self._so_far = self._progress_so_far(0)

    def _progress_so_far(self, read: int) -> Progress:
        facts = self._ledger.facts()
        return Progress(read, self._corpus.size, facts.documents, facts.words, facts.sentences, facts.matches)

    def count(self) -> None:
        """Count the blocks that the ledger lacks, then mark it as complete."""
        before = time.monotonic()
        for block, counts in self._counters.count(self._lacking(), self._pause):
            now = time.monotonic()
            if self._ledger.add(block.number, counts, now - before):
                self._report(block.read, counts.documents, counts.words, counts.sentences, counts.matches)
            else:
                self._so_far = self._progress_so_far(self._so_far.read)
                self._report(block.read)
            before = now
        self._ledger.finish()

    def _lacking(self) -> Iterator[TextBlock]:
        done = self._ledger.done()
        for block in blocks_of(self._corpus, self._characters):
            if block.number not in done and not self._ledger.has(block.number):
                yield block
            else:
                self._pause()
                self._report(block.read)

    def _report(self, read: int, *counted: int) -> None:
        """Report progress that never shrinks, although blocks may finish in another order."""
        before = self._so_far
        documents, words, sentences, matches = counted or (0, 0, 0, 0)
        self._so_far = Progress(
            max(before.read, read),
            before.size,
            before.documents + documents,
            before.words + words,
            before.sentences + sentences,
            before.matches + matches,
        )
        self._on_progress(self._so_far)
