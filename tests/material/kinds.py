"""Every kind of list that a user can keep: examples of records and files, for the contract that all obey."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pcf_core.core.knowledge import Fact
from pcf_core.core.records import LeftOut
from pcf_core.core.topics import Group
from pcf_core.material import evidence, knowledge, templates, topics
from pcf_core.material.shelves import OwnFiles
from pcf_core.material.template_editing import cut
from pcf_core.texts.fairpair import categories, prompts
from pcf_core.texts.fairpair.prompts import Draft
from pcf_core.texts.fairpair.records import CategorySet, WordCategory
from tests.material.mined_sets import small

TOPIC = topics.make_topic(
    "left-right",
    [
        Group(name="left", words=("left", "progressive")),
        Group(name="right", words=("right", "conservative")),
    ],
    title='Left "and" right',
    aligned=True,
    notes="Ours.\nTwo lines \\ and a #",
    left_out=[LeftOut(name="centre", reason="it is neither")],
    evidence="occupations-bvf",
    templates="race-relative",
    position="predicate",
)
SPORTS = evidence.make_evidence(
    "my-sports", ["chess player", 'an "ace"'], weights=[3, 0.5], noun="athlete", title="Sports", notes="\\ #"
)
SKY = knowledge.make_knowledge(
    "sky",
    ["The [X] is a [Y]", 'It is said that "the [X]" is a [Y]'],
    [
        Fact(subject="Sun", right=("star",), wrong=("planet", "moon")),
        Fact(subject="Mars", right=("planet", "world"), wrong=("star",), weight=2.5),
    ],
    title="The sky",
)
FEW = prompts.OWN.make(
    {
        "name": "few",
        "prompts": [Draft("{name}'s book is red.", "books"), Draft("{name} met Joan.")],
        "title": "Few",
    }
)
KITCHEN = CategorySet(
    name="kitchen",
    title="Kitchen",
    categories=(
        WordCategory(name="kitchen", title="In the kitchen", words=("cook*", "oven")),
        WordCategory(name="rest", title="Rest", words=("nap",)),
    ),
)


@dataclass(frozen=True)
class Example:
    """A kind, two records of one name, and texts: of a file that is taken, and of the same as JSON."""

    own: OwnFiles[Any]
    one: Any
    other: Any
    shipped: str
    file: tuple[str, str]


def changed(record: Any, **fields: object) -> Any:
    return record.model_copy(update=fields)


KINDS: Mapping[str, Example] = {
    "topics": Example(
        topics.OWN,
        TOPIC,
        changed(TOPIC, groups=(Group(name="left", words=("left", "green")), TOPIC.groups[1])),
        "gender",
        (".csv", "group,word\nmale,he\nmale,king\nfemale,she\nfemale,queen\n"),
    ),
    "evidence": Example(
        evidence.OWN, SPORTS, changed(SPORTS, weights=()), "education", (".csv", "term,weight\nnurse,3\n")
    ),
    "knowledge": Example(
        knowledge.OWN,
        SKY,
        changed(SKY, facts=SKY.facts[:1]),
        "animals",
        (".csv", "template,subject,right,wrong\n[X] is a [Y],,,\n,Sun,star,planet|moon\n"),
    ),
    "templates": Example(
        templates.OWN,
        small(),
        cut(small(), top=2),
        "gender-reporting",
        (".csv", "template,count\nThe [X] said that [Y],1\n"),
    ),
    "prompts": Example(
        prompts.OWN,
        FEW,
        changed(FEW, prompts=FEW.prompts[:1]),
        "common-sents-1",
        (".csv", "text,category\n{name} sings.,art\n"),
    ),
    "categories": Example(
        categories.OWN,
        KITCHEN,
        changed(KITCHEN, categories=KITCHEN.categories[:1]),
        "fairpair",
        (".csv", "category,word\nIn the kitchen,cook*\nrest,nap\n"),
    ),
}
