"""The ready comparisons: what is shipped, and what a file of them must be."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from pydantic import ValidationError

from pcf_core.core.errors import SettingsError
from pcf_core.core.settings import ROOT
from pcf_core.models.names import NAME
from pcf_core.models.presets import Preset, preset_of, presets, written_presets
from tests.models.conftest import use
from tools.ship_results import PUBLIC

PAIR = {"first": "a", "second": "b", "change": "from b to a"}
GOOD = {"name": "two", "title": "Two", "models": ("a", "b"), "axis": "models", "help": "h", "caution": "c"}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    use(monkeypatch, PCF_ASSETS=str(tmp_path))
    return tmp_path


@pytest.fixture
def shipped(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, PCF_ASSETS=str(ROOT / "assets"))


def everything() -> list[SimpleNamespace]:
    """A registry that knows every model of every ready comparison."""
    return [SimpleNamespace(name=model) for preset in written_presets() for model in preset.models]


@pytest.mark.usefixtures("shipped")
def test_the_shipped_comparisons() -> None:
    """The public models, and three of the papers' questions with the claims of BVF Figures 6, 7 and 8."""
    found = {preset.name: preset for preset in written_presets()}
    assert found["public"].models == PUBLIC
    assert [pair.claim is None for pair in found["size"].pair] == [False, True, True]  # an overall trend
    claims = {
        pair.claim.figure: (pair.first, pair.claim.prejudice, pair.claim.caprice)
        for preset in found.values()
        for pair in preset.pair
        if pair.claim
    }
    assert claims == {
        6: ("mini-gpt-skewed", "up", "down"),
        7: ("mini-gpt-l", "up", "down"),
        8: ("mini-gpt-balanced", "down", "up"),
    }
    assert all(NAME.fullmatch(model) for preset in found.values() for model in preset.models)


@pytest.mark.usefixtures("shipped")
def test_one_of_which_a_model_is_not_known_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    known = [SimpleNamespace(name=f"mini-gpt{end}") for end in ("", "-s", "-skewed", "-balanced")]
    monkeypatch.setattr("pcf_core.models.presets.list_models", lambda: known)
    assert [preset.name for preset in presets()] == ["skewed-balanced"]
    assert preset_of(["mini-gpt-l", "mini-gpt-s", "mini-gpt"]) is None
    known.append(SimpleNamespace(name="mini-gpt-l"))
    assert [preset.name for preset in presets()] == ["size", "skewed-balanced"]


@pytest.mark.usefixtures("shipped")
def test_a_choice_is_known_in_any_order_and_only_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pcf_core.models.presets.list_models", everything)
    found = preset_of(["mini-gpt-l", "mini-gpt-s", "mini-gpt"])
    assert found is not None
    assert found.name == "size"
    assert preset_of(["mini-gpt-l", "mini-gpt-s"]) is None
    assert preset_of(["mini-gpt-l", "mini-gpt-s", "mini-gpt", "mini-bert"]) is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"models": ("a", "a")}, "names a model twice"),
        ({"models": ("a",)}, "at least 2"),
        ({"pair": (PAIR | {"second": "c"},)}, "not two of its models"),
        ({"pair": (PAIR | {"second": "a"},)}, "not two of its models"),
        ({"pair": (PAIR, PAIR)}, "has a pair twice"),
        ({"axis": "topic"}, "'models', 'size' or 'base and aligned'"),
        ({"surprise": 1}, "Extra inputs"),
    ],
)
def test_what_no_comparison_can_be(change: dict[str, object], said: str) -> None:
    assert Preset.model_validate(GOOD | {"pair": (PAIR,)}).compared == (("a", "b"),)
    with pytest.raises(ValidationError, match=said):
        Preset.model_validate(GOOD | change)


ENTRY = (
    '[[preset]]\nname = "{name}"\ntitle = "T"\nmodels = ["a", "b"]\naxis = "size"\nhelp = ""\ncaution = ""\n'
)


@pytest.mark.parametrize(
    "text",
    [
        "not toml",
        "[other]",
        '[[preset]]\nname = "x"',
        ENTRY.format(name="x") * 2,
        ENTRY.format(name="x") + ENTRY.format(name="y"),
        "preset = 3",
    ],
)
def test_a_damaged_file_is_one_sentence(folder: Path, text: str) -> None:
    (folder / "presets.toml").write_text(text)
    with pytest.raises(SettingsError, match="restore the shipped file"):
        presets()


def test_assets_without_the_file_have_none(folder: Path) -> None:
    assert presets() == ()
    assert preset_of(["a", "b"]) is None
