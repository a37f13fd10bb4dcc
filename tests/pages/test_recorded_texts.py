"""The texts of pages in their order: of every page and tab, of their views, and of links that are wrong."""

from __future__ import annotations

from typing import Any

import pytest

from pcf_core.app.addresses import TAB_OF, TABS
from pcf_core.app.method.how_it_works import PARTS
from pcf_core.app.shell import SECTIONS
from pcf_core.store.store import Store
from tests.goldens.recorded import assert_recorded
from tests.pages.opened import App, open_app, set_environment
from tests.pages.shown import lines
from tests.pages.walks import assert_state
from tests.texts.criteria.asked import SCORED, WRITTEN
from tests.texts.fairpair.written import SMALL

VIEWS = [(page, tab) for pages in SECTIONS.values() for page, *_ in pages for tab in TABS.get(page, ("",))]
MODELS = {"model": ["mini-bert", "mini-gpt"]}
USUAL = {"topic": "gender", "templates": "gender-wikipedia-100"}
AXIS, PAPERS = {"compare_view": "along an axis"}, {"compare_view": "as in the papers"}
SCORED_BOTH = {**SCORED, "cr_model": ["mini-gpt", "mini-bert"]}

pytestmark = pytest.mark.usefixtures("same_memory")

# What a link opens, by the store that it is opened on: page, what the state is called, and the link.
STATES: dict[str, list[tuple[str, str, dict[str, Any]]]] = {
    "own_cache": [
        *(("topics", view, {"topic_shown": "gender", "topic_view": view}) for view in ("edit", "new")),
        ("topics", "a shipped list", {"topic_view": "lists", "list_shown": "education"}),
        ("templates", "nineteen", {"set": "gender-nineteen"}),
        ("templates", "new", {"set_view": "new"}),
        ("templates", "mine", {"set_view": "mine"}),
        ("knowledge", "another set", {"model": "mini-gpt", "facts": "opposites"}),
        (
            "fairpair",
            "other names the other way round",
            {**SMALL, "fp_table": "race-names", "fp_reverse": "true", "fp_name_2": "Tyrone"},
        ),
        ("run_an_audit", "old options", {"score_protocol": "exact-boundary", "score_precision": "auto"}),
        ("criteria", "old options", {"cr_answering": "usual", "cr_wording": "usual"}),
        ("knowledge", "old options", {"model": "mini-gpt", "knowledge_score": "log1p"}),
        ("fairpair", "fewer texts", {**SMALL, "fp_count": "6"}),
        ("criteria", "scored words", SCORED),
        ("criteria", "tasks to write", {**WRITTEN, "cr_view": "tasks"}),
        ("about", "nothing scored", {}),
        ("case_file", "a topic that no text audit knows", {"topic": "nationality"}),
        *(("how_it_works", part, {"how_part": part}) for part in PARTS),
    ],
    "own_topic": [
        *(
            ("topics", f"own {view}", {"topic_shown": "own-topic", "topic_view": view})
            for view in ("see", "preview")
        ),
    ],
    "own_set": [
        ("templates", "own", {"set": "own-set", "keep": "2"}),
        ("templates", "own found", {"set": "own-set", "find": "that -said"}),
        ("templates", "own not found", {"set": "own-set", "set_view": "edit", "find": "nowhere"}),
        ("templates", "own preview", {"set": "own-set", "set_view": "preview"}),
        ("templates", "own compared", {"set": "own-set", "set_view": "compare", "other": "gender-reporting"}),
        (
            "templates",
            "own compared with itself",
            {"set": "own-set", "set_view": "compare", "other": "own-set"},
        ),
    ],
    "full_store": [
        ("overview", "all runs", {"all_runs": "true"}),
        ("compare", "occupations by caprice", {"compare_part": "caprice"}),
        ("compare", "an occupation", {"occupation": "writer", "compare_every": "true"}),
        ("factors", "read", {"factors_view": "what it read", "read_model": "mini-gpt"}),
        ("about", "scored", {}),
        ("compare", "one model", {"model": ["mini-gpt"]}),
        ("compare", "one not scored", {"model": ["mini-gpt", "mini-t5"]}),
        *(
            ("compare", f"by {axis}", {**AXIS, "compare_axis": axis})
            for axis in ("text source", "models", "size", "topic")
        ),
        ("compare", "papers", {**PAPERS, "compare_thousand": "true", "compare_printed": "true"}),
        *(
            ("risk", view, {"risk_view": view})
            for view in ("shared or not", "corrected", "occupations", "policy")
        ),
        ("risk", "another reading", {"weights": "employment", "scale": "bvf", "reference": "labour"}),
        ("risk", "words that end", {"protocol": "exact-boundary"}),
        ("risk", "words that end of a masked model", {"model": ["mini-bert"], "protocol": "exact-boundary"}),
        *(("caprice", view, {"tail_view": view}) for view in ("Hill plot", "histogram")),
        ("caprice", "prejudice", {"part": "prejudice", "normal_view": "QQ plot"}),
        ("tilt", "an occupation", {"model": ["mini-gpt"], "occupation": "nurse", "threshold": "0.25"}),
        ("heat_map", "a cell", {"occupation": "nurse", "template": "The [X] stated that [Y]"}),
        ("factors", "broad", {"factors_model": "mini-gpt", "factors_risk": "caprice", "broad": "true"}),
        ("sensitivity", "words", {"dimensions": ["words"], "sensitivity_risk": "prejudice"}),
        ("models", "details", {"model_details": "mini-gpt"}),
        ("case_file", "one model", {"model": ["mini-bert"], "cf_model": "mini-bert"}),
        ("templates", "preview", {"set": "gender-nineteen", "set_view": "preview", "keep": "5"}),
        (
            "templates",
            "two compared",
            {"set": "gender-nineteen", "set_view": "compare", "other": "gender-reporting"},
        ),
    ],
    "two_precisions": [
        ("risk", "float32 first", {"model": ["mini-gpt"]}),
        ("compare", "two precisions", {"model": ["mini-gpt"], "precision": ["float32", "bfloat16"]}),
        ("overview", "two precisions", {"all_runs": "true"}),
    ],
    "texts_store": [
        *(
            ("fairpair", view, {**SMALL, "fp_view": view})
            for view in ("models", "prompts", "words", "convergence")
        ),
        ("fairpair", "texts", {**SMALL, "fp_view": "texts"}),
        ("fairpair", "unexchanged words", {**SMALL, "fp_measure": "unexchanged words"}),
        *(
            ("criteria", view, {**SCORED_BOTH, "cr_view": view})
            for view in ("anecdotes", "hobbies", "questions")
        ),
        ("criteria", "tasks", {**SCORED_BOTH, "cr_view": "tasks"}),
        ("criteria", "summary", SCORED_BOTH),
        ("case_file", "texts alone", {"cf_model": "mini-gpt"}),
    ],
    "shipped": [
        ("overview", "shipped", USUAL),
        ("compare", "shipped", USUAL),
        ("risk", "unequal words", {"topic": "race", "model": ["mini-gpt"]}),
        ("risk", "calibration", {"topic": "calibration", "model": ["planted-causal"]}),
        ("fairpair", "shipped", USUAL),
        ("criteria", "shipped", {**USUAL, "model": ["mini-gpt"]}),
    ],
}
# Links with something wrong: what is said of them, and what the page still offers and shows.
WRONG: dict[str, list[dict[str, Any]]] = {
    "fairpair": [
        {"fp_prompts": "nowhere"},
        {"fp_temperature": "warm"},
        {"fp_temperature": "99"},
        {"fp_category": "nothing"},
        {"fp_name_1": "john"},
        {"fp_name_1": "Jane", "fp_name_2": "Jane"},
        {"fp_name_1": "Jane", "fp_name_2": "John"},
        {"fp_fold": "30"},
        {"fp_table": "zzz"},
        {"fp_encoder": "mini-gpt"},
        {"fp_model": ["mini-bert", "mini-gpt"]},
    ],
    "criteria": [
        {"cr_tasks": "nowhere"},
        {"cr_labeller": "guess"},
        {"cr_model": "mini-nothing"},
        {"cr_model": "mini-bert", "cr_answering": "written"},
        {"cr_top_p": "3", "cr_seed": "many", "<b>x</b>": "1e400"},
    ],
    "risk": [
        {"topic": "phantom"},
        {"templates": "gender-ninteen"},
        {"model": ["ghost", "mini-gpt"]},
        {"model": ["mini-gpt", "x :red[EVIL] [link](http:evil) _b_"]},
        {"criterion": "l7", "risk_view": "nonsense", "modell": "mini-t5", "precision": "int4"},
        {"risk_view": "policy", "policy": "gone"},
    ],
    "compare": [{"compare_view": "two"}],
    "heat_map": [{"template": "The [X] was never seen with [Y]"}],
    "knowledge": [{**MODELS, "protocol": "exact-boundary"}, {"facts": "gone"}],
    "case_file": [{"cf_model": "<b>nobody"}],
    "topics": [
        {"topic_shown": ":red[gone]"},
        {"topic_view": "check", "model": ["nobody/model"]},
        {"topic_view": "lists", "list_shown": "gone"},
    ],
    "templates": [{"set": ":red[gone]"}],
    "models": [{"model_other": name} for name in ("no-such-model", "org/other", "../../etc", ":red[x] <b>")],
    "run_an_audit": [{"score_model": ["no-such-model"]}],
    "report": [{"rp_run": ["<b>gone</b>"], "rp_text": ["*old*"]}],
    "try_a_sentence": [
        {"sentence": "The nurse said that"},
        {"sentence": "[Y] and [Y]"},
        {"sentence": "… and ..."},
        {"sentence": "The [X] said that [Y]"},
        {"sentence": "x" * 400 + "[Y]"},
        {"sentence": " "},
        {"model": [f"nobody-{number}/model" for number in range(9)]},
    ],
}
ANSWERS = ("error", "warning", "info", "success", "metric", "button:")


def assert_page_recorded(app: App, name: str) -> None:
    assert_recorded(
        f"pages/{name}",
        {part: list(lines(app._tree[index])) for index, part in enumerate(("main", "sidebar"))},
    )


def opened(page: str, tab: str) -> App:
    return open_app(page, **MODELS, **({TAB_OF[page]: tab} if tab else {}))


@pytest.mark.slow
@pytest.mark.parametrize(("page", "tab"), VIEWS)
def test_a_page_with_nothing_scored(page: str, tab: str) -> None:
    assert_page_recorded(opened(page, tab), f"empty/{page}{'_' * bool(tab)}{tab}".replace(" ", "_").lower())


@pytest.mark.slow
@pytest.mark.parametrize(("page", "tab"), VIEWS)
def test_a_page_of_two_scored_models(full_store: Store, page: str, tab: str) -> None:
    assert_page_recorded(opened(page, tab), f"scored/{page}{'_' * bool(tab)}{tab}".replace(" ", "_").lower())


@pytest.mark.parametrize(
    ("store", "page", "name", "link"),
    [(store, *state) for store, states in STATES.items() for state in states],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_state_of_a_page(
    request: pytest.FixtureRequest, store: str, page: str, name: str, link: dict[str, Any]
) -> None:
    request.getfixturevalue(store)
    assert_state(open_app(page, **link), f"{page} {name}")


@pytest.mark.parametrize("page", WRONG)
def test_what_is_wrong_in_a_link_is_said(
    full_store: Store, monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    set_environment(monkeypatch, ALLOW_HUB="0")
    assert_recorded(
        f"pages/wrong/{page}",
        {
            "&".join(f"{key}={value}"[:60] for key, value in link.items()): [
                line for line in lines(open_app(page, **link).main) if line.startswith(ANSWERS)
            ]
            for link in WRONG[page]
        },
    )
