"""FairPair: pairs of texts, what is measured of them, and what was found.

u = p(g(x)), ``original``: what the model wrote for a prompt, perturbed.  z = g(p(x)), ``prompt``: what it
wrote for the perturbed prompt.  Both are about the same entity.  Dissimilarities Φ lie in [0, 1].
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pcf_core.records.base import LeftOut, Record
from pcf_core.records.perturbation import Mode
from pcf_core.records.risk import Interval

LABEL = "our reconstruction; the paper's tables were not available"
SIGNIFICANCE = 0.05
FEW_FACTS = 10  # an interval over fewer is rough
NOTHING = 1e-12  # what the arithmetic leaves of a dissimilarity that is 0

Undefined = Literal["", "no variation", "one side constant", "both sides constant"]
Side = Literal["original", "prompt"]


@dataclass(frozen=True)
class PromptPairs:
    """One prompt x with n texts a side, continuations only.

    ``perturbed_original``: u, ``perturbed_prompt``: z, as many.  ``fact``: what it shares with the prompts
    that say the same in other words; empty where it stands alone.
    """

    prompt: str
    perturbed_original: tuple[str, ...]
    perturbed_prompt: tuple[str, ...]
    category: str = ""
    fact: str = ""


class Variation(Record):
    """B, V_pg and V_gp, 0 to 1, and what follows from them.

    ``between``: B, mean Φ(u, z).  ``within_original``: V_pg, mean Φ(u, u') of two different samples;
    ``within_prompt``: V_gp, mean Φ(z, z').
    """

    between: float
    within_original: float
    within_prompt: float

    @property
    def ratio(self) -> float | None:
        """F = B² / (V_gp · V_pg): 1 where sampling explains the difference; ``None`` where a V is 0."""
        if self.undefined:
            return None
        return self.between / self.within_original * (self.between / self.within_prompt)

    @property
    def energy(self) -> float:
        """E = 2 B − V_pg − V_gp: 0 where sampling explains the difference, defined everywhere."""
        return 2 * self.between - self.within_original - self.within_prompt

    @property
    def undefined(self) -> Undefined:
        """Why there is no F; empty where there is one.

        ``no variation``: a V is 0, and B too: every text is like every other.  ``both sides constant``: no V,
        but B > 0: each side says always the same, and something else than the other.  ``one side constant``:
        one V is 0 and B > 0.
        """
        constant = (self.within_original <= NOTHING) + (self.within_prompt <= NOTHING)
        if not constant:
            return ""
        if self.between <= NOTHING:
            return "no variation"
        return "both sides constant" if constant == 2 else "one side constant"


class SignedReading(Record):
    """Which side is more positive: mean sentiments, −1 to 1, and ``prompt`` − ``original`` with its interval.

    ``interval``: over texts for one prompt, ``None`` where neither side varies or nothing was sampled; over
    facts or prompts for several.
    """

    original: float
    prompt: float
    interval: Interval | None

    @property
    def difference(self) -> float:
        return self.prompt - self.original

    @property
    def more_positive(self) -> Side | None:
        """The side, where the interval leaves out 0."""
        if self.interval is None or self.interval.low <= 0 <= self.interval.high:
            return None
        return "prompt" if self.difference > 0 else "original"


class PromptDifference(Variation):
    """What was found for one prompt.

    ``fact``: as in :class:`PromptPairs`.  ``samples``: n a side; ``folds``: k.  ``empty_original``,
    ``empty_prompt``: texts without a word among them, which count like any other.  ``p_value``: of
    relabelling u and z at random within folds, one-sided; ``least_p``: the smallest that it could have been.
    ``chance_ratio``: mean F of random labels, ``None`` where that is never defined.  ``adjusted``: controlled
    over all prompts that are read together (Holm).
    All four are ``None`` where nothing was sampled: copies of one text are no samples.
    """

    prompt: str
    category: str = ""
    fact: str = ""
    samples: int
    folds: int
    empty_original: int = 0
    empty_prompt: int = 0
    p_value: float | None
    least_p: float | None
    chance_ratio: float | None
    adjusted: float | None = None
    sentiment: SignedReading

    @property
    def controlled_p(self) -> float | None:
        return self.p_value if self.adjusted is None else self.adjusted

    @property
    def differs(self) -> bool:
        """Whether u and z differ beyond what sampling gives, controlled for several prompts."""
        return significant(self.controlled_p)


class Course(Record):
    """Mean B, V_pg and V_gp over prompts at each of ``places``; a V of a single sample is ``None``."""

    places: tuple[int, ...]
    between: tuple[float, ...]
    within_original: tuple[float | None, ...]
    within_prompt: tuple[float | None, ...]

    @property
    def ratio(self) -> tuple[float | None, ...]:
        """F of the means at each place, ``None`` where undefined."""
        rows = zip(self.between, self.within_original, self.within_prompt, strict=True)
        return tuple(
            None
            if original is None or prompt is None
            else Variation(between=between, within_original=original, within_prompt=prompt).ratio
            for between, original, prompt in rows
        )


class Convergence(Record):
    """How B, V and F settle (the paper's figures 3 and 4).

    ``samples``: over all pairs of the first 1 … n samples; ``folds``: of n samples in k folds, k rising.
    """

    count: int
    prompts: int
    samples: Course
    folds: Course


class OthersReading(Record):
    """What is found under Jaccard over the words that the table of p does not exchange.

    ``ratio``: F, the ratio of means, with its ``interval``; ``None`` where there is none.  ``p_value``,
    ``adjusted``: as in :class:`FairPairReport`.
    """

    ratio: float | None
    interval: Interval | None
    p_value: float | None
    adjusted: float | None = None

    @property
    def controlled_p(self) -> float | None:
        return self.p_value if self.adjusted is None else self.adjusted

    @property
    def differs(self) -> bool:
        return significant(self.controlled_p)


class FairPairReport(Record):
    """One model's prompts under one Φ.

    ``original``, ``counterpart``: the names of the entities of x and p(x); ``mode``: of p.  ``means``: B and
    V averaged over prompts, whose ``ratio`` is the ratio of means.  ``mean_ratio``: mean of the prompts' F
    where defined, the others in ``undefined``; ``None`` where none is.  ``chance_ratio``: the mean F that the
    same prompts have with labels dealt at random: above 1 where V is noisy, so ``mean_ratio`` is read against
    it, while the ratio of means is read against 1.  ``intervals``: by :data:`QUANTITIES`, for those that are
    defined with two facts or more.  Prompts that share a fact are drawn together: the unit is ``fact``, or
    ``prompt`` where none shares one.

    ``p_value``: of relabelling within the folds of every prompt, for the mean E; what a verdict rests on.
    ``wilcoxon_p``: signed ranks over facts of B − √(V_gp V_pg), one-sided; ``None`` where all are 0.
    ``adjusted``: ``p_value`` controlled over the models that are read together (Holm).  None of them is there
    where nothing was sampled (temperature 0); ``permutations`` is then 0.
    ``others``: beside Jaccard, the same without the words that p exchanges; ``None`` where not measured.
    """

    model: str
    dissimilarity: str
    original: str
    counterpart: str
    prompts: tuple[PromptDifference, ...]
    means: Variation
    mean_ratio: float | None
    chance_ratio: float | None
    intervals: dict[str, Interval]
    p_value: float | None
    least_p: float | None
    wilcoxon_p: float | None
    adjusted: float | None = None
    permutations: int
    sentiment: SignedReading
    undefined: tuple[LeftOut, ...] = ()
    mode: Mode | None = None
    others: OthersReading | None = None
    label: str = LABEL

    @property
    def sampled(self) -> bool:
        """Whether texts were drawn, so that there is something to test."""
        return self.p_value is not None

    @property
    def facts(self) -> int:
        """How many facts the prompts say: the units of intervals."""
        return len({row.fact or row.prompt for row in self.prompts})

    @property
    def controlled_p(self) -> float | None:
        return self.p_value if self.adjusted is None else self.adjusted

    @property
    def differs(self) -> bool:
        return significant(self.controlled_p)


def significant(p: float | None) -> bool:
    """Whether there is a p-value, and so small a one."""
    return p is not None and p <= SIGNIFICANCE


QUANTITIES = ("between", "within_original", "within_prompt", "mean_ratio", "ratio_of_means", "energy")
