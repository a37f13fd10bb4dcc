"""Which parsers can be used: their place, language, and labels as Universal Dependencies.

spaCy is not imported, and no parser is loaded.  spaCy's English packages have the labels of ClearNLP's
conversion of OntoNotes (Choi & Palmer 2012, "Guidelines for the CLEAR style constituent to dependency
conversion"), in which function words govern: a preposition its object, *be* its predicate.  In Universal
Dependencies 2 (de Marneffe et al. 2021, doi:10.1162/coli_a_00402), as in UD English EWT, content words
govern.  :func:`convert` turns the first into the second, one step a function.  Not converted: clauses before
a verb of saying, the expletive subject of "it is clear that", and names, whose parts stay ``compound``
instead of ``flat``.

spaCy's Chinese packages have the labels of Stanford CoreNLP's converter, an early form of Universal
Dependencies: only names of relations change.
"""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten
from typing import Literal

from pcf_core.core.errors import PipelineError
from pcf_core.core.settings import settings

SHIPPED = "en-mini"
LANGUAGE = re.compile(r"^lang\s*=\s*\"(\w*)\"", re.MULTILINE)  # of the section [nlp]

Scheme = Literal["ud", "clearnlp", "stanford"]
MARKS: Mapping[Scheme, frozenset[str]] = {
    "ud": frozenset({"nsubj", "obj", "obl", "case", "cop"}),
    "clearnlp": frozenset({"nsubj", "dobj", "pobj", "prep", "auxpass"}),
    "stanford": frozenset({"nsubj", "dobj", "nmod:assmod", "case", "aux:asp"}),
}
LEMMATIZERS = ("trainable_lemmatizer", "lemmatizer")


@dataclass(frozen=True)
class ParserNeeds:
    """What the rules of a language need of its parser.

    ``schemes``: accepted labels, ``beside``: those other than Universal Dependencies', in words.  ``parts``:
    kinds of components with their factories; ``tags``: some tags that rules read, from ``tag_names``.
    ``example``: a suitable package.
    """

    name: str
    schemes: tuple[Scheme, ...]
    beside: str
    parts: Mapping[str, tuple[str, ...]]
    tags: frozenset[str]
    tag_names: str
    example: str


READINGS: Mapping[str, ParserNeeds] = {
    "en": ParserNeeds(
        name="English",
        schemes=("ud", "clearnlp"),
        beside="ClearNLP, as the English pipelines of spaCy have them",
        parts={"tagger": ("tagger",), "lemmatizer": LEMMATIZERS, "parser": ("parser",)},
        tags=frozenset({"NN", "PRP", "VB", "VBD", "VBN"}),
        tag_names="the Penn Treebank, such as VBD",
        example="en_core_web_sm",
    ),
    "zh": ParserNeeds(
        name="Chinese",
        schemes=("ud", "stanford"),
        beside="Stanford's converter, as the Chinese pipelines of spaCy have them",
        parts={"parser": ("parser",)},  # rules read words and relations only
        tags=frozenset(),
        tag_names="",
        example="zh_core_web_sm",
    ),
}


def scheme_of(labels: Collection[str], language: str = "en") -> Scheme:
    """Return the scheme of a parser's labels, or raise PipelineError."""
    reading = READINGS[language]
    for scheme in reading.schemes:
        if MARKS[scheme] <= set(labels):
            return scheme
    raise PipelineError(
        f"The parser's labels must be those of Universal Dependencies or of {reading.beside}, but it has "
        f"{', '.join(sorted(labels)[:8]) or 'none'}: choose another parser."
    )


def check_language(name: str, language: str) -> None:
    """Raise PipelineError for a parser here of another language; one elsewhere is not checked."""
    try:
        text = (find(name) / "config.cfg").read_text(encoding="utf8")
    except (PipelineError, OSError, ValueError):
        return
    declared = LANGUAGE.search(text)
    if declared and declared[1] != language:
        raise other_language(name, language, declared[1])


def other_language(name: str, language: str, got: object) -> PipelineError:
    """Make the error for a parser of another language."""
    reading = READINGS[language]
    return PipelineError(
        f"A parser for {reading.name} ({language!r}) is needed, but {name} is for {got!r}: choose another "
        f"with --pipeline or PCF_PIPELINE, such as {reading.example} if it is installed."
    )


def find(name: str) -> Path:
    """Find the folder with a parser's ``config.cfg``, without importing anything."""
    try:
        if name == SHIPPED:
            folders = [settings().assets / "pipelines" / SHIPPED]
        else:
            package = _package_folder(name) if name.isidentifier() else None
            folders = [*filter(None, [package]), Path(name).expanduser()]
        for folder in folders:
            if (folder / "config.cfg").is_file():
                return folder
    except (OSError, ValueError, KeyError, TypeError, RuntimeError):  # not a file name, or a broken package
        pass
    raise PipelineError(
        f"There is no parser {shorten(name, 120)!r}: choose the shipped {SHIPPED}, an installed spaCy "
        "package such as en_core_web_sm, or a folder with spaCy's config.cfg."
    )


def _package_folder(name: str) -> Path | None:
    spec = importlib.util.find_spec(name)
    for location in (spec and spec.submodule_search_locations) or ():
        about = Path(location) / "meta.json"
        if about.is_file():
            meta = json.loads(about.read_text(encoding="utf8"))
            return about.parent / "{lang}_{name}-{version}".format_map(meta)
    return None


# -------------------------------------------------------------------------------------------- Stanford

STANFORD = {
    "ROOT": "root",
    "auxpass": "aux:pass",
    "dobj": "obj",
    "mark:clf": "clf",
    "name": "flat:name",
    "neg": "advmod:neg",
    "nmod:tmod": "obl:tmod",
    "nsubjpass": "nsubj:pass",
}


# -------------------------------------------------------------------------------------------- ClearNLP

RENAMED = {
    "ROOT": "root",
    "agent": "obl",  # without an object
    "attr": "xcomp",
    "acomp": "xcomp",
    "oprd": "xcomp",
    "auxpass": "aux:pass",
    "csubjpass": "csubj:pass",
    "dative": "iobj",
    "dobj": "obj",
    "intj": "discourse",
    "meta": "dep",
    "neg": "advmod",
    "npadvmod": "obl:unmarked",
    "nsubjpass": "nsubj:pass",
    "pcomp": "advcl",  # without its preposition
    "pobj": "obl",
    "poss": "nmod:poss",
    "preconj": "cc:preconj",
    "predet": "det:predet",
    "prep": "obl",  # stranded: "nobody to speak to"
    "prt": "compound:prt",
    "quantmod": "advmod",
    "relcl": "acl:relcl",
}
PLACE_ADVERBS = frozenset(
    {"abroad", "away", "back", "down", "here", "home", "in", "off", "on", "out", "over", "there", "up"}
)
NOMINATIVE = frozenset({"i", "he", "she", "we", "they"})
FINITE = frozenset({"VBD", "VBZ", "VBP", "MD"})


@dataclass
class Draft:
    """A sentence under conversion: ``heads`` and ``relations`` change; the root is its own head."""

    words: tuple[str, ...]
    lemmas: tuple[str, ...]
    tags: tuple[str, ...]
    heads: list[int]
    relations: list[str]

    def children(self, token: int, *relations: str) -> list[int]:
        """Return dependents from left to right, optionally of these relations."""
        return [
            child
            for child, head in enumerate(self.heads)
            if head == token and child != token and (not relations or self.relations[child] in relations)
        ]

    def swap(self, governor: int, governed: int, relation: str) -> None:
        """Exchange a head with one of its dependents, which takes over its other dependents."""
        outer = self.heads[governor]
        for child in self.children(governor):
            self.heads[child] = governed
        self.heads[governed] = governed if outer == governor else outer
        self.relations[governed] = self.relations[governor]
        self.heads[governor], self.relations[governor] = governed, relation


def convert(draft: Draft) -> None:
    """Convert ClearNLP's heads and relations to Universal Dependencies."""
    _lift_objects_of_prepositions(draft)
    _raise_subjects(draft)
    _lift_predicates_of_be(draft)
    _attach_conjunctions(draft)
    _flatten_conjuncts(draft)
    draft.relations[:] = [RENAMED.get(relation, relation) for relation in draft.relations]
    for token, relation in enumerate(draft.relations):
        if relation == "aux" and draft.tags[token] == "TO":
            draft.relations[token] = "mark"


def _lift_objects_of_prepositions(draft: Draft) -> None:
    """Turn prep(wrote, about), pobj(about, sea) into obl(wrote, sea), case(sea, about).

    From right to left, so that inner prepositions come first ("out of the city").  A clause after a
    preposition becomes ``advcl`` of a verb and ``acl`` of a noun.
    """
    for token in reversed(range(len(draft.heads))):
        relation = draft.relations[token]
        governed = [*draft.children(token, "pobj"), *draft.children(token, "pcomp")]
        if relation not in ("prep", "agent", "dative", "conj") or not (
            governed or (relation == "prep" and draft.children(token, "obl", "nmod"))
        ):
            continue
        chosen = (governed or draft.children(token, "obl", "nmod"))[0]
        clausal = draft.relations[chosen] == "pcomp"
        nominal = _is_nominal(draft.tags[draft.heads[token]])
        draft.swap(token, chosen, "mark" if clausal and draft.tags[chosen].startswith("V") else "case")
        if relation == "agent" and not clausal:
            draft.relations[chosen] = "obl:agent"
        elif relation != "conj":
            names = ("acl", "advcl") if clausal else ("nmod", "obl")
            draft.relations[chosen] = names[0] if nominal else names[1]


def _is_nominal(tag: str) -> bool:
    return tag.startswith(("NN", "PRP", "WP", "CD", "DT", "WDT", "PDT", "EX"))


def _raise_subjects(draft: Draft) -> None:
    """Turn ccomp(want, go), nsubj(go, him) into xcomp(want, go), obj(want, him), if there is no tense."""
    for clause in range(len(draft.heads)):
        if draft.relations[clause] != "ccomp" or draft.children(clause, "mark"):
            continue
        subjects = draft.children(clause, "nsubj", "nsubjpass")
        words = [clause, *draft.children(clause, "aux", "auxpass")]
        if not subjects or any(draft.tags[word] in FINITE for word in words):
            continue
        if draft.words[subjects[0]].lower() not in NOMINATIVE:  # not "suggested he leave"
            draft.relations[clause] = "xcomp"
            draft.heads[subjects[0]] = draft.heads[clause]
            draft.relations[subjects[0]] = "dobj"


def _lift_predicates_of_be(draft: Draft) -> None:
    """Turn attr(is, woman), nsubj(is, teacher) into cop(woman, is), nsubj(woman, teacher).

    The predicate is a noun or adjective, otherwise a phrase with a preposition or a place, otherwise a
    clause, whose own subject makes that of *be* an outer one.  In "There is a cook" the cook is the subject.
    """
    for token, lemma in enumerate(draft.lemmas):
        if lemma != "be" or draft.relations[token] in ("aux", "auxpass", "cop"):
            continue
        if draft.children(token, "expl"):
            for child in draft.children(token, "attr"):
                draft.relations[child] = "nsubj"
            continue
        right = [child for child in draft.children(token) if child > token]
        predicates = [
            *draft.children(token, "attr", "acomp", "oprd"),
            *(child for child in right if draft.relations[child] == "obl"),
            *(
                child
                for child in right
                if draft.relations[child] == "advmod" and draft.lemmas[child].lower() in PLACE_ADVERBS
            ),
        ]
        clauses = [child for child in right if draft.relations[child] == "ccomp"]
        if not predicates and clauses:
            for subject in draft.children(token, "nsubj"):
                draft.relations[subject] = "nsubj:outer"
        if predicates or clauses:
            draft.swap(token, (predicates or clauses)[0], "cop")


def _attach_conjunctions(draft: Draft) -> None:
    """Turn cc(put, and), conj(put, picked) into cc(picked, and)."""
    for token, relation in enumerate(draft.relations):
        if relation == "cc":
            following = [child for child in draft.children(draft.heads[token], "conj") if child > token]
            if following:
                draft.heads[token] = following[0]


def _flatten_conjuncts(draft: Draft) -> None:
    """Turn conj(a, b), conj(b, c) into conj(a, b), conj(a, c)."""
    for token, relation in enumerate(draft.relations):
        while relation == "conj" and draft.relations[draft.heads[token]] == "conj":
            draft.heads[token] = draft.heads[draft.heads[token]]
