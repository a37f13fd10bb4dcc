"""Write the families of the shipped template sets into their files, by the rule on texts.

    python -m tools.write_families [--out FOLDER]

Only the column ``family`` is written; the rest of each file stays byte for byte.  A text has the same family
in all sets.  Sets in other languages have no rule, and those that ``tools.write_cued_sets`` writes have
families of their own.  The calibration has none, because each of its contexts was planted by itself.
"""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Annotated

import typer

from pcf_core.cli.console import say
from pcf_core.core.settings import settings
from pcf_core.core.topics import FITS_OF_FORM, MinedSet, Part
from pcf_core.material.shelves import LAST
from pcf_core.material.template_files import FAMILY
from pcf_core.material.templates import SHELF, load_mined
from pcf_core.mining.families import is_readable, names_of
from pcf_core.mining.parser.pipeline import open_pipeline
from pcf_core.mining.rewording import REWORDED
from tools.write_cued_sets import CUES


def sets_with_a_rule() -> list[MinedSet]:
    """Load the shipped sets whose families the rule finds; some were written or reworded in families."""
    others = {LAST, *(f"{topic}-choices" for topic in CUES)}
    names = [name for name in SHELF.shipped() if name not in others]
    return [
        mined
        for mined in map(load_mined, names)
        if is_readable(mined.card.language) and not _has_families(mined)
    ]


def _has_families(mined: MinedSet) -> bool:
    is_reworded = any(step.startswith(REWORDED) for step in mined.card.history)
    return is_reworded or mined.card.form == "decision"


def families(sets: list[MinedSet]) -> list[list[str]]:
    """Find the family of each template of several sets: the same for the same template of one form."""
    parser = open_pipeline("en-mini")
    names: dict[tuple[str, str, tuple[Part, ...]], str] = {}
    for form in sorted({mined.card.form for mined in sets}):
        templates = {
            (one.text, one.fits): one for mined in sets if mined.card.form == form for one in mined.templates
        }
        several = [templates[key] for key in sorted(templates)]
        found = names_of(several, parser, FITS_OF_FORM.get(form, ()))
        names |= {(form, one.text, one.fits): name for one, name in zip(several, found, strict=True)}
    return [[names[mined.card.form, one.text, one.fits] for one in mined.templates] for mined in sets]


def with_families(table: bytes, names: list[str]) -> bytes:
    """Return a CSV file whose column of families is replaced, or added as the last."""
    header, *rows = csv.reader(io.StringIO(table.decode(), newline=""))
    if FAMILY in header:
        header, rows = header[:-1], [row[:-1] for row in rows]
    sink = io.StringIO(newline="")
    writer = csv.writer(sink, lineterminator="\n")
    writer.writerow([*header, FAMILY])
    writer.writerows([*row, name] for row, name in zip(rows, names, strict=True))
    return sink.getvalue().encode()


def main(
    out: Annotated[Path | None, typer.Option(help="where to write; else assets/templates")] = None,
) -> None:
    """Write the families of all shipped sets in English that were not written with families."""
    shipped = settings().assets / "templates"
    sets = sets_with_a_rule()
    for mined, names in zip(sets, families(sets), strict=True):
        file = shipped / f"{mined.name}.csv"
        (out or shipped).joinpath(file.name).write_bytes(with_families(file.read_bytes(), names))
        say(f"{mined.name}: {len(names):,} templates in {len(set(names)):,} families")


if __name__ == "__main__":
    typer.run(main)
