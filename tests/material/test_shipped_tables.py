"""Tables of the app's own: cells become fields, an empty one the default, and damage is one sentence."""

import pytest

from pcf_core.core.errors import SettingsError
from pcf_core.core.records import Record
from pcf_core.material.factors import read_records
from tests.material.refusing import refused


class Line(Record):
    name: str
    share: float | None = None


def test_an_empty_cell_is_the_default(tmp_path):
    path = tmp_path / "lines.csv"
    path.write_text("share,name\n0.5,a\n,b\n")
    assert read_records(path, Line, SettingsError) == (Line(name="a", share=0.5), Line(name="b"))


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("name,share\na,many\n", "lines.csv is damaged (share must be a number; got 'many')"),
        ("name,share\n,1\n", "lines.csv is damaged (name is missing)"),
        ("name\na\n", "must name name and share"),
    ],
)
def test_damage_is_one_sentence(text, part, tmp_path, refusal):
    path = tmp_path / "lines.csv"
    path.write_text(text)
    assert part in refused(refusal, SettingsError, read_records, path, Line, SettingsError)
