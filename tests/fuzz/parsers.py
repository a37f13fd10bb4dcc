"""Every parser of foreign input, and inputs for it: made up, or what it takes with stretches damaged.

A parser here is a function of one input that raises what the app itself would have to show.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self

from hypothesis import strategies as st

from pcf_core.audit.matrices import matrix_report
from pcf_core.audit.options import ViewOptions
from pcf_core.core.errors import AuditError, InputError
from pcf_core.core.settings import ROOT, Settings, settings
from pcf_core.material.evidence import OWN as EVIDENCE
from pcf_core.material.evidence import load_evidence, occupation_weights
from pcf_core.material.knowledge import OWN as KNOWLEDGE
from pcf_core.material.safety.reading import read_json
from pcf_core.material.templates import load_upload
from pcf_core.material.topics import load_topic_upload
from pcf_core.mining.documents import open_corpus
from pcf_core.models.adapter import read_adapter
from pcf_core.models.completions import RequestForm, Server, written_of
from pcf_core.models.endpoint import probe
from pcf_core.models.folder import describe
from pcf_core.models.names import split_name
from pcf_core.store.results import find_run
from pcf_core.texts.criteria.own import read_upload as read_material
from pcf_core.texts.criteria.records.quantities import ExperimentName
from pcf_core.texts.fairpair.categories import OWN as CATEGORIES
from pcf_core.texts.fairpair.prompts import load_prompts_upload
from pcf_core.texts.fairpair.tables import load_table

ASSETS = ROOT / "assets"
ADAPTER = b"""{
    "peft_type": "LORA", "base_model_name_or_path": "mini-gpt", "r": 1, "lora_alpha": 16, "bias": "none",
    "target_modules": ["c_attn"], "rank_pattern": {"^a.b$": 1}, "init_lora_weights": true, "use_dora": false
}"""
File = tuple[str, bytes]
WORDS = [
    "name", "title", "groups", "words", "terms", "aligned", " = ", "[[groups]]\n", "[", "]", "{", "}",
    '"male"', '"he"', '"[Y]"', '""', '"""', "'''", "true", "1e400", "2024-01-01", "#", "\n", ",", '"', "\r",
    "\x00", "template,count\n", "term,weight\n", "The [X] said that [Y]", "-1", "nan", "nurse", "\ufeff",
    "null", "NaN", "group,word\n", "male,he\n", "\\ud800", "\u200b", "\u202e", "text,category\n", "{name}",
    "<b>", "=1+1", "profession,women_share\n", "name,gender\n", "text,a,b,right\n", "category,word\n", "*",
    "../",
    "9" * 5000, '{"text": "She said no."}', "<mediawiki>", "<page>", "<!DOCTYPE x [", "&a;", "{{", "[[",
    "\u0300" * 40, "a." * 9, "[[pairs]]\n", "[[tasks]]\n", "female", "\ud800", "\U0010ffff", "1,000", "0x10",
    "1_0", "١",
]  # fmt: skip
MATERIAL: Mapping[ExperimentName, tuple[str, ...]] = {
    "anecdotes": (".toml", ".csv"),
    "hobbies": (".toml", ".csv"),
    "questions": (".toml", ".json", ".csv", ".jsonl"),
    "tasks": (".toml", ".json"),
}
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from([10**30, -(10**30), 0, 1, -0.5, "tiny", "\ud800"])
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


def shipped(folder: str, ending: str) -> list[bytes]:
    """A few files that the app comes with, cut after so much that damage is likely to hit what matters."""
    files = sorted((ASSETS / folder).glob(f"*{ending}"), key=lambda path: path.stat().st_size)
    return [path.read_bytes()[:6000] for path in files[:4]]


@st.composite
def damaged(draw: st.DrawFn, valid: list[bytes]) -> bytes:
    """A valid file with up to four stretches cut out and replaced."""
    content = draw(st.sampled_from(valid))
    for _ in range(draw(st.integers(0, 4))):
        start, length = draw(st.integers(0, len(content))), draw(st.integers(0, 40))
        new = draw(st.binary(max_size=8) | st.sampled_from(WORDS).map(encoded))
        content = content[:start] + new + content[start + length :]
    return content


def encoded(text: str) -> bytes:
    return text.encode("utf8", "surrogatepass")


def contents(*valid: bytes) -> st.SearchStrategy[bytes]:
    """The bytes of a file: any, put together of what such files have, or damaged."""
    together = st.lists(st.sampled_from(WORDS) | st.text(max_size=5), max_size=25).map("".join).map(encoded)
    made = [st.binary(max_size=200), together, *([damaged(list(valid))] if valid else [])]
    return st.one_of(*made, VALUES.map(lambda value: json.dumps(value).encode()))


def files(*kinds: tuple[str, list[bytes]]) -> st.SearchStrategy[File]:
    """Name and content of a file, of one of these endings and what is valid of it; seldom of another name."""
    stem = st.sampled_from(["a", "../../a", "..", "A b", "a\x00", "a/b", "\ud800", "." * 70, "nurse"])
    return st.one_of(
        *(st.tuples(stem.map(lambda s, e=ending: s + e), contents(*valid)) for ending, valid in kinds)
    )


def in_a_file(read: Callable[[Path], Any]) -> Callable[[File], Any]:
    """A parser of paths as one of contents."""

    def parse(file: File) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"a{Path(file[0]).suffix}"
            path.write_bytes(file[1])
            return read(path)

    return parse


def of_settings(variables: Mapping[str, str]) -> Any:
    """The settings of a process with these variables."""
    before = dict(os.environ)
    try:
        os.environ.update(variables)
        settings.cache_clear()
        return settings()
    finally:
        os.environ.clear()
        os.environ.update(before)
        settings.cache_clear()


def of_model(file: File) -> Any:
    """A model directory with a configuration, tokenizer settings or weights of somebody's making."""
    usual = {
        "config.json": b'{"architectures": ["GPT2LMHeadModel"], "model_type": "gpt2", "n_positions": 128}',
        "tokenizer.json": b"{}",
        "model.safetensors": b"\x02\0\0\0\0\0\0\0{}",
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, content in {**usual, file[0]: file[1]}.items():
            (Path(folder) / name).write_bytes(content)
        return describe(Path(folder), "m")


def of_adapter(file: File) -> Any:
    """An adapter with settings or weights of somebody's making."""
    usual = {"adapter_config.json": ADAPTER, "adapter_model.safetensors": b"\x02\0\0\0\0\0\0\0{}"}
    with tempfile.TemporaryDirectory() as folder:
        for name, content in {**usual, file[0]: file[1]}.items():
            (Path(folder) / name).write_bytes(content)
        return read_adapter(Path(folder), "m")


class Answering(Server):
    """A server whose every answer is one document, as if it had come over the wire."""

    document: Any

    def __enter__(self) -> Self:
        self._client = SimpleNamespace(close=lambda: None)  # a real one takes most of the time
        self._pool = ThreadPoolExecutor(1)
        return self

    def _send(self, *_: Any) -> Any:
        class Answer:
            status_code = 200
            is_success = True

        return Answer(), self.document


def of_endpoint(content: bytes) -> list[Any]:
    """All that is asked of an endpoint, of one that always answers the same."""
    answers = []
    with Answering("http://127.0.0.1:9/v1", "tiny", pauses=(), concurrency=1) as server:
        server.document = content
        for manner in (RequestForm(), RequestForm(chat=True)):
            with suppress(AuditError):
                answers += list(
                    server.write(manner.path, [{}], lambda answer, m=manner: written_of(answer, m, 40))
                )
        for ask in (
            server.models,
            lambda: list(server.read(["x"], "prompt_logprobs")),
            lambda: probe(server),
        ):
            with suppress(AuditError):
                answers.append(ask())
        with suppress(AuditError):
            answers += [list(server.read(["x"], "echo")), server.tokenise(["x"], special=True)]
    return answers


ANSWERS = [
    json.dumps(document).encode()
    for document in (
        {"data": [{"id": "tiny", "root": "org/tiny", "max_model_len": 160}]},
        {"choices": [{"text": " he", "finish_reason": "stop"}], "usage": {"completion_tokens": 2}},
        {"choices": [{"message": {"content": "he", "refusal": None}, "finish_reason": "length"}]},
        {
            "choices": [
                {
                    "index": 0,
                    "prompt_token_ids": [1, 2],
                    "prompt_logprobs": [None, {"2": {"logprob": -1.5, "rank": 1, "decoded_token": "x"}}],
                }
            ],
            "usage": {"prompt_tokens": 2},
        },
        {
            "choices": [
                {
                    "index": 0,
                    "logprobs": {
                        "tokens": ["x", "y", " he"],
                        "token_logprobs": [None, -1.5, -0.5],
                        "top_logprobs": [None, {"y": -1.5}, {" he": -0.5}],
                    },
                }
            ],
            "usage": {"prompt_tokens": 2},
        },
        {"tokens": [1, 2, 3]},
        {"error": {"message": "no", "code": 429, "type": "content_filter", "innererror": {"code": "x"}}},
    )
]
MATRIX = b'{"preferences": [[[0.5, 0.5], [0.25, 0.75]]], "groups": ["a", "b"], "template_weights": [1, 2]}'
JSONL = b'{"text": "She said no.", "id": 1}\n{"text": "He did."}\n'
DUMP = (
    b'<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="en">'
    b"<siteinfo><sitename>W</sitename><namespaces/></siteinfo><page><title>A</title><ns>0</ns><id>1</id>"
    b"<revision><id>2</id><timestamp>2020-01-01T00:00:00Z</timestamp><model>wikitext</model>"
    b"<text>She said '''no''' to [[all|it]] and {{then}} she went home again.</text></revision></page>"
    b"</mediawiki>"
)


@dataclass(frozen=True)
class Parser:
    """``inputs``: what is thrown at it; ``parse``: reads one."""

    inputs: st.SearchStrategy[Any]
    parse: Callable[[Any], Any]


def _upload(read: Callable[[list[File]], Any]) -> Callable[[File], Any]:
    return lambda file: read([file])


def material(experiment: ExperimentName) -> Parser:
    valid = {".jsonl": [b'{"question": "Which?", "options": {"A": "x", "B": "y"}, "answer_idx": "A"}\n']}
    kinds = [(ending, valid.get(ending, shipped("criteria", ending))) for ending in MATERIAL[experiment]]
    return Parser(files(*kinds), lambda file: read_material(experiment, [file]))


TOPICS = shipped("topics", ".toml")
LISTS = shipped("evidence", ".toml")
NAMES = st.lists(st.sampled_from(WORDS) | st.text(max_size=6), max_size=5).map("".join)
PARSERS: Mapping[str, Parser] = {
    "topics": Parser(
        files(
            (".toml", TOPICS),
            (".json", []),
            (".csv", [b"group,word\nmale,he\nfemale,she\n"]),
            (".txt", [b"a,b\nc\n"]),
        ),
        _upload(load_topic_upload),
    ),
    "evidence": Parser(
        files((".toml", LISTS), (".json", []), (".csv", [b"term,weight\nnurse,3\n"]), (".txt", [b"nurse\n"])),
        _upload(EVIDENCE.read_upload),
    ),
    "weights": Parser(
        files((".csv", [b"term,weight\nnurse,3\nclerk,1\n"])),
        in_a_file(lambda path: occupation_weights(load_evidence("occupations-bvf"), str(path))),
    ),
    "templates": Parser(
        files((".csv", shipped("templates", ".csv")), (".parquet", [])), lambda file: load_upload(*file)
    ),
    "knowledge": Parser(
        files(
            (".toml", shipped("knowledge", ".toml")),
            (".json", []),
            (".csv", [b"template,subject,right,wrong\n"]),
        ),
        _upload(KNOWLEDGE.read_upload),
    ),
    "prompts": Parser(
        files(
            (".toml", shipped("prompts", ".toml")),
            (".csv", [b"text,category\n{name} is,a\n"]),
            (".txt", [b"{name} is"]),
        ),
        _upload(load_prompts_upload),
    ),
    "categories": Parser(
        files((".toml", shipped("categories", ".toml")), (".csv", [b"category,word\na,b*\n"])),
        _upload(CATEGORIES.read_upload),
    ),
    "counterparts": Parser(files((".toml", shipped("perturbations", ".toml"))), in_a_file(load_table)),
    "professions": material("anecdotes"),
    "names": material("hobbies"),
    "questions": material("questions"),
    "tasks": material("tasks"),
    "corpora": Parser(
        files(
            (".txt", [b"She said no.\n\nHe did.\n"]),
            (".jsonl", [JSONL]),
            (".xml", [DUMP]),
            (".parquet", []),
            *((f"{form}{packing}", []) for form in (".txt", ".xml") for packing in (".gz", ".bz2", ".zst")),
        ),
        in_a_file(lambda path: list(open_corpus(path).documents())),
    ),
    "matrix": Parser(
        contents(MATRIX).map(lambda content: ("a.json", content)),
        in_a_file(lambda path: matrix_report(read_json(path, InputError), ViewOptions(), resamples=20)),
    ),
    "settings": Parser(
        st.dictionaries(
            st.sampled_from([f"PCF_{name.upper()}" for name in Settings.model_fields] + ["PCF_UNKNOWN"]),
            NAMES.map(lambda text: text.replace("\x00", "").encode("utf8", "replace").decode()),
            max_size=3,
        ),
        of_settings,
    ),
    "models": Parser(
        st.tuples(
            st.sampled_from(["config.json", "tokenizer_config.json", "chat_template.jinja", "README.md"]),
            contents(b'{"architectures": ["GPT2LMHeadModel"], "model_type": "gpt2", "n_positions": 128}'),
        )
        | st.tuples(
            st.sampled_from(["model.safetensors", "model.safetensors.index.json"]),
            contents(
                b'\x3c\0\0\0\0\0\0\0{"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}\0\0\0\0'
            ),
        ),
        of_model,
    ),
    "adapters": Parser(
        st.tuples(st.just("adapter_config.json"), contents(ADAPTER))
        | st.tuples(
            st.just("adapter_model.safetensors"),
            contents(
                b'\x3c\0\0\0\0\0\0\0{"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}\0\0\0\0'
            ),
        ),
        of_adapter,
    ),
    "names of models": Parser(NAMES, split_name),
    "run keys": Parser(NAMES, lambda text: find_run(text, ["0123456789abcdef", "0123450000000000"])),
    "endpoint": Parser(contents(*ANSWERS), of_endpoint),
}
