"""The user's own knowledge sets: kept as own topics are, in three forms of files, whole or not at all."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pcf_core.core.errors import InputError, StoreError, TopicError
from pcf_core.core.knowledge import Fact, KnowledgeSet
from pcf_core.core.settings import Settings
from pcf_core.material.knowledge import OWN, knowledge_toml, list_knowledge, load_knowledge, make_knowledge
from tests.material.refusing import refused

SKY = make_knowledge(
    "sky",
    ["The [X] is a [Y]", 'It is said that "the [X]" is a [Y]'],
    [
        Fact(subject="Sun", right=("star",), wrong=("planet", "moon")),
        Fact(subject="Mars", right=("planet", "world"), wrong=("star",), weight=2.5),
    ],
    title="The sky",
    notes="Ours \\ and a #",
)
CSV = (
    "template,subject,right,wrong,weight\n"
    "The [X] is a [Y],,,,\n"
    '"It is said that ""the [X]"" is a [Y]",,,,\n'
    ",Sun,star,planet|moon,\n"
    ",Mars,planet | world,star,2.5\n"
)


@pytest.fixture
def folder(own_settings: Settings) -> Path:
    return own_settings.cache / "knowledge"


def test_a_set_that_was_saved_is_found_after_the_shipped_ones_and_deleted(
    folder: Path, refusal: Callable[[Exception], str]
) -> None:
    shipped = list_knowledge()
    assert OWN.save(SKY) == SKY
    assert load_knowledge("sky") == SKY
    assert list_knowledge() == (*shipped, SKY)
    assert OWN.names() == ("sky",)
    assert [path.name for path in folder.iterdir()] == ["sky.toml"]
    other = SKY.model_copy(update={"facts": SKY.facts[:1]})
    assert "There is a knowledge set of yours named sky" in refused(
        refusal, TopicError, lambda: OWN.save(other)
    )
    OWN.save(other, replace=True)
    assert load_knowledge("sky").hash == other.hash != SKY.hash
    OWN.delete("sky")
    assert list(folder.iterdir()) == []
    assert "none of your knowledge sets" in refused(refusal, TopicError, lambda: OWN.delete("sky"))
    assert "shipped knowledge set, which stays" in refused(refusal, TopicError, lambda: OWN.delete("animals"))


def test_a_shipped_set_is_never_hidden_and_a_damaged_one_hides_no_other(
    folder: Path, refusal: Callable[[Exception], str]
) -> None:
    mine = SKY.model_copy(update={"name": "animals"})
    assert "belongs to a shipped knowledge set" in refused(refusal, TopicError, lambda: OWN.save(mine))
    folder.mkdir(parents=True)
    (folder / "animals.toml").write_text(knowledge_toml(mine))
    (folder / "broken.toml").write_bytes(b"facts = [")
    OWN.save(SKY)
    assert len(load_knowledge("animals").facts) == 60
    assert list_knowledge()[-1] == SKY
    assert OWN.names() == ("broken", "sky")
    assert "not valid TOML" in refused(refusal, TopicError, lambda: load_knowledge("broken"))


def test_what_the_rules_refuse_is_not_saved(folder: Path, refusal: Callable[[Exception], str]) -> None:
    empty = SKY.model_copy(update={"facts": ()})
    assert "no facts" in refused(refusal, TopicError, lambda: OWN.save(empty))
    unsafe = SKY.model_copy(update={"name": "../sky"})
    assert "small letters" in refused(refusal, TopicError, lambda: OWN.save(unsafe))
    assert not folder.exists()


def test_a_full_disk_leaves_what_was_there(
    folder: Path, refusal: Callable[[Exception], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    OWN.save(SKY)

    def fail(handle: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", fail)
    other = SKY.model_copy(update={"facts": SKY.facts[:1]})
    sentence = refused(refusal, StoreError, lambda: OWN.save(other, replace=True))
    assert "The knowledge set sky cannot be saved" in sentence
    assert load_knowledge("sky") == SKY


# ---------------------------------------------------------------------------------------- files in and out


@pytest.mark.parametrize("asked", [SKY, *list_knowledge()], ids=lambda asked: asked.name)
def test_what_is_downloaded_can_be_uploaded_as_toml_and_json(asked: KnowledgeSet) -> None:
    assert OWN.read_upload([(f"{asked.name}.toml", knowledge_toml(asked).encode())]) == asked
    assert OWN.read_upload([("other.json", asked.model_dump_json().encode())]) == asked


def test_a_table_has_a_row_for_each_template_and_each_fact() -> None:
    found = OWN.read_upload([("The sky.csv", CSV.encode())])
    assert (found.name, found.title) == ("the-sky", "The sky")
    assert (found.templates, found.facts) == (SKY.templates, SKY.facts)
    assert found.hash == SKY.hash
    bare = "right,wrong,subject,template\n,,,[X] is [Y]\n\na,b,c,\n,,,\n"
    assert OWN.read_upload([("bare.csv", bare.encode())]).facts == (
        Fact(subject="c", right=("a",), wrong=("b",)),
    )


@pytest.mark.parametrize(
    ("files", "part"),
    [
        ([], "The upload has 0 files"),
        ([("a.csv", b""), ("b.csv", b"")], "The upload has 2 files (a.csv and b.csv)"),
        ([("a.xlsx", b"PK")], "save the knowledge set as one"),
        ([("a.json", b"[]")], "a.json holds a list"),
        ([("a.json", b'{"fact": []}')], "unknown key 'fact'"),
        ([("a.csv", b"subject,right\na,b\n")], "must name template, subject, right and wrong"),
        ([("a.csv", b"template,subject,right,wrong\n[X] is [Y],a,b,c\n")], "a row of its own"),
        ([("a.csv", b"template,subject,right,wrong\n[X] is [Y],,,\n")], "no facts"),
        ([("a.csv", b"template,subject,right,wrong\n,a,b,c\n")], "no templates"),
        ([("a.csv", b"template,subject,right,wrong\n[X] is [Y],,,\n,a,b,\n")], "'a' has no wrong answer"),
        ([("a.csv", CSV.replace("2.5", "two").encode())], "the weight 'two' is not a number"),
        ([("a.csv", CSV.replace("2.5", "nan").encode())], "weight of 'Mars' is nan"),
    ],
)
def test_an_upload_that_cannot_be_used_is_one_sentence(
    files: list[tuple[str, bytes]], part: str, refusal: Callable[[Exception], str], folder: Path
) -> None:
    assert part in refused(refusal, TopicError, lambda: OWN.read_upload(files))
    assert not folder.exists()


PIECES = [
    "|",
    ",",
    "\n",
    '"',
    "[X]",
    "[Y]",
    "template",
    "weight",
    "nan",
    "9" * 400,
    "\ufeff",
    "{",
    "[",
    "null",
]


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data(), ending=st.sampled_from([".csv", ".json"]))
def test_a_damaged_upload_is_a_set_or_one_sentence(
    data: st.DataObject, ending: str, refusal: Callable[[Exception], str]
) -> None:
    content = (CSV if ending == ".csv" else SKY.model_dump_json()).encode()
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(content)))
        new = data.draw(st.binary(max_size=8) | st.sampled_from(PIECES).map(str.encode))
        content = content[:start] + new + content[start + data.draw(st.integers(0, 40)) :]
    sentence = ""
    try:
        found = OWN.read_upload([(f"own{ending}", content)])
    except InputError as error:
        sentence = refusal(error)
    assert f"own{ending}" in sentence or all(fact.right and fact.wrong for fact in found.facts)


WORDS = st.lists(st.text(min_size=1, max_size=6), min_size=1, max_size=3)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    subject=st.text(max_size=8), right=WORDS, wrong=WORDS, weight=st.floats(0, 1e9), notes=st.text(max_size=9)
)
def test_whatever_the_rules_accept_comes_back_from_its_file(
    subject: str, right: list[str], wrong: list[str], weight: float, notes: str
) -> None:
    fact = Fact(subject=subject, right=tuple(right), wrong=tuple(wrong), weight=weight)
    try:
        made = make_knowledge("made", ["[X] is [Y]"], [fact], notes=notes)
    except InputError:
        return
    assert OWN.read_upload([("made.toml", knowledge_toml(made).encode())]) == made
