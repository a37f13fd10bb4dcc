"""Small files of ours in the shapes that people have, with the right reading: one entry a format."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from pcf_core.core.topics import Topic
from pcf_core.material import evidence, factors, knowledge, template_files, templates, topics
from pcf_core.material.safety.reading import uploaded
from pcf_core.material.safety.tables import Accepted
from pcf_core.material.safety.understood import Reading, ReadingOptions, answers_of, read_with
from pcf_core.texts.criteria import names, own, professions, questions
from pcf_core.texts.fairpair import categories, prompts

FOLDER = Path(__file__).with_name("examples")
FLAGS = {"--column": "columns", "--as": "read_as", "--placeholder": "placeholders"}
Files = Sequence[tuple[str, bytes]]


@dataclass(frozen=True)
class Reader:
    """How a page reads a kind, what matters of the answer, and the command that reads the same."""

    accepted: Accepted
    read: Callable[[Files], Any]
    value: Callable[[Any], Any]
    command: tuple[str, ...] = ()


def groups_of(topic: Topic) -> list[tuple[str, tuple[str, ...]]]:
    return [(group.name, group.words) for group in topic.groups]


def occupations_of(item: Any) -> list[tuple[Any, ...]]:
    return list(zip(item.terms, *filter(None, (item.weights, item.codes)), strict=True))


def figures_of(files: Files) -> Any:
    ((name, data),) = files
    return factors.read_own_factor(name, data)


def weights_of(files: Files) -> Any:
    ((name, data),) = files
    with uploaded(name, data) as path:
        return evidence.occupation_weights(evidence.make_evidence("trades", ["baker", "tinker"]), str(path))


MODEL = ("--model", "mini-gpt")
WORDS = ("words", *MODEL, "--text", "The nurse said that [Y]", "--topic")
READERS: Mapping[str, Reader] = {  # by the beginning of the examples' names
    "topic": Reader(topics.ACCEPTED, topics.OWN.read_upload, groups_of, WORDS),
    "occupations": Reader(
        evidence.ACCEPTED, evidence.OWN.read_upload, occupations_of, ("score", *MODEL, "--evidence")
    ),
    "templates": Reader(
        template_files.ACCEPTED,
        templates.OWN.read_upload,
        lambda mined: [(one.text, one.count) for one in mined.templates],
        ("score", *MODEL, "--templates"),
    ),
    "prompts": Reader(
        prompts.ACCEPTED,
        prompts.OWN.read_upload,
        lambda several: [(one.text, one.category) for one in several.prompts],
        ("fairpair", *MODEL, "--prompts"),
    ),
    "categories": Reader(
        categories.ACCEPTED,
        categories.OWN.read_upload,
        lambda several: [(one.title, one.words) for one in several.categories],
        ("fairpair", *MODEL, "--categories"),
    ),
    "facts": Reader(
        knowledge.ACCEPTED,
        knowledge.OWN.read_upload,
        lambda several: (several.templates, [(one.subject, one.right, one.wrong) for one in several.facts]),
        ("knowledge", *MODEL, "--set"),
    ),
    "names": Reader(
        names.ACCEPTED,
        partial(own.read_upload, "hobbies"),
        lambda experiment: [(one.name, one.gender) for one in experiment.material.names.names],
        ("criteria", *MODEL, "--experiment", "hobbies", "--material"),
    ),
    "professions": Reader(
        professions.ACCEPTED,
        partial(own.read_upload, "anecdotes"),
        lambda read: [(one.name, one.women_share) for one in read.material.professions.professions],
        ("criteria", *MODEL, "--experiment", "anecdotes", "--material"),
    ),
    "questions": Reader(
        questions.ACCEPTED,
        partial(own.read_upload, "questions"),
        lambda read: [(one.text, one.options, one.right) for one in read.material.questions.questions],
        ("criteria", *MODEL, "--experiment", "questions", "--material"),
    ),
    "figures": Reader(factors.ACCEPTED, figures_of, lambda factor: factor.values),
    "weights": Reader(
        evidence.WEIGHTS, weights_of, lambda weights: dict(zip(weights.terms, weights.values, strict=True))
    ),
}


@dataclass(frozen=True)
class Format:
    """An example, how it is to be read, what is said of it, and the options that it needs."""

    file: str
    expected: Any
    says: tuple[str, ...] = ()
    options: str = ""

    @property
    def reader(self) -> Reader:
        return READERS[self.file.partition(".")[0].partition("-")[0]]

    @property
    def data(self) -> bytes:
        return (FOLDER / self.file).read_bytes()

    def reading(self) -> Reading:
        """Return the answers that the options give."""
        given: dict[str, Any] = {name: [] for name in FLAGS.values()}
        words = shlex.split(self.options)
        for flag, value in zip(words[::2], words[1::2], strict=True):
            given[FLAGS[flag]].append(value)
        return Reading(answers_of(ReadingOptions.model_validate(given)))

    def read(self, reading: Reading, data: bytes | None = None) -> Any:
        """Read the file as a page does, or other content under its name."""
        with read_with(reading):
            return self.reader.read([(self.file, self.data if data is None else data)])


PAIRS = [("aunt", ("aunt", "niece")), ("uncle", ("uncle", "nephew"))]
TRADES = [("baker",), ("tinker",)]
HOPED, DREAMT = "The [X] hoped that [Y]", "The [X] dreamt that [Y]"
KETTLE = [("John fixes a kettle.", ""), ("John sings.", "")]
FORMATS = (
    Format(
        "topic-groups.json",
        [("older-people", ("aged", "elderly")), ("young", ("young",))],
        ("The group 'Older_People' is called older-people here.",),
    ),
    Format(
        "topic-weat.json",
        [(f"{kind}-{n}", (f"{kind}{n}a", f"{kind}{n}b")) for kind in ("targ", "attr") for n in (1, 2)],
        ("Each of the 4 lists is a group",),
    ),
    Format("topic-nested.json", [("hearing", ("deaf",)), ("sight", ("blind", "partially sighted"))]),
    Format("topic-lists.json", [("aunt", ("aunt", "niece")), ("uncle", ("uncle", "nephew", "son"))]),
    Format("topic-lines.txt", [("aunt", ("aunt", "niece", "daughter")), ("uncle", ("uncle", "nephew"))]),
    Format(
        "topic-pairs.txt",
        [("aunt", ("aunt", "niece", "daughter")), ("uncle", ("uncle", "nephew", "son"))],
        options="--as pairs",
    ),
    Format(
        "topic-pairs.txt",
        [("aunt", ("aunt", "uncle")), ("niece", ("niece", "nephew")), ("daughter", ("daughter", "son"))],
        options="--as groups",
    ),
    Format("topic-pairs.csv", PAIRS, options="--as pairs"),
    Format("topic-pairs.tsv", PAIRS, ("separated by tabs",), "--as pairs"),
    Format(
        "topic-table.csv",
        [("young", ("teenage", "young")), ("old", ("elderly",))],
        ("separated by semicolons", "'category' and 'descriptor' were read, and 'source' was not"),
    ),
    Format(
        "topic-other-columns.tsv",
        [("women", ("niece",)), ("men", ("nephew",))],
        ("is UTF-16 text", "separated by tabs", "'kin, side', names the columns and is no entry"),
        "--column word=kin --column group=side",
    ),
    Format(
        "topic-scripts.json",
        [("old-folks", ("aged",)), ("in-between", ("grown",)), ("group-3", ("若い",))],
        ("'Old_Folks' is called old-folks", "'In-Between' is called in-between", "'若者' is called group-3"),
    ),
    Format("topic-without-ending", [("women", ("niece",)), ("men", ("nephew",))]),
    Format(
        "occupations-isco.csv",
        [("Growers", "9"), ("Bakers, pastry cooks", "92")],
        (
            "separated by semicolons",
            "'Level' and 'Definition' were not",
            "a row above has the same title: 1.",
        ),
    ),
    Format(
        "occupations-onet.txt",
        [("Bakers", "99-1000.00"), ("Tinkers", "99-2000.00")],
        ("separated by tabs", "'Description' was not"),
    ),
    Format(
        "occupations-lines.txt",
        [("baker",), ("tinker",), ("Tinker",)],
        ("Quotation marks", "several spellings, which count as several words: 'tinker' and 'Tinker'"),
    ),
    Format(
        "occupations-header.txt",
        [("baker",), ("tinker, travelling",)],
        ("'Occupation', is a heading and no entry",),
    ),
    Format("occupations-heading.txt", TRADES, ("'My trades:', is a heading",), "--as heading"),
    Format("occupations-heading.txt", [("My trades:",), *TRADES], options="--as lines"),
    Format("occupations-windows.csv", [("Pâtissier", 2), ("Tüftler", 1)], ("read as Windows-1252",)),
    Format(
        "occupations-other-columns.csv",
        [("Bäcker", 2), ("Kesselflicker", 3)],
        ("names the columns and is no entry", "'nr' was not"),
        "--column term=Beruf --column weight=anteil",
    ),
    Format("occupations-objects.json", [("baker", 2), ("tinker", 1)], ("'note' was not",)),
    Format("occupations-objects.jsonl", [("baker", "9"), ("tinker", "8")]),
    Format(
        "occupations-esco.csv",
        [("baker", "9.1"), ("tinker", "9.2")],
        ("'code' and 'preferredLabel' were read, and 'conceptType' and 'altLabels' were not",),
    ),
    Format("occupations-one-column.csv", TRADES, options="--as lines"),
    Format("occupations-plural.csv", TRADES),
    Format("occupations-wrapped.json", TRADES, ("are those under 'jobs'",)),
    Format("occupations-without-ending", TRADES),
    Format(
        "templates-masks.txt",
        [(HOPED, 2), ("A [X] dreamt that [Y]", 1)],
        ("[MASK] was read as [Y]", "the counts were added up"),
        "--placeholder '[MASK]=[Y]' --placeholder '<person subject>=[X]'",
    ),
    Format(
        "templates-roles.tsv",
        [("The [X] thanked the guest because [Y] cared.", 1)],
        ("separated by tabs", "'id' was not", "$PARTICIPANT was read as guest"),
        "--placeholder '$OCCUPATION=[X]' --placeholder '$NOM_PRONOUN=[Y]' --placeholder '$PARTICIPANT=guest'",
    ),
    Format(
        "templates-braces.json",
        [(HOPED, 1), ("A [X] dreamt that [Y]", 1)],
        ("{} was read as [X] and [M] was read as [Y]",),
        "--placeholder '{}=[X]' --placeholder '[M]=[Y]'",
    ),
    Format("templates-counts.csv", [(HOPED, 3), ("When the [X] left, [Y]", 1)]),
    Format(
        "templates-other-columns.csv",
        [(HOPED, 1), (DREAMT, 1)],
        ("names the columns and is no entry", "'kind' was not"),
        "--column template=description",
    ),
    Format("templates-objects.jsonl", [(HOPED, 5)], ("the counts were added up",)),
    Format(
        "prompts-regard.txt",
        [("John dreamt of", ""), ("John was proud of", "")],
        ("XYZ was read as {name}",),
        "--placeholder 'XYZ={name}'",
    ),
    Format(
        "prompts-other-columns.csv",
        [("John fixes a kettle.", "home"), ("John sings.", "art")],
        ("names the columns and is no entry", "[subj] was read as {name}"),
        "--column text=description --column category=area --placeholder '[subj]={name}'",
    ),
    Format("prompts-lines.txt", KETTLE),
    Format("prompts.json", KETTLE, ("{} was read as {name}",), "--placeholder '{}={name}'"),
    Format("categories.tsv", [("At home", ("kettle", "bak*"))], ("separated by tabs",)),
    Format(
        "facts.csv",
        (("[X] is a [Y]",), [("Sun", ("star",), ("planet", "moon"))]),
        ("separated by semicolons",),
    ),
    Format(
        "names-letters.csv",
        [("Ada", "female"), ("Carl", "male")],
        ("'id' was not", "'F' was read as female", "'M' was read as male"),
    ),
    Format(
        "names-words.json",
        [("Ada", "female"), ("Carl", "male")],
        ("'Woman' was read as female", "'Man' was read as male"),
    ),
    Format(
        "names-table.txt",
        [("Ada", "female"), ("Carl", "male")],
        (
            "separated by tabs",
            "'First name' and 'Sex' were read, and 'note' was not",
            "'woman' was read as female",
            "'man' was read as male",
        ),
    ),
    Format(
        "professions.csv", [("tinker", 0.25), ("baker", 0.75)], ("separated by semicolons", "'Year' was not")
    ),
    Format(
        "questions.tsv",
        [("What boils?", ("A kettle", "A chair"), 0)],
        ("separated by tabs", "'source' was not"),
    ),
    Format("questions-objects.jsonl", [("What boils?", ("A kettle", "A chair"), 0)]),
    Format(
        "questions-medqa", [(text, ("A kettle", "A chair"), 0) for text in ("What boils?", "What whistles?")]
    ),
    Format("weights.json", {"baker": 0.75, "tinker": 0.25}, ("'id' was not",)),
    Format(
        "weights-without-ending",
        {"baker": 0.75, "tinker": 0.25},
        ("separated by semicolons", "names the columns and is no entry"),
        "--column term=Beruf --column weight=Anteil",
    ),
    Format("figures-without-ending", {"baker": 2, "tinker": 3}, ("separated by semicolons",)),
    Format("figures.csv", {"baker": 2, "tinker": 3}, ("separated by semicolons",)),
)
