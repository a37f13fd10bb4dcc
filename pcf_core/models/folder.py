"""What a model directory in the hub's layout is, read from its small files and the safetensors headers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from pcf_core.errors import ModelError
from pcf_core.models.chat import chat_template_hash
from pcf_core.models.family import choose_family, context_of, needs_remote_code, read_family
from pcf_core.models.identity import model_hash, tokenizer_hash
from pcf_core.models.small_files import read_small
from pcf_core.models.weights import count_parameters, weight_files, weights_present
from pcf_core.records import Family, ModelSpec

TOKENIZER_FILES = (
    "tokenizer.json",
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "vocab.json",
    "vocab.txt",
    "merges.txt",
    "spiece.model",
    "sentencepiece.bpe.model",
    "tokenizer.model",
)
LONGEST_CARD = 2**18  # bytes of a model card that are looked at
LONGEST_NOTE = 2_000  # characters
VOCABULARIES = tuple(name for name in TOKENIZER_FILES if name not in TOKENIZER_FILES[1:4])


def describe(
    folder: Path,
    name: str,
    revision: str = "",
    asked: Family | None = None,
    known: Family | None = None,
) -> ModelSpec:
    """The specification of a model directory.

    ``identity`` is ``revision`` where one is given (a hub model; its weights may then be missing yet, and
    ``path`` is empty) and otherwise the hash of weights and configuration.  Where the configuration leaves
    the family open, ``asked`` answers and becomes part of the name, or ``known`` does, which the registry
    holds.

    Raises:
        ModelError: no readable config, unsupported or ambiguous family, no safetensors, no tokenizer.
    """
    try:
        return _describe(folder, name, revision, asked, known)
    except OSError as error:
        raise ModelError(
            f"The files of the model {name} in {folder} cannot be read ({error.strerror or error}): let the "
            "user that runs this app read them, and check the disk."
        ) from error


def _describe(
    folder: Path, name: str, revision: str, asked: Family | None, known: Family | None
) -> ModelSpec:
    config = read_config(folder, name)
    reading = read_family(config, name)
    answer = asked or (known if reading.doubt else None)
    family = choose_family(reading, name, answer)
    tokenizer = tokenizer_files(folder, name)
    present = weights_present(folder, name)
    weights = weight_files(folder, name) if present or not revision else []
    title, notes = read_card(folder)
    return ModelSpec(
        name=f"{family}:{name}" if reading.doubt and family != known else name,
        family=family,
        path=str(folder.resolve()) if weights else "",
        identity=revision or model_hash(weights, folder / "config.json"),
        tokenizer=tokenizer_hash(tokenizer),
        parameters=sum(count_parameters(path, name) for path in weights),
        context=context_of(config),
        remote_code=needs_remote_code(config),
        chat_template=chat_template_hash(folder),
        title=title or name,
        notes=notes,
    )


def read_config(folder: Path, name: str) -> Mapping[str, Any]:
    path = folder / "config.json"
    try:
        config = from_json(read_small(path))
    except FileNotFoundError as error:
        raise ModelError(
            f"The model {name} has no config.json in {folder}; give a directory in the hub's layout."
        ) from error
    except (OSError, ValueError) as error:
        raise ModelError(f"The file {path} of the model {name} cannot be read as JSON: {error}.") from error
    if not isinstance(config, dict):
        raise ModelError(f"The file {path} of the model {name} must hold a JSON object.")
    return config


def tokenizer_files(folder: Path, name: str) -> Sequence[Path]:
    """The files that make the tokenizer.

    Raises:
        ModelError: there is no vocabulary, or only one of SentencePiece's that the library here cannot read.
    """
    files = [folder / file for file in TOKENIZER_FILES if (folder / file).is_file()]
    vocabularies = [path.name for path in files if path.name in VOCABULARIES]
    if not vocabularies:
        raise ModelError(
            f"The model {name} has no tokenizer: one of {', '.join(VOCABULARIES)} is needed in {folder}; "
            "save its tokenizer there."
        )
    if all(file.endswith(".model") for file in vocabularies) and find_spec("sentencepiece") is None:
        raise ModelError(
            f"The tokenizer of {name} is {vocabularies[0]} alone, which needs the library sentencepiece: "
            "install it (pip install sentencepiece), or give a directory that has tokenizer.json too."
        )
    return files


def read_card(folder: Path) -> tuple[str, str]:
    """(title, notes): the first heading of the model card and the paragraph under it, or empty strings."""
    path = folder / "README.md"
    if not path.is_file():
        return "", ""
    with path.open("rb") as file:
        beginning = file.read(LONGEST_CARD).decode(errors="replace")
    text = re.sub(r"\A---\n.*?\n---\n", "", beginning, flags=re.DOTALL)
    heading = re.search(r"^# +(.+)$", text, flags=re.MULTILINE)
    if heading is None:
        return "", ""
    blocks = [block.strip() for block in text[heading.end() :].split("\n\n")]
    notes = next((block for block in blocks if block and not block.startswith(("#", "|", "```"))), "")
    return shortened(heading[1]), shortened(notes)


def shortened(text: str) -> str:
    """A text of a card on one line, printable, cut where it is too long for a heading or a paragraph."""
    line = " ".join(text.split())
    printed = line if line.isprintable() else "".join(one if one.isprintable() else "?" for one in line)
    return printed if len(printed) <= LONGEST_NOTE else f"{printed[:LONGEST_NOTE]} …"
