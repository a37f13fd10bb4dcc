"""What a page loads is no garbage: collections between the runs of a script do not look at it."""

from __future__ import annotations

import gc

import pytest

from pcf_core.app import shell


def test_each_page_is_kept_once(monkeypatch: pytest.MonkeyPatch) -> None:
    frozen: list[str] = []
    monkeypatch.setattr(gc, "freeze", lambda: frozen.append("freeze"))
    shell._keep_loaded.clear()
    for page in ("risk.py", "tails.py", "risk.py", "risk.py"):
        shell._keep_loaded(page)
    assert frozen == ["freeze"] * 2
    shell._keep_loaded.clear()


def test_what_is_kept_is_not_looked_at_again() -> None:
    """The permanent generation grows by what there was, and what comes later is collected as ever."""
    before = gc.get_freeze_count()
    shell._keep_loaded.clear()
    shell._keep_loaded("some page.py")
    try:
        assert gc.get_freeze_count() > before
        loop: list[object] = []
        loop.append(loop)
        del loop
        assert gc.collect() >= 1
    finally:
        shell._keep_loaded.clear()
