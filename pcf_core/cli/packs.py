"""``import`` and ``packs verify``: runs that were scored elsewhere; ``export --format pack`` writes them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from pcf_core.cli.console import give, open_store, record, say
from pcf_core.cli.options import JsonOption
from pcf_core.core.errors import PackError
from pcf_core.core.run import RunSpec
from pcf_core.core.settings import settings
from pcf_core.report.tables import check_target, write_whole
from pcf_core.store.store import Store

packs = typer.Typer(
    no_args_is_help=True, help="Packs: runs in one file, for those who cannot score the models."
)
PackArgument = Annotated[Path, typer.Argument(help="a pack, as export --format pack writes it")]


def write_pack(
    store: Store, keys: Sequence[str], out: Path, scored_by: str, licence: str, key: Path | None
) -> None:
    """Write a pack, and read it again before it counts."""
    from pcf_core.report.packs import pack_bytes, pack_parts, read_pack
    from pcf_core.report.signing import sign

    check_target(out)
    manifest, parts = pack_parts(store, keys, scored_by, licence)
    data = pack_bytes(manifest, parts, sign(manifest, key) if key else b"")
    read_pack(data)
    write_whole(out, lambda path: path.write_bytes(data))
    record("exported", "pack", " ".join((out.name, *keys)))
    say(f"wrote {out}")


def import_runs(
    pack: Annotated[
        Path, typer.Argument(help="a pack, as export --format pack writes it, or a log of Inspect (.eval)")
    ],
    material: Annotated[
        list[Path] | None,
        typer.Option("--material", help="of a log: a file of yours that its task was asked with; repeatable"),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show runs of a pack, or texts of a log of Inspect, beside those made here, marked as imported."""
    from pcf_core.report.importing import import_pack
    from pcf_core.report.packs import read_pack
    from pcf_core.report.signing import signature_of
    from pcf_core.texts.inspected.log import is_log

    data = pack_data(pack)
    if is_log(data):
        from pcf_core.cli.inspect_logs import import_inspect_log

        import_inspect_log(data, material or (), as_json)
        return
    if material:
        raise PackError("A pack has its material in it: leave --material out, which is of a log of Inspect.")
    found = read_pack(data)
    signature = signature_of(found.signed, found.signature, settings().signers)
    arrived = import_pack(open_store(), found, signature)
    record("imported", "pack", f"{' '.join(found.manifest.runs)} {signature}")
    document = {
        "imported": [told(run) for run in arrived.new],
        "already_here": [told(run) for run in arrived.known],
        "scored_by": found.manifest.scored_by,
        "signature": signature,
    }

    def lines() -> list[str]:
        new = [f"{run.key}  imported  {run.scoring.label} · {run.topic.name}" for run in arrived.new]
        known = [f"{run.key}  here already  {run.scoring.label} · {run.topic.name}" for run in arrived.known]
        return [*new, *known, f"signature: {signature}"]

    give(document, as_json, lines)


@packs.command()
def verify(pack: PackArgument, as_json: JsonOption = False) -> None:
    """Check every byte of a pack and its signature, and say what it holds; nothing is imported."""
    from pcf_core.report.packs import read_pack
    from pcf_core.report.signing import signature_of

    found = read_pack(pack_data(pack))
    signature = signature_of(found.signed, found.signature, settings().signers)
    runs = [content.run.as_imported for content in found.contents]
    document = {
        "runs": [told(run) for run in runs],
        "scored_by": found.manifest.scored_by,
        "licence": found.manifest.licence,
        "versions": found.manifest.versions,
        "signature": signature,
    }

    def lines() -> list[str]:
        held = [f"{run.key}  {run.scoring.label} · {run.topic.name}" for run in runs]
        by = found.manifest.scored_by or "somebody who gives no name"
        return ["every byte fits", *held, f"scored by: {by}", f"signature: {signature}"]

    give(document, as_json, lines)


def told(run: RunSpec) -> dict[str, Any]:
    """Say what a run of a pack is."""
    return {"run": run.key, "model": run.scoring.name, "dtype": run.scoring.dtype, "topic": run.topic.name}


def pack_data(pack: Path) -> bytes:
    """Read the bytes of a pack, no more of them than one may have.

    Raises
    ------
    PackError
        It cannot be read.
    """
    from pcf_core.report.packs import LARGEST

    try:
        if not pack.is_file():
            raise PackError(f"{str(pack)!r} is no file: give the path of a pack.")
        with pack.open("rb") as file:
            return file.read(LARGEST + 1)
    except OSError as error:
        raise PackError(
            f"{str(pack)!r} cannot be read ({error.strerror}): give the path of a pack."
        ) from error
