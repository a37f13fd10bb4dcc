"""Words that a model forbids (log P = −∞), and the cells that therefore have no preference.

Such a word is blocked, by the model or its server, and is not merely unlikely.  Without it a group looks as
if the model avoided it, up to a preference of 0 or 1, so the cell has no preference.  Figures need a
preference in every cell of their occupations and templates: those with the largest share of cells without
one, in which a common template counts more, are left out one after the other, until no such cell remains.
With too many there is no figure at all.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pcf_core.core.records import FloatArray
from pcf_core.core.run import MOST_FLAGGED, ForbiddenWords, Preferences
from pcf_core.material.safety.text import listed
from pcf_core.models.scoring.base import MOST_NAMED

FORBIDS_A_WORD = "the model gives no probability at all to one of the topic's words there"


def lacking(values: FloatArray) -> NDArray[np.bool_]:
    """Return [...] whether [..., group] preferences have none."""
    return np.asarray(np.isnan(values).any(axis=-1))


def filled(values: FloatArray) -> FloatArray:
    """Return [..., group] preferences with an even split where there are none.

    Only for templates of weight 0, which no figure counts.
    """
    without = lacking(values)
    return np.where(without[..., np.newaxis], 1 / values.shape[-1], values) if without.any() else values


def complete(
    without: NDArray[np.bool_], counts: ArrayLike | None = None
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Choose occupations and templates of which every cell has a preference; return two masks.

    ``without`` [occupation, template]: cells that have none; ``counts`` [template]: how much each counts, by
    default alike.  The line with the largest share of such cells goes first, of equal ones an occupation.
    """
    weights = np.ones(without.shape[1]) if counts is None else np.asarray(counts, dtype=np.float64)
    nothing = 1e-9 * weights.sum() + np.finfo(float).tiny  # rounding
    kept = [np.ones(length, dtype=bool) for length in without.shape]
    lost, whole = [without @ weights, without.sum(axis=0).astype(float)], [weights.sum(), len(without)]
    while lost[1].any():
        shares = [np.where(lost[0] > nothing, lost[0], 0.0) / max(whole[0], nothing), lost[1] / whole[1]]
        axis = int(shares[1].max() > shares[0].max())
        line = int(shares[axis].argmax())
        kept[axis][line] = False
        gone = np.take(without, line, axis=axis) & kept[1 - axis]
        size = weights[line] if axis else 1.0
        lost[axis][line] = 0
        lost[1 - axis] = lost[1 - axis] - gone * size
        whole[1 - axis] -= size
    return kept[0], kept[1]


def forbidden_words(
    preferences: Preferences, words: Sequence[str], counts: ArrayLike
) -> ForbiddenWords | None:
    """Summarise the cells without a preference, because of these ``words``; ``None`` if there are none.

    ``counts`` [template]: how much each counts where some are left out.
    """
    without = lacking(preferences.values)
    cells = int(without.sum())
    if not cells:
        return None
    forbidden = ForbiddenWords(words=tuple(words), cells=cells, total=without.size)
    if cells > MOST_FLAGGED * without.size:
        return forbidden
    rows, columns = complete(without, counts)
    return forbidden.model_copy(
        update={
            "occupations": tuple(np.array(preferences.occupations, object)[~rows].tolist()),
            "templates": tuple(np.array(preferences.templates, object)[~columns].tolist()),
            "counted": int(rows.sum() * columns.sum()),
        }
    )


def named(words: Sequence[str]) -> str:
    """List forbidden words, the first few by name."""
    more = [f"{len(words) - MOST_NAMED:,} more words"] * (len(words) > MOST_NAMED)
    return listed([*map(repr, words[:MOST_NAMED]), *more])


def forbidden_note(words: Sequence[str]) -> str:
    """Say that one sentence shows no preference, "" without forbidden words."""
    if not words:
        return ""
    return (
        f"The model gives no probability at all to {named(words)} here. Such words are blocked, so this "
        "sentence shows no preference. Leave them out, with their counterparts."
    )


def forbidden_warning(forbidden: ForbiddenWords | None) -> tuple[str, ...]:
    """Return the sentence that belongs beside every number of a run with forbidden words."""
    if forbidden is None:
        return ()
    begins = (
        f"In {forbidden.cells:,} of {forbidden.total:,} test sentences the model gives no probability at all "
        f"to {named(forbidden.words)}"
    )
    if forbidden.too_many:
        return (
            f"{begins}. Such words are blocked, so those sentences show no preference, and with so many of "
            "them there is no risk: leave these words out, with their counterparts.",
        )
    out = [
        f"{len(names):,} {noun}{'s' * (len(names) != 1)}"
        for names, noun in ((forbidden.occupations, "occupation"), (forbidden.templates, "template"))
        if names
    ]
    return (
        f"{begins}, so they show no preference. All figures leave out {listed(out)}, so that no such "
        "sentence remains.",
    )
