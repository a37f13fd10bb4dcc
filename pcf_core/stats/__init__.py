"""Statistics: how sure a number is, and how risk is distributed over occupations.

``resampling``: what is drawn again, ``percentiles``: the bounds of that, ``bootstrap``: intervals of risk
over templates, occupations and both, ``overall``: of R alone, in less time, ``preference``: of a difference
in preference.  ``draws``: estimates from templates that were drawn, ``looks``: when they are looked at,
``corrected``: prejudice without the bias of a sample (all numpy).
``distribution``: the stereotype of an occupation over contexts.
``tails``, ``tail_fits``, ``normality``: how caprice and prejudice are spread over occupations, ``ranks``:
whether two weightings put the same first, ``comparison``: how far two models differ on the same templates
(``pair``), with ``paired_intervals`` and a ``permutation`` test,
``regression``: straight lines through risk and a factor, ``amplification``: leans beside those of a text
(``leans``: of one occupation), ``clustering``: an order in which neighbours are alike, ``seeds``: how far two
trainings of one recipe may differ, ``relabelling``: whether two samples of texts are alike, ``prompts``:
means over prompts and their intervals, ``information``: how far two categories tell of each other
(``entropies``, ``attainable``, ``information_draws``), ``professions``: shares of women beside the world's,
``effects``: Cohen's d between names with several texts, ``rates``: shares of answers clustered by question
(all scipy or statsmodels, imported where they are used, so that importing this room stays quick).

Layer: numpy, scipy, statsmodels, records, errors and the room ``risk``.
"""

from pcf_core.stats.amplification import amplification_of
from pcf_core.stats.bootstrap import RISKS, RiskIntervals, risk_intervals
from pcf_core.stats.clustering import clustered_order
from pcf_core.stats.comparison import PairedDifferences, adjusted_p_values, paired_comparison
from pcf_core.stats.corrected import corrected_prejudice
from pcf_core.stats.distribution import ends, mean_tilts, share_interval, stereotype_distributions
from pcf_core.stats.draws import DrawnRisk, draw_templates, drawn_risk
from pcf_core.stats.looks import LEVEL, NARROWEST, WIDEST, Looks, looks
from pcf_core.stats.normality import normal_fit, normal_shape
from pcf_core.stats.overall import overall_intervals
from pcf_core.stats.preference import preference_difference
from pcf_core.stats.ranks import RankCorrelation, rank_correlation
from pcf_core.stats.regression import fit_line, holm, why_no_line
from pcf_core.stats.resampling import (
    TemplateUnit,
    effective_number,
    resampled_occupation_weights,
    resampled_template_weights,
    rough,
)
from pcf_core.stats.seeds import seed_bound
from pcf_core.stats.tails import caprice_tail, tail_shape

__all__ = [
    "LEVEL",
    "NARROWEST",
    "RISKS",
    "WIDEST",
    "DrawnRisk",
    "Looks",
    "PairedDifferences",
    "RankCorrelation",
    "RiskIntervals",
    "TemplateUnit",
    "adjusted_p_values",
    "amplification_of",
    "caprice_tail",
    "clustered_order",
    "corrected_prejudice",
    "draw_templates",
    "drawn_risk",
    "effective_number",
    "ends",
    "fit_line",
    "holm",
    "looks",
    "mean_tilts",
    "normal_fit",
    "normal_shape",
    "overall_intervals",
    "paired_comparison",
    "preference_difference",
    "rank_correlation",
    "resampled_occupation_weights",
    "resampled_template_weights",
    "risk_intervals",
    "rough",
    "seed_bound",
    "share_interval",
    "stereotype_distributions",
    "tail_shape",
    "why_no_line",
]
