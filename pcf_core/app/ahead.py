"""What the first page opens with, worked out before anybody asks for it.

The first visitor after a start would else wait for it: the models' files have to be hashed, the kept runs
read, and the risks of those that are shown worked out.
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

PATIENCE = 10.0  # seconds: large models of one's own are hashed, and endpoints asked, for longer


def work_out() -> None:
    """Work out what Overview shows where an address asks for nothing; all visitors then have it.

    What cannot be read is logged: the page says it to whoever opens it.  What takes longer than the server
    should be waited for goes on while it listens.
    """
    working = Thread(target=_try, name="ahead", daemon=True)
    working.start()
    working.join(PATIENCE)
    Image.preinit()  # Streamlit reads the page's icon with it
    if working.is_alive():
        return
    gc.collect()
    gc.freeze()  # what is loaded and kept by now is no garbage: later collections need not look at it


def _try() -> None:
    try:
        _work_out()
    except Exception as error:  # noqa: BLE001 - nothing that is only worked out ahead may stop the server
        logging.getLogger(__name__).warning("The first page is not worked out ahead: %s", error)


def _work_out() -> None:
    topic = next(iter(all_topics().values()))
    usual, scored = usual_lists(topic, kept()), scored_models()
    fitting_first(topic)
    presets(scored)
    models = opening_models([*(spec.name for spec in list_models()), *scored], topic)
    asked: dict[str, str | list[str]] = {
        "model": models,
        "topic": topic.name,
        "templates": usual.templates,
        "evidence": usual.evidence,
    }
    loaded = load(choice_of(asked), brief=True)
    if loaded.runs:
        runs = runs_alike(loaded)
        read = read_runs(loaded, {name: runs[name] for name in loaded.runs if name in runs})
        with_letters(model_rows(read), read, loaded.options)
        neutral_distances_of(loaded)
