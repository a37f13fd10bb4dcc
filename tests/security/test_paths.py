"""Names that lead out of a folder: in uploads, links, runs, model directories; and what a link may name."""

from __future__ import annotations

import functools
import io
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pcf_core.app.shell import SECTIONS
from pcf_core.app.templates.mine import keep_upload, uploads_folder
from pcf_core.core.errors import AuditError, CorpusError, FairPairError, InputError, ModelError, RunError
from pcf_core.core.settings import Settings
from pcf_core.core.settings import settings as product_settings
from pcf_core.material.safety.reading import upload_label, uploaded
from pcf_core.material.shelves import Shelf
from pcf_core.material.topics import load_topic, save_topic
from pcf_core.models.names import split_name
from pcf_core.store.results import find_run, result_path
from pcf_core.texts.criteria.own import keep_own
from tests.pages.opened import open_app
from tests.quick import scaled

LEADING_OUT = [
    "../a",
    "/etc/a",
    "..",
    "a/../../b",
    "a\\..\\b",
    ".hidden",
    "a\x00b",
    "~/a",
    "con",
    "a" * 300,
    "",
]
NAMES = st.sampled_from(LEADING_OUT) | st.text(max_size=80)
SECRET = "hunter2"
PAGES = sorted(name for pages in SECTIONS.values() for name, _, _ in pages)  # the board has no choices


def outside(folder: Path) -> set[Path]:
    """All that lies beside a folder."""
    return {path for path in folder.parent.rglob("*") if folder not in (path, *path.parents)}


@settings(max_examples=scaled(150), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=NAMES)
def test_an_upload_stays_in_its_folder(name: str, own_settings: Settings) -> None:
    folder = uploads_folder()
    before = outside(folder)
    try:
        path = keep_upload(f"{name}.txt", io.BytesIO(b"She said no."))
    except CorpusError:  # as of "..", whose ".txt" is no ending
        assert outside(folder) == before
        return
    assert path.parent == folder
    assert path.name.isascii()
    assert not set(path.name) & set("/\\\0 ")
    assert outside(folder) == before


@given(name=NAMES)
def test_a_temporary_copy_of_an_upload_stays_in_its_folder(name: str) -> None:
    with uploaded(upload_label(f"{name}.toml"), b"") as path:
        assert path.is_file()
        assert Path(os.path.normpath(path)) == path


@pytest.mark.parametrize("name", LEADING_OUT)
def test_what_is_kept_has_a_safe_name(name: str, own_settings: Settings) -> None:
    topic = load_topic("gender")
    before = outside(own_settings.cache / "topics")
    keepers = (
        lambda: save_topic(topic.model_copy(update={"name": name})),
        lambda: keep_own("hobbies", name, "a.csv", b"name,gender\nMary,female\n"),
    )
    for keep in keepers if name != "con" else ():  # a name like any other but on Windows
        with pytest.raises(InputError):
            keep()
    assert outside(own_settings.cache / "topics") == before


@pytest.mark.parametrize("name", [*LEADING_OUT, "0123/../../a"])
def test_runs_and_results_are_found_by_keys(name: str, tmp_path: Path) -> None:
    with pytest.raises(RunError):
        find_run(name, ["0123456789abcdef"])
    if name != "con":
        with pytest.raises((AuditError, ValueError)):
            result_path(tmp_path, "0123456789abcdef", name)


@pytest.mark.parametrize("name", ["org/name@../../x", "org/name@a/../b", "org/name@/x"])
def test_a_revision_leads_nowhere(name: str) -> None:
    with pytest.raises(ModelError):
        split_name(name)


@pytest.fixture
def secrets(tmp_path: Path) -> Path:
    """Files of the server that are none of the app's, in every form that it reads."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "a.csv").write_text(f"{SECRET},password\n1,2\n")
    (folder / "a.toml").write_text(f'{SECRET} = "password"\n')
    return folder


@pytest.mark.parametrize(
    ("key", "ending"), [("fp_categories", ".csv"), ("fp_categories", ".toml"), ("fp_table", ".toml")]
)
def test_a_link_names_no_files(key: str, ending: str, own_settings: Settings, secrets: Path) -> None:
    """A refusal of such a file said its first line to whoever opened the link."""
    assert SECRET not in everything_said("fairpair", **{key: f"{secrets}/a{ending}"})


@pytest.mark.parametrize(
    ("page", "key"),
    [
        ("risk", "model"),
        ("models", "model_other"),
        ("fairpair", "fp_model"),
        ("fairpair", "fp_encoder"),
        ("criteria", "cr_model"),
        ("criteria", "cr_labeller"),
        ("case_file", "cf_model"),
    ],
)
def test_a_viewers_link_opens_no_folder(
    page: str, key: str, own_settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The refusal of a folder that is no model says what its config.json holds."""
    monkeypatch.setenv("PCF_READ_ONLY", "1")
    monkeypatch.setenv("PCF_ALLOW_HUB", "0")
    product_settings.cache_clear()
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "config.json").write_text(f'{{"architectures": ["{SECRET}ForSequenceClassification"]}}')
    named = f"nli:{folder}" if key == "cr_labeller" else str(folder)
    assert SECRET not in everything_said(page, **{key: named})


@functools.cache
def choices_of(page: str) -> frozenset[str]:
    app = open_app(page)
    kinds = (app.selectbox, app.multiselect, app.text_input, app.radio, app.get("button_group"))
    return frozenset(element.key for kind in kinds for element in kind if getattr(element, "key", None))


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("page", PAGES)
def test_no_choice_of_a_page_names_files(page: str, own_settings: Settings, secrets: Path) -> None:
    """All choices of a page at once, and each alone on the first page that has it.

    The fifteen choices of the sidebar stand on every page, where the same code reads them.
    """
    earlier = frozenset[str]().union(*(choices_of(one) for one in PAGES[: PAGES.index(page)]))
    choices = choices_of(page)
    for ending in (".csv", ".toml"):
        file = f"{secrets}/a{ending}"
        assert SECRET not in everything_said(page, **dict.fromkeys(choices, file))
        for key in sorted(choices - earlier):
            assert SECRET not in everything_said(page, **{key: file}), key


def everything_said(page: str, **parameters: str) -> str:
    app = open_app(page, **parameters)
    kinds = (app.error, app.warning, app.info, app.markdown, app.caption)
    return " ".join(element.value for kind in kinds for element in kind)


def test_a_shelf_asked_by_a_link_knows_names_alone(own_settings: Settings, secrets: Path) -> None:
    shelf = Shelf("set", "categories", (".toml",), (".toml", ".csv"), FairPairError)
    assert shelf.find(str(secrets / "a.csv")) == secrets / "a.csv"  # as the command line may
    assert shelf.require(shelf.names()[0]) == shelf.names()[0]
    with pytest.raises(FairPairError, match="There is no set named"):
        shelf.require(str(secrets / "a.csv"))
