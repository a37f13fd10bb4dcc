"""What a model's name says."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import ModelError
from pcf_core.core.families import LOCAL_FAMILIES
from pcf_core.core.generation import Decoding
from pcf_core.core.settings import ROOT
from pcf_core.models.generation.opening import open_generator
from pcf_core.models.names import ModelName, is_model_allowed, split_name
from pcf_core.models.registry import resolve, resolve_entailment, resolve_to_score, resolve_writer
from pcf_core.models.scoring.opening import open_scorer
from tests.models.conftest import use


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
    with pytest.raises(ModelError, match="cannot be a revision: give a branch, a tag or a commit"):
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
        with pytest.raises(ModelError, match=r"mini-gpt may not be asked.* mini-bert \(PCF_ALLOWED_MODELS\)"):
            way()
    with pytest.raises(ModelError, match="endpoint:served may not be asked"):
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
    with pytest.raises(ModelError, match="home/m may not be asked here"):
        resolve_entailment(name)
    use(monkeypatch, PCF_ALLOWED_MODELS=f"{tmp_path}/home/*")
    with pytest.raises(ModelError, match="no NLI model"):  # it is looked into
        resolve_entailment(name)
