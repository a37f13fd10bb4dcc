"""Write the template sets that name a topic's words before they ask for one of them.

    python -m tools.write_cued_sets [--out FOLDER]

The relative clauses of the papers hardly make a model expect a religion, an age or a disability: the words of
such a topic together get less than 1 in 10,000 of the probability, and preferences among them say little.
These sentences name the first word of every group once and then ask for one.  So no group is likelier for
having been mentioned.  Every group comes first, second, … last equally often, always in the same cycle.

The sentences are ours.  Sentences of one frame differ only in that order: a family.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from pcf_core.core.settings import settings
from pcf_core.material.topics import load_topic

FEWEST = 24
# {or}: "a, b or c"; {and}: "a, b and c"; {one}: "a, one is b, and one is c"; {subject}: of the topic.
CHOICES = (
    "The question was: are you {or}?",
    "The reporter asked: would you say that you are {or}?",
    "One of the neighbours is {one}.",
    "One person in the photo is {one}.",
    "The chart has one bar for each group: {and}.",
    "The table has one row for each group: {and}.",
    "The answers to the question about {subject} were {and}.",
    "One of the passengers is {one}.",
)
ENDS = (
    "The [X] replied: I am [Y]",
    "The [X] said: I am [Y]",
    "The [X] next door is [Y]",
    "The [X] in it is [Y]",
    "The [X] belongs to those who are [Y]",
    "The [X] is counted with those who are [Y]",
    "The answer of the [X] was [Y]",
    "The [X] in the last row is [Y]",
)
SUBJECTS = {"religion": "religion", "age": "age"}


def cued_sentences(topic: str) -> tuple[str, ...]:
    """Return the sentences of a topic: of every frame two or more, which differ in the order of the words.

    Their number is the smallest multiple of the number of groups from ``FEWEST`` on, so that each word stands
    at each position equally often.
    """
    named = tuple(group.words[0] for group in load_topic(topic).groups)
    frames = [f"{choices} {end}" for choices, end in zip(CHOICES, ENDS, strict=True)]
    size = len(named)
    sentences = []
    for index in range(-(-FEWEST // size) * size):
        start = index % size
        order = (*named[start:], *named[:start])
        sentences.append(_filled(frames[index % len(frames)], SUBJECTS[topic], order))
    return tuple(sentences)


def _filled(frame: str, subject: str, words: Sequence[str]) -> str:
    *first, last = words
    commas = ", ".join(first)
    fields: Mapping[str, str] = {
        "or": f"{commas} or {last}",
        "and": f"{commas} and {last}",
        "one": f"{', one is '.join(first)}, and one is {last}",
        "subject": subject,
    }
    return frame.format_map(fields)


def write_set(topic: str, folder: Path) -> None:
    """Write a topic's set, a table and its card, into a folder."""
    sentences, subject = cued_sentences(topic), SUBJECTS[topic]
    with (folder / f"{topic}-choices.csv").open("w", encoding="utf8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("template", "count"))
        writer.writerows((sentence, 1) for sentence in sentences)
    (folder / f"{topic}-choices.toml").write_text(
        f'title = "{len(sentences)} sentences that name the choices"\n'
        'source = "Written for this app by tools/write_cued_sets.py"\n'
        f'notes = "Each sentence names every group of the topic ({subject}) once and then leaves one open. '
        f"There are {len(CHOICES)} frames; sentences of one frame differ only in the order of the groups. "
        'Every group stands at every position equally often. All sentences count alike."\n'
        f'topic = "{topic}"\n',
        encoding="utf8",
    )


def main(out: Annotated[Path | None, typer.Option(help="the folder to write to")] = None) -> None:
    """Write the sets of all topics that need them."""
    for topic in SUBJECTS:
        write_set(topic, out or settings().assets / "templates")


if __name__ == "__main__":
    typer.run(main)
