"""How much is to be read before the first picture or table of a page, and whether it stays where it is.

In real Chromium, on the shipped results and what pages open with.
"""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from pcf_core.app.present import VIEWS
from pcf_core.app.shell import SECTIONS, titles
from pcf_core.show.names import with_titles
from tests.browser import CHROMIUM, browser_page, settle
from tools.ship_results import PUBLIC

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
MOST = 60
# Visible words before the first picture, table or form.
WORDS = {
    "overview": MOST,
    "compare": MOST,
    "tilt": MOST,
    "heat_map": MOST,
    "risk": MOST,
    "caprice": MOST,
    "why": MOST,
}
ALSO = {
    "risk?risk_view=corrected": MOST,
    "written_text": MOST,
    "written_text?text_tab=FairPair": MOST,
    "written_text?text_tab=Criteria": MOST,
    "topics": MOST,
    "method": MOST,
}
MOST_SHIFT = 0.1
FIRST = ", ".join(
    f'[data-testid="st{kind}"]' for kind in ("PlotlyChart", "DataFrame", "Table", "Form", "Image")
)
READ = """first => {
  const said = [];
  const walk = node => {
    if (node.nodeType === Node.TEXT_NODE) said.push(node.textContent);
    if (node.nodeType !== Node.ELEMENT_NODE) return true;
    const boxless = getComputedStyle(node).display === 'contents';
    if (!boxless && !node.checkVisibility({visibilityProperty: true, opacityProperty: true})) return true;
    if (node.matches(first)) return false;
    if (node.matches('[data-testid="stIconMaterial"], [data-testid="stExpanderIcon"]')) return true;
    if (node.matches('style, script, svg, header')) return true;
    const on = [...node.childNodes].every(walk);
    said.push(' ');
    return on;
  };
  walk(document.querySelector('[data-testid="stMain"]'));
  return said.join('');
}"""
WATCH = """window.shifts = [];
new PerformanceObserver(list => {
  for (const shift of list.getEntries()) if (!shift.hadRecentInput) window.shifts.push(shift.value);
}).observe({type: 'layout-shift', buffered: true});"""


def opened(page: Page, app: str, address: str, *, presented: bool = False) -> None:
    """Open a page and wait for its first picture or table: charts come after what is below them."""
    page.goto(f"{app}/{'' if address == 'overview' else address}{'?present=1' if presented else ''}")
    settle(page, titles()[address.partition("?")[0]])
    tables = {
        "overview": ("stImage", "stDataFrame"),
        "topics": ("stTable",),
        "written_text": ("stTable",),
    }
    kinds = ("stPlotlyChart",) if presented else tables.get(address, ("stPlotlyChart",))
    first = page.locator(", ".join(f'[data-testid="{kind}"]' for kind in kinds))
    first.locator("visible=true").first.wait_for()


def first_words(page: Page) -> str:
    return " ".join(str(page.evaluate(READ, FIRST)).split())


def test_the_count_sees_what_a_reader_sees() -> None:
    with browser_page() as (page, _):
        page.set_content(
            "<main data-testid='stMain'><h1>Two words</h1><p style='display: none'>hidden</p>"
            "<button><span style='display: contents'>a button</span></button>"
            "<div data-testid='stTable'>a table</div><p>and below</p></main>"
        )
        assert first_words(page) == "Two words a button"


def test_every_page_of_results_is_counted() -> None:
    assert {name for name, _, _ in SECTIONS["Results"]} == set(WORDS)


@pytest.mark.timeout(300)
def test_few_words_stand_before_the_first_picture(app: str) -> None:
    too_many = {}
    with browser_page() as (page, _):
        for name, most in {**WORDS, **ALSO}.items():
            opened(page, app, name)
            words = first_words(page)
            for model in PUBLIC:  # a name is read as one word
                words = words.replace(with_titles(model), model)
            if len(words.split()) > most:
                too_many[name] = f"{len(words.split())} words, {most} at the most: {words}"
    assert too_many == {}, "\n".join(too_many.values())


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    ("width", "height", "presented"), [(390, 844, False), (1280, 900, False), (1920, 1080, True)]
)
def test_nothing_jumps_while_a_page_loads(app: str, width: int, height: int, presented: bool) -> None:
    shifts = {}
    for name in [view for view in VIEWS if view in WORDS] if presented else WORDS:
        for _ in range(2):  # the first visit of a server is that of a reader who waits for its caches
            with browser_page(width, height) as (page, _):
                page.add_init_script(WATCH)
                opened(page, app, name, presented=presented)
                page.wait_for_timeout(1500)
                shifts[name] = sum(page.evaluate("window.shifts"))
    assert {name: shift for name, shift in shifts.items() if shift >= MOST_SHIFT} == {}
