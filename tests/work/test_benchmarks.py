"""A benchmark from request to result: kept, resumed, queued, and the same by the command line."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from benchmarks.fakes import FakeScorer
from pcf_core.core.frame import INSTRUCTION, Frame
from pcf_core.core.records import digest
from pcf_core.core.run import ModelSpec, ScoringKey
from pcf_core.core.settings import Settings
from pcf_core.models.registry import resolve
from pcf_core.models.scoring.base import Scorer, SentenceOpening, TokenNats, open_scorer
from pcf_core.show.findings.benchmarks import benchmark_finding, opening_finding
from pcf_core.store.store import Store
from pcf_core.texts.benchmarks.material import load_material
from pcf_core.texts.benchmarks.registry import Material
from pcf_core.work.benchmarking import run_benchmark
from pcf_core.work.benchmarks import BENCHMARK_AUDIT, benchmark_asked, kept_results
from tests.command_line import SCHEMAS, answer_to, run_here
from tests.models.scoring.conftest import save
from tests.models.scoring.test_frames import load_style
from tests.texts.benchmarks.written_files import FRENCH, crows_file, stereoset_files, winobias_files

KEY = ScoringKey.of(resolve("mini-gpt"))


@pytest.fixture
def pairs(own_settings: Settings, tmp_path: Path) -> Material:
    return load_material("crows-pairs", [crows_file(tmp_path)])


def never(spec: ModelSpec, protocol: str) -> Scorer:
    raise AssertionError("the model is opened for nothing")


def test_a_result_is_kept_and_given_again_without_the_model(pairs: Material, own_settings: Settings) -> None:
    store, asked = Store.open(own_settings.cache), benchmark_asked(pairs, KEY)
    BENCHMARK_AUDIT.keep(store, asked, pairs)
    seen: list[tuple[int, int]] = []
    result, made = run_benchmark(
        asked, store, on_progress=lambda done, total, rate: seen.append((done, total))
    )
    assert (made, seen, result.report.headline.items) == (3, [(3, 3)], 3)
    again, made = run_benchmark(asked, store, never)
    assert (again, made, BENCHMARK_AUDIT.missing(store, asked, pairs)) == (result, 0, 0)
    assert kept_results(store, ["mini-gpt", "mini-bert"], "crows-pairs") == [result]
    assert kept_results(store, ["mini-bert"]) == kept_results(store, ["mini-gpt"], "winobias") == []


class Opened(FakeScorer):
    """A causal model that takes a sentence for likelier behind another token than the usual one."""

    def __init__(self, key: ScoringKey, token: str) -> None:
        super().__init__(lambda prompt, word: 0.1, key=key)
        self.opening = SentenceOpening(token, "<|im_start|>", {token: -3.0, "<|im_start|>": -4.0})

    @property
    def sentence_opening(self) -> SentenceOpening:
        return self.opening

    def token_nats(self, texts: Sequence[str]) -> list[TokenNats]:
        sign = 1 if self.opening.token == "<|im_start|>" else -1
        return [TokenNats((1,), np.array([sign * len(text) - 1000.0])) for text in texts]


def test_another_opening_has_a_key_of_its_own_and_the_usual_one_keeps_that_of_before(
    pairs: Material, own_settings: Settings
) -> None:
    """What an earlier version scored behind the usual token is not given for what is asked now."""
    store, asked = Store.open(own_settings.cache), benchmark_asked(pairs, KEY)
    before = digest(asked.model_dump(mode="json", exclude={"opening", "language"}))
    assert asked.hash == before
    BENCHMARK_AUDIT.keep(store, asked, pairs)
    usual, _ = run_benchmark(asked, store, lambda spec, protocol: Opened(KEY, "<|im_start|>"))
    assert usual.asked.hash == before
    assert usual.provenance["opening"]["token"] == "<|im_start|>"
    assert opening_finding(usual) == ""
    old = {name: value for name, value in usual.provenance.items() if name != "opening"}
    BENCHMARK_AUDIT.save(store, usual.model_copy(update={"provenance": old}))
    assert BENCHMARK_AUDIT.load(store, before) is None
    assert kept_results(store, ["mini-gpt"]) == []

    found, made = run_benchmark(asked, store, lambda spec, protocol: Opened(KEY, "<|end|>"))
    assert (found.asked.opening, made) == ("<|end|>", 3)
    assert found.asked.hash != before
    assert found.report.headline.value != usual.report.headline.value
    assert "is scored after <|end|> instead of <|im_start|>" in opening_finding(found)
    assert "by 1.00 nats per token" in opening_finding(found)
    assert benchmark_asked(pairs, KEY) == found.asked  # as pages and the command line ask from now on
    assert run_benchmark(benchmark_asked(pairs, KEY), store, never) == (found, 0)
    assert kept_results(store, ["mini-gpt"]) == [found]

    again, made = run_benchmark(asked, store, lambda spec, protocol: Opened(KEY, "<|im_start|>"))
    assert (again.report, again.asked.hash, made) == (usual.report, before, 0)  # of the blocks that are kept


def test_masked_models_and_other_benchmarks_have_no_opening(own_settings: Settings, tmp_path: Path) -> None:
    store, key = Store.open(own_settings.cache), ScoringKey.of(resolve("mini-gpt"))
    material = load_material("winobias", winobias_files(tmp_path))
    asked = benchmark_asked(material, key)
    BENCHMARK_AUDIT.keep(store, asked, material)
    result, _ = run_benchmark(asked, store, open_scorer)
    assert "opening" not in result.provenance
    assert not asked.needs_opening


def test_a_chat_is_part_of_the_request_and_needs_no_opening(pairs: Material, own_settings: Settings) -> None:
    store = Store.open(own_settings.cache)
    frame = Frame(kind="chat", system="Be fair.", text="system: Be fair.\n")
    key = KEY.model_copy(update={"frame": frame})
    bare, chat = benchmark_asked(pairs, KEY), benchmark_asked(pairs, key)
    assert (chat.needs_opening, chat.opening, chat.model) == (False, "", "mini-gpt")
    assert chat.hash != bare.hash
    for one in (bare, chat):
        BENCHMARK_AUDIT.keep(store, one, pairs)
        run_benchmark(one, store, lambda spec, _: Opened(ScoringKey.of(spec), "<|im_start|>"))
    kept = kept_results(store, ["mini-gpt"])
    assert {one.asked.name for one in kept} == {"mini-gpt", "mini-gpt (chat, “Be fair.”)"}
    (found,) = kept_results(store, ["mini-gpt (chat, “Be fair.”)"])
    assert found.asked == chat
    assert "opening" not in found.provenance
    assert "Mini GPT (chat, “Be fair.”) prefers" in benchmark_finding(found)


# ---------------------------------------------------------------------------------- the command line


def answer(*arguments: str) -> Any:
    done = run_here("benchmark", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("crows-pairs", lambda folder: [crows_file(folder)]),
        ("stereoset", lambda folder: [stereoset_files(folder)["dev.json"]]),
        ("winobias", winobias_files),
    ],
)
def test_the_command_gives_the_documented_document(
    own_settings: Settings, tmp_path: Path, name: str, files: Callable[[Path], list[Path]]
) -> None:
    named = [part for path in files(tmp_path) for part in ("--file", str(path))]
    found = answer(name, "--model", "mini-gpt", "--model", "mini-gpt-skewed", *named)
    for document in found:
        jsonschema.validate(document, SCHEMAS["benchmark"])
        assert "Blodgett" in document["criticism"]
    assert found[0]["worse"] == found[1]["worse"]
    assert [
        one["made"] for one in answer(name, "--model", "mini-gpt", "--model", "mini-gpt-skewed", *named)
    ] == [0, 0]
    shown = run_here("benchmark", name, "--model", "mini-gpt", *named, terminal=True).stdout.splitlines()
    assert shown[0] == found[0]["title"]
    assert f"- {found[0]['criticism']}" in shown
    assert "model     quantity" in "\n".join(shown)
    estimate = answer(name, "--model", "mini-gpt", *named, "--estimate")
    jsonschema.validate(estimate, SCHEMAS["benchmark_estimate"])
    assert (estimate["missing"], estimate["items"] > 0) == (0, True)
    jsonschema.validate(answer(name, "--model", "mini-gpt", *named, "--queue"), SCHEMAS["benchmark_queued"])


def test_one_half_and_another_language_are_said_and_recorded(own_settings: Settings, tmp_path: Path) -> None:
    half = winobias_files(tmp_path)[0]
    document = answer_to("benchmark", "benchmark", "winobias", "--model", "mini-gpt", "--file", str(half))
    assert [one["quantity"] for one in document["report"]["readings"]] == ["right, pro"]
    assert [one["quantity"] for one in document["report"]["absent"]] == ["pro − anti"]
    shown = run_here("benchmark", "winobias", "--model", "mini-gpt", "--file", str(half), terminal=True)
    assert "will be missing, because no sentence has its counterpart" in shown.stderr
    assert "is missing, and with it any comparison of models, because no sentence has" in shown.stdout
    french = ("benchmark", "crows-pairs", "--model", "mini-gpt", "--file", str(crows_file(tmp_path, FRENCH)))
    assert "do not look English" in run_here(*french).stderr
    document = answer_to("benchmark", *french, "--language", "fr")
    assert document["language"] == "fr"
    assert document["criticism"].endswith("That is about the English sentences, and these are in French.")
    assert "CrowS-Pairs (French), 2 pairs: " in run_here(*french, "--language", "fr", terminal=True).stdout
    (kept,) = kept_results(Store.open(own_settings.cache), ["mini-gpt"], "crows-pairs")
    assert (kept.asked.language, kept.asked.hash) == ("fr", document["asked"])


def test_a_chat_has_a_result_of_its_own_beside_the_bare_sentences(
    own_settings: Settings, tmp_path: Path
) -> None:
    model = save(load_style("chatml"), tmp_path / "chatty")
    asked = ("crows-pairs", "--file", str(crows_file(tmp_path)), "--model", model)
    bare = answer(*asked)
    assert "frame" not in bare
    chats = answer(*asked, "--frame", "chat", "--system", "", "--system", "Be fair.")
    for document in chats:
        jsonschema.validate(document, SCHEMAS["benchmark"])
    assert [one["frame"]["system"] for one in chats] == ["", "Be fair."]
    assert [one["frame"]["instruction"] for one in chats] == [INSTRUCTION] * 2
    assert len({bare["asked"], *(one["asked"] for one in chats)}) == 3
    assert chats[0]["worse"][0]["second"] == f"{model} (chat, “Be fair.”)"
    done = run_here("benchmark", *asked, "--frame", "chat", "--estimate", terminal=True)
    assert f"{model} (chat)  0 of 3 items" in done.stdout
    assert "each sentence begins the model's answer" in done.stderr
    kept = kept_results(Store.open(own_settings.cache), [model])
    assert [one.provenance.get("opening") is None for one in kept] == [True, True, False]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("winobias", "--model", "mini-gpt", "--frame", "chat"), "mini-gpt has no chat template"),
        (("winobias", "--model", "mini-bert", "--frame", "chat"), "mini-bert is of the family masked"),
        (("winobias", "--model", "mini-gpt", "--system", "Be fair."), "add --frame chat"),
        (("other", "--model", "mini-gpt"), "The benchmark must be one of crows-pairs, stereoset, winobias"),
        (("winobias", "--model", "mini-gpt", "--file", "none.txt"), "none.txt cannot be read"),
        (("winobias", "--model", "mini-gpt", "--estimate", "--queue"), "give only one of them"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(
    own_settings: Settings, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    files = [] if "--file" in arguments else [f"--file={one}" for one in winobias_files(tmp_path)]
    done = run_here("benchmark", *arguments, *files)
    assert done.returncode == 2
    assert said in done.stderr
