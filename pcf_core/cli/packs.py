"""``import`` and ``packs verify``: results from other computers, as ``export --format pack`` writes them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pcf_core.cli.console import JsonOption, give, must_record, open_store, record, say
from pcf_core.cli.criteria import criteria_document
from pcf_core.cli.fairpair import fairpair_document
from pcf_core.core.errors import PackError
from pcf_core.core.run import RunSpec
from pcf_core.core.settings import settings
from pcf_core.report.documents import picked, report_document
from pcf_core.report.files import check_target, write_whole
from pcf_core.show.findings.numbers import listed
from pcf_core.show.findings.provenance import inspected_note
from pcf_core.store.store import Store
from pcf_core.texts.criteria.records.runs import CriteriaResult
from pcf_core.texts.fairpair.records import FairPairResult

if TYPE_CHECKING:  # numpy and the checks of all material: most commands open no pack
    from pcf_core.report.packs import Pack

TextResult = FairPairResult | CriteriaResult
packs = typer.Typer(
    no_args_is_help=True, help="Packs: results in one file, for those who cannot ask the models."
)
PackArgument = Annotated[Path, typer.Argument(help="a pack, as written by export --format pack")]


def write_pack(
    store: Store,
    keys: Sequence[str],
    out: Path,
    scored_by: str,
    licence: str,
    key: Path | None,
    *,
    fairpair: Sequence[str],
    criteria: Sequence[str],
) -> None:
    """Write a pack, and read it again before it counts."""
    from pcf_core.report.packs import pack_bytes, pack_parts, read_pack
    from pcf_core.report.signatures import sign
    from pcf_core.work.packing import packed_criteria, packed_fairpair

    check_target(out)
    manifest, parts = pack_parts(
        store,
        keys,
        scored_by,
        licence,
        fairpair=[packed_fairpair(store, one) for one in dict.fromkeys(fairpair)],
        criteria=[packed_criteria(store, one) for one in dict.fromkeys(criteria)],
    )
    data = pack_bytes(manifest, parts, sign(manifest, key) if key else b"")
    try:
        read_pack(data)
    except PackError as error:
        raise PackError(f"The pack was not written, because it could not be imported: {error}") from error
    write_whole(out, lambda path: path.write_bytes(data))
    record("exported", "pack", " ".join((out.name, *keys, *fairpair, *criteria)))
    say(f"wrote {out}")


def import_runs(
    pack: Annotated[
        Path, typer.Argument(help="a pack, as written by export --format pack, or an Inspect log (.eval)")
    ],
    material: Annotated[
        list[Path] | None,
        typer.Option("--material", help="for a log: a file of yours that its task used; may be repeated"),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Import the results of a pack or an Inspect log, which are then marked as imported."""
    from pcf_core.report.importing import import_pack
    from pcf_core.texts.inspected.log import is_log

    data = pack_data(pack)
    if is_log(data):
        _import_inspect_log(data, material or (), as_json)
        return
    if material:
        raise PackError("A pack includes its material: leave out --material, which is for Inspect logs.")
    checked, signature = checked_pack(data)
    must_record()
    arrived = import_pack(open_store(), checked, signature)
    record("imported", "pack", f"{' '.join(checked.manifest.keys)} {signature}")
    for note in arrived.notes:
        say(note)
    new, existing = (*arrived.new, *arrived.new_texts), (*arrived.known, *arrived.known_texts)
    document = {
        "imported": list(map(_described, new)),
        "already_here": list(map(_described, existing)),
        "scored_by": checked.manifest.scored_by,
        "signature": signature,
    }

    def lines() -> list[str]:
        came = [_line_of(one, "imported  ") for one in new]
        return [*came, *(_line_of(one, "here already  ") for one in existing), f"signature: {signature}"]

    give(document, as_json, lines)


@packs.command()
def verify(pack: PackArgument, as_json: JsonOption = False) -> None:
    """Check the bytes and the signature of a pack and list its contents, without importing anything."""
    checked, signature = checked_pack(pack_data(pack))
    runs = [content.run.as_imported for content in checked.contents]
    document = {
        "runs": list(map(_described, runs)),
        "texts": [
            _described(one.result) | {"worked_out_again": not one.as_it_came, "as_it_came": one.as_it_came}
            for one in checked.texts
        ],
        **picked(checked.manifest, "scored_by", "licence", "versions"),
        "signature": signature,
    }

    def lines() -> list[str]:
        held = [*map(_line_of, runs), *(_line_of(one.result) for one in checked.texts)]
        held += [
            f"{one.result.asked.hash}  not calculated again: {listed(one.as_it_came)}"
            for one in checked.texts
            if one.as_it_came
        ]
        by = checked.manifest.scored_by or "not stated"
        return ["all checksums are correct", *held, f"scored by: {by}", f"signature: {signature}"]

    give(document, as_json, lines)


def checked_pack(data: bytes) -> tuple[Pack, str]:
    """Check the bytes of a pack; return it and a sentence on its signature."""
    from pcf_core.report.packs import read_pack
    from pcf_core.report.signatures import signature_of

    pack = read_pack(data)
    return pack, signature_of(pack.signed, pack.signature, settings().signers)


def _described(one: RunSpec | TextResult) -> dict[str, Any]:
    """Describe a run or a text audit of a pack."""
    if isinstance(one, RunSpec):
        key = one.scoring
        return {"run": one.key, "model": key.name, "dtype": key.dtype, "topic": one.topic.name}
    return {"request": one.asked.hash, **picked(one.asked.key, "model", "dtype"), "audit": _audit_of(one)}


def _audit_of(one: TextResult) -> str:
    """Name a text audit: "fairpair", or "criteria, hobbies"."""
    return "fairpair" if isinstance(one, FairPairResult) else f"criteria, {one.asked.experiment}"


def _line_of(one: RunSpec | TextResult, became: str = "") -> str:
    if isinstance(one, RunSpec):
        return f"{one.key}  {became}{one.scoring.label} · {one.topic.name}"
    return f"{one.asked.hash}  {became}{one.asked.key.label} · {_audit_of(one)}"


def pack_data(pack: Path) -> bytes:
    """Read the bytes of a pack, no more of them than one may have."""
    from pcf_core.report.packs import LARGEST

    try:
        if not pack.is_file():
            raise PackError(f"{str(pack)!r} is not a file: give the path of a pack.")
        with pack.open("rb") as file:
            return file.read(LARGEST + 1)
    except OSError as error:
        raise PackError(
            f"{str(pack)!r} cannot be read ({error.strerror}): give the path of a pack."
        ) from error


def _import_inspect_log(data: bytes, files: Sequence[Path], as_json: bool) -> None:
    """Store the texts of a log and print their result."""
    from pcf_core.audit.options import ViewOptions
    from pcf_core.audit.results import Results
    from pcf_core.cli.criteria import ModelRequest
    from pcf_core.cli.criteria import run_now as read_criteria
    from pcf_core.cli.fairpair import run_now as read_fairpair
    from pcf_core.cli.panels import criteria_lines, fairpair_lines, run_lines
    from pcf_core.texts.inspected.log import read_log
    from pcf_core.work.inspecting import ReadAsFairPair, ReadAsSampled, import_log, key_of

    log, store = read_log(data), open_store()
    key = key_of(log)
    must_record()
    arrived = import_log(store, log, files)
    record("imported", "texts", f"{key.model} {log.eval_id}")
    say(inspected_note(key))
    if isinstance(arrived.read_as, ReadAsFairPair):
        one = arrived.read_as
        result, _ = read_fairpair(store, one.asked, one.material)
        report, lines = fairpair_document(result, result.reports), partial(fairpair_lines, [result])
    elif isinstance(arrived.read_as, ReadAsSampled):
        item = Results(store).report(arrived.read_as.run, ViewOptions())
        report, lines = report_document(item.report), partial(run_lines, store, item, ViewOptions(), None)
    else:
        answers, _ = read_criteria(
            store, ModelRequest(arrived.read_as.asked, arrived.read_as.material, inspected_note(key))
        )
        report, lines = criteria_document(answers), partial(criteria_lines, [answers])
    document = {
        "log": {
            "model": log.model,
            "served": log.served,
            "created": log.created.isoformat(),
            "eval_id": log.eval_id,
            "task": log.task.audit,
        },
        "model": key.model,
        "texts": arrived.texts,
        "new_texts": arrived.new,
        "report": report,
    }
    give(document, as_json, lines)
