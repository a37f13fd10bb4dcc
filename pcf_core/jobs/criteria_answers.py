"""The texts and scores that answer the cells of a criteria run: which, what is missing, what is there.

cell -> (system, prompt) -> the store's texts
cell -> (text, words)    -> the store's log-probabilities
"""

from __future__ import annotations

from collections.abc import Sequence

from pcf_core.criteria.experiment import Ask, Experiment, ScoredAsk
from pcf_core.errors import StoreError
from pcf_core.jobs.generating import TextsAsked
from pcf_core.records import LeftOut, ScoringKey
from pcf_core.records.criteria_run import CriteriaAsked
from pcf_core.records.generation import Generated, GenerationKey
from pcf_core.store import Missing, Store


def asks_of(asked: CriteriaAsked, experiment: Experiment) -> tuple[tuple[Ask, GenerationKey], ...]:
    """Every cell of a written request, and the key of its texts.

    Raises:
        ValueError: the request is to be scored.
    """
    if asked.generation is None or asked.wording is None:
        raise ValueError(f"the request {asked.hash} is {asked.answering}")
    key = asked.generation
    return tuple((ask, key.with_system(ask.system)) for ask in experiment.asks(asked.wording))


def texts_asked(asked: CriteriaAsked, experiment: Experiment) -> tuple[TextsAsked, ...]:
    """The texts of all cells, those with the same system message together."""
    prompts: dict[GenerationKey, list[str]] = {}
    for ask, key in asks_of(asked, experiment):
        prompts.setdefault(key, []).append(ask.prompt)
    return tuple(
        TextsAsked(key=key, prompts=tuple(some), count=asked.repeats) for key, some in prompts.items()
    )


def missing(store: Store, asked: CriteriaAsked, experiment: Experiment) -> int:
    """How many texts, or how many prompts' scores, the store lacks."""
    if asked.scoring is not None:
        blocks = missing_scores(store, asked.scoring, experiment.scored_asks())
        return sum(len(block.prompts) for block in blocks)
    return sum(missing_texts(store, part) for part in texts_asked(asked, experiment))


def missing_texts(store: Store, part: TextsAsked) -> int:
    """How many texts of a request for texts the store lacks."""
    return sum(block.count for block in store.missing_texts(part.key, part.prompts, part.count))


def missing_scores(store: Store, key: ScoringKey, asks: Sequence[ScoredAsk]) -> list[Missing]:
    """Blocks of prompts × words that are to be scored, those of the same words together."""
    return [
        block
        for words, alike in by_words(asks).items()
        for block in store.missing(key, [ask.text for ask in alike], words)
    ]


def by_words(asks: Sequence[ScoredAsk]) -> dict[tuple[str, ...], list[ScoredAsk]]:
    """Cells that have the same candidates, in the order of the experiment."""
    found: dict[tuple[str, ...], list[ScoredAsk]] = {}
    for ask in asks:
        found.setdefault(ask.words, []).append(ask)
    return found


def read_texts(store: Store, asked: CriteriaAsked, experiment: Experiment) -> dict[str, Generated]:
    """Cell -> its texts, [repeat], with how they ended.

    Raises:
        StoreError: some are not there, or were removed since: the same request writes them again.
    """
    texts = {}
    for ask, key in asks_of(asked, experiment):
        found = store.texts(key, ask.prompt, asked.repeats)
        if found is None:
            raise StoreError(f"The texts of {ask.cell!r} are not all in the store: ask for them again.")
        texts[ask.cell] = found
    return texts


def read_scores(
    store: Store, key: ScoringKey, asks: Sequence[ScoredAsk]
) -> tuple[dict[str, tuple[float, ...]], tuple[LeftOut, ...]]:
    """Cell -> [word] nats, NaN for a word that the model cannot express, and those words with the reason."""
    nats: dict[str, tuple[float, ...]] = {}
    for words, alike in by_words(asks).items():
        values = store.gather(key, [ask.text for ask in alike], words)
        nats |= {ask.cell: tuple(row) for ask, row in zip(alike, values.tolist(), strict=True)}
    refused = store.known_words(key).refused
    candidates = dict.fromkeys(word for ask in asks for word in ask.words)
    return nats, tuple(LeftOut(name=word, reason=refused[word]) for word in candidates if word in refused)
