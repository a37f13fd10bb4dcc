"""What was read against what is said, on Factors and on Tilt."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from pcf_core.app.why.read import LINE_COLUMNS, READ_COLUMNS
from pcf_core.core.settings import settings
from pcf_core.store.store import Store
from tests.conftest import fill
from tests.pages.opened import open_app, own_store

READ = "what it read"


def test_the_view_compares_every_model_whose_text_is_known(full_store: Store) -> None:
    app = open_app("factors", factors_view=READ, read_model="mini-gpt")
    assert not app.error
    said = app.texts
    for model in ("mini-bert", "mini-gpt"):
        assert f"{model} flattens the differences that its text makes over 83 occupations" in said
    assert "mini-gpt is compared with its text on 83 occupations" in said
    assert app.figures == [
        "Slope",
        "Shift to male words",
        "Same order",
        "Differ from the text",
    ]
    assert app.metric[2].delta.endswith("over occupations")
    allowed = "slope and shift allow for other occupations and biographies, and for other templates"
    assert allowed in app.captions
    assert "The range allows for other occupations in the same templates" in app.captions
    assert len(app.get("plotly_chart")) == 1
    table = app.table_with("share_he")
    nurse = table[(table["occupation"] == "nurse") & (table["model"] == "mini-gpt")].iloc[0]
    assert (nurse["he"], nurse["she"]) == (16, 69)
    assert len(table) == 2 * 83
    assert app.metric[3].value.endswith("of 83")
    lines = app.table_with("plain_low")
    assert list(lines["model"]) == ["mini-bert", "mini-gpt"]
    missing = app.table_with("because")
    assert len(missing) == 120 - 83
    assert "cook" in set(missing["occupation"])
    for shown, columns in ((table, READ_COLUMNS), (lines, LINE_COLUMNS)):
        assert not [name for name in shown if "_" in columns.get(name, {"label": name})["label"]]


@pytest.mark.slow
def test_tilt_has_the_row_and_the_sentences_until_they_are_switched_off(full_store: Store) -> None:
    app = open_app("tilt")
    assert "mini-gpt flattens the differences that its text makes" in app.texts
    assert "what it read" in app.get("plotly_chart")[0].proto.spec
    assert "59,539 biographies" in app.captions
    assert "The 95\u00a0% ranges of slope and shift allow for" in app.captions.replace("95 %", "95\u00a0%")
    app.selectbox(key="occupation").set_value("nurse").run()
    assert (
        "In the training text, 19 % (12–28 %) of 85 biographies that name “nurse” say mostly he" in app.texts
    )
    app.toggle(key="read").set_value(False).run()
    assert "flattens the differences" not in app.texts
    assert "what it read" not in app.get("plotly_chart")[0].proto.spec


def test_tilt_says_whom_the_models_favour_before_the_picture_and_the_rest_beneath(full_store: Store) -> None:
    elements = list(open_app("tilt").main)
    place = next(index for index, element in enumerate(elements) if element.type == "plotly_chart")
    above, beneath = (
        " ".join(element.value for element in part if element.type in ("markdown", "caption")).replace(
            "\\", ""
        )
        for part in (elements[:place], elements[place:])
    )
    assert "favour" in above
    assert "mini-bert favours men most for" in above
    for later in (
        " of 120 occupations and women in ",
        "of the sentences about",
        "mini-gpt leans most to",
        "mini-gpt flattens the differences that its text makes",
        "59,539 biographies",
        "The 95\u00a0% ranges of slope and shift",
        "19 templates count as 5.0",
    ):
        assert later.replace("\u00a0", " ") in beneath.replace("\u00a0", " "), later
        assert later.replace("\u00a0", " ") not in above.replace("\u00a0", " "), later


@pytest.mark.slow
def test_another_model_is_said_not_to_be_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy of a shipped folder with another configuration is another model, under whatever name."""
    folder = tmp_path / "own" / "mini-gpt-2"
    shutil.copytree(settings().assets / "models" / "mini-gpt", folder)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "n_head": 2}))
    monkeypatch.setenv("PCF_MODELS", str(folder.parent))
    settings.cache_clear()
    store = own_store()
    fill(store, "mini-gpt-2")
    app = open_app("factors", factors_view=READ, model=["mini-gpt-2"])
    assert "We do not know what mini-gpt-2 read" in app.infos
    fill(store, "mini-gpt")
    both = open_app("factors", factors_view=READ, model=["mini-gpt-2", "mini-gpt"])
    assert "We do not know what mini-gpt-2 read" in both.captions.replace("\\", "")
    assert "mini-gpt flattens" in both.texts


@pytest.mark.slow
def test_other_groups_and_unknown_occupations_are_one_sentence() -> None:
    store = own_store()
    fill(store, "mini-gpt", topic_name="race")
    app = open_app("factors", factors_view=READ, model=["mini-gpt"], topic="race")
    assert "So this page shows male and female" in app.infos
    fill(store, "mini-gpt", evidence="occupations-zh")
    app = open_app("factors", factors_view=READ, model=["mini-gpt"], evidence="occupations-zh")
    assert "is named in enough documents" in app.infos
