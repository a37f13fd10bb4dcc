"""Every chart, and every page as a person sees it: both themes, wide and narrow windows, in real Chromium.

Charts are drawn, all their texts have contrast, do not overlap, are not cut and are not crossed by the line
from another text to its mark (what is wrong names the chart and the texts), nothing scrolls sideways, and the
console has no error.
"""

from __future__ import annotations

import base64
import json
from pathlib import Path

import plotly
import plotly.graph_objects as go
import pytest
import streamlit
from playwright.sync_api import Page

from pcf_core.app.styles import readable
from pcf_core.show.charts import theme
from pcf_core.show.charts.comparison import dumbbell_plot
from pcf_core.show.charts.tilt import tilt_box
from pcf_core.show.compare import Dumbbell
from pcf_core.store.store import Store
from tests.browser import CHROMIUM, Error, browser_page, drawn_traces, running_app, settle
from tests.journeys.test_accessibility import CRITERIA, addresses, fill_audits
from tests.show.charts import examples, records

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")
# Try a sentence has a chart once a worker has answered, Written text once something is written; Overview has
# a table of pictures, Templates a list first.
WITHOUT_CHARTS = {
    *("Overview", "Run an audit", "Try a sentence", "Topics", "Templates", "Models", "Report"),
    "Written text",
}
TABS_WITHOUT_CHARTS = (  # of the public models no facts are scored, and their text is not here
    *("method_tab=Glossary", "method_tab=About", "method_tab=As+in+the+papers"),
    *("method_tab=What+numbers+support", "why_tab=What+it+read", "why_tab=Knowledge"),
)
WITH_CHARTS = (
    "fp_view=models",
    "fp_view=prompts",
    "fp_view=words",
    "fp_view=convergence",
    "cf_model=mini-gpt",
    *CRITERIA,
)
LEAST_CONTRAST = 4.5  # WCAG 2, 1.4.3

# What is wrong with the texts of a page's charts, a sentence each.  Boxes of slanted ticks say nothing on
# overlap; a line's box is up to 4 pixels higher than its letters.  An annotation may lie in the plot, an axis
# title may not.
CHECK = """least => {
  const wrong = [];
  const around = /^([xy]\\d*(tick|title)|legendtext|cb(axis|title)|annotation-text|gtitle)/;
  const inside = /^(textpoint|bartext|heatmap-label)/;
  const kinds = {test: name => around.test(name) || inside.test(name)};
  const on_marks = /^(bartext|heatmap-label)/;  // whose background is a colour of the chart
  const title = /^[xy]\\d*title/;
  const named = (text, pattern) => pattern.test(text.classList[0] || '')
    || pattern.test(text.parentElement.getAttribute('class') || '');
  const channels = color => color.match(/[\\d.]+/g).slice(0, 3).map(Number);
  const light = color => {
    const [r, g, b] = channels(color).map(c => c / 255).map(
      c => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const page = getComputedStyle(document.querySelector('[data-testid="stApp"]')).backgroundColor;
  const slanted = text => {
    const turned = /rotate\\((-?[\\d.]+)/.exec(text.getAttribute('transform') || '');
    return turned !== null && Number(turned[1]) % 90 !== 0;
  };
  // Whether a line from a name to its mark runs through a text, at points a pixel apart.
  const runs_through = (line, box) => {
    const place = line.getScreenCTM(), length = line.getTotalLength();
    for (let at = 0; at <= length; at += 1) {
      const {x, y} = line.getPointAtLength(at).matrixTransform(place);
      if (x > box.left + 3 && x < box.right - 3 && y > box.top + 3 && y < box.bottom - 3) return true;
    }
    return false;
  };
  const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4;
  for (const plot of document.querySelectorAll('.js-plotly-plot')) {
    const frame = plot.getBoundingClientRect();
    if (frame.width === 0) continue;
    const figure = plot.closest('[aria-label]');
    const chart = figure ? `${figure.getAttribute('aria-label')}: ` : '';
    const texts = [...plot.querySelectorAll('text')]
      .filter(text => named(text, kinds) && text.textContent.trim() && getComputedStyle(text).opacity !== '0')
      .map(text => (
        {text, words: text.textContent.trim(), box: text.getBoundingClientRect(), slanted: slanted(text)}))
      .filter(one => one.box.width > 0);
    const lines = [...plot.querySelectorAll('.annotation-arrow-g path')];
    const dots = [...plot.querySelectorAll('.scatterlayer .points path')]
      .filter(dot => getComputedStyle(dot).opacity !== '0').map(dot => dot.getBoundingClientRect());
    const areas = [...plot.querySelectorAll('.nsewdrag')].map(area => area.getBoundingClientRect());
    texts.forEach((one, place) => {
      const [low, high] = [light(getComputedStyle(one.text).fill), light(page)].sort((a, b) => a - b);
      const pale = (high + 0.05) / (low + 0.05) < least && !named(one.text, on_marks);
      if (pale) wrong.push(`${chart}“${one.words}” is too pale`);
      const out = one.box.left < frame.left - 2 || one.box.right > frame.right + 2
        || one.box.top < frame.top - 2 || one.box.bottom > frame.bottom + 2;
      if (out) wrong.push(`${chart}“${one.words}” is cut off`);
      const within = named(one.text, title) && areas.some(area => meet(one.box, area));
      if (within) wrong.push(`${chart}“${one.words}” lies in the plot`);
      const on_dot = dots.some(dot => dot.left < one.box.right && dot.right > one.box.left
        && dot.top < one.box.bottom && dot.bottom > one.box.top);
      if (named(one.text, /^textpoint/) && on_dot) wrong.push(`${chart}“${one.words}” touches a mark`);
      for (const line of lines) {
        const own = line.closest('.annotation');
        if (own.contains(one.text) || one.slanted || !runs_through(line, one.box)) continue;
        wrong.push(`${chart}the line of “${own.textContent.trim()}” runs through “${one.words}”`);
      }
      for (const other of texts.slice(place + 1)) {
        if (one.slanted || other.slanted || !meet(one.box, other.box)) continue;
        wrong.push(`${chart}“${one.words}” and “${other.words}” overlap`);
      }
    });
  }
  return wrong;
}"""


def wrong_texts(page: Page) -> list[str]:
    return [str(line) for line in page.evaluate(CHECK, LEAST_CONTRAST)]


def faults(page: Page, title: str, path: str) -> list[str]:
    """What is wrong with the page that is open, a sentence each."""
    wrong = []
    drawn = title not in WITHOUT_CHARTS and not path.endswith(TABS_WITHOUT_CHARTS)
    if (drawn or path.endswith(WITH_CHARTS)) and drawn_traces(page) == 0:
        wrong.append("no trace is drawn")
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    if wide > 0:
        wrong.append(f"it scrolls sideways by {wide} pixels")
    return wrong + wrong_texts(page)


def test_the_check_sees_what_is_wrong() -> None:
    """A made-up chart: pale text, two labels on each other, one beyond the edge."""
    text = "<text class='xtitle' x='{x}' y='30' fill='{fill}'>{words}</text>"
    labels = [
        (20, "#000", "one two"),
        (30, "#000", "over it"),
        (180, "#000", "beyond the edge"),
        (90, "#ccc", "pale"),
    ]
    drawn = "".join(text.format(x=x, fill=fill, words=words) for x, fill, words in labels)
    with browser_page() as (page, _):
        page.set_content(
            "<body style='margin: 0'><div data-testid='stApp' style='background: #fff'>"
            "<div class='js-plotly-plot' style='width: 200px'>"
            f"<svg width='200' overflow='visible'>{drawn}</svg></div></div></body>"
        )
        assert sorted(wrong_texts(page)) == [
            "“beyond the edge” is cut off",
            "“one two” and “over it” overlap",
            "“pale” is too pale",
        ]


SCRIPT = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
WIDTHS = {390: 326, 1280: 820, 1920: 1460}  # of a window, and of a chart in it, in pixels
# The letters of every page.
FONT = next((Path(streamlit.__file__).parent / "static").rglob("SourceSansVF-Upright*.woff2"))
EMPTY = """<body style="margin: 0"><style>
@font-face { font-family: SourceSans; src: url(data:font/woff2;base64,%s); font-weight: 200 900; }
.gtitle tspan[style*="font-size: 11px"] { display: none; }
</style><div data-testid="stApp" style="background: #fff"><div id="chart" aria-label="chart"></div></div>"""
DRAW = """async ([figure, width]) => {
  const chart = document.getElementById('chart');
  Plotly.purge(chart);
  Object.assign(chart.style, {width: `${width}px`, height: `${figure.layout.height}px`});
  await Plotly.newPlot(chart, figure.data, figure.layout, {displayModeBar: false});
}"""


def open_empty(page: Page) -> None:
    """Open a page with Plotly alone, as one chart at a time is drawn on it."""
    page.set_content(EMPTY % base64.b64encode(FONT.read_bytes()).decode())
    page.evaluate("document.fonts.load('16px SourceSans')")
    page.add_script_tag(path=str(SCRIPT))


def wrong_in(page: Page, figure: go.Figure, width: int) -> list[str]:
    """Draw a chart so wide, and say what is wrong with the place of its texts; a page gives them colours."""
    document = json.loads(figure.to_json())
    del document["layout"]["template"]
    document["layout"]["font"] = {
        "family": "Arimo, Liberation Sans, Arial"
    }  # as wide as that of pages, or wider
    page.evaluate(DRAW, [document, width])
    return [line for line in wrong_texts(page) if not line.endswith("too pale")]


def test_overlapping_texts_of_a_chart_are_seen() -> None:
    """Two names on each other, a line from a name through another, and a title longer than the window."""
    over = theme.base_layout(go.Figure(go.Scatter(x=[0, 1], y=[0, 1])), 300)
    for words in ("a name", "another"):
        over.add_annotation(text=words, x=0.5, y=0.5, showarrow=False)
    crossed = theme.base_layout(go.Figure(go.Scatter(x=[0, 1], y=[0, 1])), 300)
    for words, x, place in (("a name", 0.55, -60), ("another", 0.5, -30)):
        crossed.add_annotation(text=words, x=x, y=0.2, ax=0, ay=place, xanchor="left", arrowhead=0)
    long = theme.base_layout(go.Figure(go.Scatter(x=[0, 1], y=[0, 1])), 300)
    long.update_xaxes(
        title_text="far too long a title for so narrow a chart, of which the end is cut off on a telephone"
    )
    with browser_page() as (page, _):
        open_empty(page)
        assert wrong_in(page, over, 326) == ["chart: “a name” and “another” overlap"]
        assert wrong_in(page, crossed, 326) == ["chart: the line of “a name” runs through “another”"]
        assert [line.rpartition(" ")[2] for line in wrong_in(page, long, 326)] == ["off"]
        assert wrong_in(page, long, 820) == []


@pytest.mark.timeout(300)
@pytest.mark.parametrize("width", WIDTHS)
def test_texts_of_charts_neither_overlap_nor_are_cut(width: int) -> None:
    wrong = {}
    with browser_page(width + 100) as (page, errors):
        open_empty(page)
        for name, draw in examples.figures().items():
            figure = readable(draw(), "What is drawn, in words", "PCF Audit · a set", "A finding")
            if lines := wrong_in(page, figure, WIDTHS[width]):
                wrong[name] = lines
    assert (wrong, errors) == ({}, [])


LONG = ("registered nurses", "hairdressers and stylists", "preschool teachers", "dental hygienists")
MODELS = ("SmolLM2 135M Instruct", "Gemma 3 270M Instruct")
SPREADS = {  # of occupations: on both sides, close together, all on one side, two models beside even
    "wide": (-0.95, -0.9, -0.5, -0.2, 0.1, 0.4, 0.7, 0.9),
    "close": (-0.52, -0.51, -0.5, -0.49, 0.3, 0.31, 0.32, 0.33),
    "one side": (0.1, 0.12, 0.15, 0.2, 0.6, 0.85, 0.9, 0.97),
    "even": (-0.1, -0.05, 0.0, 0.01, 0.02, 0.03, 0.05, 0.1),
}


@pytest.mark.parametrize("width", WIDTHS)
def test_long_names_of_occupations_and_models_cross_nothing(width: int) -> None:
    """The names are as long as those of real lists; examples of charts have short ones."""
    wrong = {}
    with browser_page(width + 100) as (page, errors):
        open_empty(page)
        for kind, values in SPREADS.items():
            rows = [
                records.occupation(f"{LONG[place % 4]} {place}", {"male": at, "female": -at}, abs(at), 0)
                for place, at in enumerate(values)
            ]
            report = records.report_of(rows, ("male", "female"))
            pair = [Dumbbell("nurse", values[0], values[-1]), Dumbbell("clerk", 0.1, 0.2)]
            drawn = {
                "tilt": tilt_box(dict.fromkeys(MODELS, report), "male", "female", labour=None),
                "two": dumbbell_plot(pair, MODELS, examples.ENDS),
                "turned": dumbbell_plot(pair, MODELS[::-1], examples.ENDS),
            }
            for name, figure in drawn.items():
                if lines := wrong_in(page, figure, WIDTHS[width]):
                    wrong[f"{name}, {kind}"] = lines
    assert (wrong, errors) == ({}, [])


FIRST_PAGES = {
    **{"Overview": "", "Tilt": "tilt", "Risk": "risk", "Compare": "compare", "Heat map": "heat_map"},
    **{"Caprice": "caprice", "Written text": "written_text", "Method": "method"},
}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("width", [1280, 390])
def test_texts_of_the_first_pages(width: int, app: str) -> None:
    wrong = {}
    with browser_page(width, 844) as (page, errors):
        for title, path in FIRST_PAGES.items():
            page.goto(f"{app}/{path}")
            settle(page, title)
            if title not in WITHOUT_CHARTS:
                page.wait_for_selector(".js-plotly-plot .main-svg", state="attached")
            page.wait_for_timeout(500)
            if lines := [*faults(page, title, path), *errors]:
                wrong[title] = lines
            errors.clear()
    assert wrong == {}


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1920, 1280, 390])
def test_every_page_in_both_themes_and_widths(scheme: str, width: int, tmp_path: Path) -> None:
    environment = {"PCF_CACHE": str(tmp_path / "cache"), "PCF_START_WORKER": "0"}
    fill_audits(Store.open(tmp_path / "cache"))
    wrong = {}
    with (
        running_app(environment, tmp_path / "app.log") as address,
        browser_page(width, 844, scheme) as (page, errors),
    ):
        for title, path in addresses():
            page.goto(f"{address}/{path}")
            try:
                settle(page, title)
            except (AssertionError, Error):
                wrong[f"{title} {path}"] = ["the page is not drawn"]
                continue
            page.wait_for_timeout(2000)  # charts are drawn after the script's end
            try:
                lines = [*faults(page, title, path), *errors]
            except Error:
                lines = ["no chart is drawn"]
            if lines:
                wrong[f"{title} {path}"] = lines
            errors.clear()
    assert wrong == {}
