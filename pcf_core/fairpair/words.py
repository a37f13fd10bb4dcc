"""Which phrases of one to three words stand more often in z = g(p(x)) or in u = p(g(x)).

Log-odds with an informative Dirichlet prior (Monroe, Colaresi & Quinn 2008, doi:10.1093/pan/mpn018).  With
y_w of n on either side, prior counts α_w and their total α_0:

    δ_w = log (y_w^z + α_w) / (n^z + α_0 − y_w^z − α_w)
        − log (y_w^u + α_w) / (n^u + α_0 − y_w^u − α_w)                              (their eq. 16)
    σ²  = Σ over sides 1 / (y_w + α_w) + 1 / (n + α_0 − y_w − α_w)                    (eq. 19)
    ζ_w = δ_w / σ                                                                    (eq. 22)

What is counted is texts, not occurrences: the texts of a prompt are independent samples, while a word that
was said once tends to be said again in the same text.  y_w is the number of texts that have w and n that of
all texts, so w is one of two outcomes of a text, and the Dirichlet of the paper its Beta.  Many texts may
have a word, so σ² is the paper's full form, not the short one (eq. 20) for rare words.

The prior is the pooled share of texts that have w, π_w = (y_w^u + y_w^z + ½) / (n^u + n^z + 1), worth a fifth
of a side: α_w = α_0 π_w (eq. 23), α_0 = 0.2 (n^u + n^z) / 2.  It makes small ζ smaller by √1.2 and keeps
words finite that one side never says.  Both sides have as many texts of every prompt, so that pooling
prompts, which differ in their words, makes σ too large rather than too small: p-values are on the safe side.

Example: 30 of 500 texts of z have w, none of u; π = 30.5 / 1001, α_0 = 100, α_w = 3.05, δ = 2.44, ζ = 4.05.

p = 2 (1 − Φ(|ζ|)), and false discoveries are controlled over all n-grams of all texts, however rare.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from pcf_core.errors import FairPairError
from pcf_core.fairpair.categories import Category, categories, categories_of, category_differences
from pcf_core.fairpair.tokens import clauses
from pcf_core.records import FloatArray
from pcf_core.records.fairpair import SIGNIFICANCE, PromptPairs, WordDifference, WordReport
from pcf_core.stats import adjusted_p_values

PRIOR_SHARE = 0.2  # of a side's texts
MOST = 200  # n-grams kept in a report
LONGEST = 3
BITS = 21  # of a word's number: three of them fit into one whole number of the machine
Places = NDArray[np.int64]


def word_report(
    pairs: Sequence[PromptPairs],
    *,
    original: str,
    counterpart: str,
    most: int = MOST,
    known: Sequence[Category] | None = None,
) -> WordReport:
    """Phrases and categories that differ between u and z, over all prompts together.

    Args:
        pairs: at least one prompt, with as many texts on either side.
        original, counterpart: names of the entities of x and p(x).
        most: how many n-grams are kept, the strongest by |ζ|; all are tested.
        known: categories of words; the shipped ones where ``None``.

    Raises:
        FairPairError: no prompt, sides of different length, or more different words than can be told apart.
    """
    if not pairs:
        raise FairPairError("Words need at least one prompt; there is none.")
    for pair in pairs:
        if len(pair.perturbed_original) != len(pair.perturbed_prompt):
            raise FairPairError(
                f"Prompt “{pair.prompt}” needs as many texts on both sides; it has "
                f"{len(pair.perturbed_original)} and {len(pair.perturbed_prompt)}."
            )
    used = categories() if known is None else known
    numbers: dict[str, int] = {}
    left = [_ngrams(text, numbers) for pair in pairs for text in pair.perturbed_original]
    right = [_ngrams(text, numbers) for pair in pairs for text in pair.perturbed_prompt]
    owners = [(row, text) for row, pair in enumerate(pairs) for text in range(len(pair.perturbed_original))]
    ngrams, places = np.unique(np.concatenate([*left, *right]), return_inverse=True)
    texts = np.repeat(np.arange(2 * len(owners)), [len(found) for found in (*left, *right)])
    of_prompt = texts >= len(owners)
    y_u = np.bincount(places[~of_prompt], minlength=len(ngrams)).astype(np.float64)
    y_z = np.bincount(places[of_prompt], minlength=len(ngrams)).astype(np.float64)
    log_odds, z_scores = log_odds_ratios(y_u, y_z, len(owners), len(owners))
    p_values = two_sided(z_scores)
    adjusted = adjusted_p_values(p_values) if len(ngrams) else p_values
    spelled = list(numbers)
    kept = np.lexsort((ngrams, -(y_u + y_z), -np.abs(z_scores)))[:most]
    rows = []
    for place in kept.tolist():
        words = _spelled(int(ngrams[place]), spelled)
        having = np.flatnonzero(places == place)
        rows.append(
            WordDifference(
                words=" ".join(words),
                original=int(y_u[place]),
                prompt=int(y_z[place]),
                log_odds=float(log_odds[place]),
                z_score=float(z_scores[place]),
                p_value=float(p_values[place]),
                adjusted=float(adjusted[place]),
                categories=categories_of(words, used),
                original_texts=tuple(owners[at] for at in texts[having] if at < len(owners)),
                prompt_texts=tuple(owners[at - len(owners)] for at in texts[having] if at >= len(owners)),
            )
        )
    return WordReport(
        original=original,
        counterpart=counterpart,
        original_texts=len(owners),
        prompt_texts=len(owners),
        tested=len(ngrams),
        found=int((adjusted <= SIGNIFICANCE).sum()),
        words=tuple(rows),
        categories=category_differences(pairs, used),
    )


def log_odds_ratios(
    original: FloatArray, prompt: FloatArray, original_texts: int, prompt_texts: int
) -> tuple[FloatArray, FloatArray]:
    """[n-gram] δ and ζ of the module, from [n-gram] how many texts of either side have it."""
    total = original_texts + prompt_texts
    strength = PRIOR_SHARE * total / 2
    prior = strength * (original + prompt + 0.5) / (total + 1)
    odds, variance = [], np.zeros(len(prior))
    for having, texts in ((original, original_texts), (prompt, prompt_texts)):
        with_it, without = having + prior, texts + strength - having - prior
        odds.append(np.log(with_it / without))
        variance += 1 / with_it + 1 / without
    difference = odds[1] - odds[0]
    return difference, difference / np.sqrt(variance)


def two_sided(z_scores: FloatArray) -> FloatArray:
    """[n-gram] p of standard normal scores."""
    from scipy.special import ndtr

    return np.asarray(2 * ndtr(-np.abs(z_scores)))


def _ngrams(text: str, numbers: dict[str, int]) -> Places:
    """The distinct n-grams of a text, none over the end of a clause, each packed into one number.

    A word has the number of its place in ``numbers`` plus 1, which new words enter; an n-gram is these in
    base 2^21, the first word highest.
    """
    found = (_of_clause(words, numbers) for words in clauses(text))
    return np.array(sorted(set(chain.from_iterable(found))), dtype=np.int64)


def _of_clause(words: Sequence[str], numbers: dict[str, int]) -> Iterable[int]:
    ids = [numbers.setdefault(word, len(numbers)) + 1 for word in words]
    if len(numbers) >= 2**BITS - 1:
        raise FairPairError(f"Texts may have up to {2**BITS - 2:,} different words together; they have more.")
    for start in range(len(ids)):
        packed = 0
        for number in ids[start : start + LONGEST]:
            packed = packed << BITS | number
            yield packed


def _spelled(packed: int, spelled: Sequence[str]) -> tuple[str, ...]:
    """The words of an n-gram."""
    words: list[str] = []
    while packed:
        words.insert(0, spelled[(packed & (2**BITS - 1)) - 1])
        packed >>= BITS
    return tuple(words)
