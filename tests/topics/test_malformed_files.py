"""Files made by hypothesis: each gives a valid record or exactly one sentence, never a traceback."""

from __future__ import annotations

import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pcf_core.errors import InputError
from pcf_core.settings import settings as app_settings
from pcf_core.topics import load_evidence, load_templates, load_topic, make_evidence, occupation_weights

PIECES = [
    "name", "title", "groups", "words", "left_out", "terms", "aligned", " = ", "[[groups]]\n", "[", "]", "{",
    "}", '"male"', '"he"', '"she"', '"[Y]"', '""', '"""', "true", "1e400", "2024-01-01", "#", "\n", ",", '"',
    "\r", "\x00", "template,count\n", "term,weight\n", "The [X] said that [Y]", "[X]", "[Y]", "-1", "nan",
    "nurse", "\ufeff",
]  # fmt: skip
SHIPPED = {
    ".toml": "topics/gender.toml",
    ".csv": "templates/gender-nineteen.csv",
    ".txt": "evidence/occupations-bvf.toml",
}


@st.composite
def damaged(draw: st.DrawFn, ending: str) -> bytes:
    """A shipped file with up to four stretches cut out and replaced."""
    content = (app_settings().assets / SHIPPED[ending]).read_bytes()
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


@QUICK
@given(content=contents(".toml"))
def test_topics(content, folder, refusal):
    path = folder / "own.toml"
    path.write_bytes(content)
    topic = try_to_load(load_topic, path, refusal)
    if topic is not None:
        assert len(topic.groups) >= 2
        owners = {}
        for group in topic.groups:
            assert group.words
            for word in group.words:
                assert owners.setdefault(word.casefold(), group.name) == group.name
    assert path.read_bytes() == content


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
@given(content=contents(".txt"), ending=st.sampled_from([".txt", ".csv", ".toml"]))
def test_evidence(content, ending, folder, refusal):
    path = folder / f"list{ending}"
    path.write_bytes(content)
    evidence = try_to_load(load_evidence, path, refusal)
    if evidence is not None:
        assert evidence.terms
        assert len(set(evidence.terms)) == len(evidence.terms)
        assert not any("[" in term or "]" in term for term in evidence.terms)


@QUICK
@given(content=contents(".csv"))
def test_weights(content, folder, refusal):
    path = folder / "weights.csv"
    path.write_bytes(content)
    evidence = make_evidence("own", ["nurse"])
    weights = try_to_load(lambda file: occupation_weights(evidence, str(file)), path, refusal)
    assert weights is None or weights.values == (1.0,)
