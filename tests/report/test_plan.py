"""Audit plans: a file comes back as it was, becomes one policy, and is refused in one sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pcf_core.core.errors import InputError
from pcf_core.core.frame import Frames
from pcf_core.core.options import from_page, page_values
from pcf_core.core.settings import Settings
from pcf_core.material.topics import load_topic, save_topic
from pcf_core.report.plan import AuditPlan, plan_toml, uploaded_plan

PLAN: dict[str, Any] = {"purpose": "Sorting letters", "models": ("mini-gpt",), "topics": ("gender",)}
TEXT = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S")), min_size=1, max_size=12)
LIMIT = st.none() | st.floats(0, 1)


@st.composite
def plans(draw: st.DrawFn) -> AuditPlan:
    chat = draw(st.booleans())
    frame: dict[str, Any] = {}
    if chat:
        system = tuple(draw(st.lists(TEXT, unique=True, max_size=2)))
        frame = {"kind": "chat", "system": system, "instruction": draw(TEXT)}
    return AuditPlan(
        **frame,
        purpose=draw(TEXT),
        models=tuple(draw(st.lists(TEXT, unique=True, min_size=1, max_size=2))),
        topics=draw(st.sampled_from([("gender",), ("religion", "gender")])),
        max_risk=draw(LIMIT),
        max_caprice=draw(LIMIT),
        cannot_tell=draw(st.sampled_from(["pass", "warn", "fail"])),
        mappings=draw(st.sampled_from([(), ("eu-ai-act", "nyc-ll-144")])),
    )


@given(plans())
def test_a_plan_comes_back_from_its_file_and_from_the_page(plan: AuditPlan) -> None:
    assert uploaded_plan("plan.toml", plan_toml(plan).encode()) == plan
    assert from_page(AuditPlan, page_values(plan)) == plan


def test_limits_hold_for_each_topic_and_a_ratio_only_for_decisions(own_settings: Settings) -> None:
    plan = AuditPlan(**PLAN | {"topics": ("gender", "religion")}, max_risk=0.4, cannot_tell="fail")
    policy = plan.policy
    assert policy is not None
    assert (policy.title, policy.cannot_tell) == ("Sorting letters", "fail")
    assert [(one.topic, one.templates, one.max.risk) for one in policy.contexts] == [
        ("gender", "gender-wikipedia-100", 0.4),
        ("religion", "religion-choices", 0.4),  # made for the topic, so that it answers
    ]
    assert AuditPlan(**PLAN).policy is None
    assert AuditPlan(**PLAN, kind="chat", system=("Be fair.",)).frames == Frames(
        kind="chat", system=("Be fair.",)
    )


def test_a_topic_of_the_users_own_is_planned_by_its_name(own_settings: Settings) -> None:
    save_topic(load_topic("gender-pronouns").model_copy(update={"name": "mine"}))
    text = b'purpose = "p"\nmodels = ["mini-gpt"]\ntopics = ["mine"]\ntemplates = ["gender-nineteen"]\n'
    assert uploaded_plan("plan.toml", text).lists[0][0].name == "mine"


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ('purpose = ""', "a purpose of 1 to 200 characters, and this one has 0"),
        (f'purpose = "{"a" * 201}"', "a purpose of 1 to 200 characters, and this one has 201"),
        ("purpose = 3", "plan.toml: purpose must be a text in quotation marks; got 3: correct it."),
        ("models = []", "needs at least one model and one topic"),
        ('models = "mini-gpt"', "plan.toml: models must be"),
        ("topics = [1]", "plan.toml: topics.0 must be a text in quotation marks; got 1"),
        ('topics = ["nothing"]', "There is no topic named 'nothing'"),
        ('topics = ["docs/plan.toml"]', "There is no topic named 'docs/plan.toml'"),
        ('templates = ["nothing"]', "There is no template set named 'nothing'"),
        ('templates = ["gender-nineteen", "gender-nineteen"]', "it has 1 topics and 2 sets"),
        ("max_risk = 1.5", "max_risk is a number from 0 to 1; got 1.5"),
        ("max_risk = nan", "max_risk is a number from 0 to 1; got nan"),
        ('max_risk = "high"', "plan.toml: max_risk must be a number"),
        ("min_impact_ratio = 0.8", "no topic of this plan has any"),
        ('cannot_tell = "shrug"', "plan.toml: cannot_tell must be one of pass, warn, fail; got 'shrug'"),
        ('frame = "letter"', "plan.toml: frame must be one of bare, chat; got 'letter'"),
        ('mappings = ["gdpr"]', "There is no mapping named 'gdpr'"),
        (f"models = {[str(number) for number in range(13)]}", "at most 12 results"),
        ("limit = 0.3", "'limit'"),
        ("max_risk 0.3", "plan.toml is not valid TOML"),
    ],
)
def test_a_mistake_is_one_sentence(changed: str, says: str) -> None:
    usual = {
        "purpose": 'purpose = "Sorting letters"',
        "models": 'models = ["mini-gpt"]',
        "topics": 'topics = ["gender"]',
    }
    lines = {**usual, changed.partition(" ")[0]: changed}
    with pytest.raises(InputError) as refused:
        uploaded_plan("plan.toml", "\n".join(lines.values()).encode())
    assert says in str(refused.value)
    assert "\n" not in str(refused.value)


def test_the_example_in_the_documents_is_a_plan(tmp_path: Path) -> None:
    text = (Path(__file__).parents[2] / "docs" / "gate.md").read_text(encoding="utf8")
    example = next(part for part in text.split("```toml\n")[1:] if part.startswith("purpose"))
    plan = uploaded_plan("plan.toml", example.partition("```")[0].encode())
    assert len(plan.topics) == 2
