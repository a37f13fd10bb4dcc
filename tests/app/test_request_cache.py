"""What a page looks up once while it is drawn, and when it looks again."""

from __future__ import annotations

from threading import Thread

import pytest

from pcf_core.app.lists import stamp_of_shelf, template_sets
from pcf_core.app.request_cache import look_again, looked_up, request_cache
from pcf_core.app.roles import write
from pcf_core.core.settings import Settings
from pcf_core.material.templates import SHELF


class Counted:
    """A look that counts how often it was taken."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self, what: str = "") -> tuple[str, int]:
        self.times += 1
        return what, self.times


def test_a_page_looks_once_for_each_thing() -> None:
    look = Counted()
    with request_cache():
        assert [looked_up(look, "a"), looked_up(look, "b"), looked_up(look, "a")] == [
            ("a", 1),
            ("b", 2),
            ("a", 1),
        ]
        with request_cache():  # a frame within a page
            assert looked_up(look, "a") == ("a", 1)
        assert looked_up(look, "a") == ("a", 1)
    assert looked_up(look, "a") == ("a", 3), "nothing is kept beyond"
    with request_cache():
        assert looked_up(look, "a") == ("a", 4), "nor for the next run"


def test_what_is_refused_is_looked_up_again() -> None:
    def refuse() -> None:
        raise ValueError

    with request_cache():
        for _ in range(2):
            with pytest.raises(ValueError, match=r"^$"):
                looked_up(refuse)
    with pytest.raises(RuntimeError), request_cache():
        raise RuntimeError
    look = Counted()
    assert (looked_up(look), looked_up(look)) == (("", 1), ("", 2)), "an error ends it too"


def test_another_visitor_looks_for_himself() -> None:
    look, seen = Counted(), []
    with request_cache():
        looked_up(look)
        other = Thread(target=lambda: seen.append(looked_up(look)))
        other.start()
        other.join()
        assert seen == [("", 2)]
        assert looked_up(look) == ("", 1)


def test_a_page_sees_what_it_has_changed_itself(own_settings: Settings) -> None:
    look = Counted()
    with request_cache():
        assert looked_up(look) == ("", 1)
        assert write(str, 7) == "7"
        assert looked_up(look) == ("", 2)
        with pytest.raises(ValueError, match="seven"):
            write(int, "seven")  # a part of it may be done
        assert looked_up(look) == ("", 3)
        look_again()
        assert looked_up(look) == ("", 4)


def test_a_set_that_is_saved_is_there_at_once_behind_a_change_and_in_the_next_run(
    own_settings: Settings,
) -> None:
    def save() -> None:
        SHELF.own_folder.mkdir(parents=True, exist_ok=True)
        (SHELF.own_folder / "mine.csv").write_text("template,count\nThe [X] said that [Y],1\n")

    with request_cache():
        before = stamp_of_shelf(SHELF)
        assert "mine" not in template_sets()
        assert template_sets() is template_sets(), "looked up once"
        write(save)
        assert "mine" in template_sets()
        assert stamp_of_shelf(SHELF) != before
