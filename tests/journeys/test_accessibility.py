"""axe-core over every page in real Chromium: nothing serious but what Streamlit itself builds."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from pcf_core.app.addresses import TAB_OF, TABS
from pcf_core.app.compare.presets import VIEW
from pcf_core.app.criteria.request import EXPERIMENTS
from pcf_core.app.fairpair.views import VIEWS as FAIRPAIR
from pcf_core.app.method.how_it_works import PARTS
from pcf_core.app.shell import SECTIONS
from pcf_core.models.presets import presets
from pcf_core.store.store import Store
from tests.browser import CHROMIUM, browser_page, running_app, settle
from tests.texts.criteria.asked import SCORED, WRITTEN, score_criteria, write_criteria
from tests.texts.fairpair.written import SMALL, write_small

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
SERIOUS = {"serious", "critical"}
# Rules that Streamlit 1.67 breaks and no option mends, with the part of the page in which it does.
STREAMLITS_OWN = {
    "list": "stSidebarNavItems",  # st.navigation puts each section's <div> straight into the menu's <ul>
    "listitem": "stSidebarNavItems",  # … and so the entries' <li> into that <div>
}

CRITERIA = tuple(
    urlencode({"cr_model": "mini-gpt", **answers, "cr_view": view}, doseq=True)
    for answers, views in ((WRITTEN, ("summary", "anecdotes", "hobbies", "tasks")), (SCORED, EXPERIMENTS))
    for view in views
)
VIEWS = [
    *(("Topics", f"topics?topic_view={view}") for view in ("edit", "preview", "check", "new", "lists")),
    *(
        (
            "Written text",
            "written_text?text_tab=FairPair&fp_model=mini-gpt&"
            + urlencode({**SMALL, "fp_view": view}, doseq=True),
        )
        for view in FAIRPAIR
    ),
    *(("Written text", f"written_text?text_tab=Criteria&{query}") for query in CRITERIA),
    ("Written text", f"written_text?{urlencode({'cf_model': 'mini-gpt'})}"),
    *(("Method", f"method?{urlencode({'how_part': part})}") for part in PARTS),
    *(
        ("Compare", "compare?" + urlencode({"model": preset.models, "compare_view": VIEW}, doseq=True))
        for preset in presets()
    ),
]


def fill_audits(store: Store) -> None:
    """Keep what the views of the text audits show."""
    write_small(store)
    for name in ("anecdotes", "hobbies", "tasks"):
        write_criteria(store, name)
    for name in EXPERIMENTS:
        score_criteria(store, name)


def addresses() -> list[tuple[str, str]]:
    """Title and path of every page in the menu, of every tab, and of a few further views."""
    addresses_found = [*VIEWS]
    for pages in SECTIONS.values():
        for name, title, _ in pages:
            tabs = [urlencode({TAB_OF[name]: tab}) for tab in TABS.get(name, ())] or [""]
            addresses_found += [(title, f"{'' if name == 'overview' else name}?{query}") for query in tabs]
    return addresses_found


def inside(page: Page, node: dict[str, Any], part: str) -> bool:
    """Whether an element that axe found lies in a part of the page, by Streamlit's name for it."""
    script = '([target, place]) => !!document.querySelector(target)?.closest(`[data-testid="${place}"]`)'
    return bool(page.evaluate(script, [node["target"][0], part]))


def violations(page: Page) -> list[str]:
    """What axe-core finds of serious or critical impact, a line an element."""
    return [
        f"{violation['id']} ({violation['impact']}): {node['html'][:200]}"
        for violation in Axe().run(page).response["violations"]
        if violation["impact"] in SERIOUS
        for node in violation["nodes"]
        if not (violation["id"] in STREAMLITS_OWN and inside(page, node, STREAMLITS_OWN[violation["id"]]))
    ]


def test_axe_sees_what_is_wrong() -> None:
    """The check itself: a picture without a text, and grey on grey, are found; a clean page is not."""
    with browser_page() as (page, _):
        page.set_content("<html lang=en><title>t</title><main><h1>Clean</h1></main></html>")
        assert violations(page) == []
        page.set_content(
            "<html lang=en><title>t</title><main><h1>Bad</h1><img src='data:,'>"
            "<p style='color: #bbb'>too pale</p></main></html>"
        )
        assert sorted(line.split()[0] for line in violations(page)) == ["color-contrast", "image-alt"]


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_has_a_serious_violation(scheme: str, tmp_path: Path) -> None:
    environment = {"PCF_CACHE": str(tmp_path / "cache"), "PCF_START_WORKER": "0"}
    fill_audits(Store.open(tmp_path / "cache"))
    wrong = {}
    with (
        running_app(environment, tmp_path / "app.log") as address,
        browser_page(scheme=scheme) as (page, _),
    ):
        for title, path in addresses():
            page.goto(f"{address}/{path}")
            settle(page, title)
            page.wait_for_timeout(1500)  # Streamlit fades in what is new: half-drawn text has no contrast
            if lines := violations(page):
                wrong[f"{title} {path}"] = lines
    assert wrong == {}
