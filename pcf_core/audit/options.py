"""How scores are read: the view options of pages, links and the command line."""

from __future__ import annotations

from typing import Literal

from pcf_core.records import Aggregation, Protocol, Record, Scale, Unit


class ViewOptions(Record):
    """How scores are read: nothing here costs a score, everything here is in the URL.

    ``occupation_weights``: ``uniform``, ``employment`` or a CSV file.  ``reference``: the neutral p*,
    ``uniform`` (1/|Y|) or ``labour`` (the labour force's shares, two groups of gender).  ``aggregation``:
    what a group gets of its words' probabilities, their ``sum`` (PCF Eq. 11) or their ``mean``.  ``unit``:
    what intervals over templates draw again, see :mod:`pcf_core.stats.bootstrap`; ``usual`` is the document
    where the set knows documents, else the template.
    """

    template_weighting: Literal["counts", "equal"] = "counts"
    occupation_weights: str = "uniform"
    criterion: str = "max"
    scale: Scale = "pcf"
    reference: Literal["uniform", "labour"] = "uniform"
    protocol: Protocol = "exact"
    aggregation: Aggregation = "sum"
    unit: Unit = "usual"
