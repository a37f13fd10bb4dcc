"""What is worked out once: an answer is kept by all that its function takes, and by nothing else."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path

import numpy as np
import pytest
import streamlit as st
from hypothesis import given
from hypothesis import strategies as some

from pcf_core.app.addresses import Choice
from pcf_core.app.caching import Arguments, _field_names, kept, key_of, once
from pcf_core.app.data import Loaded
from pcf_core.audit.options import ViewOptions
from pcf_core.audit.results import NotScored, Refused, Results, Waiting
from pcf_core.core.records import Record
from pcf_core.core.settings import Settings
from pcf_core.core.topics import Template, TemplateSet
from pcf_core.store.store import Store
from tests.conftest import fill

ROOT = Path(__file__).resolve().parents[2]
MANY = 20
VALUES = some.one_of(
    some.text(max_size=5), some.integers(0, 3), some.booleans(), some.floats(0, 1), some.none(),
    some.tuples(some.text(max_size=3), some.text(max_size=3)),
    some.lists(some.text(max_size=3), max_size=3),
)  # fmt: skip
calls: list[tuple[object, ...]] = []


class Told(Record):
    name: str
    number: float = 0.0


class Named(Record):
    name: str
    number: float = 0.0


@dataclass(frozen=True)
class Drawn:
    rows: tuple[Told, ...]
    values: np.ndarray[tuple[int], np.dtype[np.float64]]

    @cached_property
    def total(self) -> float:
        return float(self.values.sum())


def told(first: object, second: object = None) -> list[object]:
    calls.append((first, second))
    return [first, second]


def same(first: object, second: object = None) -> list[object]:
    calls.append((first, second))
    return [second, first]


def failing(number: object) -> float:
    raise ZeroDivisionError(number)


@pytest.fixture(autouse=True)
def no_answers() -> Iterator[None]:
    st.cache_resource.clear()
    calls.clear()
    yield
    st.cache_resource.clear()


def test_an_answer_is_worked_out_once_for_what_a_function_takes() -> None:
    first = once(told)("a", ("b", 1))
    assert once(told)("a", ("b", 1)) is first
    assert once(same)("a", ("b", 1)) == [("b", 1), "a"]
    assert once(told)("a", ("b", 2)) == ["a", ("b", 2)]
    assert len(calls) == 3


STATES = {"a": 1}


@kept(state=lambda name: STATES[name])
def with_state(name: str) -> int:
    calls.append((name,))
    return STATES[name]


def test_an_answer_is_worked_out_again_when_the_state_of_its_arguments_changes() -> None:
    assert [with_state("a"), with_state("a")] == [1, 1]
    STATES["a"] = 2
    assert [with_state("a"), with_state("a")] == [2, 2]
    assert len(calls) == 2


def test_memory_is_given_back_whenever_something_was_worked_out(monkeypatch: pytest.MonkeyPatch) -> None:
    given_back: list[int] = []
    monkeypatch.setattr("pcf_core.app.caching.give_back", lambda: given_back.append(len(calls)))
    once(told)("a")
    once(told)("a")
    assert given_back == [1]
    with pytest.raises(ZeroDivisionError):
        once(failing)(0)
    assert given_back == [1, 1]


@given(VALUES, VALUES)
def test_two_values_have_one_key_only_where_they_are_equal(one: object, other: object) -> None:
    assert (key_of(one) == key_of(other)) == (repr(one) == repr(other))
    assert key_of(one, other) == key_of(one, other)


@given(some.text(min_size=3), some.text(min_size=3))
def test_it_does_not_matter_which_of_two_equal_texts_is_meant(one: str, other: str) -> None:
    again = "".join(list(one))
    assert key_of((one, one, other)) == key_of((one, again, other))


@pytest.mark.parametrize("place", [0, 399_999, 799_999])
def test_every_number_of_a_large_array_counts(place: int) -> None:
    """Streamlit's own hash of an array of more than 500,000 numbers is one of a sample."""
    values = np.zeros(800_000)
    changed = values.copy()
    changed[place] = 1.0
    assert key_of(values) == key_of(values.copy())
    assert key_of(values) != key_of(changed)


def test_every_field_of_a_record_counts_and_what_it_worked_out_does_not() -> None:
    drawn = Drawn((Told(name="a"),), np.arange(3.0))
    before = key_of(drawn)
    assert drawn.total == 3.0
    assert key_of(drawn) == before == key_of(Drawn((Told(name="a"),), np.arange(3.0)))
    others = [replace(drawn, rows=(Told(name="a", number=1.0),)), replace(drawn, values=np.arange(4.0))]
    assert len({before, *map(key_of, others)}) == 3


def test_records_of_one_type_count_with_their_type_each_field_and_order() -> None:
    """They are written as rows, which those of another type, or the rows themselves, are not."""
    rows = (Told(name="a"), Told(name="b", number=1.0))
    others = [
        rows[:1],
        rows[::-1],
        (rows[0], Told(name="b", number=2.0)),
        (rows[0], Named(name="b", number=1.0)),
        (Named(name="a"), Named(name="b", number=1.0)),
        (("a", 0.0), ("b", 1.0)),
    ]
    keys = [key_of(Drawn(some, np.arange(3.0))) for some in [rows, *others]]  # type: ignore[arg-type]
    assert len(set(keys)) == len(keys)
    assert key_of(Drawn(tuple(row.model_copy() for row in rows), np.arange(3.0))) == keys[0]


@dataclass(frozen=True)
class Counted:
    counts: dict[str, float]
    rows: tuple[Told, ...] = ()


@dataclass
class Open:
    rows: tuple[Told, ...]


def test_a_record_with_many_values_is_written_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many pages and figures ask for it; another record has another key all the same."""
    rows = tuple(Told(name=str(number)) for number in range(2 * MANY))
    several = [Counted({}, rows), Counted({one.name: one.number for one in rows})]
    keys = [key_of(one) for one in several]
    given = [key_of(Arguments((one,), {})) for one in several]
    read: list[object] = []

    def read_fields(kind: type) -> tuple[str, ...]:
        read.append(kind)
        return _field_names(kind)

    with monkeypatch.context() as patched:
        patched.setattr("pcf_core.app.caching._field_names", read_fields)
        assert [key_of(one) for one in several] == keys
        assert not read
        assert [key_of(Arguments((one,), {})) for one in several] == given
        assert {*read} == {Arguments}
        assert not {key_of(one, 1) for one in several} & set(keys)
    changed = replace(several[0], rows=(*rows[1:], Told(name="0", number=1.0)))
    alike = [Counted({}, tuple(one.model_copy() for one in rows)), Counted(dict(several[1].counts))]
    assert [key_of(one) for one in alike] == keys
    assert len({*keys, key_of(changed), key_of(Counted({"0": 1.0}))}) == 4


def test_what_can_be_changed_is_written_out_each_time() -> None:
    opened = Open(tuple(Told(name=str(number)) for number in range(2 * MANY)))
    before = key_of(opened)
    opened.rows = opened.rows[1:]
    assert key_of(opened) != before


def test_a_changed_copy_of_a_record_with_many_values_has_a_key_of_its_own() -> None:
    texts = tuple(Template(text=f"The [X] said {number} times that [Y]") for number in range(2 * MANY))
    whole = TemplateSet(name="a", title="A", templates=texts)
    before = key_of(whole)
    fewer = whole.model_copy(update={"templates": texts[1:]})
    assert key_of(fewer) not in (before, key_of(texts[1:]))
    assert key_of(fewer.model_copy(update={"templates": texts})) == before


def test_a_picture_is_known_by_its_function_and_all_that_it_takes() -> None:
    makes = [partial(told, 1), partial(told, 2), partial(told, 1, second=1), partial(same, 1)]
    assert len({key_of(make) for make in makes}) == 4
    assert key_of(partial(told, 1)) == key_of(makes[0])


def test_a_function_that_could_know_more_is_refused() -> None:
    state = 1

    def inside(first: int) -> int:
        return first + state

    def left_out(first: int, _second: int) -> int:
        return first

    left_out.__qualname__ = "left_out"
    for function in (inside, lambda first: first, "abc".join, Drawn.total.func.__get__(1)):
        with pytest.raises(TypeError, match="only a function of a module"):
            once(function)
    with pytest.raises(TypeError, match="'_second' would be no part of its key"):
        kept()(left_out)
    with pytest.raises(TypeError, match="only a function of a module"):
        key_of(partial(told, inside))


def test_what_is_loaded_is_known_by_every_field(own_settings: Settings) -> None:
    store = Store.open(own_settings.cache)
    run, options = fill(store, "mini-gpt"), ViewOptions()
    item = Results(store).report(run, options)
    choice = Choice(("mini-gpt",), run.topic.name, run.templates.name, run.evidence.name, options)
    loaded = Loaded.of(choice, {"mini-gpt": item})
    assert loaded.rows
    assert key_of(loaded) == key_of(Loaded.of(choice, {"mini-gpt": item}))
    others = [
        replace(loaded, choice=replace(choice, over="both")),
        replace(loaded, runs={"mini-gpt": replace(item, view_key="read otherwise")}),
        *(
            replace(loaded, others={"mini-bert": one})
            for one in (Waiting(run), NotScored(run, ""), Refused("It cannot be read."))
        ),
    ]
    assert len({key_of(one) for one in (loaded, *others)}) == len(others) + 1


def test_streamlit_keeps_nothing_by_less_than_a_function_takes() -> None:
    """A parameter that begins with an underscore is no part of Streamlit's key."""
    keeping = 0
    for path in [*(ROOT / "pcf_core" / "app").rglob("*.py"), *(ROOT / "pages").glob("*.py"), ROOT / "app.py"]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))):
            if isinstance(node, ast.FunctionDef):
                decorators = " ".join(map(ast.unparse, node.decorator_list))
                if "cache_resource" in decorators or "cache_data" in decorators:
                    keeping += 1
                    names = [one.arg for one in (*node.args.args, *node.args.kwonlyargs)]
                    assert not [name for name in names if name.startswith("_")], f"{path.name}: {node.name}"
    assert keeping
