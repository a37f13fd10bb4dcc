"""Write the table of readers in docs/own.md from what they accept.  Run as a module."""

from __future__ import annotations

from pcf_core.core.settings import ROOT
from pcf_core.material import evidence, factors, knowledge, template_files, topics
from pcf_core.material.safety.tables import Accepted, Column
from pcf_core.texts.criteria import names, professions, questions, tasks
from pcf_core.texts.fairpair import categories, prompts, tables

PLACE = ROOT / "docs" / "own.md"
BEGIN, END = "<!-- readers -->\n", "<!-- end of readers -->\n"
READERS: tuple[Accepted, ...] = (
    topics.ACCEPTED,
    evidence.ACCEPTED,
    evidence.WEIGHTS,
    factors.ACCEPTED,
    template_files.ACCEPTED,
    knowledge.ACCEPTED,
    prompts.ACCEPTED,
    categories.ACCEPTED,
    tables.ACCEPTED,
    professions.ACCEPTED,
    names.ACCEPTED,
    questions.ACCEPTED,
    tasks.ACCEPTED,
)


def readers_table() -> str:
    """Write a row per reader: the columns of tables, what a line of a text is, what JSON may be."""
    rows = [
        f"| {one.what} | {'; '.join(map(_column, one.columns)) or '–'} | {one.line or '–'} | "
        f"{one.json or '–'} | {_others(one)} |"
        for one in READERS
    ]
    head = "| what | columns of a table | a line of text | JSON | also |\n|---|---|---|---|---|"
    return "\n".join([head, *(row.replace("with | between", r"with \| between") for row in rows), ""])


def _column(column: Column) -> str:
    name = f"`{column.name}`" if column.needed else f"*`{column.name}`*"
    also = f" (also {', '.join(f'`{other}`' for other in column.also)})" if column.also else ""
    return f"{name}{also}: {column.holds}"


def _others(one: Accepted) -> str:
    return ", ".join(["TOML"] * one.toml + ["Parquet"] * one.parquet) or "–"


def with_table(text: str) -> str:
    """Put the table between its two marks in a document."""
    before, _, rest = text.partition(BEGIN)
    return f"{before}{BEGIN}{readers_table()}{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    PLACE.write_text(with_table(PLACE.read_text(encoding="utf8")), encoding="utf8")
