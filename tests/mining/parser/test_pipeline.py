"""Opening a parser, what is refused, and trees from texts."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from pcf_core.core.errors import PipelineError
from pcf_core.core.settings import settings
from pcf_core.mining.parser import pipeline as module
from pcf_core.mining.parser.pipeline import Pipeline, open_pipeline
from pcf_core.mining.parser.schemes import SHIPPED, find
from tests.quick import scaled

SENTENCES = ("The nurse said that she was tired.", "He left.", "A lawyer, who had won, thanked the court.")


@pytest.fixture(scope="module")
def shipped() -> Pipeline:
    return open_pipeline(SHIPPED)


@pytest.fixture
def variant(tmp_path: Path) -> Callable[..., str]:
    """A function that gives the shipped parser's folder with its configuration changed by replacements."""

    def changed(*replacements: tuple[str, str]) -> str:
        folder = tmp_path / "parser"
        shutil.copytree(settings().assets / "pipelines" / SHIPPED, folder, copy_function=os.symlink)
        text = (folder / "config.cfg").read_text(encoding="utf8")
        for old, new in replacements:
            assert re.search(old, text)
            text = re.sub(old, new, text, count=1)
        (folder / "config.cfg").unlink()
        (folder / "config.cfg").write_text(text, encoding="utf8")
        return str(folder)

    return changed


# ------------------------------------------------------------------------------------------------ trees


def test_a_sentence_is_parsed(shipped: Pipeline) -> None:
    [[tree]] = shipped.trees(["The nurse said that she was tired."])
    assert tree.words == ("The", "nurse", "said", "that", "she", "was", "tired", ".")
    assert (tree.words[tree.root], tree.lemmas[tree.root], tree.tags[tree.root]) == ("said", "say", "VBD")
    [subject] = tree.children(tree.root, "nsubj")
    [clause] = tree.children(tree.root, "ccomp")
    assert (tree.words[subject], tree.words[clause]) == ("nurse", "tired")
    assert tree.words[tree.children(clause, "nsubj")[0]] == "she"


def test_one_list_a_text_in_order_with_offsets(shipped: Pipeline) -> None:
    texts = [f"{SENTENCES[0]} {SENTENCES[1]}", "", "   ", SENTENCES[2]]
    both, none, blank, last = shipped.trees(texts)
    assert [texts[0][tree.offset :].split()[0] for tree in both] == ["The", "He"]
    assert none == blank == []
    assert [tree.words[0] for tree in last] == ["A"]


def test_batches_do_not_matter(shipped: Pipeline) -> None:
    texts = [*SENTENCES, "", " ".join(SENTENCES)] * 3
    together = list(shipped.trees(texts))
    assert list(shipped.trees(texts, batch_size=2)) == together
    assert list(shipped.trees(iter(texts), batch_size=1)) == together


@given(st.lists(st.sampled_from([" ", "  ", "\n", "\t \n", "\u00a0", "\u2028 "]), min_size=12, max_size=12))
@effort(max_examples=scaled(25))
def test_white_space_changes_offsets_alone(shipped: Pipeline, gaps: list[str]) -> None:
    words = f"{SENTENCES[1]} {SENTENCES[0]}".split()
    text = "".join(gap + word for gap, word in zip(gaps, words, strict=False))
    [plain], [spaced] = shipped.trees([" ".join(words)]), shipped.trees([text])
    assert [tree.words for tree in spaced] == [tree.words for tree in plain]
    assert [tree.heads for tree in spaced] == [tree.heads for tree in plain]
    assert [text[tree.offset :].split()[0] for tree in spaced] == [tree.words[0] for tree in spaced]


def test_half_a_character_becomes_the_sign_for_unknown_ones(shipped: Pipeline) -> None:
    [[tree]] = shipped.trees(["The nurse \ud83d left."])
    assert tree.words == ("The", "nurse", "\ufffd", "left", ".")


def test_a_text_that_is_too_long_is_refused(shipped: Pipeline, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONGEST", 20)
    with pytest.raises(PipelineError, match=r"A text of 34 characters .* 20 are allowed"):
        list(shipped.trees(SENTENCES[:1]))


def test_a_large_vocabulary_stops_growing(shipped: Pipeline, monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory does not grow with the corpus, and the trees stay as they are."""
    monkeypatch.setattr(module, "REMEMBERED", 0)
    texts = [f"The quibble{number}er said that she was a blorp{number}." for number in range(300)]
    before = len(shipped.nlp.vocab.strings)
    forgetting = list(shipped.trees(texts, batch_size=64))
    assert len(shipped.nlp.vocab.strings) == before
    monkeypatch.setattr(module, "REMEMBERED", 10**9)
    assert list(shipped.trees(texts, batch_size=64)) == forgetting
    assert len(shipped.nlp.vocab.strings) >= before + 600


def test_parsing_uses_one_thread(shipped: Pipeline, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    pipe = shipped.nlp.pipe

    def watched(texts: Iterator[str], **options: Any) -> Iterator[Any]:
        seen.extend(part["num_threads"] for part in shipped.pool.info() if part["user_api"] == "blas")
        return pipe(texts, **options)

    monkeypatch.setattr(shipped.nlp, "pipe", watched)
    list(shipped.trees(SENTENCES))
    assert set(seen) == {1}


def test_parts_that_no_rule_reads_are_left_out(shipped: Pipeline) -> None:
    assert "morphologizer" not in shipped.nlp.pipe_names
    assert {"tagger", "trainable_lemmatizer", "parser"} <= set(shipped.nlp.pipe_names)


# ---------------------------------------------------------------------------------------------- opening


def test_the_identity_is_that_of_what_parses(variant: Callable[..., str], shipped: Pipeline) -> None:
    folder = Path(variant())
    assert module._identity_of(folder) == shipped.identity
    (folder / "notes.md").write_text("a card", encoding="utf8")
    assert module._identity_of(folder) == shipped.identity
    moves = folder / "parser" / "moves"
    content = moves.read_bytes()
    moves.unlink()
    moves.write_bytes(content + b" ")
    assert module._identity_of(folder) != shipped.identity


@pytest.mark.parametrize(
    "name",
    [
        "no_such_parser",
        "/no/such/folder",
        "pytest",
        "__main__",
        "../en-mini",
        "",
        "~no/x",
        "a\0b",
        "x" * 5000,
    ],
)
def test_an_unknown_parser_is_refused(name: str) -> None:
    with pytest.raises(PipelineError, match=r": choose the shipped en-mini, an installed"):
        open_pipeline(name)


@pytest.mark.parametrize(
    ("replacement", "reason"),
    [
        ((r'lang = "en"', 'lang = "de"'), r"A parser for English \('en'\) is needed, .* is for 'de'"),
        ((r', ?"parser"\]', "]"), r"has no parser \(it has tok2vec"),
        ((r', ?"tagger"', ""), "has no tagger"),
        ((r', ?"trainable_lemmatizer"', ""), "has no lemmatizer"),
        (("before_creation = null", 'before_creation = {"@callbacks": "x.y.v1"}'), "before_creation, x.y.v1"),
        ((r"spacy\.MaxoutWindowEncoder\.v2", "own.Encoder.v1"), r"not part of spaCy \(own\.Encoder\.v1\)"),
        ((r"spacy\.Tokenizer\.v1", "own.Tokenizer.v1"), r"not part of spaCy \(own\.Tokenizer\.v1\)"),
        ((r"@architectures = \"spacy\.Tok2Vec\.v2", '@readers = "spacy.read_labels.v1'), "not part of spaCy"),
        ((r'factory = "tok2vec"', 'factory = "transformer"'), r"not part of spaCy \(tok2vec\)"),
        ((r'factory = "tok2vec"', 'source = "en_core_web_sm"'), r"not part of spaCy \(tok2vec\)"),
        ((r"\[nlp\]", "[nlp"), "cannot be loaded"),
        (("pipeline = .*", "pipeline = null"), r"cannot be loaded .*not a list of names"),
        (("pipeline = .*", "pipeline = [1, 2]"), r"cannot be loaded .*not a list of names"),
        (("pipeline = .*", 'pipeline = "parser"'), r"cannot be loaded .*not a list of names"),
        ((r"width = 96", "width = 97"), "cannot be loaded"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_refused(
    variant: Callable[..., str], replacement: tuple[str, str], reason: str
) -> None:
    with pytest.raises(PipelineError, match=reason):
        open_pipeline(variant(replacement))


@pytest.mark.parametrize("path", ["parser/model", "vocab/strings.json", "tokenizer"])
def test_a_damaged_file_is_refused(variant: Callable[..., str], path: str) -> None:
    folder = variant()
    whole = Path(folder, path).read_bytes()
    Path(folder, path).unlink()
    Path(folder, path).write_bytes(whole[: len(whole) // 2])
    with pytest.raises(PipelineError, match=r"cannot be loaded \(.*install its files again"):
        open_pipeline(folder)


def test_other_tags_are_refused(variant: Callable[..., str]) -> None:
    folder = Path(variant())
    tagger = json.loads((folder / "tagger" / "cfg").read_text(encoding="utf8"))
    tagger["labels"] = [f"T{number}" for number in range(len(tagger["labels"]))]
    (folder / "tagger" / "cfg").unlink()
    (folder / "tagger" / "cfg").write_text(json.dumps(tagger), encoding="utf8")
    with pytest.raises(PipelineError, match=r"does not use the part-of-speech tags of the Penn Treebank"):
        open_pipeline(str(folder))


def test_an_installed_package_is_found_and_its_code_never_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shipped: Pipeline
) -> None:
    package = tmp_path / "en_core_test"
    shutil.copytree(
        settings().assets / "pipelines" / SHIPPED, package / "en_core_test-1.0", copy_function=os.symlink
    )
    (package / "__init__.py").write_text("raise RuntimeError('this ran')", encoding="utf8")
    meta = {"lang": "en", "name": "core_test", "version": "1.0"}
    (package / "meta.json").write_text(json.dumps(meta), encoding="utf8")
    monkeypatch.syspath_prepend(tmp_path)
    opened = open_pipeline("en_core_test")
    assert "en_core_test" not in sys.modules
    assert opened.identity == shipped.identity
    assert list(opened.trees(SENTENCES)) == list(shipped.trees(SENTENCES))


def test_a_folder_of_the_working_directory_is_found_by_its_bare_name(
    variant: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python's own way looks there, too, and takes a folder with spaCy's meta.json for a package."""
    variant()
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert find("parser") == Path("parser")


def test_a_missing_default_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PCF_ASSETS", str(tmp_path))
    settings.cache_clear()
    with pytest.raises(PipelineError, match="There is no parser 'en-mini'"):
        open_pipeline(SHIPPED)
    settings.cache_clear()
