"""The app opened at a page, through Streamlit's AppTest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parent.parent.parent
ENTRY = str(ROOT / "app.py")
PAGES: dict[str, Any] = {}  # what the app registers, the same in every test


def open_app(page: str, **parameters: str | list[str]) -> AppTest:
    """The app at a page, as a link opens it; on gender with the templates that ``full_store`` is scored on.

    AppTest learns the pages of an app by running its first one.  That is done once: each test then runs the
    page that it is about and no other.
    """
    if "topic" not in parameters:
        parameters = {"templates": "gender-nineteen", **parameters}
    if not PAGES:
        PAGES.update(AppTest.from_file(ENTRY, default_timeout=60).run()._registered_pages)
    app = AppTest.from_file(ENTRY, default_timeout=60)
    for name, value in parameters.items():
        app.query_params[name] = value
    app._registered_pages = PAGES
    app.switch_page(f"pages/{page}.py").run()
    assert not app.exception, app.exception
    return app


def texts(app: AppTest) -> str:
    """What the page says, with plain spaces for those that do not break."""
    said = "\n".join(element.value for element in app.markdown)
    return said.replace("\\", "").replace("\u00a0", " ")
