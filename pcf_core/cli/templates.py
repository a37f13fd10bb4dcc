"""``templates``: list the template sets, and make sets from others."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Annotated, Any

import typer

from pcf_core.cli.console import JsonOption, give, say
from pcf_core.cli.files import end_reading, with_files
from pcf_core.core.errors import InputError
from pcf_core.core.settings import settings
from pcf_core.core.topics import MinedSet, SetCard, TemplateSet, counts_of_families
from pcf_core.material.safety.understood import Reading
from pcf_core.material.shelves import name_of
from pcf_core.material.template_editing import renamed
from pcf_core.material.template_files import CARD, card_text, csv_bytes, parquet_bytes
from pcf_core.material.templates import (
    left_out_template_sets,
    list_template_sets,
    load_card,
    load_mined,
    own_template_sets,
)
from pcf_core.measure.resampling import effective_number
from pcf_core.mining.rewording import chosen_rules, reworded
from pcf_core.report.files import write_whole

FACTS = {"language", "form", "corpus", "licence", "documents", "words", "matches", "cut", "kept", "parents"}

templates = typer.Typer(help="List the template sets, or make a set from another.")


@templates.callback(invoke_without_command=True)
def list_all(context: typer.Context, as_json: JsonOption = False) -> None:
    """List the template sets, the shipped ones first."""
    if context.invoked_subcommand:
        return
    sets = [(one, load_card(one.name)) for one in list_template_sets()]
    own = own_template_sets()
    for item in left_out_template_sets():
        say(f"left out: {item.name}: {item.reason}")
    give(
        [one.model_dump() | {"own": one.name in own} | card.model_dump(include=FACTS) for one, card in sets],
        as_json,
        lambda: [
            f"{one.name:<24} {len(one.templates):>7,} templates  "
            f"{_families_text(one):<14}  "
            f"{_share_text(card):<18}  "
            f"{f'{card.documents:,} documents' if card.documents else '':<20}  "
            f"{'own  ' * (one.name in own)}{one.title}" + (f" ({card.licence})" if card.licence else "")
            for one, card in sets
        ],
    )


def _share_text(card: SetCard) -> str:
    """Return the share of the mined counts that a set covers; empty if it was not mined."""
    if not card.kept:
        return "share unknown"
    return f"{card.kept:.1%} of the mass" if card.matches or card.kept < 1 else ""


def _families_text(templates: TemplateSet) -> str:
    """Return the number of families, if fewer than templates."""
    return f"{len(set(templates.families)):,} families" if templates.families else ""


SetArgument = Annotated[str, typer.Argument(metavar="SET", help="a shipped name, one of yours, or a file")]
OutOption = Annotated[Path | None, typer.Option("--out", help="the .csv or .parquet file to write")]
PipelineOption = Annotated[
    str, typer.Option("--pipeline", help="the parser: en-mini, a spaCy package or a folder")
]


@templates.command()
@with_files
def families(
    given: SetArgument,
    out: OutOption = None,
    pipeline: PipelineOption = "",
    as_json: JsonOption = False,
    *,
    reading: Reading,
) -> None:
    """Find which templates of a set say the same, and write the set with its families."""
    from pcf_core.mining.families import grouped
    from pcf_core.mining.parser.pipeline import open_pipeline

    mined, file = _read(given, out, reading, as_json=as_json)
    parser = open_pipeline(pipeline or settings().pipeline)
    _give_set(_renamed_to(grouped(mined, parser), file), file, as_json)


@templates.command()
@with_files
def reword(
    given: SetArgument,
    out: OutOption = None,
    rule: Annotated[
        list[str] | None,
        typer.Option("--rule", help="a rule to use (docs/mining.md); may be repeated; by default those on"),
    ] = None,
    as_json: JsonOption = False,
    *,
    reading: Reading,
) -> None:
    """Say each template of a set in other words too, and write the set with its families."""
    for one in chosen_rules(rule or ()):
        if not one.on:
            say(f"The rule {one.name} is {one.standing}.")
    mined, file = _read(given, out, reading, as_json=as_json)
    _give_set(_renamed_to(reworded(mined, rule or ()), file), file, as_json)


def _read(given: str, out: Path | None, reading: Reading, *, as_json: bool) -> tuple[MinedSet, Path]:
    """Read a set, and check the file for what is made of it; with ``--dry-run``, end the command."""
    mined = load_mined(given)
    end_reading(reading, as_json=as_json)
    return mined, checked_out(out)


def _renamed_to(mined: MinedSet, out: Path) -> MinedSet:
    """Return a set under the name of the file that it is written to."""
    name = name_of(out)
    return mined if mined.name == name else renamed(mined, name)


def _give_set(mined: MinedSet, out: Path, as_json: bool) -> None:
    """Write a set, and say how many families it has."""
    write_set(mined, out)
    counts = counts_of_families(mined.templates)
    answer: dict[str, Any] = {
        "out": str(out),
        "name": mined.name,
        "templates": len(mined.templates),
        "families": len(counts),
        "effective_families": effective_number(counts),
    }
    give(
        answer,
        as_json,
        lambda: [
            f"{answer['out']}  {answer['templates']:,} templates in {answer['families']:,} families, which "
            f"count like {answer['effective_families']:,.0f} equally common ones"
        ],
    )


def write_set(mined: MinedSet, out: Path) -> None:
    """Write a set as CSV or Parquet, with its card beside it."""
    data = parquet_bytes(mined) if out.suffix == ".parquet" else csv_bytes(mined)
    write_whole(out, lambda path: path.write_bytes(data))
    write_whole(out.with_suffix(".toml"), lambda path: path.write_text(card_text(mined.card), "utf8"))


def checked_out(out: Path | None) -> Path:
    """Check that the file of the set can be written, before hours of work."""
    if (
        out is None
        or out.suffix not in (".csv", ".parquet")
        or out.is_dir()
        or not out.absolute().parent.is_dir()
    ):
        raise InputError(
            f"--out must be a .csv or .parquet file in an existing folder; {str(out or '')!r} was given."
        )
    if not os.access(out.absolute().parent, os.W_OK):
        raise InputError(f"The folder of --out cannot be written ({out}): choose another.")
    card = out.with_suffix(".toml")
    if card.exists() and not _is_card(card):
        raise InputError(
            f"{card} exists and is not the card of a template set, so it would be overwritten: "
            "choose another --out."
        )
    return out


def _is_card(path: Path) -> bool:
    """Tell whether a file is the card of an earlier set."""
    try:
        return {"title"} <= set(tomllib.loads(path.read_text(encoding="utf8"))) <= set(CARD)
    except (OSError, ValueError):
        return False
