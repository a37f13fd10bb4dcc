"""What scores the shards of a run: this process, or a Ray cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pcf_core.errors import SettingsError
from pcf_core.jobs.scoring import OpenScorer
from pcf_core.scoring.opening import open_scorer
from pcf_core.settings import Engine, Settings


@contextmanager
def scorers_of(engine: Engine, settings: Settings, here: OpenScorer = open_scorer) -> Iterator[OpenScorer]:
    """How scorers are opened while this is: ``here``, or on a cluster, of which nothing is imported before.

    Raises:
        SettingsError: Ray is not installed.
    """
    if engine == "local":
        yield here
        return
    try:
        from pcf_core.jobs.ray_engine import RayEngine
    except ModuleNotFoundError as error:
        if error.name != "ray":
            raise
        raise SettingsError(
            "The engine ray is not installed: run `pip install -r requirements-ray.txt`, or choose the "
            "engine local."
        ) from error
    with RayEngine(settings) as cluster:
        yield cluster.open_scorer
