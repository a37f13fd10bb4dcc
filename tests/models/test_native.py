"""The types that the library has classes for, read without importing it."""

from __future__ import annotations

import subprocess
import sys

from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES
from transformers.models.auto.modeling_auto import (
    MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
    MODEL_FOR_MASKED_LM_MAPPING_NAMES,
    MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES,
)

from pcf_core.models.family import causal_types, masked_types, native_types


def test_they_are_the_librarys_own_tables() -> None:
    assert native_types() <= set(CONFIG_MAPPING_NAMES)
    assert native_types() >= {*MODEL_FOR_CAUSAL_LM_MAPPING_NAMES, *MODEL_FOR_MASKED_LM_MAPPING_NAMES}
    assert native_types() >= {*MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES}
    assert masked_types() == set(MODEL_FOR_MASKED_LM_MAPPING_NAMES)
    assert causal_types() == set(MODEL_FOR_CAUSAL_LM_MAPPING_NAMES)


def test_reading_them_imports_no_transformers() -> None:
    code = (
        "import sys; from pcf_core.models.family import causal_types, native_types; "
        "assert 'gpt2' in native_types() & causal_types(); "
        "sys.exit(any(name in sys.modules for name in ('torch', 'transformers')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
