"""Text audits of packs: they read as where they were made, and never pass for what is asked here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pcf_core.core.errors import CriteriaError, FairPairError, ModelError, PackError
from pcf_core.core.generation import Generated
from pcf_core.core.records import digest
from pcf_core.models.registry import resolve_writer
from pcf_core.report.provenance import facts_of_texts
from pcf_core.show.findings.provenance import imported_note
from pcf_core.store.store import Store
from pcf_core.work.criteria import CRITERIA_AUDIT, kept_labellers, load_asked_experiment
from pcf_core.work.fairpair import FAIRPAIR_AUDIT, load_pairs, load_perturbation_table, load_prompt_set
from pcf_core.work.packing import packed_criteria, packed_fairpair
from tests.report.small_packs import brought
from tests.report.small_texts import (
    KEY,
    add_fairpair,
    add_scored,
    add_written,
    forged,
    packed_texts,
)


@pytest.fixture
def theirs(tmp_path: Path) -> Store:
    return Store.open(tmp_path / "theirs")


def test_fairpair_reads_the_same_in_an_empty_store(theirs: Store, ours: Store) -> None:
    key = add_fairpair(theirs)
    (new,) = brought(ours, packed_texts(theirs, fairpair=[key])).new_texts
    there, here = FAIRPAIR_AUDIT.load(theirs, key), FAIRPAIR_AUDIT.load(ours, new.asked.hash)
    assert there is not None
    assert here is not None
    assert here.words == there.words
    assert here.convergence == there.convergence
    assert here.reports["jaccard"].p_value == there.reports["jaccard"].p_value
    for place in range(len(there.counterparts)):
        assert load_pairs(ours, here, place) == load_pairs(theirs, there, place)
    assert load_prompt_set(ours, here.asked) == load_prompt_set(theirs, there.asked)
    assert load_perturbation_table(ours, here.asked) == load_perturbation_table(theirs, there.asked)
    assert FAIRPAIR_AUDIT.kept(ours) == FAIRPAIR_AUDIT.imported(ours) == (here.asked,)


def test_the_criteria_read_the_same_in_an_empty_store(theirs: Store, ours: Store) -> None:
    keys = [add_written(theirs), add_scored(theirs)]
    new = brought(ours, packed_texts(theirs, criteria=keys)).new_texts
    for key, one in zip(keys, new, strict=True):
        there, here = CRITERIA_AUDIT.load(theirs, key), CRITERIA_AUDIT.load(ours, one.asked.hash)
        assert there is not None
        assert here is not None
        assert here.report == there.report
        experiment = load_asked_experiment(ours, here.asked)
        assert experiment.title == there.asked.title
    written = CRITERIA_AUDIT.imported(ours)
    lacking = [
        CRITERIA_AUDIT.missing(ours, one, load_asked_experiment(ours, one))
        for one in written
        if one.generation is not None
    ]
    assert lacking == [0], "its texts are there, such as for the embedding score of several models"


def test_an_imported_result_is_marked_with_who_made_it(theirs: Store, ours: Store) -> None:
    data = packed_texts(theirs, fairpair=[add_fairpair(theirs)], criteria=[add_written(theirs)])
    pair, tasks = brought(ours, data, "unknown key").new_texts
    found, other = FAIRPAIR_AUDIT.load(ours, pair.asked.hash), CRITERIA_AUDIT.load(ours, tasks.asked.hash)
    assert found is not None
    assert other is not None
    assert imported_note("M", found.provenance) == (
        "M is imported: scored by Ann's lab, with weights that are not on this machine (signed with an "
        "unknown key). Not calculated again here: the exchange of words."
    )
    assert imported_note("M", other.provenance).endswith("(signed with an unknown key).")
    for facts in (facts_of_texts(ours, "M", found), facts_of_texts(ours, "M", other)):
        assert "scored by Ann's lab" in facts.facts["imported"]
        assert any("is imported" in line for line in facts.warnings)
        assert facts.commands == ()


def test_a_forged_name_is_never_that_of_a_model_here(theirs: Store, ours: Store) -> None:
    """Nor its key: what is asked here finds nothing of it."""
    key = KEY.model_copy(update={"model": "mini-gpt"})
    own = add_fairpair(theirs, key)
    (new,) = brought(ours, packed_texts(theirs, fairpair=[own])).new_texts
    assert new.asked.key.model.startswith("imported:mini-gpt@")
    with pytest.raises(ModelError, match="is not installed, only its imported results"):
        resolve_writer(new.asked.key.model)
    assert FAIRPAIR_AUDIT.load(ours, own) is None
    assert ours.texts(key, "John is a nurse.", 1) is None


def test_what_is_written_here_never_takes_a_text_of_a_pack(theirs: Store, ours: Store) -> None:
    brought(ours, packed_texts(theirs, criteria=[add_written(theirs)]))
    experiment = load_asked_experiment(ours, CRITERIA_AUDIT.imported(ours)[0])
    prompts = [ask.prompt for ask in experiment.asks("continuation")]
    assert len(ours.missing_texts(KEY, prompts, 2)) == len(prompts)
    assert ours.missing_texts(KEY.as_imported, prompts, 2) == []
    with pytest.raises(ValueError, match="come in packs"):
        ours.write_texts(KEY.as_imported, Generated("a", 0, ("b",), ("stop",), (1,)), {})


def test_a_labeller_that_a_pack_names_is_not_offered(theirs: Store, ours: Store, tmp_path: Path) -> None:
    """A viewer may choose a labeller that has labelled here, and it is then looked for."""
    (tmp_path / "mine.csv").write_text("name,gender\nMary,female\nJohn,male\n", encoding="utf8")
    one = packed_criteria(theirs, add_written(theirs, "hobbies", tmp_path / "mine.csv"))

    def labelled(body: dict[str, object]) -> dict[str, object]:
        text = json.dumps(body).replace(str(one.material["labeller"]), "nli evil/model 0123456789ab")
        made = json.loads(text)
        made["result"]["asked"]["material"] = digest(made["material"])
        return dict(made)

    (new,) = brought(ours, forged(one, labelled)).new_texts
    found = CRITERIA_AUDIT.load(ours, new.asked.hash)
    assert found is not None
    assert "Not calculated again here: the labels" in imported_note("M", found.provenance)
    assert kept_labellers(ours) == {}


def test_the_same_pack_again_changes_nothing(theirs: Store, ours: Store, tmp_path: Path) -> None:
    data = packed_texts(theirs, fairpair=[add_fairpair(theirs)], criteria=[add_written(theirs)])
    brought(ours, data)
    before = stamps(tmp_path / "ours" / "imported")
    again = brought(ours, data)
    assert (again.new_texts, len(again.known_texts)) == ((), 2)
    assert stamps(tmp_path / "ours" / "imported") == before


def stamps(folder: Path) -> list[tuple[Path, int]]:
    return sorted((path, path.stat().st_mtime_ns) for path in folder.rglob("*") if path.is_file())


def test_other_texts_of_the_same_prompts_are_refused(
    theirs: Store, ours: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under the same key, in another result: pages would show one for the other."""
    brought(ours, packed_texts(theirs, fairpair=[add_fairpair(theirs)]))
    monkeypatch.setattr("tests.report.small_texts.OF_JANE", (" She flies.", " She", " It", "", " A"))
    others = Store.open(tmp_path / "others")
    for fold in (None, 5):
        with pytest.raises(PackError, match="contradicts an earlier import"):
            brought(ours, packed_texts(others, fairpair=[add_fairpair(others, fold=fold)]))
    assert len(ours.imported_texts()) == 1


def test_an_imported_result_is_deleted_with_its_texts(theirs: Store, ours: Store, tmp_path: Path) -> None:
    data = packed_texts(theirs, fairpair=[add_fairpair(theirs), add_fairpair(theirs, fold=5)])
    first, second = brought(ours, data).new_texts
    before = ours.imported_stamp(first.asked.hash)
    ours.delete_imported_texts(first.asked.hash)
    assert before
    assert ours.imported_stamp(first.asked.hash) == 0
    assert FAIRPAIR_AUDIT.load(ours, first.asked.hash) is None
    found = FAIRPAIR_AUDIT.load(ours, second.asked.hash)
    assert found is not None
    assert load_pairs(ours, found, 0).perturbed_prompt
    ours.delete_imported_texts(second.asked.hash)
    ours.delete_imported_texts("../../etc")
    assert not [path for path in (tmp_path / "ours" / "imported").rglob("*") if path.is_file()]


def test_what_was_imported_is_not_passed_on(theirs: Store, ours: Store) -> None:
    pair, tasks = brought(
        ours, packed_texts(theirs, fairpair=[add_fairpair(theirs)], criteria=[add_written(theirs)])
    ).new_texts
    with pytest.raises(FairPairError, match="was imported and cannot be packed again: pass on the pack"):
        packed_fairpair(ours, pair.asked.hash)
    with pytest.raises(CriteriaError, match="was imported and cannot be packed again: pass on the pack"):
        packed_criteria(ours, tasks.asked.hash)
