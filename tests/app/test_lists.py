"""The lists on which a topic opens, and labels of finished runs that stand side by side."""

from __future__ import annotations

import pytest

from pcf_core.app import lists
from pcf_core.app.lists import told_apart
from pcf_core.audit.preferences import build_run
from pcf_core.audit.sampling import planned, with_draws
from pcf_core.core.run import RunSpec
from pcf_core.core.settings import Settings
from pcf_core.core.topics import SetCard, TemplateSet
from pcf_core.material.evidence import make_evidence
from pcf_core.material.templates import load_templates, make_templates
from pcf_core.material.topics import load_topic
from pcf_core.models.registry import resolve


def run_of(templates: TemplateSet) -> RunSpec:
    return build_run(
        resolve("mini-gpt"), load_topic("gender"), make_evidence("few", ["nurse", "clerk"]), templates
    )


def place(run: RunSpec) -> str:
    return run.templates.name


@pytest.fixture
def whole(own_settings: Settings) -> RunSpec:
    return run_of(load_templates("gender-nineteen"))


def test_a_whole_run_goes_before_draws_and_these_are_labelled(whole: RunSpec) -> None:
    coarse, fine = planned(whole, 0.1), with_draws(planned(whole, 0.01), 5000)
    assert told_apart([fine, coarse, whole], place) == {"gender-nineteen": whole}
    assert told_apart([whole, fine], place) == {"gender-nineteen": whole}
    assert told_apart([coarse, fine], place) == {"gender-nineteen · ± 0.01": fine}


def test_of_runs_with_as_many_draws_the_newest_is_taken(whole: RunSpec) -> None:
    new, old = (with_draws(planned(whole, within), 5000) for within in (0.02, 0.01))
    assert told_apart([new, old], place) == {"gender-nineteen · ± 0.02": new}


def test_other_texts_under_the_name_have_digits_of_their_key(whole: RunSpec) -> None:
    old = run_of(make_templates("gender-nineteen", [("The [X] said that [Y]", 3)]))
    assert told_apart([old, whole], place) == {
        "gender-nineteen": whole,
        f"gender-nineteen · {old.key[:6]}": old,
    }
    assert told_apart([old], place) == {f"gender-nineteen · {old.key[:6]}": old}


def test_a_set_that_is_gone_keeps_its_name(whole: RunSpec) -> None:
    first, second = (
        run_of(make_templates("gone", [(f"The [X] {verb} that [Y]", 3)])) for verb in ("said", "knew")
    )
    assert told_apart([first, second], place) == {"gone": first, f"gone · {second.key[:6]}": second}


def test_a_topic_opens_on_the_set_made_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    topic, other = load_topic("religion"), load_topic("age")
    cards = {name: card for name, card in lists.set_cards().items() if not card.topic}
    monkeypatch.setattr(lists, "set_cards", lambda: cards)
    assert lists.usual_lists(topic).templates == topic.templates
    made = SetCard(title="Faith", form="attributive", topic="religion")
    monkeypatch.setattr(lists, "set_cards", lambda: {**cards, "faith": made})
    assert lists.usual_lists(topic).templates == "faith"
    assert lists.usual_lists(other).templates == other.templates
