"""Estimate the risk of decisions about people, from answers that are drawn for each person.

Where :mod:`pcf_core.measure.answers` has shares of words, here are rates of favourable answers: of each
person k / (k + u), with k favourable and u unfavourable answers, and of a group their mean a over people.  A
person without an answer is left out; a cell, an occupation in a context, counts if every group has one.

Risk depends only on the stereotypes s = a − mean_g a (:mod:`pcf_core.measure.decisions`), so all noise and
variance are those of s.  A context that is favourable to everybody moves the a of all groups alike, and would
hide noise in their variance.  Groups are asked apart, so with v_g the variance that few answers add to a_g,

    v_g = Σ_n a_n (1 − a_n) / (k_n + u_n − 1) / (number of people)²,     N = C diag(v) Cᵀ,     C = 1 − 1/|Y|,

and the decomposition of ã = mean_g a + c m + k (s − m), cut off at 0 and 1, is reported; m is the mean of s
over contexts, and c and k are as there.  A model that treats all alike, whose answers give the noise floor,
has the mean of the groups in each cell.

Example: ten occupations, two contexts, two people a group with 20 answers each; one group has 15 and 15
favourable in both, the other 5 and 5.  R = R^p = .5 as counted and corrected, as v = 2 · (.75 · .25) / 19 / 4
is .0049 and nothing varies beyond it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from pcf_core.core.records import FloatArray
from pcf_core.measure.answers import Answers
from pcf_core.measure.decomposition import Decomposition


def rates_by_group(
    counts: FloatArray, group: NDArray[np.intp]
) -> tuple[FloatArray, FloatArray, NDArray[np.bool_]]:
    """Return rates [..., group], those of people [..., person], and whether each group has an answer.

    ``counts`` [..., person, favourable or unfavourable]; ``group`` [person].  A person without an answer has
    the rate of the group, and one of a group without any has ½.

    Examples
    --------
    >>> rates, people, there = rates_by_group(np.array([[3, 1], [0, 0], [1, 3]]), np.array([0, 0, 1]))
    >>> rates.tolist(), people.tolist(), there.item()
    ([0.75, 0.25], [0.75, 0.75, 0.25], True)
    """
    totals = counts.sum(axis=-1)
    some = totals > 0
    own = np.where(some, counts[..., 0] / np.maximum(totals, 1), 0.0)
    member = (group[:, np.newaxis] == np.arange(int(group.max()) + 1)) * 1.0
    number = some @ member
    rates = np.where(number > 0, own @ member / np.maximum(number, 1), 0.5)
    return rates, np.where(some, own, rates[..., group]), (number > 0).all(axis=-1)


@dataclass(frozen=True)
class RatedAnswers(Answers):
    """Answers about people: ``counts`` [occupation, template, person, favourable or unfavourable].

    ``group`` [person]; the criterion is that of rates.  Every occupation has a cell that counts, and some
    person in one has two answers.
    """

    group: NDArray[np.intp]

    @cached_property
    def _rated(self) -> tuple[FloatArray, FloatArray, NDArray[np.bool_]]:
        return rates_by_group(self.counts, self.group)

    @cached_property
    def of_group(self) -> FloatArray:
        """[occupation, template, group] answers."""
        member = (self.group[:, np.newaxis] == np.arange(int(self.group.max()) + 1)) * 1.0
        return np.asarray(self.counts.sum(axis=-1) @ member)

    @cached_property
    def totals(self) -> FloatArray:
        """[occupation, template] answers, 0 where a group has none."""
        return np.where(self._rated[2], self.of_group.sum(axis=-1), 0.0)

    @cached_property
    def rates(self) -> FloatArray:
        """[occupation, template, group] rates of the answers; their mean in cells that do not count."""
        rates, counted = self._rated[0], self._rated[2][..., np.newaxis]
        return np.where(counted, rates, np.einsum("xt,xtg->xg", self.weights, rates)[:, np.newaxis])

    @cached_property
    def of_people(self) -> FloatArray:
        """[occupation, template, person] rates of the answers; their mean in cells that do not count."""
        own, counted = self._rated[1], self._rated[2][..., np.newaxis]
        return np.where(counted, own, np.einsum("xt,xtn->xn", self.weights, own)[:, np.newaxis])

    @cached_property
    def raw(self) -> FloatArray:
        """[occupation, template, group] stereotypes of the answers."""
        return self.criterion.stereotypes(self.rates)

    @cached_property
    def parts(self) -> Decomposition:
        """The risks of the answers as they are."""
        return self._decomposed(self.rates)

    @cached_property
    def noise(self) -> FloatArray:
        """[occupation, template, group, group] covariance of stereotypes that so few answers cause."""
        totals = self.counts.sum(axis=-1)
        share = self.counts[..., 0] / np.maximum(totals, 1)
        of_one = share * (1 - share) * totals / np.maximum(totals - 1, 1)
        rows = (self.weights * self.shares[:, np.newaxis])[..., np.newaxis] * (totals > 1)
        everywhere = (rows * of_one).sum() / rows.sum()
        of_people = np.where(totals > 1, of_one, everywhere) / np.maximum(totals, 1) * (totals > 0)
        member = (self.group[:, np.newaxis] == np.arange(self.raw.shape[-1])) * 1.0
        number = np.maximum((totals > 0) @ member, 1)
        centred = np.eye(self.raw.shape[-1]) - 1 / self.raw.shape[-1]
        return np.asarray(np.einsum("gi,xti,hi->xtgh", centred, of_people @ member / number**2, centred))

    @property
    def _noise_of_stereotypes(self) -> FloatArray:
        return self.noise

    def _stereotypes(self, values: FloatArray) -> FloatArray:
        return self.criterion.stereotypes(values)

    def drawn_in(self, factor: float) -> FloatArray:
        """Return [occupation, template, group] ã."""
        mean = self.parts.stereotype[:, np.newaxis]
        centre = self.centring[:, np.newaxis, np.newaxis] * mean
        return (self._neutral() + centre + factor * (self.raw - mean)).clip(0.0, 1.0)

    def _neutral(self) -> FloatArray:
        return np.broadcast_to(self.rates.mean(axis=-1, keepdims=True), self.rates.shape)

    def _drawn(
        self, preferences: FloatArray, draws: int, generator: np.random.Generator
    ) -> tuple[FloatArray, FloatArray]:
        totals, groups = self.of_group.astype(np.int64), preferences.shape[-1]
        rates = generator.binomial(totals, preferences, size=(draws, *totals.shape)) / np.maximum(totals, 1)
        noise = (rates * (1 - rates) / np.maximum(totals - 1, 1)).sum(axis=-1) * (1 - 1 / groups)
        return self.criterion.stereotypes(rates), noise
