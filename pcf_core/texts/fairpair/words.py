"""Which phrases of one to three words are more frequent in z = g(p(x)) or in u = p(g(x)).

Log-odds with an informative Dirichlet prior (Monroe, Colaresi & Quinn 2008, doi:10.1093/pan/mpn018).  With
y_w of n on either side, prior counts α_w and their total α_0:

    δ_w = log (y_w^z + α_w) / (n^z + α_0 − y_w^z − α_w)
        − log (y_w^u + α_w) / (n^u + α_0 − y_w^u − α_w)                              (their eq. 16)
    σ²  = Σ over sides 1 / (y_w + α_w) + 1 / (n + α_0 − y_w − α_w)                    (eq. 19)
    ζ_w = δ_w / σ                                                                    (eq. 22)

Texts are counted, not occurrences: texts are independent samples, while words repeat within a text.  So y_w
is the number of texts with w, n the number of texts, and the Dirichlet a Beta; σ² is the full form, as eq. 20
holds for rare words only.

The prior is the pooled share π_w = (y_w^u + y_w^z + ½) / (n^u + n^z + 1), worth a fifth of a side: α_w = α_0
π_w (eq. 23), α_0 = 0.2 (n^u + n^z) / 2.  It shrinks small ζ by √1.2 and keeps words of only one side finite.
Both sides have equally many texts per prompt, so pooling prompts makes σ too large rather than too small.

Example: 30 of 500 texts of z have w, none of u; π = 30.5 / 1001, α_0 = 100, α_w = 3.05, δ = 2.44, ζ = 4.05.

p = 2 (1 − Φ(|ζ|)), adjusted over all n-grams (false discoveries).  At temperature 0 copies count once, and
nothing is tested.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from pcf_core.core.errors import FairPairError
from pcf_core.core.records import FloatArray
from pcf_core.core.risk import SIGNIFICANCE
from pcf_core.measure.comparison import adjusted_p_values
from pcf_core.texts.fairpair.categories import (
    categories,
    categories_of,
    category_differences,
    counted,
)
from pcf_core.texts.fairpair.dissimilarity import is_exchanged
from pcf_core.texts.fairpair.matching import clauses
from pcf_core.texts.fairpair.records import (
    PromptPairs,
    WordCategory,
    WordDifference,
    WordReport,
)

PRIOR_SHARE = 0.2  # of a side's texts
MOST = 200  # n-grams in a report
LONGEST = 3
BITS = 21  # per word: three fit into an int64
Places = NDArray[np.int64]


def word_report(
    pairs: Sequence[PromptPairs],
    *,
    original: str,
    counterpart: str,
    most: int = MOST,
    lexicon: Sequence[WordCategory] | None = None,
    exchanged: frozenset[str] = frozenset(),
    sampled: bool = True,
    pause: Callable[[], None] = lambda: None,
) -> WordReport:
    """Find phrases and categories that differ between u and z, over all prompts together.

    ``pairs``: at least one prompt, with equally many texts per side, or FairPairError.  ``most``: n-grams to
    return, the strongest by |ζ|; all are tested.  ``lexicon``: ``None`` for the shipped categories.
    ``exchanged``: words that p exchanges.  ``sampled``: if false, equal copies count once and nothing is
    tested.  ``pause``: called before each prompt; an exception from it ends the work.
    """
    if not pairs:
        raise FairPairError("The comparison of words needs at least one prompt, but there is none.")
    for pair in pairs:
        if len(pair.perturbed_original) != len(pair.perturbed_prompt):
            raise FairPairError(
                f"The prompt “{pair.prompt}” needs the same number of texts on both sides, but it has "
                f"{len(pair.perturbed_original)} and {len(pair.perturbed_prompt)}."
            )
    used = categories() if lexicon is None else lexicon
    numbers: dict[str, int] = {}
    ngrams_of: tuple[list[Places], list[Places]] = ([], [])  # by side and text
    owners: tuple[list[tuple[int, int]], list[tuple[int, int]]] = ([], [])
    for row, pair in enumerate(pairs):
        pause()
        for side, texts in enumerate((pair.perturbed_original, pair.perturbed_prompt)):
            for text in counted(texts, sampled):
                ngrams_of[side].append(_ngrams(texts[text], numbers))
                owners[side].append((row, text))
    several, all_owners = [*ngrams_of[0], *ngrams_of[1]], [*owners[0], *owners[1]]
    of_original, of_prompt = map(len, owners)
    ngrams, places = np.unique(np.concatenate(several), return_inverse=True)
    text_of = np.repeat(np.arange(len(several)), [len(one) for one in several])
    y_u, y_z = (
        np.bincount(places[chosen], minlength=len(ngrams)).astype(np.float64)
        for chosen in (text_of < of_original, text_of >= of_original)
    )
    log_odds, z_scores = log_odds_ratios(y_u, y_z, of_original, of_prompt)
    p_values = two_sided(z_scores)
    adjusted = adjusted_p_values(p_values) if len(ngrams) else p_values
    spelled = list(numbers)
    touched = np.array([is_exchanged(word, exchanged) for word in spelled], dtype=np.bool_)
    differing = (adjusted <= SIGNIFICANCE) & sampled
    strongest = np.lexsort((ngrams, -(y_u + y_z), -np.abs(z_scores)))[:most]
    rows = []
    for index in strongest.tolist():
        words = [spelled[number] for number in _numbers(int(ngrams[index]))]
        having = text_of[places == index].tolist()
        rows.append(
            WordDifference(
                words=" ".join(words),
                original=int(y_u[index]),
                prompt=int(y_z[index]),
                log_odds=float(log_odds[index]),
                z_score=float(z_scores[index]),
                p_value=float(p_values[index]) if sampled else None,
                adjusted=float(adjusted[index]) if sampled else None,
                categories=categories_of(words, used),
                exchanged=_holds(int(ngrams[index]), touched),
                original_texts=tuple(all_owners[at] for at in having if at < of_original),
                prompt_texts=tuple(all_owners[at] for at in having if at >= of_original),
            )
        )
    return WordReport(
        original=original,
        counterpart=counterpart,
        original_texts=of_original,
        prompt_texts=of_prompt,
        tested=len(ngrams) if sampled else 0,
        found=int(differing.sum()),
        words=tuple(rows),
        categories=category_differences(pairs, used, sampled=sampled),
        exchanged=sum(_holds(ngram, touched) for ngram in ngrams[differing].tolist()),
        sampled=sampled,
    )


def log_odds_ratios(
    original: FloatArray, prompt: FloatArray, original_texts: int, prompt_texts: int
) -> tuple[FloatArray, FloatArray]:
    """Return [n-gram] δ and ζ, from the [n-gram] number of texts with it on either side."""
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
    """Return [n-gram] p of standard normal scores."""
    from scipy.special import ndtr

    return np.asarray(2 * ndtr(-np.abs(z_scores)))


def _ngrams(text: str, numbers: dict[str, int]) -> Places:
    """Return the distinct n-grams of a text, within clauses, each packed into one number.

    A word is its index in ``numbers`` plus 1; an n-gram is these in base 2^21, the first word highest.
    """
    several = (_of_clause(words, numbers) for words in clauses(text))
    return np.array(sorted(set(chain.from_iterable(several))), dtype=np.int64)


def _of_clause(words: Sequence[str], numbers: dict[str, int]) -> Iterable[int]:
    ids = [numbers.setdefault(word, len(numbers)) + 1 for word in words]
    if len(numbers) >= 2**BITS - 1:
        raise FairPairError(
            f"The texts may have up to {2**BITS - 2:,} different words in all, and they "
            "have more: use fewer texts."
        )
    for start in range(len(ids)):
        packed = 0
        for number in ids[start : start + LONGEST]:
            packed = packed << BITS | number
            yield packed


def _holds(packed: int, touched: NDArray[np.bool_]) -> bool:
    return any(touched[number] for number in _numbers(packed))


def _numbers(packed: int) -> list[int]:
    numbers: list[int] = []
    while packed:
        numbers.insert(0, (packed & (2**BITS - 1)) - 1)
        packed >>= BITS
    return numbers
