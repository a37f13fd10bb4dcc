"""The parser: from texts to trees, a batch at a time, on one core.

Speed and memory, with the same trees: components that no rule reads are left out; matrices are multiplied by
numpy's BLAS, which has kernels for wide processors that spaCy's own lacks (1.7 times the words a second),
held to one thread, so that processes side by side do not fight; and once the vocabulary is large, what a
batch adds to it is forgotten with the batch, so that memory does not grow with the corpus.

A folder or package is data: its configuration may name nothing but spaCy's own parts, and no code of it runs.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
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

from pcf_core.errors import PipelineError
from pcf_core.language.placing import HALF, UNKNOWN
from pcf_core.language.schemes import Scheme, scheme_of, tree_of
from pcf_core.language.trees import Tree
from pcf_core.settings import settings

SHIPPED = "en-mini"
LEMMATIZERS = ("trainable_lemmatizer", "lemmatizer")
READ = ("tok2vec", "tagger", "attribute_ruler", *LEMMATIZERS, "parser")  # the factories that rules need
UNREAD = (
    "morphologizer", "ner", "senter", "sentencizer", "textcat", "textcat_multilabel", "entity_ruler",
    "entity_linker", "span_ruler", "spancat",
)  # fmt: skip
OWN = ("@tokenizers", "@vectors", "@architectures", "@scorers")  # the registries that they name
CALLBACKS = ("before_creation", "after_creation", "after_pipeline_creation")
PENN = {"NN", "PRP", "VB", "VBD", "VBN"}  # part of the tags that rules read
REMEMBERED = 100_000  # words and lemmas the vocabulary keeps
LONGEST = 1_000_000  # characters parsed at once: about 1 GB
ODD = re.compile(rf"\s{{2,}}|[^\S ]|^\s|{HALF.pattern}")


@dataclass(frozen=True)
class Pipeline:
    """A parser in memory.  ``identity``: SHA-256 over the files that decide what it says."""

    name: str
    identity: str
    scheme: Scheme
    nlp: Language
    pool: ThreadpoolController

    def trees(self, texts: Iterable[str], batch_size: int = 256) -> Iterator[list[Tree]]:
        """The sentences of each text, in the order of the texts; none where there is no word.

        A tree depends on its text alone, up to the rounding of sums, which differs between batches: where
        counts must repeat, give the same texts in the same batches.

        Raises:
            PipelineError: a text of more than ``LONGEST`` characters.
        """
        remaining = iter(texts)
        while batch := list(islice(remaining, batch_size)):
            plain = [Plain.of(text) for text in batch]
            full = len(self.nlp.vocab.strings) > REMEMBERED
            forgetting = self.nlp.memory_zone() if full else nullcontext()
            with self.pool.limit(limits=1, user_api="blas"), forgetting:
                docs = self.nlp.pipe((text.text for text in plain), batch_size=batch_size)
                found = [
                    [text.placed(tree_of(sentence, self.scheme)) for sentence in sentences_of(doc)]
                    for text, doc in zip(plain, docs, strict=True)
                ]
            yield from found


def sentences_of(doc: Doc) -> Iterator[Span]:
    """The sentences of a document; none of an empty one, where spaCy raises."""
    return doc.sents if len(doc) else iter(())


@dataclass(frozen=True)
class Plain:
    """A text with single spaces, since spaCy makes other white space words of their own.

    ``pieces``: where each run of other characters starts, in ``text`` and in what was given; none where
    nothing was changed.
    """

    text: str
    pieces: tuple[tuple[int, int], ...] = ()

    @classmethod
    def of(cls, text: str) -> Plain:
        """White space replaced, and halves of characters, which no text holds, by the sign for unknown ones.

        Raises:
            PipelineError: a text that is too long.
        """
        if len(text) > LONGEST:
            raise PipelineError(
                f"A text of {len(text):,} characters was to be parsed at once, and {LONGEST:,} are allowed: "
                "give it in parts, such as its paragraphs."
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
        """The tree with its offset in the text that was given."""
        if not self.pieces:
            return tree
        here, there = self.pieces[bisect_right(self.pieces, tree.offset, key=itemgetter(0)) - 1]
        return replace(tree, offset=there + tree.offset - here)


# ---------------------------------------------------------------------------------------------- opening


def open_pipeline(name: str) -> Pipeline:
    """A parser by name: the shipped ``en-mini``, an installed spaCy package, or a folder of spaCy's.

    Raises:
        PipelineError: unknown, damaged, of another language or of other labels; without tagger, lemmatizer or
            parser; or made of parts that are not spaCy's own.
    """
    folder = find(name)
    config = read_config(name, folder)
    check_parts(name, config)
    pipeline, blas = load(name, folder, config), ThreadpoolController()
    tags = set(pipeline.get_pipe(names_of(config, "tagger")[0]).labels)  # type: ignore[attr-defined]
    if not tags >= PENN:
        raise PipelineError(
            f"The parser {name} must have the part-of-speech tags of the Penn Treebank, such as VBD (got "
            f"{', '.join(sorted(tags)[:8]) or 'none'}): take another."
        )
    labels = pipeline.get_pipe(names_of(config, "parser")[0]).labels  # type: ignore[attr-defined]
    return Pipeline(name, identity_of(folder), scheme_of(labels), pipeline, blas)


def find(name: str) -> Path:
    """The folder that holds a parser's ``config.cfg``; nothing is imported.

    Raises:
        PipelineError: there is none of this name.
    """
    try:
        if name == SHIPPED:
            places = [settings().assets / "pipelines" / SHIPPED]
        else:
            package = package_folder(name) if name.isidentifier() else None
            places = [*filter(None, [package]), Path(name).expanduser()]
        for folder in places:
            if (folder / "config.cfg").is_file():
                return folder
    except (OSError, ValueError, KeyError, TypeError, RuntimeError):  # no name of a file, a broken package
        pass
    raise PipelineError(
        f"The parser {shorten(name, 120)!r} is not there: name the shipped {SHIPPED}, an installed spaCy "
        "package such as en_core_web_sm, or a folder with spaCy's config.cfg."
    )


def package_folder(name: str) -> Path | None:
    """Where an installed package keeps its pipeline; None where it is no package of spaCy's kind."""
    spec = importlib.util.find_spec(name)
    for place in (spec and spec.submodule_search_locations) or ():
        about = Path(place) / "meta.json"
        if about.is_file():
            meta = json.loads(about.read_text(encoding="utf8"))
            return about.parent / "{lang}_{name}-{version}".format_map(meta)
    return None


def read_config(name: str, folder: Path) -> Mapping[str, Any]:
    """The configuration of a folder, values of other values filled in.

    Raises:
        PipelineError: it cannot be read, or is of another shape than spaCy's.
    """
    try:
        config = spacy.util.load_config(folder / "config.cfg", interpolate=True)
        parts = config.get("nlp", {}).get("pipeline", [])
        if not isinstance(parts, list) or not all(isinstance(part, str) for part in parts):
            raise ValueError("nlp.pipeline is no list of names")
        if not all(isinstance(part, Mapping) for part in config.get("components", {}).values()):
            raise ValueError("a component is no section")
    except Exception as error:  # whatever stands in a file that somebody else wrote
        raise broken(name, error) from error
    return config


def broken(name: str, error: Exception) -> PipelineError:
    reason = shorten(f"{type(error).__name__}: {error}", 240, placeholder=" …")
    return PipelineError(f"The parser {name} cannot be loaded ({reason}): get its files anew.")


def check_parts(name: str, config: Mapping[str, Any]) -> None:
    """Refuse what is not English, lacks a part, or would run code that is not spaCy's.

    Raises:
        PipelineError: one of these.
    """
    language = config.get("nlp", {}).get("lang")
    if language != "en":
        raise PipelineError(
            f"The parser {name} must be one of English, 'en' (got {language!r}): take another."
        )
    for kind, factories in (("tagger", ("tagger",)), ("lemmatizer", LEMMATIZERS), ("parser", ("parser",))):
        if not names_of(config, *factories):
            got = ", ".join(config["nlp"].get("pipeline", [])) or "no part"
            raise PipelineError(
                f"The parser {name} has no {kind} (it has {got}), and mining needs tags, lemmas and "
                "dependencies: take another."
            )
    kept = {part: config["components"][part] for part in names_of(config, *READ)}
    hooks = {hook for hook in CALLBACKS if config["nlp"].get(hook)}
    others = {*config["nlp"]["pipeline"]} - {*names_of(config, *READ, *UNREAD)}  # others may listen to them
    foreign = sorted({*hooks, *others, *foreign_parts(config["nlp"]), *foreign_parts(kept)})
    if foreign:
        raise PipelineError(
            f"The parser {name} names code that is not spaCy's own ({', '.join(foreign[:3])}), and none is "
            "run: take one that needs no further package."
        )


def names_of(config: Mapping[str, Any], *factories: str) -> list[str]:
    """The components of a pipeline that these factories make, in its order."""
    parts = config.get("components", {})
    return [
        part for part in config["nlp"].get("pipeline", []) if parts.get(part, {}).get("factory") in factories
    ]


def foreign_parts(value: Any) -> Iterator[str]:
    """Registered functions that a configuration names and that are not of spaCy's own kinds and names."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if str(key).startswith("@"):
                if key not in OWN or not str(inner).startswith("spacy."):
                    yield str(inner)
            else:
                yield from foreign_parts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from foreign_parts(inner)


def load(name: str, folder: Path, config: Mapping[str, Any]) -> Language:
    """The pipeline without the components that no rule reads, for numpy's BLAS."""
    before = get_current_ops()
    try:
        set_current_ops(NumpyOps(use_blis=False))  # a model keeps the one it was made under
        unread = set(config["nlp"]["pipeline"]) - set(names_of(config, *READ))
        nlp = spacy.load(folder, exclude=sorted(unread))
        list(nlp.pipe(["It is."]))  # where sizes do not fit this fails, not the loading
    except Exception as error:  # whatever spaCy trips over in files that somebody else wrote
        raise broken(name, error) from error
    finally:
        set_current_ops(before)
    return nlp


def identity_of(folder: Path) -> str:
    """SHA-256 over names and bytes of configuration, tokenizer and components; not of card and scores."""
    total = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        inside = path.relative_to(folder)
        if len(inside.parts) > 1 or inside.name in ("config.cfg", "tokenizer"):
            with path.open("rb") as file:
                content = hashlib.file_digest(file, "sha256").hexdigest()
            total.update(f"{inside.as_posix()}\0{content}\0".encode())
    return total.hexdigest()
