"""Keys: what is part of a number's identity, and what is not."""

from __future__ import annotations

import pytest

from pcf_core.core.run import ModelSpec, RunSpec, SamplingPlan, ScoringKey
from pcf_core.core.topics import Evidence, Group, Template, TemplateSet, Topic

SPEC = ModelSpec(name="m", family="causal", path="/somewhere", identity="abc", tokenizer="def")
TOPIC = Topic(name="t", title="T", groups=(Group(name="a", words=("x",)), Group(name="b", words=("y",))))
RUN = RunSpec(
    scoring=ScoringKey.of(SPEC),
    topic=TOPIC,
    evidence=Evidence(name="e", title="E", terms=("nurse", "engineer")),
    templates=TemplateSet(
        name="s",
        title="S",
        templates=(Template(text="The [X] said that [Y]", count=3), Template(text="A [X] felt [Y]", count=1)),
    ),
)


def test_counts_titles_and_places_are_not_part_of_the_run_key() -> None:
    texts = tuple(template.model_copy(update={"count": 9.0}) for template in RUN.templates.templates)
    same = RUN.model_copy(
        update={
            "topic": TOPIC.model_copy(update={"title": "another", "notes": "n"}),
            "templates": RUN.templates.model_copy(update={"templates": texts}),
            "scoring": ScoringKey.of(SPEC.model_copy(update={"path": "/elsewhere", "title": "M"})),
        }
    )
    assert same.key == RUN.key


def test_a_copy_with_other_fields_has_other_keys() -> None:
    """Keys are worked out once for each record, and are no part of it."""
    run = RUN.model_copy()
    keys = run.key, run.scoring.hash, run.topic.hash, run.evidence.hash, run.templates.hash
    other = run.model_copy(
        update={
            "topic": TOPIC.model_copy(update={"groups": TOPIC.groups[:1]}),
            "evidence": run.evidence.model_copy(update={"terms": ("nurse",)}),
            "templates": run.templates.model_copy(update={"templates": run.templates.templates[:1]}),
            "scoring": run.scoring.model_copy(update={"identity": "another"}),
        }
    )
    others = other.key, other.scoring.hash, other.topic.hash, other.evidence.hash, other.templates.hash
    assert all(first != second for first, second in zip(keys, others, strict=True))
    fresh = RunSpec.model_validate(other.model_dump())
    assert (fresh.key, fresh) == (other.key, other)
    assert run == RUN.model_copy()
    assert run.model_dump() == RUN.model_copy().model_dump()


@pytest.mark.parametrize(
    "change", [{"identity": "x"}, {"tokenizer": "x"}, {"dtype": "bfloat16"}, {"name": "x"}]
)
def test_all_that_decides_a_number_is_part_of_the_scoring_key(change: dict[str, str]) -> None:
    assert ScoringKey.of(SPEC.model_copy(update=change)).hash != ScoringKey.of(SPEC).hash


def test_single_token_is_a_selection_and_the_boundary_is_not() -> None:
    assert ScoringKey.of(SPEC, "single-token") == ScoringKey.of(SPEC, "exact")
    assert ScoringKey.of(SPEC, "equal-tokens") == ScoringKey.of(SPEC, "exact")
    assert ScoringKey.of(SPEC, "exact-boundary").hash != ScoringKey.of(SPEC, "exact").hash


def test_a_plan_is_part_of_the_run_key_and_its_draws_are_not() -> None:
    plan = SamplingPlan(within=0.01, times=(2, 1))
    planned = RUN.model_copy(update={"plan": plan})
    further = RUN.model_copy(update={"plan": plan.model_copy(update={"times": (5, 1)})})
    finer = RUN.model_copy(update={"plan": plan.model_copy(update={"within": 0.005})})
    seeded = RUN.model_copy(update={"plan": plan.model_copy(update={"seed": 1})})
    assert planned.key == further.key
    assert len({run.key for run in (RUN, planned, finer, seeded)}) == 4
    assert planned.whole.key == RUN.key
    assert plan.draws == 3


def test_a_plan_asks_for_the_drawn_templates_alone() -> None:
    run = RUN.model_copy(update={"plan": SamplingPlan(within=0.01, times=(0, 3))})
    assert tuple(run.prompts) == ("A nurse felt [Y]", "A engineer felt [Y]")
    assert run.cells == 2
    assert run.drawn.texts == ("A [X] felt [Y]",)
    assert RUN.drawn == RUN.templates


def test_prompts_run_through_the_templates_first() -> None:
    expected = (
        "The nurse said that [Y]",
        "A nurse felt [Y]",
        "The engineer said that [Y]",
        "A engineer felt [Y]",
    )
    assert tuple(RUN.prompts) == RUN.prompts[:] == expected
    assert (RUN.prompts[1:3], RUN.prompts[-1], len(RUN.prompts)) == (expected[1:3], expected[-1], 4)
    assert RUN.cells == 4
    with pytest.raises(IndexError):
        RUN.prompts[4]


def test_a_run_is_the_same_after_it_was_kept() -> None:
    assert RunSpec.model_validate_json(RUN.model_dump_json()) == RUN
