"""Coverage given the text on the left alone, from the scorer over shards and packs to reports.

The fake scores text right of ``[Y]`` together with the word, as a causal model does: half of what the word
gets given the left text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import jsonschema
import numpy as np
import pytest

from benchmarks.fakes import FakeScorer
from pcf_core.audit.case import restricted
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.preferences import preferences_of
from pcf_core.audit.reading import report
from pcf_core.audit.results import load_result, recomputed_result
from pcf_core.core.errors import PackError
from pcf_core.core.probe import ProbeAnswer, TopicCheck
from pcf_core.core.records import FloatArray
from pcf_core.core.run import LOW_COVERAGE, ModelSpec, RunSpec
from pcf_core.core.topics import Template
from pcf_core.models.scoring.base import Batch, has_right_text
from pcf_core.report.documents import cell_table, report_document
from pcf_core.report.packs import LEFT
from pcf_core.show.charts.heat_map import heat_map
from pcf_core.show.findings.material import probes_finding
from pcf_core.show.findings.probe import probe_coverage
from pcf_core.store.store import Store
from pcf_core.work.jobs import Stopped
from pcf_core.work.probing import topic_check, word_check
from pcf_core.work.requests import make_check
from pcf_core.work.scoring import score_run
from tests.command_line import SCHEMAS
from tests.report.small_packs import brought, changed, packed, parts_of
from tests.work import toy
from tests.work.test_blocks import Several

TEXTS = ("The [X] of text is [Y]", "The [X] said [Y] was late", "A [X] met [Y], too")
FAINT = "term7"
JOINED = ("The term2 said [Y] was late", "she")


def run_of(*texts: str) -> RunSpec:
    spec = toy.spec_of().model_copy(update={"family": "causal"})
    run = toy.run_of(spec=spec)
    templates = tuple(Template(text=text) for text in texts or TEXTS)
    return run.model_copy(update={"templates": run.templates.model_copy(update={"templates": templates})})


def given_left(prompt: str, word: str) -> float:
    """What a word gets given the text on its left."""
    cut = prompt.partition("[Y]")[0] + "[Y]"
    return toy.probability(cut, word) * (1e-5 if FAINT in prompt and has_right_text(prompt) else 1)


def scored_with_right(prompt: str, word: str) -> float:
    return given_left(prompt, word) * (0.5 if has_right_text(prompt) else 1)


class Ahead(FakeScorer):
    """Also tells what words get given the left text alone, except of ``unknown`` cells."""

    unknown: frozenset[tuple[str, str]] = frozenset()

    def _score_batches(
        self, prompts: Sequence[str], words: Sequence[str], pause: Callable[[], None]
    ) -> Iterator[Batch]:
        for batch in super()._score_batches(prompts, words, pause):
            some = [prompts[row] for row in batch.rows]
            left = [
                [np.nan if (prompt, word) in self.unknown else given_left(prompt, word) for word in words]
                for prompt in some
            ]
            yield batch._replace(left=np.log(left)) if any(map(has_right_text, some)) else batch


def opening(kind: type[FakeScorer] = Ahead) -> Callable[[ModelSpec, str], FakeScorer]:
    return lambda spec, protocol: kind(scored_with_right, key=run_of().scoring, batch_size=2)


@pytest.fixture(autouse=True)
def causal_model(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = toy.spec_of().model_copy(update={"family": "causal"})
    monkeypatch.setattr("pcf_core.work.scoring.resolve", lambda name: spec)


def expected(run: RunSpec) -> FloatArray:
    """Coverage [occupation, template], word by word."""
    sums = [sum(given_left(prompt, word) for word in toy.WORDS) for prompt in run.prompts]
    return np.array(sums).reshape(len(run.evidence.terms), -1)


def test_coverage_is_that_of_the_words_given_the_text_to_their_left(store: Store) -> None:
    run = run_of()
    assert score_run(run, store, opening()) == 24
    nats = np.log([[scored_with_right(prompt, word) for word in toy.WORDS] for prompt in run.prompts])
    for result in (load_result(store, run), load_result(store, run), recomputed_result(store, run)):
        found = result.preferences
        np.testing.assert_allclose(
            found.values.reshape(-1, 2), preferences_of(nats, toy.TOPIC, toy.WORDS), rtol=1e-6
        )
        assert found.coverage is not None
        np.testing.assert_allclose(found.coverage, expected(run), rtol=1e-6)
        assert found.left_only
        assert result.coverage is not None
        assert (result.coverage.left_only, result.coverage.unknown, result.coverage.cells) == (True, 0, 24)
        assert found.flagged.sum() == result.coverage.flagged == 2
    read = report(result, run, ViewOptions(), resamples=10)
    document = report_document(read)
    assert document["coverage"]["left_only"] is True
    assert "unknown" not in document["coverage"]
    assert document["reliable"] is False, "2 of 24 are more than 5 %"
    jsonschema.validate(document, SCHEMAS["risk"])
    table = cell_table(found, read)
    assert set(table[table.left_only].template) == set(TEXTS[1:])
    assert (table.coverage[table.flagged] < LOW_COVERAGE).all()


def test_without_text_on_the_right_nothing_is_marked_and_no_byte_is_other(store: Store) -> None:
    run = run_of(TEXTS[0], "The [X] here is [Y]")
    score_run(run, store, opening())
    result = load_result(store, run)
    read = report(result, run, ViewOptions(), resamples=10)
    assert "left_only" not in report_document(read)["coverage"]
    assert "left_only" not in cell_table(result.preferences, read)
    plain = Store.open(store._root.with_name("plain"))
    score_run(run, plain, opening(FakeScorer))
    assert toy.shards(store._root) == toy.shards(plain._root)


def test_some_of_its_sentences_alone_are_marked_by_their_own_text(store: Store) -> None:
    run = run_of()
    score_run(run, store, opening())
    result = load_result(store, run)
    for texts, left_only in ((TEXTS[:1], False), (TEXTS[1:2], True)):
        narrowed = restricted(result, run, texts, [1.0] * len(texts), ViewOptions(), resamples=10)
        assert narrowed.coverage is not None
        assert (narrowed.coverage.left_only, narrowed.coverage.cells) == (left_only, 8)


def test_a_word_that_shares_a_token_with_the_text_behind_it_leaves_its_cell_out(store: Store) -> None:
    class Joining(Ahead):
        unknown = frozenset({JOINED})

    run = run_of()
    score_run(run, store, opening(Joining))
    result = load_result(store, run)
    assert result.coverage is not None
    assert (result.coverage.unknown, result.coverage.cells, result.coverage.flagged) == (1, 23, 2)
    (cell,) = np.argwhere(np.isnan(result.preferences.coverage)).tolist()
    assert cell == [2, 1]
    assert np.isfinite(result.preferences.values).all()
    document = report_document(report(result, run, ViewOptions(), resamples=10))
    assert document["coverage"]["unknown"] == 1
    jsonschema.validate(document, SCHEMAS["risk"])


def test_where_it_is_known_of_no_cell_there_is_no_coverage(store: Store) -> None:
    class Joining(Ahead):
        unknown = frozenset((prompt, "she") for prompt in run_of(*TEXTS[1:]).prompts)

    run = run_of(*TEXTS[1:])
    score_run(run, store, opening(Joining))
    for result in (load_result(store, run), load_result(store, run)):
        assert result.coverage is None
        assert not result.preferences.flagged.any()


# Stopped and resumed, here, elsewhere and by an earlier version.


def stopped_at(run: RunSpec, store: Store, kind: type[FakeScorer]) -> None:
    seen: list[int] = []
    with pytest.raises(Stopped):
        score_run(
            run, store, opening(kind), toy.cells_to(seen), toy.stop_if(lambda: bool(seen and seen[-1] >= 8))
        )


def test_a_run_that_is_resumed_has_the_shards_of_one_piece(store: Store) -> None:
    run, whole = run_of(), Store.open(store._root.with_name("whole"))
    stopped_at(run, store, Ahead)
    assert 0 < score_run(run, store, opening()) < 24
    assert score_run(run, whole, opening()) == 24
    assert toy.shards(store._root) == toy.shards(whole._root)
    assert load_result(store, run).coverage == load_result(whole, run).coverage


def test_a_run_of_an_earlier_version_goes_on_without_coverage(store: Store) -> None:
    """What it has is not scored again, and half of a run says nothing of the other."""
    run, whole = run_of(), Store.open(store._root.with_name("whole"))
    stopped_at(run, store, FakeScorer)
    assert 0 < score_run(run, store, opening()) < 24
    result = load_result(store, run)
    assert (result.coverage, result.preferences.coverage) == (None, None)
    assert report_document(report(result, run, ViewOptions(), resamples=10))["coverage"] is None
    assert score_run(run, store, opening()) == 0
    score_run(run, whole, opening())
    np.testing.assert_array_equal(result.preferences.values, load_result(whole, run).preferences.values)
    plain = run_of(TEXTS[0], "The [X] here is [Y]")  # shares its first sentence
    score_run(plain, store, opening())
    assert load_result(store, plain).coverage is not None


def test_blocks_that_are_scored_elsewhere_bring_it_along(store: Store) -> None:
    run, here = run_of(), Store.open(store._root.with_name("here"))
    score_run(run, store, lambda spec, protocol: Several(opening()(spec, protocol)))
    score_run(run, here, opening())
    assert toy.shards(store._root) == toy.shards(here._root)
    assert load_result(store, run).coverage == load_result(here, run).coverage is not None


# In packs.


@pytest.fixture
def theirs(tmp_path: Path, toy_settings: object) -> Store:
    made = Store.open(tmp_path / "theirs")
    score_run(run_of(), made, opening())
    return made


def test_a_pack_carries_it_and_reads_the_same(store: Store, theirs: Store) -> None:
    run, pack = run_of(), packed(theirs, run_of())
    manifest, parts = parts_of(pack)
    assert (manifest.version, manifest.left_only) == (3, (run.key,))
    assert len(parts[f"{run.key}/{LEFT}"]) == 24 * 4 * 4
    (arrived,) = brought(store, pack).new
    then, now = load_result(theirs, run), load_result(store, arrived)
    assert now.coverage == then.coverage is not None
    assert brought(store, pack).new == ()
    assert brought(theirs, pack).known == (run,)


def test_a_pack_of_an_earlier_version_has_none_and_stays_as_it_was(store: Store, theirs: Store) -> None:
    old = Store.open(theirs._root.with_name("old"))
    score_run(run_of(), old, opening(FakeScorer))
    manifest, _ = parts_of(packed(old, run_of()))
    assert (manifest.version, manifest.left_only) == (1, ())
    assert b"left_only" not in manifest.model_dump_json().encode()
    (arrived,) = brought(store, packed(old, run_of())).new
    assert load_result(store, arrived).coverage is None
    assert brought(theirs, packed(old, run_of())).known == (run_of(),), "the scores are the same"


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda left: left[:-4], "does not have a number for every one"),
        (lambda left: np.full(len(left) // 4, 1, "<f4").tobytes(), "no logarithm of a probability"),
    ],
)
def test_a_pack_whose_values_are_none_is_refused(
    store: Store, theirs: Store, change: Callable[[bytes], bytes], problem: str
) -> None:
    with pytest.raises(PackError, match=problem):
        brought(store, changed(packed(theirs, run_of()), LEFT, change))


def test_other_values_of_the_same_run_are_refused(store: Store, theirs: Store) -> None:
    pack = packed(theirs, run_of())
    other = changed(pack, LEFT, lambda left: (np.frombuffer(left, "<f4") - 1).tobytes())
    brought(store, pack)
    for here in (store, theirs):
        with pytest.raises(PackError, match="is here already, with other scores"):
            brought(here, other)


# In one sentence, and in a check of a topic's words.


def test_a_sentence_and_a_check_say_that_it_is_given_the_left_text(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = toy.spec_of().model_copy(update={"family": "causal", "path": "here"})
    monkeypatch.setattr("pcf_core.work.probing.resolve", lambda name: spec)
    sentence, before = "The nurse said [Y] was late", "The nurse said [Y]"
    covered = sum(given_left(sentence, word) for word in toy.WORDS)
    found = word_check("toy", toy.TOPIC, sentence, open_scorer=opening())
    jsonschema.validate(found, SCHEMAS["words"])
    assert (found["coverage"], found["left_only"]) == ({"all": pytest.approx(covered)}, True)
    assert "given the text to their left" in probe_coverage(ProbeAnswer.of(found))
    assert "left_only" not in word_check("toy", toy.TOPIC, before, open_scorer=opening())
    plain = word_check("toy", toy.TOPIC, sentence, open_scorer=opening(FakeScorer))
    assert (plain["coverage"], "left_only" in plain) == (None, False)
    request = make_check(spec, toy.TOPIC, (sentence, before))
    check = TopicCheck.model_validate(topic_check(request, opening()))
    assert check.coverage_by_tokens == {"all": pytest.approx([covered, covered])}
    assert "given the text to their left" in probes_finding("toy", check)
    ordinary = topic_check(request.model_copy(update={"texts": (before,)}), opening())
    assert "left_only" not in ordinary


def test_the_heat_map_says_of_which_words_the_coverage_of_a_cell_is(store: Store) -> None:
    class Joining(Ahead):
        unknown = frozenset({JOINED})

    run = run_of()
    score_run(run, store, opening(Joining))
    preferences = load_result(store, run).preferences
    drawn = heat_map(preferences, "male", [0, 2], [0, 1], [1, 1, 1], neutral=0.5)
    texts = next(trace.customdata for trace in drawn.data if trace.type == "heatmap")
    assert texts[0][0].endswith(" of the words given the text to their left")
    assert texts[1][1] == "not known"
