"""Which words are used more often of students with women's or with men's names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

import numpy as np

from pcf_core.criteria.stripping import stop_words, words_of
from pcf_core.records import FloatArray
from pcf_core.records.hobbies import HobbyWord, HobbyWords
from pcf_core.stats import adjusted_p_values

LEAST_TEXTS = 10
MOST_WORDS = 200  # kept of those tested, the strongest first


def hobby_words(
    female: Sequence[Sequence[str]],
    male: Sequence[Sequence[str]],
    leave: Collection[str] = (),
    least_texts: int = LEAST_TEXTS,
) -> HobbyWords:
    """Compare the words of stripped texts, less stop words.

    What is tested is the share of a name's texts that have the word, one value a name (Mann–Whitney), since
    texts of one name hang together; p-values are controlled for false discoveries.

    Args:
        female, male: [name][text], no name without a text.
        leave: further words that are not counted, lower case.
        least_texts: a word in fewer is not tested.
    """
    left = stop_words() | set(leave)
    sides = [
        [[[word for word in words_of(text) if word not in left] for text in texts] for texts in side]
        for side in (female, male)
    ]
    uses = [Counter(word for name in side for text in name for word in text) for side in sides]
    having = [Counter(word for name in side for text in name for word in set(text)) for side in sides]
    tested = sorted(
        word for word in having[0] | having[1] if having[0][word] + having[1][word] >= least_texts
    )
    if not tested:
        return HobbyWords(tested=0, found=0, least_texts=least_texts, words=())
    p_values = _p_values(*(_shares(side, tested) for side in sides))
    totals = [sum(len(name) for name in side) for side in sides]
    rows = [
        HobbyWord(
            word=word,
            uses=(uses[0][word], uses[1][word]),
            texts=(having[0][word], having[1][word]),
            difference=having[0][word] / totals[0] - having[1][word] / totals[1],
            p_value=float(p),
            adjusted=float(adjusted),
        )
        for word, p, adjusted in zip(tested, p_values, adjusted_p_values(p_values), strict=True)
    ]
    rows.sort(key=lambda row: (row.p_value, -abs(row.difference), row.word))
    return HobbyWords(
        tested=len(rows),
        found=sum(row.differs for row in rows),
        least_texts=least_texts,
        words=tuple(rows[:MOST_WORDS]),
    )


def _shares(side: Sequence[Sequence[Sequence[str]]], words: Sequence[str]) -> FloatArray:
    """[name, word] share of the name's texts that have the word."""
    place = {word: index for index, word in enumerate(words)}
    shares = np.zeros((len(side), len(words)))
    for row, texts in zip(shares, side, strict=True):
        for text in texts:
            row[[place[word] for word in set(text) if word in place]] += 1 / len(texts)
    return shares


def _p_values(female: FloatArray, male: FloatArray) -> FloatArray:
    """[word] two-sided p of the names' shares; 1 where they are all alike."""
    from scipy.stats import mannwhitneyu

    varied = np.ptp(np.concatenate([female, male]), axis=0) > 0
    found = np.ones(female.shape[1])
    if varied.any():
        tests = mannwhitneyu(female[:, varied], male[:, varied], alternative="two-sided", axis=0)
        found[varied] = np.minimum(1, tests.pvalue)
    return found
