"""A mining as a whole, without processes: order, interrupts and resuming change no count."""

from __future__ import annotations

import random
import re
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pcf_core import mining
from pcf_core.core.errors import CorpusError
from pcf_core.core.settings import ROOT, Settings
from pcf_core.core.settings import settings as product_settings
from pcf_core.mining.corpora.source import Document
from pcf_core.mining.miner import Mined, Progress, key_of
from pcf_core.mining.pool import Opened
from tests.mining.fakes import (
    TOPIC,
    FakeCorpus,
    FakeRule,
    Here,
    corpus_of,
    fake_counter,
    mine_fake,
)
from tests.quick import scaled


class Stop(Exception):
    """Raised by a pause."""


def without_time(mined: Mined) -> object:
    return mined.templates, mined.facts.dropped, mined.facts.words


def counted_at_once(corpus: FakeCorpus) -> dict[str, int]:
    """The same counts by a loop over the texts."""
    found: dict[str, int] = {}
    for document in corpus.held:
        for sentence in document.text.split(". "):
            words = sentence.rstrip(".").split()
            if "she" in words and not any(word.isdigit() for word in words):
                key = f"The [X] {words[1]} that [Y]"
                found[key] = found.get(key, 0) + 1
    return found


def test_a_corpus_becomes_a_set_with_its_origin(tmp_path: Path) -> None:
    corpus = corpus_of(25)
    mined = mine_fake(tmp_path, corpus, Here(fake_counter()))
    found = {template.text: template.count for template in mined.templates.templates}
    assert found == counted_at_once(corpus)
    counts = [(-template.count, template.text) for template in mined.templates.templates]
    assert counts == sorted(counts)
    assert {template.fits for template in mined.templates.templates} == {("pronoun",)}
    for template in mined.templates.templates:
        assert sum(template.sources.values()) == template.count
        assert len(template.examples) == 3
        assert template.documents <= 25
    card = mined.templates.card
    assert (card.corpus, card.licence, card.form, card.rules) == ("fake", "CC0", "clausal", mining.RULES)
    assert (card.documents, card.matches, card.kept, card.cut) == (25, mined.count, 1, 1)
    assert card.pipeline == "fake (1)"
    assert mined.facts.dropped["a number"] > 0


def test_a_cut_keeps_the_heavy_and_says_how_much_that_is(tmp_path: Path) -> None:
    corpus = corpus_of(25)
    everything = mine_fake(tmp_path, corpus, Here(fake_counter()))
    middle = sorted(template.count for template in everything.templates.templates)[1]
    cut = mine_fake(tmp_path, corpus, Here(fake_counter()), cut=middle)
    kept = [one for one in everything.templates.templates if one.count >= middle]
    assert list(cut.templates.templates) == kept
    assert cut.templates.card.kept == pytest.approx(sum(one.count for one in kept) / everything.count)
    assert cut.templates.card.cut == middle
    with pytest.raises(CorpusError, match="counted at least 1000 times: choose a lower count"):
        mine_fake(tmp_path, corpus, Here(fake_counter()), cut=1000)


def test_one_template_of_one_sentence_is_said_in_the_singular(tmp_path: Path) -> None:
    corpus = FakeCorpus((Document("1", "only", "Ann said that she came.", "one"),))
    (said,) = mine_fake(tmp_path, corpus, Here(fake_counter())).templates.card.history
    assert said.startswith("Mined from fake: 1 template in 1 of 1 sentence; 1 was counted at least 1 time.")
    (several,) = mine_fake(tmp_path / "more", corpus_of(25), Here(fake_counter())).templates.card.history
    assert re.search(r"\d templates in \d+ of \d+ sentences; \d+ were counted", several)


@settings(max_examples=scaled(25))
@given(st.lists(st.integers(1, 14), max_size=5), st.randoms(use_true_random=False))
def test_interrupts_and_order_change_nothing(
    tmp_path_factory: pytest.TempPathFactory, stops: list[int], chance: random.Random
) -> None:
    """Each start mines in an order of its own and ends after so many pauses; no block is counted twice."""
    corpus = corpus_of(25)
    folder = tmp_path_factory.mktemp("cache")
    counted: list[int] = []
    finished = False
    for stop in [*stops, 1000]:
        left = stop

        def pause() -> None:
            nonlocal left
            left -= 1
            if not left:
                raise Stop

        here = Here(fake_counter(), chance.shuffle)
        try:
            mined = mine_fake(folder, corpus, here, pause=pause)
            finished = True
        except Stop:
            pass
        counted += here.counted
    assert finished
    assert sorted(counted) == sorted(set(counted))
    undisturbed = mine_fake(tmp_path_factory.mktemp("other"), corpus, Here(fake_counter()))
    assert without_time(mined) == without_time(undisturbed)


def test_what_is_finished_is_answered_without_reading_the_corpus(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus = corpus_of(10)
    first = mine_fake(tmp_path, corpus, Here(fake_counter()))
    monkeypatch.setattr(FakeCorpus, "documents", lambda self: pytest.fail("it is read again"))
    assert mine_fake(tmp_path, corpus, Here(fake_counter())) == first


def test_another_word_list_is_another_ledger(own_settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    """An edited list must not go on with the counts of the old one."""
    lists = own_settings.cache / "assets"
    shutil.copytree(ROOT / "assets" / "language", lists / "language")
    monkeypatch.setenv("PCF_ASSETS", str(lists))
    product_settings.cache_clear()
    before = key_of(corpus_of(3), [TOPIC], FakeRule(), Opened("fake", "1"), 200)
    with (lists / "language" / "hints.toml").open("a") as stream:
        stream.write("# a word more\n")
    assert key_of(corpus_of(3), [TOPIC], FakeRule(), Opened("fake", "1"), 200) != before


def test_the_key_is_all_that_decides_the_counts() -> None:
    corpus, opened = corpus_of(3), Opened("fake", "1")
    other = FakeCorpus(corpus.held, identity="sample of it")
    renamed = FakeCorpus(corpus.held, name="moved")
    topic = TOPIC.model_copy(update={"groups": TOPIC.groups[::-1]})

    def key(corpus: FakeCorpus = corpus, opened: Opened = opened, **changes: object) -> str:
        given = {"topics": [TOPIC], "rule": FakeRule(), "characters": 200, **changes}
        return key_of(corpus, given["topics"], given["rule"], opened, given["characters"])  # type: ignore[arg-type]

    assert key() == key(corpus=renamed) == key(opened=Opened("another name", "1"))
    different = [
        key(),
        key(corpus=other),
        key(opened=Opened("fake", "2")),
        key(rule=FakeRule(name="attributive")),
        key(rule=FakeRule(wanted=("he",))),
        key(topics=[topic]),
        key(characters=100),
    ]
    assert len(set(different)) == len(different)


def test_progress_grows_to_the_end_and_goes_on_after_an_interrupt(tmp_path: Path) -> None:
    corpus = corpus_of(25)
    seen: list[Progress] = []
    left = 5

    def pause() -> None:
        nonlocal left
        left -= 1
        if not left:
            raise Stop

    with pytest.raises(Stop):
        mine_fake(tmp_path, corpus, Here(fake_counter(), list.reverse), on_progress=seen.append, pause=pause)
    mine_fake(tmp_path, corpus, Here(fake_counter()), on_progress=seen.append)
    assert seen[-1].read == seen[-1].size == 25
    assert seen[-1].documents == 25
    assert [progress.documents for progress in seen] == sorted(progress.documents for progress in seen)
    assert seen[-1].matches == sum(counted_at_once(corpus).values())


def test_what_another_process_has_kept_is_not_told_twice(tmp_path: Path) -> None:
    """Another one mines the whole corpus while this one holds blocks that it has read."""
    corpus = corpus_of(25)
    seen: list[Progress] = []

    def other(_: object) -> None:
        mine_fake(tmp_path, corpus_of(25), Here(fake_counter()))

    mine_fake(tmp_path, corpus, Here(fake_counter(), other), on_progress=seen.append)
    assert seen[-1].read == 25
    assert {progress.documents for progress in seen[-5:]} == {25}
    assert seen[-1].matches == sum(counted_at_once(corpus).values())


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "It rained. They said that it rained.",
            "No sentence of fake has he or she",
        ),
        (
            "She came. He left 3 of them.",
            r"None of the 2 .* with he or she became a template \(a number: 1; it has no that: 1\)\. A "
            "suitable sentence has the word that",
        ),
        ("He " + "very " * 70 + "came.", r"No sentence .* \(left out: 1 × sentence over 60 words"),
    ],
)
def test_nothing_to_mine_is_said_where_it_was_lost(tmp_path: Path, text: str, says: str) -> None:
    corpus = FakeCorpus((Document(id="a", title="", text=text, source=""),))
    for _ in range(2):  # the second answer comes from the ledger
        with pytest.raises(CorpusError, match=says):
            mine_fake(tmp_path, corpus, Here(fake_counter()))


def test_a_corpus_that_breaks_off_keeps_what_was_counted(tmp_path: Path) -> None:
    """As a truncated file does: the block in hand is lost, those before it are not."""
    corpus = corpus_of(25)

    class Broken(FakeCorpus):
        def documents(self):  # type: ignore[no-untyped-def]
            for number, document in enumerate(super().documents()):
                if number == 12:
                    raise CorpusError("line 12 is no JSON.")
                yield document

    class OneByOne(Here):
        def count(self, blocks, pause):  # type: ignore[no-untyped-def]
            for block in blocks:
                self.counted.append(block.number)
                yield block, self._counter.count(block)

    first, second = OneByOne(fake_counter()), OneByOne(fake_counter())
    with pytest.raises(CorpusError, match="line 12"):
        mine_fake(tmp_path, Broken(corpus.held), first)
    mined = mine_fake(tmp_path, corpus, second)
    assert first.counted
    assert not set(first.counted) & set(second.counted)
    assert mined.facts.documents == 25
