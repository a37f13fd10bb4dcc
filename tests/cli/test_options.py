"""Declared options: what is chosen comes back from a link, a command, a task of Inspect and a request."""

from __future__ import annotations

import shlex
from typing import Any

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.audit.options import PageOptions, ViewOptions
from pcf_core.cli.console import with_options
from pcf_core.core.frame import Frames
from pcf_core.core.generation import Decoding, GenerationKey
from pcf_core.core.options import (
    Option,
    command_options,
    declared,
    from_page,
    number_text,
    page_values,
    read_options,
    task_options,
)
from pcf_core.core.records import Record
from pcf_core.core.sampled import Samples
from pcf_core.models.registry import resolve
from pcf_core.report.reproducing import fairpair_command
from pcf_core.texts.benchmarks.records import BenchmarkFrames
from pcf_core.texts.criteria.experiments import usual_decoding
from pcf_core.texts.criteria.options import CriteriaOptions
from pcf_core.texts.fairpair.options import FairPairOptions, options_of
from pcf_core.texts.fairpair.prompts import load_prompts
from pcf_core.texts.fairpair.records import USUAL_DISSIMILARITIES
from pcf_core.texts.fairpair.tables import load_table
from pcf_core.texts.text_audit import writing_key
from pcf_core.work.fairpair import fairpair_asked

KINDS: tuple[type[Record], ...] = (
    *(ViewOptions, PageOptions, FairPairOptions, CriteriaOptions, Frames, BenchmarkFrames, Samples),
)
FREE = {"margin": st.sampled_from(["0", "0.05", "1"])}  # texts that their record reads
TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=12)


def values_of(one: Option) -> st.SearchStrategy[Any]:
    """Whatever an option may be."""
    least, most = one.spec.least or 0, one.spec.most or 10**6
    found: dict[type, st.SearchStrategy[Any]] = {
        bool: st.booleans(),
        int: st.integers(int(least), int(most)),
        float: st.floats(least, most),
        str: FREE.get(one.name, TEXT),
        tuple: st.lists(TEXT, unique=True, max_size=3).map(tuple),
    }
    chosen = st.sampled_from(one.offered) if one.offered else found[one.type]
    return st.none() | chosen if one.optional else chosen


@st.composite
def chosen(draw: st.DrawFn, kinds: tuple[type[Record], ...] = KINDS) -> Record:
    kind = draw(st.sampled_from(kinds))
    return kind.model_validate({name: draw(values_of(one)) for name, one in declared(kind).items()})


def part(options: Record, names: set[str]) -> dict[str, Any]:
    return {name: value for name, value in options.model_dump().items() if name in names}


def in_address(value: Any) -> Any:
    """A value as an address has it."""
    if isinstance(value, list):
        return value
    return str(value).lower() if isinstance(value, bool) else str(value)


@given(chosen())
def test_what_is_chosen_comes_back_from_the_link(options: Record) -> None:
    names = {name for name, one in declared(type(options)).items() if one.spec.title}
    held = page_values(options)
    assert part(from_page(type(options), held), names) == part(options, names)
    empty = {url for url, value in held.items() if value is None}
    address = {url: in_address(value) for url, value in held.items() if url not in empty}
    assert part(from_page(type(options), dict.fromkeys(empty) | address), names) == part(options, names)


@given(chosen())
def test_what_is_chosen_comes_back_from_the_command(options: Record) -> None:
    kind, seen = type(options), []

    @with_options(kind)
    def command(options: Any) -> None:
        seen.append(options)

    application = typer.Typer()
    application.command()(command)
    application(shlex.split(command_options(options)), standalone_mode=False)
    names = {name for name, one in declared(kind).items() if one.spec.usage}
    several = {name for name in names if getattr(options, name) == ()}  # nothing is said of these
    assert part(seen[0], names - several) == part(options, names - several)


@given(chosen())
def test_what_is_chosen_comes_back_from_a_task(options: Record) -> None:
    fields = {
        one.task: name for name, one in declared(type(options)).items() if one.spec.usage and one.spec.in_task
    }
    words = [word for word in shlex.split(task_options(options)) if word != "-T"]
    given = {fields[url]: text for url, _, text in (word.partition("=") for word in words)}
    assert part(read_options(type(options), given), {*fields.values()}) == part(options, {*fields.values()})


@given(
    st.integers(2, 500),
    st.none() | st.integers(2, 50),
    *(values_of(declared(FairPairOptions)[name]) for name in ("mode", "top_p", "length", "seed")),
    st.floats(0, 10),
)
def test_a_request_says_with_what_options_it_was_made(
    count: int, fold: int | None, mode: Any, top_p: float, length: int, seed: int, temperature: float
) -> None:
    options = FairPairOptions(
        names="John,Jane",
        mode=mode,
        count=count,
        fold_size=None if fold is None else min(fold, count),
        temperature=temperature,
        top_p=top_p,
        length=length,
        seed=seed,
        dtype="float32",
    )
    prompts, table = load_prompts(options.prompts, ("John", "Jane")), load_table(options.table)
    asked = fairpair_asked(GenerationKey.of(resolve("mini-gpt"), options.decoding), prompts, table, options)
    assert options_of(asked) == options


@pytest.mark.parametrize(
    "given",
    [{"frame": "bare"}, {"frame": "chat", "system": "Be fair."}, {"frame": "chat", "instruction": "Go on."}],
)
def test_a_request_says_in_what_frame_it_was_made(given: dict[str, Any]) -> None:
    options = FairPairOptions(names="John,Jane", dtype="float32", **given)
    prompts, table = load_prompts(options.prompts, ("John", "Jane")), load_table(options.table)
    spec = resolve("mini-gpt").model_copy(update={"chat_template": "hash"})
    asked = fairpair_asked(writing_key(spec, options.decoding, options), prompts, table, options)
    usual = fairpair_asked(GenerationKey.of(spec, options.decoding), prompts, table, options)
    assert options_of(asked) == options
    assert asked.hash != usual.hash
    words = shlex.split(fairpair_command(asked))
    assert [words[words.index(f"--{name}") + 1] for name in given] == [*given.values()]
    assert "--frame" not in fairpair_command(usual)


@pytest.mark.parametrize("kind", KINDS)
def test_no_two_options_have_one_name(kind: type[Record]) -> None:
    options = declared(kind).values()
    assert len({one.url for one in options}) == len({one.flag for one in options}) == len(options)
    for one in options:
        assert one.spec.title or one.spec.usage
        assert one.opens is None or not one.offered or one.opens in one.offered
        assert len(set(one.called.values())) == len(one.offered)


def test_what_is_not_chosen_is_usual() -> None:
    assert FairPairOptions(temperature=0.3, length=7).decoding == Decoding(temperature=0.3, length=7)
    assert CriteriaOptions().decoding("tasks") == usual_decoding("tasks")
    assert CriteriaOptions(temperature=0.0).decoding("tasks").temperature == 0
    assert (
        CriteriaOptions().texts_of_each("questions"),
        CriteriaOptions(repeats=9).texts_of_each("tasks"),
    ) == (2, 9)


def test_an_encoder_is_one_of_the_measures_once() -> None:
    named = FairPairOptions(encoder="mini-bert").measures
    assert named == (*USUAL_DISSIMILARITIES, "embedding:mini-bert")
    assert FairPairOptions(encoder="mini-bert", dissimilarities=named).measures == named


@pytest.mark.parametrize(("value", "text"), [(0.5, "0.5"), (1.0, "1"), (0.1234567891, "0.1234567891")])
def test_a_number_is_written_as_short_as_it_can_be(value: float, text: str) -> None:
    assert number_text(value) == text
