"""What files may not say: each is refused in one sentence that begins with its name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from pcf_core.core.errors import EvidenceError, InputError
from pcf_core.material.evidence import load_evidence, make_evidence, occupation_weights
from pcf_core.material.factors import load_own_factor
from pcf_core.material.knowledge import load_knowledge
from pcf_core.material.safety.reading import read_toml
from pcf_core.material.safety.tables import read_table
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import load_topic
from tests.material.refusing import refused
from tests.material.test_knowledge import CSV

Row = tuple[str, str, str]  # the name of a file, its text, a part of the sentence
TWO = make_evidence("own", ["nurse", "cook"])


def each(name: str, rows: Sequence[tuple[str, str]]) -> list[Row]:
    """Give every row the same file."""
    return [(name, *row) for row in rows]


TOPICS: list[Row] = [
    ("bad.txt", "", "is empty: write in each line a group"),
    ("bad.txt", "he\nshe\n", "no line with a comma"),
    ("bad.txt", "he,his\n", "has 1 group;"),
    ("bad.txt", "he,,his\nshe,her", "a word of the group he is empty"),
    ("bad.txt", "he,him,his\nshe,her,His", "'His' is in the groups he and she"),
    ("bad.txt", ",,\n,,", "bad.txt is empty"),
    ("bad.json", '["he", 3]', "each a word or a list of words"),
    ("bad.json", '["he", []]', "each a word or a list of words"),
    ("bad.json", '[{"word": "he", "gender": "m"}]', "every object must have group and word"),
    ("bad.csv", "", "is empty: write the columns group and word"),
    ("bad.csv", "group,word\n", "has no groups"),
    ("bad.csv", "term,word\na,b\n", "must name group and word"),
    ("bad.csv", "group,word\na,he\nb,\n", "bad.csv, line 3 has no word: write one, or remove the row"),
    ("bad.csv", "group,word\nb,she\n,he\n", "bad.csv, line 3 has no group: write one"),
    ("bad.csv", "group,word\na,he\nb,she\na,he\n", "'he' appears twice in the group a"),
    ("bad.json", "", "not valid JSON"),
    ("bad.json", "[]", "has no groups"),
    ("bad.json", "null", "holds nothing"),
    ("bad.json", '{"groups": [], "groups": []}', "the key 'groups' appears twice"),
    ("bad.json", '{"groups": NaN}', "NaN is not a JSON number"),
    ("bad.json", '{"gropus": [], "name": "x"}', "unknown key 'gropus'"),
    ("bad.json", "[" * 100_000, "not valid JSON"),
    ("bad.json", '{"name": ' + "9" * 5_000 + "}", "not valid JSON"),
    ("bad.json", '{"groups": null}', "groups must be a list"),
    (
        "bad.json",
        '{"title": null, "groups": [{"name": "a", "words": ["x"]}, {"name": "b", "words": ["y"]}]}',
        "the title is nothing",
    ),
    (
        "bad.json",
        '{"groups": [{"name": "a", "words": ["\\ud800"]}, {"name": "b", "words": ["y"]}]}',
        "control characters",
    ),
]
TOPIC_FILES = [
    "",
    "groups = 3",
    'groups = ["male"]',
    'groups = [{name = "a"}]',
    'groups = [{name = 1, words = ["he"]}, {name = "b", words = ["she"]}]',
    'groups = [{name = "a", words = "he"}, {name = "b", words = ["she"]}]',
    'groups = [{name = "a", words = [1]}, {name = "b", words = ["she"]}]',
    'name = 5\ngroups = [{name = "a", words = ["he"]}, {name = "b", words = ["she"]}]',
    'notes = 1979-05-27\ngroups = [{name = "a", words = ["he"]}, {name = "b", words = ["she"]}]',
    'topic = "x"',
]
PRODUCTS = [
    ("product = 3", "product must be a list of two or more"),
    ('product = ["race"]', "product must be a list of two or more"),
    ('product = ["race", 3]', "part 2 of the product is a number"),
    ('product = ["race", "sex"]', "'sex' is not a shipped topic"),
    ('product = ["race", "../race"]', "'../race' is not a shipped topic"),
    ('product = ["race", "race-gender"]', "'race-gender' is itself a product"),
    ('product = ["race", "gender-zh"]', "in the language zh"),
    ('product = ["race", ["man"]]', "part 2 of the product has 1 group;"),
    ('product = ["race", ["man", ""]]', "small letters"),
    ('product = ["race", ["man", "man"]]', "two groups have the name 'man'"),
    ('product = ["race", ["man", {name = "woman", words = [""]}]]', "is empty"),
    ('product = ["race", ["man", {name = "woman"}]]', "product, group 2: words is missing: write it."),
    ('product = [["a", {name = "c", words = ["a b"]}], ["x", {name = "y", words = ["b x"]}]]', "'a b x'"),
    ('product = ["gender", "gender", "gender"]', "474,552 words"),
    ('product = ["race", ["man", "woman"]]\ngroups = [{name = "a", words = ["b"]}]', "a product creates"),
    ('language = 3\nproduct = ["race", ["man", "woman"]]', "the language is a number"),
]
LISTS: list[Row] = [
    ("bad.txt", "", "no occupations"),
    ("bad.txt", "nurse\ncook\nnurse\n", "'nurse' appears twice"),
    ("bad.txt", "The [X]\n", "bracket"),
    ("bad.csv", "term\n", "no occupations"),
    ("bad.csv", "work,wage\nnurse,1\n", "must name term and, optionally, weight"),
    ("bad.csv", "term,weight\n,1\n", "bad.csv, line 2 has no term"),
    ("bad.toml", "", "no occupations"),
    ("bad.toml", 'terms = "nurse"', "terms must be a list; got 'nurse': correct it."),
    ("bad.toml", "terms = [1]", "a term is a number"),
    ("bad.toml", 'terms = ["nurse"]\nname = "A list"', "the name"),
    ("bad.toml", 'terms = ["nurse"]\nwages = [1]', "unknown key"),
    ("bad.toml", 'terms = ["nurse"]\nweights = 1', "weights must be a list; got 1: correct it."),
    ("bad.toml", 'terms = ["nurse"]\nweights = [1, 2]', "2 weights for 1 occupations"),
    ("bad.toml", 'terms = ["nurse"]\nweights = [true]', "a weight is true; give a number from 0 to"),
    ("bad.toml", 'terms = ["nurse"]\nweights = ["1"]', "a weight is '1'; give a number"),
    ("bad.toml", 'terms = ["nurse", "cook"]\nweights = [1, -1]', "a weight is -1; give"),
    ("bad.toml", 'terms = ["nurse"]\nweights = [nan]', "a weight is nan"),
    ("bad.toml", 'terms = ["nurse"]\nweights = [inf]', "a weight is inf"),
    ("bad.toml", 'terms = ["nurse"]\nweights = [1' + "0" * 400 + "]", "of very many digits"),
    ("bad.toml", 'terms = ["nurse"]\nweights = [0]', "at least one weight must be positive"),
    ("bad.csv", "term,weight\nnurse,much\n", "line 2: the weight 'much'"),
    ("bad.json", '{"terms": ["nurse"], "weights": [null]}', "a weight is nothing"),
    ("bad.json", '{"terms": {}}', "terms must be a list; got a table"),
]
FACTS = [
    ("3", "bad.toml: facts must be a list; got 3: correct it."),
    ("[1]", "bad.toml: fact 1 must be a table; got 1: correct it."),
    ('[{subject = "Sun", right = ["star"]}]', "'wrong' is missing in fact 1: write it."),
    (
        '[{subject = 1, right = ["star"], wrong = ["a"]}]',
        "the subject of fact 1 must be a text in quotation marks; got 1",
    ),
    ('[{subject = "Sun", right = "star", wrong = ["a"]}]', "right of fact 1 must be a list; got 'star'"),
    (
        '[{subject = "Sun", right = ["b"], wrong = ["a"], weight = true}]',
        "the weight of fact 1 must be a number; got true",
    ),
    (
        '[{subject = "Sun", right = ["b"], wrong = ["a"], weight = inf}]',
        "weight of 'Sun' is inf; give a number from 0 to 9e+18",
    ),
    (
        '[{subject = "Sun", right = ["b"], wrong = [1]}]',
        "wrong 1 of fact 1 must be a text in quotation marks; got 1",
    ),
    ('[{subject = "Sun", right = ["b"], wrong = [], "a\\tb" = 1}]', r"'a\tb' is not known in fact 1"),
    ('[{subject = "Sun", right = ["b"], wrong = ["a"], weight = nan}]', "weight of 'Sun' is nan"),
]
SETS_OF_FACTS: list[Row] = [
    ("a.json", "[]", "a.json holds an empty list"),
    ("a.json", '{"fact": []}', "unknown key 'fact'"),
    ("a.csv", "subject,right\na,b\n", "must name template, subject, right and wrong"),
    ("a.csv", "template,subject,right,wrong\n[X] is [Y],a,b,c\n", "separate rows"),
    ("a.csv", "template,subject,right,wrong\n[X] is [Y],,,\n", "no facts"),
    ("a.csv", "template,subject,right,wrong\n,a,b,c\n", "no templates"),
    ("a.csv", "template,subject,right,wrong\n[X] is [Y],,,\n,a,b,\n", "'a' has no wrong answer"),
    ("a.csv", CSV.replace("2.5", "two"), "the weight 'two' is not a number"),
    ("a.csv", CSV.replace("2.5", "nan"), "weight of 'Mars' is nan"),
]
WEIGHTS = [
    ("term,weight\nnurse,-1\ncook,1\n", "'nurse' has the weight -1"),
    ("term,weight\nnurse,nan\ncook,1\n", "'nurse' has the weight nan"),
    ("term,weight\nnurse,inf\ncook,1\n", "'nurse' has the weight inf"),
    ("term,weight\nnurse,0\ncook,0\n", "at least one weight must be positive"),
    ("term,weight\nnurse,x\ncook,1\n", "line 2: the weight 'x'"),
    ("term,weight\nnurse,1\nnurse,1\n", "'nurse' appears twice"),
    ("term,weight\nfox,1\n", "0 of the 2 occupations"),
    ("term\nnurse\n", "must name term and weight"),
    ("", "empty"),
]
FIGURES = [
    ("", "is empty"),
    ("occupation,value\n", "has no value for any occupation"),
    ("occupation,value\nnurse,\n", "has no value for any occupation"),
    ("occupation,wage\nnurse,1\n", "must name occupation and value"),
    ("occupation,value\nnurse,1,2\n", "has 3 cells"),
    ("occupation,value\nnurse,many\n", "line 2: the value 'many' is not a number"),
    ("occupation,value\nnurse,nan\n", "the value 'nan' is not a number"),
    ("occupation,value\nnurse,inf\n", "the value 'inf' is not a number"),
    ("occupation,value\nnurse,1\nNurse,2\n", "appears twice"),
    ("occupation,value,weight\nnurse,1,0\n", "the weight '0' is not above 0"),
    ("occupation,value,weight\nnurse,1,-2\n", "the weight '-2' is not above 0"),
    ("occupation,value\nnurse,1e308\n", "line 2: the value '1e308' is too large; values must be between"),
    ("occupation,value\nnurse,-1e308\n", "the value '-1e308' is too large"),
    ("occupation,value\nnurse,3e-320\n", "the value '3e-320' is too close to 0"),
    ("occupation,value,weight\nnurse,1,1e308\n", "the weight '1e308' is too large"),
    ("occupation,value,weight\nnurse,1,1e-10\n", "the weight '1e-10' is too close to 0"),
    ("occupation,value\n,1\n", "the occupation is empty"),
    ("occupation,value\n" + "a" * 300 + ",1\n", "more than 200 characters"),
    ("occupation,value\n" + "".join(f"w{i},1\n" for i in range(20_001)), "at most 20,000 are allowed"),
]
TEMPLATES = [
    ("", "empty"),
    ("template,count\n", "no templates"),
    ("line,count\nThe [X] said [Y],1\n", "must name template and, optionally, count, documents"),
    ("template,count\nThe nurse said [Y],1\n", "exactly one [X]"),
    ("template,count\nThe [X] said so,1\n", "one [Y]"),
    ("template,count\nThe [X] and [X] said [Y],1\n", "exactly one [X]"),
    ("template,count\nThe [x] said [y],1\n", "has the placeholders '[x]' and '[y]'"),
    ("template,count\nThe [X] said [Y],many\n", "line 2: the count 'many'"),
    ("template,count\nThe [X] said [Y],\n", "the count ''"),
    ("template,count\nThe [X] said [Y],-1\n", "has the count -1"),
    ("template,count\nThe [X] said [Y],nan\n", "has the count nan"),
    ("template,count\nThe [X] said [Y],inf\n", "has the count inf"),
    ("template,count\nThe [X] said [Y],0\nThe [X] felt [Y],0\n", "sum to 0"),
    ("template,count\nThe [X] said [Y],1e308\nThe [X] felt [Y],1e308\n", "sum to inf"),
    ("template,count\nThe  [X] said [Y],2\n", "a template has 2 spaces in 'The  [X] said [Y]'"),
    ("template,count\nThe [X] said, [Y],1\n", "line 2 has 3 cells"),
]
TABLES = [
    ("", "empty"),
    ("\n\n", "empty"),
    ("word\nnurse\n", "must name term"),
    ("term;weight\nnurse;1;2\n", "has 3 cells"),
    ("job|weight\nnurse|1\n", "separated by commas, semicolons or tabs"),
    ("term,term\nnurse,1\n", "must name term"),
    ("term,weight\nnurse\n", "line 2 has 1 cell but"),
    ("term,weight\nnurse,1,2\n", "line 2 has 3 cells"),
    ('term\n"nurse\n', "not valid CSV"),
    ('term\n"nurse"x\n', "not valid CSV"),
    ("term\n" + "a" * 200_000 + "\n", "line 2 has a cell with more than 131,072 characters: shorten it"),
]
TOML = [
    "a = ",
    "a = 1\na = 2",
    "[a",
    "a = 2024-99-99",
    "a = " + "[" * 5000,
    "a = " + "9" * 5000,
    "\x00",
    'a = "\\x"',
]
READERS: dict[str, tuple[Callable[[Path], Any], list[Row]]] = {
    "topics": (load_topic, [*TOPICS, *each("bad.toml", [(text, "") for text in TOPIC_FILES])]),
    "products": (load_topic, each("bad.toml", PRODUCTS)),
    "evidence": (load_evidence, LISTS),
    "facts": (
        load_knowledge,
        each(
            "bad.toml",
            [(f'templates = ["The [X] is a [Y]"]\nfacts = {facts}\n', part) for facts, part in FACTS],
        ),
    ),
    "sets of facts": (load_knowledge, SETS_OF_FACTS),
    "weights": (lambda path: occupation_weights(TWO, str(path)), each("bad.csv", WEIGHTS)),
    "figures": (load_own_factor, each("bad.csv", FIGURES)),
    "templates": (load_templates, each("bad.csv", TEMPLATES)),
    "tables": (lambda path: read_table(path, ("term",), ("weight",), EvidenceError), each("bad.csv", TABLES)),
    "TOML": (
        lambda path: read_toml(path, ("a",), InputError),
        each("bad.toml", [(text, "not valid TOML") for text in TOML]),
    ),
}


@pytest.mark.parametrize(
    ("kind", "name", "text", "part"),
    [(kind, *row) for kind, (_, rows) in READERS.items() for row in rows],
)
def test_what_a_file_may_not_say(
    kind: str, name: str, text: str, part: str, tmp_path: Path, refusal: Callable[[Exception], str]
) -> None:
    path = tmp_path / name
    path.write_text(text)
    sentence = refused(refusal, InputError, READERS[kind][0], path)
    assert sentence.startswith(name.partition(".")[0])
    assert part in sentence
