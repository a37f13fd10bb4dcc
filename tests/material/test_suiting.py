"""Every topic names template sets that are there, of its language, with a place for its words."""

import pytest

from pcf_core.core.settings import settings
from pcf_core.core.topics import SetCard
from pcf_core.material.suiting import suiting_sets, template_cards
from pcf_core.material.templates import SHELF, load_templates
from pcf_core.material.topics import list_topics, load_topic

NAMES = [topic.name for topic in list_topics()]


@pytest.mark.parametrize("name", NAMES)
def test_the_named_sets_are_there_and_fit_language_and_position(name):
    """Second opinion on the position: the texts themselves, not what the cards say of them."""
    topic, cards = load_topic(name), template_cards()
    found = suiting_sets(topic, cards)
    assert found[0] == topic.templates
    assert len(set(found)) == len(found)
    for set_name in found:
        assert cards[set_name].language == topic.language
        templates = load_templates(set_name).templates
        behind_is = [one.text.rstrip(".").endswith((" is [Y]", ", was [Y]")) for one in templates]
        if not cards[set_name].form:
            assert set_name == topic.templates
        elif topic.position == "predicate":
            nouns = [one.fits == ("noun",) for one in templates]  # "was a [Y]", in a wide set
            assert all(is_there or noun for is_there, noun in zip(behind_is, nouns, strict=True)), set_name
        else:
            assert not any(behind_is), set_name


def test_every_shipped_set_suits_some_topic():
    cards = template_cards()
    assert {name for topic in list_topics() for name in suiting_sets(topic, cards)} == set(SHELF.shipped())


def test_by_hand():
    cards = {
        "a": SetCard(title="a", form="clausal"),
        "b": SetCard(title="b", form="attributive"),
        "c": SetCard(title="c", form="clausal", language="zh-Hant"),
        "d": SetCard(title="d"),
        "e": SetCard(title="e", form="clausal", language="en-GB"),
    }
    topic = load_topic("gender")

    def suits(**facts):
        return suiting_sets(topic.model_copy(update=facts), cards)

    assert suits() == ("a", "e")
    assert suits(templates="e") == ("e", "a")
    assert suits(templates="d") == ("d", "a", "e")
    assert suits(templates="gone", position="predicate") == ("b",)
    assert suits(language="zh") == ("c",)


def test_a_damaged_set_of_ones_own_is_not_named(assets, monkeypatch, tmp_path):
    monkeypatch.setenv("PCF_CACHE", str(tmp_path))
    settings.cache_clear()
    (tmp_path / "templates").mkdir()
    (tmp_path / "templates" / "broken.csv").write_text("template,count\nThe [X] said that [Y],1\n")
    (tmp_path / "templates" / "broken.toml").write_text('title = "Broken')
    (tmp_path / "templates" / "mine.csv").write_text("template,count\nThe [X] said that [Y],1\n")
    (tmp_path / "templates" / "mine.toml").write_text('title = "Mine"\nform = "clausal"\n')
    assert "broken" not in template_cards()
    assert suiting_sets(load_topic("gender"), template_cards())[-1] == "mine"
