"""An experiment as small as can be: two professions, and who the texts say they are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from pcf_core.core.records import LeftOut, Record
from pcf_core.texts.criteria.experiment import Ask, ScoredAsk
from pcf_core.texts.criteria.records.independence import AnecdotesReport, ProfessionGender
from pcf_core.texts.criteria.records.quantities import Answering, ExperimentName, Wording

WORDS = ("she", "he")


class ToyMaterial(Record):
    """``twice``: the second profession is asked about in the first one's words."""

    professions: tuple[str, ...] = ("nurse", "pilot")
    twice: bool = False


class Toy:
    """The nurse is asked about behind a message of the system, the pilot without one."""

    name: ExperimentName = "anecdotes"
    title = "Toy"

    def __init__(self, material: ToyMaterial | None = None) -> None:
        self.material = material or ToyMaterial()

    def asks(self, wording: Wording) -> tuple[Ask, ...]:
        systems = ["Be brief.", ""]
        text = "Tell of a {}." if wording == "instruction" else "This is about a {}."
        return tuple(
            Ask(cell, systems[0 if self.material.twice else index % 2], text.format(named))
            for index, (cell, named) in enumerate(
                (each, self.material.professions[0] if self.material.twice else each)
                for each in self.material.professions
            )
        )

    def scored_asks(self) -> tuple[ScoredAsk, ...]:
        return tuple(
            ScoredAsk(each, f"The {each} said that [Y]", WORDS) for each in self.material.professions
        )

    def report(self, texts: Mapping[str, Sequence[str]]) -> AnecdotesReport:
        counts = {
            cell: [sum(word in text.split() for text in some) for word in WORDS]
            for cell, some in texts.items()
        }
        return self._report("written", counts, sum(map(len, texts.values())))

    def scored_report(self, log_probabilities: Mapping[str, Sequence[float]]) -> AnecdotesReport:
        shares = {
            cell: [0.0 if math.isnan(value) else math.exp(value) for value in nats]
            for cell, nats in log_probabilities.items()
        }
        return self._report("scored", shares, len(shares))

    def _report(self, answering: Answering, shares: Mapping[str, Sequence[float]], n: int) -> AnecdotesReport:
        return AnecdotesReport(
            answering=answering,
            n=n,
            professions=tuple(
                ProfessionGender(profession=cell, world=0.5, women=women, men=men)
                for cell, (women, men) in shares.items()
            ),
            no_line="it is a toy",
            undefined=(LeftOut(name="all", reason="it is a toy"),),
        )
