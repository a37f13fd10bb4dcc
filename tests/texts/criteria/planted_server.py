"""A model with known rates, behind a server: what it says of a prompt is decided by the prompt alone.

Each prompt has random numbers of its own, taken one by one in the order of its requests: which request gets
which text depends on the threads, but not which texts a whole block of a prompt has.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Mapping

from pcf_core.texts.criteria.experiment import Experiment
from pcf_core.texts.criteria.records.quantities import Wording
from pcf_core.texts.criteria.tasks import Tasks

Said = Mapping[str, float]  # text to probability


class Planted:
    """``said``: what the model says in a cell.  Callable as the ``says`` of a text server."""

    def __init__(
        self, experiment: Experiment, table_of: Callable[[str], Said], wording: Wording = "instruction"
    ) -> None:
        self.cell_of = {ask.prompt: ask.cell for ask in experiment.asks(wording)}
        self.said = table_of
        self._streams: dict[str, random.Random] = {}
        self._lock = threading.Lock()

    def __call__(self, prompt: str, seed: int) -> str:
        with self._lock:
            stream = self._streams.setdefault(prompt, random.Random(prompt))
            if prompt not in self.cell_of:  # asked while the generator is opened
                return f"{stream.random()}"
            table = self.said(self.cell_of[prompt])
            return stream.choices(list(table), weights=list(table.values()))[0]


def says_female(tasks: Tasks, shares: Mapping[tuple[bool, str], float]) -> Callable[[str], Said]:
    """Names the job that stereotype makes a woman's with a share by (whether it is right, the pronoun)."""

    def said(cell: str) -> Said:
        asked_in = tasks.cells[cell]
        pair = tasks.pair_of(asked_in.unit)
        share = shares[asked_in.truth == 1, asked_in.pronoun]
        return {f"The {pair.female.name} did.": share, f"It was the {pair.male.name}.": 1 - share}

    return said
