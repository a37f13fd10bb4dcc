"""The app opened at a page, through Streamlit's AppTest."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.testing.v1 import AppTest

from pcf_core.app.addresses import OLD, leads_to

ROOT = Path(__file__).resolve().parent.parent.parent
ENTRY = str(ROOT / "app.py")
PAGES: dict[str, Any] = {}  # what the app registers, the same in every test


def open_app(page: str, **parameters: str | list[str]) -> AppTest:
    """The app at a page, as a link opens it; on gender with the templates that ``full_store`` is scored on.

    A tab goes by the name of the page that it once was: "sensitivity" is a tab of *Why?*.

    AppTest learns the pages of an app by running its first one.  That is done once: each test then runs the
    page that it is about and no other.
    """
    if "topic" not in parameters:
        parameters = {"templates": "gender-nineteen", **parameters}
    if page in OLD and page != "overview":
        page, parameters = leads_to(page, parameters)
    return open_address("" if page == "overview" else page, **parameters)


def open_address(address: str, **parameters: str | list[str]) -> AppTest:
    """The app at an address, old ones among them: what is behind the last slash, as somebody types it."""
    if not PAGES:
        PAGES.update(AppTest.from_file(ENTRY, default_timeout=60).run()._registered_pages)
    app = AppTest.from_file(ENTRY, default_timeout=60)
    for name, value in parameters.items():
        app.query_params[name] = value
    app._registered_pages = PAGES
    (app._page_hash,) = (key for key, info in PAGES.items() if info["url_pathname"] == address)
    app.run()
    assert not app.exception, app.exception
    return app


def go_to(app: AppTest, page: str) -> AppTest:
    """Go from the open page to another as a browser does, which sends nothing of the page that it leaves.

    AppTest's own ``switch_page(…).run()`` sends the widgets of the old page once more.
    """
    return app.switch_page(f"pages/{page}.py")._run(WidgetStates())


def open_foot(app: AppTest, part: str = "Method and provenance") -> AppTest:
    """Open a tab below the picture of a page, which is drawn only then."""
    for key in app.session_state._state.filtered_state:
        if key.endswith("_foot"):
            app.session_state[key] = part
    return app.run()


def texts(app: AppTest) -> str:
    """What the page says, with plain spaces for those that do not break."""
    said = "\n".join(element.value for element in app.markdown)
    return said.replace("\\", "").replace("\u00a0", " ")


def pictures(app: AppTest, page: str) -> Sequence[Any]:
    """Return what a page shows of results: charts, and on Overview the table of models."""
    return app.dataframe if page == "overview" else app.get("plotly_chart")
