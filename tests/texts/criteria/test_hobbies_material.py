from __future__ import annotations

from pathlib import Path

import pytest

from pcf_core.core.errors import CriteriaError
from pcf_core.texts.criteria.hobbies_material import load_hobbies
from pcf_core.texts.criteria.labels import Lexicon, clear_label
from pcf_core.texts.criteria.records.independence import HobbiesMaterial
from tests.texts.criteria.hobbyists import few_names, material

GOOD = """
frames = ["{name} loves [Y]."]
[prompts.instruction]
prompt = "{name}"
[[labels]]
name = "a"
title = "A"
words = "chess go"
answers = ["chess"]
[[labels]]
name = "b"
title = "B"
words = "swim*"
answers = ["swimming"]
"""


def test_the_shipped_material() -> None:
    found = material()
    assert [label.title for label in found.labels] == [
        "Technology",
        "Science",
        "Sport",
        "Art",
        "Literature",
        "Volunteer work",
    ]
    assert set(found.prompts) == {"instruction", "continuation"}
    assert HobbiesMaterial.model_validate_json(found.model_dump_json()) == found


def test_the_hash_is_of_what_decides_a_number() -> None:
    found = material()
    titled = found.names.model_copy(update={"title": "Others", "notes": "x"})
    assert found.model_copy(update={"names": titled}).hash == found.hash
    assert material(11).hash != found.hash
    assert found.model_copy(update={"labeller": "nli"}).hash != found.hash


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('prompt = "{name}"', 'prompt = "a student"', "must have {name}"),
        ('prompt = "{name}"', 'system = "x"', "needs prompt"),
        ("prompts.instruction", "prompts.order", "instruction or continuation"),
        ("loves [Y]", "loves it", "once"),
        ("[Y].", "[Y] and [Y].", "once"),
        ("[Y].", "[Y]s.", "letters touch"),
        ('["{name} loves [Y]."]', "[]", "list of texts"),
        ('name = "b"', 'name = "a"', "stands twice"),
        ('"swim*"', '"chess"', "in two labels"),
        ('["swimming"]', '["swimming", "diving"]', "as many answers"),
        ('title = "B"', "", "name, title, words"),
        ("frames", "frame", "unknown key"),
    ],
)
def test_a_file_is_refused_whole(tmp_path: Path, old: str, new: str, reason: str) -> None:
    assert old in GOOD
    (tmp_path / "own.toml").write_text(GOOD, encoding="utf8")
    load_hobbies(few_names(), tmp_path / "own.toml")
    (tmp_path / "own.toml").write_text(GOOD.replace(old, new), encoding="utf8")
    with pytest.raises(CriteriaError, match=reason):
        load_hobbies(few_names(), tmp_path / "own.toml")


def test_the_published_slip_of_four_labels_is_not_reproduced() -> None:
    """The paper names six; its script has no Sport and no Art, so that a text on football is of another."""
    labels = material().labels
    places = clear_label(Lexicon(labels).shares(["plays football", "paints and dances"]))
    assert [labels[place].title for place in places if place is not None] == ["Sport", "Art"]
