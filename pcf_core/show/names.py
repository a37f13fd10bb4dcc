"""The titles by which people know models, topics, sets and lists, in every sentence, chart, table and menu.

Data, addresses, commands and provenance keep the exact names.  Only models in the shipped lists have a title;
any other model is shown under the name that its owner gave it.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path

from pcf_core.core.errors import ModelError
from pcf_core.core.settings import settings
from pcf_core.core.topics import TemplateSet
from pcf_core.models.names import known_models
from pcf_core.models.public import public_models


def with_titles(text: str) -> str:
    """Replace the exact names of models, template sets and lists in a text by their titles.

    A name inside a longer name, a path, an address or an option of a command stays as it is.  A text that was
    replaced once stays as it is.
    """
    if "-" not in text:  # every name that is replaced has one
        return text
    titles, names = _titles(settings().assets)
    return names.sub(lambda match: titles[match[0]], text)


def sentence_with_titles(sentence: str) -> str:
    """Replace the same names in a sentence, where the title of a set or list is quoted."""
    if "-" not in sentence:
        return sentence
    titles, names = _titles(settings().assets)

    def quoted(match: re.Match[str]) -> str:
        title, before = titles[match[0]], sentence[: match.start()][-1:]
        return title if match[0] in _models() or before == "“" else f"“{title}”"

    return names.sub(quoted, sentence)


def set_title(templates: TemplateSet) -> str:
    """Return the title of a template set: that of today for a shipped one, also of an earlier result."""
    return _titles(settings().assets)[0].get(templates.name) or templates.title or templates.name


@dataclass(frozen=True)
class Titles:
    """The titles under which a menu or a table shows names, no two alike.

    ``by_name``: the title of each name; any other name is shown as it is.
    """

    by_name: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, name: str) -> str:
        """Return the title of a name."""
        return self.by_name.get(name, name)

    def name(self, title: str) -> str:
        """Return the name that has this title; any other text as it is."""
        return self._by_title.get(title, title)

    @cached_property
    def _by_title(self) -> Mapping[str, str]:
        return {title: name for name, title in self.by_name.items()}


def unique_titles(titles: Mapping[str, str]) -> Titles:
    """Add the name in brackets to each title that several names have, or that is another one's name.

    ``titles``: by name; an empty one stands for the name.  A name with @ belongs to an earlier version, whose
    title always has it, so that the version of today keeps the plain title.
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
    """Map names to titles, and return the pattern that finds the names; every title belongs to one name.

    Public copies come first: where the hub's original has the same title, it keeps its exact name, so that
    two models never look like one.  A title without a space could be the name of somebody's own model, and a
    name without a hyphen could be an ordinary word.
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
    with suppress(ModelError):  # who opens a damaged list reports it; a name can do without its title
        yield from ((model.name, model.title) for model in public_models())
        yield from ((model.name, model.title) for model in known_models())


def _set_titles(assets: Path) -> Iterator[tuple[str, str]]:
    """Yield names and titles of the shipped template sets and lists of occupations."""
    for path in (
        *sorted((assets / "templates").glob("*.toml")),
        *sorted((assets / "evidence").glob("*.toml")),
    ):
        with suppress(OSError, ValueError):
            yield path.stem, str(tomllib.loads(path.read_text(encoding="utf8")).get("title", ""))
