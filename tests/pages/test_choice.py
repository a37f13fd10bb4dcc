"""The shared choice in the sidebar and the form of Run an audit: a topic brings its usual lists."""

import pytest

from pcf_core.app.addresses import Choice
from pcf_core.audit.options import PageOptions, ViewOptions, from_link
from tests.pages.opened import open_app


@pytest.mark.parametrize(("page", "prefix"), [("risk", ""), ("run_an_audit", "score_")])
def test_another_topic_brings_its_templates_and_occupations(page, prefix):
    app = open_app(page)
    for topic, templates, evidence in (
        ("race", "race-relative", "occupations-bvf"),
        ("gender-zh", "gender-zh-reporting", "occupations-zh"),
    ):
        app.selectbox(key=f"{prefix}topic").set_value(topic).run()
        assert app.selectbox(key=f"{prefix}templates").value == templates
        assert app.selectbox(key=f"{prefix}evidence").value == evidence
        app.selectbox(key=f"{prefix}templates").set_value("gender-heatmap").run()
        assert app.selectbox(key=f"{prefix}templates").value == "gender-heatmap"
    assert not app.warning


def test_a_link_that_names_templates_is_followed():
    app = open_app("risk", topic="race", templates="gender-heatmap")
    assert app.selectbox(key="templates").value == "gender-heatmap"
    assert app.selectbox(key="evidence").value == "occupations-bvf"


def test_links_to_other_pages_have_all_of_the_choice() -> None:
    options = ViewOptions(
        criterion="l1", scale="bvf", reference="labour", aggregation="mean", unit="counts-only-mentions"
    )
    link = Choice(("mini-gpt", "mini-bert"), "race", "mine", "few", options, over="both").parameters
    assert (link["model"], link["topic"]) == (["mini-gpt", "mini-bert"], "race")
    assert (link["templates"], link["evidence"]) == ("mine", "few")
    assert from_link(PageOptions, link) == PageOptions(**options.model_dump(), over="both")
