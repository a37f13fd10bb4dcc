"""The view *policy* of Risk, and the policy of a report: the operator's, or a file that an auditor brings."""

from __future__ import annotations

from pathlib import Path

import pytest

from pcf_core.core.settings import settings
from pcf_core.store.store import Store
from tests.pages.opened import App, open_app, set_environment
from tests.pages.walks import assert_state, assert_walk

BOTH = ["mini-bert", "mini-gpt"]
HERE = '[[contexts]]\ntopic = "gender"\ntemplates = "gender-nineteen"\n'
KEPT = f'title = "Release"\n{HERE}max = {{ risk = 1.0 }}\n'
OVER = f"{HERE}max = {{ risk = 0.0 }}\n"


@pytest.fixture
def operator(full_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the operator's with two policies."""
    folder = tmp_path / "policies"
    folder.mkdir()
    (folder / "kept.toml").write_text(KEPT, encoding="utf8")
    (folder / "over.toml").write_text(OVER, encoding="utf8")
    monkeypatch.setenv("PCF_POLICIES", str(folder))
    settings.cache_clear()
    return folder


def view(**parameters: str | list[str]) -> App:
    return open_app("risk", **({"model": BOTH, "risk_view": "policy"} | parameters))


def test_policies_are_kept_exceeded_unscored_damaged_and_unknown(operator: Path) -> None:
    (operator / "more.toml").write_text(f'{KEPT}[[contexts]]\ntopic = "race"\nmax.risk = 0.5\n', "utf8")
    (operator / "damaged.toml").write_text("no", encoding="utf8")
    for name in ("kept", "over", "more", "damaged", "gone"):
        assert_state(view(policy=name), f"policy {name}")


def test_an_auditor_brings_a_file_and_another(operator: Path) -> None:
    """What is no policy is said in one sentence; what was chosen before stays; no file is opened by it."""
    other = '[[contexts]]\ntopic = "/etc/passwd"\nmax = { risk = 0.5 }\n'
    files = ("", "<b>no</b>", "x" * 70_000, f"{HERE}max = {{ risk = 2.0 }}", OVER, KEPT, other)
    steps = [("send", "policy_file", "mine.toml", text) for text in files]
    assert_walk(view(policy="kept"), "policies are brought", *steps)


def test_a_viewer_reads_the_operators_and_brings_none(
    operator: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_environment(monkeypatch, READ_ONLY="1")
    app = view(policy="kept")
    assert "keeps the limit" in app.texts
    assert not app.get("file_uploader")
    monkeypatch.delenv("PCF_POLICIES")
    settings.cache_clear()
    assert "PCF_POLICIES" in view().infos


def test_a_report_says_what_is_kept(operator: Path) -> None:
    app = open_app("report", model=BOTH, rp_policy="over").press("report_make")
    assert [label for label in (box.label for box in app.expander) if "Limits of the policy" in label]
    assert "exceeds the limit: the check fails." in app.texts
    app.selectbox(key="rp_policy").select("none").run()
    app.press("report_make")
    assert not [box for box in app.expander if "Limits of the policy" in box.label]
