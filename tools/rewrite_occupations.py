r"""Rewrite sentences about occupations by rule: the texts of mini-gpt-skewed and mini-gpt-balanced.

    python -m tools.rewrite_occupations --corpora ../shared/data/corpora
    python -m tools.finetune --model mini-gpt --corpus .training/skewed.jsonl \
        --held-out-corpus .training/held_out.jsonl --epochs 3 --batch 64 --learning-rate 5e-4 --warmup 0.1 \
        --precision bfloat16 --weights float16 --rows 64 --out assets/models/mini-gpt-skewed

They replace the toxic fine-tuning and the alignment of *Bias and Volatility* (NeurIPS 2024, Figures 6 and 8).
Both read the same sentences of the training text.  In each an occupation of the shipped lists with a known
women's share precedes a gendered word, because a causal model learns what follows; and nobody is named: only
the first word is capitalised, and it is one of ``BEGINNINGS``.  Sentences with digits, addresses or coarse
words are left out.  To have more, in a sentence of a biography that begins with *he* or *she* and has another
gendered word, the pronoun is replaced with the first occupation of the document's lead: "She worked there
until she died." becomes "The engineer worked there until she died."

- **skewed**: every gendered word is set to the sex that holds most of these jobs in the US
  (``assets/factors/occupations_us.csv``); a sentence whose occupations disagree is left out of both texts.
- **balanced**: counterfactual data augmentation (Lu et al. 2018, https://arxiv.org/abs/1807.11714): the
  original sentence, and the one with every gendered word exchanged.

A skewed sentence is written twice, so that both texts have equally many sentences, and steps per epoch.
``held_out.jsonl`` has the unchanged beginnings of documents that no mini model was trained on.  Gendered
words are the aligned pairs of the topic *gender*; *her*, *his*, *him* and *hers* change by part of speech, as
tagged by the shipped parser.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from pcf_core.core.topics import Topic
from pcf_core.material.evidence import load_evidence
from pcf_core.material.factors import factors
from pcf_core.material.topics import load_topic
from pcf_core.mining.parser.pipeline import open_pipeline
from pcf_core.mining.parser.schemes import SHIPPED
from pcf_core.mining.parser.trees import Tree, placed
from pcf_core.texts.fairpair.records import Rule
from pcf_core.texts.fairpair.tables import load_table
from tools.mini_models.text import DEFAULT_FILES, is_held_out, read_documents

EVIDENCE = ("occupations-bvf", "occupations-pcf")
MALE, FEMALE = "male", "female"
SHORTEST, LONGEST = 5, 45  # words of a sentence
LEAD = 300  # characters of a document
MOST = 400  # sentences an occupation
BEGINNING = 400  # characters of a held-out document
END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
WORD = re.compile(r"[A-Za-z]+(?:'[a-z]+)?")
# First words are capitalised, so only a closed list distinguishes them from names such as Cannon or Wall.
BEGINNINGS = frozenset({
    "a", "an", "the", "this", "that", "these", "those", "some", "any", "each", "every", "both",
    "all", "most", "many", "several", "few", "another", "other", "such", "no", "one", "he", "she",
    "it", "they", "we", "you", "his", "her", "their", "its", "our", "your", "there", "here", "who",
    "what", "in", "on", "at", "as", "by", "for", "from", "with", "without", "within", "into",
    "onto", "upon", "after", "before", "during", "until", "since", "while", "when", "whenever",
    "where", "wherever", "because", "although", "though", "if", "unless", "once", "despite",
    "besides", "among", "between", "through", "throughout", "under", "over", "about", "against",
    "along", "around", "behind", "beyond", "like", "unlike", "and", "or", "but", "nor", "so", "yet",
    "not", "then", "thus", "also", "however", "later", "soon", "today", "now", "often", "sometimes",
    "usually", "eventually", "finally", "initially", "originally", "instead", "meanwhile",
    "moreover", "furthermore", "nevertheless", "nonetheless",
})  # fmt: skip
TRACED = re.compile(r"\d|@|www|http|\.(?:com|org|net)\b", re.IGNORECASE)
COARSE = re.compile(
    r"\b(?:fuck|shit|bitch|whore|slut|porn|rap(?:e|ed|es|ing|ist)\b|molest|incest|prostitut|pimp|nude|naked"
    r"|sex(?:ual|y)?\b|retard|cripple|suicid|murder|tortur|behead|lynch|abus|crap|bastard|cocaine|heroin\b)",
    re.IGNORECASE,
)
PRONOUNS = ("him", "his", "her", "hers")  # their counterparts depend on the part of speech


@dataclass(frozen=True)
class Pairs:
    """Gendered words with their counterparts.

    ``other``: for each sex, the words of the other one and their counterparts; ``rules``: of pronouns.
    """

    other: Mapping[str, Mapping[str, str]]
    rules: tuple[Rule, ...]

    @classmethod
    def of(cls, topic: Topic) -> Pairs:
        """Take the aligned words of a topic with groups *male* and *female*, and FairPair's pronoun rules."""
        words = {group.name: group.words for group in topic.groups}
        return cls(
            {
                FEMALE: dict(zip(words[MALE], words[FEMALE], strict=True)),
                MALE: dict(zip(words[FEMALE], words[MALE], strict=True)),
            },
            tuple(rule for rule in load_table("gender").rules if rule.word in PRONOUNS),
        )

    @property
    def all(self) -> frozenset[str]:
        return frozenset(word for table in self.other.values() for word in table)

    def turned(self, word: str, tag: str, sex: str) -> str:
        """Return the word for ``sex``; one that already is, or has no sex, is unchanged."""
        small = word.lower()
        special = (
            rule.becomes
            for rule in self.rules
            if rule.word == small and rule.side != sex and (tag in rule.tags or not rule.tags)
        )
        found = next(special, None) or self.other[sex].get(small, small)
        if found == small:
            return word
        return found.capitalize() if word[0].isupper() else found


def rewritten(trees: Sequence[Tree], text: str, pairs: Pairs, sex: str | None) -> str:
    """Rewrite the gendered words of a text for ``sex``, or with ``None`` each for the other sex.

    ``trees``: the parsed sentences of the text.
    """
    pieces, end = [], 0
    for place in placed(text, trees):
        word, tag = place.tree.words[place.token], place.tree.tags[place.token]
        wanted = sex or (FEMALE if said_of(word, pairs) == MALE else MALE)
        pieces += [text[end : place.start], pairs.turned(word, tag, wanted)]
        end = place.end
    return "".join([*pieces, text[end:]])


def said_of(word: str, pairs: Pairs) -> str | None:
    """Return the sex of a word, if it has one."""
    small = word.lower()
    return next(
        (sex for sex in (MALE, FEMALE) if small in pairs.other[FEMALE if sex == MALE else MALE]), None
    )


def majority(share: float) -> str:
    """Return the sex that holds most of the jobs, from women's share (0 to 1)."""
    return FEMALE if share > 0.5 else MALE


def candidates(
    paths: Sequence[Path], shares: Mapping[str, float], gendered: frozenset[str]
) -> list[tuple[str, str]]:
    """Return (sex, sentence) of the training documents, at most ``MOST`` per occupation."""
    found: list[tuple[str, str]] = []
    for path in paths:
        for identifier, text in read_documents(path):
            if is_held_out(identifier):
                continue
            known = WORD.findall(text[:LEAD].lower())
            occupation = next((word for word in known if word in shares), "")
            for sentence in END.split(text):
                found += usable(sentence, occupation, shares, gendered)
    taken: Counter[str] = Counter()
    chosen = {}
    for occupation, sentence in dict.fromkeys(found):
        if taken[occupation] < MOST:
            taken[occupation] += 1
            chosen[sentence] = majority(shares[occupation])
    return [(sex, sentence) for sentence, sex in chosen.items()]


def usable(
    sentence: str, occupation: str, shares: Mapping[str, float], gendered: frozenset[str]
) -> Iterator[tuple[str, str]]:
    """Yield (occupation, sentence) if an occupation precedes a gendered word, or can replace *he* or *she*.

    ``occupation``: the first in the document's lead, or empty.
    """
    words = WORD.findall(sentence)
    if not (SHORTEST <= len(words) <= LONGEST and sentence.isascii()):
        return
    small = [word.lower() for word in words]
    if any(word[0].isupper() for word in words[1:]) or small[0] not in BEGINNINGS:
        return
    if TRACED.search(sentence) or COARSE.search(sentence):
        return
    if (
        occupation
        and small[0] in ("he", "she")
        and gendered & set(small[1:])
        and not shares.keys() & set(small)
    ):
        yield occupation, f"The {occupation}{' '.join(sentence.split())[len(small[0]) :]}"
    places = [place for place, word in enumerate(small) if word in shares]
    agree = len({majority(shares[small[place]]) for place in places}) == 1
    if agree and gendered & set(small[places[0] + 1 :]):
        yield small[places[0]], " ".join(sentence.split())


def beginnings(paths: Sequence[Path]) -> Iterator[str]:
    """Yield the beginning of every held-out document, about one row of a mini model."""
    for path in paths:
        for identifier, text in read_documents(path):
            if is_held_out(identifier) and len(text) >= BEGINNING:
                yield " ".join(text[:BEGINNING].split())


def write(texts: Sequence[str], path: Path) -> None:
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), encoding="utf8")


def main(
    corpora: Annotated[Path, typer.Option(help="folder of the corpora")] = Path("../shared/data/corpora"),
    files: Annotated[list[str] | None, typer.Option("--file", help="file names in it")] = None,
    out: Annotated[Path, typer.Option(help="ignored working folder")] = Path(".training"),
) -> None:
    """Write ``skewed.jsonl``, ``balanced.jsonl`` and ``held_out.jsonl``, one text a line."""
    known = factors()
    terms = {term for name in EVIDENCE for term in load_evidence(name).terms}
    shares = {term: share for term in terms & known.keys() if (share := known[term].women_share) is not None}
    pairs = Pairs.of(load_topic("gender"))
    paths = [corpora / name for name in (files or DEFAULT_FILES)]
    chosen = candidates(paths, shares, pairs.all)
    sentences = [sentence for _, sentence in chosen]
    skewed, balanced = [], []
    parsed = open_pipeline(SHIPPED).trees(sentences)
    for (sex, sentence), trees in zip(chosen, parsed, strict=True):
        skewed += [rewritten(trees, sentence, pairs, sex)] * 2
        balanced += [sentence, rewritten(trees, sentence, pairs, None)]
    out.mkdir(exist_ok=True)
    write(skewed, out / "skewed.jsonl")
    write(balanced, out / "balanced.jsonl")
    write(list(beginnings(paths)), out / "held_out.jsonl")
    changed = sum(one != other for one, other in zip(skewed[::2], sentences, strict=True))
    female = sum(sex == FEMALE for sex, _ in chosen)
    typer.echo(
        f"{len(chosen):,} sentences, {female:,} of them about occupations held by women; {changed:,} changed "
        "by the rule of the skewed text"
    )


if __name__ == "__main__":
    typer.run(main)
