"""What tests of files of template sets share."""

import pytest

from pcf_core.core.errors import TemplateError
from pcf_core.material.templates import load_mined, load_templates

TEXTS = ["The [X] said that [Y]", "The [X] felt that [Y]"]


def refused(refusal, path):
    """Both ways to read the file refuse it with the same sentence."""
    sentences = []
    for load in (load_mined, load_templates):
        with pytest.raises(TemplateError) as caught:
            load(path)
        sentences.append(refusal(caught.value))
    assert sentences[0] == sentences[1]
    return sentences[0]
