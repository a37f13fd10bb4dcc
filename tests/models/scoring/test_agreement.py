"""One model behind a server and here: its scores held against each other, cell by cell."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from pcf_core.audit.agreement import LEAST_NOISE, agreement
from pcf_core.core.errors import RunError
from pcf_core.core.run import RunSpec
from pcf_core.core.topics import Evidence, Group, Template, TemplateSet, Topic
from pcf_core.models.registry import resolve
from pcf_core.models.scoring.base import Scorer, open_scorer
from pcf_core.store.store import Store
from tests.models.scoring.conftest import Serve, scorer_of

GROUPS = (Group(name="male", words=("he", "man", "son")), Group(name="female", words=("she", "woman")))
TOPIC = Topic(name="sex", title="Sex", groups=GROUPS)
PEOPLE = Evidence(name="people", title="", terms=("nurse", "captain", "doctor"))
SENTENCES = TemplateSet(
    name="two",
    title="",
    templates=(Template(text="The [X] said that [Y]"), Template(text="The [X] told us that [Y]")),
)


def stored(store: Store, scorer: Scorer, topic: Topic = TOPIC) -> RunSpec:
    run = RunSpec(scoring=scorer.key, topic=topic, evidence=PEOPLE, templates=SENTENCES)
    scores = scorer.score(run.prompts, topic.words)
    store.write(scorer.key, run.prompts, topic.words, scorer.check(topic.words), scores, {})
    return run


def test_a_planted_cell_is_the_only_one_beyond_the_noise(serve: Serve, tmp_path: Path) -> None:
    """The server gives a local model's own numbers, with rounding, and one word that is half as likely."""
    server, store = serve("gpt2"), Store.open(tmp_path)
    server.bend = lambda values: [round(value, 4) for value in values]
    local = stored(store, scorer_of("gpt2"))
    own = server.model

    def model(ids: list[int]) -> tuple[list[float], list[float]]:
        values, best = own(ids)
        wrong = server.loaded.tokenizer.decode(ids) == "The captain told us that she"
        return ([*values[:-1], values[-1] - math.log(2)] if wrong else values), best

    server.model = model  # type: ignore[method-assign]
    served = stored(store, open_scorer(resolve("endpoint:tiny")))
    held = agreement(store, served, local)
    assert (held.cells, held.scores, held.beyond, held.noise) == (6, 30, 1, LEAST_NOISE)
    worst, *others = held.apart
    assert (worst.occupation, worst.template, worst.word) == ("captain", SENTENCES.texts[1], "she")
    assert worst.second - worst.first == pytest.approx(math.log(2), abs=1e-3)
    assert all(one.nats <= LEAST_NOISE for one in others)
    assert agreement(store, local, local.model_copy(update={"topic": TOPIC})).beyond == 0


def test_runs_without_scores_of_the_same_words_are_refused(serve: Serve, tmp_path: Path) -> None:
    serve("gpt2")
    store = Store.open(tmp_path)
    local = stored(store, scorer_of("gpt2"))
    another = local.scoring.model_copy(update={"identity": "another"})
    unscored = local.model_copy(update={"scoring": another})
    with pytest.raises(RunError, match="no scores of the same words"):
        agreement(store, local, unscored)
