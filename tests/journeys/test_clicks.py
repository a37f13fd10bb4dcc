"""A click into a picture opens what is under it, in real Chromium, on the shipped results."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser import CHROMIUM, browser_page, settle

pytestmark = [pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine"), pytest.mark.slow]


def click(page: Page, across: float, down: float) -> None:
    """Click into the largest plot of the first chart, at parts of its width and height."""
    plots = page.locator(".js-plotly-plot").first.locator(".nsewdrag")
    plots.first.wait_for()
    page.wait_for_timeout(1500)  # a chart is drawn once more when it has its place
    boxes = [box for plot in plots.all() if (box := plot.bounding_box())]
    largest = max(boxes, key=lambda box: box["width"] * box["height"])
    page.mouse.click(largest["x"] + across * largest["width"], largest["y"] + down * largest["height"])


def asked(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


def test_a_click_anywhere_in_a_row_of_compare_opens_its_sentences(app: str) -> None:
    with browser_page(1280, 1200) as (page, errors):
        page.goto(f"{app}/compare")
        settle(page, "Compare")
        click(page, 0.97, 5.5 / 25)
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text("sentence by sentence")
        (occupation,) = asked(page)["occupation"]
        expect(dialog).to_contain_text(occupation)
        page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
        click(page, 0.03, 0.5 / 25)
        expect(dialog).to_be_visible()
        assert asked(page)["occupation"] != [occupation]
        assert errors == []


def test_a_click_on_a_cell_of_the_heat_map_opens_it(app: str) -> None:
    with browser_page(1280, 1200) as (page, errors):
        page.goto(f"{app}/heat_map")
        settle(page, "Heat map")
        click(page, 3.5 / 30, 7.5 / 40)
        dialog = page.get_by_role("dialog")
        expect(dialog).to_contain_text("Most likely words")
        page.wait_for_url("**template=*")  # told once the fields below the dialog are drawn
        parameters = asked(page)
        assert parameters["occupation"][0] in parameters["template"][0]
        expect(dialog).to_contain_text(parameters["template"][0])
        assert errors == []
