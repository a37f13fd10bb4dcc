"""Runs by key, whole or by their first digits."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import RunError, StoreError
from pcf_core.core.records import LeftOut
from pcf_core.core.run import RunSpec, SamplingPlan, ScoringKey
from pcf_core.core.topics import Evidence, Group, Template, TemplateSet, Topic
from pcf_core.store.results import RunFolder, find_run
from pcf_core.store.store import Store


def run_of(key: ScoringKey, terms: tuple[str, ...] = ("nurse",), count: float = 1) -> RunSpec:
    return RunSpec(
        scoring=key,
        topic=Topic(
            name="gender",
            title="Gender",
            groups=(Group(name="male", words=("he",)), Group(name="female", words=("she",))),
        ),
        evidence=Evidence(name="few", title="Few", terms=terms),
        templates=TemplateSet(
            name="one", title="One", templates=(Template(text="The [X] said that [Y]", count=count),)
        ),
    )


def test_a_run_comes_back_by_its_key_or_its_beginning(store: Store, key: ScoringKey) -> None:
    run = run_of(key)
    store.save_run(run, {"device": "cpu"})
    assert store.load_run(run.key) == run
    assert store.load_run(run.key[:6]) == run
    info = store.run_info(run.key)
    assert (info.complete, info.provenance) == (True, {"device": "cpu"})
    assert store.runs() == (info,)


def others_of(run: RunSpec) -> list[RunSpec]:
    """The same run with one field of a list changed: every field that is no part of its key, in turn."""
    changed: dict[str, dict[str, object]] = {
        "topic": {
            "name": "other", "title": "Other", "aligned": True, "language": "de", "source": "s", "notes": "n",
            "left_out": (LeftOut(name="x", reason="y"),), "evidence": "e", "templates": "t",
            "position": "predicate", "spells": "p",
        },
        "evidence": {
            "name": "other", "title": "Other", "weights": (3.0,), "noun": "athlete", "source": "s",
            "notes": "n", "codes": ("1",),
        },
        "templates": {"name": "other", "title": "Other", "kept": 0.5, "source": "s", "notes": "n"},
    }  # fmt: skip
    of_topic = {"groups", "favourable", "unfavourable"}
    in_key = {"topic": of_topic, "evidence": {"terms"}, "templates": {"templates"}}
    found = []
    for name, fields in changed.items():
        item = getattr(run, name)
        assert fields.keys() | in_key[name] == type(item).model_fields.keys(), "a field is not looked at"
        for field, value in fields.items():
            found.append(run.model_copy(update={name: item.model_copy(update={field: value})}))
    template = {"count": 175.0, "documents": 9, "fits": ("pronoun",), "family": "saying"}
    assert template.keys() | {"text"} == Template.model_fields.keys(), "a field is not looked at"
    for field, value in template.items():
        several = tuple(one.model_copy(update={field: value}) for one in run.templates.templates)
        templates = run.templates.model_copy(update={"templates": several})
        found.append(run.model_copy(update={"templates": templates}))
    return found


def test_a_key_keeps_the_lists_that_were_first_stored(store: Store, key: ScoringKey) -> None:
    """Whatever of the lists is no part of a key, its readers see: nobody changes it for the others."""
    run = run_of(key)
    store.save_run(run, {}, complete=False)
    for other in others_of(run):
        assert other.key == run.key
        assert other != run
        store.ask_for(other)
        assert store.load_run(run.key) == store.as_stored(other) == run
        store.save_run(other, {"device": "cpu"})
        assert store.load_run(run.key) == run
    assert store.run_info(run.key).complete
    assert store.run_info(run.key).provenance == {"device": "cpu"}


def test_a_cache_changes_no_shipped_run(tmp_path: Path, key: ScoringKey) -> None:
    """Also where an earlier version has written other lists into the cache."""
    run = run_of(key)
    Store.open(tmp_path / "shipped").save_run(run, {})
    store = Store.open(tmp_path / "cache", [tmp_path / "shipped"])
    for other in others_of(run):
        store.ask_for(other)
        store.save_run(other, {"device": "cpu"})
        assert store.load_run(run.key) == run
        RunFolder(tmp_path / "cache").save(other, {"device": "tpu"}, complete=True)
        assert store.load_run(run.key) == run
        assert store.run_info(run.key).provenance == {"device": "tpu"}


def test_draws_by_other_counts_are_refused(store: Store, tmp_path: Path, key: ScoringKey) -> None:
    def drawing(count: float, times: int) -> RunSpec:
        plan = SamplingPlan(within=0.01, times=(times,))
        return run_of(key, count=count).model_copy(update={"plan": plan})

    first = drawing(1, 100)
    store.ask_for(first)
    for ask in (store.ask_for, store.as_stored, lambda run: store.save_run(run, {})):
        with pytest.raises(RunError, match=rf"The run {first.key} draws templates by the counts of one, but"):
            ask(drawing(175, 200))
    store.save_run(drawing(1, 200), {})
    assert store.load_run(first.key) == drawing(1, 200)
    above = Store.open(tmp_path / "above", [store._root])
    RunFolder(tmp_path / "above").save(drawing(175, 400), {}, complete=True)
    assert above.load_run(first.key) == drawing(1, 200)
    RunFolder(tmp_path / "above").save(drawing(1, 400), {}, complete=True)
    assert above.load_run(first.key) == drawing(1, 400)


def test_a_run_that_is_asked_for_is_kept_and_a_known_one_keeps_its_state(
    store: Store, key: ScoringKey
) -> None:
    run = run_of(key, count=1)
    store.ask_for(run)
    assert not store.run_info(run.key).complete
    store.save_run(run, {"device": "cpu"})
    before = store.run_info(run.key)
    store.ask_for(run)
    store.ask_for(run_of(key, count=175))
    assert store.run_info(run.key) == before


def test_who_asks_within_a_moment_looks_once_and_sees_own_changes(
    store: Store, root: Path, key: ScoringKey
) -> None:
    first, second = run_of(key), run_of(key, terms=("nurse", "clerk"))
    elsewhere = Store.open(root)
    with store.steady():
        assert store.runs() == ()
        elsewhere.save_run(first, {})
        assert store.runs() == (), "what another process does is seen in the next moment"
        assert not store.is_finished(first)
        store.save_run(second, {})
        assert {info.run.key for info in store.runs()} == {first.key, second.key}
        store.delete_run(second.key)
        assert [info.run.key for info in store.runs()] == [first.key]
    elsewhere.delete_run(first.key)
    assert store.runs() == ()


def test_within_a_moment_what_another_finished_is_not_taken_back(
    store: Store, root: Path, key: ScoringKey
) -> None:
    """A writer decides by what there is when its turn comes, and not by what a page saw before."""
    store.ask_for(run_of(key, count=1))
    with store.steady():
        assert not store.runs()[0].complete
        Store.open(root).save_run(run_of(key, count=1), {"device": "cpu"})
        store.ask_for(run_of(key, count=175))
        (after,) = store.runs()
    assert (after.complete, after.provenance) == (True, {"device": "cpu"})
    assert after.run.templates.counts.tolist() == [1.0]


def test_a_cache_that_cannot_be_read_is_not_called_an_unknown_run(tmp_path: Path, key: ScoringKey) -> None:
    """PCF_CACHE names a file: a shipped run is found, of any other nothing can be said."""
    (tmp_path / "file").write_text("no folder")
    Store.open(tmp_path / "shipped").save_run(run_of(key), {})
    store = Store.open(tmp_path / "file", [tmp_path / "shipped"])
    assert store.load_run(run_of(key).key) == run_of(key)
    with pytest.raises(StoreError, match=r"The cache at .*file cannot be used \(Not a directory\)"):
        store.load_run("0123456789abcdef")


def test_runs_of_the_shipped_layer_show_through(tmp_path: Path, key: ScoringKey) -> None:
    Store.open(tmp_path / "shipped").save_run(run_of(key), {"from": "shipped"})
    store = Store.open(tmp_path / "cache", [tmp_path / "shipped"])
    assert [info.provenance["from"] for info in store.runs()] == ["shipped"]
    store.save_run(run_of(key), {"from": "cache"})
    store.save_run(run_of(key, ("clerk",)), {"from": "cache"})
    assert [info.provenance["from"] for info in store.runs()] == ["cache", "cache"]


def test_a_damaged_run_is_left_out_and_can_be_saved_again(store: Store, root: Path, key: ScoringKey) -> None:
    run = run_of(key)
    store.save_run(run, {})
    store.save_run(run_of(key, ("clerk",)), {})
    path = root / "runs" / f"{run.key}.json"
    path.write_bytes(path.read_bytes().replace(b"nurse", b"purse"))
    assert [info.run.evidence.terms for info in store.runs()] == [("clerk",)]
    with pytest.raises(RunError, match=f"There is no run with the key '{run.key}'"):
        store.load_run(run.key)
    store.save_run(run, {})
    assert store.load_run(run.key) == run


def test_a_run_under_a_foreign_name_is_left_out(store: Store, root: Path, key: ScoringKey) -> None:
    store.save_run(run_of(key), {})
    path = root / "runs" / f"{run_of(key).key}.json"
    path.rename(path.with_stem("0" * 16))
    assert store.runs() == ()


@pytest.mark.parametrize(
    ("wanted", "says"),
    [
        ("abc123", "Several runs begin with 'abc123' (abc1230000000000, abc1239999999999): give more digits"),
        ("fffffff", "There is no run with the key 'fffffff': score it first"),
        ("abc12", "16 hexadecimal digits, of which at least the first 6"),
        ("../../etc/passwd", "hexadecimal digits"),
        ("", "hexadecimal digits"),
    ],
)
def test_what_stands_for_no_run_is_one_sentence(wanted: str, says: str) -> None:
    with pytest.raises(RunError) as caught:
        find_run(wanted, ["abc1230000000000", "abc1239999999999"])
    assert says in str(caught.value)


@given(
    st.sets(st.text("0123456789abcdef", min_size=16, max_size=16), min_size=1), st.integers(6, 16), st.data()
)
def test_a_prefix_finds_the_one_that_begins_with_it(keys: set[str], length: int, data: st.DataObject) -> None:
    full = data.draw(st.sampled_from(sorted(keys)))
    prefix = full[:length]
    if sum(other.startswith(prefix) for other in keys) == 1:
        assert find_run(prefix, sorted(keys)) == full
    else:
        with pytest.raises(RunError, match="give more digits"):
            find_run(prefix, sorted(keys))


def test_runs_on_the_same_list_share_it(store: Store, root: Path, key: ScoringKey) -> None:
    """Counts are no part of a set's hash, and two sets with other counts are not the same."""
    keys = [key.model_copy(update={"model": name}) for name in ("one", "two", "three")]
    for one, count in zip(keys, (1, 1, 175), strict=True):
        store.save_run(run_of(one, count=count), {})
    found = {info.run.scoring.model: info.run for info in Store.open(root).runs()}
    assert found == {one.model: run_of(one, count=n) for one, n in zip(keys, (1, 1, 175), strict=True)}
    assert found["one"].templates is found["two"].templates is not found["three"].templates
    assert found["one"].topic is found["three"].topic
    assert found["one"].evidence is found["three"].evidence
