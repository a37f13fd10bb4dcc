"""What somebody does on a page, step by step, and what changes: the page, its address, the queue, files.

A walk's golden tells each step with the lines that went (-) and came (+).  What is beside the page (another
session, a worker) does its part by a function.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pcf_core.core.settings import settings
from pcf_core.material.templates import load_mined
from tests.goldens.recorded import assert_recorded
from tests.pages.opened import App, own_queue
from tests.pages.own import tick
from tests.pages.shown import anywhere, lines

OWN = ("topics", "templates", "evidence", "knowledge", "prompts", "categories", "criteria", "corpora")
LEFT_OUT = ("run", "topic", "topics", "protocol_hash")  # of a job's payload: hashes and whole documents
Step = str | tuple[Any, ...]  # the button that is pressed; or what is done, and with what


def assert_state(app: App, name: str) -> None:
    """Hold the texts of an open page, in their order, to the golden of a name."""
    assert_recorded(f"pages/states/{file_name(name)}", list(lines(app.main)))


def assert_walk(app: App, name: str, *steps: Step) -> None:
    """Take steps on an open page, and hold what changes by each to the golden of a name."""
    story, before = [], state_of(app)
    for step in steps:
        take(app, step)
        now = state_of(app)
        story.append({"step": described(step), **changes(before, now)})
        before = now
    assert_recorded(f"pages/walks/{file_name(name)}", story)


def file_name(name: str) -> str:
    return re.sub(r"\W+", "_", name)


def take(app: App, step: Step) -> None:
    match step:
        case ("do", change):
            change()
            app.run()
        case str():
            app.press(step)
        case ("pick", label):
            app.press_label(label)
        case ("go", page):
            app.switch_page(f"pages/{page}.py").run()
        case ("foot",):
            app.open_foot()
        case ("tick", *rows):
            tick(app, *rows)
        case ("send", key, name, content):
            app.upload(key, name, content)
        case ("set", key, value):
            app.get_by_key(key).set_value(value).run()  # type: ignore[union-attr]
        case ("fill", label, value):
            app.field(label).set_value(value).run()
        case _:
            raise AssertionError(step)


def state_of(app: App) -> dict[str, list[str]]:
    """What can change by a step: the page, its address, the queue, and files of the user's own."""
    return {
        "page": list(lines(app.main)),
        "address": [anywhere(f"{name}={value}") for name, value in sorted(app.query_params.items())],
        "queue": [
            f"{job.kind}, {job.state}, {job.total}: {anywhere(payload_text(job.payload))}"
            for job in own_queue().list(9)
        ],
        "files": [line for folder in OWN for line in files_of(settings().cache / folder)],
    }


def payload_text(payload: dict[str, Any]) -> str:
    return json.dumps(
        {name: value for name, value in payload.items() if name not in LEFT_OUT}, sort_keys=True
    )


def files_of(folder: Path) -> Iterator[str]:
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        if path.suffix == ".parquet":
            mined = load_mined(path.stem)
            counts = {template.text: template.count for template in mined.templates}
            yield f"{path.name}: {counts}, {mined.card.form}, {mined.card.parents}, {mined.card.history}"
        else:
            yield from (f"{path.name}: {line}" for line in path.read_text(encoding="utf8").splitlines())


def changes(before: dict[str, list[str]], now: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return the lines that went and those that came, of each part in which there are any."""
    parts = {
        part: [
            *(f"- {line}" for line in (Counter(before[part]) - Counter(now[part])).elements()),
            *(f"+ {line}" for line in (Counter(now[part]) - Counter(before[part])).elements()),
        ]
        for part in now
    }
    return {part: changed for part, changed in parts.items() if changed}


def described(step: Step) -> str:
    if isinstance(step, str):
        return f"press {step}"
    parts = step[:3] if step[0] == "send" else step
    return " ".join("a change" if callable(part) else anywhere(str(part))[:60] for part in parts)
