"""The shipped parser, opened once."""

from __future__ import annotations

import pytest

from pcf_core.mining.parser.pipeline import SHIPPED, Pipeline, open_pipeline


@pytest.fixture(scope="session")
def parser() -> Pipeline:
    return open_pipeline(SHIPPED)
