"""The app opened at a page, through Streamlit's AppTest."""

from __future__ import annotations

from pathlib import Path

from streamlit.testing.v1 import AppTest

ROOT = Path(__file__).resolve().parent.parent.parent


def open_app(page: str, **parameters: str | list[str]) -> AppTest:
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    for name, value in parameters.items():
        app.query_params[name] = value
    app.run()
    app.switch_page(f"pages/{page}.py").run()
    assert not app.exception, app.exception
    return app


def texts(app: AppTest) -> str:
    """What the page says, with plain spaces for those that do not break."""
    said = "\n".join(element.value for element in app.markdown)
    return said.replace("\\", "").replace("\u00a0", " ")
