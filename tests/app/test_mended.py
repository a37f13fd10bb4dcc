"""The style sheet over Streamlit's own: what it selects is in the front end that is installed."""

from __future__ import annotations

import re
from pathlib import Path

import streamlit

from pcf_core.app.mended import MENDED

SCRIPTS = Path(streamlit.__file__).parent / "static" / "static" / "js"


def test_streamlit_has_all_that_is_selected() -> None:
    selectors = " ".join(re.findall(r"([^{}]+)\{", MENDED))
    named = set(re.findall(r'data-(?:testid|variant)="([^"]+)"|\.([a-zA-Z][\w-]*)', selectors))
    names = {testid or css_class for testid, css_class in named}
    assert {"stPageLink-NavLink", "stSliderThumbValue", "segmented_control", "modebar-btn"} < names
    front_end = "\n".join(script.read_text(encoding="utf-8") for script in SCRIPTS.glob("*.js"))
    for name in names:
        whole = rf"{name}(?<![\w-]{name})(?![\w-])"
        assert re.search(whole, front_end), f"{name} is in no script of Streamlit {streamlit.__version__}"
