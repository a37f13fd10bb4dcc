"""Trees by hand: a line a token, ``word lemma TAG head relation``, heads counted from 1, 0 the root."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import strategies as st

from pcf_core.mining.parser.trees import Tree
from pcf_core.mining.verb_groups import Dropped, Found


def tree(text: str) -> Tree:
    """``"Smith Smith NNP 2 nsubj; said say VBD 0 root"``; lines or semicolons part the tokens."""
    rows = [row.split() for row in text.replace(";", "\n").splitlines() if row.strip()]
    words, lemmas, tags, heads, relations = zip(*rows, strict=True)
    return Tree(
        words=words,
        lemmas=lemmas,
        tags=tags,
        heads=tuple(int(head) - 1 if int(head) else position for position, head in enumerate(heads)),
        relations=relations,
    )


def texts(found: Iterable[Found | Dropped]) -> list[str | Dropped]:
    """The templates of what a rule yields, or why it gave none."""
    return [one if isinstance(one, Dropped) else one.text for one in found]


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    """Any tree over words, tags and relations of the rules, in any order."""
    size = draw(st.integers(3, 9))
    heads = [draw(st.integers(0, token - 1)) for token in range(1, size)]
    order = draw(st.permutations(range(size)))
    place = [0] * size
    for old, new in enumerate(order):
        place[old] = new
    rows = [("", "", "", 0, "")] * size
    for old in range(size):
        word, lemma, tag = draw(st.sampled_from(WORDS.strip().replace("\n", ";").split(";"))).split()
        relation = draw(st.sampled_from(RELATIONS)) if old else "root"
        rows[place[old]] = (word, lemma, tag, place[heads[old - 1]] if old else place[0], relation)
    words, lemmas, tags, head, relations = zip(*rows, strict=True)
    return Tree(words, lemmas, tags, head, relations)


WORDS = """
Smith Smith NNP; he he PRP; she she PRP; said say VBD; went go VBD; was be VBD; known know VBN; to to TO
that that IN; when when WRB; and and CC; the the DT; role role NN; actress actress NN; five five CD
his his PRP$; old old JJ; of of IN; leave leave VB; not not RB; nurse nurse NN; has have VBZ; can can MD
"""
RELATIONS = [
    "nsubj",
    "nsubj:pass",
    "obj",
    "iobj",
    "obl",
    "ccomp",
    "xcomp",
    "advcl",
    "conj",
    "cc",
    "mark",
    "advmod",
    "aux",
    "aux:pass",
    "cop",
    "case",
    "det",
    "amod",
    "nummod",
    "nmod",
    "nmod:poss",
    "compound",
    "compound:prt",
    "acl",
    "acl:relcl",
    "punct",
]
