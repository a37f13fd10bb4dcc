"""View options: written once, found in links, commands and widgets under the names that they have had."""

import re
import shlex
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import pytest
import typer
from streamlit.testing.v1 import AppTest
from typer.testing import CliRunner

from pcf_core.audit.options import PageOptions, ViewOptions, counted_occupations, in_words
from pcf_core.cli.console import View, with_view
from pcf_core.core.errors import EvidenceError, InputError
from pcf_core.core.options import OptionSpec, command_options, declared, from_page, link_values, page_values
from pcf_core.material.evidence import make_evidence, womens_share
from pcf_core.material.topics import load_topic

IN_LINKS = (
    "weights", "template_weights", "criterion", "scale", "reference", "protocol", "aggregation", "over",
    "unit", "margin",
)  # fmt: skip
AS_STORED = (
    "template_weighting", "occupation_weights", "criterion", "scale", "reference", "protocol", "aggregation",
    "unit", "margin",
)  # fmt: skip


class WithCase(ViewOptions):
    """View options with one more."""

    letter_case: Annotated[
        Literal["kept", "lower"],
        OptionSpec(
            title="Letter case",
            help="kept: as written. lower: as if in lower case.",
            usage="kept or lower",
            url="letter_case",
            words={"kept": "as written"},
        ),
    ] = "kept"


def command(kind: type[ViewOptions]) -> tuple[typer.Typer, list[View]]:
    """A command line with one command, and what that was given."""
    app, seen = typer.Typer(), list[View]()

    def read(*, view: View) -> None:
        seen.append(view)

    app.command()(with_view(read, kind))
    return app, seen


def test_the_names_are_those_of_old_links_commands_and_files() -> None:
    options = ViewOptions(
        occupation_weights="my file.csv", template_weighting="equal", unit="counts-only-mentions"
    )
    assert tuple(link_values(PageOptions())) == IN_LINKS
    assert tuple(options.model_dump()) == AS_STORED
    assert command_options(options) == (
        "--weights 'my file.csv' --template-weights equal --criterion max --scale pcf --reference uniform "
        "--protocol exact --aggregation sum --unit counts-only-mentions --margin 0.02"
    )


def test_the_document_of_the_command_line_names_every_option_and_its_default() -> None:
    document = Path("docs/cli.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(--[a-z-]+)` \|.*\| `([^`]+)` \|$", document, re.MULTILINE))
    for one in declared(ViewOptions).values():
        assert rows[one.flag] == one.default


def test_every_field_is_shown_and_pages_offer_its_default() -> None:
    assert declared(PageOptions).keys() == PageOptions.model_fields.keys()
    for name, one in declared(PageOptions).items():
        assert one.default in one.offered
        for value in one.offered:
            PageOptions.model_validate({name: value})
        assert set(one.spec.words) <= set(one.offered)
        assert set(one.spec.old.values()) <= set(one.offered)


def test_a_command_takes_what_a_page_shows() -> None:
    app, seen = command(ViewOptions)
    options = ViewOptions(occupation_weights="my; file.csv", scale="bvf", protocol="single-token")
    assert CliRunner().invoke(app, shlex.split(command_options(options))).exit_code == 0
    assert seen[0].options() == options
    assert CliRunner().invoke(app, []).exit_code == 0
    assert seen[1].options() == ViewOptions()
    assert seen[1].protocol == ""  # each run's own


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--scale", "x"], "--scale must be one of pcf, bvf; got 'x'."),
        (["--scale", ""], "--scale must be one of pcf, bvf; got ''."),
        (["--template-weights", "3"], "--template-weights must be one of counts, equal; got '3'."),
        (
            ["--protocol", "half"],
            "--protocol must be one of exact, exact-boundary, single-token, equal-tokens, fitting; got "
            "'half'.",
        ),
        (["--unit", "word", "--scale", "x"], "--scale must be one of pcf, bvf; got 'x'."),
        (["--margin", "little"], "--margin must be a number; got 'little'."),
        (["--margin", "-0.1"], "--margin must be at least 0; got '-0.1'."),
        (["--margin", "nan"], "--margin must be at least 0; got 'nan'."),
        (["--margin", "2"], "--margin must be at most 1; got '2'."),
    ],
)
def test_a_value_that_an_option_does_not_take_is_refused_by_its_name(given: list[str], said: str) -> None:
    app, seen = command(ViewOptions)
    CliRunner().invoke(app, given)
    with pytest.raises(InputError) as refused:
        seen[0].options()
    assert str(refused.value) == said


def test_another_option_is_one_field() -> None:
    options = WithCase(letter_case="lower")
    assert link_values(options)["letter_case"] == "lower"
    assert from_page(WithCase, link_values(options)) == options
    assert command_options(options).endswith("--unit template --margin 0.02 --letter-case lower")
    assert in_words(WithCase(), "letter_case") == "as written"
    app, seen = command(WithCase)
    assert CliRunner().invoke(app, shlex.split(command_options(options))).exit_code == 0
    assert seen[0].options() == options
    assert "kept or lower" in CliRunner().invoke(app, ["--help"], env={"COLUMNS": "200"}).output


@pytest.mark.parametrize(("old", "today"), [("usual", "counts-only"), ("mention", "counts-only-mentions")])
def test_a_link_or_command_of_before_that_names_a_unit_means_the_same(old: str, today: str) -> None:
    assert in_words(ViewOptions(), "unit") == "whole templates"
    read = from_page(PageOptions, link_values(PageOptions()) | {"unit": old})
    assert read.unit == today
    assert in_words(read, "unit").startswith("counts only")
    app, seen = command(ViewOptions)
    assert CliRunner().invoke(app, ["--unit", old]).exit_code == 0
    assert seen[0].options() == ViewOptions.model_validate({"unit": today})


def test_lists_of_pages_and_their_addresses_have_words_for_every_value() -> None:
    for one in declared(PageOptions).values():
        assert len(set(one.called.values())) == len(one.offered)
        assert [one.named(word) for word in one.called.values()] == list(one.offered)
        assert [one.named(value) for value in one.offered] == list(one.offered), "links of before"
    called = {word for one in declared(PageOptions).values() for word in one.called.values()}
    assert called.isdisjoint(
        {"exact", "exact-boundary", "single-token", "pcf", "bvf", "max", "l2", "uniform"}
    )
    options = PageOptions(protocol="exact-boundary", scale="bvf", unit="counts-only", over="both")
    assert page_values(options)["protocol"] == "whole words that end"
    assert from_page(PageOptions, page_values(options)) == options


def sidebar() -> None:
    from pcf_core.app.choice import draw_option
    from pcf_core.core.options import declared
    from tests.audit.test_options import WithCase

    for one in declared(WithCase).values():
        draw_option(one)


def test_another_option_is_drawn_and_read_from_the_link() -> None:
    app = AppTest.from_function(sidebar)
    app.query_params["letter_case"] = "lower"
    app.run()
    assert not app.exception
    field = app.selectbox(key="letter_case")
    assert (field.label, field.options, field.value) == ("Letter case", ["as written", "lower"], "lower")


# Which occupations count under the options for weights and neutral point.


LIST = make_evidence("few", ["nurse", "accountant", "wizard", "engineer"])


def test_uniform_weights_count_everybody_alike() -> None:
    counted = counted_occupations(LIST, load_topic("gender"), ViewOptions())
    assert counted.weights == pytest.approx(dict.fromkeys(LIST.terms, 0.25))
    assert counted.reference is None
    assert counted.left_out == ()


def test_the_labour_force_counts_whom_it_knows_and_names_the_others() -> None:
    counted = counted_occupations(LIST, load_topic("gender"), ViewOptions(reference="labour"))
    shares = womens_share(LIST)
    assert list(counted.weights) == [term for term in LIST.terms if term in shares]
    assert {item.name for item in counted.left_out} == set(LIST.terms) - set(shares) >= {"wizard"}
    assert counted.reference.tolist() == [[1 - shares[term], shares[term]] for term in counted.weights]
    assert np.allclose(counted.reference.sum(axis=1), 1)


def test_a_list_that_nobody_knows_is_refused() -> None:
    unknown = make_evidence("none", ["wizard", "witch"])
    with pytest.raises(EvidenceError, match="None of the occupations of 'none' has the figures"):
        counted_occupations(unknown, load_topic("gender"), ViewOptions(reference="labour"))


@pytest.mark.parametrize(("old", "today"), [("their counts", "counts"), ("all alike", "equal")])
def test_a_link_with_an_earlier_label_of_the_weighting_means_the_same(old: str, today: str) -> None:
    values = page_values(PageOptions()) | {"template_weights": old}
    assert from_page(PageOptions, values).template_weighting == today
