"""score_run: only what is missing, shard by shard, stopping cleanly."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import numpy as np
import pytest
from pyarrow import parquet

from benchmarks.fakes import FakeScorer
from pcf_core.audit.results import load_result
from pcf_core.core.errors import ModelError, ScoringError, StoreError
from pcf_core.core.run import ModelSpec, Progress, RunSpec, ScoringKey, TokenTable
from pcf_core.core.settings import Settings
from pcf_core.core.topics import Evidence, Group, Template, TemplateSet, Topic
from pcf_core.models.scoring.base import Batch, Scorer, out_of_memory
from pcf_core.store.layer import Missing, Scores
from pcf_core.store.store import Store
from pcf_core.work.blocks import A_MINUTE, environment
from pcf_core.work.jobs import Pace, Stopped
from pcf_core.work.scoring import require_every_group, score_asked, score_run
from tests.work import toy


class Opener:
    """Opens the toy, and remembers its scorers."""

    def __init__(self, **options: object) -> None:
        self.options = options
        self.scorers: list[Scorer] = []

    def __call__(self, spec: ModelSpec, protocol: str) -> Scorer:
        self.scorers.append(toy.open_toy(spec, protocol, **self.options))
        return self.scorers[-1]

    @property
    def prompts(self) -> int:
        return sum(scorer.scored for scorer in self.scorers)


@pytest.fixture
def opener() -> Opener:
    return Opener()


def widened(run: RunSpec, **parts: object) -> RunSpec:
    return run.model_copy(update=parts)


def of_other_groups(run: RunSpec) -> RunSpec:
    """Another run of the same cells."""
    named = [group.model_copy(update={"name": f"{group.name} words"}) for group in run.topic.groups]
    return widened(run, topic=run.topic.model_copy(update={"groups": tuple(named)}))


def test_scores_are_the_models_and_the_run_is_kept(store: Store, opener: Opener) -> None:
    run = toy.run_of()
    assert score_run(run, store, opener) == 24
    expected = [[np.log(toy.probability(p, w)) for w in toy.WORDS] for p in run.prompts]
    np.testing.assert_allclose(store.gather(run.scoring, run.prompts, toy.WORDS), expected, rtol=1e-6)
    info = store.run_info(run.key)
    assert (info.run, info.complete) == (run, True)
    assert info.provenance["device"] == "cpu"


def test_only_what_is_new_is_scored(store: Store, opener: Opener) -> None:
    """A template, an occupation, a word more; weights, counts and titles cost nothing; dropping nothing."""
    run = toy.run_of()
    score_run(run, store, opener)
    more_templates = toy.run_of(templates=4)
    assert score_run(more_templates, store, opener) == 8
    assert score_run(toy.run_of(terms=10, templates=4), store, opener) == 8
    assert opener.prompts == 24 + 8 + 8
    groups = (*toy.TOPIC.groups[:1], Group(name="female", words=("she", "queen", "lady")))
    wider = widened(run, topic=widened(run.topic, groups=groups))
    asked: list[tuple[int, int]] = []
    spy = opener.scorers[0].__class__._score_batches
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            opener.scorers[0].__class__,
            "_score_batches",
            lambda self, prompts, words, pause: (
                asked.append((len(prompts), len(words))) or spy(self, prompts, words, pause)
            ),
        )
        assert score_run(wider, store, opener) == 24
    assert {words for _, words in asked} == {1}
    assert sum(prompts for prompts, _ in asked) == 24
    fewer = widened(wider, evidence=Evidence(name="few", title="Few", terms=run.evidence.terms[::-2]))
    assert score_run(fewer, store, opener) == 0
    counted = TemplateSet(
        name="texts",
        title="Counted",
        templates=tuple(Template(text=text, count=9) for text in run.templates.texts),
    )
    assert score_run(widened(run, templates=counted), store, opener) == 0
    assert store.load_run(run.key).templates.counts.tolist() == [1, 1, 1], "the key keeps its counts"
    assert len(opener.scorers) == 4


def test_cells_are_counted_not_prompts(store: Store, opener: Opener) -> None:
    """Two templates that make the same prompt are two cells and one row."""
    run = toy.run_of(terms=3, templates=1)
    double = TemplateSet(name="two", title="Two", templates=run.templates.templates * 2)
    seen: list[tuple[int, int]] = []
    assert score_run(widened(run, templates=double), store, opener, toy.counts_to(seen)) == 6
    assert opener.prompts == 3
    assert seen[-1] == (6, 6)


def test_words_kept_without_their_tokens_at_the_beginning_of_a_text_get_them(
    store: Store, own_settings: Settings, opener: Opener
) -> None:
    """As an earlier version kept them: names are written as they were, so nothing has to be scored again."""
    topic = Topic(
        name="names",
        title="Names",
        groups=(Group(name="one", words=("Anna", "Eva")), Group(name="two", words=("Max", "Tom"))),
    )
    texts = TemplateSet(name="texts", title="Texts", templates=(Template(text="[Y] is a [X]"),))
    run = widened(toy.run_of(topic=topic), templates=texts)
    score_run(run, store, opener)
    counts = TokenTable(dict.fromkeys(topic.words, 1))
    scored = store.gather(run.scoring, run.prompts[:], topic.words)
    before = Store.open(own_settings.cache / "before")
    before.write(run.scoring, run.prompts[:], topic.words, counts, scored, {})
    kept = store.run_info(run.key).provenance
    before.save_run(run, kept)
    assert load_result(before, run).coverage is None
    assert score_run(run, before, opener) == 0
    assert before.known_words(run.scoring).at_start == counts.tokens
    found = load_result(before, run)
    assert found.coverage is not None
    assert found.coverage == load_result(store, run).coverage
    assert load_result(before, run, "single-token").words == topic.words
    assert before.run_info(run.key).provenance == kept
    assert score_run(run, before, opener) == 0
    assert (len(opener.scorers), opener.prompts) == (2, 8)


def test_refused_words_are_named_and_not_asked_for_again(store: Store) -> None:
    opener = Opener(refused={"queen": "unk"})
    run = toy.run_of()
    assert score_run(run, store, opener) == 24
    assert store.known_words(run.scoring).refused == {"queen": "unk"}
    assert score_run(run, store, opener) == 0
    assert len(opener.scorers) == 1


def test_a_new_word_that_is_refused_costs_one_look(store: Store) -> None:
    opener = Opener(refused={"dame": "unk"})
    run = toy.run_of()
    score_run(run, store, opener)
    groups = (*toy.TOPIC.groups[:1], Group(name="female", words=("she", "queen", "dame")))
    wider = widened(run, topic=widened(run.topic, groups=groups))
    assert score_run(wider, store, opener) == 0
    assert score_run(wider, store, opener) == 0
    assert (len(opener.scorers), opener.prompts) == (2, 24)


def test_a_group_without_a_word_is_refused_by_name(store: Store) -> None:
    opener = Opener(refused={"she": "unk", "queen": "empty"})
    for _ in range(2):
        with pytest.raises(
            ModelError, match=r"toy can use no word of the group 'female' \('she': unk; 'queen': empty\)"
        ):
            score_run(toy.run_of(), store, opener)
    assert store.runs() == ()


def test_a_group_of_many_words_is_refused_with_a_few_of_them() -> None:
    group = Group(name="male", words=tuple("abcdefghij"))
    run = toy.run_of()
    many = widened(run, topic=widened(run.topic, groups=(group, *run.topic.groups[1:])))
    with pytest.raises(ModelError, match=r"\('a', 'b', 'c', 'd' and 'e': unk; and 5 more\): add a word"):
        require_every_group(many.topic, "toy", TokenTable({}, dict.fromkeys(group.words, "unk")))


def test_the_model_is_opened_with_the_dtype_of_the_run(store: Store, opener: Opener) -> None:
    run = toy.run_of(spec=toy.spec_of().model_copy(update={"dtype": "bfloat16"}))
    assert score_run(run, store, opener) == 24
    assert opener.scorers[0].key == run.scoring
    assert store.missing(toy.run_of().scoring, run.prompts, toy.WORDS) != []


def test_a_scorer_that_forgets_a_prompt_is_refused(
    store: Store, opener: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    scorer = toy.open_toy(toy.spec_of(), "exact")
    monkeypatch.setattr(scorer, "batches", lambda prompts, words, pause: iter([]))
    with pytest.raises(ScoringError, match="returned no score for some of 4 prompts"):
        score_run(toy.run_of(), store, lambda spec, protocol: scorer)


class Tight(FakeScorer):
    """Has no memory for batches of more than ``fits`` tokens; notices at its second batch."""

    fits = 1000

    def _score_batches(
        self, prompts: Sequence[str], words: Sequence[str], pause: Callable[[], None]
    ) -> Iterator[Batch]:
        for number, batch in enumerate(super()._score_batches(prompts, words, pause)):
            if number and self.batch_tokens > self.fits:
                raise out_of_memory(self.key, self.batch_tokens)
            yield batch


def tight_opener(scorers: list[Tight]) -> Callable[[ModelSpec, str], Scorer]:
    def opened(spec: ModelSpec, protocol: str) -> Scorer:
        key = ScoringKey.of(spec, protocol)
        scorers.append(Tight(toy.probability, key=key, batch_size=2))
        return scorers[-1]

    return opened


def test_out_of_memory_starts_the_shard_again_with_half(store: Store) -> None:
    run, scorers = toy.run_of(), list[Tight]()
    progress: list[int] = []
    assert score_run(run, store, tight_opener(scorers), toy.cells_to(progress)) == 24
    assert scorers[0].batch_tokens == 512  # 8192, 4096, 2048, 1024
    assert progress[-1] == 24
    assert max(progress) == 24
    expected = [[np.log(toy.probability(p, w)) for w in toy.WORDS] for p in run.prompts]
    np.testing.assert_allclose(store.gather(run.scoring, run.prompts, toy.WORDS), expected, rtol=1e-6)


def test_out_of_memory_with_the_smallest_batches_ends_the_run(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Tight, "fits", 0)
    with pytest.raises(ScoringError, match="ran out of memory with 128 tokens per batch: free memory"):
        score_run(toy.run_of(), store, tight_opener([]))


def test_progress_ends_at_the_whole(store: Store, opener: Opener) -> None:
    told: list[Progress] = []
    score_run(toy.run_of(), store, opener, told.append)
    seen = [at for at in told if at.stage == "scoring"]
    done = [at.done + at.unsaved for at in seen]
    assert done == sorted(done)
    assert (done[0], done[-1]) == (0, 24)
    assert {at.total for at in seen} == {24}
    assert seen[-1].rate > 0
    assert (seen[-1].unsaved, seen[-1].seconds_left) == (0, 0)


def test_what_is_saved_is_what_another_start_finds(store: Store, opener: Opener) -> None:
    """Shards of four, batches of two: of six cells that are scored, two are lost with the process."""
    run = toy.run_of()
    told: list[Progress] = []

    def lost() -> bool:
        return told[-1].done + told[-1].unsaved == 6

    with pytest.raises(Stopped):
        score_run(run, store, opener, told.append, toy.stop_if(lost))
    assert (told[-1].done, told[-1].unsaved) == (4, 2)
    missing = sum(len(block.prompts) for block in store.missing(run.scoring, run.prompts, toy.WORDS))
    assert missing == 24 - told[-1].done
    for at in told:
        assert at.done % 4 == 0
    again: list[Progress] = []
    score_run(run, store, opener, again.append)
    first = next(at for at in again if at.stage == "scoring")
    assert (first.done, first.total) == (0, missing)


def test_the_stages_come_one_after_the_other(store: Store, opener: Opener, every_cell: None) -> None:
    """Each is named; what the model took to load is expected of it the next time."""
    told: list[Progress] = []
    score_run(toy.run_of(), store, opener, told.append)
    stages = [at.stage for at in told]
    assert list(dict.fromkeys(stages)) == ["loading", "scoring", "writing", "checking"]
    assert stages == sorted(stages, key=list(dict.fromkeys(stages)).index)
    checks = [at for at in told if at.stage == "checking"]
    assert [at.done for at in checks] == list(range(25))
    assert all(at.seconds_left is not None for at in checks[1:])
    assert (checks[-1].total, checks[-1].seconds_left) == (24, 0)
    assert told[0].seconds_left is None
    info = store.runs()[0]
    store.save_run(info.run, {**info.provenance, "timings": {"loading": 7.5}})
    score_run(toy.run_of(terms=9), store, opener, told.append)
    assert [at.seconds_left for at in told if at.stage == "loading"] == [None, 7.5]


@pytest.mark.parametrize("stop_at", range(2, 24, 2))
def test_wherever_it_stops_the_shards_end_up_the_same(store: Store, stop_at: int) -> None:
    """With a refused word too: known or not yet when the run is resumed, it changes no shard."""
    check_stopped_and_undisturbed(store, stop_at)


@pytest.mark.parametrize("stop_at", range(2, 24, 4))
def test_nor_do_the_small_shards_of_a_large_model(
    store: Store, usual_blocks: None, slow_model: None, stop_at: int
) -> None:
    """Shards of eight, for so many are affordable; what is lost is one of them at most."""
    lost = check_stopped_and_undisturbed(store, stop_at, parameters=A_MINUTE // 9)
    assert prompts_of_shards(store) == [8, 8, 8]
    assert lost == stop_at % 8


def test_a_run_half_done_in_shards_of_the_usual_size_goes_on_in_small_ones(
    store: Store, usual_blocks: None, slow_model: None
) -> None:
    """600 cells: one shard of 512 is kept, as an earlier version cut them, and the rest comes in sixteens."""
    run, reports = toy.run_of(30, 20), list[int]()
    with pytest.raises(Stopped):
        score_run(run, store, Opener(), toy.cells_to(reports), toy.stop_if(lambda: reports[-1:] == [540]))
    large = Opener(parameters=A_MINUTE // 16)
    assert score_run(run, store, large) == 600 - 512
    assert prompts_of_shards(store) == [8, *[16] * 5, 512]
    other = Store.open(store._root.with_name("undisturbed"))
    score_run(run, other, Opener())
    assert prompts_of_shards(other) == [88, 512]
    ours, theirs = (load_result(one, run).preferences for one in (store, other))
    np.testing.assert_array_equal(ours.values, theirs.values)


def prompts_of_shards(store: Store) -> list[int]:
    """How many prompts the shards with scores have, the smallest first."""
    rows = (parquet.read_metadata(path).num_rows for path in (store._root / "scores").rglob("*.parquet"))
    return sorted(count for count in rows if count)


def check_stopped_and_undisturbed(store: Store, stop_at: int, parameters: int = 0) -> int:
    """Compare the shards of a run that was stopped with those of one that was not; return cells lost."""
    run = toy.run_of()
    reports: list[int] = []
    refusing = Opener(refused={"king": "unk"}, parameters=parameters)
    with pytest.raises(Stopped):
        score_run(run, store, refusing, toy.cells_to(reports), toy.stop_if(lambda: reports[-1:] == [stop_at]))
    missing = sum(len(block.prompts) for block in store.missing(run.scoring, run.prompts, toy.WORDS))
    assert score_run(run, store, refusing) == missing
    other = Store.open(store._root.with_name("undisturbed"))
    score_run(run, other, Opener(refused={"king": "unk"}, parameters=parameters))
    assert toy.shards(store._root) == toy.shards(other._root)
    lost: int = stop_at - (run.cells - missing)
    return lost


@pytest.mark.parametrize("refused", [{}, {"king": "unk"}])
def test_the_store_is_asked_once_what_a_run_lacks(
    store: Store, monkeypatch: pytest.MonkeyPatch, refused: dict[str, str]
) -> None:
    """Before the model is opened; while nobody else writes, no block is asked for again."""
    asked: list[int] = []
    real = Store.missing

    def missing(self: Store, key: ScoringKey, prompts: Sequence[str], words: Sequence[str]) -> list[Missing]:
        asked.append(len(prompts))
        return real(self, key, prompts, words)

    monkeypatch.setattr(Store, "missing", missing)
    run, opener = toy.run_of(), Opener(refused=refused)
    assert score_run(run, store, opener) == 24
    assert asked == [24]
    asked.clear()
    assert score_run(run, store, opener) == 0
    assert asked == [24]
    asked.clear()
    assert score_asked(run, store, opener).scored == 0
    assert asked == [24]


def test_a_run_that_is_not_checked_yet_is_not_complete_if_its_model_cannot_be_opened(
    store: Store, opener: Opener
) -> None:
    def gone(spec: ModelSpec, protocol: str) -> Scorer:
        raise ModelError("The model is gone.")

    run = toy.run_of()
    assert score_run(run, store, opener, more_to_come=True) == 24
    with pytest.raises(ModelError, match="is gone"):
        score_run(run, store, gone)
    assert not store.run_info(run.key).complete
    assert score_run(run, store, opener) == 0
    assert store.run_info(run.key).complete


def test_what_another_process_scores_meanwhile_is_left(store: Store, opener: Opener) -> None:
    """Between the first two shards another worker finishes the rest, for another run of the same words."""
    run, other = toy.run_of(), Opener()
    pauses: list[int] = []

    def meanwhile() -> None:
        pauses.append(1)
        if len(pauses) == 3:
            score_run(of_other_groups(run), store, other)

    seen: list[int] = []
    assert score_run(run, store, opener, toy.cells_to(seen), pause=meanwhile) == 4
    assert (opener.prompts, other.prompts) == (4, 20)
    assert seen[-1] == 24


def test_of_two_at_one_run_the_second_waits_and_scores_nothing(store: Store, opener: Opener) -> None:
    """The first does not go on before the second was seen to wait."""
    run, second, waiting = toy.run_of(), Opener(), Event()
    begun = Event()

    def hold() -> None:
        begun.set()
        assert waiting.wait(30)

    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(score_run, run, store, opener, pause=hold)
        assert begun.wait(30)
        other = Store.open(store._root)
        assert score_run(run, other, second, on_wait=lambda holder: waiting.set()) == 0
        assert first.result() == 24
    assert (opener.prompts, second.prompts) == (24, 0)


def test_who_waits_for_a_run_can_be_stopped(store: Store, opener: Opener) -> None:
    run = toy.run_of()
    with store.lock(run.key, lambda holder: None), pytest.raises(Stopped):
        score_run(run, store, opener, pause=toy.stop_if(lambda: True))
    assert score_run(run, store, opener) == 24


@pytest.fixture
def fast_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """All shards take less than that, however busy the machine is."""
    monkeypatch.setattr("pcf_core.work.scoring.SAVE_SECONDS", 600.0)


def steps_of(store: Store, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many shards are saved in each step from now on."""
    steps: list[int] = []
    real = store.write_all

    def write_all(key: ScoringKey, table: TokenTable, blocks: Sequence[Scores]) -> list[str]:
        steps.append(len(blocks))
        return real(key, table, blocks)

    monkeypatch.setattr(store, "write_all", write_all)
    return steps


def test_a_slow_model_has_each_shard_saved_once_it_is_whole(
    store: Store, opener: Opener, slow_model: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = steps_of(store, monkeypatch)
    score_run(toy.run_of(), store, opener)
    assert steps == [1] * 6


def test_a_fast_model_has_shards_saved_together_after_the_first_and_they_are_the_same(
    store: Store, opener: Opener, fast_model: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = toy.run_of()
    monkeypatch.setattr("pcf_core.work.scoring.MOST_TOGETHER", 3)
    steps, told = steps_of(store, monkeypatch), list[Progress]()
    assert score_run(run, store, opener, told.append) == 24
    assert steps == [1, 3, 2]
    at = [(one.done, one.unsaved) for one in told if one.stage == "scoring"]
    assert list(dict.fromkeys(done for done, _ in at)) == [0, 4, 16, 24]
    assert max(unsaved for _, unsaved in at) == 12
    assert all(done + unsaved <= 24 for done, unsaved in at)
    monkeypatch.setattr("pcf_core.work.scoring.SAVE_SECONDS", 0.0)
    other = Store.open(store._root.with_name("one-by-one"))
    score_run(run, other, Opener())
    assert toy.shards(store._root) == toy.shards(other._root)


def test_shards_that_wait_are_saved_when_the_run_is_stopped(
    store: Store, opener: Opener, fast_model: None
) -> None:
    """Of 14 cells that are scored, four were saved at once and eight wait; two are in a shard under way."""
    run, told = toy.run_of(), list[Progress]()

    def scored_14() -> bool:
        return told[-1].done + told[-1].unsaved == 14

    with pytest.raises(Stopped):
        score_run(run, store, opener, told.append, toy.stop_if(scored_14))
    assert (told[-1].done, told[-1].unsaved) == (12, 2)
    assert sum(len(block.prompts) for block in store.missing(run.scoring, run.prompts, toy.WORDS)) == 12


def test_a_shard_that_begins_again_takes_none_with_it_that_waits(store: Store, fast_model: None) -> None:
    """The second shard waits to be saved when memory gets short within the third."""
    scorers, seen = list[Tight](), list[tuple[int, int]]()

    def on_progress(at: Progress) -> None:
        if at.stage == "scoring":
            if (at.done, at.unsaved) == (4, 4) not in seen:
                scorers[0].batch_tokens = 2048
            seen.append((at.done, at.unsaved))

    assert score_run(toy.run_of(), store, tight_opener(scorers), on_progress) == 24
    begun_again = seen.index((4, 6))
    assert seen[begun_again : begun_again + 3] == [(4, 6), (4, 4), (4, 6)]
    assert seen[-1] == (24, 0)


def test_a_run_of_many_parts_is_scored_as_one_of_one_part(
    store: Store, opener: Opener, slow_model: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Parts of two shards; another worker finishes the rest, for another run, within the second."""
    run, other = toy.run_of(), Opener()
    undisturbed = Store.open(store._root.with_name("undisturbed"))
    score_run(run, undisturbed, Opener())
    monkeypatch.setattr("pcf_core.audit.preferences.PROMPTS_AT_ONCE", 8)
    seen: list[tuple[int, int]] = []

    def meanwhile() -> None:
        if opener.prompts == 12 and not other.scorers:
            score_run(of_other_groups(run), store, other)

    progress = toy.counts_to(seen)
    assert score_run(run, store, opener, progress, pause=meanwhile) == 12
    assert (opener.prompts, other.prompts) == (12, 12)
    assert seen[-1] == (24, 24)
    assert seen == sorted(seen)
    assert toy.shards(store._root) == toy.shards(undisturbed._root)


def test_a_prompt_that_stands_in_two_parts_is_scored_once(
    store: Store, opener: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last prompt is the first one again: an old nurse, once by the template and once by the term."""
    monkeypatch.setattr("pcf_core.audit.preferences.PROMPTS_AT_ONCE", 4)
    run = widened(
        toy.run_of(),
        evidence=Evidence(name="e", title="E", terms=("nurse", "clerk", "old nurse")),
        templates=TemplateSet(
            name="t",
            title="T",
            templates=(Template(text="The old [X] said [Y]"), Template(text="The [X] said [Y]")),
        ),
    )
    assert run.prompts[0] == run.prompts[5]
    seen: list[tuple[int, int]] = []
    assert score_run(run, store, opener, toy.counts_to(seen)) == 5
    assert opener.prompts == 5
    assert seen[-1] == (6, 6)


def test_between_batches_and_shards_there_is_a_pause(store: Store, opener: Opener, every_cell: None) -> None:
    """Six shards of two batches: a pause before each batch, after the one part of the result, and before each
    score that is read again."""
    pauses: list[int] = []
    score_run(toy.run_of(), store, opener, pause=lambda: pauses.append(opener.prompts))
    assert pauses == [*range(0, 24, 2), *[24] * (1 + 48)]


def test_what_happens_in_a_pause_is_not_counted_as_scoring(store: Store, opener: Opener) -> None:
    run = toy.run_of(terms=4, templates=1)
    score_run(run, store, opener, pause=lambda: time.sleep(0.2))
    (manifest,) = (store._root / "scores").rglob("*.json")
    shard = store._layers[0].read(run.scoring.hash, manifest.stem)
    assert shard.manifest.provenance["timings"]["seconds"] < 0.2
    assert shard.manifest.provenance["versions"]["numpy"] == np.__version__


def test_a_full_disk_ends_the_run_and_keeps_what_is_finished(
    store: Store, opener: Opener, slow_model: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = toy.run_of()

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    def at_twelve(at: Progress) -> None:
        if at.done + at.unsaved == 12:
            monkeypatch.setattr("pcf_core.store.files.os.fsync", full)

    with pytest.raises(StoreError, match="is full"):
        score_run(run, store, opener, at_twelve)
    monkeypatch.undo()
    assert sum(len(block.prompts) for block in store.missing(run.scoring, run.prompts, toy.WORDS)) == 16


def test_a_read_only_cache_that_has_everything_scores_nothing(store: Store, opener: Opener) -> None:
    run = toy.run_of()
    score_run(run, store, opener)
    store._database._refusal = "The cache cannot be written."
    assert score_run(run, store, opener) == 0


@pytest.mark.parametrize("read_only", [False, True])
def test_a_finished_run_keeps_its_counts_when_others_are_scored(
    store: Store, opener: Opener, read_only: bool
) -> None:
    """So do the shipped runs, whose templates say less than those of today."""
    run = toy.run_of()
    score_run(run, store, opener)
    several = tuple(one.model_copy(update={"count": one.count + 1}) for one in run.templates.templates)
    other = run.model_copy(update={"templates": run.templates.model_copy(update={"templates": several})})
    assert other.key == run.key
    assert other != run
    if read_only:
        store._database._refusal = "The cache cannot be written."
    assert score_run(other, store, opener) == 0
    assert store.load_run(run.key) == run


def test_a_read_only_cache_is_refused_before_the_model_is_opened(store: Store, opener: Opener) -> None:
    store._database._refusal = "The cache cannot be written."
    with pytest.raises(StoreError, match="The cache cannot be written"):
        score_run(toy.run_of(), store, opener)
    assert opener.scorers == []


def test_the_pace_is_that_of_the_last_half_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    """By hand: 100 cells in the first minute, then 10 a second."""
    clock = iter([0.0, 60.0, 70.0, 80.0, 90.0, 100.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    pace = Pace()
    assert pace.rate(0) == 0
    assert pace.rate(100) == pytest.approx(100 / 60)
    assert [pace.rate(done) for done in (200, 300, 400, 500)] == [10, 10, 10, 10]


def test_an_environment_names_what_is_loaded() -> None:
    found = environment(toy.open_toy(toy.spec_of(), "exact"))
    assert set(found) == {"versions", "device", "threads", "machine"}
    assert {"pcf_core", "python", "numpy", "pyarrow"} <= set(found["versions"])
