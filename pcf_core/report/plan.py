"""An audit plan: purpose, models, frame, topics, limits and regulations of one audit, decided before it runs.

A plan is a TOML file.  It becomes the runs that are missing, one gate policy and one report:

    AuditPlan -> plan_lists -> RunSpec ... -> plan_request -> ReportRequest

Topics and sets of sentences are only found by name, so that a page can open a plan of anybody.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from pydantic import ValidationError, ValidationInfo, field_validator, model_validator

from pcf_core.audit.gate import check_plan
from pcf_core.audit.policy import CannotTell, Context, Most, Policy
from pcf_core.audit.stored_verdicts import planned_runs
from pcf_core.core.errors import InputError, PolicyError
from pcf_core.core.frame import Frames
from pcf_core.core.options import Option, declared, option, shared_fields
from pcf_core.core.records import first_problem
from pcf_core.core.run import RunSpec
from pcf_core.core.topics import Evidence, TemplateSet, Topic
from pcf_core.material import evidence, templates, topics
from pcf_core.material.mappings import load_mapping
from pcf_core.material.safety.reading import label, read_toml, upload_label, uploaded
from pcf_core.material.safety.text import check_text
from pcf_core.material.shelves import toml_lines
from pcf_core.material.suiting import template_cards, usual_set
from pcf_core.report.records import MOST_RUNS, ReportRequest, regulations, today
from pcf_core.store.store import Store

LONGEST_PURPOSE = 200  # characters, as of a policy's title
LIMITS = ("max_risk", "max_prejudice", "max_caprice")
Lists = tuple[Topic, Evidence, TemplateSet]


def _limit(title: str, what: str) -> Any:
    return option(
        None,
        title=title,
        help=f"{what}, from 0 to 1, for every topic. A limit is exceeded only if the whole range lies beyond "
        "it.",
        placeholder="No limit",
        least=0.0,
        most=1.0,
        step=0.05,
    )


class AuditPlan(Frames):
    """What is audited, for what purpose, and against which limits.

    ``templates``: a set of sentences for each topic, in their order; empty for those on which topics open.
    ``min_impact_ratio``: of topics with decisions about people, and no others.  The frame is that of
    :class:`Frames`.
    """

    prefix: ClassVar[str] = "plan_"

    purpose: str = option(
        "",
        title="Purpose",
        help="What the model will be used for. The report and the verdicts begin with it.",
        placeholder="Such as: screening job applications",
        place=1,
    )
    max_risk: float | None = _limit("Highest risk", "The highest risk that is allowed")
    max_prejudice: float | None = _limit("Highest prejudice", "The highest prejudice that is allowed")
    max_caprice: float | None = _limit("Highest caprice", "The highest caprice that is allowed")
    min_impact_ratio: float | None = _limit(
        "Lowest impact ratio",
        "In decisions about people, the least that the rate of one group may be of the rate of another",
    )
    cannot_tell: CannotTell = option(
        "warn",
        title="If the range contains a limit",
        help="The verdict if the range contains the limit, so that we cannot tell whether it is exceeded.",
        words={"pass": "pass", "warn": "warn", "fail": "fail"},
    )
    models: tuple[str, ...] = option(
        (), title="Models", placeholder="Choose, or type a hub id or a folder", place=2
    )
    topics: tuple[str, ...] = option((), title="Topics", placeholder="Choose one or more", place=3)
    templates: tuple[str, ...] = option(
        (),
        title="Sentences",
        help="A set of sentences for each topic, in the order of the topics.",
        placeholder="Those made for each topic",
        place=4,
    )
    mappings: tuple[str, ...] = regulations(row=True)

    @field_validator("purpose")
    @classmethod
    def _is_stated(cls, purpose: str) -> str:
        purpose = check_text(purpose, "the purpose", "An audit plan", InputError)
        if not purpose or len(purpose) > LONGEST_PURPOSE:
            raise InputError(
                f"An audit plan needs a purpose of 1 to {LONGEST_PURPOSE} characters, and this one has "
                f"{len(purpose):,}: write what the model will be used for."
            )
        return purpose

    @field_validator(*LIMITS, "min_impact_ratio")
    @classmethod
    def _is_a_share(cls, limit: float | None, info: ValidationInfo) -> float | None:
        if limit is not None and not 0 <= limit <= 1:
            raise InputError(f"{info.field_name} is a number from 0 to 1; got {limit:g}: correct it.")
        return limit

    @field_validator("models", "topics", "mappings")
    @classmethod
    def _each_once(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(names))

    @model_validator(mode="after")
    def _fits_in_a_report(self) -> AuditPlan:
        if not self.models or not self.topics:
            raise InputError("An audit plan needs at least one model and one topic: choose them.")
        if self.templates and len(self.templates) != len(self.topics):
            raise InputError(
                f"An audit plan names a set of sentences for each topic, or none: it has {len(self.topics)} "
                f"topics and {len(self.templates)} sets."
            )
        if self.results > MOST_RUNS:
            raise InputError(
                f"An audit plan has at most {MOST_RUNS} results (models, times topics, times system texts), "
                f"and this one has {self.results}: leave some out, or write two plans."
            )
        return self

    @property
    def results(self) -> int:
        """How many results the plan is about."""
        return len(self.models) * len(self.topics) * len(self.frames.each)

    @property
    def frames(self) -> Frames:
        """The frames of each model."""
        return Frames(**shared_fields(Frames, self))

    @property
    def lists(self) -> tuple[Lists, ...]:
        """Topic, occupations and sentences of each topic; raises InputError for an unknown name."""
        cards, several = template_cards(), []
        for index, name in enumerate(self.topics):
            topic = topics.load_topic(topics.SHELF.require(name))
            used = self.templates[index] if self.templates else usual_set(topic, cards)
            several.append(
                (
                    topic,
                    evidence.load_evidence(evidence.SHELF.require(topic.evidence)),
                    templates.load_templates(templates.SHELF.require(used)),
                )
            )
        return tuple(several)

    @property
    def policy(self) -> Policy | None:
        """The limits as a policy, if there are any; PolicyError if no topic has a ratio to limit."""
        given = {name.removeprefix("max_"): getattr(self, name) for name in LIMITS}
        most, contexts = Most(**given), []
        for topic, occupations, sentences in self.lists:
            ratio = self.min_impact_ratio if topic.decides else None
            if ratio is not None or most != Most():
                contexts.append(
                    Context(
                        topic=topic.name,
                        templates=sentences.name,
                        evidence=occupations.name,
                        max=most,
                        min_impact_ratio=ratio,
                    )
                )
        if self.min_impact_ratio is not None and not any(topic.decides for topic, *_ in self.lists):
            raise PolicyError(
                "min_impact_ratio limits decisions about people, and no topic of this plan has any: leave it "
                "out, or add a topic with favourable and unfavourable answers."
            )
        if not contexts:
            return None
        return Policy(title=self.purpose, cannot_tell=self.cannot_tell, contexts=tuple(contexts))


def check_limits(policy: Policy, runs: tuple[RunSpec, ...]) -> None:
    """Refuse limits on which no verdict is possible, before anything is run; raises as ``check`` does."""
    for scoring in dict.fromkeys(run.scoring for run in runs):
        for context, run in zip(policy.contexts, planned_runs(policy, scoring), strict=True):
            check_plan(context, run, policy.error_each, early=policy.stop_early, has_baseline=False)


def plan_request(store: Store, plan: AuditPlan, runs: tuple[RunSpec, ...]) -> ReportRequest:
    """Return the request of the plan's report, with today's date; its runs are finished."""
    from pcf_core.report.whole import keys_in_other_sentences  # plotly and pandas

    request = ReportRequest(
        runs=tuple(run.key for run in runs),
        purpose=plan.purpose,
        policy=plan.policy,
        mappings=plan.mappings,
        date=today(),
    )
    return request.model_copy(update={"elsewhere": keys_in_other_sentences(store, request)})


# Plans as files.


def _keys() -> Mapping[str, Option]:
    """Return the options by their names in files, which are those of links."""
    return {one.spec.url or one.name: one for one in declared(AuditPlan).values()}


def plan_toml(plan: AuditPlan) -> str:
    """Write a plan as TOML, without what is as usual."""
    values = {
        key: getattr(plan, one.name) for key, one in _keys().items() if one.default != getattr(plan, one.name)
    }
    return toml_lines(values)


def read_plan(path: Path) -> AuditPlan:
    """Read a plan from a TOML file; raise InputError for an unknown key or name, or a wrong value."""
    keys = _keys()
    table = read_toml(path, keys, InputError)
    try:
        named = {keys[key].name: value for key, value in table.items()}
        plan = AuditPlan.model_validate({"purpose": "", **named})
    except ValidationError as error:
        problem = first_problem(error)
        name, _, rest = problem.where.partition(".")
        where = next(key for key, one in keys.items() if one.name == name) + (rest and f".{rest}")
        raise InputError(f"{label(path)}: {where} {problem.fault}: {problem.mend}.") from error
    for name in plan.mappings:
        load_mapping(name)
    _ = plan.policy  # whose topics and sets have to exist
    return plan


def uploaded_plan(name: str, data: bytes) -> AuditPlan:
    """Read a plan from an upload, without storing it; raises as :func:`read_plan`."""
    with uploaded(upload_label(name), data) as path:
        return read_plan(path)
