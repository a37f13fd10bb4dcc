"""Extracting templates from text: a corpus, topics, and a name for the resulting set."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import streamlit as st

from pcf_core.app.caching import open_queue
from pcf_core.app.inside import UploadedFile
from pcf_core.app.lists import own_sets, topics
from pcf_core.app.own import ask_to_delete, upload_file
from pcf_core.app.page import finding
from pcf_core.app.queue import ACTIVE, draw_queue, keep_a_worker, recent_jobs
from pcf_core.app.roles import recorded, write
from pcf_core.app.titles import topic_titles
from pcf_core.app.widgets import plain, refusals_said, size_text
from pcf_core.core.errors import CorpusError, TemplateError
from pcf_core.core.settings import settings
from pcf_core.core.topics import Topic
from pcf_core.material.safety.text import MAX_NAME, shown
from pcf_core.material.shelves import name_of
from pcf_core.material.templates import check_new_name
from pcf_core.mining.corpora import FORMS
from pcf_core.mining.corpora.hub import PREFIX
from pcf_core.mining.corpora.source import suffixes
from pcf_core.mining.documents import offered_corpora
from pcf_core.mining.parser.schemes import check_language
from pcf_core.mining.rules import LANGUAGES, code_of, rule_for
from pcf_core.show.findings.numbers import count
from pcf_core.work.requests import MineRequest, submit_mining

PAPERS_SAMPLE = 10_000  # Wikipedia articles that the papers used
DEFAULT_TOPIC = "gender"
UPLOAD = "upload a file"
LARGEST_UPLOAD = 500  # megabytes
MOST_JOBS = 100
PACKINGS = ("gz", "bz2", "zst")
HOW = """
The corpus is read once. For topics whose words are subjects, the app looks for *he* and *she* in sentences
such as “The nurse said that she was tired”. For topics whose words describe people, it looks for nouns for
people by what they do, as in “The inspectors were appointed in May”. You can switch on other constructions:
“Smith ended his career”, “The surgeon was a young woman”. The app parses only these sentences and turns each
into a template: the subject becomes *[X]*, and *[Y]* stands for the topic's words. Every sentence is counted
once: it gave a template, was dropped for a reason (a name, a number, anything that suggests a group), or has
none of the words. The command line does the same: `python -m pcf_core mine --corpus FILE --topic gender --out
FILE.csv`. A topic in Chinese has its own rules: use the command line with a parser for Chinese
(`--pipeline`).
"""
CHUNK = 2**20
HASH_DIGITS = 8
UPLOADED = "upload: "  # prefix of uploads in the list of corpora


def draw_mine() -> None:
    """Draw the corpora, the form, and the queue of extractions."""
    corpora = corpora_at_hand()
    own = count(len(own_sets()), "set of your own is", "sets of your own are")
    available = "There is no corpus here yet: upload one, and it is stored here."
    if corpora:
        available = f"{count(len(corpora), 'corpus is', 'corpora are')} here, and you can upload others."
    finding(f"{available} {own} stored.")
    left, right = st.columns([3, 2], gap="large")
    with left:
        _draw_form(corpora)
    with right:
        st.markdown("**How it works**")
        st.markdown(HOW)
    st.subheader("Queue")
    draw_queue(("mine",), on_templates=True)


def _draw_form(corpora: dict[str, Path]) -> None:
    chosen = st.selectbox(
        "Corpus",
        [UPLOAD, *corpora],
        index=min(1, len(corpora)),
        key="mine_corpus",
        accept_new_options=settings().allow_hub,
        placeholder="Choose one",
        help="A corpus of the operator's folder (PCF_CORPORA), an upload, or, where downloads are allowed, a "
        "data set of the Hugging Face hub, typed as hf:owner/name.",
    )
    file = _draw_upload() if chosen == UPLOAD else None
    if chosen and chosen.startswith(UPLOADED) and chosen in corpora:
        upload, path = str(chosen), corpora[chosen]
        ask_to_delete(
            "Delete this upload …",
            f"**{plain(upload)}** is deleted. Sets that were extracted from it are kept.",
            "delete_upload",
            lambda: recorded("deleted", "corpus", upload, delete_upload, path),
            st.rerun,
        )
    all_topics = topics()
    names = st.multiselect(
        "Topics",
        list(all_topics),
        default=[DEFAULT_TOPIC] if DEFAULT_TOPIC in all_topics else [],
        format_func=topic_titles(),
        key="mine_topics",
        bind="query-params",
        help="The topics whose words the app looks for. Several topics must be of one kind: words that are "
        "subjects (he, she), or words that describe (the religions).",
    )
    constructions = _draw_constructions(all_topics[names[0]]) if names else ()
    st.button(
        f"Sample of {PAPERS_SAMPLE:,} articles, as in the papers",
        key="mine_as_in_papers",
        icon=":material/casino:",
        on_click=st.session_state.update,
        args=({"mine_sample": PAPERS_SAMPLE, "mine_seed": 0, "mine_cut": 1},),
        help="Draws this many articles at random from the corpus, and saves every template.",
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        sample = st.number_input(
            "Documents",
            min_value=1,
            value=None,
            step=1000,
            key="mine_sample",
            bind="query-params",
            placeholder="all",
            help="Reads a random sample of this many documents, each with the same chance.",
        )
        seed = st.number_input(
            "Seed",
            min_value=0,
            value=0,
            step=1,
            key="mine_seed",
            help="A different number draws a different sample.",
        )
        lowest = st.number_input(
            "Lowest count",
            min_value=1,
            value=2,
            step=1,
            key="mine_cut",
            help="Rarer templates are not saved.",
        )
    name = st.text_input(
        "Name of the set",
        value=_suggested_name(names, chosen, file),
        max_chars=MAX_NAME,
        key=f"mine_name_{chosen}_{file.file_id if file else ''}_{'-'.join(names)}",
        help="Small letters, digits and hyphens.",
    ).strip()
    ready = bool(names) and bool(chosen) and (chosen != UPLOAD or file is not None)
    if st.button(
        "Extract from text",
        type="primary",
        icon=":material/play_arrow:",
        disabled=not ready,
        key="mine_button",
    ):
        with refusals_said():
            _check_free(name)
            chosen_topics = tuple(all_topics[topic] for topic in names)
            rule = rule_for(chosen_topics, constructions)  # refuses what does not fit
            check_language(settings().pipeline, rule.language)
            corpus = (
                recorded("uploaded", "corpus", file.name, keep_upload, file.name, file)
                if file
                else _corpus_named(str(chosen), corpora)
            )
            request = MineRequest(
                corpus=str(corpus),
                topics=chosen_topics,
                name=name,
                sample=sample,
                seed=seed,
                cut=lowest,
                constructions=constructions,
            )
            write(submit_mining, open_queue(), request)
            keep_a_worker()
            st.rerun()


def _draw_constructions(topic: Topic) -> tuple[str, ...]:
    """Draw the choice of constructions; return it, empty for the default or a language without rules."""
    code, position = code_of(topic), topic.position
    if code not in LANGUAGES:
        return ()
    offered = {one.name: one for one in LANGUAGES[code].offered(position)}
    usual = [name for name, one in offered.items() if one.on]
    chosen = st.multiselect(
        "Constructions",
        list(offered),
        default=usual,
        key=f"mine_constructions_{position}" + ("" if code == "en" else f"_{code}"),
        format_func=lambda name: f"{offered[name].title}: “{offered[name].example[0]}”",
        help="The positions in which a word means or describes the person. Those that are off by default are "
        "not shown to be right in 95 of 100 sentences. Make a separate set for each kind of word, because "
        "words that fit in one kind do not fit in another.",
    )
    for name in chosen:
        if not offered[name].on:
            st.caption(plain(f"{offered[name].title} is {offered[name].standing}."))
    return () if chosen == usual else tuple(chosen)


def _draw_upload() -> UploadedFile | None:
    file = upload_file(
        "Corpus file",
        [*FORMS, *PACKINGS],
        LARGEST_UPLOAD,
        "mine_upload",
        f"{', '.join(FORMS)}; all but Parquet also packed with {', '.join(PACKINGS)}. JSON lines and "
        "Parquet have a text in each row (text; optionally id, title, source), in plain text an empty line "
        "separates paragraphs, XML is a dump of Wikipedia. The file is stored in the app's cache folder.",
    )
    if file is not None:
        st.caption(f"{plain(file.name)}, {size_text(file.size)}")
    return file


def _suggested_name(names: list[str], chosen: str | None, file: UploadedFile | None) -> str:
    corpus = file.name if file else "" if chosen in (None, UPLOAD) else str(chosen).removeprefix(UPLOADED)
    stem = corpus.removeprefix(PREFIX).split(".")[0]
    return name_of(Path("-".join([*names, *([stem] if stem else [])]) or "mined"))


def _corpus_named(chosen: str, corpora: dict[str, Path]) -> str | Path:
    """Return the path of the chosen corpus; a typed name must be a data set of the hub."""
    if chosen in corpora:
        return corpora[chosen]
    if chosen.startswith(PREFIX) and settings().allow_hub:
        return chosen
    raise CorpusError(
        f"There is no corpus {chosen[:60]!r} here: choose one of the list, upload a file, or name a data set "
        "of the hub as hf:owner/name."
    )


def _check_free(name: str) -> None:
    """Refuse a name that a set has or will have once it is extracted."""
    check_new_name(name)
    if any(job.payload["name"] == name for job in recent_jobs(("mine",), MOST_JOBS) if job.state in ACTIVE):
        raise TemplateError(
            f"A set named {name!r} is being extracted: choose another name, or cancel that job."
        )


def uploads_folder() -> Path:
    """Return the folder of uploaded corpora."""
    return settings().cache / "uploads"


def keep_upload(name: str, data: BinaryIO) -> Path:
    """Write an uploaded file chunk by chunk and return its path.

    Its name is a safe form of the given one, the beginning of the content's hash, and its ending, so that no
    name leads out of the folder and the same file is stored once.
    """
    form, packing = suffixes(Path(name))
    if form not in FORMS:
        endings = ", ".join(FORMS)
        raise CorpusError(f"A corpus file ends in {endings}, packed or not; got {shown(name[-60:])}.")
    stem = name_of(Path(Path(name).name.removesuffix(packing)))
    folder = uploads_folder()
    with _told("kept"):
        folder.mkdir(parents=True, exist_ok=True)
        handle, part = tempfile.mkstemp(prefix=".part-", dir=folder)
        path = Path(part)
        try:
            seen = hashlib.sha256()
            with os.fdopen(handle, "wb") as file:
                while chunk := data.read(CHUNK):
                    seen.update(chunk)
                    file.write(chunk)
            if not path.stat().st_size:
                raise CorpusError(f"The file {shown(name[-60:])} is empty: choose one with text in it.")
            return path.replace(folder / f"{stem}-{seen.hexdigest()[:HASH_DIGITS]}{form}{packing}")
        finally:
            path.unlink(missing_ok=True)


def corpora_at_hand() -> dict[str, Path]:
    """List corpora by name: the operator's folder, then uploads."""
    operators, folder = settings().corpora, uploads_folder()
    corpora = {name: operators / name for name in offered_corpora()} if operators else {}
    if folder.is_dir():
        uploads = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
        corpora |= {f"{UPLOADED}{path.name}": path for path in uploads}
    return corpora


def delete_upload(path: Path) -> None:
    """Delete an uploaded file; sets extracted from it are kept."""
    with _told("deleted"):
        path.unlink(missing_ok=True)


@contextmanager
def _told(what: str) -> Iterator[None]:
    try:
        yield
    except OSError as problem:
        reason = problem.strerror or "input/output error"
        raise CorpusError(
            f"The upload cannot be {what} in the cache folder ({reason}): free some space, or ask the "
            "operator for a folder that can be written (PCF_CACHE)."
        ) from problem
