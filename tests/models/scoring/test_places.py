"""Words that begin a sentence or a text, or touch letters: a brute force, from the scorer to a result."""

from __future__ import annotations

import numpy as np
import pytest

from pcf_core.audit.options import ViewOptions
from pcf_core.audit.reading import report
from pcf_core.audit.results import load_result, result_name
from pcf_core.audit.slots import Slot
from pcf_core.core.run import ModelSpec, RunSpec, ScoringKey
from pcf_core.core.settings import Settings
from pcf_core.core.topics import Evidence, Group, Template, TemplateSet, Topic
from pcf_core.models.registry import resolve
from pcf_core.models.scoring.base import Scorer, open_scorer
from pcf_core.store.database import FILE_NAME
from pcf_core.store.store import Store
from pcf_core.work.probing import word_check
from pcf_core.work.scoring import score_run
from tests.models.scoring.conftest import Serve, brute, changed, family_of, load_tiny, scorer_of

NAME = "endpoint:tiny"
# Every tokenizer of the tests has these letters, small and capital.
TOPIC = Topic(
    name="toy",
    title="Toy",
    groups=(Group(name="first", words=("the", "told")), Group(name="second", words=("that", "asked"))),
)
WRITTEN = {"the": "The", "told": "Told", "that": "That", "asked": "Asked"}
START, SENTENCE, USUAL = "[Y] was old.", "The nurse was old. [Y] knew", "The nurse said that [Y]"
FAMILIES = ("gpt2", "opt", "llama", "bert", "roberta", "t5", "bart", "xlnet")
# A prompt; the same with a gap between spaces, and the word with the letters that touch it.
PLACES = {text: (text, "{}") for text in (START, SENTENCE, USUAL)} | {
    "The nurse s[Y]s old.": ("The nurse [Y] old.", "s{}s"),
    "[Y]s were old": ("[Y] were old", "{}s"),
}


def brute_of(name: str, prompt: str, word: str) -> float:
    """Nats of the word as it is given; before GPT-2's bare [Y] stands the BOS that the scorer puts there."""
    bare = name == "gpt2" and prompt.startswith("[Y]")
    return brute(name, load_tiny(name).tokenizer.bos_token + prompt if bare else prompt, word)


def pieces(name: str, prompt: str, word: str) -> int:
    """Tokens that the text has more with the word: by the tokenizer's own call."""
    tokenizer, left = load_tiny(name).tokenizer, prompt.split("[Y]")[0]
    texts = (left.rstrip(), left + word)
    before, behind = (
        tokenizer(text, add_special_tokens=False)["input_ids"] if text else [] for text in texts
    )
    return len(behind) - len(before)


def spec_of(name: str) -> ModelSpec:
    return ModelSpec(name=name, family=family_of(name), path="", identity=name, tokenizer=name)  # type: ignore[arg-type]


def open_tiny_model(spec: ModelSpec, protocol: str = "exact") -> Scorer:
    scorer: Scorer = changed(spec.name)
    return scorer


@pytest.fixture(autouse=True)
def tiny_models_are_known(monkeypatch: pytest.MonkeyPatch, own_settings: Settings) -> None:
    for module in ("pcf_core.work.probing", "pcf_core.work.scoring"):
        monkeypatch.setattr(f"{module}.resolve", lambda name: resolve(name) if ":" in name else spec_of(name))


@pytest.mark.parametrize("name", FAMILIES)
def test_a_word_anywhere_has_the_score_of_the_brute_force(name: str) -> None:
    """Word and letters that touch it are tokenised together: the score is that of the whole word."""
    scorer, words = scorer_of(name), ("the", "The", "That")
    for prompt, row in zip(PLACES, scorer.score(tuple(PLACES), words), strict=True):
        whole, form = PLACES[prompt]
        expected = [brute_of(name, whole, form.format(word)) for word in words]
        assert row == pytest.approx(expected, abs=1e-4)
        counts = {word: pieces(name, whole, form.format(word)) for word in words}
        assert scorer.check(words, prompt).tokens == counts
        assert scorer.alone(prompt, "the") == pytest.approx(expected[0], abs=1e-4)


def run_of(name: str, *texts: str) -> RunSpec:
    return RunSpec(
        scoring=ScoringKey.of(spec_of(name)),
        topic=TOPIC,
        evidence=Evidence(name="e", title="E", terms=("nurse", "captain")),
        templates=TemplateSet(name="s", title="S", templates=tuple(Template(text=text) for text in texts)),
    )


def preferences(nats: np.ndarray, texts: int) -> np.ndarray:
    """[term, text, group] shares of the sums over the two words of each group."""
    sums = np.exp(nats).reshape(2, texts, 2, 2).sum(axis=-1)
    return sums / sums.sum(axis=-1, keepdims=True)


TEXTS = ("[Y] met the [X].", "The [X] was old. [Y] knew", "The [X] said that [Y]")


@pytest.mark.parametrize("name", ["gpt2", "bert"])
def test_a_run_of_all_places_equals_the_brute_force(name: str, own_settings: Settings) -> None:
    store, run = Store.open(own_settings.cache), run_of(name, *TEXTS)
    assert score_run(run, store, open_tiny_model) == 6
    result = load_result(store, run)
    written = [
        (prompt, [WRITTEN[word] if Slot.of(prompt).begins else word for word in TOPIC.words])
        for prompt in run.prompts
    ]
    nats = np.array([[brute_of(name, prompt, word) for word in words] for prompt, words in written])
    np.testing.assert_allclose(result.preferences.values, preferences(nats, 3), atol=1e-4, rtol=0)
    note = "Words at the beginning of a sentence (2 of 3 sentences) are capitalised: The, Told, That, Asked."
    assert note in report(result, run, ViewOptions(), resamples=20).warnings
    if name == "bert":
        counts = [[pieces(name, prompt, word) for word in words] for prompt, words in written]
        largest = [
            max(np.exp(row)[np.array(tokens) == k].sum() for k in set(tokens))
            for row, tokens in zip(nats, counts, strict=True)
        ]
        assert result.preferences.coverage is not None
        assert result.preferences.coverage.ravel() == pytest.approx(largest, rel=1e-3)


def test_scores_of_before_are_neither_taken_for_these_nor_lost(own_settings: Settings) -> None:
    """Small words that an earlier version scored there stay, and answer what is asked elsewhere."""
    store, run = Store.open(own_settings.cache), run_of("gpt2", *TEXTS)
    scorer = open_tiny_model(spec_of("gpt2"))
    old = scorer.score(run.prompts[:], TOPIC.words)
    store.write(run.scoring, run.prompts[:], TOPIC.words, scorer.check(TOPIC.words), old, {})
    assert score_run(run, store, open_tiny_model) == 4  # the usual place is not scored again
    np.testing.assert_array_equal(store.gather(run.scoring, run.prompts[:], TOPIC.words), old)
    at_start = {"The": 1, "Told": 2, "That": 2, "Asked": 5}
    assert store.known_words(run.scoring).at_start == at_start
    (own_settings.cache / FILE_NAME).unlink()
    again = Store.open(own_settings.cache).known_words(run.scoring)
    assert again.at_start == at_start
    assert again.tokens["told"] == 1


def test_scores_of_parts_of_words_are_not_served_as_those_of_whole_words(own_settings: Settings) -> None:
    store, texts = Store.open(own_settings.cache), ("The [X] met two [Y]s", "Two [X][Y] sat", *TEXTS[2:])
    run, scorer = run_of("gpt2", *texts), open_tiny_model(spec_of("gpt2"))
    usual = [prompt.endswith("said that [Y]") for prompt in run.prompts]
    old = np.where(np.array(usual)[:, None], scorer.score(run.prompts[:], TOPIC.words), np.float32(-1))
    store.write(run.scoring, run.prompts[:], TOPIC.words, scorer.check(TOPIC.words), old, {})
    assert score_run(run, store, open_tiny_model) == 4  # the usual place is not scored again
    assert result_name(run, "exact").endswith("-joined")
    assert not result_name(run_of("gpt2", *TEXTS), "exact").endswith("-joined")
    result = load_result(store, run)
    wholes = [("The {x} met two [Y]", "{y}s"), ("Two [Y] sat", "{x}{y}")]
    nats = [
        [brute_of("gpt2", text.format(x=x), form.format(x=x, y=word)) for word in TOPIC.words]
        for x in run.evidence.terms
        for text, form in wholes
    ]
    expected = preferences(np.array(nats), 2)
    np.testing.assert_allclose(result.preferences.values[:, :2], expected, atol=1e-4, rtol=0)
    note = "Where letters touch [Y] (2 of 3 sentences), the whole word is scored: thes, tolds, thats, "
    assert any(warning.startswith(note) for warning in result.warnings)
    assert result.self_audit is not None
    assert result.self_audit.noise_floor == pytest.approx(0, abs=1e-3)


@pytest.mark.parametrize(
    ("model", "shape"), [("opt", "prompt_logprobs"), ("opt", "echo"), ("llama", "prompt_logprobs")]
)
def test_an_endpoint_equals_the_local_model(model: str, shape: str, serve: Serve) -> None:
    serve(model, shape)
    for text in (START, SENTENCE, USUAL):
        local = word_check(model, TOPIC, text, open_scorer=open_tiny_model)
        remote = word_check(NAME, TOPIC, text, open_scorer=open_scorer)
        assert remote["notes"] == local["notes"]
        for mine, own in zip(remote["words"], local["words"], strict=True):
            assert (mine["word"], mine["tokens"]) == (own["word"], own["tokens"])
            assert mine["log_probability"] == pytest.approx(own["log_probability"], abs=1e-4)


def test_values_of_a_server_that_depend_on_the_position_alone_are_no_even_split(serve: Serve) -> None:
    """They pass the probe: they differ from token to token and come out the same twice."""
    server = serve("llama")
    words = TOPIC.model_copy(
        update={"groups": (Group(name="first", words=("the",)), Group(name="second", words=("that",)))}
    )
    server.bend = lambda values: [-1.0 - index % 5 for index in range(len(values))]
    answer = word_check(NAME, words, USUAL, open_scorer=open_scorer)
    assert answer["preferences"] == {"first": 0.5, "second": 0.5}
    assert any("exactly the same score" in note for note in answer["notes"])
