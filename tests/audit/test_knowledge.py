"""From stored scores to a knowledge report: by hand with the fake scorer, and one model by brute force."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from benchmarks.fakes import FakeScorer
from pcf_core.audit.knowledge import (
    OF_GROUPS,
    answer_probabilities,
    knowledge_protocol,
    knowledge_report,
    missing_answers,
)
from pcf_core.core.errors import CriterionError, ModelError, RunError
from pcf_core.core.knowledge import Fact, KnowledgeSet
from pcf_core.core.run import ModelSpec, Protocol, ScoringKey, TokenTable
from pcf_core.core.settings import Settings
from pcf_core.material.knowledge import load_knowledge, make_knowledge
from pcf_core.models.registry import resolve
from pcf_core.models.scoring.base import Scorer
from pcf_core.store.store import Store
from pcf_core.work.knowledge import score_knowledge

ROOT = Path(__file__).resolve().parents[2]
SKY = make_knowledge(
    "sky",
    ["The [X] is a [Y]", "A [Y], says the book, is the [X]"],
    [
        Fact(subject="Sun", right=("star",), wrong=("moon", "planet")),
        Fact(subject="Mars", right=("planet",), wrong=("star", "moon"), weight=3.0),
    ],
)
FEW = tuple(
    f"This result rests on 2 {noun}, fewer than 8, so it may not hold for others."
    for noun in ("templates", "facts")
)
# star, moon, planet: in the two templates of the Sun, then of Mars
P = {
    "The Sun is a [Y]": (0.01, 0.49, 0.5),
    "A [Y], says the book, is the Sun": (0.245, 0.135, 0.12),
    "The Mars is a [Y]": (0.09, 0.16, 0.0),
    "A [Y], says the book, is the Mars": (0.2, 0.0, 0.2),
}
SPEC = ModelSpec(name="toy", family="masked", path="", identity="toy", tokenizer="toy")
KEY = ScoringKey.of(SPEC)


@pytest.fixture
def store(own_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setattr("pcf_core.work.blocks.resolve", lambda name: SPEC)
    return Store.open(own_settings.cache)


def scored(
    store: Store,
    asked: KnowledgeSet = SKY,
    *,
    probabilities: Mapping[str, tuple[float, ...]] = P,
    key: ScoringKey = KEY,
    refused: Mapping[str, str] | None = None,
    tokens: Mapping[str, int] | None = None,
    same: Sequence[tuple[str, ...]] = (),
) -> None:
    def probability(prompt: str, word: str) -> float:
        return probabilities[prompt][("star", "moon", "planet").index(word)]

    def open_fake(spec: ModelSpec, protocol: str) -> Scorer:
        return FakeScorer(probability, key=key, refused=refused, tokens=tokens, same=same)

    score_knowledge(asked, key, store, open_fake)


def test_the_report_by_hand(store: Store) -> None:
    """Sun: p = 0.01 and 0.49, as in the example of pcf_core.measure.knowledge.  Mars: 0 and 0.5.

    Elsewhere, the Sun's answer is right of Mars with 0.36 and 0.5, mean 0.43; the planet of the Sun with 0.5
    and 0.24, mean 0.37.
    """
    scored(store)
    report = knowledge_report(store, KEY, SKY)
    sun, mars = report.facts
    assert sun.probabilities == pytest.approx([0.01, 0.49], abs=1e-6)
    assert (sun.knowledge, sun.mean_score, sun.confidence_gap) == pytest.approx((0.5, 0.4, 0.1), abs=1e-6)
    assert mars.probabilities == pytest.approx([0, 0.5], abs=1e-6)
    assert (mars.mean_probability, mars.knowledge) == pytest.approx((0.25, 0.5), abs=1e-6)
    assert mars.confidence_gap == pytest.approx(0.5 - 0.5**0.5 / 2, abs=1e-6)
    assert (sun.elsewhere, mars.elsewhere) == pytest.approx((0.43**0.5, 0.37**0.5), abs=1e-6)
    assert sun.chance == mars.chance == pytest.approx((1 / 3) ** 0.5)
    assert (sun.weight, mars.weight) == (0.25, 0.75)
    assert report.knowledge == pytest.approx(0.5, abs=1e-6)
    assert report.confidence_gap == pytest.approx(0.25 * 0.1 + 0.75 * mars.confidence_gap, abs=1e-6)
    assert report.knowledge - report.confidence_gap == pytest.approx(report.mean_score)
    assert report.elsewhere == pytest.approx(0.25 * 0.43**0.5 + 0.75 * 0.37**0.5, abs=1e-6)
    assert report.gain == pytest.approx(0.5 - (report.elsewhere or 0), abs=1e-6)
    assert report.left_out == ()
    assert report.warnings == FEW


@pytest.mark.parametrize("spread", [0.5, 1.0, 2.0])
def test_a_model_that_knows_nothing_gains_nothing(spread: float) -> None:
    """Answers are liked by chance, subject by subject; which of them is right has nothing to do with it."""
    generator = np.random.default_rng(5)
    words = ("A", "B", "C")
    facts = [
        Fact(subject=f"s{i}", right=(words[i % 3],), wrong=tuple(w for w in words if w != words[i % 3]))
        for i in range(60)
    ]
    asked = make_knowledge("chance", [f"[X] is {i} [Y]" for i in range(5)], facts)
    gains = []
    for _ in range(40):
        nats = generator.normal(0, spread, (60, 1, 3)) + generator.normal(0, 0.3, (60, 5, 3))
        found = answer_probabilities(asked, words, (), nats, TokenTable({}))
        known = np.sqrt(found.values.mean(axis=1))
        plain = np.array([np.sqrt(others.mean(axis=1)).mean() for others in found.elsewhere])
        gains.append(float((known - plain).mean()))
    error = np.std(gains, ddof=1) / len(gains) ** 0.5
    assert abs(np.mean(gains)) < 4 * error


def test_answers_of_the_same_tokens_count_once_and_right_and_wrong_ones_for_neither(store: Store) -> None:
    """Sun: the moon is the planet, so .01/.5 and .245/.38; of Mars right and wrong are then one word."""
    scored(store, same=[("moon", "planet")])
    report = knowledge_report(store, KEY, SKY)
    (sun,) = report.facts
    assert (sun.subject, sun.wrong) == ("Sun", ("moon",))
    assert sun.probabilities == pytest.approx([0.01 / 0.5, 0.245 / 0.38], abs=1e-6)
    assert sun.chance == pytest.approx(0.5**0.5)
    assert [(item.name, item.reason) for item in report.left_out] == [
        ("planet of Sun", "the model cannot distinguish it from 'moon', so they count as one word"),
        ("planet of Mars", "the model cannot distinguish it from 'moon' of the group 'wrong'"),
        ("moon of Mars", "the model cannot distinguish it from 'planet' of the group 'right'"),
        ("Mars", "none of its right answers can be scored"),
    ]


def test_another_score_is_another_reading_of_the_same_scores(store: Store) -> None:
    scored(store)
    report = knowledge_report(store, KEY, SKY, "quadratic")
    assert report.facts[0].knowledge == pytest.approx(0.25 * 1.75, abs=1e-6)
    assert report.facts[0].confidence_gap == pytest.approx(0.24**2, abs=1e-6)
    with pytest.raises(CriterionError, match="'cube'"):
        knowledge_report(store, KEY, SKY, "cube")


def test_other_answers_of_the_same_words_score_nothing(store: Store) -> None:
    scored(store)
    facts = [SKY.facts[0].model_copy(update={"right": ("star", "planet"), "wrong": ("moon",)}), SKY.facts[1]]
    changed = make_knowledge("sky", SKY.templates, facts)
    assert missing_answers(store, KEY, changed) == []
    assert knowledge_report(store, KEY, changed).facts[0].probabilities == pytest.approx(
        [0.51, 0.73], abs=1e-6
    )


def test_what_was_not_scored_is_asked_for(store: Store) -> None:
    with pytest.raises(RunError, match=r"4 prompts .* knowledge --model toy --set sky"):
        knowledge_report(store, KEY, SKY)


def test_answers_and_facts_left_out_are_named(store: Store) -> None:
    scored(store, refused={"planet": "unk"})
    report = knowledge_report(store, KEY, SKY)
    assert [fact.subject for fact in report.facts] == ["Sun"]
    assert report.facts[0].wrong == ("moon",)
    assert report.facts[0].weight == 1
    assert report.facts[0].probabilities == pytest.approx([0.02, 0.245 / 0.38], abs=1e-6)
    assert [(item.name, item.reason) for item in report.left_out] == [
        ("planet", "unk"),
        ("Mars", "none of its right answers can be scored"),
    ]


def test_a_fact_of_which_nothing_is_expected_is_left_out(store: Store) -> None:
    scored(store, probabilities=P | {"The Mars is a [Y]": (0.0, 0.0, 0.0)})
    report = knowledge_report(store, KEY, SKY)
    assert [(item.name, item.reason) for item in report.left_out] == [
        ("Mars", "the model gives its answers no probability at all")
    ]
    assert report.elsewhere is None


def test_single_token_counts_words_of_one(store: Store) -> None:
    scored(store, tokens={"moon": 2})
    report = knowledge_report(store, KEY, SKY, protocol="single-token")
    assert report.facts[0].probabilities == pytest.approx([0.01 / 0.51, 0.245 / 0.365], abs=1e-6)
    assert "moon" in [item.name for item in report.left_out]
    assert report.warnings == FEW


@pytest.mark.parametrize("protocol", OF_GROUPS)
def test_facts_have_no_groups_whose_words_could_be_selected(protocol: Protocol, store: Store) -> None:
    scored(store)
    with pytest.raises(CriterionError, match=f"{protocol} compares the words of groups"):
        knowledge_report(store, KEY, SKY, protocol=protocol)
    assert knowledge_protocol(protocol) == "exact"
    assert knowledge_protocol("single-token") == "single-token"


def test_a_masked_model_warns_of_uneven_answers(store: Store) -> None:
    scored(store, tokens={"moon": 2})
    *_, warning = knowledge_report(store, KEY, SKY).warnings
    assert "2 of 2 facts" in warning
    assert "single-token" in warning


def test_answers_hardly_expected_are_told(store: Store) -> None:
    """Of a causal model only where no text is scored with the word."""
    faint = {prompt: tuple(p * 1e-5 for p in row) for prompt, row in P.items()}
    scored(store, probabilities=faint)
    assert "In 4 of 4 prompts" in knowledge_report(store, KEY, SKY).warnings[-1]
    causal = ScoringKey.of(SPEC.model_copy(update={"family": "causal"}))
    scored(store, probabilities=faint, key=causal)
    assert "In 2 of 2 prompts" in knowledge_report(store, causal, SKY).warnings[-1]


def test_a_model_without_answers_is_refused(store: Store) -> None:
    scored(store, refused={"star": "unk", "moon": "unk"})
    with pytest.raises(ModelError, match="for any fact of 'sky'"):
        knowledge_report(store, KEY, SKY)


def test_without_another_subject_there_is_no_elsewhere(store: Store) -> None:
    alone = make_knowledge("sun", SKY.templates, SKY.facts[:1])
    scored(store, alone)
    report = knowledge_report(store, KEY, alone)
    assert report.elsewhere is None
    assert report.facts[0].elsewhere is None
    assert report.gain is None
    assert "gain" not in report.intervals


def test_one_template_has_no_interval_and_few_are_a_warning(store: Store) -> None:
    alone = make_knowledge("sky", SKY.templates[:1], SKY.facts)
    scored(store, alone)
    report = knowledge_report(store, KEY, alone)
    assert report.facts[0].interval is None
    assert [one.over for one in report.intervals["knowledge"]] == ["occupations"]
    assert report.warnings[:2] == (
        "This result rests on 1 template, fewer than 8, so it may not hold for others.",
        "This result rests on 2 facts, fewer than 8, so it may not hold for others.",
    )


def test_many_templates_and_facts_are_no_warning(store: Store) -> None:
    facts = [Fact(subject=f"Sun {n}", right=("star",), wrong=("moon",)) for n in range(8)]
    many = make_knowledge("suns", [f"{n}: the [X] is a [Y]" for n in range(8)], facts)
    scored(store, many, probabilities=dict.fromkeys(many.prompts, (0.5, 0.5, 0.0)))
    assert knowledge_report(store, KEY, many).warnings == ()


def test_a_shipped_model_by_brute_force(own_settings: Settings) -> None:
    """mini-gpt on five facts: each sentence through transformers alone, everything else written out again."""
    import torch
    import transformers

    continents = load_knowledge("continents")
    facts = [fact for fact in continents.facts if fact.subject in ("Kenya", "Mali", "Japan", "Iraq", "Spain")]
    asked = make_knowledge("few", continents.templates[:4], facts)
    spec = resolve("mini-gpt")
    key = ScoringKey.of(spec)
    store = Store.open(own_settings.cache)
    assert score_knowledge(asked, key, store) == 20
    report = knowledge_report(store, key, asked)

    tokenizer = transformers.AutoTokenizer.from_pretrained(spec.path)
    model = transformers.AutoModelForCausalLM.from_pretrained(spec.path, dtype=torch.float32).eval()

    def probability(text: str, word: str) -> float:
        left = text.removesuffix(" [Y]")
        ids, begun = tokenizer(f"{left} {word}")["input_ids"], tokenizer(left)["input_ids"]
        with torch.no_grad():
            logs = torch.log_softmax(model(torch.tensor([ids])).logits[0].double(), dim=-1)
        return math.exp(sum(float(logs[at - 1, ids[at]]) for at in range(len(begun), len(ids))))

    def right_share(subject: str, fact: Fact, text: str) -> float:
        each = {word: probability(text.replace("[X]", subject), word) for word in fact.answers}
        return sum(each[word] for word in fact.right) / sum(each.values())

    def root_of_mean(values: list[float]) -> float:
        return math.sqrt(sum(values) / len(values))

    knowledge, elsewhere, scores = [], [], []
    for fact, row in zip(facts, report.facts, strict=True):
        shares = [right_share(fact.subject, fact, text) for text in asked.templates]
        others = [other.subject for other in facts if other.right != fact.right]
        assert row.probabilities == pytest.approx(shares, rel=1e-4)
        knowledge.append(root_of_mean(shares))
        scores.append(sum(map(math.sqrt, shares)) / 4)
        roots = [
            root_of_mean([right_share(other, fact, text) for text in asked.templates]) for other in others
        ]
        elsewhere.append(sum(roots) / len(roots))
    assert report.knowledge == pytest.approx(np.mean(knowledge), rel=1e-4)
    assert report.confidence_gap == pytest.approx(np.mean(knowledge) - np.mean(scores), abs=1e-4)
    assert report.elsewhere == pytest.approx(np.mean(elsewhere), rel=1e-4)
    assert score_knowledge(asked, key, Store.open(own_settings.cache), unopenable) == 0


def test_the_figures_that_the_documentation_gives(own_settings: Settings) -> None:
    """From the shipped scores, which tests/test_shipped.py holds against the models."""
    store = Store.open(own_settings.cache, [ROOT / "assets" / "cache"])
    gains = {}
    for name in ("continents", "capitals", "animals"):
        report = knowledge_report(store, ScoringKey.of(resolve("mini-gpt")), load_knowledge(name))
        both = report.intervals["gain"][-1]
        gains[name] = (report.gain, both.low, both.high)
    text = (ROOT / "docs" / "knowledge.md").read_text(encoding="utf8")
    for name in ("continents", "capitals"):
        said = "{:.3f} ({:.3f}–{:.3f})".format(*gains[name])
        assert said in text
    assert gains["animals"][1] <= 0 <= gains["animals"][2]


def unopenable(spec: ModelSpec, protocol: str) -> Scorer:
    raise AssertionError("nothing was missing")
