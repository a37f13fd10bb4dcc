"""The template that a directory's tokenizer would use, by its hash."""

from __future__ import annotations

import copy
import json
from pathlib import Path

import pytest
from transformers import AutoTokenizer

from pcf_core.core.records import digest
from pcf_core.models.folder import chat_template_hash
from tests.models.scoring.tiny_tokenizers import gpt2_tokenizer

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
