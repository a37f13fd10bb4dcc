"""Convert a GGUF file, or an adapter with its base, to a model directory in the hub's layout, in the cache.

transformers dequantizes a GGUF file to float32, PEFT merges an adapter in float32, and the result is saved as
safetensors, once.  The directory is named by the model's hash and :data:`CONVERTER` or :data:`MERGER`,
appears whole or not at all, and is made by one process.
"""

from __future__ import annotations

import io
import re
import shutil
import tempfile
import warnings
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import redirect_stderr
from math import isclose
from pathlib import Path
from textwrap import shorten
from typing import Any

import torch
from filelock import FileLock
from safetensors.torch import load_file
from tokenizers import Regex, normalizers, pre_tokenizers
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer, PreTrainedModel
from transformers.models.qwen2.tokenization_qwen2 import PRETOKENIZE_REGEX
from transformers.utils import logging

from pcf_core.core.errors import ModelError
from pcf_core.core.records import digest
from pcf_core.core.run import ModelSpec
from pcf_core.core.settings import settings
from pcf_core.models.adapter import ADAPTER, Adapter, read_adapter
from pcf_core.models.extent import Extent, require_built
from pcf_core.models.folder import FURTHER_VOCABULARIES, TOKENIZER_FILES, file_hash, first
from pcf_core.models.gguf import (
    CARRIED,
    DIGIT_SPLITS,
    LLAMA3_SPLITS,
    QWEN2_SPLITS,
    SAME_FACTOR,
    Header,
    read_entries,
    read_header,
    require_readable,
)
from pcf_core.models.registry import resolve

CONVERTER = "2"  # raise when the same file gives another directory
FOLDER = "gguf"
MERGER = "1"  # raise when the same adapter and base give another directory
MERGED = "adapters"
SAME_LOGARITHM = 1e-3  # nats, far above rounding, far below what a lost layer does
PROBED = 16  # tokens
POSITIONS = "position_embd.weight"  # a vector for each position
OF_WINDOWS = "sliding_attention_inv_freq"  # of layers with an attention window
SAME_VALUE = 1e-4  # relative: rounding to float32, and powers of it
SPACE = "▁"  # in SentencePiece
SPACES = f"{SPACE}Ġ"  # how vocabularies write it
BYTE = re.compile("<0x[0-9A-F]{2}>")
PLAIN = "The nurse said that she was late, and he told the doctor about it."
MORE_LETTERS = 0.25  # share of single letters beyond what the vocabulary allows
PIECE = 2**24  # bytes copied at a time


def converted(spec: ModelSpec, files: Sequence[Path]) -> Path:
    """Return the directory of a GGUF model, made now if needed.

    ``files``: its parts in order (:func:`pcf_core.models.public.gguf_files`), with the hash
    ``spec.identity``.  Raises ModelError for other bytes, and for a file that cannot be read correctly.
    """
    return _kept(spec, FOLDER, spec.identity, CONVERTER, lambda draft: _convert(spec, files, draft))


def merged(spec: ModelSpec, load: Callable[[ModelSpec], tuple[Any, Path]]) -> Path:
    """Return the directory of an adapter merged into its base, made now if needed.

    ``load``: loads a model in float32 and returns it with the folder of its files.  Raises ModelError for
    files that changed, and for an adapter that does not fit its base or is not merged exactly.
    """
    # Its folder also has a tokenizer and a chat template, which may be the base's or come later.
    parts = digest([spec.identity, spec.tokenizer, spec.chat_template])
    return _kept(spec, MERGED, parts, MERGER, lambda draft: _merge(spec, load, draft / "model"))


def _kept(spec: ModelSpec, kind: str, parts: str, version: str, make: Callable[[Path], None]) -> Path:
    """Return a model's directory in the cache, after ``make`` has made ``model`` in a draft, if needed.

    ``parts``: the hash of all that is in it.
    """
    cache = settings().cache / kind
    folder = cache / f"{parts[:32]}-{version}"
    if folder.is_dir():
        return folder
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with FileLock(cache / f"{folder.name}.lock"):
            if not folder.is_dir():
                for left in cache.glob(f"{folder.name}.*/"):  # from a killed process
                    shutil.rmtree(left, ignore_errors=True)
                with tempfile.TemporaryDirectory(dir=cache, prefix=f"{folder.name}.") as draft:
                    make(Path(draft))
                    (Path(draft) / "model").rename(folder)
    except OSError as error:
        raise ModelError(
            f"The model {spec.name} cannot be converted in the cache folder {cache} "
            f"({error.strerror or error}): it needs {4 * spec.parameters / 1e9:.1f} GB of free space there."
        ) from error
    return folder


def _convert(spec: ModelSpec, files: Sequence[Path], draft: Path) -> None:
    whole = draft / "whole.gguf"
    if _join(files, whole) != spec.identity:
        raise ModelError(
            f"The GGUF file of {spec.name} has changed (its hash is no longer {spec.identity[:12]}…): "
            "install the version that was requested, or start again."
        )
    header = read_header(whole, spec.name)
    require_readable(header, spec.name)
    logging.disable_progress_bar()
    try:
        with redirect_stderr(io.StringIO()):  # a progress bar without a switch
            _save(spec, header, whole, draft / "model")
        if file_hash(whole) != spec.identity:
            raise ModelError(
                f"The GGUF file of {spec.name} changed while it was being read: try again when no program is "
                "writing to it."
            )
    except (ModelError, OSError):
        raise
    except Exception as error:  # transformers may fail in any way
        reason = shorten(f"{type(error).__name__}: {error}", 240, placeholder=" …")
        raise ModelError(
            f"The GGUF file of {spec.name} cannot be read ({reason}): use another file of the model, or "
            "serve the model and connect it as an endpoint."
        ) from error


def _join(files: Sequence[Path], whole: Path) -> str:
    """Join the files (a single one is linked) and return their hash (SHA-256)."""
    if len(files) == 1:
        whole.symlink_to(files[0].resolve())
    else:
        with whole.open("wb") as target:
            for path in files:
                with path.open("rb") as source:
                    shutil.copyfileobj(source, target, PIECE)
    return file_hash(whole)


def _save(spec: ModelSpec, header: Header, whole: Path, folder: Path) -> None:
    """Save the model that transformers reads, after checking that it uses the whole file."""
    config = AutoConfig.from_pretrained(whole.parent, gguf_file=whole.name, local_files_only=True)
    if POSITIONS in header.tensors:  # transformers makes 1,024 for GPT-2, whatever the file says
        config.max_position_embeddings = header.tensors[POSITIONS][-1]
    require_built(config, Extent.of_shapes(list(header.tensors.values()), 0), spec.name, AutoModelForCausalLM)
    model = AutoModelForCausalLM.from_pretrained(
        whole.parent,
        config=config,
        gguf_file=whole.name,
        dtype=torch.float32,
        local_files_only=True,
        use_safetensors=True,
        trust_remote_code=False,
    )
    taken = sum(tensor.numel() for tensor in model.parameters())
    if taken != header.weights:
        raise ModelError(
            f"The GGUF file of {spec.name} holds {header.weights:,} weights, but transformers uses {taken:,} "
            "of them, so the scores would be wrong: serve the model and connect it as an endpoint."
        )
    _carry(model, header, spec.name)
    if header.rope_scaling:
        _scale_positions(model, header, spec.name)
    # transformers refuses to save a model that is marked as quantized.
    del model.config.quantization_config
    model.hf_quantizer = None
    model.save_pretrained(folder)
    _tokenizer(header, whole).save_pretrained(folder)


def _carry(model: PreTrainedModel, header: Header, name: str) -> None:
    """Add what transformers does not read to the configuration, and compare the rest with the file.

    Raises ModelError for a value without a field, or different from the model's.
    """
    config, kind = model.config, header.architecture
    if header.query_scalar is not None:
        config.query_pre_attn_scalar = header.query_scalar
    lost = []
    for field, attribute in CARRIED.items():
        stated = header.metadata.get(f"{kind}.{field}")
        if stated and hasattr(config, attribute):
            setattr(config, attribute, stated)
        elif stated:
            lost.append(field)
    for field, values in _computed(model, header).items():
        stated = header.metadata.get(f"{kind}.{field}")
        if stated is None or (values and all(isclose(one, stated, rel_tol=SAME_VALUE) for one in values)):
            continue
        used = f"{values[0]:g}" if values else "none"
        lost.append(f"{field} = {stated:g}, where {used} would be used")
    if lost:
        raise ModelError(
            f"The GGUF file of {name} has settings that transformers would not use ({'; '.join(lost)}), so "
            "the scores would be wrong: give a directory with the model's safetensors, or serve the model "
            "and connect it as an endpoint."
        )


def _computed(model: PreTrainedModel, header: Header) -> dict[str, list[float]]:
    """Return the values that the model uses, by the entry of the file that states the same."""
    buffers = {name: buffer for name, buffer in model.named_buffers() if name.endswith("inv_freq")}
    frequencies = list(buffers.values())
    of_windows = [buffer for name, buffer in buffers.items() if name.endswith(OF_WINDOWS)]
    norms = [
        float(value)
        for attribute in ("layer_norm_eps", "layer_norm_epsilon", "norm_eps", "norm_epsilon", "rms_norm_eps")
        if (value := getattr(model.config, attribute, None)) is not None
    ]
    computed = {
        "rope.dimension_count": [2.0 * len(buffer) for buffer in frequencies],
        "attention.layer_norm_epsilon": norms,
        "attention.layer_norm_rms_epsilon": norms,
        "rope.freq_base_swa": _bases(of_windows),
    }
    if "rope.freq_base" not in read_entries(header.architecture):
        computed["rope.freq_base"] = _bases(frequencies)
    return computed


def _bases(frequencies: Sequence[torch.Tensor]) -> list[float]:
    """Return the base of each row of frequencies: the second of n is the base to the power of −1/n."""
    return [float(row[1]) ** -len(row) for row in frequencies if len(row) > 1]


def _tokenizer(header: Header, whole: Path) -> Any:
    """Make the tokenizer of a file, with the splitting rules that transformers leaves out."""
    opening = {"add_bos_token": True} if header.opens else {}
    tokenizer = AutoTokenizer.from_pretrained(
        whole.parent, gguf_file=whole.name, local_files_only=True, **opening
    )
    first = {
        **dict.fromkeys(DIGIT_SPLITS, pre_tokenizers.Digits(individual_digits=True)),
        **dict.fromkeys(QWEN2_SPLITS, pre_tokenizers.Split(Regex(PRETOKENIZE_REGEX), "isolated")),
    }.get(header.split)
    backend = tokenizer.backend_tokenizer
    if first is not None:
        gpt2 = header.split in DIGIT_SPLITS
        then = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=gpt2)
        backend.pre_tokenizer = pre_tokenizers.Sequence([first, then])
    if header.split in LLAMA3_SPLITS:
        backend.model.ignore_merges = True
    if header.prefixed:
        backend.normalizer, backend.pre_tokenizer = normalizers.Replace(" ", SPACE), None
    return tokenizer


def require_merges(tokenizer: Any, name: str) -> None:
    """Raise ModelError if plain words become letters although the vocabulary has longer pieces of them.

    A byte-level vocabulary without its merges does so (github.com/ggml-org/llama.cpp/issues/7476).
    """
    tokens, vocabulary = tokenizer.tokenize(PLAIN), tokenizer.get_vocab()
    fewest = [piece for word in _words(tokens) for piece in _fewest(word, vocabulary)]
    single, possible = _single(tokens), _single(fewest)
    if single > possible + MORE_LETTERS:
        raise ModelError(
            f"The tokenizer in the GGUF file of {name} splits a plain sentence into single letters "
            f"({100 * single:.0f} % of its tokens, where its vocabulary needs {100 * possible:.0f} %), so "
            "its merges are lost and the scores would be wrong: use a file that was converted again, or give "
            "a directory with the model's safetensors and tokenizer."
        )


def _single(tokens: Sequence[str]) -> float:
    """Return the share of tokens that are one letter or one byte."""
    letters = sum(len(token.strip(SPACES)) <= 1 or BYTE.fullmatch(token) is not None for token in tokens)
    return letters / max(1, len(tokens))


def _words(tokens: Sequence[str]) -> list[str]:
    """Join tokens, and cut them again where a word begins, as the tokenizer's alphabet writes it."""
    return [word for word in re.split(f"(?=[{SPACES}])", "".join(tokens)) if word]


def _fewest(word: str, vocabulary: Collection[str]) -> list[str]:
    """Split a word into as few entries as possible; a character without an entry stands alone."""
    best: list[list[str]] = [[]]
    for end in range(1, len(word) + 1):
        ways = [[*best[start], word[start:end]] for start in range(end) if word[start:end] in vocabulary]
        best.append(min([*ways, [*best[end - 1], word[end - 1]]], key=len))
    return best[-1]


def _scale_positions(model: PreTrainedModel, header: Header, name: str) -> None:
    rotary = model.model.rotary_emb
    wanted = rotary.inv_freq / torch.tensor(header.rope_factors)
    model.config.rope_parameters = {**model.config.rope_parameters, **(header.rope_scaling or {})}
    made = type(rotary)(config=model.config).inv_freq
    if not torch.allclose(made, wanted, rtol=SAME_FACTOR, atol=0.0):
        raise ModelError(
            f"The GGUF file of {name} scales its positions in a way that the installed transformers does not "
            "support: give a directory with the model's safetensors, or serve the model and connect it as "
            "an endpoint."
        )


# Adapters.


CHAT = "chat_template.jinja"
PREFIX = "base_model.model."  # of PEFT, before the names of the model


def _merge(spec: ModelSpec, load: Callable[[ModelSpec], tuple[Any, Path]], folder: Path) -> None:
    """Merge an adapter, and compare the saved model with the adapter beside its base."""
    _require_same(spec)
    adapter = read_adapter(Path(spec.path), spec.name, alone=False)
    base, files = load(resolve(spec.base))
    logging.disable_progress_bar()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the comparison finds whatever matters of what PEFT warns about
        changed = _with_adapter(base, adapter, spec)
        try:
            expected = _probed(changed)
            whole = changed.merge_and_unload()
            whole.save_pretrained(folder)
            again, report = type(whole).from_pretrained(
                folder,
                dtype=torch.float32,
                use_safetensors=True,
                local_files_only=True,
                output_loading_info=True,
            )
            if report["missing_keys"]:
                raise ValueError(f"saving loses {first(sorted(report['missing_keys']))}")
            reloaded = _probed(again)
            if not (apart := float((reloaded - expected).abs().max())) <= SAME_LOGARITHM:
                raise ValueError(f"log-probabilities change by up to {apart:.2g} nats")
        except OSError:
            raise
        except Exception as error:  # a model may fail in any way
            reason = shorten(str(error), 240, placeholder=" …")
            raise ModelError(
                f"The adapter {spec.name} cannot be merged into {spec.base} exactly ({reason}): serve the "
                "model with its adapter and connect it as an endpoint."
            ) from error
    tokenizer = adapter.folder if adapter.has_tokenizer else files
    for file in (*TOKENIZER_FILES, *FURTHER_VOCABULARIES, CHAT):
        if (tokenizer / file).is_file():
            shutil.copyfile(tokenizer / file, folder / file)
    _require_same(spec)


def _require_same(spec: ModelSpec) -> None:
    now = resolve(spec.name)
    if (now.identity, now.tokenizer) != (spec.identity, spec.tokenizer):
        raise ModelError(
            f"The adapter {spec.name} or its base {spec.base} changed while they were being merged, for "
            "example because a training run saved a checkpoint: try again when no program is writing to them."
        )


def _with_adapter(base: Any, adapter: Adapter, spec: ModelSpec) -> Any:
    """Put an adapter on its base, every tensor of it; ModelError if they do not fit."""
    from peft import LoraConfig, PeftModel, set_peft_model_state_dict

    tensors = load_file(adapter.weights)
    named = {key.removeprefix(PREFIX).partition(".lora_")[0] for key in tensors if ".lora_" in key}
    lora = adapter.lora.model_dump()
    lora["target_modules"] = lora["target_modules"] or sorted(named)
    _untie(base, tensors)
    try:
        changed = PeftModel(base, LoraConfig(**lora))
        read = set_peft_model_state_dict(changed, tensors)
        lost = [key for key in read.missing_keys if ".lora_" in key or ".modules_to_save." in key]
        if odd := [*read.unexpected_keys, *lost]:
            where = "that its model does not have" if read.unexpected_keys else "not in its weights"
            raise ValueError(f"{len(odd):,} tensors {where}, for example {odd[0][:120]!r}")
    except Exception as error:  # PEFT may fail in any way
        reason = shorten(str(error), 240, placeholder=" …")
        raise ModelError(
            f"The adapter {spec.name} does not fit the model {spec.base}, which {ADAPTER} names as its base "
            f"({reason}): take both its files from one checkpoint, and write the model that it was "
            "trained on as base_model_name_or_path there."
        ) from error
    return changed.eval()


def _untie(model: Any, tensors: Iterable[str]) -> None:
    """Give the head weights of its own if the adapter changes it, or the embedding: one of them alone."""
    ends = model.get_input_embeddings(), model.get_output_embeddings()
    names = [f".{name}." for name, module in model.named_modules() if module in ends]
    if None in ends or ends[0].weight is not ends[1].weight:
        return
    if any(name in key and not key.endswith("bias") for name in names for key in tensors):
        ends[1].weight = torch.nn.Parameter(ends[1].weight.detach().clone())
        model.config.get_text_config().tie_word_embeddings = model.config.tie_word_embeddings = False


@torch.inference_mode()
def _probed(model: Any) -> torch.Tensor:
    """Return the log-probabilities of every token after a few."""
    ids = torch.arange(PROBED)[None] % model.config.get_text_config().vocab_size
    decoder = {"decoder_input_ids": ids} if model.config.is_encoder_decoder else {}
    return torch.as_tensor(model(input_ids=ids, **decoder).logits.log_softmax(-1))
