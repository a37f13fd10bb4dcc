"""A user's own topic is scored like any other, and what its old words gave stays readable."""

from __future__ import annotations

import pytest

from pcf_core.audit.results import load_result
from pcf_core.core.settings import Settings
from pcf_core.core.topics import Group
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import delete_topic, make_topic, save_topic
from pcf_core.store.store import Store
from tests.audit.small_runs import score_few

OWN = make_topic("own", [Group(name="male", words=("he", "king")), Group(name="female", words=("she",))])
NEW = OWN.model_copy(update={"groups": (OWN.groups[0], Group(name="female", words=("she", "queen")))})


def test_results_of_the_old_words_stay_readable(
    own_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, templates = Store.open(own_settings.cache), load_templates("gender-reporting")
    save_topic(OWN)
    old = score_few(store, monkeypatch, topic="own", templates=templates)
    before = load_result(store, old)
    save_topic(NEW, replace=True)
    new = score_few(store, monkeypatch, topic="own", templates=templates)
    assert new.key != old.key
    delete_topic("own")
    kept = store.load_run(old.key)
    assert kept.topic == OWN
    assert store.load_run(new.key).topic == NEW
    again = load_result(store, kept)
    assert again.words == ("he", "king", "she")
    assert (again.preferences.values == before.preferences.values).all()
    assert not (load_result(store, new).preferences.values == before.preferences.values).all()
