"""The corpora, the tokenizer trained on them, and both as numbers."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import typer
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers, trainers

LENGTH = 128
VOCABULARY = 8192
SPECIALS = ["<s>", "</s>", "<pad>", "<unk>", "<mask>"]
BOS, EOS, PAD, UNK, MASK = range(5)
SENTINELS = 16  # T5: their ids follow the vocabulary
OPENINGS = ("bios",)  # a corpus file whose name holds one of these gives its openings
DEFAULT_FILES = [
    "wiki_bios-01.jsonl.gz",
    "wiki_bios-02.jsonl.gz",
    "wiki_featured_bios.jsonl.gz",
    "simplewiki_bios.jsonl.gz",
    "wiki_articles.jsonl.gz",
    "simplewiki_articles.jsonl.gz",
]


def read_documents(path: Path) -> Iterator[tuple[str, str]]:
    """Yield (id, text): a JSON object per line of ``.jsonl[.gz]``, a document per line of text."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf8") as lines:
        for number, line in enumerate(lines):
            if ".jsonl" in path.name:
                record = json.loads(line)
                yield str(record.get("id", f"{path.name}:{number}")), record["text"]
            elif line.strip():
                yield f"{path.name}:{number}", line.strip()


def is_held_out(identifier: str) -> bool:
    """Whether a document is held out, by the hash of its id: one in a hundred."""
    return int(hashlib.sha256(identifier.encode()).hexdigest(), 16) % 100 == 0


def train_tokenizer(files: list[Path], documents_a_file: int = 4000) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=VOCABULARY,
        special_tokens=[AddedToken(token, lstrip=token == "<mask>", special=True) for token in SPECIALS],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )

    def texts() -> Iterator[str]:
        for path in files:
            for index, (_, text) in enumerate(read_documents(path)):
                if index >= documents_a_file:
                    break
                yield text[:4000]

    tokenizer.train_from_iterator(texts(), trainer)
    return tokenizer


def encode(tokenizer: Tokenizer, files: list[Path], folder: Path, end: int = EOS) -> None:
    """Write the token stream, openings and held-out documents, each ended by ``end``, as ``.npy``."""
    train: list[np.ndarray] = []
    held: list[np.ndarray] = []
    openings: list[np.ndarray] = []
    for path in files:
        batch: list[tuple[str, str]] = []

        def flush(batch: list[tuple[str, str]], opening: bool) -> None:
            encodings = tokenizer.encode_batch_fast([text for _, text in batch], add_special_tokens=False)
            for (identifier, _), encoding in zip(batch, encodings, strict=True):
                ids = np.asarray([*encoding.ids, end], dtype=np.uint16)
                if is_held_out(identifier):
                    held.append(ids)
                    continue
                train.append(ids)
                if opening and len(ids) >= LENGTH:
                    openings.append(ids[:LENGTH])

        opening = any(word in path.name for word in OPENINGS)
        for document in read_documents(path):
            batch.append(document)
            if len(batch) == 1000:
                flush(batch, opening)
                batch = []
        flush(batch, opening)
        typer.echo(f"{path.name}: {sum(map(len, train)):,} tokens so far", err=True)
    np.save(folder / "stream.npy", np.concatenate(train))
    np.save(folder / "openings.npy", np.stack(openings))
    np.save(folder / "held_out.npy", np.concatenate(held))
