"""The table of what each number can and cannot support, in the words of the page and of docs/methods.md."""

from __future__ import annotations

from pcf_core.material.numbers import Check, Numbers, Supported

COLUMNS = (
    "number",
    "what it supports",
    "what it does not",
    "how many of 100 intervals at 95 % hold the truth, simulated",
)


def supported_rows(numbers: Numbers) -> list[tuple[str, ...]]:
    """Return a row of :data:`COLUMNS` for each number."""
    return [(one.name, one.supports, one.cannot, checks_text(one, numbers)) for one in numbers.number]


def checks_text(one: Supported, numbers: Numbers) -> str:
    """Say how often its intervals held the truth, or its verdicts were wrong, and where that is simulated."""
    files = dict.fromkeys(numbers.source[check.source].file for check in one.checks)
    return f"{'; '.join(map(check_text, one.checks))} ({', '.join(files)})"


def check_text(check: Check) -> str:
    """Say how often something held, and in what: "92 to 94: few sentences", "at most 5 wrong: …"."""
    found = check.held or check.wrong
    if len(found) == 1:
        times = f"{'at least' if check.held else 'at most'} {found[0]}"
    else:
        times = str(found[0]) if found[0] == found[1] else f"{found[0]} to {found[1]}"
    return f"{times}{' wrong' if check.wrong else ''}: {check.of}"


def markdown_table(numbers: Numbers) -> str:
    """Write the table as Markdown, and below it the command behind each source."""
    rows = [
        f"| {' | '.join(COLUMNS)} |",
        f"|{'---|' * len(COLUMNS)}",
        *(f"| {' | '.join(row)} |" for row in supported_rows(numbers)),
    ]
    commands = [f"- `{one.file}`: `{one.command}`" for one in numbers.source.values()]
    return "\n".join([*rows, "", *commands, ""])
