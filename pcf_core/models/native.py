"""Which model types the installed transformers has classes of its own for.

Read from the text of its tables: importing transformers takes seconds, and the app's process may not hold it.
"""

from __future__ import annotations

import ast
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path


def native_types() -> frozenset[str]:
    """The values of ``model_type`` that need no code from a model's repository; all of language models."""
    return _keys("auto_mappings.py", "CONFIG_MAPPING_NAMES") | {"gpt-sw3"}


def masked_types() -> frozenset[str]:
    """The types that have a class for masked language modelling."""
    return _keys("modeling_auto.py", "MODEL_FOR_MASKED_LM_MAPPING_NAMES")


def causal_types() -> frozenset[str]:
    """The types that have a class for causal language modelling."""
    return _keys("modeling_auto.py", "MODEL_FOR_CAUSAL_LM_MAPPING_NAMES")


@lru_cache(maxsize=3)
def _keys(file: str, table: str) -> frozenset[str]:
    """The keys of ``table = OrderedDict([(key, class), …])`` in a file of transformers' ``models/auto``."""
    package = find_spec("transformers")
    assert package is not None
    assert package.origin is not None
    text = (Path(package.origin).parent / "models" / "auto" / file).read_text(encoding="utf8")
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == table:
            assert isinstance(node.value, ast.Call)
            return frozenset(key for key, _ in ast.literal_eval(node.value.args[0]))
    raise AssertionError(f"transformers has no {table} in {file}")
