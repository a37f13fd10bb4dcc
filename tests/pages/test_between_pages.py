"""From page to page in one session: no page shows an error because of what another page left there."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence

import pytest

from pcf_core.app.shell import titles
from pcf_core.store.store import Store
from tests.conftest import fill
from tests.pages.opened import App, open_app
from tests.quick import quick
from tests.widget_keys import calls_with_key

PAGES = tuple(titles())
SHARING = ("tilt", "compare", "heat_map")  # have parameters in common besides the shared choice
MODELS = itertools.cycle([["mini-gpt"], ["mini-bert"], ["mini-bert", "mini-gpt"]])
# An auditor types a name; somebody who may only read chooses among those used before. Both are text, and a
# session is of one or the other.
TWO_FORMS = {"cr_labeller"}
NO_WIDGETS = {"container", "OwnPanel"}  # the key names a style, and a group of widgets


def walk(pages: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Pairs of a page and the next one, from the first page on, so that every page leads to every other."""
    for index, one in enumerate(pages):
        for other in pages[index + 1 :]:
            yield from ((one, other), (other, one))
        yield from itertools.pairwise(pages[index : index + 2])


def change_models(app: App) -> None:
    app.multiselect(key="model").set_value(next(MODELS)).run()


def own_parameters(app: App) -> set[str]:
    """What the address can say of this page alone."""
    params = app.session_state._state._state.query_params
    return {name for name, at in params._bindings_by_param.items() if at.script_hash == app._page_hash}


@pytest.mark.parametrize(
    "pages", [SHARING, pytest.param(PAGES, marks=[pytest.mark.slow, pytest.mark.timeout(900)])], ids=len
)
def test_no_page_is_broken_by_what_another_left(full_store: Store, pages: Sequence[str]) -> None:
    """The models are changed on each page before the next one is opened."""
    steps = list(walk(pages))
    assert set(steps) == set(itertools.permutations(pages, 2))
    app = open_app(pages[0])
    for one, other in steps:
        change_models(app)
        app.go_to(other)
        assert app.title, f"{one} to {other}"


@pytest.mark.parametrize("topic", quick(["gender", "race"], "race".__eq__))
def test_pages_share_a_choice_and_keep_their_defaults(full_store: Store, topic: str) -> None:
    """What somebody chose on one page is chosen on the next; what a page shows unasked is not."""
    for model in ("mini-bert", "mini-gpt"):
        fill(full_store, model, topic_name="race")
    chosen = {"model": ["mini-bert", "mini-gpt"], "topic": topic, "templates": fill_templates(topic)}
    usual = {page: shown(open_app(page, **chosen)) for page in SHARING}
    assert usual["heat_map"]["occupation"] is not None
    assert usual["tilt"]["occupation"] is None
    app = open_app(SHARING[0], **chosen)
    for page in (*SHARING, *reversed(SHARING), *SHARING):
        app.go_to(page)
        assert shown(app) == usual[page]
        assert not {"occupation", "group"} & set(app.query_params)
    app.selectbox(key="occupation").set_value("nurse").run()
    for page in SHARING:
        app.go_to(page)
        assert shown(app)["occupation"] == "nurse"
        assert app.query_params["occupation"] == "nurse"
    app.go_to("tilt")
    app.selectbox(key="occupation").set_value(None).run()
    app.go_to("heat_map")
    assert shown(app) == usual["heat_map"]


def fill_templates(topic: str) -> str:
    return {"gender": "gender-nineteen", "race": "race-relative"}[topic]


def shown(app: App) -> dict[str, str | None]:
    """What the fields show that several pages have."""
    return {field.key: field.value for field in app.selectbox if field.key in ("occupation", "group")}


@pytest.mark.slow
def test_no_other_pages_share_a_parameter(full_store: Store) -> None:
    pages_of = defaultdict(set)
    for page in PAGES:
        for name in own_parameters(open_app(page)):
            pages_of[name].add(page)
    assert {"occupation", "risk_view"} <= set(pages_of)
    assert set[str]().union(*(pages for pages in pages_of.values() if len(pages) > 1)) <= set(SHARING)


def test_a_session_key_belongs_to_one_widget() -> None:
    """Each key that the source names is given to a widget in one line of it."""
    lines = defaultdict(set)
    for call in calls_with_key():
        if call.function not in NO_WIDGETS:
            lines[call.key].add(call.line)
    assert {"occupation", "model", "cr_labeller", "compare_first", "topic_shown"} <= set(lines)
    assert {key: sorted(at) for key, at in lines.items() if len(at) > 1 and key not in TWO_FORMS} == {}
