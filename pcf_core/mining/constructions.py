"""The constructions that can be mined: sentence forms in which a word refers to the subject.

``on``: mined by default, which needs a precision of 0.95 with a lower Wilson bound of 0.90
(:data:`PRECISION`, :data:`LOWER`).  ``measured``: right and accepted pairs, from ``python -m
benchmarks.constructions`` with the shipped parser on GUM and GAP, and two readers (``python -m
benchmarks.recall``).  Chinese was not measured.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Literal

from pcf_core.mining import belongings, chinese, clauses, modifiers, unrivalled
from pcf_core.mining.coreference import SUBJECTS
from pcf_core.mining.parser.trees import Tree
from pcf_core.mining.persons import PRONOUNS, REFLEXIVES
from pcf_core.mining.verb_groups import Candidate, Dropped

Position = Literal["subject", "predicate"]
Finder = Callable[[Tree, Collection[str], Collection[str]], Iterator[Candidate | Dropped]]
PRECISION, LOWER = 0.95, 0.90  # needed to be on by default
Z = 1.959964  # for a 95 % interval


@dataclass(frozen=True)
class Construction:
    """A construction.

    ``example``: a sentence and its template.  ``words``: those of the topic's words that it uses; all if
    empty.  ``find`` yields the templates of a tree, given these and all topic words.  ``measured``: ``None``
    if it was not, or there is no word at ``[Y]``.
    """

    name: str
    title: str
    example: tuple[str, str]
    find: Finder
    positions: tuple[Position, ...] = ("subject",)
    words: tuple[str, ...] = ()
    on: bool = False
    measured: tuple[int, int] | None = None

    @property
    def lower(self) -> float:
        """The lower end of Wilson's 95 % interval of the precision (Wilson 1927); 0 if unknown."""
        right, accepted = self.measured or (0, 0)
        if not accepted:
            return 0.0
        share, square = right / accepted, Z * Z / accepted
        return (share + square / 2 - Z * sqrt(share * (1 - share) / accepted + square**2 / (4 * Z * Z))) / (
            1 + square
        )

    @property
    def standing(self) -> str:
        """Whether it is on by default, and what was measured, in words."""
        switch = "on" if self.on else "off"
        if self.measured is None:
            return f"{switch} by itself" if self.on else f"{switch} by itself: not measured"
        right, accepted = self.measured
        if not accepted:
            return f"{switch} by itself: none found to measure"
        return f"{switch} by itself: {right} of {accepted} right, precision at least {self.lower:.2f}"

    def taken(self, topic_words: Collection[str]) -> Collection[str]:
        """Return the topic's lower-case words that it uses."""
        return tuple(word for word in self.words if word in topic_words) if self.words else topic_words

    def wanted(self, topic_words: Collection[str]) -> Collection[str]:
        """Return the lower-case words of which a sentence must have one, without articles."""
        if self.find is modifiers.attributive:
            return modifiers.nouns_for_persons()
        if self.words:
            return self.taken(topic_words)
        bare = {word.removeprefix(article) for word in topic_words for article in ("a ", "an ", "the ")}
        return sorted(word for word in bare - PRONOUNS.keys() if " " not in word)


CONSTRUCTIONS: Mapping[str, Construction] = {
    one.name: one
    for one in (
        Construction(
            "clause", "he or she in a clause behind the predicate",
            ("The nurse said that she was late.", "The [X] said that [Y]"),
            clauses.clausal, words=SUBJECTS, on=True, measured=(101, 103),
        ),
        Construction(
            "attributive", "what is said of people by what they do",
            ("The inspectors were appointed in May.", "The [X], who was appointed, is [Y]"),
            modifiers.attributive, ("predicate",), on=True,
        ),
        Construction(
            "fronted", "a clause before its main clause",
            ("After she retired, Smith moved away.", "The [X] moved after [Y]"),
            clauses.fronted, words=SUBJECTS, measured=(50, 53),
        ),
        Construction(
            "main", "he or she in the main clause behind another",
            ("When Smith retired, she moved away.", "When the [X] retired, [Y]"),
            clauses.main, words=SUBJECTS, measured=(16, 17),
        ),
        Construction(
            "embedded", "a clause behind a predicate that is not the main one",
            ("It was May when Smith said that he was ill.", "The [X] said that [Y]"),
            clauses.embedded, words=SUBJECTS, measured=(65, 69),
        ),
        Construction(
            "participle", "a clause behind a participle",
            ("Smith resigned, saying that he was ill.", "The [X] said that [Y]"),
            clauses.participle, words=SUBJECTS, measured=(39, 42),
        ),
        Construction(
            "where", "a clause about a place",
            ("Smith moved to a town where she taught.", "The [X] moved to a town where [Y]"),
            clauses.where, words=SUBJECTS, on=True, measured=(54, 54),
        ),
        Construction(
            "numbers", "numbers and ages cut",
            ("Smith was 26 years old when he moved.", "The [X] was old when [Y]"),
            clauses.numbers, words=SUBJECTS, measured=(25, 26),
        ),
        Construction(
            "relative", "he or she in a clause about a thing",
            ("Smith sold the house that he had built.", "The [X] sold the house that [Y]"),
            belongings.relative, words=SUBJECTS, measured=(48, 50),
        ),
        Construction(
            "alone", "he or she anywhere, where nobody else was named",
            ("Smith was ill; he stayed at home.", "The [X] was ill; [Y]"),
            unrivalled.alone, words=SUBJECTS, on=True, measured=(99, 100),
        ),
        Construction(
            "possessive", "his or her before a thing",
            ("Smith ended his career.", "The [X] ended [Y] career"),
            belongings.possessive, words=belongings.POSSESSIVES, on=True, measured=(142, 147),
        ),
        Construction(
            "possessive-elsewhere", "his or her in another clause, or deeper in a phrase",
            ("Rain fell when Smith left with his bags.", "The [X] left with [Y] bags"),
            belongings.elsewhere, words=belongings.POSSESSIVES, on=True, measured=(453, 462),
        ),
        Construction(
            "possessive-subject", "his or her before the subject of a clause",
            ("Smith said that his health had failed.", "The [X] said that [Y] health failed"),
            belongings.of_subject, words=belongings.POSSESSIVES, measured=(8, 9),
        ),
        Construction(
            "possessive-alone", "his or her anywhere, where nobody else was named",
            ("Smith was ill; his house was empty.", "The [X] was ill; [Y] house was empty"),
            unrivalled.possessive, words=belongings.POSSESSIVES, measured=(73, 77),
        ),
        Construction(
            "object", "him or her in a clause about somebody else",
            ("Smith said that the press hated him.", "The [X] said that the press hated [Y]"),
            clauses.objects, words=clauses.OBJECTS, measured=(34, 36),
        ),
        Construction(
            "object-alone", "him or her anywhere, where nobody else was named",
            ("Smith was ill, and we visited him.", "The [X] was ill and people visited [Y]"),
            unrivalled.objects, words=clauses.OBJECTS, on=True, measured=(63, 64),
        ),
        Construction(
            "reflexive", "himself or herself",
            ("The nurse blamed herself.", "The [X] blamed [Y]"),
            modifiers.reflexive, words=tuple(REFLEXIVES), on=True, measured=(47, 47),
        ),
        Construction(
            "reflexive-elsewhere", "himself or herself in another clause, or behind a preposition",
            ("Smith left, and kept to herself.", "The [X] kept to [Y]"),
            modifiers.reflexive_elsewhere, words=tuple(REFLEXIVES), measured=(20, 21),
        ),
        Construction(
            "emphatic", "himself or herself behind the subject",
            ("Smith herself resigned.", "The [X] [Y] resigned"),
            modifiers.emphatic, words=tuple(REFLEXIVES), measured=(0, 0),
        ),
        Construction(
            "noun", "a noun as predicate",
            ("The surgeon was a young woman.", "The [X] was a young [Y]"),
            modifiers.noun, ("subject", "predicate"), on=True, measured=(110, 111),
        ),
        Construction(
            "adjective", "an adjective as predicate",
            ("The pilot is deaf.", "The [X] was [Y]"),
            modifiers.adjective, ("predicate",), measured=(95, 103),
        ),
        Construction(
            "noun-elsewhere", "a noun as predicate of another clause, or beside another",
            ("Rain fell when Smith was a young boy.", "The [X] was a young [Y]"),
            modifiers.noun_elsewhere, ("subject", "predicate"), on=True, measured=(36, 36),
        ),
        Construction(
            "adjective-elsewhere", "an adjective as predicate of another clause, or before a person",
            ("The pilot is a deaf man.", "The [X] was a [Y] person"),
            modifiers.adjective_elsewhere, ("predicate",), measured=(84, 91),
        ),
        Construction(
            "apposition", "a noun beside the subject",
            ("Smith, a woman from Leeds, resigned.", "The [X], a [Y], resigned"),
            modifiers.apposition, ("subject", "predicate"), measured=(55, 58),
        ),
    )
}  # fmt: skip

CHINESE: Mapping[str, Construction] = {
    one.name: one
    for one in (
        Construction(
            "clause", "他 or 她 in a clause behind a verb of saying",
            ("护士说她累了。", "这位[X]说[Y]"),
            chinese.clause, words=chinese.PRONOUNS,
        ),
        Construction(
            "possessive", "他的 or 她的 before a thing of one's own",
            ("护士失去了她的工作。", "这位[X]失去了[Y]的工作"),
            chinese.possessive, words=chinese.PRONOUNS,
        ),
    )
}  # fmt: skip
