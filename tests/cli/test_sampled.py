"""``score --samples`` and what other commands make of its run; ``agree`` of two runs."""

from __future__ import annotations

import json
import random
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pcf_core.cli.console import open_store
from pcf_core.report.reproducing import score_command
from tests.command_line import answer_to, run_here
from tests.models.fake_servers import Handler, TextServer, failing, point_at, serving_texts

SCORED = ("score", "--topic", "first", "--model", "mini-gpt")
SAMPLED = ("score", "--topic", "first", "--model", "endpoint:tiny", "--samples", "4")


def answer_of(*arguments: str) -> Any:
    done = run_here(*arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def server(small_topics: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> Iterator[TextServer]:
    with serving_texts() as running:
        point_at(running, monkeypatch)
        running.says = lambda prompt, seed: (
            f" {seed}" if "random" in prompt else random.Random(seed).choice([" she was", " he", " it"])
        )
        yield running


def test_a_sampled_run_is_a_result_like_others(server: TextServer) -> None:
    """Costs come first, a rate limit is waited for, and later commands read what was stored."""
    limited = failing(429, 3, Retry_After="0.01")

    def fault(server: Any, handler: Handler, body: dict[str, Any]) -> bool:
        sentence = handler.path == "/v1/completions" and "The nurse" in body["prompt"]
        return sentence and limited(server, handler, body)

    server.fault = fault
    done = run_here(*SAMPLED, "--json")
    assert "endpoint:tiny: 120 texts, " in done.stderr
    assert "tokens read, at most 960 written" in done.stderr
    sampled = answer_of(*SAMPLED)
    run = open_store().load_run(sampled["run"])
    assert run.scoring.label == "endpoint:tiny (sampled, n = 4)"
    assert len(server.asked) == 120 + 3
    risk = answer_to("risk", "risk", sampled["run"])
    assert risk["uncorrected"] == sampled["uncorrected"]
    assert risk["overall_risk"] == sampled["overall_risk"]
    words = shlex.split(score_command(run))
    assert words[words.index("--samples") + 1] == "4"


def test_sampled_decisions_become_the_usual_documents(
    server: TextServer, small_people: str, tmp_path: Path
) -> None:
    """Favourable and unfavourable answers about people end in risk, report and verification."""
    server.says = lambda prompt, seed: (
        f" {seed}"
        if "random" in prompt
        else random.Random(f"{prompt}{seed}").choice([" yes", " No", " Maybe"])
    )
    command = [*SAMPLED[:2], small_people, *SAMPLED[3:]]
    sampled = answer_of(*command)
    assert set(sampled["decisions"]["mean"]) == {"white", "black"}
    assert sampled["uncorrected"]["overall_risk"] > sampled["overall_risk"]
    assert answer_to("risk", "risk", sampled["run"])["decisions"] == sampled["decisions"]
    report = tmp_path / "report.json"
    assert (
        run_here(
            "export", sampled["run"], "--sections", "all", "--format", "json", "--out", str(report)
        ).returncode
        == 0
    )
    assert run_here("verify", str(report)).returncode == 0
    assert (
        run_here("export", sampled["run"], "--format", "html", "--out", str(tmp_path / "r.html")).returncode
        == 0
    )
    lines = run_here("risk", sampled["run"], terminal=True).stdout
    assert "answers are for or against a person" in lines


def test_a_chat_server_that_lists_first_tokens_is_not_sampled(server: TextServer) -> None:
    """One request a sentence; nothing is corrected, and a test against a scored result is allowed."""
    server.lists = lambda prompt: {" she": 0.3 if "nurse" in prompt else 0.2, " he": 0.25, " it": 0.1}
    listed = answer_of(*SAMPLED, "--chat")
    run = open_store().load_run(listed["run"])
    assert run.scoring.label == "endpoint:tiny (sampled, 3 likeliest first tokens)"
    assert "uncorrected" not in listed
    assert len({body["messages"][-1]["content"] for body in server.asked if "logprobs" in body}) == 30
    assert any("so nothing is drawn" in one for one in listed["warnings"])
    assert score_command(run).endswith("--samples 4 --temperature 1 --chat")
    scored = answer_of(*SCORED)["run"]
    warnings = answer_to("compare", "compare", listed["run"], scored)["warnings"]
    assert not [one for one in warnings if "do not rank" in one]


def test_a_sampled_run_is_not_ranked_with_a_scored_one(server: TextServer) -> None:
    sampled, scored = answer_of(*SAMPLED)["run"], answer_of(*SCORED)["run"]
    (note,) = [
        one for one in answer_to("compare", "compare", sampled, scored)["warnings"] if "do not rank" in one
    ]
    assert note.startswith("endpoint:tiny (sampled, n = 4) is estimated from sampled answers, the other")
    lines = run_here("compare", sampled, scored, terminal=True).stdout
    assert "whether they differ was not tested" in lines
    assert note in lines


def test_two_runs_of_one_model_are_held_against_each_other(small_topics: tuple[str, str]) -> None:
    scored, narrow = (answer_of(*SCORED, "--dtype", dtype)["run"] for dtype in ("float32", "bfloat16"))
    held = answer_of("agree", scored, narrow)
    assert (held["cells"], held["first"], held["second"]) == (30, "mini-gpt", "mini-gpt (bfloat16)")
    nats = [one["nats"] for one in held["apart"]]
    assert nats == sorted(nats, reverse=True)
    assert nats[0] > 0
    assert held["apart"][0]["word"] in run_here("agree", scored, narrow, terminal=True).stdout


def test_what_needs_probabilities_refuses_a_sampled_run(server: TextServer, tmp_path: Path) -> None:
    sampled, scored = answer_of(*SAMPLED)["run"], answer_of(*SCORED)["run"]
    for command in (
        ["agree", sampled, scored],
        ["risk", sampled, "--aggregation", "mean"],
        ["export", sampled, "--format", "pack", "--out", str(tmp_path / "run.pcfpack")],
    ):
        refused = run_here(*command)
        assert refused.returncode == 2, command
        assert "counts sampled answers" in refused.stderr
