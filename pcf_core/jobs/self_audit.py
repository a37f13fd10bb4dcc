"""The self-audit of a run or a knowledge set: what its scorer does, and how far scores move when they are
made again alone.

**Noise floor.**  Of 50 cells drawn at random (the same ones in every repetition), one random word a group, or
a right and a wrong answer of the fact, is scored again in a forward pass of its own, with nothing batched,
packed or shared; the floor is the largest |difference| to what the store has, in nats.  A run in bfloat16 or
float16 is read again in float32 where a second copy of the weights fits into half of the free memory: its
floor then also holds the rounding of the model's own arithmetic.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence

import numpy as np

from pcf_core.audit import select_words
from pcf_core.audit.knowledge import knowledge_key
from pcf_core.errors import AuditError
from pcf_core.records import FloatArray, LeftOut, ModelSpec, RunSpec, ScoringKey, SelfAudit, TokenTable
from pcf_core.records.knowledge import KnowledgeSet
from pcf_core.scoring.base import Scorer, quoted
from pcf_core.store import Store

CELLS = 50
BYTES_OF_FLOAT32 = 4
PART_OF_MEMORY = 0.5
NARROW = ("bfloat16", "float16")


def audit_scores(
    run: RunSpec,
    store: Store,
    scorer: Scorer,
    spec: ModelSpec,
    open_scorer: Callable[[ModelSpec, str], Scorer],
    pause: Callable[[], None],
) -> SelfAudit:
    """Audit a run of which every cell is in the store; ``pause`` is called between two forward passes.

    A model that fails now costs the noise floor and not the run: ``note`` says why.
    """
    table = scorer.check(run.topic.words)
    facts = _facts(scorer, run.topic.words, table, select_words(run.topic, table, "exact")[1])
    return _read_again(facts, draw_scores(run, table), run.scoring, store, scorer, spec, open_scorer, pause)


def audit_answers(
    asked: KnowledgeSet,
    key: ScoringKey,
    store: Store,
    scorer: Scorer,
    spec: ModelSpec,
    open_scorer: Callable[[ModelSpec, str], Scorer],
    pause: Callable[[], None],
) -> SelfAudit:
    """The same of a knowledge set of which every answer in every prompt is in the store."""
    table = scorer.check(asked.words)
    refused = [
        LeftOut(name=word, reason=table.refused[word]) for word in asked.words if word in table.refused
    ]
    facts = _facts(scorer, asked.words, table, refused)
    drawn = draw_answers(asked, key, table)
    if not drawn:
        return facts.model_copy(update={"note": "The model can express the answers of no fact."})
    return _read_again(facts, drawn, key, store, scorer, spec, open_scorer, pause)


def _facts(scorer: Scorer, words: Sequence[str], table: TokenTable, left_out: Sequence[LeftOut]) -> SelfAudit:
    """What is known without reading anything again."""
    return SelfAudit(
        traits=dict(scorer.traits),
        tokens={word: table.tokens[word] for word in words if word in table.tokens},
        left_out=tuple(left_out),
    )


def _read_again(
    facts: SelfAudit,
    drawn: Sequence[tuple[str, str]],
    key: ScoringKey,
    store: Store,
    scorer: Scorer,
    spec: ModelSpec,
    open_scorer: Callable[[ModelSpec, str], Scorer],
    pause: Callable[[], None],
) -> SelfAudit:
    """The noise floor of what was drawn, beside the other facts."""
    stored = _stored(key, store, drawn)
    try:
        reader = second_reader(scorer, spec, key.protocol, open_scorer)
        again = []
        for prompt, word in drawn:
            pause()
            again.append(reader.alone(prompt, word))
    except AuditError as error:
        return facts.model_copy(update={"note": f"The scores were not read again: {error}"})
    differences = np.array([difference(*pair) for pair in zip(stored, again, strict=True)])
    found = facts.model_copy(update={"noise_scores": len(drawn), "noise_dtype": reader.key.dtype})
    largest = int(differences.argmax())
    if np.isfinite(differences[largest]):
        return found.model_copy(update={"noise_floor": float(differences[largest])})
    prompt, word = drawn[largest]
    note = f"{word!r} in {quoted(prompt)} has a probability in one reading and none in the other."
    return found.model_copy(update={"note": note})


def draw_scores(run: RunSpec, table: TokenTable) -> list[tuple[str, str]]:
    """(prompt, word) of one word a group in ``CELLS`` cells, or in all if fewer; drawn by the run key."""
    generator = np.random.default_rng(int(run.key, 16))
    prompts = run.prompts
    cells = generator.choice(len(prompts), size=min(CELLS, len(prompts)), replace=False)
    choices = [[word for word in group.words if word in table.tokens] for group in run.topic.groups]
    return [
        (prompts[cell], words[generator.integers(len(words))]) for cell in cells.tolist() for words in choices
    ]


def draw_answers(asked: KnowledgeSet, key: ScoringKey, table: TokenTable) -> list[tuple[str, str]]:
    """(prompt, answer) of a right and a wrong answer of the fact, where it has them, in ``CELLS`` prompts, or
    in all if fewer; drawn by what is asked and of whom."""
    generator = np.random.default_rng(int(knowledge_key(asked, key), 16))
    prompts, drawn = asked.prompts, []
    for cell in generator.choice(len(prompts), size=min(CELLS, len(prompts)), replace=False).tolist():
        fact = asked.facts[cell // len(asked.templates)]
        for answers in (fact.right, fact.wrong):
            known = [word for word in answers if word in table.tokens]
            if known:
                drawn.append((prompts[cell], known[generator.integers(len(known))]))
    return drawn


def difference(first: float, second: float) -> float:
    """|first − second| in nats: 0 where both are −∞, infinite where one is, or where one is not a number."""
    if np.isnan(first) or np.isnan(second):
        return np.inf
    return 0.0 if first == second else abs(first - second)


def second_reader(
    scorer: Scorer, spec: ModelSpec, protocol: str, open_scorer: Callable[[ModelSpec, str], Scorer]
) -> Scorer:
    """The same model in float32 where the run is in less and it fits, else the scorer itself.

    Raises:
        AuditError: the model cannot be loaded a second time.
    """
    needed = spec.parameters * BYTES_OF_FLOAT32
    free = free_memory(getattr(scorer, "device", "cpu"))
    if spec.dtype in NARROW and spec.family != "endpoint" and 0 < needed <= free * PART_OF_MEMORY:
        return open_scorer(spec.with_dtype("float32"), protocol)
    return scorer


def free_memory(device: str) -> float:
    """Bytes that are free on a CUDA device, or in the machine; 0 where the system does not say."""
    torch = sys.modules.get("torch")
    if torch is not None and device.startswith("cuda"):
        return float(torch.cuda.mem_get_info(device)[0])
    if "SC_AVPHYS_PAGES" not in os.sysconf_names:
        return 0.0
    return float(os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))


def _stored(key: ScoringKey, store: Store, drawn: Sequence[tuple[str, str]]) -> FloatArray:
    """[score] nats of the drawn (prompt, word)."""
    prompts = list(dict.fromkeys(prompt for prompt, _ in drawn))
    words = list(dict.fromkeys(word for _, word in drawn))
    nats = store.gather(key, prompts, words)
    rows = {prompt: row for row, prompt in enumerate(prompts)}
    columns = {word: column for column, word in enumerate(words)}
    return np.array([nats[rows[prompt], columns[word]] for prompt, word in drawn], dtype=np.float64)
