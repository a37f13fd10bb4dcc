"""An app for the whole of a file, and the environment of an app of a test's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser import own_cache, running_app


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of an app on the shipped results, without a worker."""
    folder = tmp_path_factory.mktemp("app")
    environment = {"PCF_CACHE": str(folder / "cache"), "PCF_START_WORKER": "0"}
    with running_app(environment, folder / "app.log") as address:
        yield address


@pytest.fixture
def environment(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[dict[str, str]]:
    """A cache of its own over the shipped results, with what the file sets as its ENVIRONMENT."""
    with own_cache(tmp_path, **getattr(request.module, "ENVIRONMENT", {})) as variables:
        yield variables
