"""The page Templates: a corpus is uploaded or chosen, mined through the queue, and leads to its set."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from pcf_core.app.templates import mine
from pcf_core.app.templates.mine import corpora_at_hand, delete_upload, keep_upload, uploads_folder
from pcf_core.core.errors import CorpusError
from pcf_core.material.templates import save_set
from tests.pages.mined import OWN
from tests.pages.opened import open_app, own_queue, set_environment


@pytest.fixture
def corpora(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An operator's folder with one corpus, and no downloads."""
    folder = tmp_path / "corpora"
    folder.mkdir()
    (folder / "toy.txt").write_text("The nurse said that she was late.")
    (folder / "notes.pdf").write_bytes(b"%PDF")
    monkeypatch.setenv("PCF_CORPORA", str(folder))
    set_environment(monkeypatch, ALLOW_HUB="0")
    return folder


def test_an_offered_corpus_is_queued_with_what_was_asked(corpora: Path) -> None:
    app = open_app("templates", set_view="mine", mine_sample="500")
    assert "1 corpus is at hand" in app.said
    assert app.selectbox(key="mine_corpus").options == ["upload a file", "toy.txt"]
    assert [field.value for field in app.text_input] == ["gender-toy"]
    app.number_input(key="mine_cut").set_value(3)
    app.press("mine_button")
    (job,) = own_queue().list(10)
    assert job.kind == "mine"
    asked = job.payload
    assert (asked["corpus"], asked["name"]) == (str(corpora / "toy.txt"), "gender-toy")
    assert (asked["sample"], asked["seed"], asked["cut"]) == (500, 0, 3)
    assert [topic["name"] for topic in asked["topics"]] == ["gender"]
    assert asked["constructions"] == []
    assert "**gender-toy** · Gender · toy.txt · " in app.said
    assert "waiting" in app.said
    app.press("mine_button")
    assert "is being mined" in app.errors
    assert len(own_queue().list(10)) == 1


def test_the_papers_sample_is_one_button(corpora: Path) -> None:
    app = open_app("templates", set_view="mine")
    app.press("mine_as_in_papers")
    assert app.number_input(key="mine_sample").value == 10_000
    app.press("mine_button")
    (job,) = own_queue().list(10)
    assert [job.payload[key] for key in ("sample", "seed", "cut")] == [10_000, 0, 1]


def test_constructions_can_be_switched_on_and_those_that_are_unsure_say_so(corpora: Path) -> None:
    app = open_app("templates", set_view="mine")
    field = app.multiselect(key="mine_constructions_subject")
    assert field.value == [
        "clause", "where", "alone", "possessive", "possessive-elsewhere", "object-alone", "reflexive", "noun",
        "noun-elsewhere",
    ]  # fmt: skip
    assert "off by itself" not in app.said
    field.set_value(["clause", "fronted"])
    app.press("mine_button")
    (job,) = own_queue().list(10)
    assert job.payload["constructions"] == ["clause", "fronted"]
    assert (
        "a clause before its main clause is off by itself: 50 of 53 right, precision at least 0.85."
        in app.said
    )


def test_a_topic_in_chinese_has_constructions_of_its_own_and_needs_its_parser(corpora: Path) -> None:
    app = open_app("templates", set_view="mine", mine_topics=["gender-zh"])
    assert app.multiselect(key="mine_constructions_subject_zh").value == []
    app.press("mine_button")
    assert "No construction of Chinese is on by itself" in app.errors
    app.multiselect(key="mine_constructions_subject_zh").set_value(["clause"])
    app.press("mine_button")
    assert "a clause behind a verb of saying is off by itself: not measured." in app.said
    assert "must be one of Chinese, 'zh'" in app.errors
    assert own_queue().list() == ()


def test_topics_that_do_not_go_together_are_refused_at_once(corpora: Path) -> None:
    app = open_app("templates", set_view="mine", mine_topics=["gender", "race"])
    app.press("mine_button")
    assert len(app.error) == 1
    assert "race" in app.errors
    assert own_queue().list() == ()


def test_a_mining_shows_on_both_queues_and_can_be_cancelled_and_resumed(corpora: Path) -> None:
    app = open_app("templates", set_view="mine")
    app.press("mine_button")
    queue = own_queue()
    job = queue.claim("somebody")
    assert job is not None
    queue.progress(job.id, 5_000_000, 20_000_000, 1_000_000.0)
    queue.note(job.id, {"documents": 1200, "words": 9, "sentences": 9, "matches": 34})
    for page in ("templates", "run_an_audit"):
        app = open_app(page, set_view="mine")
        assert "mining" in app.said
        progress = app.get("progress")[0].proto.text
        assert progress == ("5 MB of 20 MB · 1,200 documents, 34 matches so far · 1 MB a second · 15 s left")
    app.press(f"cancel_{job.id}")
    assert queue.cancelled(job.id)
    queue.release("somebody", job.id)
    app = open_app("templates", set_view="mine")
    assert "1,200 documents, 34 matches so far" in app.said
    app.press(f"retry_{job.id}")
    assert queue.get(job.id).state == "queued"


def test_a_finished_mining_leads_to_its_set(corpora: Path) -> None:
    app = open_app("templates", set_view="mine")
    app.press("mine_button")
    queue = own_queue()
    job = queue.claim("somebody")
    assert job is not None
    result = {
        "templates": 7,
        "matches": 20,
        "documents": 3,
        "dropped": {"a *name*": 2},
        "words_per_second": None,
    }
    queue.finish(job.id, result)
    app = open_app("templates", set_view="mine")
    assert "7 templates from 20 matches in 3 documents. Most often dropped: a *name* (2)." in app.said
    save_set(OWN.model_copy(update={"name": "gender-toy"}))
    score = open_app("run_an_audit")
    assert any(link.proto.query_string == "set=gender-toy" for link in score.get("page_link"))
    app.press(f"open_{job.id}")
    assert app.selectbox(key="set").value == "gender-toy"
    assert "1 of 4 templates" in app.said


def test_a_failed_mining_says_why(corpora: Path) -> None:
    app = open_app("templates", set_view="mine")
    app.press("mine_button")
    queue = own_queue()
    job = queue.claim("somebody")
    assert job is not None
    queue.fail(job.id, "No sentence of toy.txt has a word that is looked for.")
    app = open_app("templates", set_view="mine")
    assert "No sentence of toy.txt" in app.errors
    assert app.button(key=f"retry_{job.id}").label == "Retry"


def test_an_upload_is_kept_under_a_safe_name_and_mined() -> None:
    app = open_app("templates", set_view="mine")
    assert "No corpus is at hand yet" in app.said
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


def test_names_that_are_taken_or_unsafe_are_refused_before_anything_is_kept(corpora: Path) -> None:
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
