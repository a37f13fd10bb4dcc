"""Files made by hypothesis: each gives a valid record or exactly one sentence, never a traceback.

The same as an upload: what is refused leaves everything as it was, what is taken is kept whole under a name.
"""

from __future__ import annotations

import json
import math
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pcf_core.core.errors import InputError
from pcf_core.core.settings import settings as app_settings
from pcf_core.material.evidence import make_evidence, occupation_weights
from pcf_core.material.safety.text import INVISIBLE, TURNING
from pcf_core.material.topics import WrittenTopic, load_topic
from tests.material.kinds import KINDS

PIECES = [
    "name", "title", "groups", "words", "left_out", "terms", "aligned", " = ", "[[groups]]\n", "[", "]", "{",
    "}", '"male"', '"he"', '"she"', '"[Y]"', '""', '"""', "true", "1e400", "2024-01-01", "#", "\n", ",", '"',
    "\r", "\x00", "template,count\n", "term,weight\n", "The [X] said that [Y]", "[X]", "[Y]", "-1", "nan",
    "nurse", "\ufeff", "null", "NaN", ": ", '{"groups": [', "group,word\n", "male,he\n", "female,she\n",
    "\\ud800", "\u200b", "he\u200b", "\u200dhe", "\u202e", "\u200fshe", "\u00ad", "\u2066", "subject",
    "right", "wrong", "facts", "[[facts]]\n", "|", "weight",
]  # fmt: skip
KEYS = (*WrittenTopic.model_fields, "product", "words", "reason")
SHIPPED = {
    ".toml": "topics/gender.toml",
    ".csv": "templates/gender-nineteen.csv",
    ".txt": "evidence/occupations-bvf.toml",
    "facts.toml": "knowledge/capitals.toml",
}
WRITTEN = {
    "group.csv": "group,word\nmale,he\nmale,king\nfemale,she\nfemale,queen\n",
    "lines.txt": "male,he,king\nfemale,she\n",
    "facts.csv": "template,subject,right,wrong\n[X] is a [Y],,,\n,Sun,star,planet|moon\n,Mars,planet,star\n",
    "term.csv": "term,weight\nnurse,3\nchief cook,0.5\n",
}
CONVERTED = {".json": ".toml", "facts.json": "facts.toml", "term.json": ".txt"}


def valid(ending: str) -> bytes:
    """A file that the app takes, of those that are shipped or written here."""
    if ending in CONVERTED:
        return json.dumps(tomllib.loads(valid(CONVERTED[ending]).decode())).encode()
    if ending in WRITTEN:
        return WRITTEN[ending].encode()
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


def files(*endings: str) -> st.SearchStrategy[tuple[str, bytes]]:
    """(ending, content) of files, damaged or made up, of each of these forms."""
    return st.one_of(*(st.tuples(st.just(f".{one.rpartition('.')[2]}"), contents(one)) for one in endings))


def check_topic(topic: Any) -> None:
    assert len(topic.groups) >= 2
    owners: dict[str, str] = {}
    for group in topic.groups:
        assert group.words
        assert len(set(group.words)) == len(group.words)
        for word in group.words:
            assert not set(word) & (TURNING | {chr(code) for code in INVISIBLE})
            assert owners.setdefault(word.casefold(), group.name) == group.name


def check_templates(mined: Any) -> None:
    for template in mined.templates:
        assert template.text.count("[X]") == template.text.count("[Y]") == 1
        assert template.count >= 0
    texts = [template.text for template in mined.templates]
    assert len(set(texts)) == len(texts)
    assert 0 < math.fsum(template.count for template in mined.templates) < math.inf


def check_evidence(evidence: Any) -> None:
    assert evidence.terms
    assert len(set(evidence.terms)) == len(evidence.terms)
    assert not any("[" in term or "]" in term for term in evidence.terms)
    assert len(evidence.weights) in (0, len(evidence.terms))
    assert all(0 <= weight < math.inf for weight in evidence.weights)


def check_knowledge(asked: Any) -> None:
    assert asked.templates
    assert all(text.count("[X]") == text.count("[Y]") == 1 for text in asked.templates)
    for fact in asked.facts:
        assert fact.right
        assert fact.wrong
        assert not set(fact.right) & set(fact.wrong)
    assert 0 < math.fsum(fact.weight for fact in asked.facts) < math.inf


FILES = {
    "topics": (TOPIC_FILES, check_topic),
    "templates": (files(".csv"), check_templates),
    "evidence": (
        files(".txt", "term.csv", "term.json", "lines.txt")
        | files(".txt").map(lambda file: (".toml", file[1])),
        check_evidence,
    ),
    "knowledge": (files("facts.toml", "facts.json", "facts.csv"), check_knowledge),
}
QUICK = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """For the files; what is kept goes into a cache of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PCF_CACHE", str(tmp_path_factory.mktemp("kept")))
        app_settings.cache_clear()
        yield tmp_path_factory.mktemp("malformed")
    app_settings.cache_clear()


def try_to_load(load, path, refusal):
    try:
        return load(path)
    except InputError as error:
        sentence = refusal(error)
    assert path.name in sentence
    return None


def a_record_or_a_sentence(kind: str, file: tuple[str, bytes], folder: Path, refusal: Any) -> None:
    own, check = KINDS[kind].own, FILES[kind][1]
    ending, content = file
    path = folder / kind / f"own{ending}"  # a TOML file beside a template set is its card
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    before = snapshot(folder)
    found = try_to_load(own.load, path, refusal)
    brought = try_to_load(lambda path: own.read_upload([(path.name, content)]), path, refusal)
    assert brought == found
    assert snapshot(folder) == before
    if found is not None:
        check(found)
        kept = own.save(found.model_copy(update={"name": "kept"}), replace=True)
        assert own.load("kept") == kept
        after = snapshot(folder)
        changed = {place for place in before | after if before.get(place) != after.get(place)}
        assert {place.parent for place in changed} <= {app_settings().cache / kind}
        assert {place.stem for place in changed} <= {"kept"}


def snapshot(folder: Path) -> dict[Path, tuple[int, int]]:
    """Every file there, in the shipped lists and in the cache, with its size and when it changed."""
    assets = app_settings().assets
    folders = [folder, app_settings().cache, *(assets / kind for kind in FILES)]
    found = [path for one in folders for path in one.rglob("*") if path.is_file()]
    return {path: (path.stat().st_size, path.stat().st_mtime_ns) for path in found}


@pytest.mark.parametrize("kind", FILES)
@QUICK
@given(data=st.data())
def test_files(kind, data, folder, refusal):
    a_record_or_a_sentence(kind, data.draw(FILES[kind][0]), folder, refusal)


@pytest.mark.slow
@pytest.mark.parametrize("kind", FILES)
@settings(QUICK, max_examples=5_000)
@given(data=st.data())
def test_five_thousand_files(kind, data, folder, refusal):
    a_record_or_a_sentence(kind, data.draw(FILES[kind][0]), folder, refusal)


@pytest.mark.parametrize(
    ("kind", "ending"),
    [
        ("templates", ".csv"),
        *(("evidence", one) for one in (".txt", "term.csv", "term.json")),
        *(("knowledge", one) for one in ("facts.toml", "facts.json", "facts.csv")),
    ],
)
def test_every_kind_begins_with_what_is_valid(kind, ending, tmp_path):
    suffix = ".toml" if ending == ".txt" else f".{ending.rpartition('.')[2]}"
    path = tmp_path / f"own{suffix}"
    path.write_bytes(valid(ending))
    FILES[kind][1](KINDS[kind].own.load(path))


@pytest.mark.parametrize("ending", [".toml", ".json", "group.csv", "lines.txt"])
def test_what_is_damaged_here_was_valid(ending, tmp_path):
    path = tmp_path / f"own.{ending.rpartition('.')[2]}"
    path.write_bytes(valid(ending))
    assert load_topic(path).group_names == ("male", "female")


@QUICK
@given(content=contents(".csv"))
def test_weights(content, folder, refusal):
    path = folder / "weights.csv"
    path.write_bytes(content)
    evidence = make_evidence("own", ["nurse"])
    weights = try_to_load(lambda file: occupation_weights(evidence, str(file)), path, refusal)
    assert weights is None or weights.values == (1.0,)
