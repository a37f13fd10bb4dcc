"""Topics (Y): groups of words, from ``assets/topics/*.toml``, a user's file, or what a user has saved.

Groups may be products of the groups of two or more factors, such as race × gender.  Besides TOML, JSON and
CSV, plain lists of words are read (:mod:`pcf_core.material.groups`).

A topic that was changed is another one to the store: its hash is that of its groups and words, and a run
keeps the topic that it was scored with.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BeforeValidator, ValidationInfo, model_validator

from pcf_core.core.errors import TopicError
from pcf_core.core.records import made
from pcf_core.core.topics import Group, Topic
from pcf_core.material.base import (
    Flag,
    Kind,
    Language,
    Material,
    Omitted,
    Origin,
    Word,
    origin_of,
    tell_spellings,
)
from pcf_core.material.groups import UNNAMED, groups_by_name, groups_of_lines, named_groups, pairs_or_groups
from pcf_core.material.safety.lists import filled, has_heading, read_list, tell_doubtful
from pcf_core.material.safety.reading import (
    check_ending,
    label,
    read_data,
    read_toml,
    title_of,
    unquoted,
    upload_label,
    uploaded,
)
from pcf_core.material.safety.tables import Accepted, Column, Rows
from pcf_core.material.safety.text import (
    check_language,
    check_name,
    check_word,
    first_duplicate,
    listed,
    looks,
    shown,
)
from pcf_core.material.safety.understood import show_entries
from pcf_core.material.shelves import MOST_NAMED, Shelf, name_of, safe_name

LINES = ".txt"
SEVERAL = ",;:|=/、，،；："  # in a word that may be several
ACCEPTED = Accepted(
    "a topic",
    (
        Column("group", "the name of a group", ("category",)),
        Column("word", "a word of it", ("term", "descriptor")),
    ),
    json="the keys of TOML; groups by name, also one level deeper, as in WEAT; a list of lists of words",
    line="a group, or a word of every group (pairs); one word, if every group has its own file",
    in_line=True,
)
FIRST = "gender"
SHELF = Shelf("topic", "topics", (".toml",), ACCEPTED.endings, TopicError, keeps_own=True)
MAX_WORDS = 5_000
MAX_GROUPS = 300  # more are written in no form; the longest shipped list, X and Y swapped, has 257
WITHOUT_SPACES = frozenset({"zh", "ja", "th", "lo", "km", "my"})  # languages that put none between words


def _checked(value: tuple[Group, ...], info: ValidationInfo) -> tuple[Group, ...]:
    return check_groups(value, origin_of(info).where)


def _name_or_nothing(value: object, info: ValidationInfo) -> object:
    origin = origin_of(info)
    return value and check_name(value, info.field_name or "", origin.where, origin.error)


Named = Annotated[str, BeforeValidator(_name_or_nothing)]


class WrittenTopic(Material):
    """A topic as a file or a form has it; see :class:`~pcf_core.core.topics.Topic`.

    Only ``groups`` are needed, two or more with ``name`` and ``words``.  ``aligned``: the i-th words of all
    groups are counterparts.  ``evidence`` and ``templates``: names of the lists to begin with.  In place of
    the groups ``product`` may make them of factors, each the name of a shipped topic or a list of groups
    (:func:`product_groups`).  With ``favourable`` and ``unfavourable`` answers, the words of the groups are
    people.  CSV has the columns ``group`` and ``word``, a row for every word.  A topic from CSV or from a
    list is English, and its words are subjects.
    """

    record = Topic
    accepted = ACCEPTED
    entries = "groups"
    besides = ("product",)

    groups: Annotated[tuple[Group, ...], AfterValidator(_checked)] = ()
    aligned: Flag = False
    language: Language = "en"
    left_out: Omitted = ()
    evidence: Named = ""
    templates: Named = ""
    position: Literal["subject", "predicate"] = "subject"
    spells: Named = ""
    favourable: tuple[Word, ...] = ()
    unfavourable: tuple[Word, ...] = ()

    @model_validator(mode="after")
    def _has_answers(self, info: ValidationInfo) -> Self:
        where, both = origin_of(info).where, set(self.favourable) & set(self.unfavourable)
        if bool(self.favourable) != bool(self.unfavourable):
            lacking = "unfavourable" if self.favourable else "favourable"
            raise TopicError(f"{where} has no {lacking} answers: decisions need answers of both kinds.")
        if both:
            raise TopicError(
                f"{where}: the answer {shown(min(both))} is both favourable and unfavourable: remove it from "
                "one of the two lists."
            )
        twice = first_duplicate((*self.favourable, *self.unfavourable))
        if twice is not None:
            raise TopicError(f"{where}: the answer {shown(twice)} appears twice: write it once.")
        return self

    @model_validator(mode="after")
    def _has_counterparts(self, info: ValidationInfo) -> Self:
        lengths = sorted({len(group.words) for group in self.groups})
        if self.aligned and len(lengths) > 1:
            raise TopicError(
                f"{origin_of(info).where} is aligned, but its groups have {lengths[0]} to {lengths[-1]} "
                "words: give each word a counterpart in every group, or write aligned = false."
            )
        return self

    @classmethod
    def of_file(cls, path: Path, origin: Origin) -> dict[str, Any]:
        """Read a file, and make the groups of its product."""
        return _with_product(super().of_file(path, origin), origin, _shipped_factor)

    @classmethod
    def of_rows(cls, rows: Rows, origin: Origin) -> dict[str, Any]:
        """Gather the words of each group, a row for every word."""
        words: dict[str, list[str]] = {}
        for where, row in rows:
            group, word = (filled(row, name, where, origin.error) for name in ACCEPTED.needed)
            words.setdefault(group, []).append(word)
        return named_groups(words)

    @classmethod
    def of_object(cls, value: Mapping[str, Any], keys: Collection[str], origin: Origin) -> dict[str, Any]:
        """Read a topic's fields, or groups by name: lists of words, one or two levels deep, or WEAT's."""
        groups = {} if set(value) & set(keys) else groups_by_name(value)
        return named_groups(groups) if groups else super().of_object(value, keys, origin)

    @classmethod
    def of_lines(cls, lines: Sequence[str], origin: Origin) -> dict[str, Any]:
        """Read a group a line, or a word of every group a line, with commas between the words."""
        return groups_of_lines(lines, origin)

    @classmethod
    def of_list(cls, values: Sequence[object], origin: Origin) -> dict[str, Any]:
        """Read the groups of a list: a word alone, or a list of words."""
        groups = [[value] if isinstance(value, str) else value for value in values]
        for words in groups:
            if not isinstance(words, list) or not words or not all(isinstance(word, str) for word in words):
                raise TopicError(
                    f"{origin.where}: a list must hold the groups, each a word or a list of words in "
                    "quotation marks."
                )
        return pairs_or_groups(groups, origin)  # type: ignore[arg-type]

    @classmethod
    def look_over(cls, record: Topic, where: str) -> None:
        """Tell which words of a group differ in capitals alone, and which may be mistakes."""
        for group in record.groups:
            tell_spellings(group.words, f"{where}, group {group.name},")
            tell_doubtful(group.words, f"{where}, group {group.name}", SEVERAL)


class _Topics(Kind[Topic]):
    """Topics, of which an upload or a folder may have a text file for each group."""

    def load(self, name_or_path: str | Path, **instead: object) -> Topic:
        """Load as :meth:`Kind.load` does, or from a folder with a text file for each group."""
        folder = Path(name_or_path)
        if not str(name_or_path) or str(name_or_path) in self.shelf.names() or not _is_folder(folder):
            return super().load(name_or_path, **instead)
        files = sorted(path for path in folder.iterdir() if not path.name.startswith("."))
        others = [label(path) for path in files if path.suffix.lower() not in (LINES, "") or path.is_dir()]
        if others or len(files) < 2:
            number = "no text file" if not files else "one text file only"
            holds = f"holds {listed(others[:MOST_NAMED])}" if others else f"has {number}"
            raise TopicError(
                f"The folder {label(folder)} {holds}: a topic is a folder of two or more text files, one for "
                "each group and named after it, with one word per line, and nothing else."
            )
        contents = [read_data(path, TopicError) for path in files]
        return _of_lists([label(path) for path in files], contents, instead)

    def read_upload(self, files: Sequence[tuple[str, bytes]]) -> Topic:
        """Read one file, or two or more text files: one for each group and named after it, a word a line."""
        names = [upload_label(name) for name, _ in files]
        for name in names:
            check_ending(name, ACCEPTED.endings, "topic", TopicError, bare=True)
        if len(files) > 1 and {Path(name).suffix.lower() for name in names} <= {LINES, ""}:
            return _of_lists(names, [data for _, data in files], {})
        if len(files) != 1:
            raise TopicError(
                f"The upload has {len(files)} files ({listed(names[:MOST_NAMED])}): choose one, or a text "
                "file for each of two or more groups."
            )
        return super().read_upload(files)


OWN = _Topics(SHELF, WrittenTopic)
load_topic, load_topic_upload = OWN.load, OWN.read_upload
save_topic, delete_topic, topic_toml = OWN.save, OWN.delete, OWN.text
own_topics, left_out_topics = OWN.names, OWN.left_out


def list_topics() -> tuple[Topic, ...]:
    """List every shipped topic by name, gender (the default) first, then the user's own.

    A topic that spells the words of another stands before it, and the calibration last of the shipped ones;
    damaged topics of the user's own are left out.

    Raises
    ------
    TopicError
        A shipped file is damaged.
    """
    topics, shipped = OWN.all(), SHELF.shipped()
    index = {topic.name: number for number, topic in enumerate(topics)}

    def order(topic: Topic) -> tuple[bool, int, bool]:
        spells = topic.spells if topic.name in shipped else ""
        return topic.name != FIRST, index.get(spells, index[topic.name]), not spells

    return tuple(sorted(topics, key=order))


def make_topic(name: str, groups: Sequence[Group], *, where: str = "The topic", **facts: object) -> Topic:
    """Make a topic of its fields, checked; words are normalised (NFC, white space), case is kept.

    Raises
    ------
    TopicError
        Groups that :func:`check_groups` refuses, aligned groups of unequal length, a text over 64 KB, a name
        that is not safe in files and links.
    """
    return OWN.make({"name": name, "groups": tuple(groups), **facts}, where)


def check_groups(groups: Sequence[Group], where: str) -> tuple[Group, ...]:
    """Return the groups with normalised words.

    Words of one group may differ in case alone: models read "Asian" and "asian" apart.  In two groups they
    may not: a model without case could not tell the groups.  Nor may they look the same there, such as *he*
    in Latin and in Cyrillic letters: a reader could not tell the groups.

    Refused are under two groups or over 300, over 5,000 words, a group without words, an empty word, a word
    twice in a group, or in two groups, and two groups of one name.
    """
    if len(groups) < 2:
        number = "1 group" if groups else "no groups"
        raise TopicError(f"{where} has {number}; a topic needs at least two.")
    if len(groups) > MAX_GROUPS:
        raise TopicError(f"{where} has {len(groups):,} groups; at most {MAX_GROUPS} are allowed.")
    _check_number(sum(len(group.words) for group in groups), where)
    checked = tuple(_check_group(group, where) for group in groups)
    twice = first_duplicate(group.name for group in checked)
    if twice is not None:
        raise TopicError(f"{where}: two groups have the name {shown(twice)}: give each group its own name.")
    owner: dict[str, tuple[str, str]] = {}
    for group in checked:
        for word in group.words:
            for form in (word.casefold(), looks(word)):
                other, there = owner.setdefault(form, (group.name, word))
                if other == group.name:
                    continue
                alike = "" if there.casefold() == word.casefold() else f" (it looks like {there!a})"
                raise TopicError(
                    f"{where}: {shown(word)}{alike} is in the groups {other} and {group.name}, but a word "
                    "can belong to one group only: remove it from one group or both."
                )
    return checked


def _check_number(words: int, where: str) -> None:
    if words > MAX_WORDS:
        raise TopicError(f"{where} has {words:,} words; at most {MAX_WORDS:,} are allowed.")


def _check_group(group: Group, where: str) -> Group:
    name = check_name(group.name, "the name of a group", where, TopicError)
    words = tuple(check_word(word, f"a word of the group {name}", where, TopicError) for word in group.words)
    if not words:
        raise TopicError(f"{where}: the group {name} has no words: add one or remove the group.")
    twice = first_duplicate(words)
    if twice is not None:
        raise TopicError(f"{where}: {shown(twice)} appears twice in the group {name}: write it once.")
    return Group(name=name, words=words)


# Intersections: groups that are products of the groups of two or more factors, such as race × gender.


def _with_product(table: dict[str, Any], origin: Origin, find: Callable[[str, str], Topic]) -> dict[str, Any]:
    """Make the groups of a file that has a product in their place."""
    where = origin.where
    product = table.pop("product", None)
    if product is None:
        return table
    if table.get("groups"):
        raise TopicError(
            f"{where} has groups and a product, but a product creates all groups: write only one of the two."
        )
    language = check_language(table.get("language", "en"), where, TopicError)
    return {**table, "groups": product_groups(product, language, lambda name: find(name, where), where)}


def product_groups(
    factors: object, language: str, find: Callable[[str], Topic], where: str
) -> tuple[Group, ...]:
    """Make every combination of one group of each factor, the last factor changing fastest.

    A factor is the name of a topic, which ``find`` answers, or a list of groups: each a table with ``name``
    and ``words``, or one word that is its name, too.  The words of a combination are every word of the first
    group before every word of the next, with a space between them (none in Chinese, Japanese, Thai, Lao,
    Khmer and Burmese): white {white} and black {black, african} × man {man} and woman {woman} gives
    white-man {white man}, white-woman {white woman}, black-man {black man, african man} and black-woman.
    """
    if not isinstance(factors, list) or len(factors) < 2:
        raise TopicError(
            f"{where}: product must be a list of two or more, each the name of a topic or a list of groups."
        )
    parts = [
        _factor_groups(factor, language, find, f"{where}, part {number} of the product")
        for number, factor in enumerate(factors, 1)
    ]
    _check_number(math.prod(sum(len(group.words) for group in part) for part in parts), where)
    space = "" if language.split("-")[0].lower() in WITHOUT_SPACES else " "
    return tuple(
        Group(
            name="-".join(group.name for group in chosen),
            words=tuple(space.join(words) for words in itertools.product(*(group.words for group in chosen))),
        )
        for chosen in itertools.product(*parts)
    )


def _factor_groups(
    factor: object, language: str, find: Callable[[str], Topic], where: str
) -> tuple[Group, ...]:
    if isinstance(factor, str):
        topic = find(factor)
        if topic.language != language:
            raise TopicError(
                f"{where}: the topic {topic.name} is in the language {topic.language}, but the product is in "
                f"{language}: choose a topic in the same language."
            )
        return topic.groups
    if not isinstance(factor, list):
        raise TopicError(f"{where} is {shown(factor)}; write the name of a topic or a list of groups.")
    entries = [
        {"name": entry.lower().replace(" ", "-"), "words": [entry]} if isinstance(entry, str) else entry
        for entry in factor
    ]
    groups = [
        made(Group, entry, f"{where}, group {number}", TopicError) for number, entry in enumerate(entries, 1)
    ]
    return check_groups(groups, where)


def _shipped_factor(name: str, where: str) -> Topic:
    """Load a shipped topic that is a factor, and no product itself."""
    shipped = SHELF.shipped()
    if name not in shipped:
        raise TopicError(
            f"{where}: {shown(name)} is not a shipped topic, so it cannot be part of a product: use "
            f"{listed(sorted(shipped))}, or list its groups."
        )
    if "product" in read_toml(shipped[name], (*WrittenTopic.model_fields, *WrittenTopic.besides), TopicError):
        raise TopicError(
            f"{where}: the topic {shown(name)} is itself a product: name the topics that it "
            "is made of instead."
        )
    return load_topic(name)


def copied(topic: Topic) -> Topic:
    """Copy the topic under a free name; title and source say whose copy it is, for its words may change."""
    return topic.model_copy(
        update={
            "name": OWN.free_name(topic.name),
            "title": f"{topic.title} (own copy)",
            "source": f"Made from the topic {topic.name}. {topic.source}".strip(),
            "spells": "",
        }
    )


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):  # a name too long for the file system, or one with a null byte
        return False


def _of_lists(names: Sequence[str], contents: Sequence[bytes], instead: Mapping[str, object]) -> Topic:
    """Make a topic of text files, a group each."""
    words: dict[str, list[str]] = {}
    safe = [one for name in names if (one := name_of(Path(name))) != UNNAMED]
    if (twice := first_duplicate(safe)) is not None:
        raise TopicError(
            f"Of {listed(names[:MOST_NAMED])}, two groups have the name {shown(twice)}: rename one of the "
            "files."
        )
    for name, data in zip(names, contents, strict=True):
        with uploaded(name, data) as path:
            heading = has_heading(path, TopicError, one_of_several=True)
            lines = read_list(path, TopicError, below_heading=heading)
        words[title_of(Path(name))] = unquoted(lines, name)
    groups = named_groups(words)["groups"]
    called = listed(names) if len(names) <= MOST_NAMED else f"{len(names)} files"
    title = " and ".join(title_of(Path(name)) for name in names)
    facts = {"name": safe_name("-".join(group["name"] for group in groups)), "groups": groups, "title": title}
    topic = OWN.make({**facts, **instead}, f"The topic of {called}")
    WrittenTopic.look_over(topic, called)
    show_entries(called, len(topic.groups), lambda index: WrittenTopic.entry_of(topic, index))
    return topic
