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
