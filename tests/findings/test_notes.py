"""What is said beside a number."""

from __future__ import annotations

from pcf_core.findings import effective_templates_note, left_out_note, weights_note
from pcf_core.records import LeftOut, Weights


def test_few_effective_templates_are_called_rough() -> None:
    assert effective_templates_note(4.93, 19) == (
        "These 19 templates count as about 5, by their weights; under 10: this interval is rough."
    )
    assert effective_templates_note(1.2, 3).startswith("These 3 templates count as about 1.2, ")
    assert effective_templates_note(5.0, 5).endswith("under 10: this interval is rough.")


def test_enough_templates_need_no_warning() -> None:
    assert (
        effective_templates_note(150.4, 2000) == "These 2,000 templates count as about 150, by their weights."
    )
    assert effective_templates_note(19.0, 19) == ""


def test_one_template_has_no_interval() -> None:
    assert (
        effective_templates_note(1.0, 1) == "This is one template; an interval over templates says nothing."
    )


def test_everything_left_out_is_named_once_under_its_reason() -> None:
    items = [
        LeftOut(name="canary", reason="on both sides"),
        LeftOut(name="nurse", reason="no employment figure"),
        LeftOut(name="stylist", reason="no employment figure"),
    ]
    assert left_out_note(items) == (
        "Left out, on both sides: canary. Left out, no employment figure: nurse, stylist."
    )
    assert left_out_note([]) == ""


def test_weights_say_how_much_of_the_list_remains() -> None:
    left_out = tuple(LeftOut(name=f"term {i}", reason="no figure") for i in range(43))
    terms = tuple(f"occupation {i}" for i in range(77))
    weights = Weights(name="employment", terms=terms, values=(1.0,) * 77, left_out=left_out, share=77 / 120)
    assert weights_note(weights) == (
        "The weights “employment” cover 77 of 120 occupations (64 %); the others are left out by name."
    )
    assert weights_note(weights.model_copy(update={"left_out": ()})) == ""
