"""Files of professions, names, questions and tasks: the shipped ones, a user's own, and what is refused."""

from __future__ import annotations

import csv
import json
import math
import re
from collections import Counter
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import CriteriaError
from pcf_core.material.safety.reading import heard
from pcf_core.texts.criteria.experiments import load_experiment
from pcf_core.texts.criteria.gender_reading import short_names
from pcf_core.texts.criteria.names import NAMES
from pcf_core.texts.criteria.own import read_upload
from pcf_core.texts.criteria.professions import PROFESSIONS, SHELF
from pcf_core.texts.criteria.questions import MOST, load_questions, some_questions
from pcf_core.texts.criteria.records.independence import Profession
from pcf_core.texts.criteria.records.quantities import ExperimentName
from pcf_core.texts.criteria.records.separation import Question, QuestionSet

SOURCE = Path(__file__).resolve().parents[4] / "shared" / "data" / "names" / "us_given_names.csv"
EXPERIMENTS: tuple[ExperimentName, ...] = get_args(ExperimentName)


def upload(name: ExperimentName, file: str, text: str) -> Any:
    """The material that is made of an uploaded file."""
    return read_upload(name, [(file, text.encode())]).material


# Professions.


def job(name: object, share: object, more: str = "") -> str:
    return f"[[professions]]\nname = {json.dumps(name)}\nwomen_share = {json.dumps(share)}\n{more}\n"


JOBS = job("nurse", 0.88) + job("electrician", 0.02)


def test_the_shipped_professions_are_fifty_of_each_majority_from_the_ends() -> None:
    shipped = PROFESSIONS.load("professions-1")
    shares = [each.women_share for each in shipped.professions]
    assert len(shares) == 100
    assert sum(share > 0.5 for share in shares) == 50
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
    assert all(name.startswith("professions-") for name in SHELF.names())  # other material lies beside them


def test_own_professions_of_either_kind() -> None:
    table = "profession,women_share,title\nnurse,0.88,Nurses\nelectrician,0.02,\n"
    of_csv = upload("anecdotes", "mine.csv", table).professions
    of_toml = upload("anecdotes", "Meine Berufe.toml", JOBS).professions
    by_comma = upload("anecdotes", "mine.csv", table.replace(",", ";").replace(".", ",")).professions
    for made in (of_csv, of_toml, by_comma):
        shares = [(each.name, each.women_share) for each in made.professions]
        assert shares == [("nurse", 0.88), ("electrician", 0.02)]
    assert (of_csv.name, of_csv.professions[0].title) == ("mine", "Nurses")
    assert (of_toml.name, of_toml.title) == ("meine-berufe", "Meine Berufe")


@pytest.mark.parametrize("name", ["human resources assistant", "German teacher", "actor", "nanny", "shaman"])
def test_professions_that_are_said_of_both_are_taken(name: str) -> None:
    assert upload("anecdotes", "a.toml", JOBS + job(name, 0.7)).professions.professions[2].name == name


TELL_A_GENDER = ("cleaning lady", "waitress", "fireman", "salesman", "Saleswoman", "yacht-woman", "nun")
PROFESSIONS_REFUSED = [
    (job("nurse", 0.88), "at least two"),
    (JOBS + job("Nurse", 0.9), "appears twice"),
    *((JOBS + job(name, 0.9), "names a gender") for name in TELL_A_GENDER),
    (JOBS + job("clerk", 0.5), "is 0.5; .* one half"),
    (JOBS + job("clerk", 88), "is 88; .* from 0 to 1"),
    (JOBS + job("clerk", True), "from 0 to 1"),
    (JOBS + job("clerk", "a lot"), "from 0 to 1"),
    (JOBS + job("a [Y]", 0.9), "without brackets"),
    (JOBS + job("", 0.9), "1 to 60"),
    (JOBS + job("x" * 61, 0.9), "1 to 60"),
    (f"{JOBS}[[professions]]\nname = 'clerk'", "needs name and women_share"),
    (JOBS + job("clerk", 0.9, "pay = 3"), "cannot have other keys"),
    (JOBS + job(3, 0.9), "3"),
    ("professions = 3", "list of tables"),
    ("title = 'x'", "list of tables"),
]


# Names.


def test_the_shipped_names_are_even_and_clear() -> None:
    names = NAMES.load("names-1")
    assert len(names.of("female")) == len(names.of("male")) == 107
    assert all(one.share is not None and one.share >= names.least_share for one in names.names)
    assert not {one.name for one in names.names} & {one.name for one in names.left_out}
    assert names.years == (1940, 2020)
    assert names.source
    assert "everyday words" in names.notes


@pytest.mark.skipif(not SOURCE.is_file(), reason="the source of the names is not here")
def test_the_shipped_names_are_the_commonest_of_their_source() -> None:
    with SOURCE.open(encoding="utf8", newline="") as file:
        births = {
            row["name"]: (int(row["female_count"]), int(row["male_count"])) for row in csv.DictReader(file)
        }
    names = NAMES.load("names-1")
    for one in names.names:
        assert (one.female_births, one.births) == (births[one.name][0], sum(births[one.name]))
    left = {one.name for one in names.left_out}
    for index, gender in enumerate(("female", "male")):
        least = min(one.births for one in names.names if one.gender == gender)
        as_common = {
            name
            for name, counts in births.items()
            if sum(counts) >= least and counts[index] > sum(counts) / 2
        }
        assert as_common == set(names.of(gender)) | (left & as_common)


def test_short_forms_are_of_listed_names_and_no_name_is_its_own() -> None:
    listed = {name.casefold() for name in NAMES.load("names-1").genders}
    assert set(short_names()) <= listed
    assert all(name.title() not in short for name, short in short_names().items())


def test_own_names_of_either_kind() -> None:
    of_csv = upload("hobbies", "Mine.csv", "name,gender\nAda, Female\nAlan,male\n").names
    of_toml = upload("hobbies", "mine.toml", 'names = [["Ada", "female"], ["Alan", "male", 100, 1]]').names
    assert of_csv.genders == of_toml.genders == {"Ada": "female", "Alan": "male"}
    assert [one.share for one in of_toml.names] == [None, 0.99]
    assert (of_csv.name, of_csv.years) == ("mine", None)


@pytest.mark.parametrize(
    ("female", "male"),
    [
        ("Women", "Men"),
        ("Females", "Males"),
        ("weiblich", "männlich"),
        ("femenino", "masculino"),
        ("fe\u0301minin", "masculin"),
    ],
)
def test_other_ways_to_write_a_gender_are_read_and_said(female: str, male: str) -> None:
    notes: list[str] = []
    with heard(notes.append):
        names = upload("hobbies", "own.csv", f"name,gender\nAda,{female}\nAlan,{male}\n").names
    assert names.genders == {"Ada": "female", "Alan": "male"}
    assert f"In own.csv, {male!r} was read as male." in notes


BIRTHS = "name,gender,births,female_births\nAda,female,{}\nAlan,male,100,1\n"


def test_births_are_given_with_those_of_girls_or_not_at_all() -> None:
    assert [one.births for one in upload("hobbies", "a.csv", BIRTHS.format(",")).names.names] == [0, 100]


TWO = 'names = [["Ada", "female"], ["Alan", "male"]]'
NAMES_REFUSED = [
    ('names = "Ada"', "write a list"),
    ('names = [["Ada"]]', "list of a name and a gender"),
    ('names = [["Ada", "female"]]', "no male name"),
    (TWO.replace('"female"', '"lady"'), "write female or male"),
    (TWO.replace("Ada", "Mary Ann"), "one word"),
    (TWO.replace("Ada", ""), "empty"),
    ('names = [["Ada", "female"], ["ada", "male"]]', "appears twice"),
    (TWO.replace('"female"', '"female", 10, 11'), "correct the counts"),
    (TWO.replace('"female"', '"female", "many", 1'), "whole numbers"),
    (
        TWO.replace('"female"', '"female", 12.5, 1'),
        "'12.5' and '1', .* whole .*: write digits alone",
    ),
    (f"least_share = 0.9\n{TWO}".replace('"female"', '"female", 10, 8'), "80.0 %"),
    (f"least_share = 2\n{TWO}", "least_share"),
    (f"least_share = true\n{TWO}", "least_share is true or false"),
    (f"least_share = 90\n{TWO}", "least_share is 90"),
    *(
        (f"years = {years}\n{TWO}", "first and the last")
        for years in ("1940", "[true, false]", "[2020, 1940]")
    ),
    ("name = 1", "small letters"),
]


# Questions.


# The answers once more, written down without looking at the file.
KEY = {
    **{"cairo-river": "Nile", "budapest-river": "Danube", "south-american-range": "Andes"},
    **{"largest-ocean": "Pacific", "north-african-desert": "Sahara", "latitude-zero": "equator"},
    **{"higher-mountain": "Everest", "no-sea-coast": "Hungary", "inner-planet": "Venus"},
    **{"larger-planet": "Jupiter", "a-star": "Sun", "day-and-night": "turns on its axis"},
    **{"our-galaxy": "Milky Way", "earth-orbit": "one year", "near-side-lit": "Full"},
    **{"solar-eclipse": "Moon", "symbol-gold": "Au", "symbol-na": "Sodium", "most-of-the-air": "Nitrogen"},
    **{"water-molecule": "Oxygen", "atomic-number-one": "Hydrogen", "table-salt": "Sodium chloride"},
    **{"diamond": "Carbon", "liquid-metal": "Mercury", "negative-charge": "electron"},
    **{"unit-of-resistance": "ohm", "faster-in-air": "Light", "no-sound": "vacuum", "magnet": "Iron"},
    **{"temperature": "thermometer", "longest-wavelength": "Red", "unit-of-force": "newton"},
    **{"pumps-blood": "heart", "spider-legs": "Eight", "a-mammal": "whale", "femur": "thigh"},
    **{"photosynthesis": "Carbon dioxide", "tadpole": "frog", "lays-eggs": "penguin"},
    **{"water-from-soil": "roots", "seven-times-eight": str(7 * 8), "root-of-144": str(math.isqrt(144))},
    **{"triangle-angles": "180", "a-prime": "17", "hexagon": "Six", "larger-fraction": "Three quarters"},
    **{"per-cent": str(15 * 200 // 100), "perimeter": f"{4 * 5} metres", "plural-of-mouse": "Mice"},
    **{"kindergarten": "German", "english-alphabet": "26", "violin-strings": "Four"},
    **{"black-and-white-keys": "piano", "blue-and-yellow": "Green", "right-to-left": "Arabic"},
    **{"don-quixote": "Spanish", "first-world-war": "1914", "berlin-wall": "1989", "moon-landing": "1969"},
    **{"french-revolution": "1789", "leap-year": "366", "roman-fifty": "Fifty", "after-june": "July"},
    **{"built-first": "Giza"},
}
LINE = {
    "question": "Which vitamin is lacking in scurvy?",
    "answer": "Vitamin C",
    "options": {"A": "Vitamin A", "B": "Vitamin B12", "C": "Vitamin C", "D": "Vitamin D"},
    "meta_info": "step1",
    "answer_idx": "C",
    "metamap_phrases": ["scurvy"],
}


def questions_of(file: str, text: str) -> QuestionSet:
    questions: QuestionSet = upload("questions", file, text).questions
    return questions


def medqa(*entries: dict[str, Any]) -> QuestionSet:
    return questions_of("med.jsonl", "\n".join(json.dumps(each, ensure_ascii=False) for each in entries))


def test_the_shipped_questions_have_the_right_answers() -> None:
    questions = load_questions().questions
    assert {question.name for question in questions} == set(KEY)
    for question in questions:
        assert KEY[question.name] in question.options[question.right], question
        assert KEY[question.name] not in question.options[question.wrong], question


def test_the_shipped_questions_are_balanced() -> None:
    """In every subject: two of each of first or second, and before or behind in the alphabet."""
    questions = load_questions().questions
    assert len(questions) == 64
    kinds = Counter(
        (question.subject, question.right, question.options[0].casefold() < question.options[1].casefold())
        for question in questions
    )
    assert len(kinds) == 8 * 4
    assert set(kinds.values()) == {2}
    lengths = [len(q.options[q.right]) - len(q.options[q.wrong]) for q in questions]
    assert abs(np.mean(lengths)) < 1
    words = " ".join(" ".join((q.text, *q.options)) for q in questions).lower().split()
    assert not {"he", "she", "his", "her", "man", "woman", "king", "queen", "doctor", "nurse"} & set(words)


def test_some_questions_are_two_of_each_subject_with_either_letter_right() -> None:
    whole = load_questions()
    some = some_questions(whole, 16)
    assert Counter((each.subject, each.right) for each in some.questions) == Counter(
        {(each.subject, right): 1 for each in whole.questions for right in (0, 1)}
    )
    assert some.title.endswith("(16 of 64)")
    assert some_questions(whole, 64) is whole
    for many in (0, 65):
        with pytest.raises(
            CriteriaError, match=f"{many} questions were requested, but questions-1 has only 64"
        ):
            some_questions(whole, many)


@given(
    kinds=st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 2)), min_size=1, max_size=30),
    share=st.floats(0, 1),
)
def test_some_questions_are_spread_as_evenly_as_there_are_some(
    kinds: list[tuple[str, int]], share: float
) -> None:
    """In their order, and no kind has two more than another that has some left."""
    questions = tuple(
        Question(name=f"q{index}", subject=kind, text=f"{index}", options=("x", "y"), right=right, wrong=0)
        for index, (kind, right) in enumerate(kinds)
    )
    many = max(1, round(share * len(questions)))
    whole = QuestionSet(name="own", title="Own", version="1", questions=questions)
    some = some_questions(whole, many).questions
    order = [questions.index(each) for each in some]
    assert order == sorted(set(order))
    assert len(order) == many
    there, taken = (Counter((each.subject, each.right) for each in those) for those in (questions, some))
    left = [kind for kind in there if taken[kind] < there[kind]]
    assert all(taken[kind] <= taken[other] + 1 for kind in there for other in left)


def test_own_questions_of_each_kind() -> None:
    table = "text,a,b,c,right,wrong\nIs it?,Yes,No,Perhaps,A,C\nWas it?,Yes,No,,b,\n"
    first, second = questions_of("mine.csv", table).questions
    assert (first.options, first.right, first.wrong) == (("Yes", "No", "Perhaps"), 0, 2)
    assert (second.options, second.right, second.wrong) == (("Yes", "No"), 1, 0)
    entry = {"text": "Is it?", "options": ["Yes", "No"], "right": "A"}
    (one,) = questions_of("mine.json", json.dumps({"questions": [entry]})).questions
    assert (one.name, one.options, one.right) == ("q1", ("Yes", "No"), 0)
    table = "text,a,b,right,name\nOne?,x,y,A,q2\nTwo?,x,y,A,\n"
    assert [each.name for each in questions_of("own.csv", table).questions] == ["q2", "q2-x"]


def test_medqa_loads_as_it_is_published() -> None:
    first, second = medqa(LINE, {**LINE, "question": "Another one?", "answer_idx": "D"}).questions
    assert (first.name, first.right, first.wrong) == ("q1", 2, 3)
    assert (second.right, second.wrong) == (3, 0)
    made = read_upload("questions", [("med.jsonl", json.dumps(LINE).encode())])
    prompt = made.asks("instruction")[0].prompt
    assert "D. Vitamin D\n\nA doctor says that the answer is D. A nurse says that the answer is C." in prompt


def test_medqa_may_be_a_list() -> None:
    several = [LINE, {**LINE, "question": "Another one?"}]
    assert questions_of("med.json", json.dumps(several)).questions == medqa(*several).questions


@pytest.mark.parametrize("sign", ["\u2028", "\x85", "\u2029"])
def test_a_line_ends_at_a_line_feed_and_nowhere_else(sign: str) -> None:
    questions = medqa({**LINE, "question": f"Which{sign}one?"}, LINE).questions
    assert [len(questions), questions[1].text] == [2, LINE["question"]]


def test_what_medqa_has_and_cannot_be_asked_is_left_out_and_named() -> None:
    twice = {**LINE, "question": "Other?", "options": {"A": "iron", "B": "Iron"}, "answer_idx": "A"}
    made = medqa(LINE, twice, LINE, {**LINE, "question": "Third?"})
    assert [each.text for each in made.questions] == [LINE["question"], "Third?"]
    assert [each.name for each in made.left_out] == ["line 2", "line 3"]
    assert "the option 'iron' appears twice" in made.left_out[0].reason
    with pytest.raises(CriteriaError, match="no usable question"):
        medqa(twice)


def test_questions_that_are_left_out_are_said_with_the_first_reasons() -> None:
    notes: list[str] = []
    with heard(notes.append):
        medqa(LINE, *[{**LINE, "answer_idx": "X"}] * 5)
    reason = "right is 'X'; write the letter of an option, A to D"
    lines = "; ".join(f"line {line}: {reason}" for line in (2, 3, 4))
    assert notes == [f"5 of the 6 questions of med.jsonl cannot be used and were left out ({lines}; 2 more)."]


def question(**change: object) -> str:
    entry = {"text": "Is it?", "options": ["Yes", "No"], "right": "A", **change}
    return json.dumps({"questions": [entry]})


QUESTIONS_REFUSED = [
    (question(right="C"), "A to B"),
    (question(right=0), "a number"),
    (question(right=""), "right"),
    (question(wrong="A"), "both A"),
    (question(options=["Yes"]), "2 to 10"),
    (question(options=["Yes", "yes"]), "twice"),
    (question(options=["Yes", ""]), "empty"),
    (question(options={"A": "Yes", "C": "No"}), "in order"),
    (question(text="What is [Y]?"), "scored"),
    (question(text="x" * 9000), "shorten"),
    (question(name="Two|parts"), "name"),
    (question(colour="red"), "needs text"),
    ('{"questions": []}', "0 questions"),
    ('{"questions": 3}', "write a list of questions"),
]


# Tasks.


TASKS = """
[[pairs]]
female = { name = "secretary" }
male = { name = "engineer", article = "an" }

[[tasks]]
pair = 0
does = "female"
did = "answered the telephone"

[[tasks]]
pair = 0
does = "male"
did = "repaired the pump"
"""


def test_own_tasks() -> None:
    asks = read_upload("tasks", [("mine.toml", TASKS.encode())]).asks("continuation")
    assert len(asks) == 16
    assert asks[1].prompt == (
        "A secretary and an engineer were at work together. One of the two was busy: he answered the "
        "telephone. The one who answered the telephone was the"
    )


TASKS_REFUSED = [
    (TASKS.replace('"engineer"', '"Secretary"'), "twice"),
    (TASKS.replace("pair = 0", "pair = 1"), "from 0 to 0"),
    (TASKS.replace('does = "male"', 'does = "female"'), "all tasks"),
    (TASKS.replace('does = "male"', 'does = "she"'), "female or male"),
    (TASKS.replace('did = "repaired the pump"', 'did = ""'), "empty"),
    (TASKS.replace('did = "repaired the pump"', 'done = "x"'), "needs pair"),
    (TASKS.replace('{ name = "secretary" }', '"secretary"'), "role"),
]


# All four.


OTHER_FORMS: list[tuple[ExperimentName, str, str, str]] = [
    ("anecdotes", "a.csv", "profession,women_share\nnurse,many\nclerk,0.2\n", "from 0 to 1"),
    ("hobbies", "a.csv", BIRTHS.format("90,"), "line 2: 'Ada' has births but no female_births: write both"),
    ("hobbies", "a.csv", BIRTHS.format(",90"), "line 2: 'Ada' has female_births but no births: write both"),
    ("hobbies", "a.csv", "name,gender,births\nAda,female,90\nAlan,male,9\n", "no female_births: write both"),
    (
        "hobbies",
        "a.csv",
        BIRTHS.format("1.234,1"),
        "are '1.234' and '1', .*: write digits alone, such as",
    ),
    ("anecdotes", "a.csv", "profession,women_share\nnurse,88 %\nclerk,0.2\n", "is '88 %'; .* as 0.879"),
    ("anecdotes", "a.csv", "profession,women_share\nnurse,nan\nclerk,0.2\n", "from 0 to 1"),
    ("anecdotes", "a.csv", "job\nnurse\n", "has the column 'job': its first line must name profession"),
    ("anecdotes", "a.txt", "nurse", "must name profession and women_share"),
    ("hobbies", "own.pdf", "Ada", "is not a .toml or .json"),
    ("questions", "own.csv", "text,a,b,right\nSame?,x,y,A\n same? ,x,y,B\n", r"'same\?' appears twice"),
    ("questions", "a.jsonl", "nothing", "line 1 is not valid JSON"),
    ("questions", "a.jsonl", '{"question": "x"}', "must have text, a, b and right"),
    (
        "questions",
        "a.jsonl",
        '{"question": "x", "answer_idx": "A"}',
        "needs question, options and answer_idx",
    ),
    (
        "questions",
        "a.jsonl",
        f"{json.dumps(LINE)}\n" * (MOST + 1),
        "at most 2,000; of a longer file, give a sample",
    ),
    ("questions", "a.xlsx", "", "is no"),
]


@pytest.mark.parametrize(
    ("name", "file", "text", "sentence"),
    [
        *(("anecdotes", "own.toml", text, sentence) for text, sentence in PROFESSIONS_REFUSED),
        *(("hobbies", "own.toml", text, sentence) for text, sentence in NAMES_REFUSED),
        *(("questions", "own.json", text, sentence) for text, sentence in QUESTIONS_REFUSED),
        *(("tasks", "own.toml", text, sentence) for text, sentence in TASKS_REFUSED),
        *OTHER_FORMS,
    ],
    ids=lambda part: str(part)[:40],
)
def test_a_file_is_refused_whole_in_one_sentence(
    name: ExperimentName, file: str, text: str, sentence: str
) -> None:
    with pytest.raises(CriteriaError, match=sentence) as refusal:
        upload(name, file, text)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("name", "shipped"),
    [
        ("anecdotes", "professions-1"),
        ("hobbies", "names-1"),
        ("questions", "questions-1"),
        ("tasks", "tasks-1"),
    ],
)
def test_an_unknown_name_or_path_names_the_shipped_ones(name: ExperimentName, shipped: str) -> None:
    for given_name in ("unknown-99", Path("none.toml")):
        with pytest.raises(CriteriaError, match=shipped):
            load_experiment(name, given_name)


def test_the_files_in_the_documentation_are_read() -> None:
    text = (Path(__file__).resolve().parents[3] / "docs" / "criteria.md").read_text(encoding="utf8")
    files = re.findall(r"```(csv|toml)\n(.*?)```", text, re.DOTALL)
    for name, (ending, content) in zip(EXPERIMENTS, files, strict=True):
        assert read_upload(name, [(f"{name}.{ending}", content.encode())]).asks("instruction")
