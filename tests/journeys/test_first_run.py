"""The main job in real Chromium: start, score, watch, read four views, reload, cancel, resume."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from pcf_core.show.findings.numbers import two_decimals
from pcf_core.work.queue import Queue
from tests.browser import CHROMIUM, body_text, browser_page, drawn_traces, running_app, settle

ROOT = Path(__file__).resolve().parent.parent.parent
VIEWS = {"heat_map": "Heat map", "tilt": "Tilt", "risk": "Risk", "caprice": "Caprice"}
ENVIRONMENT = {"PCF_SHIPPED_RESULTS": "0"}
OCCUPATIONS = "nurse engineer clerk doctor captain teacher lawyer writer cook pilot tutor chef"
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")


@pytest.fixture
def few_assets(tmp_path: Path) -> Path:
    """The shipped assets with 12 occupations and 5 templates as the topic's defaults."""
    assets = tmp_path / "assets"
    assets.mkdir()
    for folder in ("models", "factors", "published_risks.csv"):
        (assets / folder).symlink_to(ROOT / "assets" / folder)
    for folder, name, lines in (
        ("templates", "gender-wikipedia-100.csv", 6),
        ("evidence", "occupations-bvf.toml", 0),
    ):
        (assets / folder).mkdir()
        text = (ROOT / "assets" / folder / name).read_text(encoding="utf8")
        if lines:
            text = "".join(text.splitlines(keepends=True)[:lines])
        else:
            terms = ", ".join(f'"{term}"' for term in OCCUPATIONS.split())
            text = re.sub(r"terms = \[.*?\]", f"terms = [{terms}]", text, flags=re.DOTALL)
        (assets / folder / name).write_text(text, encoding="utf8")
    described = ROOT / "assets" / "templates" / "gender-wikipedia-100.toml"
    (assets / "templates" / described.name).write_text(described.read_text(encoding="utf8"), encoding="utf8")
    (assets / "topics").symlink_to(ROOT / "assets" / "topics")
    return assets


def command_line(environment: dict[str, str], *arguments: str) -> dict[str, object] | list[dict[str, object]]:
    done = subprocess.run(
        [sys.executable, "-m", "pcf_core", *arguments, "--json"],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def press_score(page: Page, address: str, cells: str, query: str = "") -> None:
    page.goto(f"{address}/run_an_audit?score_model=mini-bert&score_model=mini-gpt&{query}")
    settle(page, "Run an audit")
    expect(page.get_by_text(f"{cells} test sentences · ")).to_have_count(2)
    page.get_by_role("button", name="Run the audit", exact=True).click()


def wait_for_the_end(page: Page, jobs: int) -> None:
    expect(page.get_by_text("finished")).to_have_count(jobs, timeout=240_000)


def read_every_view(
    page: Page, address: str, environment: dict[str, str], templates: str = "gender-wikipedia-100"
) -> None:
    """Each view draws, and its page says what the command line says."""
    options = ("--model", "mini-bert", "--model", "mini-gpt", "--templates", templates)
    answers = command_line(environment, "score", *options)
    assert isinstance(answers, list)
    assert [answer["scored"] for answer in answers] == [0, 0]
    risks = [command_line(environment, "risk", str(answer["run"])) for answer in answers]
    for path, title in VIEWS.items():
        page.goto(f"{address}/{path}?templates={templates}")
        settle(page, title)
        assert drawn_traces(page) > 0
    page.goto(f"{address}/risk?templates={templates}")
    settle(page, "Risk")
    page.get_by_text("How sure?").click()
    expect(page.get_by_text("Risk R").first).to_be_visible()
    text = body_text(page)
    for risk in risks:
        assert isinstance(risk, dict)
        assert two_decimals(float(str(risk["overall_risk"]))) in text


def test_a_small_run_from_an_empty_cache_to_the_views(
    environment: dict[str, str], few_assets: Path, tmp_path: Path
) -> None:
    environment["PCF_ASSETS"] = str(few_assets)
    with running_app(environment, tmp_path / "app.log") as address, browser_page() as (page, errors):
        press_score(page, address, "60")
        wait_for_the_end(page, 2)
        read_every_view(page, address, environment)
        assert errors == []


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_whole_journey(environment: dict[str, str], tmp_path: Path) -> None:
    environment |= {"PCF_SHARD_PROMPTS": "128"}
    queue = Queue.open(Path(environment["PCF_CACHE"]) / "catalogue.sqlite")
    with running_app(environment, tmp_path / "app.log") as address, browser_page() as (page, errors):
        press_score(page, address, "2,280", "score_templates=gender-nineteen")
        some_shards = re.compile(r"^(1[3-9]\d|[2-9]\d\d|1,\d{3}) of 2,280 test sentences")
        expect(page.get_by_text(some_shards).first).to_be_visible(timeout=120_000)
        page.reload()
        settle(page, "Run an audit")
        page.get_by_role("button", name="Cancel").last.click()  # the older job, which is running
        expect(page.get_by_text("cancelled").first).to_be_visible(timeout=60_000)
        cancelled = next(job for job in queue.list(5) if job.state == "cancelled")
        shards = {
            path: path.stat().st_mtime_ns
            for path in Path(environment["PCF_CACHE"]).rglob("scores/**/*.parquet")
        }
        assert 0 < cancelled.done < 2280
        assert shards
        page.get_by_role("button", name="Resume").first.click()
        wait_for_the_end(page, 2)
        assert all(path.stat().st_mtime_ns == modified for path, modified in shards.items())
        read_every_view(page, address, environment, "gender-nineteen")
        assert errors == []
