"""The page Templates: sets, their effect on scored runs, and corpora that are mined; edits are walks."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from pcf_core.app.lists import set_names
from pcf_core.app.templates import effect, mine
from pcf_core.app.templates.keeping import CALLED
from pcf_core.app.templates.mine import corpora_at_hand, delete_upload, keep_upload, uploads_folder
from pcf_core.audit.case import restricted
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.results import load_result
from pcf_core.core.errors import CorpusError, TemplateError
from pcf_core.core.settings import Settings
from pcf_core.core.topics import MinedSet
from pcf_core.material.templates import load_mined, save_set
from pcf_core.show.findings.numbers import two_decimals
from pcf_core.store.store import Store
from tests.pages.opened import App, claimed_job, open_app, own_queue, usual_run
from tests.pages.own import OWN_SET, tick
from tests.pages.walks import assert_state, assert_walk


def edited() -> App:
    return open_app("templates", set="own-set", set_view="edit")


def test_all_sets_are_listed_first_damaged_ones_by_their_name(
    own_set: MinedSet, own_settings: Settings
) -> None:
    save_set(OWN_SET.model_copy(update={"name": "broken"}))
    (own_settings.cache / "templates" / "broken.parquet").write_bytes(b"no parquet")
    table = open_app("templates").dataframe[0].value.set_index("set")
    assert sorted(table.index) == sorted(set_names())
    numbers = [int(title.split()[0]) for title in table["title"] if title.split()[0].isdecimal()]
    assert numbers == sorted(numbers), "in an order that a person can follow"
    shown = table.loc["own-set", ["title", "language", "templates", "effective", "whose"]]
    assert list(shown) == ["Own", "en", 4, "2.8", "your own"]
    assert table["whose"].value_counts().to_dict() == {"comes with the app": len(table) - 2, "your own": 2}
    assert "damaged" in table.loc["broken", "title"]


def test_a_damaged_set_is_one_sentence(own_set: MinedSet, own_settings: Settings) -> None:
    (own_settings.cache / "templates" / "own-set.parquet").write_bytes(b"no parquet")
    app = open_app("templates", set="own-set")
    assert len(app.error) == 1
    assert "own-set.parquet" in app.errors
    assert [title.value for title in open_app("run_an_audit").title] == ["Run an audit"]


def test_a_set_shows_its_sentences(own_set: MinedSet) -> None:
    app = open_app("templates", set="own-set")
    assert all(template.text in app.texts for template in own_set.templates)
    assert "most common of" not in app.captions
    assert "The 10 most common of 19 sentences." in open_app("templates", set="gender-nineteen").captions


def test_a_users_text_is_never_markup(own_set: MinedSet) -> None:
    app = tick(edited(), 2)
    app.press("drop_rows")
    shown = next(element.value for element in app.markdown if "not saved" in element.value)
    assert "\\:red\\[found\\]" in shown
    assert ":red[found]" not in shown


def test_ticked_rows_become_a_family_and_few_families_are_said(own_set: MinedSet) -> None:
    app = tick(edited(), 0, 1, 2)
    assert not app.warnings
    next(one for one in app.text_input if one.label == "Name of the family").set_value("say").run()
    app.press("set_family")
    assert not app.error
    assert list(app.dataframe[0].value["family"]) == ["say", "say", "say", ""]
    assert "They form 2 families, which count like 1.1 equally common templates, not like 2.8" in app.warnings
    assert {metric.label: metric.value for metric in app.metric}["Effective number"] == "1.1"
    app.press("save_set")
    assert load_mined("own-set").templates_only.families == ("say",) * 3 + (own_set.templates[3].text,)


def test_a_set_is_reworded_once(own_set: MinedSet) -> None:
    app = edited()
    app.multiselect(key="reword_rules").set_value(["determiner", "article"]).run()
    assert "A in place of The is off by itself" in app.captions
    app.press("reword_set")
    assert not app.error
    table = app.dataframe[0].value
    assert set(table.loc[table["family"] == "The [X] said that [Y]", "template"]) == {
        f"{start} [X] said that [Y]" for start in ("The", "This", "A")
    }
    assert {metric.label: metric.value for metric in app.metric}["Effective number"] == "2.8"
    app.press("reword_set")
    assert "already has several wordings of its templates" in app.errors


@pytest.mark.slow
def test_what_another_session_saved_is_not_overwritten(own_set: MinedSet) -> None:
    app, other = (edited() for _ in range(2))
    for session, row in ((app, 1), (other, 2)):
        tick(session, row)
        session.press("drop_rows")
    other.press("save_set")
    saved = load_mined("own-set")
    app.press("save_set")
    assert "was saved elsewhere since you began" in app.errors
    assert load_mined("own-set") == saved
    app.press("discard")
    tick(app, 1)
    app.press("drop_rows")
    app.press("save_set")
    assert not app.error
    assert len(load_mined("own-set").templates) == len(saved.templates) - 1


# ----------------------------------------------------------------------- effect on scored runs


def test_a_cut_is_previewed_on_cached_runs_without_scoring(full_store: Store) -> None:
    app = open_app("templates", set="gender-nineteen", set_view="preview", keep="5")
    assert not app.error
    run = usual_run("mini-gpt")
    heaviest = sorted(run.templates.templates, key=lambda item: (-item.count, item.text))[:5]
    restricted_report = restricted(
        load_result(full_store, run),
        run,
        [item.text for item in heaviest],
        [item.count for item in heaviest],
        ViewOptions(),
    )
    sentence = next(line for line in app.said.splitlines() if line.startswith("The risk of Mini GPT"))
    assert "with the 19 templates of “19 sentence beginnings from the papers” and" in sentence
    assert f"and {two_decimals(restricted_report.overall_risk)} (" in sentence
    table = app.dataframe[0].value
    row = table[(table["model"] == "Mini GPT") & table["templates"].str.startswith("5 templates")]
    assert row["overall_risk"].item() == restricted_report.overall_risk
    assert row["caprice_risk"].item() == restricted_report.caprice_risk
    assert own_queue().list() == ()


@pytest.mark.usefixtures("full_store")
def test_a_model_that_cannot_be_read_with_fewer_sentences_has_the_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*given: object) -> None:
        raise TemplateError("These sentences have no weight: keep others.")

    monkeypatch.setattr(effect, "restricted", refuse)
    app = open_app("templates", set="gender-nineteen", set_view="preview", keep="6")
    assert "**Mini BERT and Mini GPT:** These sentences have no weight: keep others." in app.errors
    assert not app.get("plotly_chart")


def test_an_edited_set_is_previewed_as_it_stands(full_store: Store) -> None:
    app = open_app("templates", set="gender-nineteen", set_view="edit", keep="4")
    app.press("cut_to_top")
    app.segmented_control(key="set_view").set_value(CALLED["preview"]).run()
    assert {metric.label: metric.value for metric in app.metric}["Templates"] == "4"
    assert "4 templates of 19 sentence beginnings from the papers" in set(app.dataframe[0].value["templates"])


def test_a_set_that_is_covered_in_part_says_how_much(full_store: Store, own_set: MinedSet) -> None:
    app = open_app("templates", set="own-set", set_view="preview")
    little = "cover too small a share of these templates, by weight: Mini BERT 75 %, Mini GPT 75 %."
    assert little in app.said
    assert not app.get("plotly_chart")
    app = open_app("templates", set="own-set", set_view="compare", other="gender-nineteen")
    assert "No model has results on both sets" in app.said
    assert little in app.said


# ------------------------------------------------------------------------------------- mining


def test_a_mining_shows_on_both_queues_and_can_be_cancelled_and_resumed(corpora: None) -> None:
    open_app("templates", set_view="mine").press("mine_button")
    job, queue = claimed_job(), own_queue()
    queue.progress(job.id, 5_000_000, 20_000_000, 1_000_000.0)
    queue.note(job.id, {"documents": 1200, "words": 9, "sentences": 9, "matches": 34})

    def fail() -> None:
        claimed_job()
        queue.fail(job.id, "No sentence of toy.txt has a word that is looked for.")

    for page in ("templates", "run_an_audit"):
        app = open_app(page, set_view="mine")
        assert_state(app, f"{page} while a corpus is mined")
    released = ("do", lambda: queue.release("somebody", job.id))
    story = "a mining is cancelled and resumed and fails"
    assert_walk(app, story, f"cancel_{job.id}", released, f"retry_{job.id}", ("do", fail))


def test_a_finished_mining_leads_to_its_set(corpora: None) -> None:
    open_app("templates", set_view="mine").press("mine_button")
    job = claimed_job()
    counts = {"templates": 7, "matches": 20, "documents": 3}
    own_queue().finish(job.id, {**counts, "dropped": {"a *name*": 2}, "words_per_second": None})
    app = open_app("templates", set_view="mine")
    assert "7 templates from 20 matches in 3 documents. Most often dropped: a *name* (2)." in app.said
    save_set(OWN_SET.model_copy(update={"name": "gender-toy"}))
    score = open_app("run_an_audit")
    assert any(link.proto.query_string == "set=gender-toy" for link in score.get("page_link"))
    assert app.press(f"open_{job.id}").selectbox(key="set").value == "gender-toy"


def test_an_upload_is_kept_under_a_safe_name_and_mined() -> None:
    app = open_app("templates", set_view="mine")
    assert "There is no corpus here yet" in app.said
    assert app.button(key="mine_button").disabled
    text = b'{"text": "The nurse said that she was late."}\n'
    app.file_uploader(key="mine_upload").upload("../Böse Datei.JSONL", text, "application/json").run()
    app.press("mine_button")
    (job,) = own_queue().list(10)
    path = Path(job.payload["corpus"])
    assert path.parent == uploads_folder()
    assert path.name.startswith("bose-datei-")
    assert path.suffix == ".jsonl"
    assert path.read_bytes() == text
    app = open_app("templates", set_view="mine")
    assert app.selectbox(key="mine_corpus").options[1:] == [f"upload: {path.name}"]
    app.press("delete_upload")
    assert not path.exists()


def test_names_that_are_taken_or_unsafe_are_refused_before_anything_is_kept(corpora: None) -> None:
    app = open_app("templates", set_view="mine")
    for name, reason in (("gender-nineteen", "shipped"), ("../x", "small letters")):
        app.text_input[0].set_value(name).run()
        app.press("mine_button")
        assert reason in app.errors
    assert own_queue().list() == ()
    assert not uploads_folder().exists()


def test_the_same_upload_is_kept_once() -> None:
    first = keep_upload("a.txt", io.BytesIO(b"text"))
    assert keep_upload("a.txt", io.BytesIO(b"text")) == first
    assert keep_upload("a.txt", io.BytesIO(b"other")) != first
    assert len(list(uploads_folder().iterdir())) == 2
    assert set(corpora_at_hand()) == {f"upload: {path.name}" for path in uploads_folder().iterdir()}
    delete_upload(first)
    assert len(corpora_at_hand()) == 1


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [("a.pdf", b"x", "ends in"), ("a.txt", b"", "is empty"), ("a", b"x", "ends in")],
)
def test_what_is_no_corpus_is_not_kept(name: str, data: bytes, reason: str) -> None:
    with pytest.raises(CorpusError, match=reason):
        keep_upload(name, io.BytesIO(data))
    assert not uploads_folder().exists() or not list(uploads_folder().iterdir())


class Endless(io.RawIOBase):
    """Chunks without end; the disk is full after a few."""

    def __init__(self) -> None:
        self.given = 0

    def read(self, size: int = -1) -> bytes:
        self.given += 1
        if self.given > 3:
            raise OSError(28, "No space left on device")
        return b"x" * size


def test_a_full_disk_leaves_no_half_of_an_upload(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mine, "CHUNK", 1000)
    with pytest.raises(CorpusError, match="No space left on device"):
        keep_upload("a.txt", Endless())  # type: ignore[arg-type]
    assert not list(uploads_folder().iterdir())
