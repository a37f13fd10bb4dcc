"""What another seed changes: every training on the same runs, the shipped model's own seed first, and
nothing that differs in more than the seed.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import typer

from benchmarks.fakes import FakeScorer
from pcf_core.audit.preferences import build_run
from pcf_core.core.run import ModelSpec
from pcf_core.core.sensitivity import Seeds
from pcf_core.core.settings import settings
from pcf_core.material.evidence import load_evidence
from pcf_core.material.templates import load_templates
from pcf_core.material.topics import load_topic
from pcf_core.models.facts import SEEDS_FILE, seeds_of
from pcf_core.models.registry import resolve
from tests.conftest import fake_scorer
from tools import measure_seeds as tool
from tools.mini_models.rows import Recipe

CARD = "# mini\n\nText.\n\n## What it may not be used for\n\nAnything.\n"


def say(folder: Path, seed: int, files: tuple[str, ...] = ("one.gz",), **recipe: Any) -> None:
    """Write how a model was trained."""
    facts = {"recipe": {"name": "mini", "tokens": 1000, "seed": seed} | recipe, "files": files}
    (folder / "training.json").write_text(json.dumps(facts))


@pytest.fixture
def trained(tmp_path: Path) -> list[Path]:
    """Three folders that say that they were trained with the seeds 0, 4 and 7."""
    folders = []
    for seed in (0, 4, 7):
        folder = tmp_path / f"model-{seed}"
        shutil.copytree(settings().assets / "models" / "planted-causal", folder)
        say(folder, seed)
        (folder / "README.md").write_text(CARD)
        config = json.loads((folder / "config.json").read_text())
        (folder / "config.json").write_text(json.dumps(config | {"initializer_range": 0.02 + seed}))
        folders.append(folder)
    return folders


def test_the_risks_of_all_seeds_are_kept_beside_the_first(
    trained: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tool, "RUNS", (("gender", "gender-heatmap"),))
    topic, templates = load_topic("gender"), load_templates("gender-heatmap")

    def open_fake(spec: ModelSpec, protocol: str) -> FakeScorer:
        return fake_scorer(build_run(spec, topic, load_evidence(topic.evidence), templates).scoring, topic)

    monkeypatch.setattr(tool, "open_scorer", open_fake)
    tool.main(str(trained[0]), trained[1:])
    found = Seeds.model_validate_json((trained[0] / SEEDS_FILE).read_text())
    assert found.seeds == (0, 4, 7)
    assert found.identity == resolve(str(trained[0])).identity
    assert seeds_of(resolve(str(trained[0]))) == found
    (measured,) = found.measured
    assert (measured.topic_hash, measured.templates_hash) == (topic.hash, templates.hash)
    assert len({risk.overall_risk for risk in measured.risks}) == 3, "each training is scored for itself"
    for risk in measured.risks:
        assert risk.overall_risk == pytest.approx(risk.prejudice_risk + risk.caprice_risk)
    assert not (trained[1] / SEEDS_FILE).exists()
    card = (trained[0] / "README.md").read_text()
    risks = [risk.overall_risk for risk in measured.risks]
    assert f"R spreads over {max(risks) - min(risks):.3f}" in card
    assert [f"| {seed} | {risk:.3f} |" in card for seed, risk in zip(found.seeds, risks, strict=True)] == [
        True
    ] * 3
    assert card.startswith("# mini\n\nText.\n\n## Other seeds\n")
    assert card.endswith("|\n\n## What it may not be used for\n\nAnything.\n")
    assert tool.card_with_seeds(card, found) == card, "measured again, it is said once"
    assert (trained[1] / "README.md").read_text() == CARD


def test_a_card_that_lost_its_last_section_is_refused_before_anything_is_written(
    trained: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tool, "RUNS", ())
    (trained[0] / "README.md").write_text("# mini\n")
    with pytest.raises(typer.BadParameter, match="no section '## What it may not be used for'"):
        tool.main(str(trained[0]), trained[1:])
    assert not (trained[0] / SEEDS_FILE).exists()


def test_what_an_older_file_does_not_say_is_as_it_was(trained: list[Path]) -> None:
    """A field that came later has its usual value, and a last phase that was not trained decides nothing."""
    say(trained[1], 4, block_rate=Recipe.block_rate, last_rate=0.3)
    assert tool.seeds_of_one_recipe([resolve(str(folder)) for folder in trained]) == (0, 4, 7)


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"seed": 4, "tokens": 2000}, "model-4 was trained with another tokens than model-0"),
        ({"seed": 4, "files": ("two.gz",)}, "another files than model-0"),
        (
            {"seed": 4, "last_tokens": 9, "decay": 0.1},
            "another decay, another last_tokens, another last_rate",
        ),
        ({"seed": 0}, "a seed or its weights come twice"),
        ({"seed": 4, "surprise": 1}, "model-4/training.json does not tell how"),
    ],
)
def test_trainings_that_differ_in_more_than_the_seed_are_refused(
    trained: list[Path], facts: dict[str, Any], said: str
) -> None:
    say(trained[1], **facts)
    with pytest.raises(typer.BadParameter, match=said):
        tool.main(str(trained[0]), trained[1:])
    assert not (trained[0] / SEEDS_FILE).exists()


def test_one_training_twice_or_alone_has_no_spread(trained: list[Path]) -> None:
    first = resolve(str(trained[0]))
    with pytest.raises(typer.BadParameter, match="come twice"):
        tool.seeds_of_one_recipe([first, first])
    with pytest.raises(typer.BadParameter, match="no spread"):
        tool.seeds_of_one_recipe([first])
    (trained[1] / "training.json").unlink()
    with pytest.raises(typer.BadParameter, match="does not tell how"):
        tool.seeds_of_one_recipe([first, resolve(str(trained[1]))])
