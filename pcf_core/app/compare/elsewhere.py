"""Whether the order of two models holds in other sentences that both are scored on, and the way there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from pcf_core.app.addresses import Place, parameters_for
from pcf_core.app.caching import kept, open_store
from pcf_core.app.choice import FIRST, SECOND
from pcf_core.app.data import Loaded, must_wait
from pcf_core.app.links import draw_link
from pcf_core.app.lists import Stamp, is_present, present_templates, stamp_of, templates_name
from pcf_core.app.present import is_presented
from pcf_core.app.widgets import plain_label
from pcf_core.audit.comparing import answer_in, elsewhere
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.results import is_kept, kept_name
from pcf_core.core.errors import AuditError
from pcf_core.core.run import RunSpec
from pcf_core.show.compare import Standing, differing_first, in_other_sentences

COMPARE = Place("compare")
SETS = 512  # whose answers on two models are kept for all visitors
MOST_CELLS = 100_000  # that are read though nobody asked, where no preferences are kept: 2 s of a CPU


@dataclass(frozen=True)
class Elsewhere:
    """What is answered on two models in the sentences shown, and in ``others``, by the name of their set."""

    here: Standing
    others: Mapping[str, Standing]

    @property
    def sentence(self) -> str:
        """Whether the answer holds in other sentences too; empty where nothing is known of any."""
        return in_other_sentences(self.here, self.others)

    def draw_way(self, loaded: Loaded) -> None:
        """Draw the link to Compare in the sentences that are told first; nothing where none are."""
        if not self.sentence or is_presented():
            return
        name = differing_first(self.here, self.others)[0]
        pair = dict(zip((FIRST, SECOND), self.here.names, strict=True))
        address = {**loaded.choice.parameters, **parameters_for(self.here.names), **pair, "templates": name}
        draw_link(COMPARE, f"Compare on {plain_label(name)}", address, ":material/compare_arrows:")


def order_elsewhere(loaded: Loaded, names: Sequence[str]) -> Elsewhere | None:
    """Test two of the loaded models in the sentences shown and in others.

    ``None`` where not two are named, without other sentences, and where the two cannot be compared.
    """
    if len(names) != 2:
        return None
    pair = names[0], names[1]
    others = standings_elsewhere(loaded, pair)
    if not others:
        return None
    try:
        return Elsewhere(_read(loaded, pair, _shown(loaded, pair)), others)
    except AuditError:  # the page Compare says why
        return None


def standings_elsewhere(loaded: Loaded, names: tuple[str, str]) -> dict[str, Standing]:
    """Return what other template sets say of two of the loaded models, by the name of the set.

    Those that a page would leave to the worker, or cannot read, are passed over: nobody has asked for them.
    Of those that are not kept, no more than ``MOST_CELLS`` cells are read.
    """
    store, options, cells = open_store(), loaded.options, 0
    finished = (info.run for info in store.runs() if info.complete)
    standings: dict[str, Standing] = {}
    for pair in elsewhere(finished, *_shown(loaded, names)):
        if not is_present(pair[0]):  # texts that the set of this name had before
            continue
        first = present_templates(pair[0])  # both with the counts of the set that the link names
        runs = first, pair[1].model_copy(update={"templates": first.templates})
        with suppress(AuditError):
            new = sum(run.cells for run in runs if not is_kept(store, run, options.protocol))
            if cells + new <= MOST_CELLS and not any(must_wait(run, "preferences", options) for run in runs):
                cells += new
                standings[templates_name(pair[0])] = _read(loaded, names, runs)
    return standings


def _shown(loaded: Loaded, names: tuple[str, str]) -> tuple[RunSpec, RunSpec]:
    return loaded.runs[names[0]].run, loaded.runs[names[1]].run


def _read(loaded: Loaded, names: tuple[str, str], runs: tuple[RunSpec, RunSpec]) -> Standing:
    """Test two runs, once for all visitors."""
    options, store = loaded.options, open_store()
    stored = tuple(kept_name(store, run, options.protocol) for run in runs)
    return _standing(runs, names, options, stored, stamp_of("factors"))


@kept(slots=SETS)
def _standing(
    runs: tuple[RunSpec, RunSpec],
    names: tuple[str, str],
    options: ViewOptions,
    stored: tuple[str, ...],
    statistics: Stamp,
) -> Standing:
    """Test two runs.

    ``stored``: by what names their preferences are kept; ``statistics``: those behind weights of occupations.
    """
    answer = answer_in(open_store(), runs, options)
    return Standing.of_risk(names, answer.risk, answer.little)
