"""Compute what the first page shows before anybody opens it.

Otherwise the first visitor after a start would wait until the models' files are hashed, the stored runs read,
and their risks computed.
"""

from __future__ import annotations

import gc
import logging
from threading import Thread

from PIL import Image

from pcf_core.app.addresses import choice_of
from pcf_core.app.choice import opening_models
from pcf_core.app.data import load, scored_models
from pcf_core.app.lists import all_topics, fitting_first, kept, usual_lists
from pcf_core.app.notes import neutral_distances_of
from pcf_core.app.results.overview import model_rows, read_runs, runs_alike, with_letters
from pcf_core.models.presets import presets
from pcf_core.models.registry import list_models

PATIENCE = 10.0  # seconds; hashing large models and asking endpoints may take longer


def warm_up() -> None:
    """Compute what Overview shows for the bare address, once for all visitors.

    Errors are logged; the page shows them to whoever opens it.  What takes longer than ``PATIENCE`` goes on
    while the server already listens.
    """
    thread = Thread(target=_try, name="warm-up", daemon=True)
    thread.start()
    thread.join(PATIENCE)
    Image.preinit()  # Streamlit reads the page's icon with it
    if thread.is_alive():
        return
    gc.collect()
    gc.freeze()  # modules and cached results are no garbage: later collections need not look at them


def _try() -> None:
    try:
        _open_overview()
    except Exception as error:  # noqa: BLE001 - a failed warm-up must not stop the server
        logging.getLogger(__name__).warning("The first page is not computed in advance: %s", error)


def _open_overview() -> None:
    topic = next(iter(all_topics().values()))
    usual, scored = usual_lists(topic, kept()), scored_models()
    fitting_first(topic)
    presets(scored)
    models = opening_models([*(spec.name for spec in list_models()), *scored], topic)
    parameters: dict[str, str | list[str]] = {
        "model": models,
        "topic": topic.name,
        "templates": usual.templates,
        "evidence": usual.evidence,
    }
    loaded = load(choice_of(parameters), brief=True)
    if loaded.runs:
        runs = runs_alike(loaded)
        read = read_runs(loaded, {name: runs[name] for name in loaded.runs if name in runs})
        with_letters(model_rows(read), read, loaded.options)
        neutral_distances_of(loaded)
