"""Trees by hand: a line a token, ``word lemma TAG head relation``, heads counted from 1, 0 the root."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import strategies as st

from pcf_core.mining.parser.trees import Tree
from pcf_core.mining.verb_groups import Candidate, Dropped

TABLE = Path(__file__).with_name("sentences.tsv")
NOTHING = "nothing"


@dataclass(frozen=True)
class Case:
    """A line of ``sentences.tsv``: what a rule makes of a tree.

    ``expected``: the templates, joined by ``|``; ``- reason`` where one is refused.  ``marked``: the tokens
    with ``<`` (the subject, or where to begin) and ``>`` (the word in question) before them.
    """

    rule: str
    expected: str
    tree: Tree
    marked: dict[str, int] = field(default_factory=dict)
    why: str = ""


def cases() -> Iterator[Case]:
    """The lines of the table: under ``[rule]`` expected, tree and, where it is not plain, why."""
    rule = ""
    for line in TABLE.read_text(encoding="utf8").splitlines():
        if line.startswith("["):
            rule = line.strip("[]")
        elif line:
            expected, text, *why = line.split("\t")
            yield Case(rule, expected, *marked(text), *why)


def marked(text: str) -> tuple[Tree, dict[str, int]]:
    """A tree without its marks, and where they stood."""
    rows = [row.split() for row in text.split(";")]
    marks = {row[0][0]: token for token, row in enumerate(rows) if row[0][0] in "<>"}
    return tree("; ".join(" ".join([row[0].lstrip("<>"), *row[1:]]) for row in rows)), marks


def tree(text: str) -> Tree:
    """``"Smith NNP 2 nsubj; said say VBD 0 root"``: without a lemma the word is its own, ``_`` is no tag."""
    rows = [row.split() for row in text.replace(";", "\n").splitlines() if row.strip()]
    full = [row if len(row) == 5 else [row[0], *row] for row in rows]
    words, lemmas, tags, heads, relations = zip(*full, strict=True)
    return Tree(
        words=words,
        lemmas=lemmas,
        tags=tuple("" if tag == "_" else tag for tag in tags),
        heads=tuple(int(head) - 1 if int(head) else token for token, head in enumerate(heads)),
        relations=relations,
    )


def texts(found: Iterable[Candidate | Dropped]) -> list[str | Dropped]:
    """The templates of what a rule yields, or why it gave none."""
    return [one if isinstance(one, Dropped) else one.text for one in found]


@st.composite
def trees_of(draw: st.DrawFn, rows: Iterable[str], relations: Iterable[str] = (), size: int = 9) -> Tree:
    """Any tree over rows ``word lemma TAG [relation]``, in any order; a missing relation is drawn."""
    chosen = [row.split() for row in draw(st.lists(st.sampled_from(list(rows)), min_size=3, max_size=size))]
    order = draw(st.permutations(range(len(chosen))))
    heads = list(range(len(chosen)))
    for n, token in enumerate(order[1:], start=1):
        heads[token] = order[draw(st.integers(0, n - 1))]
    names = [row[3] if len(row) > 3 else draw(st.sampled_from(list(relations))) for row in chosen]
    names[order[0]] = "root"
    words, lemmas, tags = zip(*(row[:3] for row in chosen), strict=True)
    return Tree(words, lemmas, tags, tuple(heads), tuple(names))


def trees() -> st.SearchStrategy[Tree]:
    """Any tree over words, tags and relations of the rules for English."""
    return trees_of(WORDS, RELATIONS)


WORDS = (
    """
Smith Smith NNP; he he PRP; she she PRP; said say VBD; went go VBD; was be VBD; known know VBN; to to TO
that that IN; when when WRB; and and CC; the the DT; role role NN; actress actress NN; five five CD
his his PRP$; old old JJ; of of IN; leave leave VB; not not RB; nurse nurse NN; has have VBZ; can can MD
""".strip()
    .replace("\n", ";")
    .split(";")
)
RELATIONS = """
nsubj nsubj:pass obj iobj obl ccomp xcomp advcl conj cc mark advmod aux aux:pass cop case det amod nummod
nmod nmod:poss compound compound:prt acl acl:relcl punct
""".split()  # noqa: SIM905
