"""The shipped parser, opened once."""

from __future__ import annotations

import pytest

from pcf_core.mining.parser.pipeline import Pipeline, open_pipeline
from pcf_core.mining.parser.schemes import SHIPPED


@pytest.fixture(scope="session")
def parser() -> Pipeline:
    return open_pipeline(SHIPPED)
