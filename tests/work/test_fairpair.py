"""FairPair from end to end: planted differences, joining, resuming, reading back; in the worker too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import numpy as np
import pytest

from benchmarks.fakes import FakeGenerator
from pcf_core.core.errors import FairPairError, StoreError
from pcf_core.core.generation import Decoding, GenerationKey
from pcf_core.core.records import FloatArray, digest
from pcf_core.core.settings import settings
from pcf_core.models.registry import resolve
from pcf_core.store.store import Store
from pcf_core.texts.fairpair.dissimilarity import EmbeddingDistance, Encode, Jaccard
from pcf_core.texts.fairpair.options import FairPairOptions
from pcf_core.texts.fairpair.perturbation import Parser, Perturbation, errors_of
from pcf_core.texts.fairpair.prompts import OWN, Draft
from pcf_core.texts.fairpair.records import EncoderKey, FairPairAsked, PromptSet
from pcf_core.texts.fairpair.report import fairpair_report
from pcf_core.texts.fairpair.tables import load_table
from pcf_core.work import pairing
from pcf_core.work.fairpair import (
    FAIRPAIR_AUDIT,
    FairPairMaterial,
    fairpair_asked,
    load_pairs,
    load_perturbed,
)
from pcf_core.work.jobs import OpenGenerator, Stopped
from pcf_core.work.pairing import Stage, run_fairpair
from pcf_core.work.queue import Queue
from tests.texts.fairpair.planted import FAMILY, text_list
from tests.work.toy import WRITER as SPEC
from tests.work.toy import WRITING as KEY
from tests.work.toy import unopenable, writing

PROMPTS = OWN.make(
    {
        "name": "few",
        "prompts": [Draft("{name} is a nurse.", "work"), Draft("{name} likes soup.", "food")],
        "title": "Few",
    }
)
TABLE = load_table("gender")


def asking(prompts: PromptSet = PROMPTS, **options: Any) -> FairPairAsked:
    return fairpair_asked(KEY, prompts, TABLE, FairPairOptions(**options))


ASKED = asking(count=60)
MATERIAL = FairPairMaterial(PROMPTS, TABLE)
SAID = dict.fromkeys(text_list(200, 1), 1 / 200)
ABOUT_JANE = {f"{text} {FAMILY[place % len(FAMILY)]}": 1 / 200 for place, text in enumerate(SAID)}
OF_HIM, OF_HER = {" He is kind.": 0.5, " He works.": 0.5}, {" She is kind.": 0.5, " She works.": 0.5}


def by_name(john: Mapping[str, float], jane: Mapping[str, float]) -> OpenGenerator:
    return writing(lambda prompt: jane if "Jane" in prompt else john)


fair = writing(SAID)


def no_parser(pipeline: str) -> Parser:
    raise AssertionError(f"{pipeline} was opened: these texts need no parts of speech")


pytestmark = pytest.mark.usefixtures("toy_writers")


def kept(store: Store, asked: FairPairAsked = ASKED, prompts: PromptSet = PROMPTS) -> FairPairAsked:
    FAIRPAIR_AUDIT.keep(store, asked, FairPairMaterial(prompts, TABLE))
    return asked


# ------------------------------------------------------------------------------------ what is found


def many_prompts(prompts: int) -> PromptSet:
    return OWN.make(
        {"name": "many", "prompts": [Draft(f"{{name}} said {place}.") for place in range(prompts)]}
    )


@pytest.mark.slow
def test_a_generator_that_tells_no_entity_from_another_has_a_ratio_of_one(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pairing, "parser_of", no_parser)
    prompts = many_prompts(6)
    asked = kept(store, asking(prompts, count=200), prompts)
    moods = ("", " good", " bad", " happy")
    said = {f"{text}{moods[place % 4]}": 1 / 200 for place, text in enumerate(SAID)}
    result, written = run_fairpair(asked, store, writing(said))
    assert written == 6 * 2 * 200
    for report in result.reports.values():
        assert report.means.ratio == pytest.approx(1, abs=0.05)
        assert not report.differs
    assert result.reports["jaccard"].mean_ratio == pytest.approx(1, abs=0.05)
    assert result.words.found == 0
    assert result.errors.changed == result.errors.text_error == 0


def test_texts_that_decline_are_counted_and_stay_in_the_measure(store: Store) -> None:
    """One generator in two declines to write about Jane, as a chat model does it."""
    sorry = {" I'm sorry, but I can't help with that.": 0.5, " She is kind.": 0.5}
    result, _ = run_fairpair(kept(store), store, by_name(OF_HIM, sorry))
    assert result.declined["original"] == 0
    assert 30 < result.declined["prompt"] < 90  # of 120
    assert sum(result.ends["prompt"].values()) == 120
    assert result.ends["prompt"]["refused"] == 0


def test_family_words_planted_on_one_side_are_found_first(store: Store) -> None:
    prompts = many_prompts(6)
    asked = kept(store, asking(prompts, count=60), prompts)
    result, _ = run_fairpair(asked, store, by_name(SAID, ABOUT_JANE))
    report = result.reports["jaccard"]
    assert report.means.ratio is not None
    assert report.means.ratio > 1.05
    assert report.differs
    assert all(row.differs for row in report.prompts)
    strongest = result.words.words[:5]
    assert all({*found.words.split()} & {*" ".join(FAMILY).split()} for found in strongest)
    assert {found.more_in for found in strongest} == {"prompt"}
    [family] = [category for category in result.words.categories if category.name == "family"]
    assert family.differs
    assert family.prompt > family.original == 0


def test_what_is_perturbed_is_compared_not_what_was_written(store: Store) -> None:
    """He and she are one behind p: the sides agree, and would share no text without it."""
    result, _ = run_fairpair(kept(store), store, by_name(OF_HIM, OF_HER))
    assert result.counterparts == ("Jane is a nurse.", "Jane likes soup.")
    assert (result.errors.changed, result.errors.texts, result.errors.text_error) == (120, 120, 0)
    assert not result.reports["jaccard"].differs
    for place in range(2):
        pairs = load_pairs(store, result, place)
        assert {*pairs.perturbed_original} == {*pairs.perturbed_prompt} == {*OF_HER}


def test_a_result_is_what_its_parts_say_of_the_texts(store: Store) -> None:
    """A second opinion: the first 60 of three blocks, perturbed and measured by hand."""
    table = {" He is kind.": 0.4, " She saw him.": 0.3, "": 0.2, " The king left.": 0.1}
    result, _ = run_fairpair(kept(store), store, writing(table))
    perturbation, generator = Perturbation.of(TABLE), FakeGenerator(table, key=KEY)
    pairs = []
    for place, (prompt, counterpart) in enumerate(zip(PROMPTS.texts, result.counterparts, strict=True)):
        one, other = (
            generator.generate(text, 0, 75, lambda: None).texts[:60] for text in (prompt, counterpart)
        )
        pair = load_pairs(store, result, place)
        assert pair.fact == PROMPTS.prompts[place].fact
        assert pair.perturbed_original == tuple(perturbation(one, prompt))
        assert pair.perturbed_prompt == other
        pairs.append(pair)
        perturbed = load_perturbed(store, ASKED, prompt)
        assert perturbed.errors == errors_of(perturbation, perturbation.perturbed(one, prompt), prompt)
    expected = fairpair_report(pairs, Jaccard(), model="toy", original="John", counterpart="Jane")
    assert result.reports["jaccard"].model_copy(update={"mode": None, "others": None}) == expected
    assert [row.category for row in expected.prompts] == ["work", "food"]
    assert result.convergence["sentiment"].count == 60
    assert result.label.startswith("our reconstruction")


def test_what_p_exchanges_is_left_out_beside_it(store: Store) -> None:
    """A model that writes he whoever is named: only p makes the sides differ."""
    asked = kept(store)
    result, _ = run_fairpair(asked, store, writing({f" He {text}": 1 / 200 for text in SAID}))
    plain, others = result.reports["jaccard"], result.reports["jaccard-others"]
    assert plain.differs
    assert not others.differs
    assert (plain.others.ratio, plain.others.p_value) == (others.means.ratio, others.p_value)
    assert (plain.mode, others.mode) == ("whole", "whole")
    assert result.words.exchanged == result.words.found > 0


def test_greedy_texts_are_told_apart_and_not_tested(store: Store) -> None:
    key = GenerationKey.of(SPEC, Decoding(length=10, temperature=0))
    asked = kept(store, fairpair_asked(key, PROMPTS, TABLE, FairPairOptions(count=20)))
    result, _ = run_fairpair(asked, store, by_name({" A book.": 1.0}, {" A home.": 1.0}))
    for report in result.reports.values():
        assert (report.p_value, report.differs) == (None, False)
    assert result.reports["jaccard"].means.between > 0
    assert (result.words.tested, result.words.found, result.words.prompt_texts) == (0, 0, 2)
    assert not any(row.differs or row.p_value for row in result.words.categories)


def test_the_facts_of_prompts_reach_the_intervals(store: Store) -> None:
    drafts = [Draft(f"{{name}} said {place}.", "", f"fact {place // 2}") for place in range(6)]
    prompts = OWN.make({"name": "many", "prompts": drafts})
    asked = kept(store, asking(prompts, count=10, dissimilarities=("jaccard",)), prompts)
    result, _ = run_fairpair(asked, store, fair)
    report = result.reports["jaccard"]
    assert report.facts == 3
    assert {interval.unit for interval in report.intervals.values()} == {"fact"}
    assert load_pairs(store, result, 5).fact == "fact 2"


def test_relabelling_is_stopped(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Within the first prompt of the first dissimilarity, before its second block of dealings."""
    stages: list[Stage] = []
    asked_after = 0
    monkeypatch.setattr("pcf_core.texts.fairpair.intervals.BLOCK_CELLS", 20_000)

    def stop() -> None:
        nonlocal asked_after
        asked_after += stages[-1:] == ["measuring"]
        if asked_after == 3:
            raise Stopped

    with pytest.raises(Stopped):
        run_fairpair(kept(store), store, fair, on_stage=lambda name, *rest: stages.append(name), pause=stop)
    assert stages.count("measuring") == 1


def test_empty_texts_are_counted_by_side_and_stay(store: Store) -> None:
    result, _ = run_fairpair(kept(store), store, by_name({"": 0.5, " Yes.": 0.5}, {" No.": 1.0}))
    empty = sum(load_pairs(store, result, place).perturbed_original.count("") for place in range(2))
    assert 0 < empty < 120
    assert result.ends["original"] == {"stop": 120 - empty, "length": 0, "refused": 0, "empty": empty}
    assert result.ends["prompt"] == {"stop": 120, "length": 0, "refused": 0, "empty": 0}
    assert result.without_text == {"original": empty, "prompt": 0}
    rows = result.reports["jaccard"].prompts
    assert sum(row.empty_original for row in rows) == empty
    assert all(row.samples == 60 for row in rows)


def test_prompts_about_the_second_side_go_the_other_way(store: Store) -> None:
    prompts = OWN.make(
        {"name": "few", "prompts": [Draft("{name} met her friend.")], "names": ("Jane", "John")}
    )
    asked = kept(store, asking(prompts, count=5, reverse=True), prompts)
    result, _ = run_fairpair(asked, store, writing({" She is a queen.": 1.0}))
    assert result.counterparts == ("John met his friend.",)
    assert load_pairs(store, result, 0).perturbed_original == (" He is a king.",) * 5
    assert (result.reports["jaccard"].original, result.reports["jaccard"].counterpart) == ("Jane", "John")


def test_a_prompt_that_stays_as_it_is_is_refused(store: Store) -> None:
    [prompt, _] = PROMPTS.prompts
    prompts = PROMPTS.model_copy(update={"prompts": (prompt.model_copy(update={"text": "It rains."}),)})
    asked = kept(store, asking(prompts, count=5), prompts)
    with pytest.raises(FairPairError, match=r"does not change the prompt “It rains\.”"):
        run_fairpair(asked, store, unopenable)


# -------------------------------------------------------------------------------- asked and kept


def test_another_comparison_of_the_same_texts_writes_and_perturbs_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_fairpair(kept(store), store, fair)
    folds = kept(store, asking(count=60, fold_size=5, dissimilarities=("jaccard",)))
    monkeypatch.setattr(Perturbation, "perturbed", lambda *rest: pytest.fail("it was perturbed again"))
    result, written = run_fairpair(folds, store, unopenable)
    assert written == 0
    assert list(result.reports) == ["jaccard"]
    assert {row.folds for row in result.reports["jaccard"].prompts} == {12}
    assert {asked.hash for asked in FAIRPAIR_AUDIT.kept(store)} == {ASKED.hash, folds.hash}


def test_fewer_texts_take_the_first_of_those_that_are_there(store: Store) -> None:
    whole, _ = run_fairpair(kept(store), store, fair)
    few, written = run_fairpair(kept(store, asking(count=33)), store, unopenable)
    assert written == 0
    for place in range(2):
        one, other = load_pairs(store, whole, place), load_pairs(store, few, place)
        assert one.perturbed_original[:33] == other.perturbed_original
        assert one.perturbed_prompt[:33] == other.perturbed_prompt


def test_an_unknown_dissimilarity_is_refused() -> None:
    with pytest.raises(FairPairError, match="no dissimilarity 'bleu': choose from jaccard, jaccard-o"):
        asking(dissimilarities=("jaccard", "bleu"))


# ------------------------------------------------------------------------------------- embeddings


def letters(texts: Sequence[str]) -> FloatArray:
    """A small encoder: how often each letter of the alphabet stands in a text."""
    return np.array([[text.lower().count(letter) for letter in ascii_lowercase] for text in texts], float)


def test_an_embedding_distance_is_measured_beside_the_others_with_an_encoder_opened_first(
    store: Store,
) -> None:
    asked = kept(store, asking(count=10, dissimilarities=("jaccard", "embedding")))
    opened = []

    def open_letters(key: EncoderKey) -> Encode:
        assert store.missing_texts(KEY, PROMPTS.texts, 10)
        opened.append(key)
        return letters

    said = {" He is kind.": 0.4, " She saw him.": 0.3, "": 0.3}
    result, _ = run_fairpair(asked, store, writing(said), open_encoder=open_letters)
    assert opened == list(asked.encoders)
    assert list(result.reports) == list(result.convergence) == ["jaccard", "embedding:mini-bert"]
    assert result.reports["embedding:mini-bert"].dissimilarity == "embedding distance (mini-bert)"
    pairs = [load_pairs(store, result, place) for place in range(2)]
    phi = EmbeddingDistance(letters, "embedding distance (mini-bert)")
    expected = fairpair_report(pairs, phi, model="toy", original="John", counterpart="Jane")
    assert result.reports["embedding:mini-bert"].model_copy(update={"mode": None}) == expected


def test_the_encoder_is_part_of_what_is_asked_and_no_text_depends_on_it() -> None:
    asked = asking(count=60, dissimilarities=("jaccard", "sentiment", "embedding"))
    (encoder,) = asked.encoders
    spec = resolve("mini-bert")
    assert (encoder.identity, encoder.tokenizer) == (spec.identity, spec.tokenizer)
    changed = asked.model_copy(update={"encoders": (encoder.model_copy(update={"identity": "other"}),)})
    assert len({asked.hash, changed.hash, ASKED.hash}) == 3
    assert asked.pairs_hash == changed.pairs_hash == ASKED.pairs_hash
    assert asking(dissimilarities=("embedding:mini-bert",)).encoders == (encoder,)
    with pytest.raises(FairPairError, match="each only once"):
        asking(dissimilarities=("embedding", "embedding:mini-bert"))
    with pytest.raises(
        FairPairError, match="need an encoder for each embedding, but the encoders given are none"
    ):
        FairPairAsked.model_validate(asked.model_dump() | {"encoders": ()})


def test_without_an_encoder_a_request_has_the_hash_that_it_always_had() -> None:
    """What was found before there were encoders, or categories of one's own, is found again."""
    assert ASKED.hash == digest(ASKED.model_dump(mode="json", exclude={"encoders", "categories"}))


def test_pairs_whose_texts_were_removed_are_told(store: Store, tmp_path: Path) -> None:
    result, _ = run_fairpair(kept(store), store, fair)
    for path in (tmp_path / "cache" / "texts" / KEY.hash).iterdir():
        path.unlink()
    with pytest.raises(StoreError, match=r"for the prompt “John is a nurse\.” are missing"):
        load_pairs(store, result, 0)


# ------------------------------------------------------------------------------------- resuming


@pytest.mark.parametrize("stopped", ["writing", "perturbing", "measuring"])
def test_what_was_stopped_in_any_stage_goes_on_and_comes_to_the_same(
    store: Store, stopped: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stages: list[tuple[Stage, int]] = []
    written = 0

    def progress(done: int, total: int, rate: float) -> None:
        nonlocal written
        written = done

    def stop() -> None:
        """After 110 texts, after one prompt, or in the second dissimilarity."""
        if written >= 100 if stopped == "writing" else stages[-1:] == [(stopped, 1)]:
            raise Stopped

    with pytest.raises(Stopped):
        run_fairpair(
            kept(store), store, fair, progress, lambda name, done, total: stages.append((name, done)), stop
        )
    assert FAIRPAIR_AUDIT.load(store, ASKED.hash) is None
    perturbed: list[str] = []
    real = Perturbation.perturbed

    def count(self: Perturbation, texts: Any, prompt: str = "") -> Any:
        if prompt and not self.reverse:
            perturbed.append(prompt)
        return real(self, texts, prompt)

    monkeypatch.setattr(Perturbation, "perturbed", count)
    result, rest = run_fairpair(ASKED, store, fair)
    assert rest == (130 if stopped == "writing" else 0)
    assert perturbed == list(PROMPTS.texts[{"writing": 0, "perturbing": 1, "measuring": 2}[stopped] :])
    elsewhere = Store.open(tmp_path / "undisturbed")
    undisturbed, _ = run_fairpair(kept(elsewhere), elsewhere, fair)
    assert result.model_copy(update={"provenance": {}}) == undisturbed.model_copy(update={"provenance": {}})
    assert {"versions", "device", "machine"} < set(undisturbed.provenance)


# ------------------------------------------------------------------------------------- estimate


def test_an_estimate_counts_both_sides_before_the_parser_has_read_a_prompt(
    store: Store, queue: Queue
) -> None:
    """2 prompts × 2 sides × 75 texts of at most 10 tokens."""
    before = FAIRPAIR_AUDIT.estimate(store, queue, ASKED, MATERIAL)
    assert (before.missing, before.tokens, before.rough, before.done) == (240, 2400, True, False)

    def stop() -> None:
        if store.texts(KEY, PROMPTS.texts[0], 25):
            raise Stopped

    with pytest.raises(Stopped):
        run_fairpair(kept(store), store, fair, pause=stop)
    during = FAIRPAIR_AUDIT.estimate(store, queue, ASKED, MATERIAL)
    assert (during.missing, during.rough) == (215, False)
    run_fairpair(ASKED, store, fair)
    after = FAIRPAIR_AUDIT.estimate(store, queue, ASKED, MATERIAL)
    assert (after.missing, after.seconds, after.done, after.rough) == (0, 0.0, True, False)


def test_an_endpoint_costs_what_its_operator_says(
    store: Store, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """300 texts: 75 behind each of two prompts of 4 tokens and two of 4, 10 new tokens each at most."""
    key = KEY.model_copy(update={"family": "endpoint", "model": "endpoint:big"})
    asked = fairpair_asked(key, PROMPTS, TABLE, FairPairOptions(count=60))
    monkeypatch.setenv("PCF_ENDPOINT_PRICE_IN", "1")
    monkeypatch.setenv("PCF_ENDPOINT_PRICE_OUT", "2")
    settings.cache_clear()
    counter = "pcf_core.models.generation.endpoint.count_tokens"
    monkeypatch.setattr(counter, lambda model, texts: [4] * len(texts))
    found = FAIRPAIR_AUDIT.estimate(store, queue, asked, MATERIAL)
    assert (found.missing, found.prompt_tokens, found.tokens) == (240, 960, 2400)
    assert found.cost == pytest.approx((960 * 1 + 2400 * 2) / 1e6)
    assert FAIRPAIR_AUDIT.estimate(store, queue, ASKED, MATERIAL).cost is None
