"""The view *policy* of Risk, and the policy of a report: the operator's, or a file that an auditor brings."""

from __future__ import annotations

from pathlib import Path

import pytest

from pcf_core.core.settings import settings
from pcf_core.store.store import Store
from tests.pages.opened import App, open_app, set_environment
from tests.quick import quick

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


def uploads(app: App) -> list[str]:
    return [str(field.key) for field in app.get("file_uploader")]


def bring(app: App, text: str) -> App:
    app.file_uploader(key="policy_file").upload("mine.toml", text.encode(), "application/toml").run()
    return app


def test_a_link_opens_the_verdict_on_each_model(operator: Path) -> None:
    app = view(policy="kept")
    for model in BOTH:
        assert f"{model} keeps the limit: the check passes." in app.texts
    app = view(policy="over")
    for model in BOTH:
        assert f"{model} exceeds the limit: the check fails." in app.texts


def test_an_auditor_brings_a_file_and_another(operator: Path) -> None:
    app = bring(view(), OVER)
    assert app.selectbox(key="policy").value == "your file"
    assert "exceeds the limit: the check fails." in app.texts
    app = bring(app, KEPT)
    assert "keeps the limit: the check passes." in app.texts


@pytest.mark.parametrize(
    ("text", "says"),
    quick(
        [
            ("", "mine.toml"),
            ("<b>no</b>", "mine.toml is not valid TOML"),
            ("x" * 70_000, "a policy has at most"),
            (f"{HERE}max = {{ risk = 2.0 }}", "mine.toml"),
        ],
        lambda case: case[0].startswith("<b>"),
    ),
)
def test_what_is_no_policy_is_said_in_one_sentence(operator: Path, text: str, says: str) -> None:
    app = bring(view(policy="kept"), text)
    assert len(app.error) == 1
    assert says in app.errors
    assert "keeps the limit" in app.texts, "what was chosen before stays"


def test_a_file_that_a_policy_names_is_not_opened(operator: Path) -> None:
    app = bring(view(), '[[contexts]]\ntopic = "/etc/passwd"\nmax = { risk = 0.5 }\n')
    assert all("There is no topic named" in error.value for error in app.error)
    assert len(app.error) == len(BOTH)


def test_what_is_not_scored_is_offered(operator: Path) -> None:
    (operator / "more.toml").write_text(f'{KEPT}[[contexts]]\ntopic = "race"\nmax.risk = 0.5\n', "utf8")
    app = view(policy="more")
    assert "There is no verdict on mini-bert: the policy measures race with" in app.texts
    assert app.button(key="score_missing")


def test_a_damaged_policy_and_an_unknown_one_are_said(operator: Path) -> None:
    (operator / "kept.toml").write_text("no", encoding="utf8")
    assert "kept.toml" in view(policy="kept").error[0].value.replace("\\", "")
    assert "There is no policy" in view(policy="gone").warning[0].value


def test_a_viewer_reads_the_operator_s_and_brings_none(
    operator: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_environment(monkeypatch, READ_ONLY="1")
    app = view(policy="kept")
    assert "keeps the limit" in app.texts
    assert uploads(app) == []


def test_without_any_a_viewer_is_told(full_store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    set_environment(monkeypatch, READ_ONLY="1")
    app = view()
    assert any("PCF_POLICIES" in info.value for info in app.info)


def test_a_report_says_what_is_kept(operator: Path) -> None:
    app = open_app("report", model=BOTH, rp_policy="over")
    app.press("report_make")
    titles = [expander.label for expander in app.expander]
    assert any("Limits of the policy" in title for title in titles), titles
    assert "exceeds the limit: the check fails." in app.texts
    app.selectbox(key="rp_policy").select("none").run()
    app.press("report_make")
    assert not any("Limits of the policy" in expander.label for expander in app.expander)
