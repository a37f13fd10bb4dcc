"""docs/sentences.md is what the script prints, and no sentence of the app is missing from it unnoticed."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import re
from types import ModuleType

import pytest

from pcf_core.show import compare, findings, overview
from tools import print_sentences
from tools.print_sentences import PLACE, sentences

NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
# Functions whose sentences no shipped result has: they need a worker, an endpoint, or material of a user.
ELSEWHERE = {
    # Modules: a typed sentence, a job or a plan, planted models and seeds, a policy, files of a user, people.
    *("probe", "reliability", "gate", "benchmarks", "partial"),
    *("findings.notes.progress_note", "findings.notes.look_finding", "findings.provenance.journal_finding"),
    *("findings.notes.tokens_sentence", "findings.notes.tokens_clause", "findings.notes.sizes_clause"),
    *("findings.notes.unequal_note", "findings.notes.none_equal_note"),
    *(
        "findings.comparison.topics_finding",
        "findings.comparison.agreement_finding",
        "findings.comparison.checkpoints_finding",
        "findings.comparison.size_finding",
    ),
    *("findings.comparison.alignment_finding", "findings.independence.embedding_findings"),
    *("findings.independence.gap_finding", "findings.criteria.criteria_findings"),
    *("findings.fairpair.few_note", "findings.fairpair.grid_finding"),
    *("findings.fairpair.declined_finding", "findings.fairpair.silence_warning"),
    *(
        "findings.models.whole_templates_finding",
        "findings.notes.tokens_note",
        "findings.notes.coverage_note",
        "findings.notes.coverage_sentence",
    ),
    *(
        "findings.notes.noise_note",
        "findings.notes.noun_note",
        "findings.notes.other_lists_note",
        "findings.comparison.common_note",
    ),
    *("findings.why.uncompared_finding", "findings.material.mining_finding"),
    *(
        "findings.material.move_finding",
        "findings.material.words_finding",
        "findings.material.probes_finding",
    ),
    *("findings.material.low_probes_caution", "findings.material.same_tokens_cautions"),
    "findings.material.effective_words_finding",
    *("findings.material.forms_note", "findings.provenance.imported_note"),
    "findings.provenance.inspected_note",
    # Said inside others, which are there.
    "findings.independence.anecdotes_answer",
    *("findings.independence.stereotype_finding", "findings.independence.profession_link_finding"),
    *("findings.comparison.detectable_sentence", "findings.models.wording_finding"),
    *("findings.answers.separation_finding", "findings.answers.sufficiency_finding"),
    *("findings.answers.validity_finding", "findings.answers.untold_finding"),
    *("findings.answers.common_finding", "findings.answers.pairs_finding"),
    *(
        "findings.factors.carried_note",
        "findings.factors.templates_note",
        "findings.factors.matching_finding",
        "findings.factors.no_figures_note",
    ),
    *("findings.answers.disagreement_finding", "findings.occupations.opening_finding"),
    *("findings.notes.frame_note", "findings.notes.text_frame_note"),  # of commands
    "findings.notes.low_coverage_note",  # a part of no_answer_note
    *("tested", "findings.notes.longer_words_note"),  # as a report and the answer block have them
    *("findings.criteria.verdict_finding", "findings.criteria.judged_finding", "compare.pair_answer"),
}


def modules() -> list[ModuleType]:
    names = [found.name for found in pkgutil.iter_modules(findings.__path__)]
    several = [importlib.import_module(f"{findings.__name__}.{name}") for name in names]
    return [*several, compare, overview]


def sentence_functions() -> set[str]:
    """Names of the functions that write sentences, as the listing has them."""
    return {
        f"{module.__name__.removeprefix('pcf_core.show.')}.{name}"
        for module in modules()
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__
        and not name.startswith("_")
        and re.search(r"_(finding|findings|answer|note|notes|sentence|caution|cautions|warning)$", name)
    }


def test_every_sentence_is_printed_or_has_a_reason_not_to_be() -> None:
    """Read from the source of the script, so that nothing has to be computed."""
    tree = ast.parse(inspect.getsource(print_sentences))
    said = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            module = getattr(print_sentences, node.value.id, None)
            if isinstance(module, ModuleType) and module.__name__.startswith("pcf_core.show."):
                said.add(f"{module.__name__.removeprefix('pcf_core.show.')}.{node.attr}")
    missing = {
        name for name in sentence_functions() - said - ELSEWHERE if name.split(".")[-2] not in ELSEWHERE
    }
    assert missing == set()
    assert not said & ELSEWHERE


def test_sentences_have_no_digits_that_a_reader_cannot_use() -> None:
    """No scientific notation, and risks with two decimals where a sentence is the answer of a page."""
    text = PLACE.read_text(encoding="utf8")
    found = re.findall(r"^- \*(\w+)\*: (.*)$", text, re.MULTILINE)
    answers_of_pages = {"overview_answer", "risk_answer", "answer_lines", "risk_finding", "overview_finding"}
    answers_of_pages |= {"order_finding", "difference_finding", "lean_finding", "corrected_finding", "widest"}
    said = [
        sentence for name, sentence in found if name in answers_of_pages and "names first" not in sentence
    ]
    assert len(said) > 40
    for sentence in said:
        assert "×10" not in sentence, sentence
        # Two rounded risks may have another difference than the one that is stated.
        sentence = re.sub(r", that is 0\.\d{3} − 0\.\d{3}", "", sentence)
        assert not re.search(
            r"(?<!p = )\b0\.\d{3,}", sentence.replace("under 0.005", "").replace("under 0.001", "")
        )


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_file_is_what_the_script_prints() -> None:
    """Word by word; numbers may differ as much as another machine's arithmetic makes them."""
    printed, kept = sentences().text, PLACE.read_text(encoding="utf8")
    assert NUMBER.sub("#", printed) == NUMBER.sub("#", kept)
    for one, other in zip(NUMBER.findall(printed), NUMBER.findall(kept), strict=True):
        assert float(one.replace(",", "")) == pytest.approx(
            float(other.replace(",", "")), rel=0.02, abs=0.011
        )
