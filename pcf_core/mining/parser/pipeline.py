"""Parse texts to trees, a batch at a time, on one core.

For speed, components that no rule reads are left out, and numpy's BLAS is used (1.7 times the words a second)
with one thread, so that parallel processes do not compete.  Once the vocabulary is large, a batch's additions
are discarded, so that memory does not grow with the corpus.

A folder or package is data: its configuration may name only spaCy's own parts, and none of its code runs.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import islice
from operator import itemgetter
from pathlib import Path
from textwrap import shorten
from typing import Any

import spacy
from spacy.language import Language
from spacy.tokens import Doc, Span
from thinc.api import NumpyOps, get_current_ops, set_current_ops
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

from pcf_core.core.errors import PipelineError
from pcf_core.mining.parser.schemes import (
    LEMMATIZERS,
    READINGS,
    STANFORD,
    Draft,
    Scheme,
    convert,
    find,
    other_language,
    scheme_of,
)
from pcf_core.mining.parser.trees import HALF, UNKNOWN, Tree


def tree_of(sentence: Span, scheme: Scheme) -> Tree:
    """Convert one sentence to Universal Dependencies, with its offset in the document."""
    strings = sentence.doc.vocab.strings
    table = sentence.doc.to_array(["ORTH", "LEMMA", "TAG", "DEP", "HEAD"])
    *texts, steps = table[sentence.start : sentence.end].T
    words, lemmas, tags, relations = (tuple([strings[key] for key in column.tolist()]) for column in texts)
    heads = [token + step for token, step in enumerate(steps.astype("int64").tolist())]
    if scheme == "clearnlp":
        draft = Draft(words, lemmas, tags, heads, list(relations))
        convert(draft)
        heads, relations = draft.heads, tuple(draft.relations)
    elif scheme == "stanford":
        relations = tuple([STANFORD.get(relation, relation) for relation in relations])
    else:
        relations = tuple(["root" if relation == "ROOT" else relation for relation in relations])
    return Tree(words, lemmas, tags, tuple(heads), relations, sentence.start_char)


READ = ("tok2vec", "tagger", "attribute_ruler", *LEMMATIZERS, "parser")  # factories that rules need
UNREAD = (
    "morphologizer", "ner", "senter", "sentencizer", "textcat", "textcat_multilabel", "entity_ruler",
    "entity_linker", "span_ruler", "spancat",
)  # fmt: skip
OWN = ("@tokenizers", "@vectors", "@architectures", "@scorers")  # registries that they may name
CALLBACKS = ("before_creation", "after_creation", "after_pipeline_creation")
REMEMBERED = 100_000  # words and lemmas in the vocabulary
LONGEST = 1_000_000  # characters parsed at once: about 1 GB
ODD = re.compile(rf"\s{{2,}}|[^\S ]|^\s|{HALF.pattern}")


@dataclass(frozen=True)
class Pipeline:
    """A parser in memory.  ``identity``: SHA-256 of the files that determine its output."""

    name: str
    identity: str
    scheme: Scheme
    nlp: Language
    pool: ThreadpoolController

    def trees(self, texts: Iterable[str], batch_size: int = 256) -> Iterator[list[Tree]]:
        """Yield the sentences of each text, in order; none for a text without words.

        Results are reproducible for equal batches, as rounding differs between batches.  Raises PipelineError
        for a text over ``LONGEST`` characters.
        """
        remaining = iter(texts)
        while batch := list(islice(remaining, batch_size)):
            plain = [_Plain.of(text) for text in batch]
            full = len(self.nlp.vocab.strings) > REMEMBERED
            forgetting = self.nlp.memory_zone() if full else nullcontext()
            with self.pool.limit(limits=1, user_api="blas"), forgetting:
                docs = self.nlp.pipe((text.text for text in plain), batch_size=batch_size)
                trees = [
                    [text.placed(tree_of(sentence, self.scheme)) for sentence in _sentences_of(doc)]
                    for text, doc in zip(plain, docs, strict=True)
                ]
            yield from trees


def _sentences_of(doc: Doc) -> Iterator[Span]:
    """Yield the sentences of a document; none of an empty one, where spaCy raises."""
    return doc.sents if len(doc) else iter(())


@dataclass(frozen=True)
class _Plain:
    """A text with single spaces, because spaCy makes words of other white space.

    ``pieces``: (start in ``text``, start in the original) of each word; empty if nothing was changed.
    """

    text: str
    pieces: tuple[tuple[int, int], ...] = ()

    @classmethod
    def of(cls, text: str) -> _Plain:
        """Normalise white space, and replace lone surrogates."""
        if len(text) > LONGEST:
            raise PipelineError(
                f"A text of {len(text):,} characters is too long to be parsed, and at most {LONGEST:,} are "
                "allowed: give it in parts, such as its paragraphs."
            )
        if not ODD.search(text):
            return cls(text)
        words, pieces, length = [], [], 0
        for match in re.finditer(r"\S+", text):
            words.append(HALF.sub(UNKNOWN, match[0]))
            pieces.append((length, match.start()))
            length += len(match[0]) + 1
        return cls(" ".join(words), tuple(pieces))

    def placed(self, tree: Tree) -> Tree:
        """Return the tree with its offset in the original text."""
        if not self.pieces:
            return tree
        here, there = self.pieces[bisect_right(self.pieces, tree.offset, key=itemgetter(0)) - 1]
        return replace(tree, offset=there + tree.offset - here)


# ---------------------------------------------------------------------------------------------- opening


def open_pipeline(name: str, language: str = "en") -> Pipeline:
    """Open a parser by name: the shipped ``en-mini``, an installed spaCy package, or a spaCy folder.

    ``language``: a key of :data:`~pcf_core.mining.parser.schemes.READINGS`.  Raises PipelineError for one
    that is unknown, damaged, of another language, or uses other code.
    """
    reading = READINGS[language]
    folder = find(name)
    config = _read_config(name, folder)
    _check_parts(name, config, language)
    pipeline, blas = _load(name, folder, config), ThreadpoolController()
    tags = _labels_of(pipeline, config, "tagger")
    if not tags >= reading.tags:
        raise PipelineError(
            f"The parser {name} does not use the part-of-speech tags of {reading.tag_names} (it has "
            f"{', '.join(sorted(tags)[:8]) or 'none'}): choose another parser."
        )
    scheme = scheme_of(_labels_of(pipeline, config, "parser"), language)
    return Pipeline(name, _identity_of(folder), scheme, pipeline, blas)


def _labels_of(pipeline: Language, config: Mapping[str, Any], factory: str) -> set[str]:
    return {
        label
        for part in _names_of(config, factory)
        for label in pipeline.get_pipe(part).labels  # type: ignore[attr-defined]
    }


def _read_config(name: str, folder: Path) -> Mapping[str, Any]:
    try:
        config = spacy.util.load_config(folder / "config.cfg", interpolate=True)
        parts = config.get("nlp", {}).get("pipeline", [])
        if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
            raise ValueError("nlp.pipeline is not a list of names")
        if not all(isinstance(part, Mapping) for part in config.get("components", {}).values()):
            raise ValueError("a component is not a section")
    except Exception as error:  # anything may be in others' files
        raise _broken(name, error) from error
    return config


def _broken(name: str, error: Exception) -> PipelineError:
    reason = shorten(f"{type(error).__name__}: {error}", 240, placeholder=" …")
    return PipelineError(f"The parser {name} cannot be loaded ({reason}): install its files again.")


def _check_parts(name: str, config: Mapping[str, Any], language: str) -> None:
    reading, got = READINGS[language], config.get("nlp", {}).get("lang")
    if got != language:
        raise other_language(name, language, got)
    for kind, factories in reading.parts.items():
        if not _names_of(config, *factories):
            there = ", ".join(config["nlp"].get("pipeline", [])) or "no part"
            raise PipelineError(
                f"The parser {name} has no {kind} (it has {there}), and mining {reading.name} needs "
                f"{' and '.join(reading.parts)}: choose another parser."
            )
    read = {part: config["components"][part] for part in _names_of(config, *READ)}
    hooks = {hook for hook in CALLBACKS if config["nlp"].get(hook)}
    others = {*config["nlp"]["pipeline"]} - {*_names_of(config, *READ, *UNREAD)}  # others may depend on them
    foreign = sorted({*hooks, *others, *_foreign_parts(config["nlp"]), *_foreign_parts(read)})
    if foreign:
        raise PipelineError(
            f"The parser {name} uses code that is not part of spaCy ({', '.join(foreign[:3])}), which is not "
            "allowed: choose a parser that needs no other package."
        )


def _names_of(config: Mapping[str, Any], *factories: str) -> list[str]:
    parts = config.get("components", {})
    return [
        part for part in config["nlp"].get("pipeline", []) if parts.get(part, {}).get("factory") in factories
    ]


def _foreign_parts(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if str(key).startswith("@"):
                if key not in OWN or not str(inner).startswith("spacy."):
                    yield str(inner)
            else:
                yield from _foreign_parts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _foreign_parts(inner)


def _load(name: str, folder: Path, config: Mapping[str, Any]) -> Language:
    """Load the pipeline without unused components, for numpy's BLAS."""
    before = get_current_ops()
    try:
        set_current_ops(NumpyOps(use_blis=False))  # models keep the ops they were made with
        unread = set(config["nlp"]["pipeline"]) - set(_names_of(config, *READ))
        nlp = spacy.load(folder, exclude=sorted(unread))
        list(nlp.pipe(["It is."]))  # wrong sizes fail only here
    except Exception as error:  # spaCy may raise anything for others' files
        raise _broken(name, error) from error
    finally:
        set_current_ops(before)
    return nlp


def _identity_of(folder: Path) -> str:
    """Hash names and bytes of configuration, tokenizer and components (SHA-256), without card and scores."""
    total = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        inside = path.relative_to(folder)
        if len(inside.parts) > 1 or inside.name in ("config.cfg", "tokenizer"):
            with path.open("rb") as file:
                content = hashlib.file_digest(file, "sha256").hexdigest()
            total.update(f"{inside.as_posix()}\0{content}\0".encode())
    return total.hexdigest()
