"""From a parser's labels to Universal Dependencies: the rules of mining see one scheme alone.

spaCy's English packages carry the labels of ClearNLP's conversion of OntoNotes (Choi & Palmer 2012,
"Guidelines for the CLEAR style constituent to dependency conversion"), in which function words govern: a
preposition its object, the verb *be* its predicate.  Universal Dependencies 2 (de Marneffe et al. 2021,
doi:10.1162/coli_a_00402), as in the treebank UD English EWT, lets content words govern.  One step a function
turns the first into the second.  Left as they are: clauses in front of a verb of saying, which EWT makes the
root or not by punctuation; the expletive subject of "it is clear that"; and names, whose parts stay
``compound`` where EWT has ``flat``.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

from spacy.tokens import Span

from pcf_core.errors import PipelineError
from pcf_core.language.trees import Tree

Scheme = Literal["ud", "clearnlp"]
MARKS: dict[Scheme, frozenset[str]] = {
    "ud": frozenset({"nsubj", "obj", "obl", "case", "cop"}),
    "clearnlp": frozenset({"nsubj", "dobj", "pobj", "prep", "auxpass"}),
}
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
PLACES = frozenset(
    {"abroad", "away", "back", "down", "here", "home", "in", "off", "on", "out", "over", "there", "up"}
)
NOMINATIVE = frozenset({"i", "he", "she", "we", "they"})
FINITE = frozenset({"VBD", "VBZ", "VBP", "MD"})


def scheme_of(labels: Collection[str]) -> Scheme:
    """Which scheme a parser's labels belong to.

    Raises:
        PipelineError: labels of another scheme.
    """
    for scheme, marks in MARKS.items():
        if marks <= set(labels):
            return scheme
    raise PipelineError(
        "The parser's labels must be those of Universal Dependencies or of ClearNLP, as the English "
        f"pipelines of spaCy have them (got {', '.join(sorted(labels)[:8]) or 'none'}): take another parser."
    )


def tree_of(sentence: Span, scheme: Scheme) -> Tree:
    """One sentence of a parsed document, in Universal Dependencies.

    The offset counts from the start of the document.
    """
    strings = sentence.doc.vocab.strings
    table = sentence.doc.to_array(["ORTH", "LEMMA", "TAG", "DEP", "HEAD"])
    *texts, steps = table[sentence.start : sentence.end].T
    words, lemmas, tags, relations = (tuple([strings[key] for key in column.tolist()]) for column in texts)
    heads = [token + step for token, step in enumerate(steps.astype("int64").tolist())]
    if scheme == "clearnlp":
        draft = Draft(words, lemmas, tags, heads, list(relations))
        convert(draft)
        heads, relations = draft.heads, tuple(draft.relations)
    else:
        relations = tuple(["root" if relation == "ROOT" else relation for relation in relations])
    return Tree(words, lemmas, tags, tuple(heads), relations, sentence.start_char)


# -------------------------------------------------------------------------------------------- ClearNLP


@dataclass
class Draft:
    """A sentence between the schemes; ``heads`` and ``relations`` change, the root is its own head."""

    words: tuple[str, ...]
    lemmas: tuple[str, ...]
    tags: tuple[str, ...]
    heads: list[int]
    relations: list[str]

    def children(self, token: int, *relations: str) -> list[int]:
        """Dependents from left to right, of these relations if any is named."""
        return [
            child
            for child, head in enumerate(self.heads)
            if head == token and child != token and (not relations or self.relations[child] in relations)
        ]

    def swap(self, governor: int, governed: int, relation: str) -> None:
        """Let a dependent take its head's place and dependents, and the head depend on it."""
        outer = self.heads[governor]
        for child in self.children(governor):
            self.heads[child] = governed
        self.heads[governed] = governed if outer == governor else outer
        self.relations[governed] = self.relations[governor]
        self.heads[governor], self.relations[governor] = governed, relation


def convert(draft: Draft) -> None:
    """Turn ClearNLP's heads and relations into Universal Dependencies'."""
    lift_objects_of_prepositions(draft)
    raise_subjects(draft)
    lift_predicates_of_be(draft)
    attach_conjunctions(draft)
    flatten_conjuncts(draft)
    draft.relations[:] = [RENAMED.get(relation, relation) for relation in draft.relations]
    for token, relation in enumerate(draft.relations):
        if relation == "aux" and draft.tags[token] == "TO":
            draft.relations[token] = "mark"


def lift_objects_of_prepositions(draft: Draft) -> None:
    """prep(wrote, about), pobj(about, sea)  ->  obl(wrote, sea), case(sea, about).

    From right to left, so that of "out of the city" the inner preposition comes first.  A clause after a
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
        nominal = is_nominal(draft.tags[draft.heads[token]])
        draft.swap(token, chosen, "mark" if clausal and draft.tags[chosen].startswith("V") else "case")
        if relation == "agent" and not clausal:
            draft.relations[chosen] = "obl:agent"
        elif relation != "conj":
            names = ("acl", "advcl") if clausal else ("nmod", "obl")
            draft.relations[chosen] = names[0] if nominal else names[1]


def is_nominal(tag: str) -> bool:
    """Whether a word of this tag is a noun, a pronoun, a number or a determiner that stands alone."""
    return tag.startswith(("NN", "PRP", "WP", "CD", "DT", "WDT", "PDT", "EX"))


def raise_subjects(draft: Draft) -> None:
    """ccomp(want, go), nsubj(go, him)  ->  xcomp(want, go), obj(want, him): where the clause has no tense."""
    for clause in range(len(draft.heads)):
        if draft.relations[clause] != "ccomp" or draft.children(clause, "mark"):
            continue
        subjects = draft.children(clause, "nsubj", "nsubjpass")
        words = [clause, *draft.children(clause, "aux", "auxpass")]
        if not subjects or any(draft.tags[word] in FINITE for word in words):
            continue
        if draft.words[subjects[0]].lower() not in NOMINATIVE:  # "suggested he leave" has its own
            draft.relations[clause] = "xcomp"
            draft.heads[subjects[0]] = draft.heads[clause]
            draft.relations[subjects[0]] = "dobj"


def lift_predicates_of_be(draft: Draft) -> None:
    """attr(is, woman), nsubj(is, teacher)  ->  cop(woman, is), nsubj(woman, teacher).

    The predicate is a noun or an adjective, else what stands with a preposition or says a place, else a
    clause, whose own subject makes that of *be* an outer one.  "There is a cook" has none: the cook is the
    subject.
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
                if draft.relations[child] == "advmod" and draft.lemmas[child].lower() in PLACES
            ),
        ]
        clauses = [child for child in right if draft.relations[child] == "ccomp"]
        if not predicates and clauses:
            for subject in draft.children(token, "nsubj"):
                draft.relations[subject] = "nsubj:outer"
        if predicates or clauses:
            draft.swap(token, (predicates or clauses)[0], "cop")


def attach_conjunctions(draft: Draft) -> None:
    """cc(put, and), conj(put, picked)  ->  cc(picked, and): to the conjunct that follows."""
    for token, relation in enumerate(draft.relations):
        if relation == "cc":
            following = [child for child in draft.children(draft.heads[token], "conj") if child > token]
            if following:
                draft.heads[token] = following[0]


def flatten_conjuncts(draft: Draft) -> None:
    """conj(a, b), conj(b, c)  ->  conj(a, b), conj(a, c)."""
    for token, relation in enumerate(draft.relations):
        while relation == "conj" and draft.relations[draft.heads[token]] == "conj":
            draft.heads[token] = draft.heads[draft.heads[token]]
