"""What a model directory is, every way in which it cannot be one, and the hashes of its files."""

from __future__ import annotations

import copy
import hashlib
import json
import os
import struct
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest
from transformers import AutoTokenizer

from pcf_core.core.errors import ModelError
from pcf_core.core.files import noted
from pcf_core.core.records import digest
from pcf_core.core.run import ScoringKey
from pcf_core.core.settings import Settings, settings
from pcf_core.models import folder as identity
from pcf_core.models.folder import (
    FURTHER_VOCABULARIES,
    chat_template_hash,
    describe,
    model_hash,
    read_card,
    read_shapes,
    tokenizer_hash,
    weight_files,
    weights_hash,
)
from tests.models.conftest import GPT2, edit, safetensors, write_model
from tests.models.scoring.tiny_tokenizers import gpt2_tokenizer


def test_specification_of_a_directory(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "m")
    (folder / "README.md").write_text(
        "---\nlicense: mit\n# not a heading\n---\n\n# Tiny model\n\nTrained on\nnothing.\n\nMore.\n"
    )
    spec = describe(folder, "m")
    assert (spec.family, spec.parameters, spec.context, spec.dtype) == ("causal", 3 * 4 + 5, 128, "float32")
    assert (spec.title, spec.notes) == ("Tiny model", "Trained on nothing.")
    assert spec.path == str(folder.resolve())
    assert len(spec.identity) == 64


def test_identity_follows_the_bytes_and_nothing_else(tmp_path: Path) -> None:
    one, same, other = (
        write_model(tmp_path / name, fill=fill) for name, fill in (("a", 0), ("b", 0), ("c", 1))
    )
    (same / "README.md").write_text("# Another card")
    hashes = [describe(folder, "m").identity for folder in (one, same, other)]
    assert hashes[0] == hashes[1] != hashes[2]
    (same / "tokenizer.json").write_text((same / "tokenizer.json").read_text() + " ")
    assert describe(same, "m").tokenizer != describe(one, "m").tokenizer
    assert describe(same, "m").identity == hashes[0]


def test_the_same_weights_with_another_configuration_are_another_model(tmp_path: Path) -> None:
    """Four heads or eight read the same tensors and give other numbers."""
    four, eight = (write_model(tmp_path / str(heads), GPT2 | {"n_head": heads}) for heads in (4, 8))
    specs = [describe(folder, "m") for folder in (four, eight)]
    assert weights_hash(weight_files(four, "m")) == weights_hash(weight_files(eight, "m"))
    assert ScoringKey.of(specs[0]).hash != ScoringKey.of(specs[1]).hash


@pytest.mark.parametrize("file", ["model.safetensors", "tokenizer.json"])
def test_a_file_that_may_not_be_read(file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(path: str) -> str:
        if path.endswith(file):
            raise PermissionError(13, "Permission denied", path)
        return ""

    monkeypatch.setattr("pcf_core.models.folder._read_hash", forbidden)
    with pytest.raises(
        ModelError, match=r"files of the model m in .* cannot be read \(Permission denied\): allow"
    ):
        describe(write_model(tmp_path / "m"), "m")


def holding(file: str, content: bytes | str = b"") -> Callable[[Path], object]:
    data = content.encode("utf8", "surrogateescape") if isinstance(content, str) else content
    return lambda folder: (folder / file).write_bytes(data)


def lacking(file: str) -> Callable[[Path], object]:
    return lambda folder: (folder / file).unlink()


def indexed(text: str) -> Callable[[Path], object]:
    return holding("model.safetensors.index.json", text)


WEIGHTS, INDEX = "model.safetensors", r"model\.safetensors\.index\.json"
DEEP = (100_000).to_bytes(8, "little") + b"[" * 100_000  # a safetensors header that no parser can follow
# What is done to a model directory, and the sentence that refuses it.
REFUSED: list[tuple[Callable[[Path], object], str]] = [
    *((holding("config.json", text), "JSON") for text in ("{", "[1]", "\udcff", "[" * 100_000)),
    (lacking("config.json"), r"no config\.json"),
    (lacking("tokenizer.json"), "has no tokenizer"),
    (lacking(WEIGHTS), r"has no weights.*only safetensors"),
    (lambda folder: (folder / WEIGHTS).rename(folder / "m.bin"), r"only m\.bin.*save_pretrained"),
    *(
        (indexed(text), INDEX)
        for text in (
            "[]",
            "{}",
            '{"weight_map": {}}',
            '{"weight_map": {"a": "../x.safetensors"}}',
            "[" * 10**5,
        )
    ),
    *(
        (holding(WEIGHTS, data), "damaged")
        for data in (b"", b"\xff" * 8, b"\x02" + bytes(7) + b"{", b"\x04" + bytes(7) + b"[[]]", DEEP)
    ),
]


@pytest.mark.parametrize(("spoil", "sentence"), REFUSED)
def test_a_directory_that_is_no_model_is_refused(
    spoil: Callable[[Path], object], sentence: str, tmp_path: Path
) -> None:
    folder = write_model(tmp_path / "m")
    spoil(folder)
    with pytest.raises(ModelError, match=sentence):
        describe(folder, "m")


@pytest.mark.parametrize(
    ("file", "library"),
    [
        ("spm.model", "sentencepiece"),
        ("sentencepiece.model", "sentencepiece"),
        ("tiktoken.model", "tiktoken"),
        *((name, "sentencepiece") for name in ("spiece.model", "tokenizer.model", "sentencepiece.bpe.model")),
    ],
)
def test_a_vocabulary_that_needs_a_library_is_not_called_missing(
    file: str, library: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write_model(tmp_path / "m")
    before = describe(folder, "m").tokenizer
    (folder / file).write_bytes(b"")
    # Where another vocabulary is read, the keys of models stay, but for files that were always part of them.
    assert (describe(folder, "m").tokenizer == before) == (file in FURTHER_VOCABULARIES)
    (folder / "tokenizer.json").unlink()
    monkeypatch.setattr("pcf_core.models.folder.find_spec", lambda name: None)
    with pytest.raises(ModelError, match=rf"is {file}, which needs the library {library}: install it"):
        describe(folder, "m")
    monkeypatch.setattr("pcf_core.models.folder.find_spec", lambda name: name)
    assert describe(folder, "m").tokenizer != before


@pytest.mark.parametrize("name", ["ByT5Tokenizer", "PerceiverTokenizer", "CanineTokenizer"])
def test_a_tokenizer_of_bytes_needs_no_vocabulary(name: str, tmp_path: Path) -> None:
    folder = write_model(tmp_path / "m")
    (folder / "tokenizer.json").unlink()
    assert describe(edit(folder, "tokenizer_config.json", tokenizer_class=name), "m").family == "causal"
    with pytest.raises(ModelError, match="has no tokenizer"):
        describe(edit(folder, "tokenizer_config.json", tokenizer_class="BertTokenizer"), "m")
    (folder / "vocab.txt").write_text("he")  # a vocabulary of words needs no further library
    assert describe(folder, "m").family == "causal"


def test_card_without_heading(tmp_path: Path) -> None:
    assert read_card(tmp_path) == ("", "")
    (tmp_path / "README.md").write_text("no heading")
    assert read_card(tmp_path) == ("", "")


def test_an_answer_becomes_part_of_the_name_only_where_it_was_needed(tmp_path: Path) -> None:
    """One model read in one way has one key, whether or not a user said what could be found out."""
    clear = write_model(tmp_path / "clear")
    assert describe(clear, "m", requested="causal") == describe(clear, "m")
    open_ = write_model(tmp_path / "open", {"architectures": ["BertForMaskedLM", "BertLMHeadModel"]})
    with pytest.raises(ModelError, match="write masked:m or causal:m"):
        describe(open_, "m")
    requested = describe(open_, "m", requested="masked")
    assert (requested.name, requested.family) == ("masked:m", "masked")
    registered = describe(open_, "m", registered="masked")
    assert (registered.name, registered.family) == ("m", "masked")
    assert describe(open_, "m", requested="masked", registered="masked") == registered
    assert describe(open_, "m", requested="causal", registered="masked").name == "causal:m"


def test_own_code_is_said_only_where_the_library_has_none(tmp_path: Path) -> None:
    code = {"AutoModelForCausalLM": "modeling_own.OwnForCausalLM"}
    own = {"architectures": ["OwnForCausalLM"], "model_type": "own", "auto_map": code}
    assert describe(write_model(tmp_path / "own", own), "m").remote_code
    assert not describe(write_model(tmp_path / "native", GPT2 | {"auto_map": code}), "m").remote_code


# The template that a directory's tokenizer would use, by its hash.


USER = "{{ messages[0]['content'] }}:"


@pytest.mark.parametrize("in_a_file", [True, False])
@pytest.mark.parametrize("template", [USER, {"default": USER, "tool_use": "{{ tools }}"}], ids=["one", "two"])
def test_it_is_the_one_that_transformers_takes(
    tmp_path: Path, template: str | dict[str, str], in_a_file: bool
) -> None:
    tokenizer = copy.deepcopy(gpt2_tokenizer())
    tokenizer.chat_template = template
    tokenizer.save_pretrained(tmp_path, save_jinja_files=in_a_file)
    assert (tmp_path / "chat_template.jinja").exists() == in_a_file
    assert AutoTokenizer.from_pretrained(tmp_path).get_chat_template() == USER
    assert chat_template_hash(tmp_path) == digest(USER)


def test_a_file_of_its_own_comes_first(tmp_path: Path) -> None:
    tokenizer = copy.deepcopy(gpt2_tokenizer())
    tokenizer.chat_template = "old"
    tokenizer.save_pretrained(tmp_path, save_jinja_files=False)
    (tmp_path / "chat_template.jinja").write_text(USER)
    assert AutoTokenizer.from_pretrained(tmp_path).get_chat_template() == USER
    assert chat_template_hash(tmp_path) == digest(USER)


@pytest.mark.parametrize(
    "held",
    [None, {}, [], {"chat_template": None}, {"chat_template": [{"name": "rag", "template": "x"}]}, "{"],
)
def test_none_is_none(tmp_path: Path, held: object) -> None:
    """No file, no template in it, none by the name of default, and a file that is damaged."""
    if held is not None:
        text = held if isinstance(held, str) else json.dumps(held)
        (tmp_path / "tokenizer_config.json").write_text(text)
    assert chat_template_hash(tmp_path) == ""


# Safetensors alone, whole and counted.


def test_shards_are_those_of_the_index(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "m", weights=False)
    names = ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"]
    index = {"weight_map": {"a": names[0], "b": names[1], "c": names[0]}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    safetensors(folder / names[0], {"a": [2, 3], "c": [7]})
    with pytest.raises(ModelError, match=f"lacks {names[1]}"):
        describe(folder, "m")
    safetensors(folder / names[1], {"b": [4]})
    safetensors(folder / "consolidated.safetensors", {"a": [100]})
    assert [path.name for path in weight_files(folder, "m")] == names
    assert describe(folder, "m").parameters == 6 + 7 + 4


@pytest.mark.parametrize(
    "shape", ["[0.5, 2]", "[-1]", "[true]", "[Infinity]", "[1e3]", "[9, 9]", "[1" + "0" * 400 + "]"]
)
def test_shapes_that_are_none(shape: str, tmp_path: Path) -> None:
    """The number of weights stands on a page and is multiplied into bytes."""
    header = f'{{"a": {{"dtype": "F32", "shape": {shape}, "data_offsets": [0, 4]}}}}'.encode()
    path = tmp_path / "model.safetensors"
    path.write_bytes(struct.pack("<Q", len(header)) + header + bytes(4))
    with pytest.raises(ModelError, match=r"damaged \((a shape has|it has more weights than)"):
        read_shapes(path, "m")


@pytest.mark.parametrize("change", [-1, 1])
def test_weights_shorter_or_longer_than_their_header_says(change: int, tmp_path: Path) -> None:
    """A download that was cut off is found before it is loaded."""
    path = tmp_path / "model.safetensors"
    safetensors(path, {"a": [3, 4], "b": [5]})
    assert read_shapes(path, "m") == [[3, 4], [5]]
    data = path.read_bytes()
    path.write_bytes(data[:change] if change < 0 else data + bytes(change))
    with pytest.raises(ModelError, match=r"damaged \(it has [\d,]+ bytes, but according to its header"):
        read_shapes(path, "m")


def test_an_index_of_very_many_shards_is_refused_in_one_short_sentence(tmp_path: Path) -> None:
    names = {f"t{number}": f"model-{number:06}.safetensors" for number in range(200_000)}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": names}))
    with pytest.raises(ModelError, match=r"lacks model-000000.* and 199,997 more, which") as caught:
        weight_files(tmp_path, "m")
    assert len(str(caught.value)) < 400
    odd = {f"t{number}": "../" + "x" * 5000 + str(number) for number in range(1000)}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps({"weight_map": odd}))
    with pytest.raises(
        ModelError, match=r"names .* and 997 more, but it may only name files in the same folder"
    ) as caught:
        weight_files(tmp_path, "m")
    assert len(str(caught.value)) < 600


# Hashes of files, and that a large file is read once.


def test_one_file_is_its_sha256(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(b"abc")
    assert weights_hash([path]) == hashlib.sha256(b"abc").hexdigest()


def test_shards_in_any_order_and_changed_files(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("a", "b")]
    for path in paths:
        path.write_bytes(path.name.encode())
    before = weights_hash(paths)
    assert weights_hash(paths[::-1]) == before
    paths[0].write_bytes(b"longer")
    assert weights_hash(paths) != before
    assert tokenizer_hash(paths) != tokenizer_hash(paths[:1])


def test_a_model_is_its_weights_and_its_configuration(tmp_path: Path) -> None:
    weights, config = tmp_path / "model.safetensors", tmp_path / "config.json"
    weights.write_bytes(b"abc")
    config.write_bytes(b"{}")
    parts = hashlib.sha256(b"abc").hexdigest().encode() + b"{}"
    assert model_hash([weights], config) == hashlib.sha256(parts).hexdigest()


LARGE = 2**26  # bytes, from which on hashes are noted


def zeros(path: Path, size: int = LARGE) -> Path:
    """Write a file of zeros, which takes no place on the disk."""
    with path.open("wb") as file:
        file.truncate(size)
    return path


def hash_of_zeros() -> str:
    return hashlib.sha256(bytes(LARGE)).hexdigest()


def test_a_large_file_is_read_once_over_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, expected = zeros(tmp_path / "large"), hash_of_zeros()
    assert weights_hash([path]) == expected
    assert list(json.loads((settings().cache / "weights.json").read_text()).values()) == [expected]
    identity._remembered.cache_clear()  # another process
    monkeypatch.setattr(identity, "_read_hash", raising(AssertionError("it was read before")))
    assert weights_hash([path]) == expected


@pytest.mark.parametrize("size", [2**10, 2**26])
@pytest.mark.parametrize("replaced", [False, True])
def test_a_file_of_the_same_size_and_time_is_another(tmp_path: Path, size: int, replaced: bool) -> None:
    """As unpacking and ``cp --preserve`` leave them, written over or put in its place."""
    path = zeros(tmp_path / "weights", size)
    before, state = weights_hash([path]), path.stat()
    other = tmp_path / "other" if replaced else path
    with other.open("r+b" if not replaced else "wb") as file:
        file.truncate(size)
        file.write(b"other")
    os.utime(other, ns=(state.st_atime_ns, state.st_mtime_ns))
    other.replace(path)
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (size, state.st_mtime_ns)
    assert weights_hash([path]) != before


@pytest.fixture
def hurried() -> Iterator[None]:
    """A page's process, which does not wait for large files."""
    identity.wait_for_hashes(0.05)
    yield
    identity._patience.clear()
    identity._hashing.clear()


@pytest.mark.usefixtures("hurried")
def test_a_page_does_not_wait_for_a_large_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [zeros(tmp_path / name) for name in ("one", "two")]
    go_on, read = threading.Event(), identity._read_hash

    def slowly(path: str, until: float) -> str:
        assert go_on.wait(10)
        return read(path, until)

    monkeypatch.setattr(identity, "_read_hash", slowly)
    for path in paths:
        with pytest.raises(ModelError, match=r"\(0\.1 GB\) is being read for the first time"):
            weights_hash([path])
    go_on.set()
    for waiting in tuple(identity._hashing.values()):
        waiting.result(10)
    assert {weights_hash([path]) for path in paths} == {hash_of_zeros()}
    assert len(json.loads((settings().cache / "weights.json").read_text())) == 2


@pytest.mark.usefixtures("hurried")
def test_a_file_that_never_ends_ends_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = zeros(tmp_path / "endless")
    monkeypatch.setattr(identity, "LONGEST_READING", -1.0)
    with pytest.raises(ModelError, match=r"takes more than .* minutes: copy it"):
        patiently(path)


@pytest.mark.usefixtures("hurried")
def test_a_file_that_cannot_be_read_now_may_be_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = zeros(tmp_path / "away")
    read = identity._read_hash
    monkeypatch.setattr(identity, "_read_hash", raising(OSError("stale file handle")))
    with pytest.raises(OSError, match="stale"):
        patiently(path)
    monkeypatch.setattr(identity, "_read_hash", read)
    assert patiently(path) == hash_of_zeros()


def patiently(path: Path) -> str:
    """Ask for a hash again until it is no longer being read."""
    for _ in range(100):
        try:
            return weights_hash([path])
        except ModelError as error:
            if "first time" not in str(error):
                raise
            time.sleep(0.1)
    raise AssertionError("it is read without end")


def raising(error: Exception) -> Callable[..., str]:
    def fail(*_: object) -> str:
        raise error

    return fail


def a_file_in_its_place(cache: Path) -> None:
    cache.write_text("")


def notes_that_are_a_folder(cache: Path) -> None:
    (cache / "weights.json").mkdir(parents=True)


def notes_of(content: bytes) -> Callable[[Path], None]:
    def write(cache: Path) -> None:
        cache.mkdir()
        (cache / "weights.json").write_bytes(content)

    return write


@pytest.mark.parametrize(
    "spoil",
    [
        a_file_in_its_place,
        notes_that_are_a_folder,
        *map(notes_of, (b"{", b"[]", b"\xff", b"[" * 100_000)),
    ],
)
def test_remembering_is_not_needed(spoil: Callable[[Path], None], tmp_path: Path) -> None:
    """Damaged notes are written anew, where they can be."""
    spoil(settings().cache)
    assert weights_hash([zeros(tmp_path / "large")]) == hash_of_zeros()
    notes = settings().cache / "weights.json"
    assert not notes.is_file() or list(json.loads(notes.read_text()).values()) == [hash_of_zeros()]


# Notes in the cache folder of what is slow to find out.


@pytest.fixture
def notes(own_settings: Settings) -> Path:
    return own_settings.cache / "notes.json"


def test_each_entry_is_found_out_once(notes: Path) -> None:
    one, other = Mock(return_value="12"), Mock(return_value="34")
    for _ in range(2):
        assert noted(notes.name, "one", r"\d+", one) == "12"
        assert noted(notes.name, "other", r"\d+", other) == "34"
    assert (one.call_count, other.call_count) == (1, 1)
    assert json.loads(notes.read_text()) == {"one": "12", "other": "34"}
    assert {path.name for path in notes.parent.glob("notes.json*")} == {notes.name, f"{notes.name}.lock"}


def test_what_is_found_in_another_form_is_returned_and_not_noted(notes: Path) -> None:
    find = Mock(return_value="no")
    assert [noted(notes.name, "one", "yes", find) for _ in range(2)] == ["no"] * 2
    assert find.call_count == 2
    assert not notes.exists()


@pytest.mark.parametrize("held", ["twelve", 12, None, ["12"], "12 "])
def test_a_note_of_another_form_is_damaged(notes: Path, held: object) -> None:
    notes.parent.mkdir(parents=True, exist_ok=True)
    notes.write_text(json.dumps({"one": held, "other": "34"}))
    find = Mock(return_value="12")
    assert [noted(notes.name, "one", r"\d+", find) for _ in range(2)] == ["12"] * 2
    assert find.call_count == 1
    assert json.loads(notes.read_text()) == {"one": "12", "other": "34"}
