"""Which occupations count under the options for weights and neutral point."""

from __future__ import annotations

import numpy as np
import pytest

from pcf_core.audit.options import ViewOptions, counted_occupations
from pcf_core.core.errors import EvidenceError
from pcf_core.material.evidence import make_evidence, womens_share
from pcf_core.material.topics import load_topic

LIST = make_evidence("few", ["nurse", "accountant", "wizard", "engineer"])


def test_uniform_weights_count_everybody_alike() -> None:
    counted = counted_occupations(LIST, load_topic("gender"), ViewOptions())
    assert counted.weights == pytest.approx(dict.fromkeys(LIST.terms, 0.25))
    assert counted.reference is None
    assert counted.left_out == ()


def test_the_labour_force_counts_whom_it_knows_and_names_the_others() -> None:
    counted = counted_occupations(LIST, load_topic("gender"), ViewOptions(reference="labour"))
    shares = womens_share(LIST)
    assert list(counted.weights) == [term for term in LIST.terms if term in shares]
    assert {item.name for item in counted.left_out} == set(LIST.terms) - set(shares) >= {"wizard"}
    assert counted.reference.tolist() == [[1 - shares[term], shares[term]] for term in counted.weights]
    assert np.allclose(counted.reference.sum(axis=1), 1)


def test_a_list_that_nobody_knows_is_refused() -> None:
    unknown = make_evidence("none", ["wizard", "witch"])
    with pytest.raises(EvidenceError, match="None of the occupations of 'none' has a figure"):
        counted_occupations(unknown, load_topic("gender"), ViewOptions(reference="labour"))
