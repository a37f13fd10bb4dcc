"""What scores the shards of a run, or counts the blocks of a corpus: this machine, or a Ray cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from pcf_core.core.errors import SettingsError
from pcf_core.core.settings import Engine, Settings
from pcf_core.models.scoring.opening import open_scorer
from pcf_core.work.jobs import OpenScorer

if TYPE_CHECKING:
    from pcf_core.work.ray_engine import RayEngine


@contextmanager
def scorers_of(engine: Engine, settings: Settings, here: OpenScorer = open_scorer) -> Iterator[OpenScorer]:
    """Choose how scorers are opened inside the block: ``here``, or on a cluster.

    Nothing of a cluster is imported before.

    Raises
    ------
    SettingsError
        Ray is not installed.
    """
    if engine == "local":
        yield here
        return
    with cluster_of(settings) as cluster:
        yield cluster.open_scorer


@contextmanager
def cluster_of(settings: Settings) -> Iterator[RayEngine]:
    """Open a Ray cluster for the time of the block.

    Raises
    ------
    SettingsError
        Ray is not installed.
    """
    try:
        from pcf_core.work.ray_engine import RayEngine
    except ModuleNotFoundError as error:
        if error.name != "ray":
            raise
        raise SettingsError(
            "The engine ray is not installed: run `pip install -r requirements-ray.txt`, or choose the "
            "engine local."
        ) from error
    with RayEngine(settings) as cluster:
        yield cluster
