"""Lists of professions: the shipped one, a user's own, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from pcf_core.core.errors import CriteriaError
from pcf_core.texts.criteria.anecdotes import Anecdotes
from pcf_core.texts.criteria.own import read_upload
from pcf_core.texts.criteria.professions import SHELF, load_professions, make_professions
from pcf_core.texts.criteria.records.independence import Profession

TWO = ({"name": "nurse", "women_share": 0.88}, {"name": "electrician", "women_share": 0.02})


def test_the_shipped_list_has_fifty_of_each_majority_from_the_ends() -> None:
    shipped = load_professions()
    majorities = [each.majority for each in shipped.professions]
    assert (majorities.count("female"), majorities.count("male")) == (50, 50)
    shares = [each.women_share for each in shipped.professions]
    assert min(share for share in shares if share > 0.5) > 0.78
    assert max(share for share in shares if share < 0.5) < 0.11
    assert len({each.title for each in shipped.professions}) == 100
    assert "Bureau of Labor Statistics" in shipped.source
    by_name = {each.name: each for each in shipped.professions}
    assert by_name["registered nurse"].women_share == 0.879
    assert by_name["electrician"] == Profession(
        name="electrician", with_article="an electrician", women_share=0.022, title="Electricians"
    )
    assert by_name["CNC machine operator"].with_article == "a CNC machine operator"


def test_the_folder_has_other_material_that_is_no_list() -> None:
    assert all(name.startswith("professions-") for name in SHELF.names())


def test_own_lists_are_read_from_toml_and_csv(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("profession,women_share,title\nnurse,0.88,Nurses\nelectrician,0.02,\n", encoding="utf8")
    table = load_professions(path)
    toml = "[[professions]]\nname = 'nurse'\nwomen_share = 0.88\n[[professions]]\nname = 'electrician'\n"
    made = read_upload("anecdotes", [("Meine Berufe.toml", f"{toml}women_share = 0.02\n".encode())])
    assert isinstance(made, Anecdotes)
    uploaded = made.material.professions
    assert table.hash == uploaded.hash == make_professions("x", TWO).hash
    assert (table.name, table.professions[0].title) == ("mine", "Nurses")
    assert (uploaded.name, uploaded.title) == ("meine-berufe", "Meine Berufe")


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        (TWO[:1], "at least two"),
        ((*TWO, {"name": "Nurse", "women_share": 0.9}), "stands twice"),
        ((*TWO, {"name": "cleaning lady", "women_share": 0.9}), "tells a gender"),
        *(
            ((*TWO, {"name": name, "women_share": 0.9}), "tells a gender")
            for name in ("waitress", "fireman", "salesman", "Saleswoman", "yacht-woman", "handyman", "nun")
        ),
        ((*TWO, {"name": "clerk", "women_share": 0.5}), "is 0.5; .* one half"),
        ((*TWO, {"name": "clerk", "women_share": 88}), "is 88; .* from 0 to 1"),
        ((*TWO, {"name": "clerk", "women_share": True}), "from 0 to 1"),
        ((*TWO, {"name": "clerk", "women_share": "a lot"}), "from 0 to 1"),
        ((*TWO, {"name": "a [Y]", "women_share": 0.9}), "without brackets"),
        ((*TWO, {"name": "", "women_share": 0.9}), "1 to 60"),
        ((*TWO, {"name": "x" * 61, "women_share": 0.9}), "1 to 60"),
        ((*TWO, {"name": "clerk"}), "needs name and women_share"),
        ((*TWO, {"name": "clerk", "women_share": 0.9, "pay": 3}), "nothing else"),
        ((*TWO, {"name": 3, "women_share": 0.9}), "3"),
    ],
)
def test_a_list_is_refused_whole_in_one_sentence(rows: tuple[dict[str, object], ...], sentence: str) -> None:
    with pytest.raises(CriteriaError, match=sentence) as refusal:
        make_professions("own", rows)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.csv", "profession,women_share\nnurse,many\nclerk,0.2\n", "from 0 to 1"),
        ("a.csv", "profession,women_share\nnurse,nan\nclerk,0.2\n", "from 0 to 1"),
        ("a.csv", "job\nnurse\n", "columns"),
        ("a.toml", "professions = 3", "list of tables"),
        ("a.toml", "title = 'x'", "list of tables"),
        ("a.txt", "nurse", "no .toml or .csv"),
    ],
)
def test_files_that_are_no_list(name: str, content: str, sentence: str) -> None:
    with pytest.raises(CriteriaError, match=sentence):
        read_upload("anecdotes", [(name, content.encode())])


@pytest.mark.parametrize("name", ["human resources assistant", "German teacher", "actor", "nanny", "shaman"])
def test_names_that_are_said_of_both_are_taken(name: str) -> None:
    assert make_professions("own", (*TWO, {"name": name, "women_share": 0.7})).professions[2].name == name


def test_an_unknown_name_names_the_shipped_ones() -> None:
    with pytest.raises(CriteriaError, match="professions-1"):
        load_professions("professions-99")
