"""What scores the shards of a run, or counts the blocks of a corpus: this machine, or a Ray cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pcf_core.errors import SettingsError
from pcf_core.jobs.scoring import OpenScorer
from pcf_core.scoring.opening import open_scorer
from pcf_core.settings import Engine, Settings

if TYPE_CHECKING:
    from pcf_core.jobs.ray_engine import RayEngine


@contextmanager
def scorers_of(engine: Engine, settings: Settings, here: OpenScorer = open_scorer) -> Iterator[OpenScorer]:
    """How scorers are opened while this is: ``here``, or on a cluster, of which nothing is imported before.

    Raises:
        SettingsError: Ray is not installed.
    """
    if engine == "local":
        yield here
        return
    with cluster_of(settings) as cluster:
        yield cluster.open_scorer


@contextmanager
def cluster_of(settings: Settings) -> Iterator[RayEngine]:
    """A Ray cluster, while this is open.

    Raises:
        SettingsError: Ray is not installed.
    """
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
        yield cluster
