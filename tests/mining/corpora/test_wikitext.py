"""Wiki markup: what of a page is prose, and pages made to take long."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.mining.corpora.wikitext import prose, without_pairs

PIECES = "{{ }} {{|} {||} {{{| [[ [[a|b]] <b> <ref> <ref>}} [http:// <!-- & ( '' .\" word. a()"
LONG = "with a long sentence that ends as sentences do."
PAGE = f"""{{{{Infobox person|name=Ann
|note=He is in a box {LONG}
}}}}
'''Ann Lee''' ({{{{b|1950}}}}) is a [[A|teacher]] of [[mathematics]] in [[Paris]].<ref>A note {LONG}</ref>

== A heading {LONG} ==
[[File:a.jpg|thumb|A caption {LONG}]]
* An item {LONG}
:# An indented item {LONG}
{{| class="wikitable"
| A cell {LONG}
{{| A table in it |}}
|}}
Too short a line.
A line without an end that is otherwise long enough for one
<gallery>
File:x.jpg|A caption {LONG}
</gallery>
<!-- A comment
that runs on {LONG} -->
He read <math>x</math>, [http://x.org the page] of H<sub>2</sub>O &amp; the <i>small</i> one<br/>too. __TOC__
She said{{{{efn|a}}}} that ''it'' {{{{lang|fr|est}}}} good&nbsp;work, {{{{nowrap|all}}}} "ways."<ref name=a />
[[Category:People {LONG}]] [[de:Anna {LONG}]]
<blockquote>She went to the house and stayed there for a year.</blockquote>
[[Star Trek: Voyager]] is a series that she saw as a child.
"""


def test_what_is_prose() -> None:
    assert prose(PAGE).split("\n") == [
        "Ann Lee is a teacher of mathematics in Paris.",
        "He read, the page of H2O & the small one too.",
        'She said that it est good work, all "ways."',
        "She went to the house and stayed there for a year.",
        "Star Trek: Voyager is a series that she saw as a child.",
    ]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a {{b {{c}} d}} e", "a  e"),
        ("a {{b {{c}} d", "a {{b  d"),
        ("a b}} {{c}} d", "a b}}  d"),
        ("a <!-- {{ --> b }} c", "a  b }} c"),
        ("a <REF name=b>{{c</ref> d}} e", "a  d}} e"),
        ("a {| {{b|}} |} c", "a  c"),
        ("a {{lang|fr|bon}} {{ Nowrap | in all }} {{lang|fr}} b", "a bon  in all   b"),
        ("a <ref/> b </ref> c", "a <ref/> b </ref> c"),
    ],
)
def test_marks_with_a_partner_are_cut_out(text: str, left: str) -> None:
    assert without_pairs(text) == left


@given(st.lists(st.sampled_from(["{{", "}}", "a", "|", " "]), max_size=30).map("".join))
def test_templates_are_those_that_a_pattern_finds_from_the_inside(text: str) -> None:
    """Braces in pairs only, where the two ways of reading ``{{{`` cannot differ."""
    expected = text
    while (shorter := re.sub(r"\{\{(?:(?!\{\{|\}\})[^\0])*\}\}", "", expected)) != expected:
        expected = shorter
    if not re.search(r"\{{3}|\}{3}|\{\||\|\}", text):
        assert without_pairs(text) == expected


@pytest.mark.slow
@pytest.mark.parametrize("piece", [*PIECES.split(), " ", "( "])
def test_pages_made_to_take_long(piece: str) -> None:
    """As large as Wikipedia allows; a square of the length would take hours."""
    begun = time.process_time()
    prose(piece * (2 * 2**20 // len(piece)))
    prose("\n".join([piece * (9_999 // len(piece))] * 4))
    assert time.process_time() - begun < 15
