"""Packs: the same runs give the same bytes, all of it comes back, and nothing else is ever read."""

from __future__ import annotations

import io
import json
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from pcf_core.core.errors import InputError, PackError, RunError
from pcf_core.core.frame import Frame
from pcf_core.core.run import ScoringKey
from pcf_core.core.settings import ROOT
from pcf_core.models.registry import resolve
from pcf_core.report.packs import FILES, PackedRun, _check_key, _content, pack_parts, read_pack
from pcf_core.store.store import Store
from tests.quick import scaled
from tests.report.small_packs import changed, packed, parts_of, score, small_run


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    found = Store.open(tmp_path_factory.mktemp("packs"))
    score(found, small_run())
    return found


@pytest.fixture(scope="module")
def pack(store: Store) -> bytes:
    return packed(store, small_run())


def test_the_same_runs_give_the_same_bytes_however_their_scores_lie(
    store: Store, pack: bytes, tmp_path: Path
) -> None:
    assert packed(store, small_run()) == pack
    other = Store.open(tmp_path)
    both = small_run(terms=("clerk", "nurse", "pilot"))
    score(other, both)
    run = small_run(terms=("clerk", "nurse"))
    other.save_run(run, {})
    again, parts = parts_of(packed(other, run))
    assert parts[f"{run.key}/scores.f32"] == parts_of(packed(other, run))[1][f"{run.key}/scores.f32"]
    assert len(parts[f"{run.key}/scores.f32"]) == 6 * 2 * 4, "of the third occupation there is nothing"
    assert again.runs == (run.key,)


def test_all_of_a_run_comes_back(store: Store, pack: bytes) -> None:
    (content,) = read_pack(pack).contents
    run = small_run()
    assert content.run == run
    assert content.packed.provenance == store.run_info(run.key).provenance
    assert {prompt for block in content.blocks for prompt in block.prompts} == set(run.prompts)
    assert [block.words for block in content.blocks] == [("he", "she"), ("He", "She")]
    for block in content.blocks:
        values = store.gather(run.scoring, block.prompts, block.words)
        np.testing.assert_array_equal(block.values, values)
    assert set(content.table.refused) == {"him", "Him"}


def test_a_pack_carries_the_families_of_templates(tmp_path: Path) -> None:
    run = small_run()
    said = tuple(template.model_copy(update={"family": "say"}) for template in run.templates.templates)
    store = Store.open(tmp_path)
    score(store, run.model_copy(update={"templates": run.templates.model_copy(update={"templates": said})}))
    (content,) = read_pack(packed(store, run)).contents
    assert content.run.templates.families == ("say",) * 3
    assert content.run.key == run.key


def test_a_pack_is_an_archive_that_any_program_opens(pack: bytes) -> None:
    key = small_run().key
    with zipfile.ZipFile(io.BytesIO(pack)) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == ["manifest.json", *(f"{key}/{name}" for name in FILES)]
        assert {info.compress_type for info in archive.infolist()} == {zipfile.ZIP_STORED}
        manifest = json.loads(archive.read("manifest.json"))
    assert manifest["scored_by"] == "Ann"
    assert "licences of their sources" in manifest["licence"]


@pytest.mark.parametrize("model", ["mini-gpt", "mini-bert"])
def test_shipped_runs_can_be_packed(model: str, tmp_path: Path) -> None:
    shipped = Store.open(tmp_path, [ROOT / "assets" / "cache"])
    runs = [info.run for info in shipped.runs() if info.run.scoring.model == model]
    run = min(runs, key=lambda run: run.cells)
    (content,) = read_pack(packed(shipped, run)).contents
    assert content.run == run


def test_no_byte_can_be_changed(pack: bytes) -> None:
    """Each in the directory of the archive, where a lenient reader looks away, and some of all others."""
    manifest, _ = parts_of(pack)
    data = sum(part.size for part in manifest.parts)
    assert data > len(pack) / 2
    places = {*range(0, len(pack), 97), *range(60), *range(len(pack) - 500, len(pack))}
    for place in sorted(places):
        for flip in (0x01, 0x80):
            wrong = bytearray(pack)
            wrong[place] ^= flip
            with pytest.raises(PackError):
                read_pack(bytes(wrong))


def test_no_byte_can_be_added_or_left_out(pack: bytes) -> None:
    for wrong in (b"", pack[:-1], pack[1:], pack + b"\0", b"\0" + pack, pack[: len(pack) // 2], pack * 2):
        with pytest.raises(PackError, match=r"no pack, or was changed.*ask for it again\.$"):
            read_pack(wrong)


@settings(max_examples=scaled(200), suppress_health_check=[HealthCheck.too_slow])  # of a busy machine
@given(st.data())
def test_whatever_is_thrown_at_it_is_refused_in_a_sentence(pack: bytes, data: st.DataObject) -> None:
    """Pieces of a pack, doubled, cut and mixed with others."""
    cuts = st.tuples(st.integers(0, len(pack)), st.integers(0, 400))
    pieces = st.one_of(st.binary(max_size=40), cuts.map(lambda cut: pack[cut[0] : cut[0] + cut[1]]))
    made = b"".join(data.draw(st.lists(pieces, max_size=6)))
    start = data.draw(st.sampled_from([b"", pack[:43], pack[:200], pack[:-22]]))
    assume(start + made != pack)  # the pieces may be the whole
    with pytest.raises(PackError) as refusal:
        read_pack(start + made)
    assert "\n" not in str(refusal.value)


def archive_of(entries: list[tuple[str, bytes]], **how: Any) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", **how) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a name that stands twice
        for name, data in entries:
            archive.writestr(zipfile.ZipInfo(name) if not how else name, data)
    return target.getvalue()


def entries_of(pack: bytes) -> list[tuple[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(pack)) as archive:
        return [(name, archive.read(name)) for name in archive.namelist()]


def test_hostile_archives_are_refused(pack: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Packed entries are not unpacked: nothing that unpacks is called."""
    entries = entries_of(pack)
    bomb = [("manifest.json", b" " * 10**7), *entries[1:]]
    link = zipfile.ZipInfo(entries[1][0], (1980, 1, 1, 0, 0, 0))
    link.external_attr, link.create_system = 0o120777 << 16, 3
    linked = io.BytesIO()
    with zipfile.ZipFile(linked, "w") as archive:
        archive.writestr("manifest.json", entries[0][1])
        archive.writestr(link, "/etc/passwd")
    hostile = [
        archive_of(entries, compression=zipfile.ZIP_DEFLATED),
        archive_of(bomb, compression=zipfile.ZIP_DEFLATED),
        archive_of(bomb, compression=zipfile.ZIP_BZIP2),
        archive_of([*entries, ("../../run.json", b"{}")]),
        archive_of([("/etc/passwd", b""), *entries]),
        archive_of([*entries, ("C:\\run.json", b"{}")]),
        archive_of([entries[0], ("../run.json", entries[1][1]), *entries[2:]]),
        archive_of([entries[0], *entries]),
        archive_of(entries[::-1]),
        archive_of(entries[:-1]),
        linked.getvalue(),
    ]
    monkeypatch.setattr(zipfile.ZipFile, "read", lambda *_: pytest.fail("it is unpacked"))
    monkeypatch.setattr(zipfile.ZipFile, "extractall", lambda *_: pytest.fail("it is unpacked"))
    for wrong in hostile:
        with pytest.raises(PackError):
            read_pack(wrong)


def test_a_pack_has_a_size(pack: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pcf_core.report.packs.LARGEST", len(pack) - 1)
    with pytest.raises(PackError, match="at most 0 MiB"):
        read_pack(pack)


def put(*path: str | int) -> Callable[[Any], Callable[[Any], Any]]:
    """``put("run", "plan")(value)`` changes that place of JSON."""

    def to(value: Any) -> Callable[[Any], Any]:
        def change(body: Any) -> Any:
            inner = body
            for step in path[:-1]:
                inner = inner[step]
            inner[path[-1]] = value
            return body

        return change

    return to


def without(name: str) -> Callable[[Any], Any]:
    return lambda body: {key: value for key, value in body.items() if key != name}


RUN, WORDS, SCORES = FILES
FORGED: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "markup in a model": (RUN, put("run", "scoring", "model")("<b>mini-gpt</b>")),
    "a line break in a model": (RUN, put("run", "scoring", "model")("mini\ngpt")),
    "an unknown family": (RUN, put("run", "scoring", "family")("oracle")),
    "no identity": (RUN, put("run", "scoring", "identity")("")),
    "a path as identity": (RUN, put("run", "scoring", "identity")("<script>")),
    "an unknown protocol": (RUN, put("run", "scoring", "protocol")("fitting")),
    "another topic": (RUN, put("run", "topic", "groups", 0, "words")(["it"])),
    "a topic's odd name": (RUN, put("run", "topic", "name")("../gender")),
    "control characters": (RUN, put("run", "topic", "title")("Gender\u202e")),
    "a list's odd name": (RUN, put("run", "evidence", "name")("few <b>")),
    "a weight that is none": (RUN, put("run", "evidence", "weights")([-1.0, 2.0])),
    "a template's odd count": (RUN, put("run", "templates", "templates", 0, "count")(-1.0)),
    "more than all": (RUN, put("run", "templates", "kept")(7.0)),
    "a number as text": (RUN, put("run", "templates", "kept")("1")),
    "an unknown field": (RUN, put("run", "more")(1)),
    "a plan of nothing": (RUN, put("run", "plan")({"within": 0.1, "seed": 0, "times": [1, 0, 0]})),
    "a mark of imports": (RUN, put("provenance", "imported")({"signature": "signed by the operator"})),
    "not finished": (RUN, put("provenance", "unchecked")(True)),
    "deep nesting": (RUN, put("provenance", "x")([[[[[[[1]]]]]]])),
    "markup that turns": (RUN, put("provenance", "device")("cpu\u202e")),
    "a self-audit that is none": (RUN, put("provenance", "self_audit")({"traits": 1})),
    "no time zone": (RUN, put("created")("2026-01-01T00:00:00")),
    "words without tokens": (WORDS, put("tokens")({"he": 1})),
    "a word without tokens": (WORDS, put("tokens", "he")(0)),
    "a word of another topic": (WORDS, put("tokens", "it")(1)),
    "accepted and refused": (WORDS, put("refused", "he")("no")),
    "a spelling of nothing": (WORDS, put("spelling")({"nobody": "1"})),
    "markup in a reason": (WORDS, put("refused", "him")("\x07")),
    "no refused words": (WORDS, without("refused")),
    "too few scores": (SCORES, lambda data: data[:-4]),
    "a part of a number": (SCORES, lambda data: data[:-1]),
    "too many scores": (SCORES, lambda data: data + data),
    "no numbers": (SCORES, lambda data: b"\xff" * len(data)),
    "more than certain": (SCORES, lambda data: np.full(len(data) // 4, 1, "<f4").tobytes()),
    "another format": ("manifest.json", put("format")("zip")),
    "a later version": ("manifest.json", put("version")(2)),
    "no run": ("manifest.json", put("runs")([])),
    "a run's odd key": ("manifest.json", put("runs")(["../../../../etc"])),
    "another run's key": ("manifest.json", put("runs")(["0" * 16])),
    "markup in who scored": ("manifest.json", put("scored_by")("<img src=x>")),
    "a version with a line": ("manifest.json", put("versions")({"a": "1\n2"})),
    "no parts": ("manifest.json", put("parts")([])),
    "a part's odd name": ("manifest.json", put("parts", 0, "name")("../run.json")),
    "a part's odd size": ("manifest.json", put("parts", 0, "size")(3)),
    "a part's other sum": ("manifest.json", put("parts", 0, "sha256")("0" * 64)),
}


@pytest.mark.parametrize("forgery", FORGED)
def test_forged_parts_are_refused_though_every_checksum_fits(pack: bytes, forgery: str) -> None:
    name, change = FORGED[forgery]
    with pytest.raises(PackError) as refusal:
        read_pack(changed(pack, name, change))
    said = str(refusal.value)
    assert said.endswith("ask for it again.")
    assert "\n" not in said


def test_a_pack_of_a_later_program_is_told_which_versions_are_read(pack: bytes) -> None:
    with pytest.raises(PackError, match=r"manifest.json: version must be 1, 2 or 3"):
        read_pack(changed(pack, "manifest.json", put("version")(9)))


def test_a_change_that_is_none_is_taken(pack: bytes) -> None:
    """So that what the forgeries are refused for is what was changed."""
    assert changed(pack, RUN, lambda body: body) == pack
    assert changed(pack, "manifest.json", lambda body: body) == pack


def test_prompts_are_not_made_before_as_many_numbers_are_there(
    pack: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A list of many terms in a small file would make prompts without end."""
    monkeypatch.setattr("pcf_core.report.packs.by_writing", lambda *_: pytest.fail("prompts are made"))
    parts = [data for _, data in entries_of(pack)][1:]
    body = json.loads(parts[0])
    body["run"]["evidence"]["terms"] = [f"term {number}" for number in range(5000)]
    run = PackedRun.model_validate_json(json.dumps(body), strict=True).run
    files = [json.dumps(body, ensure_ascii=False, indent=1).encode(), *parts[1:]]
    with pytest.raises((ValueError, InputError), match="a number for every prompt"):
        _content(run.key, files, 10**9)
    with pytest.raises((ValueError, InputError), match="cells"):
        _content(run.key, files, 100)


def test_what_is_not_finished_is_not_packed(tmp_path: Path) -> None:
    store = Store.open(tmp_path)
    run = small_run()
    store.ask_for(run)
    with pytest.raises(RunError, match="is not finished"):
        pack_parts(store, [run.key])
    store.save_run(run, {})
    with pytest.raises(RunError, match="lacks"):
        pack_parts(store, [run.key])
    with pytest.raises(PackError, match="none is named: give the key of a run"):
        pack_parts(store, [])


@pytest.mark.parametrize("by", ["<b>", "x" * 201, "a\u202eb"])
def test_who_scored_is_plain_text(store: Store, by: str) -> None:
    with pytest.raises(PackError, match="--by"):
        pack_parts(store, [small_run().key], by)


@pytest.mark.parametrize(
    "change",
    [{"family": "masked"}, {"frame": Frame(kind="chat", text="user: Continue.")}, {"opening": ("<s>\x07",)}],
)
def test_only_bare_texts_of_causal_models_begin_with_other_tokens(change: dict[str, Any]) -> None:
    key = ScoringKey.of(resolve("mini-gpt")).model_copy(update={"opening": ("</s>",)})
    _check_key(key)
    with pytest.raises((ValueError, PackError)):
        _check_key(key.model_copy(update=change))
