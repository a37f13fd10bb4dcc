"""The self-audit of a run or a knowledge set: traits of its scorer, and its noise floor.

**Noise floor.**  In 50 random but reproducible cells, one random word per group, or a right and a wrong
answer of the fact, is scored again in a forward pass of its own, with nothing batched, packed or shared; the
floor is the largest |difference| to the stored scores, in nats.  For runs in bfloat16 or float16 this is done
in float32 if a second copy of the weights fits into half of the free memory, so the floor includes the
model's rounding.

**Cost.**  At most a twentieth of the time of scoring, but at least five cells; the number follows from the
time of those before, including that of loading a second copy.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from pcf_core.audit.knowledge import answer_slots, knowledge_key
from pcf_core.audit.preferences import select_words
from pcf_core.audit.slots import Slot, check_slots, slots_of, stored_prompt, table_at
from pcf_core.core.errors import AuditError
from pcf_core.core.knowledge import KnowledgeSet
from pcf_core.core.records import FloatArray, LeftOut
from pcf_core.core.run import ModelSpec, RunSpec, ScoringKey, SelfAudit, TokenTable
from pcf_core.models.names import free_memory
from pcf_core.models.scoring.base import Scorer, quoted
from pcf_core.store.store import Store

CELLS = 50
FEWEST_CELLS = 5
PART_OF_TIME = 0.05  # of the scoring
BYTES_OF_FLOAT32 = 4
PART_OF_MEMORY = 0.5
NARROW = ("bfloat16", "float16")
Cell = tuple[tuple[str, str], ...]  # (prompt, word) of each recomputed score
OnCheck = Callable[[int, int, float | None], None]  # cells checked, their total, seconds left


@dataclass(frozen=True)
class Sample:
    """The audited part of scores: ``facts`` that need no scoring, and ``cells`` to recompute."""

    key: ScoringKey
    facts: SelfAudit
    cells: Sequence[Cell]


def sample_of_run(run: RunSpec, scorer: Scorer) -> Sample:
    """Draw the audited cells of a run."""
    run = run.as_scored
    words, slots = run.topic.words, slots_of(run)
    table = table_at(check_slots(scorer, words, slots), words, slots)
    left_out = select_words(run.topic, table, "exact")[1]
    return Sample(run.scoring, _facts(scorer, words, table, left_out), draw_scores(run, table))


def sample_of_answers(knowledge: KnowledgeSet, key: ScoringKey, scorer: Scorer) -> Sample:
    """Draw the audited cells of a knowledge set."""
    words, slots = knowledge.words, answer_slots(knowledge)
    table = table_at(check_slots(scorer, words, slots), words, slots)
    refused = [LeftOut(name=word, reason=table.refused[word]) for word in words if word in table.refused]
    return Sample(key, _facts(scorer, words, table, refused), draw_answers(knowledge, key, table))


def _facts(scorer: Scorer, words: Sequence[str], table: TokenTable, left_out: Sequence[LeftOut]) -> SelfAudit:
    return SelfAudit(
        traits=dict(scorer.traits),
        tokens={word: table.tokens[word] for word in words if word in table.tokens},
        left_out=tuple(left_out),
    )


def audit_sample(
    sample: Sample,
    store: Store,
    scorer: Scorer,
    spec: ModelSpec,
    open_scorer: Callable[[ModelSpec, str], Scorer],
    pause: Callable[[], None],
    seconds: float = math.inf,
    on_check: OnCheck = lambda done, total, seconds_left: None,
) -> SelfAudit:
    """Add the noise floor of the drawn cells, or of the first ones, to the facts; the store has all scores.

    ``open_scorer`` may open the model of ``spec`` a second time.  ``seconds``: how long the scoring took,
    which limits the cells.  ``on_check`` is called before each cell and after the last one.  If the model
    fails now, only the noise floor is lost: ``note`` says why.
    """
    key, facts, drawn = sample.key, sample.facts, sample.cells
    if not drawn:
        return facts.model_copy(update={"note": "There is no fact whose answers the model can express."})
    stored = _stored(key, store, [score for cell in drawn for score in cell])
    again: list[float] = []
    try:
        began = time.perf_counter()
        reader = second_reader(scorer, spec, key.protocol, open_scorer)
        affordable = PART_OF_TIME * seconds - (time.perf_counter() - began)
        cells, wanted, spent = 0, min(FEWEST_CELLS, len(drawn)), 0.0
        while cells < wanted:
            on_check(cells, wanted, spent / cells * (wanted - cells) if cells else None)
            for prompt, word in drawn[cells]:
                pause()
                began = time.perf_counter()
                again.append(reader.alone(prompt, word))
                spent += time.perf_counter() - began
            cells += 1
            wanted = _affordable(affordable, spent / cells, len(drawn))
        on_check(cells, cells, 0.0)
    except AuditError as error:
        return facts.model_copy(update={"note": f"The scores were not checked by scoring again: {error}"})
    read = [score for cell in drawn[:cells] for score in cell]
    differences = np.array([difference(*pair) for pair in zip(stored, again, strict=False)])
    audit = facts.model_copy(
        update={"noise_scores": len(read), "noise_cells": cells, "noise_dtype": reader.key.dtype}
    )
    largest = int(differences.argmax())
    if np.isfinite(differences[largest]):
        return audit.model_copy(update={"noise_floor": float(differences[largest])})
    prompt, word = read[largest]
    note = (
        f"{word!r} in {quoted(prompt)} had a probability the first time but not the second, or the reverse."
    )
    return audit.model_copy(update={"note": note})


def _affordable(seconds: float, a_cell: float, drawn: int) -> int:
    most = seconds / a_cell if a_cell else math.inf
    return min(drawn, max(FEWEST_CELLS, int(min(most, drawn))))


def draw_scores(run: RunSpec, table: TokenTable) -> list[Cell]:
    """Draw one word per group in each of ``CELLS`` cells, or in all if fewer, seeded by the run key."""
    generator = np.random.default_rng(int(run.key, 16))
    prompts = run.prompts
    cells = generator.choice(len(prompts), size=min(CELLS, len(prompts)), replace=False)
    choices = [[word for word in group.words if word in table.tokens] for group in run.topic.groups]
    return [
        tuple(_drawn(prompts[cell], words[generator.integers(len(words))]) for words in choices)
        for cell in cells.tolist()
    ]


def _drawn(prompt: str, word: str) -> tuple[str, str]:
    (written,) = Slot.of(prompt).written([word])
    return stored_prompt(prompt), written


def draw_answers(knowledge: KnowledgeSet, key: ScoringKey, table: TokenTable) -> list[Cell]:
    """Draw a right and a wrong answer of the fact in ``CELLS`` prompts, or all, seeded by set and model."""
    generator = np.random.default_rng(int(knowledge_key(knowledge, key), 16))
    prompts, drawn = knowledge.prompts, list[Cell]()
    for cell in generator.choice(len(prompts), size=min(CELLS, len(prompts)), replace=False).tolist():
        fact = knowledge.facts[cell // len(knowledge.templates)]
        answered = [
            [word for word in answers if word in table.tokens] for answers in (fact.right, fact.wrong)
        ]
        scores = [_drawn(prompts[cell], some[generator.integers(len(some))]) for some in answered if some]
        drawn += [tuple(scores)] if scores else []
    return drawn


def difference(first: float, second: float) -> float:
    """Return |first − second| in nats: 0 where both are −∞, infinite where one is, or is not a number."""
    if np.isnan(first) or np.isnan(second):
        return np.inf
    return 0.0 if first == second else abs(first - second)


def second_reader(
    scorer: Scorer, spec: ModelSpec, protocol: str, open_scorer: Callable[[ModelSpec, str], Scorer]
) -> Scorer:
    """Open the model in float32 if the run was in less and a second copy fits; else return ``scorer``."""
    needed = spec.parameters * BYTES_OF_FLOAT32
    free = free_memory(getattr(scorer, "device", "cpu"))
    if spec.dtype in NARROW and spec.family != "endpoint" and 0 < needed <= free * PART_OF_MEMORY:
        return open_scorer(spec.with_dtype("float32"), protocol)
    return scorer


def _stored(key: ScoringKey, store: Store, drawn: Sequence[tuple[str, str]]) -> FloatArray:
    prompts = list(dict.fromkeys(prompt for prompt, _ in drawn))
    words = list(dict.fromkeys(word for _, word in drawn))
    nats = store.gather(key, prompts, words)
    rows = {prompt: row for row, prompt in enumerate(prompts)}
    columns = {word: column for column, word in enumerate(words)}
    return np.array([nats[rows[prompt], columns[word]] for prompt, word in drawn], dtype=np.float64)
