"""Files made by hypothesis: each gives a valid record or exactly one sentence, never a traceback."""

from __future__ import annotations

import json
import math
import tomllib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pcf_core.errors import InputError
from pcf_core.settings import settings as app_settings
from pcf_core.topics import load_evidence, load_templates, load_topic, make_evidence, occupation_weights
from pcf_core.topics.topics import KEYS as TOPIC_KEYS

PIECES = [
    "name", "title", "groups", "words", "left_out", "terms", "aligned", " = ", "[[groups]]\n", "[", "]", "{",
    "}", '"male"', '"he"', '"she"', '"[Y]"', '""', '"""', "true", "1e400", "2024-01-01", "#", "\n", ",", '"',
    "\r", "\x00", "template,count\n", "term,weight\n", "The [X] said that [Y]", "[X]", "[Y]", "-1", "nan",
    "nurse", "\ufeff", "null", "NaN", ": ", '{"groups": [', "group,word\n", "male,he\n", "female,she\n",
    "\\ud800",
]  # fmt: skip
KEYS = (*TOPIC_KEYS, "words", "reason")
SHIPPED = {
    ".toml": "topics/gender.toml",
    ".csv": "templates/gender-nineteen.csv",
    ".txt": "evidence/occupations-bvf.toml",
}


GENDER_LINES = "male,he,king\nfemale,she\n"
GENDER_CSV = "group,word\nmale,he\nmale,king\nfemale,she\nfemale,queen\n"


def valid(ending: str) -> bytes:
    """A file that the app takes; JSON and CSV have none among the shipped ones."""
    if ending == ".json":
        return json.dumps(tomllib.loads(valid(".toml").decode())).encode()
    if ending == "group.csv":
        return GENDER_CSV.encode()
    if ending == "lines.txt":
        return GENDER_LINES.encode()
    return (app_settings().assets / SHIPPED[ending]).read_bytes()


@st.composite
def damaged(draw: st.DrawFn, ending: str) -> bytes:
    """A valid file with up to four stretches cut out and replaced."""
    content = valid(ending)
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(content)))
        length = draw(st.integers(0, 40))
        new = draw(st.binary(max_size=8) | st.sampled_from(PIECES).map(str.encode))
        content = content[:start] + new + content[start + length :]
    return content


def contents(ending: str) -> st.SearchStrategy[bytes]:
    pieces = st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=30)
    encoded = pieces.map("".join).map(lambda text: text.encode("utf-8", "surrogatepass"))
    return st.binary(max_size=200) | encoded | damaged(ending)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=3),
    max_leaves=12,
)
TOPIC_FILES = st.one_of(
    st.tuples(st.just(".toml"), contents(".toml")),
    st.tuples(st.just(".json"), contents(".json")),
    st.tuples(st.just(".json"), JSON.map(lambda value: json.dumps(value).encode())),
    st.tuples(
        st.just(".json"), st.dictionaries(st.sampled_from(KEYS), JSON).map(lambda v: json.dumps(v).encode())
    ),
    st.tuples(st.just(".csv"), contents("group.csv")),
    st.tuples(st.just(".txt"), contents("lines.txt")),
)


def try_to_load(load, path, refusal):
    try:
        return load(path)
    except InputError as error:
        sentence = refusal(error)
    assert path.name in sentence
    return None


QUICK = settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("malformed")


def a_topic_or_a_sentence(file, folder, refusal):
    ending, content = file
    path = folder / f"own{ending}"
    path.write_bytes(content)
    before = snapshot(folder)
    topic = try_to_load(load_topic, path, refusal)
    if topic is not None:
        assert len(topic.groups) >= 2
        owners = {}
        for group in topic.groups:
            assert group.words
            assert len(set(group.words)) == len(group.words)
            for word in group.words:
                assert owners.setdefault(word.casefold(), group.name) == group.name
    assert snapshot(folder) == before


def snapshot(folder):
    """Every file there and in the shipped lists, with what it holds or when it changed."""
    lists = app_settings().assets / "topics"
    return (
        {path.name: path.read_bytes() for path in folder.iterdir()},
        {path.name: (path.stat().st_size, path.stat().st_mtime_ns) for path in lists.iterdir()},
    )


@QUICK
@given(file=TOPIC_FILES)
def test_topics(file, folder, refusal):
    a_topic_or_a_sentence(file, folder, refusal)


@pytest.mark.slow
@settings(QUICK, max_examples=5_000)
@given(file=TOPIC_FILES)
def test_five_thousand_topics(file, folder, refusal):
    a_topic_or_a_sentence(file, folder, refusal)


@pytest.mark.parametrize("ending", [".toml", ".json", "group.csv", "lines.txt"])
def test_what_is_damaged_here_was_valid(ending, tmp_path):
    path = tmp_path / f"own.{ending.rpartition('.')[2]}"
    path.write_bytes(valid(ending))
    assert load_topic(path).group_names == ("male", "female")


@QUICK
@given(content=contents(".csv"))
def test_template_sets(content, folder, refusal):
    path = folder / "set.csv"
    path.write_bytes(content)
    templates = try_to_load(load_templates, path, refusal)
    if templates is not None:
        for template in templates.templates:
            assert template.text.count("[X]") == template.text.count("[Y]") == 1
            assert template.count >= 0
        assert len(set(templates.texts)) == len(templates.texts)
        assert 0 < math.fsum(templates.counts) < math.inf


@QUICK
@given(content=contents(".txt"), ending=st.sampled_from([".txt", ".csv", ".toml", ".json"]))
def test_evidence(content, ending, folder, refusal):
    path = folder / f"list{ending}"
    path.write_bytes(content)
    evidence = try_to_load(load_evidence, path, refusal)
    if evidence is not None:
        assert evidence.terms
        assert len(set(evidence.terms)) == len(evidence.terms)
        assert not any("[" in term or "]" in term for term in evidence.terms)
        assert len(evidence.weights) in (0, len(evidence.terms))
        assert all(0 <= weight < math.inf for weight in evidence.weights)


@QUICK
@given(content=contents(".csv"))
def test_weights(content, folder, refusal):
    path = folder / "weights.csv"
    path.write_bytes(content)
    evidence = make_evidence("own", ["nurse"])
    weights = try_to_load(lambda file: occupation_weights(evidence, str(file)), path, refusal)
    assert weights is None or weights.values == (1.0,)
