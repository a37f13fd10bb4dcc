"""Packs with texts: all of a result comes back, its report is worked out again, and forgeries are refused."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pcf_core.core.errors import CriteriaError, FairPairError, PackError
from pcf_core.core.frame import TextFrame
from pcf_core.core.generation import Decoding
from pcf_core.core.records import digest
from pcf_core.core.settings import ROOT
from pcf_core.report.packs import canonical, read_pack
from pcf_core.report.provenance import fairpair_facts
from pcf_core.store.store import Store
from pcf_core.texts.fairpair.records import FairPairResult
from pcf_core.texts.packed import EXCHANGE, PackedCriteria, PackedFairPair, same
from pcf_core.work.criteria import CRITERIA_AUDIT
from pcf_core.work.fairpair import FAIRPAIR_AUDIT
from pcf_core.work.packing import packed_criteria, packed_fairpair
from tests.report.small_packs import packed, parts_of, score, small_run
from tests.report.small_texts import KEY, add_fairpair, add_scored, add_written, forged, packed_texts
from tests.report.test_packs import put

NAMES = "name,gender\nMary,female\nAnn,female\nJohn,male\nPaul,male\n"
JOBS = "profession,women_share\nnurse,0.88\nelectrician,0.02\n"


@dataclass(frozen=True)
class Kept:
    """A store, and the keys of what is in it."""

    store: Store
    fairpair: str
    tasks: str
    hobbies: str
    anecdotes: str
    scored: str


@cache
def intact(kept: Kept, name: str) -> PackedFairPair | PackedCriteria:
    """What is packed of a result, which is read as it is: what is refused is what was changed."""
    packed_as = packed_fairpair if name == "fairpair" else packed_criteria
    one = packed_as(kept.store, getattr(kept, name))
    assert read_pack(forged(one, lambda body: body)).texts
    return one


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    folder = tmp_path_factory.mktemp("texts")
    store = Store.open(folder / "cache")
    (folder / "mine.csv").write_text(NAMES, encoding="utf8")
    (folder / "jobs.csv").write_text(JOBS, encoding="utf8")
    return Kept(
        store,
        add_fairpair(store),
        add_written(store),
        add_written(store, "hobbies", folder / "mine.csv"),
        add_written(store, "anecdotes", folder / "jobs.csv"),
        add_scored(store, ["nurse"]),
    )


@pytest.mark.parametrize("name", ["tasks", "hobbies", "anecdotes", "scored"])
def test_a_result_of_the_criteria_comes_back(kept: Kept, name: str) -> None:
    key = getattr(kept, name)
    (one,) = read_pack(packed_texts(kept.store, criteria=[key])).texts
    there = CRITERIA_AUDIT.load(kept.store, key)
    assert there is not None
    assert one.result == there.as_imported
    assert one.result.asked.key.model.startswith("imported:theirs@")
    assert one.as_it_came == ()
    assert bool(one.texts) == (name != "scored")


def test_a_fairpair_result_comes_back_with_every_text(kept: Kept) -> None:
    data = packed_texts(kept.store, fairpair=[kept.fairpair])
    assert packed_texts(kept.store, fairpair=[kept.fairpair]) == data, "the same results give the same bytes"
    (one,) = read_pack(data).texts
    there = FAIRPAIR_AUDIT.load(kept.store, kept.fairpair)
    assert there is not None
    assert one.result == there.as_imported
    assert {report.model for report in one.result.reports.values()} == {one.result.asked.key.model}  # type: ignore[union-attr]
    assert one.as_it_came == (EXCHANGE,)
    for key, block in one.texts:
        found = kept.store.texts(KEY, block.prompt, len(block.texts))
        assert found is not None
        assert (key, block) == (KEY.as_imported, found)
    assert len(one.texts) == 4


@pytest.mark.parametrize(
    ("frame", "template"),
    [(TextFrame(kind="bare"), ""), (TextFrame(kind="chat", system="Be fair.\nBe brief."), "0f0f")],
)
def test_texts_in_a_frame_come_back_with_it(tmp_path: Path, frame: TextFrame, template: str) -> None:
    store = Store.open(tmp_path)
    key = KEY.model_copy(update={"chat_template": template}).in_frame(frame)
    (one,) = read_pack(packed_texts(store, fairpair=[add_fairpair(store, key)])).texts
    assert one.result.asked.key.frame == frame
    assert one.result.asked.key.name.endswith("(bare)" if frame.kind == "bare" else "Be brief. 5a41”)")
    packed_one = packed_fairpair(store, add_fairpair(store, key))
    hidden = put("result", "asked", "key", "frame")(frame.model_dump() | {"system": "Be\u202e fair."})
    with pytest.raises(PackError, match=r"marks that change the direction|the frame TextFrame"):
        read_pack(forged(packed_one, hidden))


def test_texts_that_begin_with_another_token_come_back_with_it(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    packed_one = packed_fairpair(store, add_fairpair(store, KEY.model_copy(update={"opening": ("<bos>",)})))
    result = read_pack(forged(packed_one, lambda body: body)).texts[0].result
    assert isinstance(result, FairPairResult)
    assert fairpair_facts(result)["texts begin with"].startswith("<bos>, ")
    for name, value in {"opening": ["<b\u202eos>"], "chat_template": "0f0f", "family": "seq2seq"}.items():
        with pytest.raises(
            PackError, match=r"marks that change the direction|only bare texts of causal models"
        ):
            read_pack(forged(packed_one, put("result", "asked", "key", name)(value)))


def test_runs_and_texts_of_one_model_share_its_name(kept: Kept) -> None:
    run = small_run(intact(kept, "scored").result.asked.key)  # type: ignore[arg-type]
    assert run.as_imported.scoring.name == KEY.as_imported.model


def test_a_pack_of_runs_alone_is_as_it_was(tmp_path: Path) -> None:
    """Version 1, without the fields of texts: older programs read it."""
    store = Store.open(tmp_path)
    score(store, small_run())
    data = packed(store, small_run())
    manifest = json.loads(read_pack(data).signed)
    assert manifest["version"] == 1
    assert not {"fairpair", "criteria"} & set(manifest)
    both = packed_texts(store, runs=[small_run().key], criteria=[add_written(store)])
    assert json.loads(read_pack(both).signed)["version"] == 2
    name = f"{small_run().key}/run.json"
    assert parts_of(both)[1][name] == parts_of(data)[1][name]


@pytest.mark.parametrize("model", ["mini-gpt", "SmolLM2-135M-Instruct-Q4_1"])
def test_shipped_results_follow_from_their_texts(model: str, tmp_path: Path) -> None:
    """They were made on another machine."""
    store = Store.open(tmp_path, [ROOT / "assets" / "audits"])
    asked = [one for one in CRITERIA_AUDIT.kept(store) if one.model == model and one.generation is not None]
    keys = [one.hash for one in asked if one.experiment in ("anecdotes", "tasks")]
    assert keys
    found = read_pack(packed_texts(store, criteria=keys)).texts
    assert [one.as_it_came for one in found] == [()] * len(keys)


@pytest.mark.slow
def test_shipped_fairpair_and_hobbies_follow_from_their_texts(tmp_path: Path) -> None:
    store = Store.open(tmp_path, [ROOT / "assets" / "audits"])
    pairs = [one.hash for one in FAIRPAIR_AUDIT.kept(store) if one.key.model == "mini-gpt"]
    hobbies = [
        one.hash
        for one in CRITERIA_AUDIT.kept(store)
        if one.experiment == "hobbies" and one.generation is not None
    ]
    found = read_pack(packed_texts(store, fairpair=pairs, criteria=hobbies)).texts
    assert {one.as_it_came for one in found} == {(EXCHANGE,), ("the embedding score",)}


def test_what_cannot_be_packed_is_said(kept: Kept, tmp_path: Path) -> None:
    with pytest.raises(FairPairError, match="No finished FairPair result has the key '0000'"):
        packed_fairpair(kept.store, "0000")
    with pytest.raises(CriteriaError, match="No finished criteria result has the key"):
        packed_criteria(kept.store, kept.fairpair)
    other = Store.open(tmp_path)
    key = add_written(other)
    for path in (tmp_path / "texts").rglob("*.parquet"):
        path.unlink()
    with pytest.raises(CriteriaError, match="are missing: run the audit again"):
        packed_criteria(other, key)


# -------------------------------------------------------------------------------------- what is refused

FORGED_PAIRS: dict[str, Callable[[Any], Any]] = {
    "a model's markup": put("result", "asked", "key", "model")("<b>mini-gpt</b>"),
    "a model's line break": put("result", "asked", "key", "model")("mini\ngpt"),
    "a model's turned name": put("result", "asked", "key", "model")("mini\u202egpt"),
    "an identity that is none": put("result", "asked", "key", "identity")("<script>"),
    "an unknown family": put("result", "asked", "key", "family")("oracle"),
    "a system message": put("result", "asked", "key", "system")("Be brief."),
    "a chat without a template": put("result", "asked", "key", "frame")(
        {"kind": "chat", "system": "Be fair."}
    ),
    "an unknown frame": put("result", "asked", "key", "frame")({"kind": "loud"}),
    "other rules": put("result", "asked", "rules")("0"),
    "more texts than there are": put("result", "asked", "count")(20),
    "no measure": put("result", "asked", "dissimilarities")([]),
    "a measure without its report": put("result", "asked", "dissimilarities")(["jaccard"]),
    "an unknown measure": put("result", "asked", "dissimilarities")(["jaccard", "oracle", "sentiment"]),
    "a parser's turned name": put("result", "asked", "perturbation", "pipeline")("en\u202e"),
    "other prompts": put("prompts", "prompts", 0, "text")("John is a spy."),
    "a set's odd name": put("prompts", "name")("../../etc/passwd"),
    "a table's odd name": put("table", "name")("../gender"),
    "an unknown field": put("more")(1),
    "an unknown field of a result": put("result", "more")(1),
    "a mark of imports": put("result", "provenance", "imported")({"signature": "signed by the operator"}),
    "deep nesting": put("result", "provenance", "x")([[[[[[[1]]]]]]]),
    "a number as text": put("result", "reports", "jaccard", "p_value")("0.01"),
    "a report by nobody": put("result", "reports", "jaccard", "model")("mini-gpt"),
    "a text of our label": put("result", "label")("a theorem"),
    "a smaller p": put("result", "reports", "jaccard", "p_value")(0.001),
    "another text": put("perturbed", 0, "texts", 0)(" Nobody cares."),
    "a text of the other side": put("written", 2, "texts", 0)(" Nobody cares."),
    "an end that is none": put("written", 0, "ends", 0)("bored"),
    "another end": put("written", 0, "ends", 0)("refused"),
    "fewer ends": put("written", 0, "ends")([]),
    "fewer than no tokens": put("written", 0, "tokens", 0)(-1),
    "a text without end": put("written", 0, "texts", 0)("x" * 70_000),
    "no texts": put("written")([]),
    "other errors": put("result", "errors", "changed")(1),
    "errors of more texts": put("perturbed", 0, "errors", "texts")(11),
    "a side that is none": put("result", "ends", "nobody")({"stop": 1}),
}


@pytest.mark.parametrize("forgery", FORGED_PAIRS)
def test_a_forged_fairpair_result_is_refused_though_every_checksum_fits(kept: Kept, forgery: str) -> None:
    refused(kept, "fairpair", FORGED_PAIRS[forgery])


FORGED_CRITERIA: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "a model's markup": ("tasks", put("result", "asked", "generation", "model")("<b>")),
    "a scored model's markup": ("scored", put("result", "asked", "scoring", "model")("<b>")),
    "an unknown protocol": ("scored", put("result", "asked", "scoring", "protocol")("fitting")),
    "other rules": ("tasks", put("result", "asked", "rules")("1")),
    "another title": ("tasks", put("result", "asked", "title")("Tasks")),
    "another experiment": ("tasks", put("result", "asked", "experiment")("questions")),
    "other texts": ("tasks", put("written", 0, "texts", 0)(" The doctor did.")),
    "fewer texts": ("tasks", lambda body: {**body, "written": body["written"][:-1]}),
    "texts in another order": ("tasks", lambda body: {**body, "written": body["written"][::-1]}),
    "scores of texts": ("tasks", put("scored")([[-1.0, -1.0]])),
    "another report": ("tasks", put("result", "report", "label")("a theorem")),
    "other words left out": ("scored", put("result", "left_out")([])),
    "a word twice": ("scored", lambda body: twice(body)),
    "turned text in a reason": ("scored", put("result", "left_out", 0, "reason")("no\u202e")),
    "more than certain": ("scored", put("scored", 0, 1)(3.0)),
    "another score": ("scored", put("scored", -1, 1)(-9.0)),
    "a missing score": ("scored", put("scored", 0, 1)(None)),
    "no scores": ("scored", put("scored")([])),
    "an end of nothing": ("scored", put("result", "ends", "stop")(3)),
    "entries left out": ("tasks", put("result", "entries_left_out")([{"name": "a", "reason": "b"}])),
}
# What is asked for, with a hash that fits.
FORGED_MATERIAL: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "a wording with a trap": (
        "tasks",
        put("frames", "continuation", "asked")("{first.x:>9999999999}"),
    ),
    "other pronouns": ("tasks", put("pronouns")(["he", "it"])),
    "a pair that is not there": ("tasks", put("tasks", "tasks", 0, "pair")(99)),
    "a set's odd name": ("tasks", put("tasks", "name")("../tasks")),
    "a turned title": ("tasks", put("tasks", "title")("Tasks\u202e")),
    "an unknown field": ("tasks", put("more")(1)),
    "a labeller of one's own": ("hobbies", put("labeller")("oracle")),
    "other labels": ("hobbies", put("labels", 0, "title")("Crime")),
    "a name twice": ("hobbies", put("names", "names", 0, "name")("Ann")),
    "a name that is none": ("hobbies", put("names", "names", 0, "name")("<b>")),
    "fewer births than none": ("hobbies", put("names", "names", 0, "births")(-1)),
    "a share of more than all": ("anecdotes", put("professions", "professions", 0, "women_share")(7.0)),
    "a profession with a gender": ("anecdotes", put("professions", "professions", 0, "name")("waitress")),
}


def twice(body: Any) -> Any:
    body["result"]["left_out"] *= 2
    return body


@pytest.mark.parametrize("forgery", FORGED_CRITERIA)
def test_a_forged_result_of_the_criteria_is_refused(kept: Kept, forgery: str) -> None:
    name, change = FORGED_CRITERIA[forgery]
    refused(kept, name, change)


@pytest.mark.parametrize("forgery", FORGED_MATERIAL)
def test_material_that_no_file_could_make_is_refused(kept: Kept, forgery: str) -> None:
    name, change = FORGED_MATERIAL[forgery]

    def with_hash(body: Any) -> Any:
        body["material"] = change(body["material"])
        body["result"]["asked"]["material"] = digest(body["material"])
        return body

    refused(kept, name, with_hash)


def refused(kept: Kept, name: str, change: Callable[[Any], Any]) -> None:
    one = intact(kept, name)
    with pytest.raises(PackError) as refusal:
        read_pack(forged(one, change))
    said = str(refusal.value)
    assert said.endswith("ask for it again.")
    assert "\n" not in said
    assert "<b>" not in said


Path_ = tuple[str | int, ...]
WORKED_OUT = ("reports", "convergence", "words", "ends", "errors", "declined", "counterparts", "label")


def leaves(value: Any, path: Path_ = ()) -> Iterator[Path_]:
    """The places of all texts, numbers and truths in JSON."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, one in inner:
        yield from leaves(one, (*path, name))
    if not isinstance(value, dict | list):
        yield path


def at(body: Any, path: Path_) -> Any:
    for step in path:
        body = body[step]
    return body


def otherwise(value: Any) -> Any:
    """Another value of the same kind; nothing becomes something."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return type(value)(value + 1)
    return "x" if value is None else f"{value} x"


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(st.data())
def test_no_value_that_follows_from_others_can_be_changed(kept: Kept, data: st.DataObject) -> None:
    """Of the report, of what was asked for, and of the texts that were compared."""
    one = intact(kept, "fairpair")
    body = json.loads(canonical(one))
    places = [
        path
        for path in leaves(body)
        if path[0] in ("prompts", "table", "perturbed") or (path[0] == "result" and path[1] in WORKED_OUT)
    ]
    path = data.draw(st.sampled_from(places))
    with pytest.raises(PackError):
        read_pack(forged(one, put(*path)(otherwise(at(body, path)))))


@given(st.floats(-1e300, 1e300), st.floats(-0.9, 9))
def test_a_number_is_the_same_within_a_millionth(number: float, share: float) -> None:
    assert same(number, number)
    assert same(number, number * (1 + 1e-8))
    other = number + max(abs(number), 1.0) * math.copysign(abs(share) + 1e-3, share)
    assert not same({"a": [number]}, {"a": [other]})
    assert not same(number, str(number))
    assert not same([1.0], [1.0, 1.0])


def test_more_texts_than_can_be_compared_are_refused(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    data = packed_texts(kept.store, fairpair=[kept.fairpair])
    monkeypatch.setattr("pcf_core.texts.packed.MOST_COMPARED", 10)
    monkeypatch.setattr("pcf_core.texts.packed.measured", lambda *_: pytest.fail("they are compared"))
    with pytest.raises(PackError, match="more texts than can be compared"):
        read_pack(data)


def test_more_text_than_a_page_may_read_is_refused(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    data = packed_texts(kept.store, criteria=[kept.tasks])
    monkeypatch.setattr("pcf_core.texts.packed.MOST_CHARACTERS", 10)
    with pytest.raises(PackError, match="together more than 10"):
        read_pack(data)


def test_a_text_audit_has_a_size(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    data = packed_texts(kept.store, criteria=[kept.tasks])
    monkeypatch.setattr("pcf_core.report.packs.LARGEST_TEXTS", 100)
    with pytest.raises(PackError, match=r"criteria\.json has more than 100 bytes"):
        read_pack(data)


def test_another_temperature_is_another_request(kept: Kept, tmp_path: Path) -> None:
    """The key of a result is checked against what it asks."""
    cooler = KEY.model_copy(update={"decoding": Decoding(length=10, temperature=0.5)})
    other = Store.open(tmp_path)
    assert add_fairpair(other, cooler) != kept.fairpair
    data = packed_texts(other, fairpair=[add_fairpair(other, cooler)])
    manifest, parts = parts_of(data)
    assert manifest.keys == tuple(name.partition("/")[0] for name in parts)
