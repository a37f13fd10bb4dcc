"""What a model's name says, which model it means, which may be used, and what lies beside one."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import ModelError
from pcf_core.core.factors import TrainingText
from pcf_core.core.families import LOCAL_FAMILIES
from pcf_core.core.generation import Decoding
from pcf_core.core.settings import ROOT, settings
from pcf_core.material.factors import read_counts
from pcf_core.models.facts import planted_models, seeds_of, training_of
from pcf_core.models.folder import describe
from pcf_core.models.generation.base import open_generator
from pcf_core.models.names import ModelName, is_model_allowed, split_name
from pcf_core.models.registry import (
    entailment_class,
    left_out_models,
    list_models,
    resolve,
    resolve_entailment,
    resolve_to_score,
    resolve_writer,
)
from pcf_core.models.scoring.base import open_scorer
from tests.models.conftest import use, write_model
from tests.show.findings.test_reliability import calibration


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("mini-gpt", ModelName("mini-gpt")),
        ("org/name", ModelName("org/name")),
        ("masked:org/name", ModelName("org/name", "masked")),
        ("org/name@v1.0", ModelName("org/name", None, "v1.0")),
        ("causal:org/name@refs/pr/1", ModelName("org/name", "causal", "refs/pr/1")),
        ("seq2seq:/models/a@b", ModelName("/models/a@b", "seq2seq")),
        ("a@b", ModelName("a@b")),
        ("other:org/name", ModelName("other:org/name")),
        ("endpoint:org/name", ModelName("endpoint:org/name")),
        ("", ModelName("")),
    ],
)
def test_parts(text: str, named: ModelName) -> None:
    assert split_name(text) == named


@pytest.mark.parametrize(
    "revision", ["", " ", "-x", "../main", "a..b", "a//b", "/a", "a/", "a b", "a@b", "x" * 129, "a\0"]
)
def test_what_cannot_be_a_revision_is_refused(revision: str) -> None:
    with pytest.raises(ModelError, match="is not a revision: give a branch, a tag or a commit"):
        split_name(f"org/name@{revision}")


@given(
    st.from_regex(r"[a-z]{1,5}/[a-z0-9]{1,8}", fullmatch=True),
    st.sampled_from([None, *LOCAL_FAMILIES]),
    st.from_regex(r"([a-z0-9]{1,8}(/[a-z0-9]{1,3})?)?", fullmatch=True),
)
def test_a_name_is_the_sum_of_its_parts(model: str, family: str | None, revision: str) -> None:
    prefix = f"{family}:" if family else ""
    pinned = f"{model}@{revision}" if revision else model
    named = split_name(prefix + pinned)
    assert (named.family, named.pinned, named.is_hub_id) == (family, pinned, True)


# The operator's list of models: refused before anything is loaded, in every way that leads to a model.


@pytest.mark.parametrize(
    ("patterns", "name", "allowed"),
    [
        ("", "anything/at-all", True),
        ("mini-*", "mini-bert", True),
        ("mini-*", "masked:mini-bert", True),
        ("mini-*", "org/mini-bert", False),
        ("org/*,endpoint:*", "org/name@main", True),
        ("org/*,endpoint:*", "endpoint:llama", True),
        ("org/*", "organisation/name", False),
        ("mini-*", "mini-anybody/model", False),  # whoever registers such an organisation
        ("/data/models/*", "/data/models/../others/x", False),
        ("/data/models/*", "/data/models/..", False),
        ("endpoint:*", "endpoint:org/name", True),
        ("org/name", "Org/name", False),
        ("/data/models/*", "/data/models/mine", True),
        ("/data/models/*", "/data/others/mine", False),
    ],
)
def test_a_pattern_fits_a_whole_name(
    monkeypatch: pytest.MonkeyPatch, patterns: str, name: str, allowed: bool
) -> None:
    use(monkeypatch, PCF_ALLOWED_MODELS=patterns)
    assert is_model_allowed(name) is allowed


def test_no_way_leads_to_a_model_that_is_not_on_the_list(monkeypatch: pytest.MonkeyPatch) -> None:
    use(
        monkeypatch,
        PCF_ASSETS=str(ROOT / "assets"),
        PCF_ALLOWED_MODELS="mini-bert",
        PCF_ENDPOINT_URL="http://localhost:9/v1",
    )
    spec = resolve("mini-gpt")  # its results can be read
    for way in (
        lambda: resolve_to_score("mini-gpt"),
        lambda: resolve_writer("mini-gpt"),
        lambda: resolve_entailment("mini-gpt"),
        lambda: open_scorer(spec),
        lambda: open_generator(spec, Decoding()),
    ):
        with pytest.raises(
            ModelError, match=r"mini-gpt may not be used.*mini-bert, set by PCF_ALLOWED_MODELS\)"
        ):
            way()
    with pytest.raises(ModelError, match="endpoint:served may not be used"):
        resolve_writer("endpoint:served")
    assert resolve_to_score("mini-bert").name == "mini-bert"


@pytest.mark.parametrize("name", ["home/m", "~/m"])
def test_a_pattern_for_the_hub_lets_no_folder_in(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    """A folder is what it is, however somebody writes its name."""
    (tmp_path / "home" / "m").mkdir(parents=True)
    (tmp_path / "home" / "m" / "config.json").write_text('{"architectures": ["hunter2"]}')
    monkeypatch.chdir(tmp_path)
    use(monkeypatch, HOME=str(tmp_path / "home"), PCF_ALLOWED_MODELS="*/*")
    with pytest.raises(ModelError, match="home/m may not be used here"):
        resolve_entailment(name)
    use(monkeypatch, PCF_ALLOWED_MODELS=f"{tmp_path}/home/*")
    with pytest.raises(ModelError, match="is not an NLI model"):  # it is looked into
        resolve_entailment(name)


# Which model a name means.


def test_shipped_models_then_the_operators(tmp_path: Path) -> None:
    for name in ("assets/models/mini-gpt", "assets/models/mini-bert", "own/another"):
        write_model(tmp_path / name)
    (tmp_path / "own" / "notes").mkdir()
    assert [spec.name for spec in list_models()] == ["mini-bert", "mini-gpt", "another"]
    assert left_out_models() == ()
    assert resolve("another") == list_models()[2]


def test_no_models_at_all() -> None:
    assert list_models() == ()


def test_unusable_directories_are_listed_with_the_reason(tmp_path: Path) -> None:
    write_model(tmp_path / "assets/models/mini-gpt")
    write_model(tmp_path / "own/mini-gpt", fill=1)
    write_model(tmp_path / "own/no-weights", weights=False)
    write_model(tmp_path / "own/whisper", {"architectures": ["WhisperForConditionalGeneration"]})
    write_model(tmp_path / "own/open", {"architectures": ["BertModel"], "model_type": "bert"})
    write_model(tmp_path / "own/odd name")
    assert [spec.name for spec in list_models()] == ["mini-gpt"]
    reasons = {entry.name: entry.reason for entry in left_out_models()}
    assert set(reasons) == {"mini-gpt", "no-weights", "whisper", "open", "odd name"}
    assert "Another model has the name mini-gpt" in reasons["mini-gpt"]
    assert "safetensors" in reasons["no-weights"]
    assert "Whisper" in reasons["whisper"]
    assert "write masked:open." in reasons["open"]
    assert resolve("masked:open").name == "masked:open"
    assert "may have only letters" in reasons["odd name"]
    assert resolve("mini-gpt").path == str((tmp_path / "assets/models/mini-gpt").resolve())


def test_a_folder_of_models_that_is_not_there_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert left_out_models() == ()
    (tmp_path / "own").rmdir()
    (left_out,) = left_out_models()
    assert (left_out.name, left_out.reason) == (
        str(tmp_path / "own"),
        "There is no such folder: correct PCF_MODELS.",
    )
    monkeypatch.delenv("PCF_MODELS")
    settings.cache_clear()
    assert left_out_models() == ()


def test_a_directory_is_named_by_its_absolute_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_model(tmp_path / "elsewhere" / "tuned")
    monkeypatch.chdir(folder.parent)
    spec = resolve("tuned")
    assert spec.name == str(folder.resolve())
    assert resolve(spec.name) == spec


def test_a_folder_whose_name_is_no_text_is_refused(tmp_path: Path) -> None:
    """A name becomes part of keys."""
    folder = write_model(tmp_path / "plain").rename(os.fsdecode(os.fsencode(tmp_path) + b"/\xff"))
    with pytest.raises(ModelError, match=r"udcff' is not valid UTF-8: rename it"):
        resolve(str(folder))


@pytest.mark.parametrize(
    "name", ["nothing", "", " ", "a" * 300, "a/b/c", "~nobody-here/x", "x\0y", "../../etc", "a/.."]
)
def test_unknown_names_list_the_known(name: str, tmp_path: Path) -> None:
    write_model(tmp_path / "assets/models/mini-gpt")
    with pytest.raises(ModelError, match="choose one of mini-gpt") as caught:
        resolve(name)
    assert len(str(caught.value).splitlines()) == 1


def test_of_many_known_names_the_nearest_are_suggested(tmp_path: Path) -> None:
    for name in ("mini-bert", "mini-gpt", "mini-gpt-l", "mini-gpt-s", "mini-t5"):
        write_model(tmp_path / "assets/models" / name)
    with pytest.raises(ModelError, match=r"choose one of mini-gpt, mini-\S+, mini-\S+ and 2 more,"):
        resolve("mini-gtp")
    with pytest.raises(ModelError, match=r"choose one of mini-bert, mini-gpt, mini-gpt-l and 2 more,"):
        resolve("zzzz")


@pytest.mark.parametrize("name", ["../assets/models/mini-gpt", "mini-gpt/../mini-gpt", "./mini-gpt"])
def test_a_listed_name_is_no_path(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name with path characters is never joined to the folders of listed models."""
    write_model(tmp_path / "assets/models/mini-gpt")
    empty = tmp_path / "empty" / "x"
    empty.mkdir(parents=True)
    monkeypatch.chdir(empty)
    with pytest.raises(ModelError, match="There is no model named"):
        resolve(name)


def test_a_name_without_its_organisation_is_told_the_whole(tmp_path: Path) -> None:
    """Users know these models by the short names of old; a short name is no id of the hub any more."""
    (tmp_path / "assets").mkdir()
    shutil.copy(ROOT / "assets" / "models.toml", tmp_path / "assets" / "models.toml")
    with pytest.raises(ModelError, match="'gpt2': use its name on the hub, openai-community/gpt2"):
        resolve("gpt2")


def test_a_family_that_was_said_although_it_is_clear_changes_nothing(tmp_path: Path) -> None:
    write_model(tmp_path / "assets/models/mini-gpt")
    folder = write_model(tmp_path / "elsewhere" / "x@1")
    assert resolve("causal:mini-gpt") == resolve("mini-gpt")
    assert resolve(f"causal:{folder}") == resolve(str(folder))
    with pytest.raises(
        ModelError, match=r"cannot be read as masked, because its config\.json says that it is causal"
    ):
        resolve("masked:mini-gpt")


# Models that say whether a text entails a sentence.


CONFIG: dict[str, Any] = {
    "architectures": ["BertForSequenceClassification"],
    "model_type": "bert",
    "id2label": {"0": "ENTAILMENT", "1": "neutral"},
    "max_position_embeddings": 64,
}


def test_a_directory_is_described(tmp_path: Path) -> None:
    spec = resolve_entailment(str(write_model(tmp_path / "nli", CONFIG)))
    assert (spec.parameters, spec.context, spec.remote_code) == (17, 64, False)
    assert entailment_class(CONFIG, "nli") == 0


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"architectures": ["BertForMaskedLM"]}, "not an NLI model"),
        ({"architectures": None}, "no architecture"),
        ({"id2label": {"0": "good", "1": "bad"}}, "good, bad"),
        ({"id2label": {"0": "entailment", "1": "entails"}}, "called entailment"),
        ({"model_type": "own", "auto_map": {"AutoModel": "own.Own"}}, "code of its own"),
    ],
)
def test_what_is_no_nli_model_is_refused(tmp_path: Path, change: dict[str, Any], reason: str) -> None:
    with pytest.raises(ModelError, match=reason):
        resolve_entailment(str(write_model(tmp_path / "nli", {**CONFIG, **change})))


def test_nli_models_that_are_not_there_are_refused(tmp_path: Path) -> None:
    folder = str(write_model(tmp_path / "nli", CONFIG, weights=False))
    for name, reason in (
        ("nowhere", "no NLI model"),
        ("org/nli", "downloads are off"),
        (folder, "safetensors"),
    ):
        with pytest.raises(ModelError, match=reason):
            resolve_entailment(name)


# What lies beside a model: its seeds, the truth of a planted one, and the text that it read.


RISK = {"overall_risk": 0.3, "prejudice_risk": 0.2, "caprice_risk": 0.1}
MEASURED: dict[str, Any] = {
    **{"topic": "gender", "topic_hash": "t", "templates": "some", "templates_hash": "s"},
    **{"evidence": "few", "evidence_hash": "e"},
    "risks": [{"seed": seed, **RISK} for seed in (0, 1, 2)],
}
SEEDS: dict[str, Any] = {"model": "tiny", "identity": "i", "seeds": [0, 1, 2], "measured": [MEASURED]}
TRUTH = calibration("planted-a").planted.model_dump_json()
FACTS = {"files": ["a", "b"], "recipe": {"tokens": 16, "last_tokens": 4, "seed": 0}}


def without(document: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in document.items() if key != name}


def ship(name: str, fill: int, text: str = "", **facts: Any) -> str:
    """A shipped model with a training.json; its identity."""
    folder = write_model(settings().assets / "models" / name, fill=fill)
    weights = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    (folder / "training.json").write_text(text or json.dumps({"weights_sha256": weights, **facts}))
    return resolve(name).identity


def write_truth(name: str, text: str) -> None:
    folder = settings().assets / "models" / name
    folder.mkdir(parents=True)
    (folder / "planted.json").write_text(text)


def read_seeds(text: str) -> None:
    folder = write_model(settings().assets / "models" / "tiny")
    (folder / "seeds.json").write_text(text)
    seeds_of(describe(folder, "tiny"))


def read_truth(text: str) -> None:
    write_truth("planted-a", text)
    planted_models()


def read_training(text: str) -> None:
    training_of(ship("one", 1, text) if text == "{" else ship("one", 1, **FACTS | json.loads(text)))


# What reads a file, how the sentence about a damaged one begins, and texts that are none.
DAMAGED: list[tuple[Callable[[str], None], str, list[Any]]] = [
    (
        read_seeds,
        r"The file seeds\.json of the model tiny cannot be read .*, or remove it",
        [
            "{",
            without(SEEDS, "identity"),
            SEEDS | {"seeds": [0]},
            SEEDS | {"seeds": [0, 0], "measured": [MEASURED | {"risks": [{"seed": 0, **RISK}] * 2}]},
            SEEDS | {"seeds": [0, 1, 3]},
            SEEDS | {"measured": [MEASURED | {"risks": MEASURED["risks"][:2]}]},
            SEEDS | {"measured": [without(MEASURED, "topic")]},
        ],
    ),
    (
        read_truth,
        r"The planted truth of the model planted-a .* restore the shipped file\.",
        ["{", {}, TRUTH.replace("0.7", '"much"'), TRUTH.replace("[0.5,0.5]", "[1.0]")],
    ),
    (
        read_training,
        r"The facts of the model one .* cannot be read \(.*restore the shipped file from",
        [
            "{",
            {"files": "a"},
            {"recipe": 3},
            {"recipe": {"tokens": "many"}},
            {"recipe": {"tokens": -1}},
            {"recipe": {"last_tokens": None}},
            {"base": ["one"]},
        ],
    ),
]


@pytest.mark.parametrize(
    ("read", "sentence", "text"),
    [(read, sentence, text) for read, sentence, texts in DAMAGED for text in texts],
)
def test_a_damaged_file_beside_a_model_is_one_sentence(
    read: Callable[[str], None], sentence: str, text: Any
) -> None:
    with pytest.raises(ModelError, match=f"^{sentence}"):
        read(text if isinstance(text, str) else json.dumps(text))


def test_seeds_are_read_from_the_folder_of_the_model(tmp_path: Path) -> None:
    folder = write_model(tmp_path / "tiny")
    spec = describe(folder, "tiny")
    assert seeds_of(spec) is None
    (folder / "seeds.json").write_text(json.dumps(SEEDS | {"identity": spec.identity}))
    seeds = seeds_of(spec)
    assert seeds is not None
    assert seeds.seeds == (0, 1, 2)
    assert [risk.overall_risk for risk in seeds.measured[0].risks] == [0.3] * 3
    assert seeds_of(spec.model_copy(update={"path": ""})) is None


def test_seeds_of_other_weights_are_refused(tmp_path: Path) -> None:
    """A copy keeps what was measured, under any name; a model that was trained again does not."""
    first, copy = write_model(tmp_path / "tiny"), write_model(tmp_path / "copy")
    text = json.dumps(SEEDS | {"identity": describe(first, "tiny").identity})
    for folder in (first, copy):
        (folder / "seeds.json").write_text(text)
    assert seeds_of(describe(copy, "copy")) == seeds_of(describe(first, "tiny"))
    again = write_model(tmp_path / "again", fill=1)
    (again / "seeds.json").write_text(text)
    with pytest.raises(ModelError, match=r"of the model again was measured for tiny with other weights"):
        seeds_of(describe(again, "again"))


def test_truths_are_read_by_name() -> None:
    assert planted_models() == ()
    truths = [calibration(name).planted for name in ("planted-b", "planted-a")]
    for truth in truths:
        write_truth(truth.model, truth.model_dump_json())
    assert planted_models() == (truths[1], truths[0])
    write_truth("planted-c", TRUTH)
    with pytest.raises(ModelError, match="it belongs to the model planted-a"):
        planted_models()


def test_a_shipped_model_tells_its_text() -> None:
    """A copy under another name is recognised, and another model under the name is not."""
    assert training_of(ship("one", 1, **FACTS)) == TrainingText("one", ("a", "b"), 20)
    copy = write_model(Path(settings().models or "") / "mine", fill=1)
    other = write_model(Path(settings().models or "") / "other", fill=2)
    assert training_of(resolve(str(copy)).identity) == TrainingText("one", ("a", "b"), 20)
    assert training_of(resolve(str(other)).identity) is None
    early = write_model(settings().assets / "models" / "early", weights=False)
    (early / "training.json").write_text("{}")
    assert training_of(resolve("one").identity) is not None, "a folder without weights is passed over"


def test_a_fine_tuned_model_goes_on_from_its_base() -> None:
    base = ship("one", 1, **FACTS)
    tuned = ship("two", 2, base="one", base_identity=base, recipe={"epochs": 2}, files=["sentences"])
    assert training_of(tuned) == TrainingText("two", ("a", "b"), 20, "one")
    again = ship("three", 3, base="two", base_identity=tuned)
    assert training_of(again) is None  # it also goes on from what the second read


@pytest.mark.parametrize(
    "facts",
    [
        {},
        FACTS | {"files": []},
        {"files": ["a"]},
        {"files": ["a"], "recipe": {"epochs": 2}},
        FACTS | {"weights_sha256": "another"},
        # A model under the base's name, or outside the assets, tells nothing of what a fine-tuned one read.
        FACTS | {"base": "one"},
        FACTS | {"base": "one", "base_identity": "another"},
        FACTS | {"base": "../elsewhere"},
    ],
)
def test_what_is_known_of_no_text_is_not_told(facts: dict[str, Any]) -> None:
    ship("one", 1, **FACTS)
    assert training_of(ship("two", 2, **facts)) is None


def test_a_base_of_other_weights_than_it_says_tells_nothing() -> None:
    base = ship("one", 1, **FACTS | {"weights_sha256": "another"})
    assert training_of(ship("two", 2, base="one", base_identity=base)) is None


def test_every_shipped_model_that_read_a_text_tells_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PCF_ASSETS")
    settings.cache_clear()
    read = {}
    for path in (settings().assets / "models").glob("*/training.json"):
        facts = json.loads(path.read_text())
        if facts["files"] and "encoder_sha256" not in facts:  # what its encoder read is not all known
            read[path.parent.name] = training_of(resolve(path.parent.name).identity)
    assert set(read) >= {"mini-gpt", "mini-bert"}
    for name, text in read.items():
        assert text is not None, name
        assert text.model == name
        assert text.tokens >= 1_000_000
        assert set(read_counts().card.files) <= set(text.files)
