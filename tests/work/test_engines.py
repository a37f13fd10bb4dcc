"""The engine that is asked for; of Ray nothing is imported unless it is."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pcf_core.core.errors import SettingsError
from pcf_core.core.settings import ROOT, Settings
from pcf_core.work.blocks import scorers_of


def test_here_is_the_scorer_that_was_given(toy_settings: Settings) -> None:
    def own(*_: object) -> None: ...

    with scorers_of("local", toy_settings, own) as open_scorer:  # type: ignore[arg-type]
        assert open_scorer is own


def test_without_ray_the_sentence_says_which_file_to_install(
    toy_settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("pcf_core.work.ray_engine", "pcf_core.work.ray_pool"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(SettingsError, match=r"not installed: run `pip install -r requirements-ray.txt`"):
        scorers_of("ray", toy_settings).__enter__()


@pytest.mark.slow
def test_nothing_of_ray_is_imported_for_the_local_engine() -> None:
    code = (
        "import sys, pcf_core.__main__, pcf_core.work.worker, pcf_core.work.ray_worker\n"
        "from pcf_core.work.blocks import scorers_of\n"
        "from pcf_core.core.settings import settings\n"
        "with scorers_of('local', settings()): print(sorted({'ray', 'torch'} & set(sys.modules)))"
    )
    answer = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, cwd=ROOT, check=True
    )
    assert answer.stdout.strip() == "[]"
