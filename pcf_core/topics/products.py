"""Intersections: groups that are products of the groups of two or more factors, such as race × gender."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

from pcf_core.errors import TopicError
from pcf_core.records import Group, Topic
from pcf_core.topics.groups import check_groups, check_number, groups_of
from pcf_core.topics.text import shown

WITHOUT_SPACES = frozenset({"zh", "ja", "th", "lo", "km", "my"})  # languages that put none between words


def product_groups(
    factors: object, language: str, find: Callable[[str], Topic], where: str
) -> tuple[Group, ...]:
    """Every combination of one group of each factor, the last factor changing fastest.

    A factor is the name of a topic, which ``find`` answers, or a list of groups: each a table with ``name``
    and ``words``, or one word that is its name, too.  The words of a combination are every word of the first
    group before every word of the next, with a space between them (none in Chinese, Japanese, Thai, Lao,
    Khmer and Burmese): white {white} and black {black, african} × man {man} and woman {woman} gives
    white-man {white man}, white-woman {white woman}, black-man {black man, african man} and black-woman.

    Raises:
        TopicError: under two factors, a factor that is no topic and no list of groups, over 5,000 words
            together, groups of a factor that :func:`~pcf_core.topics.groups.check_groups` refuses.
    """
    if not isinstance(factors, list) or len(factors) < 2:
        raise TopicError(
            f"{where}: product must be a list of two or more, each the name of a topic or a list of groups."
        )
    parts = [
        _factor(factor, language, find, f"{where}, part {place} of the product")
        for place, factor in enumerate(factors, 1)
    ]
    check_number(math.prod(sum(len(group.words) for group in part) for part in parts), where)
    space = "" if language.split("-")[0].lower() in WITHOUT_SPACES else " "
    return tuple(
        Group(
            name="-".join(group.name for group in chosen),
            words=tuple(space.join(words) for words in itertools.product(*(group.words for group in chosen))),
        )
        for chosen in itertools.product(*parts)
    )


def _factor(factor: object, language: str, find: Callable[[str], Topic], where: str) -> tuple[Group, ...]:
    if isinstance(factor, str):
        topic = find(factor)
        if topic.language != language:
            raise TopicError(
                f"{where}: the topic {topic.name} is in the language {topic.language}, the product in "
                f"{language}; take one of the same language."
            )
        return topic.groups
    if not isinstance(factor, list):
        raise TopicError(f"{where} is {shown(factor)}; write the name of a topic or a list of groups.")
    entries = [
        {"name": entry.lower().replace(" ", "-"), "words": [entry]} if isinstance(entry, str) else entry
        for entry in factor
    ]
    return check_groups(groups_of(entries, where), False, where)
