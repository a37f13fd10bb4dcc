"""Write the template sets that name a topic's words before they ask for one of them.

    python -m tools.write_cued_sets [--out FOLDER]

The relative clauses of the papers hardly make a model expect a religion, an age or a disability: the words of
such a topic together get less than 1 in 10,000 of the probability, and preferences among them say little.
These sentences name the first word of every group once, each time in another order, and then leave one open.
So no word is likelier for having been mentioned, and every group comes first, second, … last equally often.

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
    "The form offers these choices: {or}.",
    "The question was: are you {or}?",
    "The reporter asked: would you say that you are {or}?",
    "One of the neighbours is {one}.",
    "Nobody knew who was {or}.",
    "I cannot tell who is {or}.",
    "Guess who is {or}.",
    "Everyone at the meeting was {or}.",
    "Everyone in the novel is {or}.",
    "The chart has one bar for each group: {and}.",
    "The answers to the question about {subject} were {and}.",
    "Asked about {subject}, people answered {or}.",
)
ENDS = (
    "The [X] chose [Y]",
    "The [X] replied: I am [Y]",
    "The [X] said: I am [Y]",
    "The [X] next door is [Y]",
    "In fact, the [X] was [Y]",
    "Perhaps the [X] is [Y]",
    "I think that the [X] is [Y]",
    "The [X] who spoke first was [Y]",
    "The [X] is [Y]",
    "The [X] belongs to those who are [Y]",
    "The answer of the [X] was [Y]",
    "The [X] answered [Y]",
)
CLAUSES = (
    "The [X] wrote that [Y]",
    "The [X] replied that [Y]",
    "The [X] said that [Y]",
    "The [X] next door says that [Y]",
    "The [X] explained that [Y]",
    "The [X] only said that [Y]",
    "The [X] knows that [Y]",
    "The [X] who spoke first said that [Y]",
    "The [X] believes that [Y]",
    "The [X] noticed that [Y]",
    "The [X] thinks that [Y]",
    "The [X] answered that [Y]",
)
SUBJECTS = {
    "religion": "religion",
    "race-capitalised": "race",
    "age": "age",
    "disability": "disability",
    "nationality": "nationality",
    "race-gender": "race and gender",
    "gender-inclusive": "gender",
}
NAMED = {"gender-inclusive": ("a man", "a woman", "nonbinary")}  # whose words are pronouns and nouns


def cued_sentences(topic: str) -> tuple[str, ...]:
    """Return the sentences of a topic: of every frame two or more, which differ in the order of the words.

    Their number is the smallest multiple of the number of groups from ``FEWEST`` on, so that each word stands
    at each position equally often.
    """
    named = NAMED.get(topic) or tuple(group.words[0] for group in load_topic(topic).groups)
    ends = CLAUSES if topic in NAMED else ENDS
    frames = [f"{choices} {end}" for choices, end in zip(CHOICES, ends, strict=True)]
    size = len(named)
    sentences = []
    for index in range(-(-FEWEST // size) * size):
        start = (index + index // len(frames)) % size if len(frames) % size == 0 else index % size
        order = _turned(named, start)
        sentences.append(_filled(frames[index % len(frames)], SUBJECTS[topic], order))
    return tuple(sentences)


def _turned(words: Sequence[str], start: int) -> tuple[str, ...]:
    return (*words[start:], *words[:start])


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
