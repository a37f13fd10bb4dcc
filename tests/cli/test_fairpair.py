"""The command ``fairpair``: its documented schemas, refusals, and the same numbers as the library."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pcf_core.cli.panels import fairpair_lines
from pcf_core.core.settings import Settings
from pcf_core.measure.ties import holm
from pcf_core.models.registry import resolve
from pcf_core.show.findings.fairpair import fairpair_finding, notes, perturber_finding, words_finding
from pcf_core.store.store import Store
from pcf_core.texts.fairpair.matching import word_tokens
from pcf_core.texts.fairpair.records import LABEL
from pcf_core.work.fairpair import FAIRPAIR_AUDIT
from tests.command_line import HERE_AND_AS_A_PROCESS, Run, answer_to, run_here
from tests.models.scoring.conftest import save
from tests.models.scoring.test_frames import load_style


@pytest.fixture
def small(own_settings: Settings, tmp_path: Path) -> list[str]:
    """Two prompts with four texts of eight tokens a side."""
    (tmp_path / "few.csv").write_text(
        "text,category\n{name} is a nurse.,work\n{name} met his friend.,friends\n"
    )
    return ["--prompts", str(tmp_path / "few.csv"), "--count", "4", "--length", "8"]


def answer(schema: str, *arguments: str, run: Run = run_here) -> Any:
    return answer_to(schema, "fairpair", *arguments, run=run)


@pytest.mark.slow
def test_estimate_result_and_library_agree(small: list[str], own_settings: Settings) -> None:
    asked = ("--model", "mini-gpt", *small)
    before = answer("fairpair_estimate", *asked, "--estimate")
    assert (before["texts"], before["tokens"], before["done"], before["rough"]) == (16, 128, False, True)
    found = answer("fairpair", *asked)
    assert (found["asked"], found["written"], found["label"]) == (before["asked"], 16, LABEL)
    assert found["ends"]["original"]["length"] + found["ends"]["original"]["stop"] <= 8
    assert all(sum(ends.values()) == 8 for ends in found["ends"].values())
    kept = FAIRPAIR_AUDIT.load(Store.open(own_settings.cache), found["asked"])
    assert kept is not None
    assert kept.counterparts == ("Jane is a nurse.", "Jane met her friend.")
    report = kept.reports["jaccard"]
    assert found["reports"]["jaccard"]["ratio_of_means"] == report.means.ratio
    assert found["reports"]["jaccard"]["prompts"][1]["category"] == "friends"
    assert found["reports"]["jaccard"]["notes"] == list(notes(report))
    assert "Ranges over 2 prompts are approximate" in found["reports"]["jaccard"]["notes"][0]
    assert found["errors"]["text_error"] == kept.errors.text_error
    several = answer("fairpair", "--model", "mini-t5", *asked)
    assert [one["written"] for one in several] == [16, 0]
    # Holm over the two models that are read together.
    p_values = [one["reports"]["jaccard"]["p_value"] for one in several]
    assert p_values[1] == report.p_value
    assert [one["reports"]["jaccard"]["adjusted"] for one in several] == pytest.approx(holm(p_values))
    after = answer("fairpair_estimate", *asked, "--estimate")
    assert (after["texts"], after["done"]) == (0, True)


@HERE_AND_AS_A_PROCESS
def test_progress_is_a_few_lines_where_there_is_no_terminal(small: list[str], run: Run) -> None:
    done = run("fairpair", "--model", "mini-gpt", *small)
    assert "\r" not in done.stderr
    assert 1 < len(done.stderr.splitlines()) < 20
    assert "--chat" not in done.stderr
    assert "mini-gpt: 0 of 16 texts" in done.stderr


def test_a_terminal_is_told_the_words_and_the_errors_of_the_perturbation(
    small: list[str], own_settings: Settings
) -> None:
    asked = ("fairpair", "--model", "mini-gpt", *small)
    found = json.loads(run_here(*asked, "--json").stdout)
    result = FAIRPAIR_AUDIT.load(Store.open(own_settings.cache), found["asked"])
    assert result is not None
    lines = fairpair_lines([result])
    assert [line for line in lines if "for each side of 2 prompts" in line] == [
        fairpair_finding(result.reports[measure]) for measure in result.asked.dissimilarities
    ]
    assert words_finding(result.words) in lines
    assert f"- mini-gpt: {perturber_finding(result.errors)}" in lines
    assert "The rewriting exchanged" in "\n".join(lines)
    assert sum("are approximate" in line or "has no range" in line for line in lines) == 1


def test_chat_changes_nothing_for_a_local_model_and_that_is_said(small: list[str]) -> None:
    done = run_here("fairpair", "--model", "mini-gpt", *small, "--chat", "--estimate")
    assert done.returncode == 0
    assert "--chat has no effect for mini-gpt" in done.stderr


FAIR = ("--frame", "chat", "--system")


def test_a_frame_has_a_request_of_its_own_and_what_the_model_does_anyway_has_none(
    small: list[str], tmp_path: Path
) -> None:
    model = save(load_style("chatml"), tmp_path / "chatty")
    (tmp_path / "fair.txt").write_text("Be fair.\n")
    asked = ("fairpair", "--model", model, *small, "--estimate")
    usual, chat, bare = (
        answer_to("fairpair_estimate", *asked, *frame)
        for frame in ((), ("--frame", "chat"), ("--frame", "bare"))
    )
    assert usual["asked"] == chat["asked"] != bare["asked"]
    told = run_here(*asked, *FAIR, str(tmp_path / "fair.txt"), terminal=True)
    assert f"{model} (chat, “Be fair.”)  16 texts" in told.stdout
    assert "each prompt is the user's message in this text: '<|im_start|>system\\nBe fair." in told.stderr
    begun = run_here(*asked, "--frame", "chat", "--instruction", "Go on.")
    assert "each prompt begins the model's answer" in begun.stderr
    assert "any in this text comes from the template" in begun.stderr


def test_texts_are_written_in_the_frame(small: list[str], tmp_path: Path) -> None:
    model = save(load_style("chatml"), tmp_path / "chatty")
    found = answer("fairpair", "--model", model, *small, *FAIR, "Be fair.")
    assert found["generation"]["frame"]["system"] == "Be fair."
    assert (found["model"], found["written"]) == (model, 16)
    assert answer("fairpair", "--model", model, *small, *FAIR, "Be fair.")["written"] == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("mini-gpt", "--frame", "chat"), "mini-gpt has no chat template"),
        (("mini-t5", "--frame", "chat"), "mini-t5 has no chat template"),
        (("mini-gpt", "--system", "Be fair."), "add --frame chat"),
        (("mini-gpt", "--frame", "loud"), "--frame"),
        (("mini-gpt", "--chat", "--frame", "bare"), "leave one of the two out"),
    ],
)
def test_a_frame_that_a_model_cannot_have_is_refused(
    small: list[str], arguments: tuple[str, ...], said: str
) -> None:
    done = run_here("fairpair", "--model", *arguments, *small)
    assert done.returncode == 2
    assert said in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.slow
def test_words_are_sorted_into_categories_of_ones_own(small: list[str], tmp_path: Path) -> None:
    (tmp_path / "rest.csv").write_text("category,word\nrest,sleep*\nrest,nap\n")
    usual = answer("fairpair", "--model", "mini-gpt", *small)
    found = answer("fairpair", "--model", "mini-gpt", *small, "--categories", str(tmp_path / "rest.csv"))
    assert found["asked"] != usual["asked"]
    assert found["written"] == 0
    assert (found["words"]["lexicon"], usual["words"]["lexicon"]) == ("rest", None)
    assert [row["name"] for row in found["words"]["categories"]] == ["rest"]


@pytest.mark.slow
def test_the_sentences_behind_phrases_and_categories(small: list[str]) -> None:
    asked = ("--model", "mini-gpt", *small)
    assert "original_texts" not in answer("fairpair", *asked)["words"]["strongest"][0]
    words = answer("fairpair", *asked, "--sentences", "2")["words"]
    for row in words["strongest"]:
        for side in ("original", "prompt"):
            texts = row[f"{side}_texts"]
            assert len(texts) == min(2, row[side])
            assert all(" ".join(word_tokens(text)).find(row["words"]) >= 0 for text in texts)
    assert all(len(row["prompt_texts"]) == min(2, row["prompt"]) for row in words["categories"])


@pytest.mark.slow
def test_an_embedding_distance_names_its_encoder(small: list[str]) -> None:
    found = answer("fairpair", "--model", "mini-gpt", *small, "--dissimilarity", "embedding")
    report = found["reports"]["embedding:mini-bert"]
    assert report["dissimilarity"] == "embedding distance (mini-bert)"
    assert 0 < report["between"] < 1
    (encoder,) = found["encoders"]
    assert encoder["identity"] == resolve("mini-bert").identity
