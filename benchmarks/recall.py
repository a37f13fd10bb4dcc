"""Measure precision and recall of the constructions on held-out sentences that two readers labelled.

    python -m benchmarks.recall keep --sheet /tmp/sheet                              labels, without text
    python -m benchmarks.recall keep-accepted --sheet /tmp/pairs --pairs pairs.csv   those of accepted pairs
    python -m benchmarks.recall measure                                              the tables

Two samples: random sentences with every topic word marked (:mod:`benchmarks.recall_sample`) for recall, and
accepted pairs, a number per construction (:mod:`benchmarks.accepted_sample`), for precision.  The readers did
not know the rules.  A label names corpus, document and sentence, the character where the marked word begins,
and per reader the character where its subject begins (empty: none).

A pair is right for a reader who named this subject, or one that means the same person by the reader's other
labels.  It counts as right or wrong where both readers agree; others are counted separately.  Recall is over
words that both readers gave a subject: ``pairs`` were accepted with the right subject, ``templates`` also
gave a template, ``sentences`` gave any template.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from statsmodels.stats.inter_rater import cohens_kappa

from benchmarks.coreference import DATA, Parser, places
from benchmarks.recall_sample import (
    GENDER,
    OTHERS,
    Drawn,
    draw,
    marked,
)
from pcf_core.core.settings import ROOT, settings
from pcf_core.material.topics import load_topic
from pcf_core.mining.constructions import CONSTRUCTIONS
from pcf_core.mining.coreference import SUBJECTS
from pcf_core.mining.parser.pipeline import open_pipeline
from pcf_core.mining.parser.trees import Tree
from pcf_core.mining.persons import name_of
from pcf_core.mining.verb_groups import Candidate
from pcf_core.texts.criteria.rates import wilson

LABELS = ROOT / "tests" / "mining" / "readings"
RECALL, ACCEPTED = "recall.csv", "accepted.csv"
READERS = ("reader1", "reader2")
OF_PAIR = ("construction", "subject", "pronoun")
NAME = re.compile(  # with a noun before it and a nickname: actor John "Jack" Smith
    r"(?:[a-z]+ )?[\"“]?[A-Z][\w.'’\"”-]*(?:,? (?:(?:de|von|van|of|la|le|du|the) )*[\"“]?[A-Z][\w.'’\"”-]*)*"
)
SHEET = re.compile(r"^(\d+)\. (.*)$", re.MULTILINE)
MARKED = re.compile(r"\[1:([^\]]*)\]")
COLUMNS = ("corpus", "document", "sentence", "word", *READERS)
KINDS: Mapping[str, Sequence[str]] = {
    "subject": ("he", "she"),
    "possessive": ("his", "her", "hers"),
    "object": ("him",),
    "reflexive": ("himself", "herself"),
}
Answer = int | None  # where the subject begins that a reader named
app = typer.Typer(help="Precision and recall on sentences that two readers labelled.")


@dataclass(frozen=True)
class Label:
    """A word of a sentence, and the subject that each reader named for it.

    In the sample of accepted pairs also the ``construction``, its ``subject``, and whether that is a
    ``pronoun``.
    """

    corpus: str
    document: str
    sentence: int
    word: int
    answers: tuple[Answer, Answer]
    construction: str = ""
    subject: int = -1
    pronoun: bool = False

    @property
    def both(self) -> bool:
        """Whether both readers named a subject."""
        return None not in self.answers


@dataclass(frozen=True)
class Pair:
    """An accepted word, and the characters where the parts of its subject begin."""

    construction: str
    word: int
    subjects: tuple[int, ...]
    whole: bool


# From the readers' sheets to labels without text.


def place_of(text: str, answer: str, word: int) -> Answer:
    """Return where the subject begins that a reader wrote: of several such words, the nearest before."""
    if not answer.strip():
        return None
    hits = [
        hit.start()
        for hit in re.finditer(rf"(?<!\w){re.escape(answer.strip())}(?!\w)", text, re.IGNORECASE)
        if hit.start() != word
    ]
    before = [hit for hit in hits if hit < word]
    return before[-1] if before else hits[0] if hits else -1


def labels_of(drawn: Iterable[Drawn], answers: Sequence[Mapping[str, Mapping[str, str]]]) -> Iterator[Label]:
    """Yield the labels of the sample's sentences; exit if a reader left a word out."""
    for number, one in enumerate(drawn, start=1):
        for place, (start, _) in enumerate(marked(one.text), start=1):
            try:
                first, second = (
                    place_of(one.text, reader[str(number)][str(place)], start) for reader in answers
                )
            except KeyError:
                raise SystemExit(f"Sentence {number}, word {place}: a reader gave no label.") from None
            yield Label(one.corpus, one.document, one.sentence, start, (first, second))


def accepted_labels(
    rows: Iterable[Mapping[str, str]],
    texts: Mapping[str, str],
    answers: Sequence[Mapping[str, Mapping[str, str]]],
) -> Iterator[Label]:
    """Yield the labels of accepted pairs; exit if a reader left a pair out.

    Any part of the subject's name means the subject.
    """
    for row in rows:
        number, text = row["number"], texts[row["number"]]
        subject, word = int(row["subject"]), int(row["word"])
        told = []
        for reader in answers:
            if number not in reader:
                raise SystemExit(f"Sentence {number}: a reader gave no label.")
            named = place_of(text, reader[number].get("1", ""), word)
            spans = [hit.span() for hit in NAME.finditer(text)]
            alike = named is not None and any(a <= subject < b and a <= named < b for a, b in spans)
            told.append(subject if alike else named)
        pronoun = re.match(r"(?:he|she)\b", text[subject:], re.IGNORECASE) is not None
        yield Label(
            row["corpus"], row["document"], int(row["sentence"]), word, (told[0], told[1]),
            row["construction"], subject, pronoun,
        )  # fmt: skip


def sentences_in(sheet: str) -> dict[str, str]:
    """Return the sentences of a sheet of accepted pairs by number, without the mark."""
    return {number: MARKED.sub(r"\1", text) for number, text in SHEET.findall(sheet)}


def answers_in(sheet: Path) -> list[Any]:
    return [json.loads((sheet / f"{name}.json").read_text(encoding="utf8")) for name in READERS]


def written(labels: Iterable[Label], path: Path, more: Sequence[str] = ()) -> None:
    """Return labels as CSV."""
    with path.open("w", encoding="utf8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow([*more, *COLUMNS])
        for one in labels:
            extra = [one.construction, one.subject, int(one.pronoun)][: len(more)]
            told = ["" if answer is None else answer for answer in one.answers]
            rows.writerow([*extra, one.corpus, one.document, one.sentence, one.word, *told])


def read(path: Path) -> list[Label]:
    with path.open(encoding="utf8", newline="") as file:
        return [
            Label(
                row["corpus"],
                row["document"],
                int(row["sentence"]),
                int(row["word"]),
                (_answer(row[READERS[0]]), _answer(row[READERS[1]])),
                row.get("construction", ""),
                int(row.get("subject", -1)),
                row.get("pronoun") == "1",
            )
            for row in csv.DictReader(file)
        ]


def _answer(cell: str) -> Answer:
    return int(cell) if cell else None


# What the readers' labels say of a pair.


def same_person(labels: Mapping[int, Label], reader: int, pair: Pair) -> bool:
    """Whether a reader gave a word this subject, or a subject that is marked and has the same one.

    ``labels``: of the sentence, by the marked word's place.
    """
    named = labels[pair.word].answers[reader]
    if named is None:
        return False

    def first(place: int) -> int:
        answer = labels[place].answers[reader] if place in labels else None
        return place if answer is None else answer

    return first(named) in {first(place) for place in pair.subjects} | set(pair.subjects)


def verdict(labels: Mapping[int, Label], pair: Pair) -> bool | None:
    """Return whether a pair is right for both readers, ``None`` where they differ."""
    found = {same_person(labels, reader, pair) for reader in range(len(READERS))}
    return found.pop() if len(found) == 1 else None


def kappa(labels: Sequence[Label]) -> float:
    """Return Cohen's kappa of the readers for whether a word has a subject (Cohen 1960)."""
    table = [[0, 0], [0, 0]]
    for one in labels:
        table[one.answers[0] is not None][one.answers[1] is not None] += 1
    return float(cohens_kappa(table).kappa)


# What the rules find.


def pairs_of(text: str, trees: Iterable[Tree]) -> Iterator[Pair]:
    """Yield what each construction accepts in a sentence, with the words of its topics."""
    for topics, position in ((GENDER, "subject"), (OTHERS, "predicate")):
        words = frozenset(word.lower() for name in topics for word in load_topic(name).words)
        for tree in trees:
            starts = places(tree.words, text, tree.offset)
            for construction in CONSTRUCTIONS.values():
                if position not in construction.positions or construction.measured is None:
                    continue
                for found in construction.find(tree, construction.taken(words), words):
                    subject, word = (
                        (found.subject, found.word)
                        if isinstance(found, Candidate)
                        else found.pair or (None, None)
                    )
                    if subject is None or word is None:
                        continue
                    behind = subject > word and tree.words[subject].lower() in SUBJECTS
                    if behind and tree.words[word].lower() in SUBJECTS:
                        continue  # "When he retired, he moved": the readers were not asked for such subjects
                    subjects = tuple(starts[part] for part in name_of(tree, subject))
                    yield Pair(construction.name, starts[word], subjects, isinstance(found, Candidate))


def kind_of(word: str) -> str:
    return next((kind for kind, words in KINDS.items() if word.lower() in words), "noun or adjective")


def sample_table(
    drawn: Sequence[Drawn], labels: Sequence[Label], parser: Parser
) -> tuple[dict[str, Any], dict[str, list[bool]]]:
    """Measure the first sample: recall by kind of word and of sentences, and right pairs by construction."""
    by_sentence: dict[tuple[str, str, int], dict[int, Label]] = {}
    for label in labels:
        by_sentence.setdefault((label.corpus, label.document, label.sentence), {})[label.word] = label
    yes, pairs, templates = Counter[str](), Counter[str](), Counter[str]()
    judged: dict[str, list[bool]] = {}
    undecided = sentences = paired = hit = hit_by_default = 0
    for one, trees in zip(drawn, parser.trees(one.text for one in drawn), strict=True):
        here = by_sentence[one.corpus, one.document, one.sentence]
        right: dict[int, bool] = {}
        default = False
        for pair in dict.fromkeys(pairs_of(one.text, trees)):
            if pair.word not in here:
                continue
            told = verdict(here, pair)
            if told is None:
                undecided += 1
                continue
            judged.setdefault(pair.construction, []).append(told)
            if told:
                right[pair.word] = right.get(pair.word, False) or pair.whole
                default = default or (pair.whole and CONSTRUCTIONS[pair.construction].on)
        for word, label in here.items():
            if label.both:
                end = next(end for start, end in marked(one.text) if start == word)
                kind = kind_of(one.text[word:end])
                yes[kind] += 1
                pairs[kind] += word in right
                templates[kind] += right.get(word, False)
        if any(label.both for label in here.values()):
            sentences += 1
            paired += bool(right)
            hit += any(right.values())
            hit_by_default += default
    rows = {kind: {"words": yes[kind], "pairs": pairs[kind], "templates": templates[kind]} for kind in yes}
    return {
        "marked": len(labels),
        "kinds": rows,
        "sentences": {
            "all": sentences,
            "with a pair": paired,
            "found": hit,
            "found by default": hit_by_default,
        },
        "readers differ": undecided,
    }, judged


def accepted_judged(labels: Sequence[Label]) -> dict[str, list[bool | None]]:
    """Judge the pairs of the second sample by construction, ``None`` where undecided.

    Undecided: the readers differ, or the rule's subject is a pronoun and a reader named another word, as
    instructed (the first subject that means the person, and no pronoun among later ones).
    """
    judged: dict[str, list[bool | None]] = {}
    for one in labels:
        right = {answer == one.subject for answer in one.answers}
        elsewhere = one.pronoun and (
            one.subject > one.word or any(answer not in (None, one.subject) for answer in one.answers)
        )
        told = right.pop() if len(right) == 1 and not elsewhere else None
        judged.setdefault(one.construction, []).append(told)
    return judged


def precision_table(
    first: Mapping[str, Sequence[bool]], second: Mapping[str, Sequence[bool | None]]
) -> dict[str, Any]:
    """Sum up right and judged pairs of both samples by construction, with Wilson's lower bound."""
    rows = {}
    for name, construction in CONSTRUCTIONS.items():
        if construction.measured is None:
            continue
        sample, pairs = first.get(name, ()), second.get(name, ())
        told = [one for one in pairs if one is not None]
        rows[name] = {
            "recall sample": [sum(sample), len(sample)],
            "accepted": [sum(told), len(told)],
            "lower": round(wilson(sum(told), len(told))[0], 3) if told else 0.0,
            "cannot be told": len(pairs) - len(told),
        }
    return rows


@app.command()
def keep(
    sheet: Annotated[Path, typer.Option(help="the folder with the sheet and both readers' answers")],
    data: Annotated[Path, typer.Option(help="the folder with corpora/ and treebank/")] = DATA,
    labels: Annotated[Path, typer.Option(help="where the labels are kept")] = LABELS,
) -> None:
    """Keep the readers' labels of the first sheet, without text."""
    written(labels_of(draw(data), answers_in(sheet)), labels / RECALL)


@app.command()
def keep_accepted(
    sheet: Annotated[Path, typer.Option(help="the folder with the sheet and both readers' answers")],
    pairs: Annotated[Path, typer.Option(help="what benchmarks.accepted_sample wrote as --drawn")],
    labels: Annotated[Path, typer.Option(help="where the labels are kept")] = LABELS,
) -> None:
    """Keep the readers' labels of the sheet of accepted pairs, without text."""
    texts = sentences_in((sheet / "sentences.txt").read_text(encoding="utf8"))
    with pairs.open(encoding="utf8", newline="") as file:
        rows = list(csv.DictReader(file))
    written(accepted_labels(rows, texts, answers_in(sheet)), labels / ACCEPTED, OF_PAIR)


@app.command()
def measure(
    pipeline: Annotated[str, typer.Option(help="the parser: a name or a folder")] = "",
    data: Annotated[Path, typer.Option(help="the folder with corpora/ and treebank/")] = DATA,
    labels: Annotated[Path, typer.Option(help="where the labels are kept")] = LABELS,
) -> None:
    """Print the tables as JSON to stdout."""
    if not (data / "corpora").is_dir() or not (data / "treebank").is_dir():
        typer.echo(f"Nothing is measured: the texts are looked for in {data}, which is not here.", err=True)
        return
    if not (labels / RECALL).is_file():
        typer.echo(f"Nothing is measured: {labels} has no {RECALL}; keep labels first.", err=True)
        return
    parser = open_pipeline(pipeline or settings().pipeline)
    accepted = read(labels / ACCEPTED) if (labels / ACCEPTED).is_file() else []
    words = read(labels / RECALL)
    table, judged = sample_table(draw(data), words, parser)
    typer.echo(
        json.dumps(
            {
                **table,
                "kappa": round(kappa(words), 3),
                **({"kappa of accepted pairs": round(kappa(accepted), 3)} if accepted else {}),
                "precision": precision_table(judged, accepted_judged(accepted)),
            }
        )
    )


if __name__ == "__main__":
    app()
