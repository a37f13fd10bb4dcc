"""Options in addresses: by their labels, by their names, and by the names that earlier addresses had."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest


def _unit(row: bool) -> None:
    import streamlit as st

    from pcf_core.app.links import select_called

    called = {"template": "sentences", "document": "documents"}
    st.text(select_called("Unit", called, key="unit", old={"usual": "document"}, row=row))


@pytest.mark.parametrize("row", [False, True])
@pytest.mark.parametrize(
    ("text", "name"),
    [("documents", "document"), ("document", "document"), ("usual", "document"), ("sentences", "template")],
)
def test_an_address_may_have_a_label_a_name_or_an_earlier_name(text: str, name: str, row: bool) -> None:
    app = AppTest.from_function(_unit, kwargs={"row": row}, default_timeout=60)
    app.query_params["unit"] = text
    assert [one.value for one in app.run().text] == [name]


def _precisions() -> None:
    import streamlit as st

    from pcf_core.app.links import several_called

    called = {"auto": "automatic", "float32": "float32"}
    st.text(" ".join(several_called("Precision", called, key="precision", default=["automatic"])))


@pytest.mark.parametrize(
    ("texts", "names"), [(["auto", "float32"], "auto float32"), (["automatic"], "auto"), ([], "auto")]
)
def test_several_options_come_from_an_address(texts: list[str], names: str) -> None:
    app = AppTest.from_function(_precisions, default_timeout=60)
    if texts:
        app.query_params["precision"] = texts
    assert [one.value for one in app.run().text] == [names]
