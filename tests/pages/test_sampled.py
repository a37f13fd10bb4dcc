"""Results of sampled answers on pages: beside scored ones, and what they say of their noise."""

from __future__ import annotations

import random

import pytest

from pcf_core.audit.answers import sampled_run
from pcf_core.audit.preferences import build_run
from pcf_core.core.run import RunSpec
from pcf_core.core.sampled import Samples
from pcf_core.core.topics import Evidence, TemplateSet, Topic
from pcf_core.material.evidence import load_evidence
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import load_topic
from pcf_core.models.registry import resolve, resolve_writer
from pcf_core.work.sampled import sample_run
from tests.conftest import chance
from tests.models.fake_servers import point_at, serving_texts
from tests.pages.opened import open_app, own_store, score_with

Lists = tuple[Topic, Evidence, TemplateSet]
ENDPOINT = "endpoint:tiny"


def sampled(lists: Lists, monkeypatch: pytest.MonkeyPatch, *answers: str) -> RunSpec:
    """Sample ten answers of each sentence from a server that gives each of these as often."""
    with serving_texts() as server:
        point_at(server, monkeypatch)
        server.says = lambda prompt, seed: (
            f" {seed}" if "random" in prompt else random.Random(f"{prompt}{seed}").choice(answers)
        )
        run = sampled_run(resolve_writer(ENDPOINT, False), *lists, Samples(samples=10))
        return sample_run(run, own_store())


def test_a_sampled_result_says_what_was_counted_and_is_not_ranked_with_a_scored_one(
    small_topics: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lists = load_topic(small_topics[0]), load_evidence("few"), load_templates("ten")
    name = sampled(lists, monkeypatch, " she", " he").scoring.name
    assert name == "endpoint:tiny (sampled, n = 10)"
    address = {"topic": "first", "templates": "ten", "evidence": "few"}
    app = open_app("overview", **address, model=[name])
    assert "As counted, the risk would be 0." in app.said
    assert "part of that is noise of only 10 answers a sentence." in app.said
    score_with(build_run(resolve("mini-gpt"), *lists), lambda prompt, word: chance("m", prompt, word))
    app = open_app("compare", **address, model=[name, "mini-gpt"])
    assert f"{name} is estimated from sampled answers, the other result is calculated from" in app.said
    assert "compare the ranges of the two risks, and do not rank them" in app.said
    assert "closer to even" not in app.said


def test_sampled_decisions_are_shown_as_rates_of_answers(
    small_people: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lists = load_topic(small_people), load_evidence("few"), load_templates("asked")
    name = sampled(lists, monkeypatch, " Yes", " No", " Maybe").scoring.name
    address = {"topic": small_people, "templates": "asked", "evidence": "few"}
    for page in ("overview", "risk", "caprice", "tilt", "heat_map"):
        app = open_app(page, **address, model=[name])
        assert not app.errors, page
        assert name in app.texts, page
    app = open_app("overview", **address, model=[name])
    assert "As counted, the risk would be 0." in app.said
    assert "% of the answers are for or against a person; only these count." in app.said
