"""The HTML report: one file, no source but its own, no text that is markup, every figure drawn."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import plotly.offline
import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import sync_playwright

from pcf_core.report.panels import cell_text
from pcf_core.report.records import ReportDocument, ReportTable
from pcf_core.report.written import emphasised, html_bytes, script_json
from tests.browser import CHROMIUM, FLAGS
from tests.command_line import ROOT

OURS = {"html", "head", "meta", "title", "style", "body", "a", "div", "nav", "h1", "h2", "h3", "ol", "li"}
OURS |= {"main", "header", "p", "noscript", "section", "dl", "dt", "dd", "figure", "figcaption", "script"}
OURS |= {"details", "summary", "small", "table", "thead", "tbody", "tr", "th", "td", "ul", "pre", "footer"}
OURS |= {"em", "strong", "span"}


class Reader(HTMLParser):
    """Elements with their attributes, and the texts of scripts and styles, as a browser splits them."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[int, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        place = len(self.elements) - 1
        self.texts[place] = self.texts.get(place, "") + data

    def inside(self, tag: str) -> list[tuple[dict[str, str | None], str]]:
        return [
            (attributes, self.texts.get(place, ""))
            for place, (name, attributes) in enumerate(self.elements)
            if name == tag
        ]


def read(document: ReportDocument) -> Reader:
    reader = Reader()
    reader.feed(html_bytes(document).decode())
    reader.close()
    return reader


def source(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def test_the_policy_names_the_scripts_and_the_style_that_are_there_and_nothing_else(
    hostile: ReportDocument,
) -> None:
    found = read(hostile)
    metas = [attributes for attributes, _ in found.inside("meta")]
    policy = next(one["content"] for one in metas if one.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    html = html_bytes(hostile).decode()
    scripts = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    assert len(scripts) == 2
    assert rules["default-src"] == "'none'"
    assert rules["script-src"].split() == [source(text) for text in scripts]
    assert [rules["style-src"]] == [
        source(text) for text in re.findall(r"<style[^>]*>(.*?)</style>", html, re.DOTALL)
    ]
    assert "unsafe" not in policy
    assert "http" not in policy
    assert "*" not in policy


def test_hostile_texts_are_texts(hostile: ReportDocument) -> None:
    found = read(hostile)
    assert {tag for tag, _ in found.elements} <= OURS
    names = {name for _, attributes in found.elements for name in attributes}
    assert not {name for name in names if name.startswith("on") or name in ("style", "src", "srcset")}
    links = [str(attributes["href"]) for tag, attributes in found.elements if "href" in attributes]
    assert all(link.startswith("#") for link in links)
    assert "49" not in html_bytes(hostile).decode().split("<h1>")[1].split("</h1>")[0]  # no template is run


@given(st.text(max_size=40))
def test_json_in_a_script_cannot_end_it_and_says_the_same(text: str) -> None:
    written = str(script_json({"text": text}))
    assert not re.search(r"[<>&\u2028\u2029]", written)
    assert json.loads(written) == {"text": text}


@given(st.text(max_size=40))
def test_emphasis_adds_two_elements_and_no_other(text: str) -> None:
    reader = Reader()
    reader.feed(str(emphasised(text)))
    assert {tag for tag, _ in reader.elements} <= {"em", "strong"}


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("**fixed** and *moody*", "<strong>fixed</strong> and <em>moody</em>"),
        ("s = (p − p*) / (1 − p*) on *pcf*", "s = (p − p*) / (1 − p*) on <em>pcf</em>"),
        ("95 % & <b>", "95\u00a0% &amp; &lt;b&gt;"),
    ],
)
def test_emphasis_by_example(text: str, html: str) -> None:
    assert str(emphasised(text)) == html


def test_cells_are_shown_as_people_read_them() -> None:
    cells = (None, True, 12345, -0.70450187, "a")
    assert [cell_text(cell) for cell in cells] == ["–", "yes", "12,345", "−0.705", "a"]


def test_an_occupation_is_written_as_people_do_in_cells_and_heads(hostile: ReportDocument) -> None:
    cells = ReportTable(
        name="cells",
        title="Cells",
        columns=("occupation", "ceo", "model"),
        rows=(("cio", 0.5, "ceo"), ("nurse", 0.25, "vp")),
    )
    section = hostile.sections[0]
    part = section.parts[0].model_copy(update={"tables": (cells,)})
    sections = (section.model_copy(update={"parts": (part,)}),)
    found = read(hostile.model_copy(update={"sections": sections}))
    assert [text.strip() for _, text in found.inside("th")][:3] == ["occupation", "CEO", "model"]
    said = [text.strip() for _, text in found.inside("td")]
    assert said[:6] == ["CIO", "0.500", "ceo", "nurse", "0.250", "vp"]


@pytest.mark.parametrize(
    ("values", "written"),
    [
        ((0.131, 0.13, 0.00974), ["0.131", "0.130", "0.010"]),
        ((-0.168, None, 0.0), ["−0.168", "–", "0.000"]),
        ((0.5, 2.5e-7), ["0.5", "2.5×10⁻⁷"]),
        ((12.5, 0.25), ["12.5", "0.25"]),
        ((120, 3), ["120", "3"]),
    ],
)
def test_a_column_has_one_precision_unless_that_hides_a_number(
    hostile: ReportDocument, values: tuple[float | None, ...], written: list[str]
) -> None:
    table = ReportTable(name="t", title="T", columns=("model", "n"), rows=tuple(("m", v) for v in values))
    section = hostile.sections[0]
    part = section.parts[0].model_copy(update={"tables": (table,)})
    sections = (section.model_copy(update={"parts": (part,)}),)
    found = read(hostile.model_copy(update={"sections": sections}))
    assert [text.strip() for _, text in found.inside("td")][1 : 2 * len(values) : 2] == written


def test_models_have_titles_in_tables_and_exact_names_among_facts(hostile: ReportDocument) -> None:
    name, title = "SmolLM2-135M-Instruct-Q4_1", "SmolLM2 135M Instruct"
    rows = ((name, "1"),)
    tables = [
        ReportTable(name=f"t{index}", title="T", columns=columns, rows=rows)
        for index, columns in enumerate([("model", "n"), ("what", "value")])
    ]
    section = hostile.sections[0]
    part = section.parts[0].model_copy(update={"tables": tuple(tables)})
    sections = (section.model_copy(update={"parts": (part,)}),)
    found = read(hostile.model_copy(update={"sections": sections}))
    assert [text.strip() for _, text in found.inside("td")][:4] == [title, "1", name, "1"]


def test_the_labels_of_the_answer_block_are_marked_and_its_texts_stay_texts(hostile: ReportDocument) -> None:
    lines = ("Gemma: <b>closer</b>", "How sure: <i>p</i> under 0.001", "Elsewhere: nowhere")
    html = html_bytes(hostile.model_copy(update={"headline": lines})).decode()
    assert "<p>Gemma: &lt;b&gt;closer&lt;/b&gt;</p>" in html
    assert "<p><strong>How sure: </strong>&lt;i&gt;p&lt;/i&gt; under 0.001</p>" in html
    assert "<p><strong>Elsewhere: </strong>nowhere</p>" in html


def test_plotly_s_own_rules_are_those_of_the_installed_version() -> None:
    """What plotly.js would put into the page by itself stands in our style, rule for rule."""
    script = plotly.offline.get_plotlyjs()
    start = script.index('"X,X div":')
    block = script[script.rindex("{", 0, start) + 1 : script.index("};", start)]
    rules = re.findall(r'"((?:[^"\\]|\\.)*)":(?:"((?:[^"\\]|\\.)*)"|\'((?:[^\'\\]|\\.)*)\')', block)
    style = (ROOT / "assets" / "report" / "plotly.css").read_text()
    expected = [
        f"{re.sub('^,', ' ,', name).replace('X', '.js-plotly-plot .plotly').replace('Y', '.plotly-notifier')}"
        f"{{{one or other}}}"
        for name, one, other in rules
    ]
    assert len(expected) > 50
    assert style.splitlines()[2:] == expected
    assert f"plotly.js {re.search('plotly.js v([0-9.]+)', script)[1]}" in style  # type: ignore[index]


def opened(data: bytes, folder: Path, scheme: str) -> tuple[list[str], dict[str, Any]]:
    """Open a file without a network; what the console said, and what is on the page."""
    file = folder / "report.html"
    file.write_bytes(data)
    said: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        context = browser.new_context(color_scheme=scheme, offline=True)  # type: ignore[arg-type]
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("request", lambda asked: said.append(asked.url) if asked.url != file.as_uri() else None)
        page.goto(file.as_uri())
        page.wait_for_selector("html[data-drawn]", state="attached")
        found: dict[str, Any] = page.evaluate(
            """() => ({
                title: document.title,
                figures: [...document.querySelectorAll('.plot')].map(
                    (plot) => plot.querySelectorAll('.main-svg').length > 0 && plot.dataset.drawn),
                ink: getComputedStyle(document.querySelector('.plot svg text')).fill,
                wide: document.documentElement.scrollWidth - window.innerWidth,
            })"""
        )
        page.set_viewport_size({"width": 390, "height": 800})
        page.wait_for_timeout(2000)  # the page's policy lets no condition be watched
        found["narrow"] = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        found["drawn"] = page.evaluate(
            "Math.max(...[...document.querySelectorAll('.main-svg')].map((svg) => svg.clientWidth))"
        )
        browser.close()
    return said, found


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
def test_a_hostile_report_runs_nothing_and_draws_everything(hostile: ReportDocument, tmp_path: Path) -> None:
    said, found = opened(html_bytes(hostile), tmp_path, "dark")
    assert said == []
    assert found["title"] == hostile.title
    assert found["figures"] == ["dark", "dark"]


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_whole_report_is_drawn_in_both_themes_without_a_word(
    whole: ReportDocument, tmp_path: Path, scheme: str
) -> None:
    said, found = opened(html_bytes(whole), tmp_path, scheme)
    assert said == []
    assert found["figures"] == [scheme] * len(whole.figures)
    assert found["wide"] <= 0
    assert found["narrow"] <= 0
    assert found["drawn"] <= 390
    red = int(re.findall(r"\d+", found["ink"])[0])
    assert red < 80 if scheme == "light" else red > 180


@pytest.mark.slow
def test_paper_says_which_tables_it_lacks(whole: ReportDocument) -> None:
    """A line beside each folded table, and none for one that is printed."""
    text = html_bytes(whole).decode()
    folded = [table for _, table in whole.tables if table.folded]
    assert 0 < len(folded) < len(whole.tables)
    assert len(re.findall(r'</details>\s*<p class="paper">Not printed', text)) == len(folded)
    assert text.count('<p class="paper">') == len(folded)
    paper = text.split("@media print")[1]
    assert "details:not([open]) + .paper { display: block" in paper


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
def test_paper_has_two_figures_a_page_and_breaks_between_rows(whole: ReportDocument, tmp_path: Path) -> None:
    """On Letter, the shorter paper, whose page takes 180 x 247 mm: as wide as that, laid out for print."""
    file = tmp_path / "report.html"
    file.write_bytes(html_bytes(whole))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 680, "height": 934})
        page.goto(file.as_uri())
        page.wait_for_selector("html[data-drawn]", state="attached")
        page.emulate_media(media="print")
        found: dict[str, Any] = page.evaluate(
            """() => {
                const all = (name) => [...document.querySelectorAll(name)];
                const styles = (name, part) =>
                    [...new Set(all(name).map((one) => getComputedStyle(one)[part]))];
                return {
                    figures: all("figure").map((one) => one.getBoundingClientRect().height),
                    tables: styles("table, tbody, section, details, main", "breakInside"),
                    rows: styles("table:not(.facts table) tbody tr", "breakInside"),
                    heads: styles("h2, h3, .question", "breakAfter"),
                    forced: [...styles("main *", "breakBefore"), ...styles("main *", "breakAfter")],
                };
            }"""
        )
        a4, letter = (
            len(re.findall(rb"/Type\s*/Page\b", page.pdf(format=paper))) for paper in ("A4", "Letter")
        )
        browser.close()
    assert len(found["figures"]) == len(whole.figures)
    assert max(found["figures"]) < 934 / 2
    assert found["tables"] == ["auto"]
    assert found["rows"] == ["avoid"]
    assert found["heads"] == ["avoid"]
    assert not {"page", "always", "left", "right"} & set(found["forced"])
    assert 4 < a4 <= letter < len(whole.figures) + 8
