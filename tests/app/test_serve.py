"""The document that a browser loads first: styled, naming what it needs; the rest as Streamlit serves it."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest
import streamlit
from starlette.staticfiles import StaticFiles

from pcf_core.app.present import RULES
from pcf_core.app.serve import LARGE_PARTS, PARTS, preloads, styled

STATIC = Path(streamlit.__file__).parent / "static"


def served(
    handler: StaticFiles, path: str, query: str = "", headers: dict[bytes, bytes] | None = None
) -> tuple[int, bytes]:
    """Ask the handler as a server would; return the status and the body, and put its headers into a dict."""
    sent: list[dict[str, Any]] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        await asyncio.Event().wait()  # nobody hangs up

    scope = {
        "type": "http",
        "method": "GET",
        "path": path,
        "root_path": "",
        "headers": [],
        "query_string": query.encode(),
    }
    asyncio.run(handler(scope, receive, send))
    if headers is not None:
        headers.update(sent[0]["headers"])
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent)


@pytest.mark.parametrize("path", ["/", "/index.html", "/compare", "/an_old_address"])
def test_no_other_site_shows_a_page_in_a_frame(path: str) -> None:
    headers: dict[bytes, bytes] = {}
    served(styled(str(STATIC), None), path, headers=headers)
    assert headers[b"x-frame-options"] == b"SAMEORIGIN"
    assert headers[b"content-security-policy"] == b"frame-ancestors 'self'"


@pytest.mark.parametrize("path", ["/", "/index.html", "/compare", "/an_old_address"])
def test_every_address_of_a_page_gets_the_styled_document(path: str) -> None:
    status, body = served(styled(str(STATIC), None), path)
    assert status == 200
    head, _, rest = body.decode().partition("</head>")
    assert "MaterialSymbols" in head
    assert rest.count("<style>") == 1
    assert rest.index("stMainBlockContainer") < rest.index("</body>")


@pytest.mark.parametrize(("path", "charts"), [("/", 0), ("/overview", 0), ("/risk", 1), ("/base/risk", 1)])
def test_the_first_page_starts_what_draws_charts_once_it_stands(path: str, charts: int) -> None:
    _, body = served(styled(str(STATIC), None), path)
    at_once, _, later = body.decode().partition("setInterval")
    assert len(re.findall(r'import\("[^"]*PlotlyChart', at_once)) == charts
    assert len(re.findall(r'modulepreload"[^>]*PlotlyChart', body.decode())) == charts
    assert len(re.findall(r'import\("[^"]*PlotlyChart', later)) == 1 - charts
    assert len(re.findall(r'import\("[^"]*DataFrame', at_once)) == 1
    assert not re.findall(r'import\("[^"]*DataFrame', later)


@pytest.mark.parametrize(
    ("query", "presented"),
    [
        ("present=1", True),
        ("topic=gender&present=true", True),
        ("present=false", False),
        ("topic=present", False),
        ("", False),
    ],
)
def test_while_presenting_the_sidebar_is_hidden_at_once_and_no_place_is_kept(
    query: str, presented: bool
) -> None:
    body = served(styled(str(STATIC), None), "/", query)[1].decode()
    assert (RULES in body) == presented
    assert ("padding-left: 320px" in body) != presented
    at_once = body.partition("setInterval")[0]
    assert len(re.findall(r'import\("[^"]*PlotlyChart', at_once)) == presented, "its first page has a chart"
    assert "stMainBlockContainer" in body.partition("</head>")[2]


def test_other_files_are_served_as_they_are() -> None:
    script = next((STATIC / "static" / "js").glob("Checkbox.*.js"))
    assert served(styled(str(STATIC), None), f"/static/js/{script.name}") == (200, script.read_bytes())


def test_each_part_is_there_and_named_once_with_what_it_imports(tmp_path: Path) -> None:
    links = preloads(STATIC / "static")
    assert all(f"/{part}." in links for part in (*PARTS, *LARGE_PARTS))
    scripts = tmp_path / "js"
    scripts.mkdir()
    (scripts / "Selectbox.1.js").write_text('import{a}from"./list.2.js";import"./style.3.js";')
    (scripts / "Multiselect.4.js").write_text('import{b}from"./list.2.js";')
    (scripts / "list.2.js").write_text('import"./Selectbox.1.js";')
    (scripts / "style.3.js").write_text("")
    links = preloads(tmp_path)
    fetched, started = links.split("<script")
    names = ("Selectbox.1", "Multiselect.4", "list.2", "style.3")
    assert [fetched.count(name) for name in names] == [1, 1, 1, 1]
    assert [started.count(name) for name in names] == [1, 1, 0, 0]
    assert ".js" not in preloads(tmp_path / "none")
