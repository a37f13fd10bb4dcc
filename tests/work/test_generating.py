"""Writing texts: once, with progress, resumable, with the model that was asked for; in the worker too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from benchmarks.fakes import FakeGenerator
from pcf_core.core.errors import GenerationError
from pcf_core.core.generation import Decoding, Generated, GenerationKey, MissingTexts
from pcf_core.core.settings import Settings
from pcf_core.models.registry import resolve_writer as real_resolve
from pcf_core.store.store import Store
from pcf_core.work.jobs import Stopped
from pcf_core.work.queue import Queue
from pcf_core.work.text_audits import TextsAsked, estimate_texts, generate_missing
from pcf_core.work.worker import Worker
from tests.work.toy import WRITING as KEY
from tests.work.toy import stop_if, unopenable, writing
from tests.work.writing import let_workers_write, submit_texts

TABLE = {" She was kind.": 0.5, " He worked.": 0.3, "": 0.2}
ASKED = TextsAsked(key=KEY, prompts=("John is", "Jane is"), count=60)


fake = writing(TABLE)


@pytest.fixture(autouse=True)
def workers_write(toy_writers: None, monkeypatch: pytest.MonkeyPatch) -> None:
    let_workers_write(monkeypatch)


def expected(prompt: str, count: int) -> Generated:
    whole = FakeGenerator(TABLE, key=KEY).generate(prompt, 0, 100, lambda: None)
    return Generated(prompt, 0, whole.texts[:count], whole.ends[:count], whole.tokens[:count])


def test_texts_are_written_once_and_told_as_they_come(store: Store) -> None:
    told: list[tuple[int, int]] = []
    assert generate_missing(ASKED, store, fake, lambda done, total, rate: told.append((done, total))) == 120
    assert told == [(done, 120) for done in (0, 25, 50, 60, 85, 110, 120)]
    for prompt in ASKED.prompts:
        assert store.texts(KEY, prompt, 60) == expected(prompt, 60)
    assert generate_missing(ASKED, store, unopenable) == 0


def test_more_texts_write_what_is_new_alone(store: Store) -> None:
    generate_missing(ASKED, store, fake)
    more = ASKED.model_copy(update={"prompts": (*ASKED.prompts, "He is"), "count": 80})
    assert generate_missing(more, store, fake) == 20 + 20 + 80
    assert store.texts(KEY, "Jane is", 80) == expected("Jane is", 80)


def test_what_was_stopped_goes_on_with_the_same_bytes(store: Store, tmp_path: Path) -> None:
    done = 0

    def count(so_far: int, total: int, rate: float) -> None:
        nonlocal done
        done = so_far

    with pytest.raises(Stopped):
        generate_missing(ASKED, store, fake, count, stop_if(lambda: done >= 50))
    assert len(store.missing_texts(KEY, ASKED.prompts, 60)) == 4
    assert generate_missing(ASKED, store, fake) == 70
    undisturbed = Store.open(tmp_path / "undisturbed")
    generate_missing(ASKED, undisturbed, fake)
    one, other = (
        {path.name: path.read_bytes() for path in root.rglob("*.parquet")}
        for root in (tmp_path / "cache", tmp_path / "undisturbed")
    )
    assert len(one) == 6
    assert one == other


def test_a_stop_within_a_block_keeps_nothing_of_it(store: Store) -> None:
    class Slow(FakeGenerator):
        def write(self, batch: Sequence[MissingTexts], pause: Callable[[], None]) -> list[Generated]:
            for _ in range(5):
                pause()
            return super().write(batch, pause)

    asked = 0

    def stop() -> None:
        nonlocal asked
        asked += 1
        if asked > 10:
            raise Stopped

    with pytest.raises(Stopped):
        generate_missing(ASKED, store, lambda spec, decoding: Slow(TABLE, key=KEY), pause=stop)
    assert len(store.missing_texts(KEY, ASKED.prompts, 60)) == 5


def test_nothing_is_written_where_the_last_prompt_is_refused(store: Store) -> None:
    class Short(FakeGenerator):
        def check(self, prompt: str) -> None:
            if prompt == "Jane is":
                raise GenerationError("The prompt 'Jane is' is too long.")

    generator = Short(TABLE, key=KEY)
    with pytest.raises(GenerationError, match="'Jane is' is too long"):
        generate_missing(ASKED, store, lambda spec, decoding: generator)
    assert generator.written == 0
    assert len(store.missing_texts(KEY, ASKED.prompts, 60)) == 6


def test_what_another_process_has_written_meanwhile_is_left(store: Store) -> None:
    generators = [FakeGenerator(TABLE, key=KEY)]

    def both(done: int, total: int, rate: float) -> None:
        if done == 25:
            generate_missing(ASKED, store, fake)

    assert generate_missing(ASKED, store, lambda spec, decoding: generators[0], both) == 25
    assert generators[0].written == 25


@pytest.mark.parametrize(("prompts", "count"), [((), 5), (("x",), 0)])
def test_nothing_is_asked_for_in_a_sentence(prompts: tuple[str, ...], count: int) -> None:
    with pytest.raises(
        GenerationError, match=f"{count} texts for each of {len(prompts)} prompts were requested"
    ):
        TextsAsked(key=KEY, prompts=prompts, count=count)


def test_empty_texts_are_not_dropped(store: Store) -> None:
    generate_missing(ASKED, store, fake)
    found = [store.texts(KEY, prompt, 60) for prompt in ASKED.prompts]
    ends = Counter(end for texts in found if texts is not None for end in texts.ends)
    empty = sum(expected(prompt, 60).texts.count("") for prompt in ASKED.prompts)
    assert empty > 0
    assert ends == {"stop": 120 - empty, "empty": empty}


def test_what_made_a_text_stands_in_its_manifest(store: Store, tmp_path: Path) -> None:
    generate_missing(ASKED, store, fake)
    manifest = sorted((tmp_path / "cache" / "texts" / KEY.hash).glob("*.json"))[0].read_text()
    for name in ("pcf_core", "python", "device", "texts_per_second", '"temperature": 1.0', '"length": 10'):
        assert name in manifest


# -------------------------------------------------------------------------------------- estimate


def test_an_estimate_counts_texts_and_tokens(store: Store, queue: Queue) -> None:
    """120 texts of at most 10 tokens; 7 characters of a prompt are 2 tokens."""
    found = estimate_texts(ASKED, store, queue)
    assert (found.missing, found.tokens, found.prompt_tokens) == (120, 1200, 240)
    assert found.seconds is None
    assert "Nothing was written on this machine yet" in found.basis
    generate_missing(ASKED, store, fake)
    assert estimate_texts(ASKED, store, queue).tokens == 0


def test_time_comes_from_tokens_of_this_model_or_is_scaled_by_size(store: Store, queue: Queue) -> None:
    """5 texts of 10 tokens a second are 50 tokens a second; ten times the parameters, ten times the time."""
    asked = {"model": "toy", "key": KEY.model_dump(mode="json")}
    job = queue.submit("fairpair", "before", asked, total=75, models=["toy"])
    queue.claim("somewhere")
    queue.progress(job.id, 75, rate=5.0)
    queue.finish(job.id, {})
    assert estimate_texts(ASKED, store, queue).seconds == pytest.approx(1200 / 50)
    longer = KEY.model_copy(update={"decoding": Decoding(length=40)})
    asked = ASKED.model_copy(update={"key": longer})
    assert estimate_texts(asked, store, queue).seconds == pytest.approx(4800 / 50)
    big = ASKED.model_copy(update={"key": KEY.model_copy(update={"model": "big"})})
    found = estimate_texts(big, store, queue)
    assert found.seconds == pytest.approx(10 * 1200 / 50)
    assert found.basis.startswith("Rough")


# ---------------------------------------------------------------------------------- in the worker


def test_a_shipped_model_writes_in_the_worker(
    store: Store, queue: Queue, toy_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From request to texts with nothing faked."""
    monkeypatch.setattr("pcf_core.work.text_audits.resolve_writer", real_resolve)
    key = GenerationKey.of(real_resolve("mini-gpt-s"), Decoding(length=4))
    asked = TextsAsked(key=key, prompts=("John is a nurse.",), count=30)
    job = submit_texts(store, queue, asked)
    Worker(store, queue, toy_settings).run(until_idle=True)
    assert queue.get(job.id).state == "done"
    found = store.texts(key, "John is a nurse.", 30)
    assert len(set(found.texts)) > 20
