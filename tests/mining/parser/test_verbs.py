"""Past tenses against a list of examples, and against every past form of the treebanks."""

from __future__ import annotations

import gzip
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pcf_core.mining.verbs import (
    FORMS,
    REPORTING,
    is_irregular_past,
    is_reporting,
    past_participle,
    past_tense,
)

TREEBANK = Path(__file__).parents[3].parent / "shared" / "data" / "treebank"
EXAMPLES = """
take took taken   be was been   have had had   do did done   go went gone   say said said   see saw seen
stop stopped stopped   plan planned planned   quiz quizzed quizzed   quit quit quit   equip equipped equipped
panic panicked panicked   mimic mimicked mimicked   try tried tried   play played played   pay paid paid
like liked liked   agree agreed agreed   free freed freed   ski skied skied   dye dyed dyed
visit visited visited   open opened opened   offer offered offered   enter entered entered
travel traveled traveled
refer referred referred   prefer preferred preferred   occur occurred occurred   admit admitted admitted
fix fixed fixed   sew sewed sewn   show showed shown   allow allowed allowed   rain rained rained
found founded founded   find found found   wind wound wound   wound wounded wounded
lie lay lain   lay laid laid
overcome overcame overcome   undergo underwent undergone   withdraw withdrew withdrawn
rewrite rewrote rewritten
mislead misled misled   foresee foresaw foreseen   relay relayed relayed   repay repaid repaid
upset upset upset
co-write co-wrote co-written   co-star co-starred co-starred   re-elect re-elected re-elected
welcome welcomed welcomed   remind reminded reminded   need needed needed   feed fed fed   kneel knelt knelt
"""


def examples() -> list[list[str]]:
    """Lemma, past tense, participle."""
    return [entry.split() for line in EXAMPLES.splitlines() for entry in line.split("   ") if entry]


@pytest.mark.parametrize(("lemma", "past", "participle"), examples())
def test_examples(lemma: str, past: str, participle: str) -> None:
    assert (past_tense(lemma), past_participle(lemma)) == (past, participle)


@given(st.text("abcdefghijklmnopqrstuvwxyz", min_size=2, max_size=14))
def test_what_the_table_lacks_ends_in_ed_or_as_a_verb_of_the_table(lemma: str) -> None:
    assume(lemma not in FORMS)
    past = past_tense(lemma)
    assert past.endswith("ed") or any(past.endswith(known) for known, _ in FORMS.values())
    assert past[:1] == lemma[:1]


def test_reporting_verbs() -> None:
    assert all(map(is_reporting, ("say", "believe", "tell", "announce", "know", "deny")))
    assert not any(map(is_reporting, ("run", "elect", "become", "have", "be", "want", "refuse")))


@pytest.fixture(scope="module")
def attested() -> dict[str, dict[str, Counter[str]]]:
    """Tag -> lemma -> how often each form stands in the treebanks, verbs alone, no known slips."""
    if not TREEBANK.is_dir():
        pytest.skip("the treebanks of ../shared are not here")
    found: dict[str, dict[str, Counter[str]]] = {"VBD": defaultdict(Counter), "VBN": defaultdict(Counter)}
    for path in sorted(TREEBANK.glob("*.conllu.gz")):
        with gzip.open(path, "rt", encoding="utf8") as stream:
            for line in stream:
                columns = line.split("\t")
                if len(columns) < 10 or "Typo=Yes" in columns[5] or not columns[1].isalpha():
                    continue
                if columns[4] in found and columns[3] == "VERB":
                    found[columns[4]][columns[2].lower()][columns[1].lower()] += 1
    return found


@pytest.mark.parametrize(("tag", "inflect"), [("VBD", past_tense), ("VBN", past_participle)])
def test_the_treebanks_agree(
    tag: str, inflect: Callable[[str], str], attested: dict[str, dict[str, Counter[str]]]
) -> None:
    """All verbs that occur twice, but those of two forms in use and those whose lemma is a slip."""
    divided, slips = (
        {"get", "shrink", "stink", "label"},
        {"flead", "flow", "repaid", "supported", "embd", "can"},
    )
    forms_of = attested[tag]
    seen = {lemma for lemma, forms in forms_of.items() if forms.total() > 1} - divided - slips
    other = {lemma for lemma in seen if forms_of[lemma][inflect(lemma)] < max(forms_of[lemma].values())}
    assert len(seen) > 500
    assert not other


@pytest.mark.slow
def test_reporting_verbs_are_attested_with_that() -> None:
    """Nine in ten of the verbs that carry a clause with *that* three times in the treebanks report here."""
    if not TREEBANK.is_dir():
        pytest.skip("the treebanks of ../shared are not here")
    carried: Counter[str] = Counter()
    for path in sorted(TREEBANK.glob("*.conllu.gz")):
        with gzip.open(path, "rt", encoding="utf8") as stream:
            for block in stream.read().split("\n\n"):
                rows = [line.split("\t") for line in block.split("\n") if line and line[0].isdigit()]
                words = {row[0]: row for row in rows}
                clauses = {row[6] for row in rows if row[7] == "mark" and row[2] == "that"}
                for clause in clauses & words.keys():
                    if words[clause][7] == "ccomp":
                        governor = words[words[clause][6]]
                        carried[governor[2]] += governor[3] == "VERB"
    frequent = {lemma for lemma, count in carried.items() if count >= 3}
    assert len(frequent) > 60
    missing = frequent - REPORTING
    assert len(missing) <= len(frequent) / 10, sorted(missing)


@pytest.mark.parametrize(
    ("word", "past"), [("shook", True), ("wept", True), ("read", False), ("shake", False)]
)
def test_a_past_of_the_table_that_is_no_lemma_is_known(word: str, past: bool) -> None:
    assert is_irregular_past(word) == past
