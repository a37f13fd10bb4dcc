"""Titles of models, topics, sets and lists in sentences, charts, tables and menus, and the noun for terms.

Data, addresses, commands and provenance have exact names.  Only models in shipped lists have a title, and the
teaching models.
Sentences are written about occupations that a model prefers a group in; about decisions on other matters,
:func:`worded` writes in which matters a group gets the higher rate of favourable answers, which may be
chance: only where it is not, a sentence says itself that a model favours the group.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path

from pcf_core.core.errors import ModelError
from pcf_core.core.run import RunSpec
from pcf_core.core.settings import settings
from pcf_core.core.topics import ANY, TemplateSet, with_person
from pcf_core.models.names import known_models
from pcf_core.models.public import public_models
from pcf_core.show.findings.numbers import people

OCCUPATION = re.compile(r"(?<![\w-])(an )?occupation(?=s?(?![\w-]))", re.IGNORECASE)
QUOTED = re.compile(r"(“[^”]*”)")  # titles and sentences keep their words
PREFERRED_IN = re.compile(r"(?<!s )(?<!e )\bpreferred in\b")  # heads a column, and is not "are preferred in"
PREFERS = re.compile(r"\b[Pp]refer(s|red|ring)?\b")
SLOTS: Mapping[str, str] = {
    "pronoun": "pronouns",
    "object": "object pronouns",
    "possessive": "possessives that stand alone",
    "determiner": "possessives",
    "reflexive": "reflexive pronouns",
    "plural": "plural nouns",
    "noun": "nouns",
    "phrase": "nouns with an article",
    "adjective": "adjectives",
    ANY: "words of any kind",
}
GROUPS = ("no group", "the same group", "different groups", "another group", "a group", "one group", "none")
_SUBJECT: ContextVar[_Subject] = ContextVar("subject")


@dataclass(frozen=True)
class _Subject:
    """What sentences are about: the noun of the terms; of decisions, a ``person`` and the groups' names."""

    noun: str = "occupation"
    person: str = ""
    groups: tuple[str, ...] = ()


USUAL = _Subject()


def speak_of(run: RunSpec) -> None:
    """Write about a run's terms and decisions from now on, in this context."""
    _SUBJECT.set(_subject_of(run))


def _subject_of(run: RunSpec) -> _Subject:
    if not run.topic.decides:
        return _Subject(run.evidence.noun)
    return _Subject(run.evidence.noun, run.topic.people[0], tuple(map(people, run.topic.group_names)))


@contextmanager
def speaking_of(*runs: RunSpec) -> Iterator[None]:
    """Write about the runs' terms and decisions in this block, if they share them; afterwards as before."""
    before = _SUBJECT.get(USUAL)
    if len(set(map(_subject_of, runs))) == 1:
        speak_of(runs[0])
    try:
        yield
    finally:
        _SUBJECT.set(before)


def worded(text: str) -> str:
    """Write about the terms, people and decisions of :func:`speak_of` what is written about occupations."""
    subject = _SUBJECT.get(USUAL)
    noun, person = subject.noun, subject.person

    def of_term(match: re.Match[str]) -> str:
        article = ("an " if noun[0] in "aeiou" else "a ") if match[1] else ""
        return _cased(f"{article}{noun}", match)

    def of_choice(match: re.Match[str]) -> str:
        verb = {"red": "favoured", "ring": "favouring", "s": "favours"}.get(match[1], "favour")
        return _cased(verb, match)

    def outside_quotes(text: str) -> str:
        text = text if noun == "occupation" else OCCUPATION.sub(of_term, text)
        return PREFERS.sub(of_choice, _with_rates(text, subject.groups)) if person else text

    if noun == "occupation" and not person:
        return text
    parts = QUOTED.split(with_person(text, person) if person else text)
    return "".join(part if part.startswith("“") else outside_quotes(part) for part in parts)


def _with_rates(text: str, groups: tuple[str, ...]) -> str:
    """Write which group gets the higher rate where a text says which one is preferred."""
    rate = "the higher rate" if len(groups) == 2 else "the highest rate"
    prefers, is_preferred = _preferences(groups)

    def gives(match: re.Match[str]) -> str:
        verb = {"red": "gave", "ring": "giving", "s": "gives"}.get(match[1], "give")
        than = f"a higher rate than {match[3]}" if match[3] else rate
        return f"{_cased(verb, match)} {match[2]} {than}{', above all for' if match[4] else ''}"

    def has(match: re.Match[str]) -> str:
        return f"{match[1]} {'has' if match[2] == 'is' else 'have'} {rate}"

    text = is_preferred.sub(has, prefers.sub(gives, text))
    return PREFERRED_IN.sub(f"{rate.removeprefix('the ')} in", text)


@lru_cache(maxsize=8)
def _preferences(groups: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return patterns of "prefers White people (to Black people)" and "White people are preferred"."""
    one = f"(?:{'|'.join(map(re.escape, sorted({*groups, *GROUPS}, key=len, reverse=True)))})"
    several = f"{one}(?:(?:, | or | and ){one})*"
    return (
        re.compile(rf"{PREFERS.pattern} ({several})(?!\w)(?: to ({one})(?!\w))?( most for)?"),
        re.compile(rf"\b({one}) (is|are) preferred"),
    )


def _cased(word: str, match: re.Match[str]) -> str:
    return word if match[0][0].islower() else word[0].upper() + word[1:]


def with_titles(text: str) -> str:
    """Replace exact names of models, sets and lists, except inside longer names, paths and options."""
    text = worded(text)
    if "-" not in text:  # every such name has one
        return text
    titles, names = _titles(settings().assets)
    return names.sub(lambda match: titles[match[0]], text)


def sentence_with_titles(sentence: str) -> str:
    """Replace the same names in a sentence, quoting titles of sets and lists."""
    sentence = worded(sentence)
    if "-" not in sentence:
        return sentence
    titles, names = _titles(settings().assets)

    def quoted(match: re.Match[str]) -> str:
        title, before = titles[match[0]], sentence[: match.start()][-1:]
        return title if match[0] in _models() or before == "“" else f"“{title}”"

    return names.sub(quoted, sentence)


def set_title(templates: TemplateSet) -> str:
    """Return a template set's title; of a shipped one today's, also for an earlier result."""
    return _titles(settings().assets)[0].get(templates.name) or templates.title or templates.name


def slot_title(slot: str) -> str:
    """Return the title of a slot: the kinds of words that fit there, such as "pronouns"."""
    return " or ".join(SLOTS[part] for part in slot.split("+"))


@dataclass(frozen=True)
class Titles:
    """Unique titles of names in a menu or table; other names are shown as they are."""

    by_name: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, name: str) -> str:
        """Return the title of a name."""
        return self.by_name.get(name, name)

    def name(self, title: str) -> str:
        """Return the name with this title, or the text itself."""
        return self._by_title.get(title, title)

    @cached_property
    def _by_title(self) -> Mapping[str, str]:
        return {title: name for name, title in self.by_name.items()}


def unique_titles(titles: Mapping[str, str]) -> Titles:
    """Add the name in brackets to titles that are not unique, or equal to another's name.

    ``titles``: by name; "" stands for the name.  A name with @, of an earlier version, always gets brackets.
    """
    today = Counter(title or name for name, title in titles.items() if "@" not in name)

    def title_of(name: str, title: str) -> str:
        if not title or title == name:
            return name
        is_unique = "@" not in name and today[title] == 1 and title not in titles
        return title if is_unique else f"{title} ({name})"

    return Titles({name: title_of(name, title) for name, title in titles.items()})


@lru_cache(maxsize=4)
def _titles(assets: Path) -> tuple[Mapping[str, str], re.Pattern[str]]:
    """Map names to unique titles, and return a pattern that matches the names.

    Public copies come first: a hub original with the same title keeps its exact name.  A title without a
    space could be a user's own model, a name without a hyphen an ordinary word.
    """
    titles: dict[str, str] = {}
    for name, title in (*_model_titles(), *_set_titles(assets)):
        if "-" in name and " " in title and title not in titles.values():
            titles[name] = title
    longest_first = sorted(titles, key=len, reverse=True)
    alternatives = "|".join(map(re.escape, longest_first)) or r"(?!)"
    return titles, re.compile(rf"(?<![\w./:@=\\-])(?:{alternatives})(?![\w/@\\-]|[.:]\w)")


@lru_cache(maxsize=1)
def _models() -> frozenset[str]:
    return frozenset(name for name, _ in _model_titles())


def _model_titles() -> Iterator[tuple[str, str]]:
    with suppress(ModelError):  # a damaged list is reported elsewhere
        yield from ((model.name, model.title) for model in public_models())
        yield from ((model.name, model.title) for model in known_models())
    with suppress(OSError, ValueError):
        teaching = (settings().assets / "models" / "titles.toml").read_text(encoding="utf8")
        yield from tomllib.loads(teaching).items()


def _set_titles(assets: Path) -> Iterator[tuple[str, str]]:
    for path in (
        *sorted((assets / "templates").glob("*.toml")),
        *sorted((assets / "evidence").glob("*.toml")),
    ):
        with suppress(OSError, ValueError):
            yield path.stem, str(tomllib.loads(path.read_text(encoding="utf8")).get("title", ""))
